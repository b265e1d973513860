"""The set-up as a stranger meets it: from nothing, with old and new installers (slow).

Everything here installs for real, from a bundle that the first test has fetched from the package
index with an empty cache. ``python reproduce.py test -m slow`` runs it.
"""

import contextlib
import functools
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctrlc import hears_ctrl_c

ROOT = Path(__file__).resolve().parents[1]
# What Python 3.11 and later bring, and what Debian and users replace it by.
PIPS = ["22.3.1", "23.2.1", "24.3.1", "25.3", "newest"]
COPIED = ["reproduce.py", "requirements.lock", "tests/requirements.lock", "pyproject.toml",
          "notebooks/study", "data/study"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    """Environment of a stranger's shell: nothing of this user's but how the network is reached."""
    home = tmp_path_factory.mktemp("home")
    kept = {k: v for k, v in os.environ.items() if re.search("CERT|CA_BUNDLE|PROXY|SYSTEM", k, re.I)
            and not k.startswith("STUDY")}
    return kept | {"HOME": str(home), "PATH": "/usr/bin:/bin", "PIP_CONFIG_FILE": os.devnull,
                   "PIP_CACHE_DIR": str(home / "pip"), "UV_CACHE_DIR": str(home / "uv"),
                   "PIP_DEFAULT_TIMEOUT": "180", "LC_ALL": "C.UTF-8"}


@pytest.fixture
def shell(stranger, monkeypatch):
    """This process in a stranger's shell."""
    for name in os.environ:
        monkeypatch.delenv(name)
    for name, value in stranger.items():
        monkeypatch.setenv(name, value)


def checkout(folder):
    """A copy of what the set-up and one command need, in a folder with a blank in its name."""
    folder = folder / "a b"
    for name in COPIED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name,
                            ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def script_of(folder):
    """The reproduce.py of a checkout as a module."""
    spec = importlib.util.spec_from_file_location("reproduce", folder / "reproduce.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def call(folder, *arguments, **settings):
    return subprocess.run([sys.executable, "reproduce.py", *arguments], cwd=folder, env=settings,
                          capture_output=True, text=True, encoding="utf-8", check=False)


def pins(lock):
    """Package → version, of a lock file; names as ``*.dist-info`` folders write them."""
    return {re.sub(r"[-_.]+", "_", name).lower(): version for name, version in re.findall(
        r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", lock.read_text(encoding="utf-8"), re.M)}


def assert_holds_exactly(script, *locks):
    """Only what the locks pin is there, in these versions, and nothing it needs is missing."""
    wanted = functools.reduce(dict.__or__, map(pins, locks))
    found = dict(name.removesuffix(".dist-info").split("-", 1)
                 for name in script.installed(script.VENV))
    found = {re.sub(r"[-_.]+", "_", k).lower(): v for k, v in found.items()}
    own = {k: v for k, v in found.items() if k in ("pip", "setuptools") and k not in wanted}
    assert {k: v for k, v in found.items() if k not in own}.items() <= wanted.items()
    # What is not there belongs to other systems or Pythons.
    assert len(wanted) - len(found) + len(own) < 8
    assert all(script.holds(script.VENV, lock) for lock in locks)


@pytest.fixture(scope="module")
def wheels(stranger, tmp_path_factory):
    """A bundle, fetched from the package index with an empty cache."""
    folder = tmp_path_factory.mktemp("bundle") / "all wheels"
    done = call(ROOT, "bundle", str(folder), **stranger)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\d+ packages \(\d+ MB\) in .*, with SHA256SUMS", done.stdout)
    return folder


def test_a_bundle_holds_every_package_with_its_checksum(wheels):
    lines = (wheels / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = dict(reversed(line.split("  ")) for line in lines)
    assert sums == {p.name: hashlib.sha256(p.read_bytes()).hexdigest()
                    for p in wheels.glob("*.whl")}
    locked = [ROOT / "requirements.lock", ROOT / "tests/requirements.lock"]
    wanted = functools.reduce(dict.__or__, map(pins, locked))
    named = {re.sub(r"[-_.]+", "_", name.split("-")[0]).lower() for name in sums}
    assert named <= set(wanted)
    assert len(named) > len(wanted) - 8


@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize("pip", PIPS)
def test_stock_pips_install_both_locks(pip, wheels, tmp_path, monkeypatch):
    script = script_of(checkout(tmp_path))
    script.make_environment(script.VENV)
    python = script.interpreter(script.VENV)
    subprocess.run([python, "-m", "pip", "install", "-q", "--upgrade",
                    "pip" if pip == "newest" else f"pip=={pip}"], check=True)
    monkeypatch.setenv("STUDY_WHEELS", str(wheels))
    for lock in (script.LOCK, script.TEST_LOCK):
        script.install(lock, script.VENV)
    assert_holds_exactly(script, script.LOCK, script.TEST_LOCK)
    said = subprocess.run([python, "-m", "pip", "check"], capture_output=True, text=True,
                          check=False)
    assert (said.returncode, said.stdout) == (0, "No broken requirements found.\n")


@pytest.mark.usefixtures("shell")
def test_uv_installs_both_locks_from_the_index(tmp_path, monkeypatch):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "uv"], check=True)
    subprocess.run([tmp_path / "uv/bin/python", "-m", "pip", "install", "-q", "uv"], check=True)
    monkeypatch.setenv("PATH", f"{tmp_path / 'uv/bin'}{os.pathsep}{os.environ['PATH']}")
    script = script_of(checkout(tmp_path))
    python = script.provide(script.VENV, script.LOCK, script.TEST_LOCK)
    assert not list(script.packages(script.VENV).glob("pip-*"))  # it was uv, then
    assert_holds_exactly(script, script.LOCK, script.TEST_LOCK)
    subprocess.run([python, "-c", "import sklearn, pandas"], check=True)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_installation_ends_well_however_it_ends(wheels, stranger, tmp_path):
    """Ctrl-C, SIGTERM and kill -9 in the middle; user = yes in pip.conf; a blank in the name."""
    folder = checkout(tmp_path)
    conf = tmp_path / "pip.conf"
    conf.write_text("[global]\nuser = yes\n[install]\nprefix = /synthetic\n", encoding="utf-8")
    settings = stranger | {"STUDY_WHEELS": str(wheels), "PIP_CONFIG_FILE": str(conf),
                           "PIP_TARGET": str(tmp_path / "target"), "VIRTUAL_ENV": "/synthetic"}
    site = folder / f".venv/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        with subprocess.Popen([sys.executable, "reproduce.py", "data", "--help"], cwd=folder,
                              env=settings, text=True, stderr=subprocess.PIPE,
                              preexec_fn=hears_ctrl_c) as process:
            while not process.stderr.readline().startswith("Installing"):
                assert process.poll() is None
            while len(list(site.glob("*.dist-info"))) < 20:  # pip and its like are there at once
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(number)
            said = process.stderr.read()
        assert process.returncode == code
        assert "Traceback" not in said
        if number != signal.SIGKILL:
            assert said.endswith("reproduce.py: stopped; the same command goes on from here\n")
        assert not (folder / ".venv/main.stamp").exists()
    done = call(folder, "data", "--help", **settings)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: reproduce.py data")
    assert "Making .venv" in done.stderr
    script = script_of(folder)
    assert_holds_exactly(script, script.LOCK)
    assert not (tmp_path / "target").exists()
    again = call(folder, "data", "--help", **settings)
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.usefixtures("shell")
def test_a_wheel_that_is_not_the_locked_one_is_refused(wheels, tmp_path, monkeypatch):
    script = script_of(checkout(tmp_path))
    script.LOCK.write_text(re.search(r"^six==.*\n(?:    .*\n)+",
                                     script.LOCK.read_text(encoding="utf-8"), re.M)[0],
                           encoding="utf-8")
    folder = tmp_path / "wheels"
    folder.mkdir()
    six, = wheels.glob("six-*.whl")
    (folder / six.name).write_bytes(six.read_bytes() + b"\0")
    monkeypatch.setenv("STUDY_WHEELS", str(folder))
    script.make_environment(script.VENV)
    with pytest.raises(script.SetupError, match=r"^installing requirements\.lock failed") as error:
        script.install(script.LOCK, script.VENV)
    assert "HASH" in str(error.value)
    assert not script.holds(script.VENV, script.LOCK)


# --- disks ---


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own: ``disk(megabytes)`` returns its folder."""
    place = tmp_path / "disk"
    place.mkdir()

    def mounted(megabytes, *options):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o",
                               ",".join([f"size={megabytes}m", *options]), "tmpfs", place],
                              check=False, capture_output=True) if shutil.which("mount") else None
        if done is None or done.returncode:
            pytest.skip("only root of a Linux system can mount a small disk")
        return place
    yield mounted
    if os.path.ismount(place):
        subprocess.run(["umount", "--lazy", place], check=True)


def results(folder):
    """A checkout with all that the main command reads and writes, but without its history."""
    folder.mkdir()
    for name in ["README.md", "data", "figures", "notebooks", "pyproject.toml",
                 "requirements.lock"]:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(
                "__pycache__", "raw", ".ipynb_checkpoints"))
        else:
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def every(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*")
            if p.is_file()}


def main_command(folder):
    return subprocess.run([sys.executable, "-m", "study"], cwd=folder, check=False, text=True,
                          capture_output=True, encoding="utf-8", env=os.environ | {
                              "PYTHONPATH": f"{folder / 'notebooks'}{os.pathsep}{folder}",
                              "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"})


@pytest.mark.parametrize("kind", ["full", "read-only"])
def test_results_that_cannot_be_written_are_one_line_and_leave_every_file_whole(kind, disk):
    place = disk(64)
    folder = results(place / "a b")
    committed = every(folder)
    lost = sorted((folder / "figures").glob("*.png"))
    for path in lost:
        path.unlink()
    if kind == "full":  # but for one block of 64 KB
        with contextlib.suppress(OSError), (place / "filler").open("wb", buffering=0) as stream:
            while stream.write(b"0" * 65536):
                pass
        os.truncate(place / "filler", (place / "filler").stat().st_size - 65536)
    else:
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
    done = main_command(folder)
    assert done.returncode == 2, done.stderr
    line, = done.stderr.splitlines()
    assert re.fullmatch(r"reproduce\.py: .*(No space left on device|Read-only file system); "
                        "nothing is half written", line)
    after = every(folder)
    assert after.items() <= committed.items()  # no half file, nothing beside them
    assert set(committed) - set(after) <= {p.relative_to(folder).as_posix() for p in lost}


def test_a_read_only_checkout_that_is_as_committed_says_so(disk):
    place = disk(64)
    folder = results(place / "a b")
    subprocess.run(["mount", "-o", "remount,ro", place], check=True)
    done = main_command(folder)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("shell")
def test_a_disk_too_small_for_the_environment_is_named(disk, wheels, monkeypatch):
    script = script_of(checkout(disk(120)))
    monkeypatch.setenv("STUDY_WHEELS", str(wheels))
    with pytest.raises(script.SetupError, match="The disk is full; make room for 1 GB"):
        script.provide(script.VENV, script.LOCK)
    assert not script.holds(script.VENV, script.LOCK)


# --- in five years ---


@pytest.fixture(scope="module")
def older(stranger, tmp_path_factory):
    """The lock with a jsonschema that is no longer the newest, and a folder with its wheel.

    Others need jsonschema with an extra. Whoever resolves that takes the newest there is,
    which the lock does not name: what befalls every lock as soon as a project publishes.
    """
    folder = tmp_path_factory.mktemp("older")
    venv = tmp_path_factory.mktemp("with pip") / "venv"  # uv's own environments have none
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin/python", "-m", "pip", "download", "-q", "--no-deps", "-d", folder,
                    "jsonschema==4.25.1"], env=stranger, check=True)
    wheel, = folder.glob("*.whl")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    text, n = re.subn(r"^(jsonschema\[\S+\]==)\S+ \\\n(?:    .*\n)+",
                      rf"\g<1>4.25.1 \\\n    --hash=sha256:{digest}\n", text, flags=re.M)
    assert n == 1 and "format-nongpl]==4.25.1" in text
    return text, folder


@pytest.mark.usefixtures("shell")
def test_a_lock_that_is_not_the_newest_still_installs(older, wheels, tmp_path, monkeypatch):
    text, folder = older
    script = script_of(checkout(tmp_path))
    script.LOCK.write_text(text, encoding="utf-8")
    both = tmp_path / "both"
    shutil.copytree(wheels, both)
    shutil.copytree(folder, both, dirs_exist_ok=True)
    monkeypatch.setenv("STUDY_WHEELS", str(both))
    script.provide(script.VENV, script.LOCK)
    assert "jsonschema-4.25.1.dist-info" in script.installed(script.VENV)


@pytest.mark.parametrize("pip", [PIPS[0], PIPS[-1]])
@pytest.mark.usefixtures("shell")
def test_and_so_it_does_where_pip_resolves(pip, older, wheels, tmp_path):
    """conda hands the lock to pip without --no-deps; the extras in the pins hold it together."""
    text, folder = older
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--upgrade",
                    "pip" if pip == "newest" else f"pip=={pip}"], check=True)

    def resolve(text):
        lock = tmp_path / "requirements.lock"
        lock.write_text(text, encoding="utf-8")
        return subprocess.run([python, "-m", "pip", "install", "--dry-run", "--no-index",
                               "--find-links", wheels, "--find-links", folder, "-r", lock],
                              capture_output=True, text=True, check=False)
    done = resolve(text)
    assert done.returncode == 0, done.stderr
    assert "jsonschema-4.25.1" in done.stdout
    if pip == "newest":
        return
    without = resolve(re.sub(r"^(\S+)\[\S+\]==", r"\1==", text, flags=re.M))
    assert without.returncode == 1
    assert "require-hashes" in without.stderr  # so this test can fail
