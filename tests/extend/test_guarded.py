"""Nothing that a person wrote runs as a formula, and all of it comes back as it was."""

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from study.base.files import publish
from study.base.words import guarded, unguarded
from study.extend import folder, versions
from study.extend.commands import findings_text
from study.extend.snapshot import CONTROL
from study.read.sheet import Problem
from study.read.sheets import read_sheet

# What OWASP lists as the start of a formula in a csv file ("CSV Injection").
STARTS = tuple("=+-@\t\r")
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=12)
RISKY = st.builds(lambda quotes, start, rest: "'" * quotes + start + rest,
                  st.integers(0, 3), st.sampled_from(STARTS), TEXT)


@given(RISKY | TEXT)
@example("'")
@example("''=1")
def test_texts_come_back(text):
    assert not guarded(text).startswith(STARTS)
    assert unguarded(guarded(text)) == text


@settings(max_examples=60)
@given(st.lists(st.tuples(RISKY | TEXT, RISKY | TEXT), min_size=1, max_size=4),
       st.sampled_from(",;\t"))
def test_our_tables_come_back_whatever_separates_their_cells(rows, mark):
    columns = ("name", "why")
    text = folder.csv_text(columns, rows)
    cells = list(csv.reader(io.StringIO(text, newline="")))
    assert not any(cell.startswith(STARTS) for row in cells for cell in row)
    saved = io.StringIO()
    csv.writer(saved, delimiter=mark, lineterminator="\r\n").writerows(cells)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.csv"
        path.write_bytes(saved.getvalue().encode())
        due = [[v.replace("\r\n", "\n").replace("\r", "\n") for v in r] for r in rows]
        assert list(folder.csv_rows(path, columns)) == [r for r in due if any(r)]


@settings(max_examples=40, deadline=None)
@given(st.lists(RISKY | TEXT, min_size=1, max_size=4))
def test_workbooks_hold_text_as_text(values):
    from openpyxl import Workbook, load_workbook

    from study.extend.workbook import text_cell
    book = Workbook()
    for row, value in enumerate(values, 1):
        text_cell(book.active, row, 1, "title" if row == 1 else value)
        text_cell(book.active, row, 2, "x")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.xlsx"
        book.save(path)
        assert all(c.data_type != "f" for r in load_workbook(path).active.iter_rows() for c in r)
        # Workbooks know one line end (XML), and no control characters.
        kept = [CONTROL.sub("", v).replace("\r\n", "\n").replace("\r", "\n") for v in values[1:]]
        assert [cells[0] for _, cells in read_sheet(path).rows] == kept


def test_proposals_that_excel_saved_with_semicolons(tmp_path):
    own = folder.Extension(tmp_path)
    row = dict.fromkeys(versions.PROPOSALS, "") | {
        "facet": "symptom", "proposed": "=lost; rank", "decision": "reject", "why": "-"}
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerows([versions.PROPOSALS, [guarded(v) for v in row.values()], [""] * len(row)])
    publish(own.path("proposals.csv"), "\ufeff" + out.getvalue())
    assert folder.read_csv(own.path("proposals.csv"), versions.PROPOSALS) == [row]
    publish(own.path("proposals.csv"), out.getvalue().replace("rank", "r\xe4nk").encode("cp1252"))
    with pytest.raises(ValueError, match="save it as CSV UTF-8"):
        folder.read_csv(own.path("proposals.csv"), versions.PROPOSALS)


def test_findings_are_guarded():
    text = findings_text([Problem("a.csv", "", 2, 1, "=1+1", "strange", "error", "unknown")])
    assert ",'=1+1," in text
