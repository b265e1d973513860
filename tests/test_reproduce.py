"""The one command: set-up, messages, folders. No environment is made and nothing installed."""

import builtins
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from ctrlc import hears_ctrl_c

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def script(tmp_path):
    """reproduce.py as a module, with its folders in a place of their own."""
    spec = importlib.util.spec_from_file_location("reproduce", ROOT / "reproduce.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ROOT = tmp_path
    module.VENV = tmp_path / ".venv"
    module.LOCK = tmp_path / "requirements.lock"
    module.TEST_LOCK = tmp_path / "tests" / "requirements.lock"
    module.TEST_LOCK.parent.mkdir()
    for lock in (module.LOCK, module.TEST_LOCK):
        lock.write_bytes(b"synthetic==1\n")
    (tmp_path / "pyproject.toml").write_text(
        "[project]\ndependencies = ['main-module']\n[dependency-groups]\n"
        "test = ['test-module']\nreferences = ['scikit-learn']\n", encoding="utf-8")
    return module


@pytest.fixture
def calls(script, monkeypatch):
    """Commands that would have been run; a made environment gets its interpreter."""
    found = []

    def run(command, what, _remedy, _settings=None):
        found.append((what, command))
        if what.startswith("making"):
            shutil.rmtree(command[-1], ignore_errors=True)
            python = script.interpreter(Path(command[-1]))
            python.parent.mkdir(parents=True)
            python.touch()
        if what.startswith("installing"):
            (script.packages(script.VENV) / "synthetic-1.dist-info").mkdir(parents=True,
                                                                           exist_ok=True)
        return []
    script.real_run = script.run
    monkeypatch.setattr(script, "run", run)
    monkeypatch.setattr(script.shutil, "which", lambda _: None)
    return found


def environment(script, tests=False):
    return script.provide(script.VENV, script.LOCK, *([script.TEST_LOCK] if tests else []))


# --- setting up ---


def test_fingerprint_holds_the_lock_and_the_python_but_no_line_ends(script):
    one = script.fingerprint(script.LOCK)
    script.LOCK.write_bytes(b"synthetic==1\r\n")
    assert script.fingerprint(script.LOCK) == one
    assert one.startswith(f"{sys.version_info[0]}.{sys.version_info[1]} ")
    script.LOCK.write_bytes(b"synthetic==2\n")
    assert script.fingerprint(script.LOCK) != one


FIRST = ["making .venv", "reading pip's settings", "installing requirements.lock",
         "checking requirements.lock", "importing what requirements.lock installed"]
TESTS = ["reading pip's settings", "installing tests/requirements.lock",
         "checking tests/requirements.lock", "importing what tests/requirements.lock installed"]


def test_first_use_makes_and_installs_later_uses_do_nothing(script, calls):
    python = environment(script)
    assert [what for what, _ in calls] == FIRST
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    assert [command for _, command in calls] == [
        [sys._base_executable, "-m", "venv", "--clear", str(script.VENV)],
        [*pip, "config", "list"],
        [*pip, "install", "--no-deps", "--require-hashes", "--only-binary", ":all:",
         "-r", str(script.LOCK)],
        [*pip, "check"],
        [python, "-I", "-c", "import main_module\nimport test_module"]]
    calls.clear()
    assert environment(script) == python
    assert calls == []
    environment(script, tests=True)
    assert [what for what, _ in calls] == TESTS
    assert calls[-1][1][-1] == "import sklearn"
    calls.clear()
    environment(script, tests=True)
    assert calls == []


def test_uv_is_used_where_it_is(script, calls, monkeypatch):
    monkeypatch.setattr(script.shutil, "which", lambda name: f"/synthetic/{name}")
    python = environment(script)
    uv = "/synthetic/uv"
    assert [command for _, command in calls] == [
        [uv, "venv", "--quiet", "--clear", "--python", sys._base_executable, str(script.VENV)],
        [uv, "pip", "install", "--python", python, "--no-deps", "--require-hashes",
         "--only-binary", ":all:", "-r", str(script.LOCK)],
        [uv, "pip", "check", "--python", python],
        [python, "-I", "-c", "import main_module\nimport test_module"]]


def test_another_lock_starts_anew(script, calls):
    environment(script, tests=True)
    calls.clear()
    script.TEST_LOCK.write_bytes(b"synthetic==2\n")
    environment(script)  # does not concern this command
    assert calls == []
    environment(script, tests=True)
    assert [what for what, _ in calls] == FIRST + TESTS
    calls.clear()
    script.LOCK.write_bytes(b"synthetic==2\n")
    environment(script)
    assert [what for what, _ in calls] == FIRST


@pytest.mark.parametrize("lost", ["main.stamp", "python", "package", "half a stamp", "version"])
def test_an_interrupted_or_broken_environment_is_made_anew(script, calls, lost):
    environment(script)
    calls.clear()
    stamp = script.VENV / "main.stamp"
    if lost == "python":
        script.interpreter(script.VENV).unlink()
    elif lost == "package":  # deleted, or replaced by another version
        (script.packages(script.VENV) / "synthetic-1.dist-info").rename(
            script.packages(script.VENV) / "synthetic-2.dist-info")
    elif lost == "main.stamp":
        stamp.unlink()
    elif lost == "version":
        stamp.write_text(stamp.read_text(encoding="utf-8").replace("3.", "2.", 1),
                         encoding="utf-8")
    else:
        stamp.write_bytes(stamp.read_bytes()[:20])
    environment(script)
    assert [what for what, _ in calls] == FIRST


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_an_environment_that_is_a_link_is_left_alone(script, tmp_path):
    theirs = tmp_path / "another checkout"
    theirs.mkdir()
    (theirs / "pyvenv.cfg").write_text("synthetic", encoding="utf-8")
    script.VENV.symlink_to(theirs, target_is_directory=True)
    with pytest.raises(script.SetupError, match=r"\.venv is a link .* nothing there is touched"):
        script.provide(script.VENV, script.LOCK)
    assert [p.name for p in theirs.iterdir()] == ["pyvenv.cfg"]


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("step", FIRST)
def test_a_step_that_fails_leaves_no_stamp_and_says_what_helps(script, monkeypatch, step):
    quiet, real = script.run, script.real_run

    def run(command, what, remedy, settings=None):
        if what != step:
            return quiet(command, what, remedy, settings)
        return real([sys.executable, "-c", "print('no luck'); raise SystemExit(3)"], what, remedy,
                    dict(os.environ))
    monkeypatch.setattr(script, "run", run)
    with pytest.raises(script.SetupError) as error:
        environment(script)
    first, *tail = str(error.value).splitlines()
    assert first.startswith(f"{step} failed (exit 3). ") and len(first) > len(step) + 30
    assert tail == ["no luck"]
    assert not (script.VENV / "main.stamp").exists()


def test_a_full_disk_is_named(script):
    full = [sys.executable, "-c", "print('OSError: [Errno 28] No space left on device');exit(1)"]
    with pytest.raises(script.SetupError) as error:
        script.run(full, "installing it", "Is the index reachable?", dict(os.environ))
    assert str(error.value).splitlines()[0] == (
        "installing it failed (exit 1). The disk is full; make room for 1 GB and try again.")


def test_a_failed_step_shows_the_end_of_what_it_printed(script):
    talks = [sys.executable, "-c", "for i in range(40): print('line', i)\nraise SystemExit(1)"]
    with pytest.raises(script.SetupError) as error:
        script.run(talks, "the step", "Do this.")
    lines = str(error.value).splitlines()
    assert lines[0] == "the step failed (exit 1). Do this."
    assert lines[1:] == [f"line {i}" for i in range(28, 40)]
    assert script.run([sys.executable, "-c", "print(1)"], "the step", "Do this.") == ["1"]


def test_a_slow_step_says_how_far_it_is(script, capsys):
    slow = [sys.executable, "-u", "-c", "for i in range(3): print('Collecting', i)\n"
            "print('  Downloading https://example.org/a/b/synthetic (35 MB)')"]
    script.run(slow, "the step", "Do this.", patience=-1)
    told = capsys.readouterr().err.splitlines()
    assert [re.sub(r"^ +\d+ s: ", "", line) for line in told] == [
        "1 packages, Collecting 0", "2 packages, Collecting 1", "3 packages, Collecting 2",
        "3 packages, Downloading synthetic (35 MB)"]


# --- what a user has set ---

LEAKS = {"PIP_USER": "1", "PIP_TARGET": "/synthetic", "PIP_PREFIX": "/synthetic",
         "PIP_ROOT": "/synthetic", "PIP_DRY_RUN": "1", "PYTHONHOME": "/synthetic",
         "PYTHONPATH": "/synthetic", "VIRTUAL_ENV": "/synthetic", "CONDA_PREFIX": "/synthetic",
         "PIP_CONSTRAINT": "/synthetic", "PIP_REQUIRE_VIRTUALENV": "1", "UV_SYSTEM_PYTHON": "1",
         "UV_PROJECT_ENVIRONMENT": "/synthetic", "UV_NO_BINARY": "1"}
STAYS = {"PIP_INDEX_URL": "https://example.org/a", "PIP_CERT": "/synthetic.pem",
         "PIP_PROXY": "http://example.org:1", "UV_DEFAULT_INDEX": "https://example.org/b",
         "UV_EXTRA_INDEX_URL": "https://example.org/c", "UV_NATIVE_TLS": "1",
         "HTTPS_PROXY": "http://example.org:2", "SSL_CERT_FILE": "/synthetic.pem"}


@pytest.fixture(scope="module")
def pip(tmp_path_factory):
    """A pip: this environment's, or, where uv made it, that of another."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    venv = tmp_path_factory.mktemp("with pip") / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    return [str(venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")), "-m", "pip"]


@pytest.fixture
def configured(script, pip, tmp_path, monkeypatch):
    """Settings handed to a pip under a user's pip.conf; its text is the argument."""
    for name in [n for n in os.environ if n.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)

    def settings(text="", **variables):
        (tmp_path / "pip.conf").write_text(text, encoding="utf-8")
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return script.clean_settings(pip)
    return settings


def test_only_index_and_network_of_a_users_variables_reach_the_installer(configured):
    found = configured(**STAYS, **{k: v for k, v in LEAKS.items() if k != "PYTHONHOME"})
    assert not set(LEAKS) & set(found)
    assert {k: found.get(k) for k in STAYS} == STAYS
    assert found["PIP_CONFIG_FILE"] == os.devnull


def test_a_home_of_another_python_is_taken_away(script, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/synthetic")
    assert "PYTHONHOME" not in script.clean_settings()


def test_only_index_and_network_of_a_users_pip_conf_reach_the_installer(configured):
    found = configured("[global]\nuser = yes\ntarget = /synthetic\n"
                       "index-url = https://example.org/a\ncert = /a b.pem\n"
                       "[install]\nroot = /x\nproxy = http://example.org:1\n"
                       "[download]\ncert = /no.pem\n", PIP_CERT="/nearer.pem")
    own = {k: v for k, v in found.items() if k.startswith("PIP_")}
    assert own.pop("PIP_CERT") == "/nearer.pem"  # a variable counts more than a file
    # What this machine's own files say beside that is about index and network too.
    assert {"PIP_USER", "PIP_TARGET", "PIP_ROOT"}.isdisjoint(own)
    assert own["PIP_INDEX_URL"] == "https://example.org/a"
    assert own["PIP_PROXY"] == "http://example.org:1"


def test_a_bundle_stands_for_every_index(script, configured, monkeypatch, tmp_path):
    monkeypatch.setenv("STUDY_WHEELS", str(tmp_path))
    found = configured("[global]\nfind-links = /synthetic\n", **STAYS)
    assert not [k for k in found if re.search("INDEX|FIND_LINKS", k)]
    assert found["PIP_CERT"] == "/synthetic.pem"
    assert script.wheels() == ["--no-index", "--find-links", str(tmp_path)]


def test_a_bundle_that_is_none_is_told(script, monkeypatch):
    monkeypatch.setenv("STUDY_WHEELS", "nowhere")
    with pytest.raises(script.SetupError, match=r"^STUDY_WHEELS=nowhere is no folder; name one"):
        script.wheels()


def test_a_broken_pip_conf_is_told(configured, script):
    with pytest.raises(script.SetupError, match=r"^reading pip's settings failed .* Mend pip's"):
        configured("this is no configuration\n")


# --- one at a time ---

HOLDER = """
import importlib.util, subprocess, sys, time
spec = importlib.util.spec_from_file_location("reproduce", sys.argv[1])
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
with script.alone():
    print("mine", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the checkout in which the copied script lies."""
    copy = tmp_path / "copy" / "reproduce.py"
    copy.parent.mkdir()
    shutil.copyfile(ROOT / "reproduce.py", copy)
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(copy)], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == "mine\n"
    with process:
        yield process, copy
        process.kill()


def test_a_second_run_says_that_it_waits_and_goes_on(holder):
    process, copy = holder
    second = subprocess.Popen([sys.executable, "-c", HOLDER, str(copy)], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    with second:
        assert second.stderr.readline() == ("another run is at work in this folder; waiting for "
                                            "it (Ctrl-C stops)\n")
        assert second.poll() is None
        process.kill()  # however it ends
        assert second.stdout.readline() == "mine\n"
        second.communicate("\n")
    assert second.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_waiting_can_be_stopped(holder, number, code):
    _, copy = holder
    # Where these tests run in the background of a shell, SIGINT would be ignored.
    waits = subprocess.Popen([sys.executable, str(copy), "--here"], text=True,
                             stderr=subprocess.PIPE,
                             preexec_fn=hears_ctrl_c)
    with waits:
        assert "waiting" in waits.stderr.readline()
        waits.send_signal(number)
        assert waits.stderr.read() == ("reproduce.py: stopped; the same command goes on from "
                                       "here\n")
    assert waits.returncode == code


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() != 0,
                    reason="only root can be somebody else for a while")
@pytest.mark.parametrize("owned", [".venv", "the folder"])
def test_what_belongs_to_somebody_else_is_told_in_one_line(owned):
    with tempfile.TemporaryDirectory(dir="/tmp") as home:  # nobody may enter pytest's own
        Path(home).chmod(0o777 if owned == ".venv" else 0o755)
        copy = shutil.copyfile(ROOT / "reproduce.py", Path(home, "reproduce.py"))
        Path(home, "requirements.lock").touch()
        if owned == ".venv":
            Path(home, ".venv").mkdir()
        before = sorted(Path(home).iterdir())
        done = subprocess.run(["/usr/bin/env", "python3", str(copy), "data"], user=65534,
                              capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "HOME": home})
        if "python3" in done.stderr or "3.11 or newer" in done.stderr:
            pytest.skip("no Python that everybody may run")
        assert (done.returncode, done.stdout) == (2, "")
        line, = done.stderr.splitlines()
        assert line.startswith("reproduce.py: .venv is not finished, and belongs to somebody else"
                               if owned == ".venv" else
                               "reproduce.py: .venv cannot be made: this folder may not be")
        assert sorted(Path(home).iterdir()) == before


