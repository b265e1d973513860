"""The cell reader: what a file says comes through, and nothing else."""

import csv
import datetime
import zipfile
from pathlib import Path

import openpyxl
import pytest

from study.read.sheets import SheetError, read_sheet, read_sheets

SHARED = Path(__file__).resolve().parents[3] / "shared"


def book(path, *rows, **sheets):
    """Write a workbook: rows of the first sheet, further sheets by name."""
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    for name, more in sheets.items():
        sheet = made.create_sheet(name)
        for row in more:
            sheet.append(row)
    made.save(path)
    return path


def text(path, content, encoding="utf-8"):
    path.write_bytes(content.encode(encoding))
    return path


def kinds(sheet):
    return [(p.kind, p.row, p.column) for p in sheet.problems]


def test_cells_are_text_as_a_spreadsheet_shows_them(tmp_path):
    rows = [["id", "label", "x"], [70123456, "  None ", True], [1.5, "NA", None],
            [3.0, "nan\tb", 0.1]]
    sheet = read_sheet(book(tmp_path / "a.xlsx", *rows))
    assert sheet.header == ("id", "label", "x")
    assert sheet.header_row == 1
    assert sheet.rows == [(2, ("70123456", "  None ", "TRUE")), (3, ("1.5", "NA", "")),
                          (4, ("3", "nan\tb", "0.1"))]
    assert (sheet.file, sheet.name, sheet.problems) == ("a.xlsx", "Sheet", [])


def test_merged_hidden_dates_and_formulas_are_reported_not_changed(tmp_path):
    made = openpyxl.Workbook()
    sheet = made.active
    for row in (["id", "label", "when"], [1, "bug", None], [2, None, None], [3, "=A2&B2", None]):
        sheet.append(row)
    sheet["C3"] = datetime.datetime(2024, 3, 2)
    sheet.merge_cells("B2:B3")
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    made.save(tmp_path / "a.xlsx")
    read = read_sheet(tmp_path / "a.xlsx")
    assert read.merged == [(2, 3, 2, 2)]
    assert read.rows[1] == (3, ("2", "", "2024-03-02"))
    assert (read.hidden_rows, read.hidden_cols) == ({3}, {3})
    assert kinds(read) == [("date", 3, 3), ("formula-without-value", 4, 2)]
    assert "a.xlsx, sheet Sheet, row 4, column B: a formula" in str(read.problems[1])


def altered(tmp_path, change, *rows):
    """A workbook whose sheet part went through ``change``."""
    path = book(tmp_path / "a.xlsx", *(rows or (["id", "label"], [1, "a"])))
    made = tmp_path / "b.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            data = old.read(part)
            new.writestr(part, change(data) if part.endswith("sheet1.xml") else data)
    return made


def test_formula_with_stored_value_and_error_value(tmp_path):
    def change(data):
        for value in (b"<v />", b"<v></v>", b"<v/>"):
            data = data.replace(b"<f>1+1</f>" + value, b"<f>1+1</f><v>2</v>")
        return data.replace(b"</sheetData>", b'<row r="3"><c r="A3" t="e"><v>#REF!</v></c>'
                            b'<c r="B3" t="str"><f>""</f><v></v></c></row></sheetData>')

    sheet = read_sheet(altered(tmp_path, change, ["id", "label"], ["=1+1", "x"]))
    assert [r for _, r in sheet.rows] == [("2", "x"), ("#REF!", "")]
    assert kinds(sheet) == [("formula", 2, 1), ("error-value", 3, 1), ("formula", 3, 2)]


def test_inline_text_and_large_numbers(tmp_path):
    def change(data):
        return data.replace(
            b"</sheetData>", b'<row r="3"><c r="A3"><v>7.0123456E7</v></c><c r="B3" '
            b't="inlineStr"><is><r><t>two </t></r><r><t>runs_x0009_</t></r><rPh><t>x</t></rPh>'
            b'</is></c></row><row r="4"><c r="A4"><v>1.23457E+15</v></c></row></sheetData>')

    sheet = read_sheet(altered(tmp_path, change))
    assert [r for _, r in sheet.rows[1:]] == [("70123456", "two runs\t"), ("1.23457E+15", "")]
    assert kinds(sheet) == [("digits", 4, 1)]


def test_blank_rows_and_trailing_blank_columns(tmp_path):
    path = book(tmp_path / "a.xlsx", [], ["id", "label", " "], [1, "a"], [None, " "], [2, "b"])
    sheet = read_sheet(path)
    assert sheet.header == ("id", "label")
    assert sheet.header_row == 2
    assert [n for n, _ in sheet.rows] == [3, 5]
    assert sheet.blank_rows == 1


