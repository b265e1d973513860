"""The whole way for a framework that exists only as one TOML file, by commands alone."""

import csv
import random

import material
import plant
import pytest

from study.base import paths
from study.base.files import publish
from study.extend import folder
from study.extend.adjudicate import disagreements
from study.extend.adjudicate import workbook as decisions_book
from study.extend.cli import main
from study.extend.decided import decisions_file
from study.extend.handed_in import read_round
from study.extend.workbook import workbook
from study.read.codebook import FACETS, UNDECIDED
from study.read.form import NOT_RELEVANT
from study.tabulate.tables import COLUMNS, load_study

NAME = "moelib"


@pytest.fixture(scope="module")
def way(snapshot, tmp_path_factory):
    """The extension after every step, and what the steps printed."""
    patch = pytest.MonkeyPatch()
    root = tmp_path_factory.mktemp("way")
    patch.setattr(paths, "EXTENSIONS", root)
    assert main(["new", NAME, "--from", str(snapshot), "--n", "90", "--raters", "R1", "R2",
                 "--rounds", "3"]) == 0
    own = folder.extension(NAME)
    true = material.truth(own.tasks())
    for number in own.plan["rounds"]:
        for rater in own.plan["raters"]:
            fill(own, number, rater, material.rated(true, rater))
    yield own, true
    patch.undo()


def fill(own, number, rater, said):
    """A rater fills in the sheet of one round and saves it."""
    tasks = own.tasks(number)
    publish(own.sheets / f"round{number}-{rater}.xlsx",
            workbook(tasks, number, rater, own.codebook(number), said, own.plan["title"]))


def decide_all(own, true):
    """Both raters settle every disagreement by the truth."""
    for number in own.plan["rounds"]:
        checked = read_round(own, number)
        decisions = {}
        for entry in disagreements(checked):
            thread, _, n = entry["item"].rpartition("/")
            issues = true[thread]
            if entry["facet"] == "counted":
                label = "yes" if int(n) <= len(issues) else "no"
            else:
                label = issues[min(int(n), len(issues)) - 1].get(entry["facet"], "")
            decisions[entry["item"], entry["facet"]] = (
                (label, "R1 and R2", "synthetic: as made up") if label else ("", "", ""))
        publish(decisions_file(own, number), decisions_book(
            disagreements(checked), own.plan["raters"], number, own.tasks(number),
            own.codebook(number), decisions))


def test_every_step(way, capsys, tmp_path):
    own, true = way
    plan = own.plan
    assert plan["n"] == 90 and sum(plan["rounds"].values()) == 90
    assert len(own.tasks()) == 90

    # A rater hands in a sheet with faults: they are all found, the others not touched.
    path = own.sheets / "round1-R1.xlsx"
    good = path.read_bytes()
    book = plant.Book(path, random.Random(5))
    planters = [p for p in plant.CELLS if p.number in (3, 6, 7, 27)]
    for one in planters:
        one(book)
    book.save()
    assert main(["check", NAME, "--round", "1", "--out", str(tmp_path / "found.csv")]) == 2
    with (tmp_path / "found.csv").open(encoding="utf-8", newline="") as stream:
        found = [r for r in csv.DictReader(stream) if r["severity"] == "error"]
    assert len(found) == len(planters)
    with pytest.raises(ValueError, match=r"errors? in the sheets"):
        main(["agree", NAME])
    path.write_bytes(good)
    assert main(["check", NAME]) == 0
    assert "0 errors" in capsys.readouterr().out

    assert main(["agree", NAME]) == 0
    said = capsys.readouterr().out
    assert len([x for x in said.splitlines() if "R1-R2   symptom " in x]) == 3
    assert "issue_type" in said

    with pytest.raises(ValueError, match="not decided yet"):
        main(["counts", NAME])
    assert main(["adjudicate", NAME]) == 0
    with pytest.raises(ValueError, match=r"errors? in the decisions"):
        main(["counts", NAME])
    assert main(["check", NAME, "--decisions"]) == 2
    capsys.readouterr()
    decide_all(own, true)
    assert main(["check", NAME, "--decisions"]) == 0
    with pytest.raises(ValueError, match="after the discussion"):
        main(["agree", NAME, str(decisions_file(own, "1"))])

    assert main(["counts", NAME]) == 0
    study = load_study(NAME)
    expected = [i for issues in true.values() for i in issues]
    faults = [i for i in expected if i["issue_type"] == "fault"]
    asked = [i for i in expected if i["issue_type"] == "how-to question"]
    # Issues that both raters missed are in nobody's sheet.
    missed = len(expected) - len(faults) - len(asked) - sum(
        i["issue_type"] == NOT_RELEVANT for i in expected)
    assert missed == 0
    assert len(faults) - 6 <= study.faults["n"].sum() <= len(faults)
    assert len(asked) - 6 <= study.questions["n"].sum() <= len(asked)
    assert all(own.path(f"{t}.csv").exists() for t in COLUMNS)
    assert main(["counts", NAME]) == 0
    assert "0 files changed" in capsys.readouterr().out

    assert main(["figures", NAME]) == 0
    assert main(["compare", NAME]) == 0
    said = capsys.readouterr().out
    assert "symptom: V =" in said and "comparison.csv" in said
    assert own.path("figures/beside_the_study.svg").exists()
    assert own.path("figures/taxonomy.svg").exists()


def test_labels_and_decisions_are_kept(way):
    """The adjudicated table says of each label whether it was agreed, or decided by whom, why."""
    own, _ = way
    from study.extend import canonical, decided
    rows = folder.read_csv(own.path("adjudicated.csv"), decided.COLUMNS)
    assert {r["how"] for r in rows} == {"agreed", "decided"}
    assert all(r["by"] and r["why"] for r in rows if r["how"] == "decided")
    assert not [r for r in rows if r["label"] == UNDECIDED]
    labels = canonical.from_file(own.path("labels.csv"))
    assert {r[4] for r in labels} == {"R1", "R2"}
    assert {r[5] for r in labels} == set(FACETS)


def test_a_second_new_refuses_and_force_keeps(way, snapshot):
    own, _ = way
    arguments = ["new", NAME, "--from", str(snapshot), "--n", "90", "--rounds", "3"]
    before = {p: p.read_bytes() for p in own.sheets.iterdir()}
    with pytest.raises(ValueError, match="nothing was written"):
        main(arguments)
    assert {p: p.read_bytes() for p in own.sheets.iterdir()} == before


def test_no_name_no_clock_no_path_is_in_what_is_written(way):
    own, _ = way
    import getpass
    import re
    import socket
    words = {getpass.getuser(), socket.gethostname(), str(own.folder.parent)} - {"root", ""}
    for path in sorted(own.folder.rglob("*.csv")) + sorted(own.folder.rglob("*.json")):
        text = path.read_text(encoding="utf-8")
        assert not [w for w in words if w in text], path.name
        assert not re.search(r"20[2-9]\d-\d\d-\d\dT", text), path.name
        assert "\r" not in text
