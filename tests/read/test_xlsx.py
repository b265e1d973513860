"""Workbooks of every cell type, read as openpyxl and python-calamine read them.

openpyxl is the reference for values, merged ranges and hidden parts. python-calamine is compared
where it is installed (``pip install python-calamine``); the tests do not need it.
"""

import datetime
import random
import re
import zipfile

import openpyxl
import pytest

from study.read.sheet import SheetError
from study.read.sheets import read_sheet
from study.read.xlsx import Workbook

KINDS = ("shared", "inline", "runs", "phonetic", "str", "integer", "float", "exponent", "boolean",
         "error", "date", "time", "moment", "iso", "cached", "styled", "absent")
STYLES = {"date": 1, "moment": 2, "time": 3}  # cellXfs below
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
WORDS = ("hang", "out of memory", "None", "NA", " two  blanks ", "größer", "a &amp; b", "1.0",
         "007", "true", "&lt;b&gt;", "line&#10;break")


def cell(rng, kind, place, shared):
    """XML of one cell."""
    word, number = rng.choice(WORDS), rng.randrange(1, 60_000)
    space = ' xml:space="preserve"'
    if kind == "shared":
        shared.append(f"<si><t{space}>{word}</t></si>")
        return f'<c r="{place}" t="s"><v>{len(shared) - 1}</v></c>'
    if kind == "runs":
        shared.append(f"<si><r><t{space}>{word} </t></r><r><rPr><b/></rPr><t>b</t></r></si>")
        return f'<c r="{place}" t="s"><v>{len(shared) - 1}</v></c>'
    if kind == "phonetic":
        shared.append(f'<si><t{space}>{word}</t><rPh sb="0" eb="1"><t>x</t></rPh></si>')
        return f'<c r="{place}" t="s"><v>{len(shared) - 1}</v></c>'
    return {
        "inline": f'<c r="{place}" t="inlineStr"><is><t{space}>{word}</t></is></c>',
        "str": f'<c r="{place}" t="str"><f>A1&amp;""</f><v>{word.strip()}</v></c>',
        "integer": f'<c r="{place}"><v>{number}</v></c>',
        "float": f'<c r="{place}" t="n"><v>{number / 8}</v></c>',
        "exponent": f'<c r="{place}"><v>{number}.5E-3</v></c>',
        "boolean": f'<c r="{place}" t="b"><v>{number % 2}</v></c>',
        "error": f'<c r="{place}" t="e"><v>#REF!</v></c>',
        "date": f'<c r="{place}" s="1"><v>{number}</v></c>',
        "moment": f'<c r="{place}" s="2"><v>{number}.25</v></c>',
        "time": f'<c r="{place}" s="3"><v>0.{rng.choice((25, 5, 75))}</v></c>',
        "iso": f'<c r="{place}" t="d"><v>2024-0{rng.randrange(1, 10)}-15</v></c>',
        "cached": f'<c r="{place}"><f>1+1</f><v>{number}</v></c>',
        "styled": f'<c r="{place}" s="1"/>',
        "absent": ""}[kind]


def workbook(path, seed):
    """A workbook of 40 rows with cells of every kind; prefix, place of parts, calendar vary."""
    rng, shared, rows = random.Random(seed), [], []
    for r in range(1, 41):
        cells = [f'<c r="A{r}" t="inlineStr"><is><t>row {r}</t></is></c>'] + [
            cell(rng, rng.choice(KINDS), f"{letter}{r}", shared) for letter in "BCDEF"]
        hidden = ' hidden="1"' if rng.random() < 0.1 else ""
        rows.append(f'<row r="{r}"{hidden}>{"".join(cells)}</row>')
    ranges = [f"C{n}:D{n + 1}" for n in range(3, 40, 12)]
    calendar = '<workbookPr date1904="1"/>' if seed % 2 else "<workbookPr/>"
    parts = {
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><cols><col min="3" max="3" '
        f'width="9" hidden="{seed % 2}"/></cols><sheetData>{"".join(rows)}</sheetData><mergeCells>'
        + "".join(f'<mergeCell ref="{x}"/>' for x in ranges) + "</mergeCells></worksheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{"".join(shared)}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><numFmts count="1"><numFmt numFmtId="170" '
        'formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts><fonts count="1"><font/></fonts><fills '
        'count="1"><fill><patternFill/></fill></fills><borders count="1"><border/></borders>'
        '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf numFmtId="14"/>'
        '<xf numFmtId="170"/><xf numFmtId="21"/></cellXfs></styleSheet>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{calendar}<sheets><sheet '
        'name="labels" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">' + "".join(
            f'<Relationship Id="rId{n}" Type="{OFFICE}/{kind}" Target="{target}"/>'
            for n, (kind, target) in enumerate((("worksheet", "worksheets/sheet1.xml"),
                                                ("sharedStrings", "sharedStrings.xml"),
                                                ("styles", "styles.xml")), 1)) + "</Relationships>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default '
        'Extension="xml" ContentType="application/xml"/>' + "".join(
            f'<Override PartName="/xl/{part}" ContentType="application/vnd.openxmlformats-'
            f'officedocument.spreadsheetml.{kind}+xml"/>' for part, kind in (
                ("workbook.xml", "sheet.main"), ("worksheets/sheet1.xml", "worksheet"),
                ("sharedStrings.xml", "sharedStrings"), ("styles.xml", "styles"))) + "</Types>"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, HEAD + content)
    return path


