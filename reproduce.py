#!/usr/bin/env python3
"""Reproduce the study with one command: ``python reproduce.py``.

This script needs Python 3.11 or newer and nothing else. On first use it makes
``.venv`` beside itself, installs ``requirements.lock`` exactly as it is written, and
hands over to ``notebooks/study``; later uses hand over at once.
``python reproduce.py --help`` lists the commands.
"""

import ast
import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
TEST_LOCK = ROOT / "tests" / "requirements.lock"
SCALE_VENV = ROOT / ".venv-scale"
SCALE_LOCK = ROOT / "scale" / "requirements.lock"
SPARK_LOCK = ROOT / "scale" / "spark.lock"
OLDEST = (3, 11)

# Which groups of pyproject.toml a lock was made for, and modules not named like their package.
GROUPS = {"requirements.lock": ("test",), "tests/requirements.lock": ("references",),
          "scale/requirements.lock": ("scale",), "scale/spark.lock": ("spark",)}
MODULES = {"graphql-core": "graphql", "pytest-xdist": "xdist", "scikit-learn": "sklearn"}

# What a user's settings may say about an installation: where packages come from and how they
# are reached. Everything else (user = yes, target, prefix, dry-run ...) would change what is
# installed where.
PIP_KEPT = {"cache-dir", "cert", "client-cert", "default-timeout", "extra-index-url",
            "find-links", "index-url", "keyring-provider", "no-cache-dir", "no-index", "proxy",
            "retries", "timeout", "trusted-host", "use-feature"}
UV_KEPT = re.compile(r"UV_(\w*INDEX\w*|CACHE_DIR|CONCURRENT_\w+|FIND_LINKS|HTTP_\w+|INSECURE_HOST|"
                     r"KEYRING_PROVIDER|LINK_MODE|NATIVE_TLS|NO_CACHE|OFFLINE|SYSTEM_CERTS)")
FOREIGN = re.compile(r"PIP_|UV_|PYTHON|(VIRTUAL_ENV|CONDA_PREFIX|__PYVENV_LAUNCHER__)$")

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
  scale [--spark]    .venv-scale, for mining from whole dumps; with Spark, which needs Java
  bundle DIR         every package of the locks, to be archived beside the repository

  --here             use this Python as it is (conda, Binder) instead of .venv

COMMAND --help says more. STUDY_MIRROR=FOLDER-OR-URL makes `data` fetch from a copy;
STUDY_WHEELS=DIR installs from a bundle instead of the package index."""


class SetupError(Exception):
    """The environment cannot be made; the message says what to do."""


class Stopped(KeyboardInterrupt):
    """SIGTERM, handled like Ctrl-C."""


# --- one lock, one environment ---


def interpreter(venv=VENV):
    """Path of the virtual environment's Python on this operating system."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def packages(venv):
    """Folder that packages are installed into."""
    version = ".".join(map(str, sys.version_info[:2]))
    return venv / ("Lib/site-packages" if os.name == "nt" else
                   f"lib/python{version}/site-packages")


def installed(venv):
    """Names of what is installed, with versions: one ``*.dist-info`` a package."""
    found = packages(venv)
    return sorted(p.name for p in found.glob("*.dist-info")) if found.is_dir() else []


def fingerprint(lock):
    """What a finished installation is stamped with: the Python version and the lock."""
    version = ".".join(map(str, sys.version_info[:2]))
    # Line ends are left out so that a checkout with CRLF needs no second installation.
    text = lock.read_bytes().replace(b"\r\n", b"\n")
    return f"{version} {hashlib.sha256(text).hexdigest()}"


def stamp_of(lock, venv):
    name = lock.stem if lock.stem != "requirements" else lock.parent.name
    return venv / f"{name if lock.parent != ROOT else 'main'}.stamp"


def holds(venv, lock):
    """Whether an environment has all that was in it when a lock had been installed."""
    try:
        first, *names = stamp_of(lock, venv).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return (first == fingerprint(lock) and interpreter(venv).exists()
            and set(names) <= set(installed(venv)))