def test_a_python_without_ensurepip_is_told_the_line_that_mends_it(script, calls, monkeypatch):
    real = builtins.__import__

    def without(name, *more):
        if name == "ensurepip":
            raise ImportError(name)
        return real(name, *more)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(script.SetupError) as error:
        environment(script)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"sudo apt install python{version}-venv" in str(error.value)
    assert "pip install uv" in str(error.value) and "--here" in str(error.value)
    assert calls == [] and not script.VENV.exists()


def test_where_the_interpreter_is(script, monkeypatch):
    assert script.interpreter(PurePosixPath("a b/.venv")).as_posix() == (
        "a b/.venv/Scripts/python.exe" if os.name == "nt" else "a b/.venv/bin/python")

    class Named:
        """The module os under another name, so that pathlib keeps its own."""

        name = "nt"
    monkeypatch.setattr(script, "os", Named)
    assert str(script.interpreter(PureWindowsPath("a b/.venv"))) == (
        "a b\\.venv\\Scripts\\python.exe")
    Named.name = "posix"
    assert str(script.interpreter(PurePosixPath(".venv"))) == ".venv/bin/python"


# --- what is run ---


@pytest.fixture
def handed(script, monkeypatch):
    """What the script hands over to: (command, settings, folder)."""
    found = []

    def hand_over(command, settings, folder=None):
        found.append((command, settings, folder))
        return 3
    monkeypatch.setattr(script, "hand_over", hand_over)
    return found


