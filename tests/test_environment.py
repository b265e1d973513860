"""pyproject.toml, requirements.lock and environment.yml say the same."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = (ROOT / "environment.yml").read_text(encoding="utf-8")
NAMED_BY_USERS = {"jupyter", "pandas", "matplotlib", "statsmodels", "requests", "pytest"}


def lock(path):
    """Package → version, of a lock file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.M))


def declared(*groups):
    """Names pyproject.toml declares at run time and in the groups named."""
    names = list(PROJECT["project"]["dependencies"])
    for group in groups:
        names += PROJECT["dependency-groups"][group]
    return set(names)


def test_every_declared_package_is_locked():
    assert declared("test") <= set(lock("requirements.lock"))
    references = set(PROJECT["dependency-groups"]["references"])
    assert references <= set(lock("tests/requirements.lock"))


def test_environment_yml_pins_what_the_lock_pins():
    pins = dict(re.findall(r"^ {6}- ([\w.-]+)==(\S+)$", ENVIRONMENT, re.M))
    locked = lock("requirements.lock")
    assert set(pins) == declared("test")
    assert pins == {name: locked[name] for name in pins}


def test_environment_yml_has_the_packages_users_named():
    pins = set(re.findall(r"^ {6}- ([\w.-]+)==", ENVIRONMENT, re.M))
    assert pins >= NAMED_BY_USERS


def test_environment_yml_asks_for_the_oldest_supported_python():
    wanted = re.search(r"python=(\d+\.\d+)", ENVIRONMENT)[1]
    assert PROJECT["project"]["requires-python"] == f">={wanted}"


def test_environment_yml_can_move_to_another_machine():
    assert "prefix:" not in ENVIRONMENT
    assert not re.search(r"==\S+=", ENVIRONMENT), "a build string ties it to one platform"


def test_both_locks_agree_on_shared_packages():
    main, references = lock("requirements.lock"), lock("tests/requirements.lock")
    assert {n: references[n] for n in references if n in main} == {
        n: main[n] for n in references if n in main}


@pytest.mark.parametrize("path", ["requirements.lock", "tests/requirements.lock"])
def test_locks_have_hashes_and_name_no_address(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "://" not in text
    assert "index-url" not in text
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.M)[1:]
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)


def test_nothing_at_run_time_is_under_the_gpl():
    for name in lock("requirements.lock"):
        try:
            meta = distribution(name).metadata
        except PackageNotFoundError:  # of another operating system
            continue
        words = " ".join([meta.get("License-Expression") or "", (meta.get("License") or "")[:80],
                          *(c for c in meta.get_all("Classifier", []) if "License" in c)])
        permissive = re.sub(r"LGPL|Lesser General Public", "", words)
        assert not re.search(r"\bA?GPL|General Public License", permissive), f"{name}: {words}"