def provide(venv, *locks):
    """Make an environment hold some locks, unless it does; return its Python.

    Parameters
    ----------
    venv : pathlib.Path
    *locks : pathlib.Path
        Lock files, installed in this order. Each is complete: what its packages need is in
        it or in one before it.

    Returns
    -------
    str
        Path of the interpreter.

    Raises
    ------
    SetupError
    """
    if not all(holds(venv, lock) for lock in locks):
        with alone():  # another run may have made it while this one waited
            stale = [lock for lock in locks if not holds(venv, lock)]
            # Started anew where the first lock is not in it (never finished, broken, of
            # another Python) or where a lock has changed: nothing old is left in it.
            if locks[0] in stale or any(stamp_of(lock, venv).exists() for lock in stale):
                make_environment(venv)
            for lock in locks:
                if not holds(venv, lock):
                    install(lock, venv)
    return str(interpreter(venv))


def make_environment(venv):
    """Make an empty virtual environment, with uv where it is on PATH."""
    if venv.is_symlink():
        raise SetupError(f"{venv.name} is a link to another folder, and what it holds is not this "
                         "version's; nothing there is touched. Remove the link and try again")
    if venv.exists() and not os.access(venv, os.W_OK):
        raise SetupError(f"{venv.name} is not finished, and belongs to somebody else; have it "
                         "deleted, or work in a copy of this folder")
    if not os.access(venv.parent, os.W_OK):
        raise SetupError(f"{venv.name} cannot be made: this folder may not be written to. Work in "
                         "a copy of it, or in an environment made from environment.yml with "
                         "--here")
    say(f"Making {venv.name} (first use only)")
    # The Python behind this one: if this is .venv's own, it is about to be deleted.
    base = getattr(sys, "_base_executable", None) or sys.executable
    uv = shutil.which("uv")
    if uv:
        run([uv, "venv", "--quiet", "--clear", "--python", base, str(venv)],
            f"making {venv.name} with uv", f"Delete {venv.name} and try again.")
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
    run([base, "-m", "venv", "--clear", str(venv)],
        f"making {venv.name}", f"Delete {venv.name} and try again.")


def install(lock, venv):
    """Install one lock file exactly as written, check the result, then stamp it.

    Nothing is resolved: a resolver would ask the index what is newest today and refuse, or
    take, what the lock does not name. Nothing is built: a build asks the index too.
    """
    python, uv = str(interpreter(venv)), shutil.which("uv")
    name = lock.relative_to(ROOT).as_posix()
    text = lock.read_text(encoding="utf-8")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    exact = ["--no-deps", "--require-hashes", "--only-binary", ":all:", *wheels(),
             "-r", str(lock)]
    if lock == SPARK_LOCK:  # its one package of plain source is built with what is there
        exact += ["--no-binary", "pyspark", "--no-build-isolation"]
    say(f"Installing {name} into {venv.name} ({len(re.findall('^[a-zA-Z]', text, re.M))} packages; "
        "first use only; a minute or two with pip, seconds with uv)")
    remedy = ("Is the package index reachable? Then try again; what was downloaded is kept."
              if not wheels() else "Is the folder STUDY_WHEELS a bundle of this version, made on "
              "the same kind of machine with the same Python?")
    settings = clean_settings(None if uv else pip)
    run([uv, "pip", "install", "--python", python, *exact] if uv else [*pip, "install", *exact],
        f"installing {name}", remedy, settings)
    run([uv, "pip", "check", "--python", python] if uv else [*pip, "check"],
        f"checking {name}", f"Delete {venv.name} and try again.", settings)
    code = "\n".join(f"import {module}" for module in modules(name))
    if code:
        run([python, "-I", "-c", code], f"importing what {name} installed",
            f"Delete {venv.name} and try again.", settings)
    stamp_of(lock, venv).write_text("\n".join([fingerprint(lock), *installed(venv), ""]),
                                    encoding="utf-8", newline="\n")