def test_commands_go_to_the_helper_modules(script, handed, calls, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/synthetic/mine")
    monkeypatch.setenv("PYTHONHOME", "/synthetic/home")
    assert script.main(["data", "--write"]) == 3
    (command, settings, folder), = handed
    assert command == [str(script.interpreter(script.VENV)), "-m", "study", "data", "--write"]
    assert folder is None  # paths the user gives are relative to where the user is
    # A package on the user's own path would come before the one in .venv.
    assert settings["PYTHONPATH"].split(os.pathsep) == [
        str(script.ROOT / "notebooks"), str(script.ROOT)]
    assert "PYTHONHOME" not in settings
    assert settings["PYTHONUTF8"] == "1"
    assert [what for what, _ in calls] == FIRST


def test_here_means_this_python_as_it_is_and_no_environment(script, handed, calls, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/synthetic/mine")
    assert script.main(["--here", "data"]) == 3
    (command, settings, _), = handed
    assert command == [sys.executable, "-m", "study", "data"]
    assert settings["PYTHONPATH"].split(os.pathsep) == [
        str(script.ROOT / "notebooks"), str(script.ROOT), "/synthetic/mine"]
    assert calls == [] and not script.VENV.exists()


def test_test_goes_to_pytest_in_the_checkout(script, handed, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    script.main(["--here", "test", "-k", "text"])
    (command, settings, folder), = handed
    assert command == [sys.executable, "-m", "pytest", "-k", "text"]
    assert folder == script.ROOT
    assert "" not in settings["PYTHONPATH"].split(os.pathsep)


@pytest.mark.usefixtures("calls")
def test_all_tests_run_on_all_processors_where_that_is_installed(script, handed, monkeypatch):
    options = ["-n", "auto", "--dist", "loadscope"]
    script.main(["test"])
    assert handed[0][0][1:] == ["-m", "pytest", *options]
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    script.main(["--here", "test"])
    assert handed[1][0][1:] == ["-m", "pytest"]


def test_what_writes_results_runs_alone(script, monkeypatch):
    held = []
    monkeypatch.setattr(script, "hand_over", lambda *_: held.append(len(script.HELD)))
    for arguments in ([], ["--restore"], ["agree", "a.csv"]):
        script.main(["--here", *arguments])
    assert held == [1, 1, 0]
    assert script.HELD == []


def test_an_old_python_is_told_so(script, handed, monkeypatch):
    monkeypatch.setattr(script.sys, "version_info", (3, 10, 4, "final", 0))
    monkeypatch.setattr(script.sys, "version", "3.10.4 (synthetic)")
    with pytest.raises(script.SetupError) as error:
        script.main(["data"])
    assert str(error.value) == ("Python 3.11 or newer is needed; this is 3.10.4. Call it with a "
                                "newer one.")
    assert handed == []
    assert script.main(["--help"]) == 0  # help is for everyone


def test_the_script_imports_the_standard_library_only():
    text = (ROOT / "reproduce.py").read_text(encoding="utf-8")
    names = set(re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.M))
    assert names <= sys.stdlib_module_names


# --- as a user calls it ---


def call(*arguments, cwd=None, script=ROOT / "reproduce.py", **settings):
    return subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True,
                          encoding="utf-8", cwd=cwd, env={**os.environ, **settings})


@pytest.mark.parametrize("word", ["--help", "-h", "help"])
def test_help_names_every_command(word, tmp_path):
    result = call(word, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    listed = re.findall(r"^  ([a-z]+) ", result.stdout, re.M)
    assert listed == ["test", "data", "agree", "label", "course", "report", "lab", "scale",
                      "bundle"]
    assert all(w in result.stdout for w in ("--here", "STUDY_MIRROR", "STUDY_WHEELS"))
    assert max(map(len, result.stdout.splitlines())) < 100


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["-h"], 0), (["--Spark"], 2)])
def test_scale_says_how_it_is_called(script, capsys, arguments, code):
    assert script.scale(arguments) == code
    said = capsys.readouterr().err
    assert said.startswith("usage: python reproduce.py scale [--spark]\n")


