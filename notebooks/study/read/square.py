"""A square table of counts as a file: what papers print, read back into ratings."""

from dataclasses import replace
from pathlib import Path

from study.read.labelcodebook import LabelCodebook
from study.read.labelwords import clean
from study.read.records import Labels, Rating
from study.read.sheet import SheetError, column_letter, place, shown
from study.read.sheets import read_sheet

TOTALS = {"total", "totals", "sum", "sums", "σ", "gesamt", "summe", ""}


def read_table(path, sheets=(), header_row=None, facets=None, facet=""):
    """Read a square table: rater 1's categories in column A, rater 2's in the header.

    Parameters
    ----------
    path : str or Path
    sheets : sequence of str
        At most one sheet name.
    header_row : int, optional
    facets : dict of str to LabelCodebook, optional
        With categories beyond those of the table.
    facet : str
        Which of them.

    Returns
    -------
    labels : Labels
        A rating of each rater for each cell, with its count.
    codebooks : dict of str to LabelCodebook

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
    return labels, {"": book or LabelCodebook(tuple(columns))}


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
    wide = len(header) > 2 and clean(header[-1])[0].casefold() in TOTALS
    tall = len(rows) > 1 and clean(rows[-1][1][0])[0].casefold() in TOTALS
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