def modules(name, project=None):
    """Modules that the packages declared for a lock must bring, whatever else it holds."""
    import tomllib
    declared = tomllib.loads((project or ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = list(declared["project"]["dependencies"]) if name == LOCK.name else []
    for group in GROUPS.get(name, ()):
        wanted += declared["dependency-groups"][group]
    return [MODULES.get(package, package.replace("-", "_")) for package in wanted]


def wheels():
    """Options that make an installer take everything from the folder STUDY_WHEELS names."""
    folder = os.environ.get("STUDY_WHEELS")
    if not folder:
        return []
    if not Path(folder).is_dir():
        raise SetupError(f"STUDY_WHEELS={folder} is no folder; name one that "
                         "python reproduce.py bundle has made")
    return ["--no-index", "--find-links", str(Path(folder).resolve())]


def clean_settings(pip=None):
    """Environment variables for an installer: only index, network and cache are the user's.

    Parameters
    ----------
    pip : list of str, optional
        The pip whose configuration files are read as well; they are switched off and what
        may stay of them is handed over in variables.
    """
    kept = {k: v for k, v in os.environ.items() if not FOREIGN.match(k) or UV_KEPT.fullmatch(k)}
    # A bundle stands for the index; what else the user names must not add to it.
    if os.environ.get("STUDY_WHEELS"):
        kept = {k: v for k, v in kept.items() if not re.match(r"UV_\w*(INDEX|FIND_LINKS)", k)}
    kept |= {"PYTHONUTF8": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INPUT": "1"}
    if not pip:
        return kept
    theirs = {k: v for k, v in os.environ.items() if not FOREIGN.match(k) or k.startswith("PIP_")}
    # `pip config` takes user = yes for its own option: list the user's file alone.
    theirs |= {"PYTHONUTF8": "1", "PIP_USER": "0", "PIP_GLOBAL": "0", "PIP_SITE": "0"}
    listed = run([*pip, "config", "list"], "reading pip's settings",
                 "Mend pip's configuration file.", theirs)
    found = {}
    for line in listed:  # global.cert='/a b.pem', install.user='yes', :env:.index-url='...'
        match = re.fullmatch(r"(global|install|:env:)\.([\w-]+)=(['\"].*)", line)
        if match and match[2] in PIP_KEPT:
            found.setdefault(match[1], {})[match[2]] = ast.literal_eval(match[3])
    said = {**found.get("global", {}), **found.get("install", {}), **found.get(":env:", {})}
    if os.environ.get("STUDY_WHEELS"):
        said = {k: v for k, v in said.items() if not re.search("index|find-links", k)}
    return kept | {f"PIP_{k.upper().replace('-', '_')}": v for k, v in said.items()}


def run(command, what, remedy, settings=None, patience=5):
    """Run one step of the set-up and return what it printed; say every few seconds how far it is.

    Raises
    ------
    SetupError
        With what failed, what helps, and the end of what was printed.
    """
    lines, start, told = [], time.monotonic(), time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          encoding="utf-8", errors="replace", env=settings or clean_settings(),
                          # An installer that outlives this process keeps the checkout locked.
                          **({} if os.name == "nt" else {"pass_fds": HELD})) as process:
        try:
            for line in process.stdout:
                lines.append(line.rstrip())
                if time.monotonic() - told > patience:
                    told = time.monotonic()
                    number = sum(x.startswith(("Collecting ", "Processing ")) for x in lines)
                    say(f"  {told - start:3.0f} s: " + (f"{number} packages, " if number else "")
                        + re.sub(r"https?://\S*/| \(from .*", "", lines[-1].strip())[:60])
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        if any("No space left" in x or "Errno 28" in x for x in lines):
            remedy = "The disk is full; make room for 1 GB and try again."
        raise SetupError("\n".join([f"{what} failed (exit {process.returncode}). {remedy}",
                                    *[x for x in lines if x][-12:]]))
    return lines


# --- one run at a time ---

HELD = []


@contextlib.contextmanager
def alone():
    """Hold this checkout for one run at a time; the system frees it however that run ends."""
    if HELD:
        yield
        return
    with Path(__file__).open("rb") as stream:
        for waited in range(10**9):
            try:
                _lock(stream)
            except BlockingIOError:
                if not waited:
                    say("another run is at work in this folder; waiting for it (Ctrl-C stops)")
                time.sleep(1)
            else:
                break
        HELD.append(stream.fileno())
        try:
            yield
        finally:
            HELD.clear()


def _lock(stream):
    """Lock this script's file, or raise BlockingIOError; no further file is needed for it."""
    if os.name == "nt":
        import msvcrt
        stream.seek(2**30)  # beyond the end, so that nobody's reading is in the way
        try:
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
        return
    import fcntl
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # a file system without locks
        return


# --- commands ---


def bundle(arguments):
    """``bundle DIR``: the wheels of the locks for this system and Python, with checksums."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        say("usage: python reproduce.py bundle DIR\n\nDownloads every package of the locks, for "
            "this system and this Python, into DIR, with\nSHA256SUMS. STUDY_WHEELS=DIR python "
            "reproduce.py installs from there, without an index.")
        return 0 if arguments in (["--help"], ["-h"]) else 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    # pip does the downloading; an environment made by uv has none.
    with tempfile.TemporaryDirectory() as home:
        venv = Path(home, "venv")
        run([sys.executable, "-m", "venv", str(venv)], "making an environment with pip",
            "Does this Python have the module venv?")
        pip = [str(interpreter(venv)), "-m", "pip", "--disable-pip-version-check"]
        for lock in (LOCK, TEST_LOCK):
            say(f"Downloading {lock.relative_to(ROOT).as_posix()}")
            run([*pip, "download", "--no-deps", "--require-hashes", "--only-binary", ":all:",
                 *wheels(), "-d", str(folder), "-r", str(lock)], f"downloading {lock.name}",
                "Is the package index reachable? Then try again.", clean_settings(pip))
    found = sorted(folder.glob("*.whl"))
    sums = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in found]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8", newline="\n")
    size = sum(p.stat().st_size for p in found) / 1e6
    print(f"{len(found)} packages ({size:.0f} MB) in {folder}, with SHA256SUMS.\n"
          f"STUDY_WHEELS={folder} python reproduce.py installs from there.")
    return 0


def scale(arguments):
    """``scale [--spark]``: the environment of ``python -m mining ingest`` and ``choose``."""
    if set(arguments) - {"--spark"}:
        say("usage: python reproduce.py scale [--spark]\n\nMakes .venv-scale with DuckDB and "
            "PyArrow (80 MB to fetch), for mining from whole dumps:\nsee mining/bulk/README.md. "
            "--spark adds Spark (450 MB), which needs Java 17 or newer.")
        return 0 if arguments in (["--help"], ["-h"]) else 2
    python = provide(SCALE_VENV, SCALE_LOCK, *([SPARK_LOCK] if arguments else []))
    print(f"Ready: {Path(python).parent.parent.name}. `python -m mining ingest` and `choose` "
          "find it by themselves.")
    if arguments and not shutil.which("java"):
        print("Spark needs Java 17 or newer. On Debian or Ubuntu: "
              "sudo apt install default-jre-headless")
    return 0


def hand_over(command, settings, folder=None):
    """Become the command, so that signals reach it; Windows has no such thing, so wait for it."""
    if folder:
        os.chdir(folder)
    if os.name != "nt":
        for held in HELD:
            os.set_inheritable(held, True)
        if "study" in command:  # which lets them through when it can answer in one line
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        os.execve(command[0], command, settings)
    with subprocess.Popen(command, env=settings) as process:
        while True:
            with contextlib.suppress(KeyboardInterrupt):  # the console tells the other one too
                return process.wait()


def parallel(here, arguments):
    """Options of pytest for all processors; whoever passes arguments looks at single tests."""
    from importlib.util import find_spec
    if arguments or (here and not find_spec("xdist")):
        return []
    return ["-n", "auto", "--dist", "loadscope"]


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
    if arguments[:1] == ["bundle"]:
        return bundle(arguments[1:])
    if arguments[:1] == ["scale"]:
        return scale(arguments[1:])
    test = arguments[:1] == ["test"]
    locks = [LOCK, TEST_LOCK] if test else [LOCK]
    python = sys.executable if here else provide(VENV, *locks)
    # The helper modules lie beside the notebooks. What else a user has on PYTHONPATH could
    # hide a package of .venv.
    path = [str(ROOT / "notebooks"), str(ROOT), *([os.environ.get("PYTHONPATH")] if here else [])]
    settings = {k: v for k, v in os.environ.items() if here or k != "PYTHONHOME"}
    settings |= {"PYTHONPATH": os.pathsep.join(filter(None, path)), "PYTHONUTF8": "1"}
    if test:
        options = parallel(here, arguments[1:])
        return hand_over([python, "-m", "pytest", *options, *arguments[1:]], settings, ROOT)
    # What writes results runs alone.
    named = arguments and not arguments[0].startswith("-")
    with contextlib.nullcontext() if named else alone():
        return hand_over([python, "-m", "study", *arguments], settings)


def _stop(*_):
    raise Stopped


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        say(f"reproduce.py: {error}")
        sys.exit(2)
    except OSError as error:
        say(f"reproduce.py: {error.filename or 'the system'}: {error.strerror or error}")
        sys.exit(2)
    except KeyboardInterrupt as error:
        say("reproduce.py: stopped; the same command goes on from here")
        sys.exit(143 if isinstance(error, Stopped) else 130)
