"""New categories, codebook versions, and labels carried over."""

import material
import pytest

from study.base.files import publish
from study.extend import folder, versions
from study.extend.workbook import workbook
from study.read.codebook import load_codebook

FAULT = {"issue_type": "fault", "distributed_specific": "1", "stage": "communication setup",
         "fix_pattern": "use tmux", "note": "", "decided_at": ""}


@pytest.fixture
def proposing(started):
    """Both raters propose a symptom for the first thread; one of them another pattern."""
    for number in ("1", "2"):
        tasks = started.tasks(number)
        true = material.truth(tasks)
        for rater in ("R1", "R2"):
            said = dict(true)
            if number == "1":
                said[tasks[0].thread] = [FAULT | {"symptom": "new: Lost  rank",
                                                  "note": "a rank is gone" * (rater == "R1")}]
                if rater == "R2":
                    said[tasks[1].thread] = [FAULT | {"symptom": "setup failure",
                                                      "fix_pattern": "use tmux; new: use screen"}]
            path = started.sheets / f"round{number}-{rater}.xlsx"
            publish(path, workbook(tasks, number, rater, started.codebook(number), said))
    return started


def decide(own, **answers):
    rows = folder.read_csv(own.path("proposals.csv"), versions.PROPOSALS)
    rows = [r | answers.get(r["facet"], {}) for r in rows]
    publish(own.path("proposals.csv"), folder.csv_text(
        versions.PROPOSALS, [list(r.values()) for r in rows]))


ADD = {"decision": "add", "parents": "communication setup", "why": "none fits",
       "definition": "A process is gone."}
USE = {"decision": "use", "name": "Use TMUX", "why": "the same"}


def test_proposals_come_with_raters_threads_and_notes(proposing):
    made = versions.propose(proposing)
    assert [(p["facet"], p["proposed"], p["raters"]) for p in made] == [
        ("fix_pattern", "use screen", "R2"), ("symptom", "lost rank", "R1;R2")]
    assert made[1]["threads"] == proposing.tasks("1")[0].thread
    assert made[1]["notes"] == "a rank is gone"


def test_a_new_version_keeps_the_old_rounds_readable(proposing):
    versions.propose(proposing)
    decide(proposing, symptom=ADD, fix_pattern=USE)
    assert versions.accept(proposing) == "2"
    book = proposing.codebook()
    assert book.version == "2" and book.entry("symptom", "lost rank").parents
    assert len(book.names("symptom")) == len(load_codebook().names("symptom")) + 1
    assert proposing.codebook("1").version == load_codebook().version
    walk = versions.crosswalk(proposing)
    assert versions.carried("symptom", "new: lost rank", walk, book) == "lost rank"
    assert versions.carried("fix_pattern", "new: use screen;use docker", walk, book) == (
        "use docker;use tmux")
    assert versions.propose(proposing) == []  # nothing is open any more


@pytest.mark.parametrize(("answers", "says"), [
    ({}, "decision ''"),
    ({"symptom": ADD | {"definition": ""}, "fix_pattern": USE}, "definition is blank"),
    ({"symptom": ADD | {"parents": ""}, "fix_pattern": USE}, "parents is blank"),
    ({"symptom": ADD | {"parents": "nowhere"}, "fix_pattern": USE}, "parent 'nowhere'"),
    ({"symptom": ADD | {"name": "hang"}, "fix_pattern": USE}, "in the codebook already"),
    ({"symptom": ADD, "fix_pattern": USE | {"name": "use nothing"}}, "is no fix pattern"),
    ({"symptom": ADD | {"why": ""}, "fix_pattern": USE}, "why is blank"),
])
def test_what_is_missing_is_said_and_nothing_is_left_behind(proposing, answers, says):
    versions.propose(proposing)
    decide(proposing, **answers)
    with pytest.raises(ValueError, match=says):
        versions.accept(proposing)
    assert not proposing.path("codebook-2.toml").exists()
    assert not proposing.path("crosswalk.csv").exists()


def test_a_renamed_entry_takes_the_place_of_the_old_one(tmp_path):
    path = tmp_path / "codebook-2.toml"
    publish(path, 'extends = "study"\nversion = "2"\n[[symptom]]\nname = "stall"\n'
                  'renamed_from = ["hang"]\nparents = ["communication setup"]\n')
    book = load_codebook(path)
    assert book.resolve("symptom", "hang") == ("stall", "rename")
    assert "hang" not in book.names("symptom")


def test_a_codebook_that_extends_itself_is_refused(tmp_path):
    path = tmp_path / "codebook-2.toml"
    publish(path, 'extends = "codebook-2.toml"\nversion = "2"\n')
    with pytest.raises(ValueError, match="extends itself"):
        load_codebook(path)
