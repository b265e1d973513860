#!/usr/bin/env python3
"""Reproduce the study with one command: ``python reproduce.py``.

This script needs Python 3.11 or newer and nothing else. On first use it makes
``.venv`` beside itself, installs ``requirements.lock`` with hashes, and hands over
to ``notebooks/study``; later uses hand over at once. ``python reproduce.py --help``
lists the commands.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
TEST_LOCK = ROOT / "tests" / "requirements.lock"
OLDEST = (3, 11)

HELP = """\
usage: python reproduce.py [--here] [COMMAND] [ARGUMENT ...]

  (no command)       every count, figure, finding and notebook; then the findings table
  test [ARG ...]     the tests (arguments go to pytest)
  data               fetch the authors' files, verify them, rebuild the counts, compare
  agree FILE ...     agreement of two or more raters' labels in csv, tsv or xlsx
  label STEP ...     extend the study: sample, sheets, check, agreement, adjudication, counts
  course release DIR student versions of the exercises, without solutions
  report             figures/report.html: the study on one self-contained page
  lab                JupyterLab on the notebooks

  --here             use this Python as it is (conda, Binder) instead of .venv

COMMAND --help says more. STUDY_MIRROR=FOLDER-OR-URL makes `data` fetch from a copy."""


class SetupError(Exception):
    """The environment cannot be made; the message says what to do."""


def interpreter(venv=VENV):
    """Path of the virtual environment's Python on this operating system."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def fingerprint(lock):
    """What a finished installation is stamped with: the lock and the Python version."""
    version = ".".join(map(str, sys.version_info[:2]))
    # Line ends are left out so that a checkout with CRLF needs no second installation.
    text = lock.read_bytes().replace(b"\r\n", b"\n")
    return f"{version} {hashlib.sha256(text).hexdigest()}\n"


def run(command, what, remedy):
    """Run one step of the set-up; on failure say what failed and what helps."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, encoding="utf-8", errors="replace")
    if result.returncode:
        said = result.stdout.strip().splitlines()[-12:]
        raise SetupError("\n".join([f"{what} failed (exit {result.returncode}). {remedy}", *said]))


def make_environment(venv):
    """Make an empty virtual environment, with uv where it is on PATH."""
    say(f"Making {venv.name} (first use only)")
    uv = shutil.which("uv")
    if uv:
        run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(venv)],
            "making .venv with uv", "Delete .venv and try again.")
        return
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        version = ".".join(map(str, sys.version_info[:2]))
        raise SetupError(
            "this Python cannot make virtual environments (its ensurepip is missing). "
            f"On Debian or Ubuntu: sudo apt install python{version}-venv\n"
            "Elsewhere: pip install uv. Or, in an environment made from environment.yml: "
            "python reproduce.py --here") from None
    run([sys.executable, "-m", "venv", "--clear", str(venv)],
        "making .venv", "Delete .venv and try again.")


def install(lock, venv):
    """Install one lock file with hashes, unless its stamp says it is there."""
    stamp = venv / f"{lock.parent.name if lock.parent != ROOT else 'main'}.stamp"
    wanted = fingerprint(lock)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say(f"Installing {lock.relative_to(ROOT).as_posix()} into {venv.name} "
        "(first use only; half a minute with pip, seconds with uv)")
    python, uv = str(interpreter(venv)), shutil.which("uv")
    tool = ([uv, "pip", "install", "--quiet", "--python", python] if uv else
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
    run([*tool, "--require-hashes", "-r", str(lock)], f"installing {lock.name}",
        "Is the package index reachable? Then try again; what is installed is kept.")
    stamp.write_text(wanted, encoding="utf-8", newline="\n")


def environment(here, with_tests, venv=VENV):
    """Python to run with; makes and fills ``.venv`` where needed."""
    if here:
        return sys.executable
    # A stamp is only written after everything went well. No main stamp: start over.
    if not ((venv / "main.stamp").exists() and interpreter(venv).exists()):
        make_environment(venv)
    install(LOCK, venv)
    if with_tests:
        install(TEST_LOCK, venv)
    return str(interpreter(venv))


def say(text):
    print(text, file=sys.stderr, flush=True)


def main(arguments):
    here = "--here" in arguments
    arguments = [a for a in arguments if a != "--here"]
    if arguments[:1] in (["--help"], ["-h"], ["help"]):
        print(HELP)
        return 0
    if sys.version_info < OLDEST:
        raise SetupError(f"Python {'.'.join(map(str, OLDEST))} or newer is needed; this is "
                         f"{sys.version.split()[0]}. Call it with a newer one.")
    test = arguments[:1] == ["test"]
    python = environment(here, test)
    # The helper modules lie beside the notebooks; a user's PYTHONPATH stays behind them.
    path = [str(ROOT / "notebooks"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path)),
                "PYTHONUTF8": "1"}
    if test:
        command = [python, "-m", "pytest", *arguments[1:]]
        return subprocess.call(command, env=settings, cwd=ROOT)
    return subprocess.call([python, "-m", "study", *arguments], env=settings)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        say(f"reproduce.py: {error}")
        sys.exit(2)
    except KeyboardInterrupt:
        say("reproduce.py: stopped; the same command goes on from here")
        sys.exit(130)
