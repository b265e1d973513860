"""``label agree``: the raters' sheets of each round, handed to the agreement report."""

from itertools import combinations
from pathlib import Path

import pandas as pd

from study.base.errors import StudyError
from study.base.numbers import plural
from study.extend.handed_in import check_file, read_round, rounds_there
from study.extend.versions import carried, crosswalk
from study.measure import slips
from study.measure.agreement_report import Options, group_report
from study.measure.kappa import offered
from study.read.codebook import FACETS, MISSING, UNDECIDED, Categories
from study.read.form import item_of, whose
from study.read.records import UNSURE, Rating
from study.read.sheets import BOOKS
from study.read.xlsx import Workbook
from study.tabulate.rounds import MEASURED, PARENTS, applied, in_scope, paired

BESIDE = ("po", "kappa", "S", "AC1", "alpha")
STATES = {MISSING: "missing", UNDECIDED: UNSURE}


def wide_labels(checked, codebook, walk):
    """Labels of checked sheets, an issue a row and a facet a column.

    Parameters
    ----------
    checked : list of Checked
    codebook : Codebook
        The newest.
    walk : dict
        Of :func:`study.extend.versions.crosswalk`: what became of proposed categories.

    Returns
    -------
    pandas.DataFrame
        Indexed by round, rater, thread, issue; ``""`` where blank.
    """
    keys = [(c.round, c.rater, row.thread, row.issue) for c in checked
            for *_, row in c.rows]
    index = pd.MultiIndex.from_tuples(keys, names=["round", "rater", "thread", "issue"])
    return pd.DataFrame([{f: carried(f, labels[f], walk, codebook) for f in FACETS}
                         for c in checked for _, labels, *_ in c.rows], index=index,
                        columns=list(FACETS))


def agreement(checked, codebook, walk, options=None, facets=MEASURED):
    """The agreement report of every round, facet and pair of raters.

    Parameters
    ----------
    checked : list of Checked
        Of one round, or of several.
    codebook : Codebook
    walk : dict
        As in :func:`wide_labels`.
    options : study.measure.agreement_report.Options, optional
    facets : collection of str

    Returns
    -------
    list of dict
        See :func:`study.measure.agreement_report.report`. Pairs count whose raters agree on the
        issue type, for a group or sub-topic on the stage or topic, too; for the issue type itself
        all pairs. Where a round has more than two raters, each pair is a group of its own; one
        group more of all raters tells the coefficients for several of them, over the issues on
        whose type (and stage or topic) all agree.
    """
    table, groups = applied(wide_labels(checked, codebook, walk), codebook), []
    texts = {(c.round, c.rater, row.thread, row.issue): row.cells
             for c in checked for *_, row in c.rows}
    for number in _sorted(c.round for c in checked):
        own = table.xs(number, level="round", drop_level=False)
        raters = _sorted(c.rater for c in checked if c.round == number)
        several = [raters] if len(raters) > 2 else []
        for some in [*map(list, combinations(raters, 2)), *several]:
            for facet in [f for f in MEASURED if f in facets]:
                groups.append(_group(own, some, number, facet, codebook, options or Options()))
                if len(some) == 2:
                    groups[-1]["warnings"] += _slips(own[facet], some, number, texts)
    return groups


def _sorted(names):
    return sorted(set(names), key=lambda name: (len(name), name))


def _group(own, raters, number, facet, codebook, options):
    said = own[own.index.get_level_values("rater").isin(raters)]
    if facet != "issue_type":
        issues = said.index.droplevel("rater")
        chosen = set()
        for left, right in combinations(raters, 2):
            pairs = paired(said, left, right)
            chosen |= set(pairs.index[in_scope(pairs, facet)])
        above = ["issue_type", *([PARENTS[facet]] if facet in PARENTS else [])]
        alike = (said[above].groupby(issues).transform("nunique") == 1).all(axis=1)
        said = said[issues.isin(chosen) & alike.to_numpy()]
    ratings = [Rating(item_of(thread, issue), rater, None if label in STATES else label,
                      STATES.get(label, ""), facet, number, thread)
               for (_, rater, thread, issue), label in said[facet].items()]
    seen = {r.label for r in ratings if r.label is not None}
    made = group_report(number, facet, ratings, raters, options,
                        Categories.of(offered(facet, codebook, seen)))
    if len(raters) > 2:
        made["pairs"] = []  # each is a group of its own
    return made


def _slips(labels, raters, number, texts):
    """A warning where the sheets share odd spellings more often than by chance."""
    said = {}
    for (_, rater, thread, issue), label in labels.items():
        text = texts[number, rater, thread, issue].get(labels.name, "").strip()
        label = "" if label in STATES else label
        said.setdefault((thread, issue), {})[rater] = label, text if label else ""
    return list(filter(None, [slips.warning(
        [(labels.name, *both[raters[0]], *both[raters[1]], 1) for both in said.values()
         if {*raters} <= both.keys()], raters)]))


def summary(groups):
    """What is read first: a row for each round, facet and pair of raters.

    Parameters
    ----------
    groups : list of dict
        As :func:`agreement` returns it.

    Returns
    -------
    pandas.DataFrame
        Columns round, raters, facet, n (pairs), dropped (pairs with a missing or undecided
        label), po, kappa, low, high, S, AC1, alpha, note.
    """
    records = []
    for group in groups:
        if len(group["raters"]) == 2:
            by = {r["coefficient"]: r for r in group["results"]}
            main = by["kappa"]
            records.append({
                "round": group["round"], "raters": "-".join(group["raters"]),
                "facet": group["facet"], "n": group["n_used"],
                "dropped": sum(group["dropped"].values()),
                **{c: by[c]["value"] for c in BESIDE}, "low": main["ci_low"],
                "high": main["ci_high"], "note": main["reason"]})
    return pd.DataFrame(records)


def agree(extension, number=None, paths=None, options=None, facets=()):
    """Agreement of an extension's rounds, or of the sheets that are named.

    Parameters
    ----------
    extension : Extension
    number : str, optional
        One round only.
    paths : list of path-like, optional
    options : study.measure.agreement_report.Options, optional
    facets : collection of str
        By default all.

    Returns
    -------
    list of dict
        As :func:`agreement` returns it.

    Raises
    ------
    StudyError
        A file holds labels from after the discussion, or a sheet has errors.
    """
    if paths:
        for path in paths:
            refuse_adjudicated(path)
        checked = [c for path in paths for c in check_file(path, extension)]
        if errors := [p for c in checked for p in c.errors()]:
            raise StudyError(f"{plural(len(errors), 'error')}, the first: {errors[0]}. `label "
                             "check` lists them all")
    else:
        rounds = [number] if number else rounds_there(extension)
        checked = [c for r in rounds for c in read_round(extension, r)]
    if len({c.rater for c in checked}) < 2:
        raise StudyError("agreement needs the sheets of two raters at least")
    return agreement(checked, extension.codebook(), crosswalk(extension), options,
                     facets or MEASURED)


def refuse_adjudicated(path):
    """StudyError where a file holds labels that were agreed upon.

    Parameters
    ----------
    path : path-like
    """
    path = Path(path)
    agreed = whose(path.name)[1] == "adjudicated"
    if not agreed and path.suffix.lower() in BOOKS and path.is_file():
        with path.open("rb") as stream:
            book = stream.read(2) == b"PK"
        if book:
            with Workbook(path) as opened:
                agreed = "decisions" in opened.parts
    if agreed:
        raise StudyError(f"{path.name}: labels from after the discussion; they agree by "
                         "construction. Agreement is measured on the raters' own sheets")
