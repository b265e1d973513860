"""``label counts``: from the sheets to the same count tables as the study's."""

from dataclasses import replace

import pandas as pd

from study.base.errors import StudyError
from study.base.files import publish
from study.base.numbers import plural
from study.extend.canonical import to_text
from study.extend.decided import adjudicated_text, decide, rows_of
from study.extend.folder import read_csv
from study.extend.handed_in import canonical_rows, read_round
from study.extend.versions import carried, crosswalk
from study.read.codebook import FACETS, UNDECIDED
from study.read.form import NOT_RELEVANT, is_new
from study.read.policy import STRICT, prepared
from study.tabulate.rebuild import count_tables
from study.tabulate.tables import to_csv


def counts(extension):
    """Every count table of an extension.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    tuple of (dict of str to pandas.DataFrame, dict of str to str)
        The tables (``tables.COLUMNS``), made by the functions that make the study's; and the
        texts of ``labels.csv`` (canonical form) and ``adjudicated.csv``.

    Raises
    ------
    StudyError
        A sheet has errors, something is not decided, or a proposed category is open.
    """
    codebook, walk = extension.codebook(), crosswalk(extension)
    candidates = pd.DataFrame(read_csv(extension.path("candidates.csv"),
                                       ("thread", "platform", "frameworks")))
    sources = {t.thread: t.source for t in extension.tasks()}
    rows, decided, checked = [], [], []
    for number in sorted(extension.plan["rounds"], key=int):
        sheets = read_round(extension, number)
        one = decide(extension, number, sheets)
        if errors := [p for p in one.problems if p.severity == "error"]:
            raise StudyError(f"round {number}: {plural(len(errors), 'error')} in the "
                             f"decisions, the first: {errors[0]}. `label check {extension.name} "
                             "--decisions` lists them all")
        one.labels = {item: {f: carried(f, labels[f], walk, codebook) for f in FACETS}
                      for item, labels in one.labels.items()}
        _closed(extension, one)
        rows += [replace(row, cells=_carried(row.cells, extension.codebook(number), walk,
                                             codebook))
                 for sheet in sheets for *_, row in sheet.rows]
        rows += rows_of(one, sources)
        decided.append(one)
        checked += sheets
    relevant = [replace(one, labels={i: ls for i, ls in one.labels.items()
                                     if ls["issue_type"] != NOT_RELEVANT}) for one in decided]
    last = [row for one in relevant for row in rows_of(one, sources, "final")]
    if not last:
        raise StudyError(f"{extension.name}: no issue is left after adjudication; nothing to "
                         "count")
    out = [*_not_relevant(decided), *_dropped(decided)]
    return count_tables(rows, candidates, codebook, final=last, excluded=out), {
        "labels": to_text(canonical_rows(extension, checked)),
        "adjudicated": adjudicated_text(decided)}


def _carried(cells, own, walk, newest):
    """Cells of a rater's row in the words of the newest codebook; spelling stays as filed."""
    made = {}
    for facet, text in prepared(cells, own, STRICT).items():
        found = own.resolve(facet, text)
        name = carried(facet, found[0] if found else text, walk, newest)
        made[facet] = text if found and name == found[0] else name
    return made


def _closed(extension, one):
    for item, labels in one.labels.items():
        for facet in FACETS:
            if UNDECIDED in labels[facet] or any(map(is_new, labels[facet].split(";"))):
                raise StudyError(
                    f"{item}, {facet}: {labels[facet]!r} is open; decide on the proposal with "
                    f"`label codebook propose {extension.name}` and `label codebook new "
                    f"{extension.name}`, or decide the issue otherwise in the workbook of "
                    f"round {one.round}")


def _not_relevant(decided):
    for one in decided:
        for row in rows_of(one, dict.fromkeys((i.rpartition("/")[0] for i in one.labels), "")):
            if row.cells["issue_type"] == NOT_RELEVANT:
                yield (row.file, row.sheet, row.number, "every count",
                       "not relevant: not about distributed training")


def _dropped(decided):
    for one in decided:
        for number, _ in enumerate(sorted(one.dropped), len(one.labels) + 1):
            yield ("adjudicated.csv", f"round {one.round}", number, "every count",
                   "no issue of its own, as decided")


def write(extension, tables, texts):
    """Write tables and labels into the extension's folder.

    Parameters
    ----------
    extension : Extension
    tables : dict of str to pandas.DataFrame
    texts : dict of str to str

    Returns
    -------
    list of pathlib.Path
        What changed.
    """
    files = {f"{name}.csv": to_csv(table) for name, table in tables.items()}
    files |= {f"{name}.csv": text for name, text in texts.items()}
    return [extension.path(n) for n, text in files.items() if publish(extension.path(n), text)]
