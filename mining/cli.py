"""The command line: ``python -m mining COMMAND NAME``."""

import argparse
import contextlib
import signal
import sqlite3
import sys

from mining import commands
from mining.errors import MiningError, Stopped
from mining.mine import PLATFORMS
from mining.selection.definition import names
from mining.selection.sampling import BY
from mining.store.export import FORMATS
from mining.transport.clock import Clock

EPILOG = """\
From whole dumps instead of the APIs: ingest and choose (mining/bulk/README.md).

Tokens are read from the environment only: GITHUB_TOKEN, STACKEXCHANGE_KEY,
STACKEXCHANGE_TOKEN. Without them everything works, slower. mining/README.md says how to
get them, what they cost, and what the licences of the mined text allow."""


def parser():
    """The argument parser, one sub-command an act."""
    top = argparse.ArgumentParser(prog="python -m mining", epilog=EPILOG,
                                  formatter_class=argparse.RawDescriptionHelpFormatter,
                                  description="Mine issue threads of a framework.")
    acts = top.add_subparsers(dest="act", required=True, metavar="COMMAND")

    def act(name, text):
        sub = acts.add_parser(name, help=text, description=text)
        sub.add_argument("name", metavar="NAME",
                         help=f"a definition: {', '.join(names())}; or a .toml file")
        sub.add_argument("--store", metavar="DIR",
                         help="folder of the corpus (default: data/raw/mining/NAME)")
        return sub

    sub = act("plan", "requests, quota and minutes a run will take; sends nothing")
    _scope(sub)
    sub = act("run", "mine; the same command goes on where an earlier one stopped")
    _scope(sub)
    sub.add_argument("--items", metavar="FILE",
                     help="mine these threads only: one address or key a line")
    sub.add_argument("--patience", type=float, default=65, metavar="MINUTES",
                     help="longest wait that is slept through (default: %(default)s); a "
                          "longer one stops, to be resumed by the same command")
    act("status", "what is there, what is left, and which waits stand")
    sub = act("export", "the snapshot as tables: threads and comments")
    sub.add_argument("--format", choices=FORMATS, default="csv")
    sub.add_argument("--out", metavar="DIR", help="default: export below the store")
    sub.add_argument("--all", action="store_true", help="threads that are no candidates too")
    sub = act("replay", "rebuild the snapshot from the stored answers; sends nothing")
    sub.add_argument("--reading", choices=("intention", "script"), default="intention",
                     help="of the keyword filter: what the study describes, or what its "
                          "script does (default: %(default)s)")
    sub = act("drift", "what changed since: edited, deleted, transferred, relabelled")
    sub.add_argument("--all", action="store_true", help="threads that are no candidates too")
    sub.add_argument("--patience", type=float, default=65, metavar="MINUTES")
    sub = act("sample", "a seeded sample of the candidates, for labelling")
    size = sub.add_mutually_exclusive_group(required=True)
    size.add_argument("--n", type=int, help="size of the sample")
    size.add_argument("--margin", type=float, help="margin of error at 95 %%, such as 0.05")
    sub.add_argument("--seed", type=int, default=0)
    sub.add_argument("--by", choices=BY, help="stratify in proportion")
    sub.add_argument("--out", metavar="FILE", help="default: sample.csv below the store")
    return top


def _scope(sub):
    sub.add_argument("--since", metavar="DAY", help="created on or after (default: the first)")
    sub.add_argument("--until", metavar="DAY", help="created on or before (default: now)")
    sub.add_argument("--platform", choices=PLATFORMS, help="one of the two only")
    sub.add_argument("--limit", type=_positive, metavar="N",
                     help="stop after about N threads a platform, oldest first; a later run "
                          "without it goes on from there")
    sub.add_argument("--way", choices=("search", "list"),
                     help="how threads are found on GitHub (default: as defined)")


def main(arguments, clock=None, environment=None):
    """Run one command.

    Returns
    -------
    int
        0 done, 2 something to correct, 3 stopped by a limit and resumable, 4 done but not
        whole (the sentences say what is missing and what helps), 130 Ctrl-C.
    """
    chosen = parser().parse_args(arguments)
    again = f"python -m mining {' '.join(map(_quoted, arguments))}"
    with contextlib.suppress(ValueError):  # not in the main thread, as in the tests
        # A batch system's polite kill and a closed terminal are answered like Ctrl-C.
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        return getattr(commands, chosen.act)(chosen, clock or Clock(), environment) or 0
    except KeyboardInterrupt:
        _say(f"mining: stopped; what came is kept. Go on with: {again}")
        return 130
    except Stopped as stop:
        _say(f"mining: {stop}. Go on with: {again}")
        return stop.exit_code
    except MiningError as error:
        _say(f"mining: {error}")
        return error.exit_code
    except sqlite3.Error as error:
        _say(f"mining: the store: {error}; what came is kept. Make room, or restore the file "
             f"from a copy where it is damaged. Go on with: {again}")
        return 2
    except OSError as error:
        _say(f"mining: {error.filename or 'system'}: {error.strerror or error}; what came is "
             f"kept. Put it right. Go on with: {again}")
        return 2


def _positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _quoted(argument):
    return f'"{argument}"' if " " in argument else argument


def _say(text):
    print(text, file=sys.stderr, flush=True)
