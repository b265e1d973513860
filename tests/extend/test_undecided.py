"""Labels that stay undecided: who may leave them so, and what is then counted."""

from collections import Counter

import material
import openpyxl
import pytest

from study.base.errors import StudyError
from study.base.files import publish
from study.extend.adjudicate import deciders, disagreements, left_open, workbook
from study.extend.cli import main
from study.extend.compare import compare, complete
from study.extend.decided import COLUMNS, decide, decisions_file
from study.extend.folder import read_csv
from study.extend.handed_in import read_round
from study.extend.start import start
from study.extend.workbook import workbook as sheet_of
from study.read.codebook import OF_FAULTS, UNDECIDED
from study.tabulate.tables import load_study

WHY = "the thread does not tell"
WHO = "R1 and R2"
ONE, BOTH = "R2 undecided", "both undecided"


@pytest.fixture
def due(started):
    """Two raters of round 1: R2 leaves a symptom undecided, both leave a fix pattern so."""
    tasks = started.tasks("1")
    said = {r: material.truth(tasks) for r in ("R1", "R2")}  # alike in all other labels
    fault = {"issue_type": "fault", "distributed_specific": "1", "group": "",
             "stage": "communication setup", "symptom": "setup failure",
             "fix_pattern": "use docker", "note": "", "decided_at": ""}
    first, second = tasks[0].thread, tasks[1].thread
    for rater, symptom in (("R1", "setup failure"), ("R2", UNDECIDED)):
        said[rater][first] = [fault | {"symptom": symptom}]
        said[rater][second] = [fault | {"fix_pattern": UNDECIDED}]
    for number in started.plan["rounds"]:
        tasks = started.tasks(number)
        for rater in said:
            # Round 2 is labelled alike by both.
            answers = said[rater] if number == "1" else material.truth(tasks)
            publish(started.sheets / f"round{number}-{rater}.xlsx",
                    sheet_of(tasks, number, rater, started.codebook(number), answers))
    return started, {ONE: (f"{first}/1", "symptom"), BOTH: (f"{second}/1", "fix_pattern")}


def fill(own, given):
    """The workbook of round 1: some rows as given, the others by R1's label."""
    found = disagreements(read_round(own, "1"))
    made = {(e["item"], e["facet"]): (e["labels"]["R1"], WHO, WHY) for e in found} | given
    publish(decisions_file(own, "1"), workbook(found, ["R1", "R2"], "1", own.tasks("1"),
                                               own.codebook("1"), made))


@pytest.mark.parametrize("kind", [ONE, BOTH])
@pytest.mark.parametrize(("given", "says"), [
    ((UNDECIDED, WHO, WHY), None),
    (("?", WHO, WHY), None),
    ((UNDECIDED, WHO, ""), "say why, in a few words"),
    ((UNDECIDED, "", WHY), "say who decided"),
    (("", "", ""), "not decided; choose a label"),
])
def test_undecided_stands_with_a_reason_and_only_with_one(due, kind, given, says):
    own, at = due
    fill(own, {at[kind]: given})
    errors = [p.message for p in decide(own, "1").problems if p.severity == "error"]
    if says is None:
        assert errors == []
    else:
        assert len(errors) == 1 and says in errors[0]


