"""Rows that are read without the parser hold what the parser makes of them."""

import io
import random
from types import SimpleNamespace
from xml.parsers import expat

import pytest
from openpyxl.utils.datetime import CALENDAR_WINDOWS_1900

from study.read.cells import CellCollector, apart

BOOK = SimpleNamespace(strings=["bug", "how-to question"], dates=frozenset({"2"}), file="a.xlsx",
                       epoch=CALENDAR_WINDOWS_1900)
CELLS = ('<c r="{}" s="1" t="inlineStr"><is><t>training &amp; evaluation</t></is></c>',
         '<c r="{}" t="inlineStr"><is><t xml:space="preserve"> a_x0009_b\n</t></is></c>',
         '<c r="{}" t="s"><v>1</v></c>', '<c r="{}"><v>7.0</v></c>',
         '<c r="{}" s="2"><v>45000</v></c>',
         '<c r="{}" s="3" t="n" />', '<c r="{}" s="3"/>', '<c r="{}" t="b"><v>1</v></c>',
         '<c r="{}" t="str"><v>&lt;&#233;&gt;</v></c>', '<c r="{}" t="e"><v>#N/A</v></c>',
         '<c r="{}"><f>A1</f><v>2</v></c>', '<c r="{}" t="inlineStr"><is><r><t>two </t></r>'
         '<r><t>runs</t></r></is></c>', '<c r="{}"><v/></c>',
         '<c r="{}" t="d"><v>2026-01-02</v></c>',
         '<c r="{}" t="str"><v>a\rb</v></c>', '<c r="{}" t="str"><v>a]]&gt;</v><!-- c --></c>',
         '<c r="{}"><v>1e16</v></c>', '<c t="s" r="{}"><v>0</v></c>', '<!-- <c r="{}"/> -->')
ROWS = ('<row r="{}">', '<row r="{}" ht="24" customHeight="1">', '\n<row r="{}" hidden="1">',
        '<row r="{}" x14ac:dyDescent="0.2" spans="1:9">', '<row spans="1:9" r="{}">')


def collected(xml, fast):
    """What a collector holds after the XML, with or without the way past the parser."""
    made = CellCollector(BOOK, "labels")
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = made.start, made.end
    parser.CharacterDataHandler = made.text
    for part in apart(io.BytesIO(xml), made.plain if fast else lambda _: False):
        parser.Parse(part)
    parser.Parse(b"", True)
    return made.rows, made.hidden_rows, made.problems, made.merged


def sheet_of(rows):
    return ('<?xml version="1.0"?><worksheet><sheetData>' + "".join(rows) + "</sheetData>"
            '<mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>').encode()


@pytest.mark.parametrize("seed", range(30))
def test_with_and_without_the_parser(seed):
    rng = random.Random(seed)
    plain = seed % 2  # every other sheet has none but the commonest cells
    rows = []
    for number in range(1, 60):
        cells = "".join(rng.choice(CELLS[:8] if plain else CELLS).format(f"{letter}{number}")
                        for letter in "ABCDZ" if rng.random() < 0.7)
        rows.append((ROWS[0] if plain else rng.choice(ROWS)).format(number) + cells + "</row>")
    assert collected(sheet_of(rows), True) == collected(sheet_of(rows), False)


def taken(row):
    return CellCollector(BOOK, "labels").plain(row.encode() if isinstance(row, str) else row)


def test_rows_as_programs_write_them_need_no_parser():
    for cell in CELLS[:8]:
        assert taken('<row r="1" spans="1:3">' + cell.format("A1") + CELLS[0].format("B1"))


@pytest.mark.parametrize("row", [
    b'<row r="1"><c r="A1" t="str"><v>\xff</v></c>', '<row r="1" hidden="1"><c r="A1"><v>1</v></c>',
    '<row r="1"><c r="A1" t="str"><v>&eacute;</v></c>', '<row r="1"><c r="A1"><v>1</v></c><x/>',
    '<row r="1"><c r="A1"><f/><v>1</v></c>', '<row r="1"><c r="A1" t="str"><v>\x01</v></c>',
    '<row><c r="A1"><v>1</v></c>', '<row r="1"><c><v>1</v></c>', '<row r="1"><row r="2">',
    '<row r="1">lost &amp; found<c r="A1"><v>1</v></c><![CDATA[x]]>',
    '<x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c>'])
def test_other_rows_are_left_to_the_parser(row):
    assert not taken(row)


def test_rows_in_a_comment_are_none():
    rows = [f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(1, 5)]
    rows[1:3] = ["<!-- ", *rows[1:3], " -->"]
    assert collected(sheet_of(rows), True)[0] == [(1, ["1"]), (4, ["4"])]


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("rows, words", [
    (['<row r="1"><c r="B1"><v>1</v></c><c r="B1"><v>2</v></c></row>'], "column B of row 1"),
    (['<row r="1"><c r="B1"><v>1</v></c><c r="A1"><v>2</v></c></row>'], "column A of row 1"),
    (['<row r="2"><c r="A2"><v>1</v></c></row>'] * 2, "row 2 stands twice"),
    (['<row r="2"><c r="A2" t="inlineStr"><is><t>1</t><t>1</t></is></c></row>'],
     "two texts in column A of row 2")])
def test_what_stands_twice(rows, words, fast):
    with pytest.raises(ValueError, match=words):
        collected(sheet_of(rows), fast)


def test_large_parts_without_rows():
    """What follows the rows, as a link for each, is read once and not again for each piece."""
    asked = []

    class Stream(io.BytesIO):
        def read(self, size=-1):
            asked.append(self.tell())
            return super().read(size)

    links = b'<hyperlink ref="F1"/>' * 200_000
    xml = sheet_of(['<row r="1"><c r="A1"><v>1</v></c></row>']).replace(b"<mergeCells>",
                                                                       links + b"<mergeCells>")
    parts = list(apart(Stream(xml), lambda _: False))
    assert b"".join(parts) == xml and len(asked) < 30
    assert max(map(len, parts)) <= 1 << 18
