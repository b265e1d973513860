"""Ctrl-C for child processes."""

import signal


def hears_ctrl_c():
    """For ``preexec_fn``: SIGINT counts even where the tests run in the background of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
