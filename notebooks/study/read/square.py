"""Counts as a file: a square table of two raters, or how many raters took which category."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from study.read.codebook import Categories
from study.read.labelsheet import TOTALS
from study.read.labelwords import clean
from study.read.records import Labels, Rating
from study.read.sheet import SheetError, column_letter, place, shown
from study.read.sheets import read_sheet


def read_table(path, sheets=(), header_row=None, facets=None, facet=""):
    """Read a square table: rater 1's categories in column A, rater 2's in the header.

    Parameters
    ----------
    path : str or Path
    sheets : sequence of str
        At most one sheet name.
    header_row : int, optional
    facets : dict of str to Categories, optional
        With categories beyond those of the table.
    facet : str
        Which of them.

    Returns
    -------
    labels : Labels
        A rating of each rater for each cell, with its count.
    codebooks : dict of str to Categories

    Raises
    ------
    SheetError
        Not square, other categories in the rows than in the columns, no whole number, or
        totals that are not the sums.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "t.csv"
    >>> _ = path.write_text(",a,b\\na,3,1\\nb,0,2\\n", encoding="utf-8")
    >>> labels, books = read_table(path)
    >>> [(r.label, r.count) for r in labels.ratings if r.rater == "rater 1"]
    [('a', 3), ('a', 1), ('b', 2)]
    """
    sheet = without_totals(read_sheet(path, next(iter(sheets), None), header_row))
    columns = [clean(t)[0] for t in sheet.header[1:]]
    rows = [clean(cells[0])[0] for _, cells in sheet.rows]
    if sorted(columns) != sorted(rows) or len(set(columns)) < len(columns):
        raise SheetError(f"{place(sheet.file, sheet.name, sheet.header_row)}: the categories of "
                         f"the header ({', '.join(columns)}) and of column A "
                         f"({', '.join(rows)}) must be the same, each once")
    errors = [str(p) for p in sheet.problems if p.severity == "error"]
    if errors:
        raise SheetError("\n".join(errors))
    facets = facets or {}
    book = facets.get(facet) or (next(iter(facets.values())) if len(facets) == 1 else None)
    if facets and book is None:
        raise SheetError(f"{len(facets)} facets in the codebook; say which with --facet")
    labels = Labels([], [], [Path(path)])
    for (number, cells), one in zip(sheet.rows, rows, strict=True):
        for i, other in enumerate(columns, 1):
            text = cells[i].strip() or "0"
            if not text.isascii() or not text.isdigit():
                raise SheetError(f"{place(sheet.file, sheet.name, number, i + 1)}: "
                                 f"{shown(cells[i])} is no count; a whole number is needed")
            if int(text):
                cell = f"{column_letter(i + 1)}{number}"
                for rater, label in (("rater 1", one), ("rater 2", other)):
                    if book and book.find(label)[0] is None:
                        raise SheetError(f"{place(sheet.file, sheet.name, number)}: "
                                         f"{book.complaint(label)}")
                    found = book.find(label)[0] if book else label
                    labels.ratings.append(Rating(cell, rater, found, count=int(text), row=number,
                                                 file=sheet.file, sheet=sheet.name))
    return labels, {"": book or Categories.of(columns, "table")}


def read_weights(path):
    """Read what each disagreement counts: a square table of weights, or of distances.

    Parameters
    ----------
    path : str or Path
        Categories in the first column and in the header. Weights of agreement are 1 on the
        diagonal; distances are 0 there and become weights by 1 - distance / largest distance.

    Returns
    -------
    categories : list of str
    weights : dict of (str, str) to float

    Raises
    ------
    SheetError
        Not square, no number, asymmetric, or neither all 1 nor all 0 on the diagonal.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "w.csv"
    >>> _ = path.write_text(",a,b,c\\na,0,1,4\\nb,1,0,1\\nc,4,1,0\\n", encoding="utf-8")
    >>> read_weights(path)[1]["a", "b"]
    0.75
    """
    sheet = read_sheet(path)
    where = place(sheet.file, sheet.name)
    columns = [clean(t)[0] for t in sheet.header[1:]]
    if [clean(cells[0])[0] for _, cells in sheet.rows] != columns or len(set(columns)) < len(
            columns):
        raise SheetError(f"{where}: the categories of the header and of the first column must be "
                         "the same, in the same order, each once")
    values = np.zeros((len(columns), len(columns)))
    for i, (number, cells) in enumerate(sheet.rows):
        for j, text in enumerate(cells[1:]):
            try:
                values[i, j] = float(text)
            except ValueError:
                values[i, j] = np.nan
            if not np.isfinite(values[i, j]) or values[i, j] < 0:
                raise SheetError(f"{place(sheet.file, sheet.name, number, j + 2)}: {shown(text)} "
                                 "is no weight; a number from 0 on is needed")
    if not np.diag(values).any() and values.max(initial=0) > 0:
        values = 1 - values / values.max()
    if not (np.diag(values) == 1).all() or values.max(initial=0) > 1 or (values != values.T).any():
        raise SheetError(f"{where}: weights are 1 on the diagonal, from 0 to 1, and the same both "
                         "ways; distances are 0 on the diagonal")
    return columns, {(a, b): float(values[i, j]) for i, a in enumerate(columns)
                     for j, b in enumerate(columns)}


def read_counts(path, sheets=(), header_row=None, facets=None, item=""):
    """Read counts of items × categories: the form of Fleiss, statsmodels and irrCAC.

    Parameters
    ----------
    path : str or Path
    sheets : sequence of str
        At most one sheet name.
    header_row : int, optional
    facets : dict of str to Categories, optional
        One, with categories beyond those of the table.
    item : str
        Title of the column that names the items. Without it the first column does if it holds
        anything but whole numbers, counts from 1 up, or would give the rows unequal sums that
        are equal without it; else every column is a category.

    Returns
    -------
    counts : numpy.ndarray of int64, shape (items, categories)
    categories : list of str
    said : str
        Which column was taken for the items, "" where it was named.

    Raises
    ------
    SheetError
        No whole number, a doubled category, or totals that are not the sums.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "c.csv"
    >>> _ = path.write_text("unit,a,b\\n1,3,0\\n2,1,2\\n", encoding="utf-8")
    >>> counts, categories, _ = read_counts(path)
    >>> counts.tolist(), categories
    ([[3, 0], [1, 2]], ['a', 'b'])
    """
    sheet = read_sheet(path, next(iter(sheets), None), header_row)
    skip = [sheet.column(item)] if item else [0] * _names_items(sheet)
    said = "" if item else (
        f"{sheet.file}: the first column, {shown(sheet.header[0])}, "
        + ("names the items" if skip else "is a category") + " (--item COLUMN says otherwise)")
    keep = [i for i in range(len(sheet.header)) if i not in skip]
    sheet = without_totals(replace(
        sheet, header=("", *(sheet.header[i] for i in keep)),
        rows=[(n, (cells[skip[0]] if skip else f"row {n}", *(cells[i] for i in keep)))
              for n, cells in sheet.rows]))
    book = next(iter((facets or {}).values()), None)
    names = [clean(t)[0] for t in sheet.header[1:]]
    if book:
        for name in names:
            if book.find(name)[0] is None:
                raise SheetError(f"{place(sheet.file, sheet.name, sheet.header_row)}: "
                                 f"{book.complaint(name)}")
        names = [book.find(name)[0] for name in names]
    if len(set(names)) < len(names):
        raise SheetError(f"{place(sheet.file, sheet.name, sheet.header_row)}: a category stands "
                         "twice; each has one column")
    categories = list(book.names) if book else names
    at = [categories.index(name) for name in names]
    counts = np.zeros((len(sheet.rows), len(categories)), np.int64)
    for row, (number, cells) in zip(counts, sheet.rows, strict=True):
        for i, text in zip(at, cells[1:], strict=True):
            text = text.strip().removesuffix(".0") or "0"
            if not text.isascii() or not text.isdigit():
                raise SheetError(f"{place(sheet.file, sheet.name, number)}: {shown(text)} is no "
                                 "count; a whole number is needed (--item names the column of "
                                 "the items)")
            row[i] = int(text)
    return counts, categories, said


def _names_items(sheet):
    first = [cells[0].strip() for _, cells in sheet.rows]
    if not all(text.isascii() and text.isdigit() for text in first):
        return True
    numbers = [int(text) for text in first]
    others = {sum(map(_whole, cells[1:])) for _, cells in sheet.rows}
    return numbers in (list(range(len(first))), list(range(1, len(first) + 1))) or (
        len(others) == 1 and len(set(numbers)) > 1)


def without_totals(sheet):
    """The sheet without a last row and column that hold the sums of the others.

    Parameters
    ----------
    sheet : study.read.sheet.Sheet

    Returns
    -------
    study.read.sheet.Sheet

    Raises
    ------
    SheetError
        A last column or row called a total that does not hold the sums.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "t.csv"
    >>> _ = path.write_text(",a,b,Total\\na,3,1,4\\nb,0,2,2\\n", encoding="utf-8")
    >>> without_totals(read_sheet(path)).header
    ['', 'a', 'b']
    """
    header, rows = list(sheet.header), [(n, list(cells)) for n, cells in sheet.rows]
    wide = len(header) > 2 and clean(header[-1])[0].casefold() in TOTALS | {""}
    tall = len(rows) > 1 and clean(rows[-1][1][0])[0].casefold() in TOTALS | {""}
    inner = rows[:-1] if tall else rows
    last = len(header) - wide
    if wide:
        for number, cells in inner:
            _must_be(sum(_whole(c) for c in cells[1:last]), cells[-1], sheet, number, len(header))
    if tall:
        number, sums = rows[-1]
        for i in range(1, last):
            _must_be(sum(_whole(cells[i]) for _, cells in inner), sums[i], sheet, number, i + 1)
        if wide:
            _must_be(sum(_whole(c) for _, cells in inner for c in cells[1:last]), sums[-1], sheet,
                     number, len(header))
    return replace(sheet, header=header[:last], rows=[(n, cells[:last]) for n, cells in inner])


def _whole(cell):
    return int(cell) if cell.strip().isascii() and cell.strip().isdigit() else 0


def _must_be(total, cell, sheet, row, column):
    if cell.strip() and _whole(cell) != total:
        raise SheetError(f"{place(sheet.file, sheet.name, row, column)}: {cell.strip()} is not "
                         f"the sum of the counts, {total}; a category cannot be called a total")