def test_such_an_issue_is_counted_in_the_other_columns_and_named_with_its_reason(due):
    own, at = due
    fill(own, {at[ONE]: (UNDECIDED, WHO, WHY), at[BOTH]: (UNDECIDED, WHO, "nobody answered")})
    assert main(["counts", own.name]) == 0
    study = load_study(own.name)
    out = study.exclusions.groupby(["left_out_of", "reason"]).size()
    assert out["symptom", f"undecided: {WHY}"] == 1
    assert out["fix pattern", "undecided: nobody answered"] == 1
    for facet, column in (("symptom", "symptom"), ("fix pattern", "fix_patterns")):
        blank = study.faults.loc[study.faults[column] == "", "n"].sum()
        assert blank == out[facet].sum()
    row = study.faults[(study.faults["symptom"] == "")
                       & (study.faults["stage"] == "communication setup")]
    assert row["n"].sum() == 1
    table = compare(study, load_study())
    of = table.groupby("what")["of_new"].first()
    faults = study.faults["n"].sum()
    assert of["stage"] == faults - out["stage"].sum() if "stage" in out else of["stage"] == faults
    assert of["symptom"] == faults - out["symptom"].sum()
    assert of["fix pattern"] == of["system level"] == faults - out["fix pattern"].sum()
    whole, left_out = complete(study)
    assert left_out >= 2 and whole.faults["n"].sum() == faults - left_out + (
        study.questions["n"].sum() - whole.questions["n"].sum())
    assert (whole.faults[["stage", "symptom", "fix_patterns"]] != "").all(axis=None)
    decided = read_csv(own.path("adjudicated.csv"), COLUMNS)
    own_row = [r for r in decided if (r["item"], r["facet"]) == at[ONE]]
    assert [(r["label"], r["how"], r["by"], r["why"]) for r in own_row] == [
        (UNDECIDED, "decided", WHO, WHY)]


def test_an_issue_of_undecided_type_is_in_no_count(due):
    own, at = due
    fill(own, {})
    main(["counts", own.name])
    before = load_study(own.name)
    # R2 calls the first thread undecided altogether, and so it stays.
    tasks, path = own.tasks("1"), own.sheets / "round1-R2.xlsx"
    book = openpyxl.load_workbook(path)
    sheet = book["labels"]
    head = [c.value for c in sheet[1]]
    row = next(r for r in range(2, sheet.max_row + 1)
               if sheet.cell(r, 1).value == tasks[0].thread)
    for title in ("Distributed-specific", "Stage", "Symptom group", "Symptom", "Fix pattern"):
        sheet.cell(row, head.index(title) + 1).value = None
    sheet.cell(row, head.index("Issue type") + 1).value = UNDECIDED
    book.save(path)
    item = at[ONE][0]
    blank = dict.fromkeys(((item, f) for f in OF_FAULTS), ("", "", ""))
    fill(own, blank | {(item, "issue_type"): (UNDECIDED, WHO, WHY)})
    assert main(["counts", own.name]) == 0
    after = load_study(own.name)
    assert after.faults["n"].sum() == before.faults["n"].sum() - 1
    out = after.exclusions
    assert Counter(out["reason"])[f"undecided: {WHY}"] >= 1
    assert (out.loc[out["reason"] == f"undecided: {WHY}", "left_out_of"] == "every count").any()


def test_what_models_leave_open_stays_so_and_people_are_asked(due):
    own, at = due
    found = disagreements(read_round(own, "1"))
    made = left_open(found, ["M1", "M2"])
    assert made[at[BOTH]] == (UNDECIDED, "M1 and M2", "left undecided by both")
    assert at[ONE] not in made
    assert main(["adjudicate", own.name, "--round", "1"]) == 0
    assert all(label == "" for label, *_ in decide(own, "1").decisions.values())


@pytest.mark.parametrize(("text", "raters", "read"), [
    ("M3", ["M1", "M2"], "M3"), ("m1 & M2", ["M1", "M2"], "M1 and M2"),
    ("both", ["M1", "M2"], "M1 and M2"), ("R1", ["M1", "M2"], ""), ("M3", ["R1", "R2"], ""),
    ("R1 and M3", ["R1", "R2"], "")])
def test_models_decide_of_models_and_people_of_people(text, raters, read):
    assert deciders(text, raters) == read


def test_tables_of_models_are_called_model_labelled(snapshot, extensions):  # noqa: ARG001
    start("modern", snapshot, 40, raters=("M1", "M2"), rounds=1)
    from study.extend.folder import extension
    own = extension("modern")
    assert decisions_file(own, "1").name == "model-labelled-round1-adjudicated.xlsx"
    assert own.result("faults.csv").name == "model-labelled-faults.csv"
    with pytest.raises(StudyError, match=r"faults\.csv is missing|collection\.csv is missing"):
        load_study("modern")
