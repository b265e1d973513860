"""The shape of a filled sheet: its header, merged and hidden cells, formulas, dates."""

import csv
from pathlib import Path

from study.base.words import fold
from study.read.codebook import FACETS
from study.read.form import NEEDED, TITLES
from study.read.sheet import Problem, column_letter

# What the cell reader found → how it counts in a column of labels or ids.
KINDS = {"date": "error", "digits": "error", "error-value": "error",
         "formula-without-value": "error", "formula": "warning"}


def check_header(check):
    """Find the columns; duplicates, missing ones and values beyond the titles are errors.

    Parameters
    ----------
    check : object
        With ``sheet``, ``made`` and ``say``; see ``study.extend.check``.

    Returns
    -------
    tuple of (dict of str to int, bool)
        0-based column by name; whether the rows can be read.
    """
    sheet, at, usable = check.sheet, {}, True
    places = {}
    for i, title in enumerate(sheet.header):
        places.setdefault(fold(title), []).append(i)
    problems = check.made.problems
    for name, title in TITLES.items():
        found = places.pop(fold(title), [])
        if len(found) > 1:
            letters = " and ".join(column_letter(i + 1) for i in found)
            problems.append(_problem(sheet, sheet.header_row, found[1], title, "error", "doubled",
                                     f"two columns are called {title!r} ({letters}); rename or "
                                     "delete one"))
            usable = usable and name not in NEEDED
        if found:
            at[name] = found[0]
        elif name in NEEDED:
            problems.append(_problem(sheet, sheet.header_row or 1, None, title, "error",
                                     "no column", f"no column {title!r}; restore the header row "
                                     "as it was handed out"))
            usable = False
    blank = places.pop("", [])
    long = {p.row for p in sheet.problems if p.kind == "row-length"}  # said by the reader
    for i in blank:
        row = next((n for n, cells in sheet.rows if cells[i].strip() and n not in long), None)
        if row is not None:
            value = dict(sheet.rows)[row][i]
            problems.append(_problem(sheet, row, i, value, "error", "beyond",
                                     "a value in a column without title; the row may be shifted: "
                                     "move the value to its column, or delete it"))
    for title, where in places.items():
        problems.append(_problem(sheet, sheet.header_row, where[0], title, "warning",
                                 "extra column", f"a column {title!r} that was not handed out; "
                                 "it is not read"))
    return at, usable


def _problem(sheet, row, column, value, severity, kind, message):
    where = None if column is None else column + 1
    return Problem(sheet.file, sheet.name, row, where, value, message, severity, kind)


def check_shape(check):
    """Merged ranges, hidden parts, and what the cell reader has found.

    Parameters
    ----------
    check : object
        As above; cells that are reported here are noted in its ``texts``.
    """
    sheet, names = check.sheet, {i: name for name, i in check.at.items()}
    problems = check.made.problems
    if sheet.hidden:
        problems.append(_problem(sheet, None, None, "", "warning", "hidden",
                                 "a hidden sheet; it is read"))
    for i in sorted(check.sheet.hidden_cols):
        if names.get(i - 1) in FACETS:
            problems.append(_problem(sheet, sheet.header_row, i - 1, sheet.header[i - 1],
                                     "warning", "hidden", "a hidden column of labels; it is "
                                     "read"))
    for r1, r2, c1, c2 in sheet.merged:
        touched = [names[c - 1] for c in range(c1, c2 + 1) if names.get(c - 1) in FACETS]
        if touched and r2 > sheet.header_row:
            where = f"{column_letter(c1)}{r1}:{column_letter(c2)}{r2}"
            check.say(r1, touched[0], where, "error", "merged",
                      f"merged cells {where}: only the first has a value; unmerge them and fill "
                      "in each")
            check.texts.update({(r, n): True for r in range(r1, r2 + 1) for n in touched
                                if (r, n) != (r1, touched[0])})
    for problem in sheet.problems:
        _cell(check, problem, names)


def _cell(check, problem, names):
    name = names.get(problem.column - 1) if isinstance(problem.column, int) else None
    if problem.kind not in KINDS:  # of the whole file, or of a row
        check.made.problems.append(problem)
        return
    if (problem.row or 0) <= check.sheet.header_row:
        return
    if name == "decided_at" and problem.kind == "date":
        return
    if name in FACETS or name in ("item", "issue"):
        severity = KINDS[problem.kind]
        message = problem.message
        if problem.kind == "date":
            message += "; write the label as text"
        check.say(problem.row, name, problem.value, severity, problem.kind, message)
        if severity == "error":
            check.texts[problem.row, name] = True
    elif problem.severity != "note" and name is not None:
        check.say(problem.row, name, problem.value, "warning", problem.kind, problem.message)


def trailing_columns(path):
    """Columns without title and value at the end of a text file's header; 0 for workbooks.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    int
    """
    path = Path(path)
    if path.suffix.lower() not in (".csv", ".tsv"):
        return 0
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as stream:
        line = stream.readline()
    mark = max("\t;,", key=line.count)
    cells = next(csv.reader([line], delimiter=mark), [])
    count = 0
    while cells and not cells[-1].strip():
        cells.pop()
        count += 1
    return count