def test_sheet_must_be_named_where_several_have_cells(tmp_path):
    path = book(tmp_path / "a.xlsx", ["id"], [1], other=[["id"], [2]])
    with pytest.raises(SheetError, match=r"2 sheets have cells \(Sheet, other\); say which"):
        read_sheet(path)
    assert read_sheet(path, "other").rows == [(2, ("2",))]
    with pytest.raises(SheetError, match="no sheet 'third'; the sheets are: Sheet, other"):
        read_sheet(path, "third")
    assert list(read_sheets(path)) == ["Sheet", "other"]
    one = book(tmp_path / "b.xlsx", ["id"], [1], empty=[])
    assert read_sheet(one).rows == [(2, ("1",))]


def test_hidden_sheet_is_read_and_marked(tmp_path):
    made = openpyxl.Workbook()
    made.active.append(["id"])
    made.create_sheet("old").sheet_state = "hidden"
    made.save(tmp_path / "a.xlsx")
    assert [s.hidden for s in read_sheets(tmp_path / "a.xlsx").values()] == [False, True]


def test_declared_header_row(tmp_path):
    path = book(tmp_path / "a.xlsx", ["banner"], ["id", "label"], [1, "a"])
    assert read_sheet(path, header_row=2).header == ("id", "label")
    with pytest.raises(SheetError, match="row 9: the header row is blank"):
        read_sheet(path, header_row=9)


def test_column_by_title(tmp_path):
    sheet = read_sheet(text(tmp_path / "a.csv", "id, label ,x,x\n1,a,b,c\n"))
    assert sheet.column("label") == 1
    with pytest.raises(SheetError, match=r"no column 'y'; the columns are: id, label, x, x"):
        sheet.column("y")
    with pytest.raises(SheetError, match=r"2 columns are called 'x' \(C and D\)"):
        sheet.column("x")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_text_files(tmp_path, mark, bom):
    path = text(tmp_path / "a.csv", bom + mark.join(["id", "label"]) + "\r\n"
                + mark.join(["1", '"two\nlines"']) + "\r\n" + mark.join(["2", " x "]) + "\r\n")
    sheet = read_sheet(path)
    assert sheet.header == ("id", "label")
    assert sheet.rows == [(2, ("1", "two\nlines")), (3, ("2", " x "))]
    assert [p.kind for p in sheet.problems] == (
        ["byte-order-mark"] * bool(bom) + ["delimiter"] * (mark != ","))


def test_delimiter_by_expected_titles_and_ambiguity(tmp_path):
    path = text(tmp_path / "a.csv", "id,x;label\n1,2;3\n")
    with pytest.raises(SheetError, match="commas and semicolons both make a table"):
        read_sheet(path)
    assert read_sheet(path, expected=["label"]).header == ("id,x", "label")
    assert read_sheet(path, delimiter=",").header == ("id", "x;label")


def test_semicolon_file_with_commas_in_cells(tmp_path):
    path = text(tmp_path / "a.csv", "id;label\n1;a, b, c\n2;d\n")
    assert read_sheet(path).rows == [(2, ("1", "a, b, c")), (3, ("2", "d"))]


def test_rows_of_another_length_are_errors(tmp_path):
    sheet = read_sheet(text(tmp_path / "a.csv", "id,label\n1,a,b\n2\n3,c,\n"))
    assert [(p.row, p.severity) for p in sheet.problems] == [(2, "error"), (3, "error")]
    assert sheet.rows[0] == (2, ("1", "a", "b"))


@pytest.mark.parametrize(("name", "content", "message"), [
    ("a.csv", b"id,label\n1,caf\xe9\n", "not UTF-8"),
    ("a.csv", "id,label\n".encode("utf-16"), "UTF-16 text"),
    ("a.csv", b'id,label\n1,"open\n2,x\n', "row 2: not valid csv"),
    ("a.csv", b"", "an empty file"),
    ("a.csv", b"\n,\n", "only blank rows"),
    ("a.csv", b"a\0b", "not a text file"),
    ("a.xlsx", b"id,label\n1,a\n", "not a workbook"),
    ("a.xlsx", b"PK\x03\x04 broken", "a damaged workbook"),
    ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, "old Excel format"),
    ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
     "protected with a password"),
])
def test_files_that_are_something_else(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SheetError, match=message) as caught:
        read_sheet(tmp_path / name)
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)


def test_absent_file_folder_and_a_sheet_of_a_text_file(tmp_path):
    with pytest.raises(SheetError, match=r"none\.csv: no such file"):
        read_sheet(tmp_path / "none.csv")
    with pytest.raises(SheetError, match="a folder"):
        read_sheet(tmp_path)
    with pytest.raises(SheetError, match="a text file has no sheets"):
        read_sheet(text(tmp_path / "a.csv", "id\n1\n"), "label1")


@pytest.mark.parametrize(("part", "message"), [
    ("xl/workbook.bin", "a binary workbook"), ("content.xml", "an OpenDocument file"),
    ("a.txt", "a zip archive, but no workbook")])