@pytest.mark.parametrize("arguments", [[], ["--spark"]])
def test_scale_makes_an_environment_of_its_own(script, monkeypatch, capsys, arguments):
    asked = []
    monkeypatch.setattr(script, "provide",
                        lambda *given: asked.append(given) or ".venv-scale/bin/python")
    assert script.scale(arguments) == 0
    (venv, *locks), = asked
    assert venv.name == ".venv-scale"
    assert locks == [script.SCALE_LOCK, script.SPARK_LOCK][:1 + len(arguments)]
    assert capsys.readouterr().out.startswith("Ready: .venv-scale")


def test_every_command_there_is_stands_in_the_help(script):
    from study.__main__ import COMMANDS
    listed = set(re.findall(r"^  ([a-z]+) ", script.HELP, re.M))
    assert set(COMMANDS) - {"all"} <= listed


def test_a_wrong_command_ends_with_one_line(tmp_path):
    result = call("--here", "nonsense", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "reproduce.py: no command 'nonsense'; python reproduce.py --help lists them\n")


def test_a_wrong_option_ends_with_the_usage():
    result = call("--here", "data", "--nonsense")
    assert result.returncode == 2
    assert "reproduce.py data: error: unrecognized arguments: --nonsense" in result.stderr
    assert "Traceback" not in result.stderr


