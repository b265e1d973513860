"""Read sheets as text, cell by cell: csv, tsv and xlsx, nothing guessed silently.

Every cell keeps its surrounding blanks and its spelling ("None", "NA" and "nan" are
words). Rows are numbered as a spreadsheet program shows them.
"""

import csv
import re
from pathlib import Path

from study.read.sheet import Problem, Sheet, SheetError, assemble, open_checked, place, shown
from study.read.xlsx import Workbook

__all__ = ["Problem", "Sheet", "SheetError", "read_sheet", "read_sheets"]

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BOOKS = {".xlsx", ".xlsm", ".xltx", ".xltm"}
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
SEPARATOR = re.compile(r'"?sep=([,;\t|])"?\r?\n', re.I)
MAX_CELL = 1 << 20  # characters; an unclosed quote would swallow the rest of the file


def read_sheet(path, sheet=None, header_row=None, delimiter=None, expected=()):
    """Read one sheet of a workbook, or a text file.

    Parameters
    ----------
    path : str or Path
        csv (commas, semicolons or tabs; UTF-8 with or without byte order mark), tsv, xlsx.
    sheet : str, optional
        Sheet name. Without it a workbook must have one sheet with anything in it, or one with
        the titles expected.
    header_row : int, optional
        1-based row of the column titles; by default the first filled row.
    delimiter : str, optional
        Of a text file; by default found from its header.
    expected : collection of str
        Column titles that must occur; they decide between delimiters, and between sheets.

    Returns
    -------
    Sheet

    Raises
    ------
    SheetError
        The file is no such file, or the sheet is not in it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("id;label\\n1; hang\\n", encoding="utf-8")
    >>> read_sheet(path).rows
    [(2, ('1', ' hang'))]
    """
    path, head = open_checked(path)
    if not _is_book(path, head):
        if sheet:
            raise SheetError(f"{path.name}: a text file has no sheets, so no sheet "
                             f"{shown(sheet)}; leave the sheet out")
        return _read_text(path, head, header_row, delimiter, expected)
    with Workbook(path) as book:
        if sheet is not None:
            if sheet not in book.parts:
                raise SheetError(f"{path.name}: no sheet {shown(sheet)}; the sheets are: "
                                 f"{', '.join(book.names) or 'none'}")
            return book.sheet(sheet, header_row)
        if len(book.names) == 1:
            return book.sheet(book.names[0], header_row)
        filled = [s for s in map(book.sheet, book.names) if s.header_row]
        fit = [s for s in filled if expected and set(expected) <= set(map(str.strip, s.header))]
        if len(filled) == 1 or len(fit) == 1:
            return book.sheet((fit or filled)[0].name, header_row)
    raise SheetError(f"{path.name}: {len(filled)} sheets have cells "
                     f"({', '.join(s.name for s in filled)}); say which one (agree: --sheet)")


def read_sheets(path, header_row=None):
    """Read every sheet of a workbook in its order; a text file is one sheet named "".

    Parameters
    ----------
    path : str or Path
    header_row : int, optional

    Returns
    -------
    dict of str to Sheet
        Hidden sheets too: see ``Sheet.hidden``.

    Raises
    ------
    SheetError

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.tsv"
    >>> _ = path.write_text("id\\tlabel\\n1\\tNone\\n", encoding="utf-8")
    >>> read_sheets(path)[""].header
    ('id', 'label')
    """
    path, head = open_checked(path)
    if not _is_book(path, head):
        return {"": _read_text(path, head, header_row, None, ())}
    with Workbook(path) as book:
        return {name: book.sheet(name, header_row) for name in book.names}


def _is_book(path, head):
    """Whether the file is a workbook, by content; an error where name and content differ."""
    name, suffix = path.name, path.suffix.lower()
    if head.startswith(OLE):
        # A protected .xlsx is an OLE container with a stream of this name.
        if "EncryptedPackage".encode("utf-16-le") in path.read_bytes():
            raise SheetError(f"{name}: protected with a password; save it without one")
        raise SheetError(f"{name}: the old Excel format (.xls); save it as .xlsx")
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        if suffix not in BOOKS and suffix in (".csv", ".tsv", ".txt"):
            raise SheetError(f"{name}: a workbook with the name of a text file; rename it "
                             "to .xlsx")
        return True
    if not head:
        raise SheetError(f"{name}: an empty file; nothing to read")
    if suffix in BOOKS:
        raise SheetError(f"{name}: not a workbook (a text file with the name of one?); save "
                         "it as .xlsx, or rename it to .csv if it is text")
    return False


