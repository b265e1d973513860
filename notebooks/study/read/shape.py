"""What the shape of a label sheet says against it, whoever reads it: each fault at its place."""

import hashlib
from dataclasses import replace

from study.base.words import fold
from study.read.faults import STORED
from study.read.sheet import Problem, column_letter, shown


def faults(sheet, used, beside=frozenset(), dates=(), ours=False):
    """Faults that show before any label is read.

    Parameters
    ----------
    sheet : study.read.sheet.Sheet
    used : set of int
        0-based columns of items and labels: what was stored there otherwise than it was typed is
        an error.
    beside : set of int
        Columns where it is a warning.
    dates : collection of int
        Columns in which a date may stand.
    ours : bool
        The sheet was handed out, so its columns are known: a doubled title of one, a value
        beyond them and a row of another length are errors.

    Yields
    ------
    Problem

    Examples
    --------
    >>> from study.read.sheet import Sheet
    >>> sheet = Sheet("a.csv", "", ("id", "a", "a"), 1, [(2, ("1", "x", "y"))])
    >>> [str(p) for p in faults(sheet, {0, 1})]
    ["a.csv, row 1, column C: 2 columns are called 'a' (B and C); rename or delete one"]
    """
    def at(row, column, value, message, severity, kind):
        return Problem(sheet.file, sheet.name, row, None if column is None else column + 1, value,
                       message, severity, kind)

    head = sheet.header_row or 1
    if sheet.hidden:
        yield at(None, None, "", "a hidden sheet; it is read", "warning", "hidden-sheet")
    for column in sorted(used):
        if column + 1 in sheet.hidden_cols:
            yield at(head, column, sheet.header[column], "a hidden column; it is read", "warning",
                     "hidden-column")
    places = {}
    for i, title in enumerate(sheet.header):
        places.setdefault(fold(title) if ours else title.strip(), []).append(i)
    for i in places.pop("", ()):
        if i not in used:
            yield from _untitled(sheet, i, ours, at)
    for found in places.values():
        if len(found) > 1:
            title, letters = sheet.header[found[0]].strip(), " and ".join(
                column_letter(i + 1) for i in found)
            yield at(head, found[1], title, f"{len(found)} columns are called {shown(title)} "
                     f"({letters}); rename or delete one", "error" if ours and {*found} & (
                         used | beside) else "warning", "doubled-title")
    for problem in sheet.problems:
        yield from _stored(sheet, problem, used, beside, dates, ours)


def _untitled(sheet, i, ours, at):
    """The first value of a column without title; rows of another length are said elsewhere."""
    long = {p.row for p in sheet.problems if p.kind == "row-length"}
    for number, cells in sheet.rows:
        if cells[i].strip() and number not in long:
            beyond = not any(t.strip() for t in sheet.header[i:])
            yield at(number, i, cells[i], "a value in a column without title, which is not read"
                     + ("; the row may be shifted: move the value to its column, or delete it"
                        if beyond or ours else ""), "error" if ours else "warning", "no-title")
            return


def _stored(sheet, problem, used, beside, dates, ours):
    """A finding of the cell reader: as grave as its column, dropped where that is not read."""
    if problem.kind == "row-length":
        harmless = not ours and _beyond(problem, max(used, default=-1), used)
        yield replace(problem, severity="warning" if harmless else "error")
    elif problem.kind not in (*STORED, "formula"):  # of the whole file
        yield problem
    elif problem.row > sheet.header_row:
        column, kind = problem.column - 1, problem.kind
        a_date = kind == "date" and column in dates
        if column in used:
            severe = kind in STORED and not a_date
            more = "; write it as text" if severe and kind == "date" else ""
            yield replace(problem, message=problem.message + more,
                          severity="error" if severe else problem.severity)
        elif column in beside and not a_date:
            yield replace(problem, severity="warning")


def _beyond(problem, last, used):
    """Whether a row too long or too short is so only beyond the columns in use."""
    if problem.value:  # a cell too many: it slips in at the right of the columns in use
        return used == set(range(last + 1)) and last < problem.column - 2
    return last < problem.column - 1


def merged(sheet, used):
    """Merged ranges that cover cells of the columns in use, without their own value.

    Parameters
    ----------
    sheet : study.read.sheet.Sheet
    used : set of int

    Yields
    ------
    (Problem, list of (int, int))
        The fault at the top of the range, and row and 0-based column of each cell covered.

    Examples
    --------
    >>> from study.read.sheet import Sheet
    >>> rows = [(2, ("1", "x")), (3, ("2", ""))]
    >>> [(str(p), c) for p, c in merged(Sheet("a", "", ("id", "a"), 1, rows, [(2, 3, 2, 2)]), {1})]
    ... # doctest: +ELLIPSIS
    [('a, row 2, column B: merged cells B2:B3: only the first has a value; ...', [(3, 1)])]
    """
    for r1, r2, c1, c2 in sheet.merged:
        touched = [c for c in range(c1 - 1, c2) if c in used]
        covered = [(n, c) for n, _ in sheet.rows if touched and r1 <= n <= r2
                   for c in touched if (n, c) != (r1, c1 - 1)]
        if covered:
            where = f"{column_letter(c1)}{r1}:{column_letter(c2)}{r2}"
            yield Problem(sheet.file, sheet.name, r1, touched[0] + 1, where, f"merged cells {where}"
                          ": only the first has a value; unmerge them and fill in each", "error",
                          "merged"), covered


def same_bytes(paths):
    """A warning for each file that is a copy of one before it.

    Parameters
    ----------
    paths : iterable of pathlib.Path

    Yields
    ------
    Problem
    """
    seen = {}
    for path in paths:
        first = seen.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
        if first is not path:
            yield Problem(path.name, "", None, None, "", f"the same bytes as {first.name}: one "
                          "rater's file twice, or labels that were agreed upon", "warning",
                          "same-file")