def test_wrong_input_ends_with_one_line(tmp_path):
    result = call("--here", "data", cwd=tmp_path, STUDY_MIRROR="nowhere")
    assert result.returncode == 2
    assert result.stderr == (
        "reproduce.py: STUDY_MIRROR=nowhere is no folder; name one that holds the authors' files "
        "under their own paths, or a base address\n")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def elsewhere(tmp_path):
    """A copy of the code in a folder with a blank in its name."""
    folder = tmp_path / "a b"
    (folder / "notebooks").mkdir(parents=True)
    shutil.copyfile(ROOT / "reproduce.py", folder / "reproduce.py")
    shutil.copytree(ROOT / "notebooks" / "study", folder / "notebooks" / "study",
                    ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", folder / "data", ignore=shutil.ignore_patterns("raw"))
    return folder


def test_in_a_folder_with_a_blank_in_its_name_and_from_another_one(elsewhere, tmp_path):
    result = call("--here", "data", "--help", script=elsewhere / "reproduce.py", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("usage: reproduce.py data [-h] [--write]")


def test_counts_are_rebuilt_in_a_folder_with_a_blank_in_its_name(elsewhere, released, tmp_path):
    before = set(elsewhere.rglob("*"))
    mirror = os.path.relpath(released, tmp_path) if released.drive == tmp_path.drive else released
    result = call("--here", "data", script=elsewhere / "reproduce.py", cwd=tmp_path,
                  STUDY_MIRROR=str(mirror))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("14 tables rebuilt; all equal to data/study, cell by cell\n")
    assert str(tmp_path) not in result.stdout
    assert (elsewhere / "data" / "raw" / "labels.csv").is_file()
    made = {p.relative_to(elsewhere) for p in set(elsewhere.rglob("*")) - before}
    assert {p for p in made if "__pycache__" not in p.parts and p.parts[:2] != ("data", "raw")
            } == set()


def test_a_python_without_the_packages_is_told_so(elsewhere):
    # -S leaves out site-packages: this Python as it is, with nothing installed.
    result = subprocess.run(
        [sys.executable, "-S", "-m", "study", "data"], capture_output=True, text=True,
        encoding="utf-8", cwd=elsewhere / "notebooks",
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
    assert result.returncode == 2
    assert re.fullmatch(r"reproduce\.py: this Python lacks the package '\w+'; leave --here out, or "
                        r"make an environment from environment\.yml first\n", result.stderr)


def test_stopping_says_so_without_a_traceback(tmp_path):
    text = (ROOT / "reproduce.py").read_text(encoding="utf-8")
    stopped = tmp_path / "reproduce.py"
    stopped.write_text(text.replace('    here = "--here" in arguments\n',
                                    "    raise KeyboardInterrupt\n"), encoding="utf-8")
    result = call(script=stopped)
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr == "reproduce.py: stopped; the same command goes on from here\n"


def test_a_failed_set_up_ends_with_exit_2_and_no_traceback(tmp_path):
    text = (ROOT / "reproduce.py").read_text(encoding="utf-8")
    copy = tmp_path / "reproduce.py"
    copy.write_text(text.replace(
        "def make_environment(venv):\n",
        "def make_environment(venv):\n"
        "    run([sys.executable, '-c', 'raise SystemExit(9)'], 'making it', 'Try again.')\n"),
        encoding="utf-8")
    result = call("data", script=copy)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "reproduce.py: making it failed (exit 9). Try again.\n"
    assert not (tmp_path / ".venv").exists()
