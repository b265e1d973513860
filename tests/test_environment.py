"""pyproject.toml, requirements.lock and environment.yml say the same."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name as canonical

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = (ROOT / "environment.yml").read_text(encoding="utf-8")
NAMED_BY_USERS = {"jupyter", "pandas", "matplotlib", "statsmodels", "requests", "pytest"}
LOCKS = ["requirements.lock", "tests/requirements.lock"]
SCALE = {"scale/requirements.lock": "scale", "scale/spark.lock": "spark"}


def lock(path):
    """Package → version, of a lock file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)(?:\[[\w,.-]+\])?==([^\s;\\]+)", text, re.M))


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
    for path, group in SCALE.items():
        assert set(PROJECT["dependency-groups"][group]) <= set(lock(path))


def test_the_main_environment_has_nothing_of_whole_dumps():
    """With pyarrow beside it pandas stores text another way, and bytes change."""
    assert not {"pyarrow", "duckdb", "pyspark"} & set(lock("requirements.lock"))


def test_environment_yml_installs_the_whole_lock_and_nothing_else():
    pip = ENVIRONMENT[ENVIRONMENT.index("- pip:"):].splitlines()[1:]
    assert [line.strip() for line in pip] == ["- -r requirements.lock"]
    conda = ENVIRONMENT[ENVIRONMENT.index("dependencies:"):ENVIRONMENT.index("- pip:")]
    assert re.findall(r"^  - (\S+)$", conda, re.M) == [f"python={oldest()}", "pip"]


def test_the_lock_has_the_packages_users_named():
    assert set(lock("requirements.lock")) >= NAMED_BY_USERS


def oldest():
    """The oldest Python that is supported."""
    return PROJECT["project"]["requires-python"].removeprefix(">=")


def test_environment_yml_can_move_to_another_machine():
    assert "prefix:" not in ENVIRONMENT
    assert not re.search(r"=\S+=", ENVIRONMENT), "a build string ties it to one platform"


def test_no_setting_of_uv_here_adds_to_the_locks():
    """uv reads [tool.uv] of the folder it installs in; a constraint has no hash, so it stops."""
    assert "uv" not in PROJECT["tool"]
    assert not (ROOT / "uv.toml").exists()


def test_both_locks_agree_on_shared_packages():
    main, references = lock("requirements.lock"), lock("tests/requirements.lock")
    assert {n: references[n] for n in references if n in main} == {
        n: main[n] for n in references if n in main}


@pytest.mark.parametrize("path", [*LOCKS, *SCALE])
def test_locks_have_hashes_and_name_no_address(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "://" not in text
    assert "index-url" not in text
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.M)[1:]
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.parametrize("path", LOCKS)
def test_nothing_a_package_needs_is_missing_in_its_lock(path):
    """The requirements that installed packages state, extras of pins included, on this system."""
    text = (ROOT / path).read_text(encoding="utf-8")
    pins = {canonical(name): {canonical(e) for e in extras.split(",") if e} for name, extras in
            re.findall(r"^([\w.-]+)(?:\[([\w,.-]+)\])?==", text, re.M)}
    read = 0
    for name, own in pins.items():
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:  # of another operating system, or not installed
            continue
        read += 1
        for need in map(Requirement, needs):
            if need.marker is None or any(need.marker.evaluate({"extra": e}) for e in own | {""}):
                # The extra is in the pin too: a resolver would else look for it in an index.
                assert {canonical(e) for e in need.extras} <= pins.get(
                    canonical(need.name), {"absent"}), f"{name} needs {need}"
                assert canonical(need.name) in pins, f"{name} needs {need}"
    if path == LOCKS[1] and read < 20:
        pytest.skip("tests/requirements.lock is not installed here")
    assert read > 0.7 * len(pins)


def test_nothing_at_run_time_is_under_the_gpl():
    read = 0
    for name in lock("requirements.lock"):
        try:
            meta = distribution(name).metadata
        except PackageNotFoundError:  # of another operating system
            continue
        words = " ".join([meta.get("License-Expression") or "", (meta.get("License") or "")[:80],
                          *(c for c in meta.get_all("Classifier", []) if "License" in c)])
        read += 1
        assert words.strip(), f"{name} states no licence"
        permissive = re.sub(r"LGPL|Lesser General Public", "", words)
        assert not re.search(r"\bA?GPL|General Public License", permissive), f"{name}: {words}"
    assert read > 100
