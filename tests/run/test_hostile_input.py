"""Whatever a file holds, the answer is a sheet or one clear error: never a traceback."""

import csv
import io
import zipfile

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from study.read.codebookfile import read_codebook
from study.read.columns import read_map
from study.read.sheets import SheetError, read_sheets
from study.run import agree

CALM = settings(deadline=None, max_examples=120,
                suppress_health_check=[HealthCheck.function_scoped_fixture])
CELLS = st.text(st.characters(codec="utf-8"), max_size=8)


def workbook():
    made = openpyxl.Workbook()
    for row in (["id", "one", "two"], [1, "Hang", "Crash"], [2, "Crash", None], [3, "=A1", True]):
        made.active.append(row)
    made.active.merge_cells("B3:C3")
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


BOOK = workbook()


@CALM
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.tsv", "a.xlsx", "a.txt"]))
def test_any_bytes(tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    try:
        for sheet in read_sheets(tmp_path / name).values():
            assert all(len(cells) == len(sheet.header) for _, cells in sheet.rows)
    except SheetError as error:
        assert str(error).startswith(name)
        assert "\n" not in str(error)


@CALM
@given(st.data())
def test_workbooks_with_changed_parts(tmp_path, data):
    with zipfile.ZipFile(io.BytesIO(BOOK)) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    name = data.draw(st.sampled_from(sorted(n for n in parts if "sheet" in n or "xl/" in n)))
    content = bytearray(parts[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at:at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    parts[name] = bytes(content)
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as new:
        for part, text in parts.items():
            new.writestr(part, text)
    try:
        read_sheets(tmp_path / "a.xlsx")
    except SheetError as error:
        assert "\n" not in str(error)


@CALM
@given(st.binary(min_size=1, max_size=6), st.integers(0, len(BOOK) - 1))
def test_workbooks_with_changed_bytes(tmp_path, content, at):
    (tmp_path / "a.xlsx").write_bytes(BOOK[:at] + content + BOOK[at + len(content):])
    try:
        read_sheets(tmp_path / "a.xlsx")
    except SheetError as error:
        assert "\n" not in str(error)


def test_archive_of_a_later_zip_version(tmp_path):
    at = BOOK.index(b"PK\x01\x02") + 6
    (tmp_path / "a.xlsx").write_bytes(BOOK[:at] + b"\x40\x00" + BOOK[at + 2:])
    with pytest.raises(SheetError, match="a damaged workbook"):
        read_sheets(tmp_path / "a.xlsx")


@CALM
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=8))
def test_any_labels(tmp_path, capsys, rows):
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("id", "one", "two"), *rows])
    status = agree.main([str(tmp_path / "a.csv"), "--item", "id", "--wide", "one", "two"])
    captured = capsys.readouterr()
    assert status in (0, 2, 3)
    assert bool(captured.err) == bool(status)
    assert "\x1b" not in captured.out


@CALM
@given(st.text(max_size=60), st.sampled_from(["a.toml", "a.txt", "a.csv"]))
def test_any_codebook_or_map(tmp_path, content, name):
    (tmp_path / name).write_bytes(content.encode("utf-8", "surrogatepass"))
    for reader in (read_codebook, read_map):
        try:
            reader(tmp_path / name)
        except SheetError as error:
            assert str(error).startswith(name)


@pytest.mark.parametrize("content", [
    '[[a]]\nname="x"\naliases=3', '[[a]]\nname="x"\nparents=[1]', '[[a]]\nname=3', 'a=[]',
    '[[a]]\nname=""', 'categories=[1]', 'a=[[1]]'])
def test_wrong_types_in_a_codebook(tmp_path, content):
    (tmp_path / "a.toml").write_text(content, encoding="utf-8")
    with pytest.raises(SheetError):
        read_codebook(tmp_path / "a.toml")


@pytest.mark.parametrize("content", ["header_row='x'", "header_row=0", "header_row=true",
                                     "rater_from=3", "pairs=3", "item=[3]", "sheets=3"])
def test_wrong_types_in_a_map(tmp_path, content):
    (tmp_path / "a.toml").write_text(content, encoding="utf-8")
    with pytest.raises(SheetError):
        read_map(tmp_path / "a.toml")


def test_the_wrong_column_as_rater_or_label(tmp_path, capsys):
    rows = "\n".join(f"{i},w{i},text {i}" for i in range(1500))
    path = tmp_path / "a.csv"
    path.write_text("id,who,label\n" + rows, encoding="utf-8")
    assert agree.main([str(path), "--item", "id", "--rater", "who", "--label", "label"]) == 2
    assert "is it the column with the rater's name?" in capsys.readouterr().err
    assert agree.main([str(path), "--item", "id", "--wide", "who", "label"]) == 2
    assert "is it the column with the label?" in capsys.readouterr().err
