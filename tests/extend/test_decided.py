"""The workbook of decisions as people fill it in."""

import io

import openpyxl
import pytest

from study.base.files import publish
from study.extend.adjudicate import deciders, disagreements, workbook
from study.extend.cli import main
from study.extend.decided import decide, decisions_file
from study.extend.handed_in import read_round
from study.extend.workbook import workbook as sheet_of
from study.read.codebook import UNDECIDED


@pytest.fixture
def book(started, filled):
    """The workbook of round 1's disagreements, its path and what is to be decided."""
    tasks, said = filled
    for rater, answers in said.items():
        publish(started.sheets / f"round1-{rater}.xlsx",
                sheet_of(tasks, "1", rater, started.codebook("1"), answers))
    found = disagreements(read_round(started, "1"))
    path = decisions_file(started, "1")
    publish(path, workbook(found, ["R1", "R2"], "1", started.tasks("1"), started.codebook("1"),
                           title="MoELib"))
    return openpyxl.load_workbook(path), path, found


@pytest.mark.parametrize("text, read", [
    ("R1", "R1"), ("R1/R2", "R1 and R2"), ("r2; r1", "R1 and R2"), ("R1 & R2", "R1 and R2"),
    ("R1 R2", "R1 and R2"), ("both", "R1 and R2"), ("Both raters", "R1 and R2"),
    ("all", "R1 and R2"), ("R3", "R3"), ("", ""), ("Ann", ""), ("R1 or R2", ""), ("R0", ""),
    ("R1x", "")])
def test_who_decided_is_read_as_people_write_it(text, read):
    assert deciders(text, ["R1", "R2"]) == read


def test_both_is_unclear_among_three():
    assert deciders("both", ["R1", "R2", "R3"]) == ""
    assert deciders("all", ["R1", "R2", "R3"]) == "R1 and R2 and R3"


def test_the_workbook_explains_itself(book):
    made = book[0]
    assert "instructions" in made.sheetnames and made.active.title == "decisions"
    text = " ".join(str(row[0]) for row in made["instructions"].iter_rows(values_only=True))
    for word in ("MoELib", "round 1", "R1, R2", "both", "semicolon", "Decided by",
                 "label check", "--decisions"):
        assert word in text


def test_names_are_refused_and_ways_to_write_both_are_notes(book, started):
    made, path, found = book
    sheet, ways = made["decisions"], ["R1/R2", "both", "R1 and R2", "Ann"]
    head = [c.value for c in sheet[1]]
    at = {t: head.index(t) + 1 for t in ("Decision", "Decided by", "Why")}
    for row, entry in enumerate(found, 2):
        labels = [x for x in entry["labels"].values() if x and x != UNDECIDED]
        sheet.cell(row, at["Decision"]).value = labels[0] if labels else ""
        sheet.cell(row, at["Decided by"]).value = ways[(row - 2) % 4]
        sheet.cell(row, at["Why"]).value = "read again"
    made.save(path)
    read = decide(started, "1")
    said = {p.row: (p.severity, p.message) for p in read.problems if p.kind == "who"}
    assert said[2] == said[3] == ("note", "read as R1 and R2")
    assert 4 not in said and said[5] == ("error", "say who decided: R1, or R1 and R2")
    assert {who for _, who, _ in read.decisions.values()} == {"R1 and R2", ""}


def test_equal_findings_are_one_line_with_its_rows(book, started, capsys):
    made, path, found = book
    sheet = made["decisions"]
    head = [c.value for c in sheet[1]]
    for row in range(2, len(found) + 2):
        sheet.cell(row, head.index("Decision") + 1).value = "whatever"
        sheet.cell(row, head.index("Decided by") + 1).value = "Ann"
        sheet.cell(row, head.index("Why") + 1).value = "x"
    made.save(path)
    assert main(["check", started.name, "--decisions", "--round", "1"]) == 2
    lines = [line for line in capsys.readouterr().out.splitlines() if "say who decided" in line]
    assert len(lines) == 1
    assert "rows 2, 3, 4, 5" in lines[0] and f"and {len(found) - 12} more" in lines[0]


def test_bytes_are_a_workbook_even_without_decisions(book):
    content = book[1].read_bytes()
    assert openpyxl.load_workbook(io.BytesIO(content)).sheetnames[0] == "decisions"