def as_text(value):
    """A cell value of a library as this package writes it."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).removesuffix(" 00:00:00")


@pytest.mark.filterwarnings("ignore:Workbook contains no default style")
@pytest.mark.parametrize("seed", range(12))
def test_every_cell_type_as_openpyxl_reads_it(tmp_path, seed):
    path = workbook(tmp_path / "a.xlsx", seed)
    ours, theirs = read_sheet(path), openpyxl.load_workbook(path, data_only=True)["labels"]
    inner = {(r, c) for x in theirs.merged_cells.ranges for r, c in x.cells} - {
        (x.min_row, x.min_col) for x in theirs.merged_cells.ranges}
    cells = {1: ours.header, **dict(ours.rows)}
    assert len(cells) == theirs.max_row == 40
    for r, row in cells.items():
        for c, text in enumerate(row, 1):
            if (r, c) not in inner:  # openpyxl empties what a merged range covers
                assert text == as_text(theirs.cell(r, c).value), (r, c)
    assert sorted(ours.merged) == sorted(
        (x.min_row, x.max_row, x.min_col, x.max_col) for x in theirs.merged_cells.ranges)
    assert ours.hidden_rows == {r for r, d in theirs.row_dimensions.items() if d.hidden}
    assert ours.hidden_cols == ({3} if seed % 2 else set())
    formulas = openpyxl.load_workbook(path)["labels"]
    due = {(c.row, c.column) for row in formulas.iter_rows() for c in row
           if c.data_type == "f" and (c.row, c.column) not in inner}
    found = {(p.row, p.column) for p in ours.problems if p.kind.startswith("formula")}
    assert found - inner == due


@pytest.mark.parametrize("seed", range(12))
def test_every_cell_type_as_calamine_reads_it(tmp_path, seed):
    calamine = pytest.importorskip("python_calamine", reason="python-calamine is not installed")
    path = workbook(tmp_path / "a.xlsx", seed)
    ours = read_sheet(path)
    rows = calamine.CalamineWorkbook.from_path(str(path)).get_sheet_by_name("labels").to_python()
    skip = {(p.row, p.column) for p in ours.problems if p.kind == "error-value"}
    for r, row in {1: ours.header, **dict(ours.rows)}.items():
        for c, text in enumerate(row, 1):
            own = rows[r - 1][c - 1]
            if isinstance(own, datetime.timedelta):
                own = (datetime.datetime.min + own).time()
            if (r, c) not in skip:  # calamine leaves error values blank
                assert text == as_text(own), (r, c)


def test_the_generated_workbooks_hold_every_kind(tmp_path):
    seen = "".join(zipfile.ZipFile(workbook(tmp_path / f"{n}.xlsx", n)).read(
        "xl/worksheets/sheet1.xml").decode() for n in range(12))
    for mark in ('t="s"', 't="inlineStr"', 't="str"', 't="b"', 't="e"', 't="d"', 's="2"',
                 's="3"', "E-3", "<f>1+1</f>", 's="1"/>', "hidden"):
        assert mark in seen


@pytest.mark.parametrize("new", [rb"<si><si>\1</si></si>", rb"<si>\1\1</si>",
                                 rb"<si><t>\1</t></si>"])
def test_shared_strings_within_each_other(tmp_path, new):
    """One more than were written would give every later cell the text of another."""
    for seed in range(20):
        path = tmp_path / f"{seed}.xlsx"
        workbook(path, seed)
        with zipfile.ZipFile(path) as whole:
            parts = {name: whole.read(name) for name in whole.namelist()}
        name = next((n for n in parts if "sharedstrings" in n.lower()), None)
        if name and b"<si><t" in parts[name]:
            break
    parts[name] = re.sub(rb"<si>(<t(?: [^>]*)?>[^<]*</t>)</si>", new, parts[name], count=1)
    with zipfile.ZipFile(path, "w") as changed:
        for part, data in parts.items():
            changed.writestr(part, data)
    with pytest.raises(SheetError, match=r"cannot be read: string \d+ holds another one"):
        read_sheet(path)


MIB = 1 << 20


@pytest.mark.parametrize("sizes, said", [
    ([(32 * MIB, 1)], ""), ([(32 * MIB + 1, 0)], "32 MiB"), ([(250 * MIB, MIB)], ""),
    ([(250 * MIB + 1, MIB)], "250 MiB"), ([(512 * MIB, 3 * MIB)] * 2, ""),
    ([(512 * MIB, 3 * MIB), (512 * MIB + 1, 3 * MIB)], "1024 MiB")])
def test_how_much_may_be_unpacked(tmp_path, sizes, said):
    """32 MiB of anything, 250 times the packed size beyond that, and 1 GiB in all."""
    path = tmp_path / "a.xlsx"
    openpyxl.Workbook().save(path)
    with Workbook(path) as book:
        parts = [zipfile.ZipInfo(f"{i}.xml") for i in range(len(sizes))]
        for part, (whole, packed) in zip(parts, sizes, strict=True):
            part.file_size, part.compress_size = whole, packed
        book.zip.infolist = lambda: parts
        if said:
            with pytest.raises(SheetError, match=f"unpacks to {said}"):
                book._limit()
        else:
            book._limit()