def _read_text(path, head, header_row, delimiter, expected):
    """Read a csv or tsv file."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SheetError(f"{path.name}: UTF-16 text; save it as CSV UTF-8 (agree: --encoding "
                         "utf-16)")
    if b"\0" in head:
        raise SheetError(f"{path.name}: not a text file (it has NUL bytes); csv, tsv or "
                         "xlsx is needed")
    problems = []
    if head.startswith(b"\xef\xbb\xbf"):
        problems.append(Problem(path.name, "", 1, None, "", "a byte order mark, left out",
                                "note", "byte-order-mark"))
    declared = SEPARATOR.match(head.decode("utf-8-sig", errors="replace"))
    if declared:  # a first line that Excel takes as an order and hides
        delimiter = delimiter or declared[1]
    if delimiter is None:
        delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(
            path, head, header_row or 1, expected)
        if delimiter != "," and path.suffix.lower() != ".tsv":
            problems.append(Problem(path.name, "", None, None, delimiter,
                                    f"read as separated by {DELIMITERS[delimiter]}",
                                    "note", "delimiter"))
    elif declared:
        problems.append(Problem(path.name, "", 1, None, declared[0].strip(), "the first line "
                                "names the separator; it is no row of the table", "note",
                                "delimiter"))
    records = _records(path, delimiter)
    if declared:
        next(records)
    made = assemble(path.name, "", _checked(path.name, records, header_row, problems),
                    header_row, problems=problems)
    if not made.header_row:
        raise SheetError(f"{path.name}: only blank rows; nothing to read")
    return made


def _records(path, delimiter):
    """Numbered records of a text file, with a clear error for each way it can break."""
    number, limit = 0, csv.field_size_limit(MAX_CELL)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            for number, cells in enumerate(csv.reader(stream, delimiter=delimiter,
                                                      strict=True), 1):
                yield number, cells
    except UnicodeDecodeError as error:
        raise SheetError(f"{place(path.name, row=number + 1)} or a little below: not UTF-8 "
                         f"(byte 0x{error.object[error.start]:02x}; Windows-1252?); save it "
                         "as CSV UTF-8 (agree: --encoding cp1252)") from None
    except csv.Error as error:
        raise SheetError(f"{place(path.name, row=number + 1)}: not valid csv ({error}); look "
                         "for a quotation mark that is not closed or not doubled") from None
    finally:
        csv.field_size_limit(limit)


def _checked(name, records, header_row, problems):
    """Records as they are; those whose length differs from the header's are noted."""
    width = 0
    for number, cells in records:
        if not width:
            if (header_row is None and any(map(str.strip, cells))) or number == header_row:
                width = len(cells)
        elif len(cells) != width and any(map(str.strip, cells)):
            extra = [c for c in cells[width:] if c.strip()]
            if extra:
                problems.append(Problem(
                    name, "", number, width + 1, extra[0],
                    f"{len(cells)} cells under a header of {width}: the row is shifted or a "
                    f"cell with the separator lacks its quotation marks "
                    f"({shown(extra[0])} is left over)", "error", "row-length"))
            elif len(cells) < width:
                problems.append(Problem(
                    name, "", number, len(cells) + 1, "",
                    f"{len(cells)} cells under a header of {width}: a cell is missing, so "
                    "the row may be shifted", "error", "row-length"))
        yield number, cells


def _delimiter(path, head, header_row, expected):
    """The delimiter that makes a table of the file; an error where two of them do."""
    text = head.decode("utf-8-sig", errors="replace")
    whole = len(head) < 1 << 16
    fits = {}
    for mark in DELIMITERS:
        try:
            rows = list(csv.reader(text.splitlines(keepends=True), delimiter=mark))
        except csv.Error:
            continue
        rows = [r for r in (rows if whole else rows[:-1])[header_row - 1:][:200] if r]
        if rows and len(rows[0]) > 1:
            even = sum(len(r) == len(rows[0]) for r in rows) / len(rows)
            titles = sum(t in [c.strip() for c in rows[0]] for t in expected)
            fits[mark] = (titles, even)
    if not fits:
        return ","
    best = max(fits.values())
    winners = [mark for mark, score in fits.items() if score == best]
    if len(winners) > 1:
        names = " and ".join(DELIMITERS[m] for m in winners)
        raise SheetError(f"{place(path.name, row=header_row)}: {names} both make a table; "
                         "say which one separates the cells (agree: --delimiter)")
    return winners[0]
