"""What a sheet of text cells is: the record every reader returns, and its faults."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from study.base.errors import StudyError

# A value far to the right of the table would make every row that wide.
MAX_COLUMNS = 1024


class SheetError(StudyError):
    """A file cannot be read. The message is one line: where, what, what to do."""


def column_letter(number):
    """Name of a column as spreadsheets show it.

    Parameters
    ----------
    number : int
        1-based column number.

    Returns
    -------
    str

    Examples
    --------
    >>> column_letter(1), column_letter(28)
    ('A', 'AB')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def shown(value, limit=60):
    """A cell's text for a message: quoted, on one line, cut at ``limit`` characters.

    Examples
    --------
    >>> shown("two\\nlines")
    "'two\\\\nlines'"
    """
    text = str(value)
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def place(file, sheet="", row=None, column=None):
    """Where something is, in the words of a message.

    Parameters
    ----------
    file, sheet : str
        File name, and sheet name or "" for a text file.
    row : int or str, optional
        1-based row as a spreadsheet program shows it; a string lists several.
    column : int or str, optional
        1-based number, shown as a letter; a string is shown as it is.

    Returns
    -------
    str

    Examples
    --------
    >>> place("a.xlsx", "Round 1", 7, 3)
    'a.xlsx, sheet Round 1, row 7, column C'
    """
    parts = [file]
    if sheet:
        parts.append(f"sheet {sheet}")
    if row is not None:
        parts.append(f"row {row}" if isinstance(row, int) else f"rows {row}")
    if column is not None:
        parts.append(f"column {column_letter(column) if isinstance(column, int) else column}")
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding about one place of a file.

    Attributes
    ----------
    file, sheet : str
        File name and sheet name ("" for a text file).
    row : int or None
        1-based row.
    column : int or str or None
        1-based column number, or a name.
    value : str
        The cell as it stands.
    message : str
        What is the matter, without the place.
    severity : str
        "error", "warning" or "note" (something that was normalised).
    kind : str
        A short fixed word for programs, such as "formula" or "date".

    Examples
    --------
    >>> print(Problem("a.csv", "", 3, 2, "3-2", "a date", "warning"))
    a.csv, row 3, column B: a date
    """

    file: str
    sheet: str
    row: int | None
    column: int | str | None
    value: str
    message: str
    severity: str
    kind: str = ""

    def __str__(self):
        return f"{place(self.file, self.sheet, self.row, self.column)}: {self.message}"


def in_lines(problems, limit=12):
    """Findings in words, equal ones of several rows as one line.

    Parameters
    ----------
    problems : iterable of Problem
    limit : int
        Rows that are named; of more their number is said.

    Returns
    -------
    list of (Problem, str)
        The first of each kind, and its line, in order.

    Examples
    --------
    >>> same = [Problem("a.csv", "", n, 2, "x", "no label", "error") for n in (3, 5, 9)]
    >>> [line for _, line in in_lines(same)]
    ['a.csv, rows 3, 5, 9, column B: no label']
    """
    found = {}
    for p in problems:
        found.setdefault((p.severity, p.file, p.sheet, p.column, p.value, p.message),
                         []).append(p)
    made = []
    for equal in found.values():
        first, rows = equal[0], [p.row for p in equal if p.row is not None]
        if len(equal) == 1 or len(rows) < len(equal):
            made.append((first, str(first)))
            continue
        named = ", ".join(map(str, rows[:limit])) + (
            f" and {len(rows) - limit} more" if len(rows) > limit else "")
        made.append((first, f"{place(first.file, first.sheet, named, first.column)}: "
                            f"{first.message}"))
    return made


@dataclass(frozen=True)
class Sheet:
    """One sheet (or one text file) with every cell as text.

    Attributes
    ----------
    file, name : str
        File name without folders; sheet name, "" for a text file.
    header : tuple of str
        The header row, padded with "" to the width of the widest filled row.
    header_row : int
        1-based row of the header; 0 where the sheet is empty.
    rows : list of (int, tuple of str)
        Row number and cells, all of the header's width. A blank cell is "". Blank rows
        are left out and counted in ``blank_rows``.
    merged : list of (int, int, int, int)
        first row, last row, first column, last column; 1-based. Only the top left cell
        of a range has a value: nothing is filled in.
    hidden_rows, hidden_cols : frozenset of int
        1-based. Hidden rows and columns are read like all others.
    problems : list of Problem
        What the reader saw and did not change.
    hidden : bool
        The sheet itself is hidden.
    blank_rows : int
        Rows below the header without anything but blanks. Those at the end count in a
        text file, where separators make them rows, and not in a workbook.

    Examples
    --------
    >>> Sheet("a.csv", "", ("id", "label"), 1, [(2, ("1", "bug"))]).column("label")
    1
    """

    file: str
    name: str
    header: tuple
    header_row: int
    rows: list
    merged: list = field(default_factory=list)
    hidden_rows: frozenset = frozenset()
    hidden_cols: frozenset = frozenset()
    problems: list = field(default_factory=list)
    hidden: bool = False
    blank_rows: int = 0

    def column(self, title):
        """0-based position of the column with this title; blanks at its ends do not count.

        Parameters
        ----------
        title : str

        Returns
        -------
        int

        Raises
        ------
        SheetError
            No column has the title, or several have it.
        """
        found = [i for i, name in enumerate(self.header) if name.strip() == title.strip()]
        where = place(self.file, self.name, self.header_row or None)
        if not found:
            names = ", ".join(name.strip() for name in self.header if name.strip())
            raise SheetError(f"{where}: no column {shown(title)}; the columns are: {names}")
        if len(found) > 1:
            letters = " and ".join(column_letter(i + 1) for i in found)
            raise SheetError(f"{where}: {len(found)} columns are called {shown(title)} "
                             f"({letters}); rename all but one (agree: column:"
                             f"{column_letter(found[0] + 1)})")
        return found[0]


def assemble(file, name, records, header_row=None, **more):
    """Make a :class:`Sheet` of numbered records: find the header, pad, drop blanks.

    Parameters
    ----------
    file, name : str
    records : iterable of (int, list of str)
        Row number and cells, in order; rows may be missing or short.
    header_row : int, optional
        1-based row of the header. By default the first row with anything in it.
    **more
        Further fields of the sheet.

    Returns
    -------
    Sheet

    Raises
    ------
    SheetError
        The declared header row is blank or absent, or a value lies beyond column 1024.

    Examples
    --------
    >>> assemble("a.csv", "", [(1, ["id", "label", ""]), (3, ["1"])]).rows
    [(3, ('1', ''))]
    """
    rows, header, at, width, last = [], [], 0, 0, 0
    for number, cells in _trimmed(records):
        last = number
        if not cells:
            continue
        width = max(width, len(cells))
        if width > MAX_COLUMNS:
            raise SheetError(f"{place(file, name, number, len(cells))}: a value so far right "
                             f"of the table (column {len(cells)}, limit {MAX_COLUMNS}); "
                             "delete it or save the table alone")
        if not at and (header_row is None or number == header_row):
            header, at = cells, number
        elif at:
            rows.append((number, tuple(cells)))
        # Rows above a declared header are banners: read by nobody, and said so in the docs.
    if header_row is not None and not at:
        raise SheetError(f"{place(file, name, header_row)}: the header row is blank; "
                         "name the row the column titles stand in")
    blank = max(0, last - at - len(rows)) if at else 0
    rows = [(n, c if len(c) == width else c + ("",) * (width - len(c))) for n, c in rows]
    header = tuple(header) + ("",) * (width - len(header))
    hidden = frozenset(c for c in more.pop("hidden_cols", ()) if c <= width)
    return Sheet(file, name, header, at, rows, hidden_cols=hidden, blank_rows=blank, **more)


def _trimmed(records: Iterable):
    """Records without trailing blank cells; those without any cell left out."""
    for number, cells in records:
        end = len(cells)
        while end and not cells[end - 1].strip():
            end -= 1
        if cells:
            yield number, cells[:end]


def open_checked(path):
    """First bytes of a file, or a clear error where there is none.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    (Path, bytes)
        The path and up to 64 KiB.

    Raises
    ------
    SheetError

    Examples
    --------
    >>> open_checked("no such file.csv")
    Traceback (most recent call last):
    ...
    study.read.sheet.SheetError: no such file.csv: no such file; check the name
    """
    path = Path(path)
    try:
        with path.open("rb") as stream:
            return path, stream.read(1 << 16)
    except FileNotFoundError:
        raise SheetError(f"{path.name}: no such file; check the name") from None
    except IsADirectoryError:
        raise SheetError(f"{path.name}: a folder, not a file; name the files in it") from None
    except OSError as error:
        what = error.strerror or str(error)
        raise SheetError(f"{path.name}: cannot be read ({what}); check its rights") from None
