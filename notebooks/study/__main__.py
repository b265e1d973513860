"""Commands of ``reproduce.py``, run inside its environment."""

import argparse
import errno
import os
import signal
import sys

from study.base.errors import StudyError
from study.base.paths import shown


def data(arguments):
    """``data``: fetch, verify, rebuild and compare the counts."""
    parser = argparse.ArgumentParser(
        prog="reproduce.py data",
        description="Fetch the authors' files (STUDY_MIRROR: from a folder or address), verify "
                    "them, rebuild the counts and compare them with data/study.")
    parser.add_argument("--write", action="store_true",
                        help="replace data/study by what was rebuilt")
    options = parser.parse_args(arguments)
    from study.tabulate import rebuild
    return rebuild.run(write_counts=options.write)


def everything(arguments):
    """No command: the whole lower half, from the counts to the findings table."""
    parser = argparse.ArgumentParser(
        prog="reproduce.py", description="Every count, figure, finding and notebook, compared with "
                                         "what is committed; then the findings table.")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--restore", action="store_true",
                        help="put notebooks that were edited here back as they are committed")
    choice.add_argument("--write", action="store_true",
                        help="store the outputs of notebooks that were edited here")
    options = parser.parse_args(arguments)
    from study.run import notebooks as execute
    with execute.prepared() as server:  # warms up while the rest is imported
        from study.run import everything as pipeline
        return pipeline.run(server, restore=options.restore, write=options.write)


def agree(arguments):
    """``agree``: agreement of anybody's raters."""
    from study.run import agree as command
    return command.main(arguments)


def lab(arguments):
    """``lab``: JupyterLab on the notebooks."""
    import subprocess

    from study.base.paths import NOTEBOOKS
    start = NOTEBOOKS / "00_start_here.ipynb"
    return subprocess.call([sys.executable, "-m", "jupyterlab", *arguments, str(start)],
                           cwd=NOTEBOOKS)


def label(arguments):
    """``label``: extend the study to a new framework."""
    from study.extend.cli import main as run
    return run(arguments)


def course(arguments):
    """``course release OUT``: student versions of the exercises."""
    from study.run import course
    return course.run(arguments)


def report(arguments):
    """``report``: the study on one self-contained page."""
    from study.tell import page as report
    return report.run(arguments)


COMMANDS = {"agree": agree, "all": everything, "course": course, "data": data, "lab": lab,
            "label": label, "report": report}


def main(arguments):
    """Run one command; the exit code is 0, 1 (something differs) or 2 (wrong use or input)."""
    # Options alone belong to the command without a name.
    named = arguments and not arguments[0].startswith("-")
    name, rest = (arguments[0], arguments[1:]) if named else ("all", arguments)
    if name not in COMMANDS:
        raise StudyError(f"no command {name!r}; python reproduce.py --help lists them")
    return COMMANDS[name](rest)


def _signals():
    """Let SIGTERM do what Ctrl-C does; both were held back until here (reproduce.py)."""
    def stop(number, frame):
        global STOPPED
        STOPPED = 128 + number
        signal.signal(number, signal.SIG_IGN)
        interrupt = signal.getsignal(signal.SIGINT)  # ignored where a shell ran this with &
        (interrupt if callable(interrupt) else signal.default_int_handler)(signal.SIGINT, frame)
    signal.signal(signal.SIGTERM, stop)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


STOPPED = 130

if __name__ == "__main__":
    try:
        _signals()
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except StudyError as error:
        print(f"reproduce.py: {error}", file=sys.stderr)
        code = 2
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] == "study":
            raise
        print(f"reproduce.py: this Python lacks the package {error.name!r}; leave --here out, or "
              "make an environment from environment.yml first", file=sys.stderr)
        code = 2
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # The reader of our output went away (head, less): no reason for a traceback.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        else:
            place = f"{shown(error.filename)}: " if error.filename else ""
            whole = "; nothing is half written" * (error.errno in (errno.ENOSPC, errno.EROFS))
            print(f"reproduce.py: {place}{error.strerror or error}{whole}", file=sys.stderr)
            code = 2
    except KeyboardInterrupt:
        print("reproduce.py: stopped; nothing is half written", file=sys.stderr, flush=True)
        os._exit(STOPPED)  # without waiting for a drawing that is under way
    sys.exit(code)
