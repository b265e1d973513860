"""What the tests of the extension share: a synthetic snapshot, labels, filled sheets."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve()
# The fake of both APIs lies with the tests of the mining scripts.
sys.path[:0] = [str(HERE.parents[1] / "mining"), str(HERE.parent)]

import material  # noqa: E402

from study.base import paths  # noqa: E402
from study.extend import folder  # noqa: E402


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory):
    """A mined snapshot of a framework that exists only as one TOML file."""
    return material.mined(tmp_path_factory.mktemp("mined"))


@pytest.fixture
def extensions(tmp_path, monkeypatch):
    """An empty folder in place of ``data/extensions``."""
    monkeypatch.setattr(paths, "EXTENSIONS", tmp_path / "extensions")
    return tmp_path / "extensions"


@pytest.fixture
def started(snapshot, extensions):  # noqa: ARG001
    """An extension with blank sheets: 60 threads, two rounds, two raters."""
    from study.extend.start import start
    start("moelib", snapshot, 60, rounds=2)
    return folder.extension("moelib")