def test_other_archives(tmp_path, part, message):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as made:
        made.writestr(part, "x")
    with pytest.raises(SheetError, match=message):
        read_sheet(tmp_path / "a.xlsx")


def test_workbook_with_the_name_of_a_text_file(tmp_path):
    book(tmp_path / "a.xlsx", ["id"]).rename(tmp_path / "a.csv")
    with pytest.raises(SheetError, match=r"rename it to \.xlsx"):
        read_sheet(tmp_path / "a.csv")


@pytest.mark.parametrize(("change", "message"), [
    (lambda d: d[:-40], "a damaged workbook"),
    (lambda d: b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + d, "document type declaration"),
    (lambda d: d.replace(b'r="A2"', b'r="2A"'), "a damaged workbook"),
    (lambda d: d.replace(b'r="B2"', b'r="XFD2"'), "so far right"),
    (lambda d: d + b" " * (1 << 26), "zip bomb"),
    (lambda d: d.replace(b"</sheetData>", b'<row><c t="s"><v>99</v></c></row></sheetData>'),
     "a damaged workbook"),
])
def test_damaged_and_hostile_workbooks(tmp_path, change, message):
    with pytest.raises(SheetError, match=message):
        read_sheet(altered(tmp_path, change))


def test_twenty_thousand_rows(tmp_path):
    made = openpyxl.Workbook(write_only=True)
    sheet = made.create_sheet("a")
    sheet.append(["item", "rater", "label", "note"])
    for i in range(20_000):
        sheet.append([i, f"r{i % 2}", f"label {i % 30}", f"note {i}"])
    made.save(tmp_path / "a.xlsx")
    read = read_sheet(tmp_path / "a.xlsx")
    assert len(read.rows) == 20_000
    assert read.rows[-1][1] == ("19999", "r1", "label 19", "note 19999")


@pytest.mark.parametrize("path", sorted(SHARED.glob("fixtures/labels/**/*.xlsx"))
                         or [pytest.param(None, marks=pytest.mark.skip("shared is absent"))],
                         ids=lambda p: p and p.name)
def test_same_cells_as_openpyxl(path):
    """Oracle: openpyxl's slow mode, cell by cell, on hand-made workbooks."""
    sheets = read_sheets(path)
    for sheet in openpyxl.load_workbook(path, data_only=True).worksheets:
        ours = sheets[sheet.title]
        cells = dict(ours.rows) | ({ours.header_row: ours.header} if ours.header_row else {})
        assert len(ours.merged) == len(sheet.merged_cells.ranges)
        for row in sheet.iter_rows():
            for cell in row:
                value = "" if cell.value is None else cell.value
                if isinstance(value, float) and value.is_integer():
                    value = int(value)
                if isinstance(value, datetime.datetime):
                    value = value.date()
                have = cells.get(cell.row, ())
                have = have[cell.column - 1] if cell.column <= len(have) else ""
                assert have.strip() == str(value).strip(), cell.coordinate


def test_same_cells_as_the_csv_module():
    if not SHARED.exists():
        pytest.skip("shared is absent")
    for path in sorted(SHARED.glob("fixtures/labels/**/*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as stream:
            wanted = [row for row in csv.reader(stream) if any(c.strip() for c in row)]
        sheet = read_sheet(path)
        width = len(sheet.header)
        assert [list(sheet.header)] + [list(r) for _, r in sheet.rows] == [
            (r + [""] * width)[:width] for r in wanted], path.name


@pytest.mark.parametrize("line,mark", [("sep=;\r\n", ";"), ('"sep=|"\n', "|"), ("sep=,\n", ",")])
def test_a_first_line_that_names_the_separator(line, mark, tmp_path):
    # Excel writes it, obeys it, and never shows it.
    path = tmp_path / "a.csv"
    path.write_text(line + f"id{mark}label\n1{mark}a\n", encoding="utf-8", newline="")
    sheet = read_sheet(path)
    assert (sheet.header, sheet.header_row, sheet.rows) == (("id", "label"), 2, [(3, ("1", "a"))])
    assert [p.kind for p in sheet.problems] == ["delimiter"]


def test_where_a_row_is_short_or_long(tmp_path):
    """Each is told with the first cell that lacks or is too many; blanks too many are no matter."""
    path = tmp_path / "a.csv"
    path.write_text("a banner\nid,label,note\n1,x,\n2,y\n3,z,,left over\n4,z,,,\n,\n5,w,n\n",
                    encoding="utf-8")
    found = [(p.row, p.column, p.value) for p in read_sheet(path, header_row=2).problems
             if p.kind == "row-length"]
    assert found == [(4, 3, ""), (5, 4, "left over")]
    path.write_text("\n,,\nid,label\n1,x\n2\n", encoding="utf-8")
    assert [(p.row, p.column) for p in read_sheet(path).problems if p.kind == "row-length"] == [
        (5, 2)]
