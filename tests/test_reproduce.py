"""The one command: set-up, messages, folders. No environment is made and nothing installed."""

import builtins
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

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
    return module


@pytest.fixture
def calls(script, monkeypatch):
    """Commands that would have been run; a made environment gets its interpreter."""
    found = []

    def run(command, what, _remedy):
        found.append((what, command))
        if what.startswith("making"):
            shutil.rmtree(command[-1], ignore_errors=True)
            python = script.interpreter(Path(command[-1]))
            python.parent.mkdir(parents=True)
            python.touch()
    monkeypatch.setattr(script, "run", run)
    monkeypatch.setattr(script.shutil, "which", lambda _: None)
    return found


def environment(script, tests=False):
    return script.environment(False, tests, script.VENV)


# --- setting up ---


def test_fingerprint_holds_the_lock_and_the_python_but_no_line_ends(script):
    one = script.fingerprint(script.LOCK)
    script.LOCK.write_bytes(b"synthetic==1\r\n")
    assert script.fingerprint(script.LOCK) == one
    assert one.startswith(f"{sys.version_info[0]}.{sys.version_info[1]} ")
    script.LOCK.write_bytes(b"synthetic==2\n")
    assert script.fingerprint(script.LOCK) != one


def test_first_use_makes_and_installs_later_uses_do_nothing(script, calls):
    python = environment(script)
    assert [what for what, _ in calls] == ["making .venv", "installing requirements.lock"]
    assert calls[0][1] == [sys.executable, "-m", "venv", "--clear", str(script.VENV)]
    assert calls[1][1] == [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                           "--require-hashes", "-r", str(script.LOCK)]
    calls.clear()
    assert environment(script) == python
    assert calls == []
    environment(script, tests=True)
    assert [command[-1] for _, command in calls] == [str(script.TEST_LOCK)]
    calls.clear()
    environment(script, tests=True)
    assert calls == []


def test_uv_is_used_where_it_is(script, calls, monkeypatch):
    monkeypatch.setattr(script.shutil, "which", lambda name: f"/synthetic/{name}")
    python = environment(script)
    assert [command[0] for _, command in calls] == ["/synthetic/uv", "/synthetic/uv"]
    assert calls[0][1][1:3] == ["venv", "--quiet"] and sys.executable in calls[0][1]
    assert calls[1][1][1:6] == ["pip", "install", "--quiet", "--python", python]
    assert "--require-hashes" in calls[1][1]


def test_another_lock_is_installed_into_the_same_environment(script, calls):
    environment(script)
    calls.clear()
    script.LOCK.write_bytes(b"synthetic==2\n")
    environment(script)
    assert [what for what, _ in calls] == ["installing requirements.lock"]


@pytest.mark.parametrize("lost", ["main.stamp", "python"])
def test_an_interrupted_or_broken_environment_is_made_anew(script, calls, lost):
    environment(script)
    calls.clear()
    path = script.interpreter(script.VENV) if lost == "python" else script.VENV / lost
    path.unlink()
    environment(script)
    assert [what for what, _ in calls] == ["making .venv", "installing requirements.lock"]


def test_a_failed_installation_leaves_no_stamp_and_says_what_helps(script, monkeypatch):
    monkeypatch.setattr(script.shutil, "which", lambda _: None)
    monkeypatch.setattr(script, "make_environment", lambda venv: venv.mkdir())
    fails = [sys.executable, "-c", "print('no index'); raise SystemExit(3)"]
    run = script.run
    monkeypatch.setattr(script, "run", lambda _, what, remedy: run(fails, what, remedy))
    with pytest.raises(script.SetupError) as error:
        environment(script)
    first, *tail = str(error.value).splitlines()
    assert first == ("installing requirements.lock failed (exit 3). Is the package index reachable?"
                     " Then try again; what is installed is kept.")
    assert tail == ["no index"]
    assert list(script.VENV.iterdir()) == []


def test_a_failed_step_shows_the_end_of_what_it_printed(script):
    talks = [sys.executable, "-c", "for i in range(40): print('line', i)\nraise SystemExit(1)"]
    with pytest.raises(script.SetupError) as error:
        script.run(talks, "the step", "Do this.")
    lines = str(error.value).splitlines()
    assert lines[0] == "the step failed (exit 1). Do this."
    assert lines[1:] == [f"line {i}" for i in range(28, 40)]
    script.run([sys.executable, "-c", "pass"], "the step", "Do this.")


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


def test_here_means_this_python_and_no_environment(script, calls):
    assert script.environment(True, True, script.VENV) == sys.executable
    assert calls == [] and not script.VENV.exists()


# --- what is run ---


@pytest.fixture
def handed(script, monkeypatch):
    """What the script hands over to: (command, settings, folder)."""
    found = []

    def call(command, env=None, cwd=None):
        found.append((command, env, cwd))
        return 3
    monkeypatch.setattr(script.subprocess, "call", call)
    return found


def test_commands_go_to_the_helper_modules(script, handed, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/synthetic/mine")
    assert script.main(["--here", "data", "--write"]) == 3
    (command, settings, folder), = handed
    assert command == [sys.executable, "-m", "study", "data", "--write"]
    assert folder is None  # paths the user gives are relative to where the user is
    assert settings["PYTHONPATH"].split(os.pathsep) == [
        str(script.ROOT / "notebooks"), str(script.ROOT), "/synthetic/mine"]
    assert settings["PYTHONUTF8"] == "1"


def test_test_goes_to_pytest_in_the_checkout(script, handed, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    script.main(["--here", "test", "-k", "text"])
    (command, settings, folder), = handed
    assert command == [sys.executable, "-m", "pytest", "-k", "text"]
    assert folder == script.ROOT
    assert "" not in settings["PYTHONPATH"].split(os.pathsep)


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
    assert listed == ["test", "data", "agree", "label", "course", "report", "lab"]
    assert "--here" in result.stdout and "STUDY_MIRROR" in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 100


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
    mirror = os.path.relpath(released, tmp_path) if released.drive == tmp_path.drive else released
    result = call("--here", "data", script=elsewhere / "reproduce.py", cwd=tmp_path,
                  STUDY_MIRROR=str(mirror))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("13 tables rebuilt; all equal to data/study, cell by cell\n")
    assert str(tmp_path) not in result.stdout
    assert (elsewhere / "data" / "raw" / "labels.csv").is_file()
    assert not list(elsewhere.rglob("__pycache__"))


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
