"""``label counts``: from the sheets to the same count tables as the study's."""

from dataclasses import replace

import pandas as pd

from study.base.errors import StudyError
from study.base.files import publish
from study.base.numbers import plural
from study.base.words import JOIN, fold
from study.extend.canonical import to_text
from study.extend.decided import adjudicated_text, decide, rows_of
from study.extend.folder import read_csv
from study.extend.handed_in import canonical_rows, read_round
from study.extend.versions import CROSSWALK, carried, crosswalk
from study.read.codebook import FACETS, TITLES, UNDECIDED
from study.read.form import NOT_RELEVANT, is_new, item_of
from study.read.policy import STRICT, prepared
from study.tabulate.rebuild import count_tables
from study.tabulate.rounds import RATERS
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
        texts of ``labels.csv`` (canonical form) and ``adjudicated.csv``. An issue with a label
        that stays undecided is blank there in ``faults`` and ``questions``, and a row of
        ``exclusions`` with the reason; without an issue type it is in no count.

    Raises
    ------
    StudyError
        A sheet has errors, something has no decision, or a proposed category is open.
    """
    codebook, walk = extension.codebook(), crosswalk(extension)
    candidates = pd.DataFrame(read_csv(extension.path("candidates.csv"),
                                       ("thread", "platform", "frameworks")))
    sources = {t.thread: t.source for t in extension.tasks()}
    rows, decided, checked, out = [], [], [], []
    for number in sorted(extension.plan["rounds"], key=int):
        sheets = read_round(extension, number)
        one = decide(extension, number, sheets)
        if errors := [p for p in one.problems if p.severity == "error"]:
            raise StudyError(f"round {number}: {plural(len(errors), 'error')} in the "
                             f"decisions, the first: {errors[0]}. `label check {extension.name} "
                             "--decisions` lists them all")
        filed, one.labels = one.labels, {
            item: {f: carried(f, labels[f], walk, codebook) for f in FACETS}
            for item, labels in one.labels.items()}
        _closed(extension, one)
        out += _undecided(extension, one, filed)
        rows += [replace(row, cells=_carried(row.cells, extension.codebook(number), walk,
                                             codebook))
                 for sheet in sheets for *_, row in sheet.rows]
        rows += rows_of(one, sources)
        decided.append(one)
        checked += sheets
    relevant = [replace(one, labels={i: ls for i, ls in one.labels.items()
                                     if ls["issue_type"] not in (NOT_RELEVANT, UNDECIDED)})
                for one in decided]
    last = [row for one in relevant for row in rows_of(one, sources, "final")]
    if not last:
        raise StudyError(f"{extension.name}: no issue is left after adjudication; nothing to "
                         "count")
    out += [*_not_relevant(decided), *_dropped(decided)]
    pair = dict(zip(extension.plan["raters"], RATERS, strict=False))
    tables = count_tables([replace(row, rater=pair.get(row.rater, row.rater)) for row in rows],
                          candidates, codebook, final=last, excluded=out)
    # The functions that count know two raters, R1 and R2; a table says whose labels they are.
    tables["rounds"]["rater"] = tables["rounds"]["rater"].replace(
        {name: rater for rater, name in pair.items()})
    for name in ("exclusions", "repairs", "rows"):
        tables[name]["file"] = tables[name]["file"].replace(
            "adjudicated.csv", extension.named("adjudicated.csv"))
    return tables, {"labels": to_text(canonical_rows(extension, checked)),
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
            if any(map(is_new, labels[facet].split(JOIN))):
                raise StudyError(
                    f"{item}, {facet}: {labels[facet]!r} is open; decide on the proposal with "
                    f"`label codebook propose {extension.name}` and `label codebook new "
                    f"{extension.name}`, or decide the issue otherwise in the workbook of "
                    f"round {one.round}")


def _undecided(extension, one, filed):
    """Rows of ``exclusions`` for labels that stay undecided: of which facet, and why."""
    path = extension.path("crosswalk.csv")
    rejected = {(r["facet"], fold(r["old"])): r["why"] for r in
                (read_csv(path, CROSSWALK) if path.exists() else []) if r["new"] == UNDECIDED}
    for row in _numbered(one):
        item = item_of(row.thread, row.issue)
        # Of an issue without a type nothing else is counted.
        facets = FACETS[:1] if row.cells["issue_type"] == UNDECIDED else FACETS[1:]
        for facet in (f for f in facets if row.cells[f] == UNDECIDED):
            label = filed[item][facet]
            why = ("undecided: " + one.decisions[item, facet][2] if label == UNDECIDED else
                   f"undecided: {label!r} was not taken up: "
                   + "; ".join(rejected[facet, fold(p)] for p in label.split(JOIN)))
            yield (row.file, row.sheet, row.number,
                   "every count" if facet == "issue_type" else TITLES[facet], why)


def _not_relevant(decided):
    for one in decided:
        for row in _numbered(one):
            if row.cells["issue_type"] == NOT_RELEVANT:
                yield (row.file, row.sheet, row.number, "every count",
                       "not relevant: not about distributed training")


def _numbered(one):
    """The adjudicated labels of a round as rows, numbered as the tables have them."""
    return rows_of(one, dict.fromkeys((i.rpartition("/")[0] for i in one.labels), ""))


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
    files = {name: to_csv(table) for name, table in tables.items()} | texts
    paths = {extension.result(f"{name}.csv"): text for name, text in files.items()}
    return [path for path, text in paths.items() if publish(path, text)]
