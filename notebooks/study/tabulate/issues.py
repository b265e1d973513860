"""From the sheets to one long table: who labelled which issue how, in which round.

pandas is imported where a table is made: reading and checking a sheet needs none, and
loading pandas takes as long as reading 30,000 rows.
"""

import re
from dataclasses import dataclass

from study.base.errors import StudyError
from study.base.threads import thread_key
from study.base.words import fold
from study.read.codebook import FACETS
from study.read.form import Numbering
from study.read.repair import RULES, as_filed, repair, unknown
from study.read.sheets import SheetError, read_sheet

COLUMNS = ["thread", "issue", "round", "rater", "facet", "as_filed", "repaired", "rule"]
LEFT_OUT = {
    "blank": "a row without any entry inside the thread above it",
    "no label": "a link with no label beside it",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a sheet: where it stands, whose it is, and its cells by facet.

    ``issue`` is its place within the thread; blank rows between two of its rows count.
    """

    file: str
    sheet: str
    number: int
    thread: str
    issue: int
    round: str
    rater: str
    cells: dict
    titles: frozenset
    source: str = ""


def read_declared(folder, upstream):
    """Rows of every declared sheet.

    Parameters
    ----------
    folder : pathlib.Path
        Where the verified files lie under their plain names.
    upstream : Upstream
        Declares the sheets and their columns.

    Returns
    -------
    tuple of (list of Row, pandas.DataFrame)
        The labelled rows in the order of the sheets; and what was left out, with
        columns file, sheet, row, reason.

    Raises
    ------
    StudyError
        A file cannot be read, a sheet or column is missing or named otherwise, or a
        label row stands under no link.
    """
    import pandas as pd
    rows, left_out, issues = [], [], {}
    for declared in upstream.sheets:
        try:
            sheet = read_sheet(folder / declared["file"], declared["sheet"])
        except SheetError as error:
            raise StudyError(str(error)) from None
        for row in sheet_rows(sheet, declared, upstream.columns, issues):
            if isinstance(row, Row):
                rows.append(row)
            else:
                left_out.append(row)
    return rows, pd.DataFrame(left_out, columns=["file", "sheet", "row", "reason"])


def sheet_rows(sheet, declared, titles, issues=None, report=None):
    """Rows of one sheet by a declared mapping of columns.

    Parameters
    ----------
    sheet : Sheet
    declared : dict
        Keys ``round``, ``rater``, ``columns`` (facets, ``link``, ``type``, ``memo``, ``issue``)
        and, where the whole sheet is of one issue type, ``issue_type``.
    titles : dict of str to list of str
        The column titles that may stand for each of them.
    issues : dict, optional
        Last place by (round, rater, thread); shared where one set of labels
        is spread over several sheets.
    report : callable, optional
        Takes row, column and message where a row has no thread; the row, and those below it
        that belong to it, are then passed over. Without it such a row is an error.

    Yields
    ------
    Row or tuple of (file, sheet, row, reason)
    """
    titles = {**titles, **declared.get("titles", {})}
    at = {name: column(sheet, name, titles) for name in declared["columns"]}
    place = Numbering(issues)
    for problem in sheet.problems:
        # A formula whose value is not stored would pass for a blank cell.
        if problem.severity == "error" and problem.column in {i + 1 for i in at.values()}:
            raise StudyError(str(problem))
    # A column title pasted into a cell may come from a sister sheet with other titles.
    folded = frozenset(fold(t) for names in titles.values() for t in names)
    thread = source = ""
    labels = [f for f in FACETS if f in at]
    filled, shared, skipped = dict(sheet.rows), {}, 0
    for number in range(sheet.header_row + 1, max(filled, default=0) + 1):
        values = filled.get(number)
        if values is None:
            skipped += 1
            yield (sheet.file, sheet.name, number, "blank")
            continue
        cells = {name: values[i] for name, i in at.items()}
        link, kind = cells.pop("link").strip(), cells.pop("type", "").strip()
        stated = cells.pop("issue", "").strip()
        if link:
            thread, source = _thread(sheet, number, link, report), kind
        elif not thread and thread is not None:
            thread = _no_thread(sheet, number, "blank, and no link above it; fill in the "
                                "thread's address", report)
        if thread is None:
            continue
        issue = place.of((declared["round"], declared["rater"], thread), stated, skipped)
        skipped = 0
        if not any(map(str.strip, map(cells.__getitem__, labels))):
            yield (sheet.file, sheet.name, number, "no label" if link else "blank")
            continue
        if "issue_type" in declared:
            cells["issue_type"] = declared["issue_type"]
        # Rows with the same cells share them: sheets are repetitive.
        cells = shared.setdefault(tuple(cells.values()), cells)
        yield Row(sheet.file, sheet.name, number, thread, issue, declared["round"],
                  declared["rater"], cells, folded, source)


def column(sheet, name, titles):
    """0-based column of a sheet for a declared name; StudyError where there is none or two."""
    wanted = {fold(t) for t in titles[name]}
    found = [i for i, title in enumerate(sheet.header) if fold(title) in wanted]
    if len(found) != 1:
        has = ", ".join(repr(t) for t in sheet.header if t.strip())
        raise StudyError(
            f"{sheet.file}, sheet {sheet.name}, row {sheet.header_row}: "
            f"{'no column' if not found else f'{len(found)} columns'} titled "
            f"{' or '.join(map(repr, titles[name]))}; found {has}. Rename it, or add the title "
            f"to [columns] {name} in data/upstream.toml")
    return found[0]


def _thread(sheet, number, link, report):
    try:
        return thread_key(link)
    except StudyError as error:
        return _no_thread(sheet, number, str(error), report)


def _no_thread(sheet, number, message, report):
    if report is None:
        raise StudyError(f"{sheet.file}, sheet {sheet.name}, row {number}, column Link: "
                         f"{message}")
    report(number, "link", message)


def label_table(rows, codebook):
    """The canonical long table, one row a label.

    Parameters
    ----------
    rows : list of Row
    codebook : Codebook

    Returns
    -------
    pandas.DataFrame
        Columns thread, issue (number within the thread), round, rater, facet,
        as_filed, repaired, rule (the rules that fired, joined with ``+``; blank where
        none did). Facets that are blank in both readings are left out.

    Raises
    ------
    StudyError
        Labels no rule explains: each with file, sheet, row, column, value and the
        nearest entries of the codebook.
    """
    import pandas as pd
    records, problems = [], []
    for row in rows:
        filed = as_filed(row.cells, codebook)
        labels, fired = repair(row.cells, codebook, row.titles)
        for facet in unknown(labels, codebook):
            problems.append(f"{row.file}, sheet {row.sheet}, row {row.number}, {facet}: unknown "
                            f"label {labels[facet]!r}{codebook.hint(facet, labels[facet])}")
        records += [(row.thread, row.issue, row.round, row.rater, facet, filed[facet],
                     labels[facet], "+".join(fired.get(facet, [])))
                    for facet in FACETS if filed[facet] or labels[facet]]
    if problems:
        raise StudyError("\n".join([*problems, f"{len(problems)} unknown labels; correct them in "
                                    "the sheet, or add an entry or alias to data/codebook.toml"]))
    return pd.DataFrame(records, columns=COLUMNS)


def wide(rows, read):
    """One row an issue, one column a facet.

    Parameters
    ----------
    rows : list of Row
    read : callable
        Row → dict of label by facet; see :func:`reader`.

    Returns
    -------
    pandas.DataFrame
        Indexed by round, rater, thread, issue; a column a facet, ``""`` where blank.
    """
    import pandas as pd
    index = pd.MultiIndex.from_tuples([(r.round, r.rater, r.thread, r.issue) for r in rows],
                                      names=["round", "rater", "thread", "issue"])
    return pd.DataFrame([read(row) for row in rows], index=index, columns=list(FACETS))


def reader(codebook, rules=None):
    """A function that reads one row: as filed (no rules), or with some repair rules.

    Parameters
    ----------
    codebook : Codebook
    rules : collection of str, optional
        Of ``readings.RULES``; all of them by default, none for *as filed*.

    Returns
    -------
    callable
        Row → dict of label by facet.
    """
    if rules is not None and not rules:
        return lambda row: as_filed(row.cells, codebook)
    chosen = tuple(RULES) if rules is None else tuple(rules)
    return lambda row: repair(row.cells, codebook, row.titles, chosen)[0]


_SOURCE = re.compile(r"(GitHub|SO)-([\w.+-]+)")
PLATFORMS = {"GitHub": "GitHub", "SO": "Stack Overflow"}


def source(row):
    """Platform and frameworks a row's Type cell names.

    Parameters
    ----------
    row : Row
        Of the final table; ``source`` is for example ``"SO-tensorflow & SO-keras"``.

    Returns
    -------
    tuple of (str, list of str)

    Raises
    ------
    StudyError
        Where the cell has another form, or names two platforms.
    """
    parts = [_SOURCE.fullmatch(p.strip()) for p in row.source.split("&")]
    if not all(parts) or len({p[1] for p in parts}) != 1:
        raise StudyError(f"{row.file}, sheet {row.sheet}, row {row.number}, column Type: "
                         f"{row.source!r}; write GitHub-framework or SO-framework, several "
                         "joined with &")
    return PLATFORMS[parts[0][1]], sorted({p[2] for p in parts})

