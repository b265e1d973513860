"""What the tests of the extension share: a synthetic snapshot, labels, filled sheets."""

import shutil
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


@pytest.fixture(scope="session")
def template(snapshot, tmp_path_factory):
    """An extension with blank sheets, to be copied: 60 threads, two rounds, two raters."""
    from study.extend.start import start
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "EXTENSIONS", tmp_path_factory.mktemp("template"))
        start("moelib", snapshot, 60, rounds=2)
        return paths.EXTENSIONS / "moelib"


@pytest.fixture
def started(template, extensions):
    """A copy of it that a test may change."""
    shutil.copytree(template, extensions / "moelib")
    return folder.extension("moelib")


@pytest.fixture
def filled(started):
    """Tasks of round 1 and each rater's answers, with notes, days, a proposal, undecided."""
    tasks = started.tasks("1")
    true = material.truth(tasks)
    said = {r: material.rated(true, r) for r in ("R1", "R2")}
    first, second, third = (tasks[i].thread for i in (0, 1, 2))
    said["R1"][first][0] |= {"note": "=1+1 is no formula; it's a note", "decided_at": "2026-02-03"}
    said["R1"][second] = [{"issue_type": "fault", "distributed_specific": "1", "group": "",
                           "stage": "communication setup", "symptom": "new: lost rank",
                           "fix_pattern": "use docker;use tmux", "note": "",
                           "decided_at": "2026-02-03"}]
    said["R2"][third] = [{"issue_type": "fault", "distributed_specific": "undecided",
                          "stage": "training & evaluation", "group": "undecided",
                          "symptom": "undecided", "fix_pattern": "undecided", "note": "?",
                          "decided_at": ""}]
    return tasks, said
