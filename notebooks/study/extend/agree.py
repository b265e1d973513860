"""``label agree``: agreement of the raters of each round, before anything was discussed."""

from itertools import combinations
from pathlib import Path

import pandas as pd

from study.base.errors import StudyError
from study.extend.handed_in import check_file, read_round
from study.measure.agreement import coefficients, square_table
from study.measure.results import SMALL_SAMPLE
from study.read.codebook import FACETS, MISSING, UNDECIDED
from study.read.form import NOT_RELEVANT, whose
from study.read.sheets import BOOKS
from study.read.xlsx import Workbook
from study.tabulate.rounds import MEASURED, applied, in_scope, paired

PRIMARY = "kappa"  # declared beforehand; the others always stand beside it
BESIDE = ("po", "kappa", "S", "AC1", "alpha")


def wide_labels(checked):
    """Labels of checked sheets, an issue a row and a facet a column.

    Parameters
    ----------
    checked : list of Checked

    Returns
    -------
    pandas.DataFrame
        Indexed by round, rater, thread, issue; ``""`` where blank.
    """
    keys = [(c.round, c.rater, row.thread, row.issue) for c in checked
            for *_, row in c.rows]
    index = pd.MultiIndex.from_tuples(keys, names=["round", "rater", "thread", "issue"])
    return pd.DataFrame([labels for c in checked for _, labels, *_ in c.rows], index=index,
                        columns=list(FACETS))


def agreement_table(checked, codebook):
    """Every coefficient by round, facet and pair of raters.

    Parameters
    ----------
    checked : list of Checked
        Of one round, or of several.
    codebook : Codebook

    Returns
    -------
    pandas.DataFrame
        Columns round, raters, facet, n (pairs), dropped (pairs with a missing or undecided
        label), po, kappa, low, high (95 %, of kappa), S, AC1, alpha, note. Pairs count whose
        raters agree on the issue type, for a group or sub-topic on the stage or topic, too;
        for the issue type itself all pairs.
    """
    table, records = applied(wide_labels(checked), codebook), []
    raters = sorted({c.rater for c in checked}, key=lambda r: (len(r), r))
    for number in sorted({c.round for c in checked}, key=lambda r: (len(r), r)):
        own = table.xs(number, level="round", drop_level=False)
        for left, right in combinations(raters, 2):
            if {left, right} <= set(own.index.get_level_values("rater")):
                pairs = paired(own, left, right)
                records += [{"round": number, "raters": f"{left}-{right}", "facet": facet,
                             **_measure(pairs, facet, codebook)} for facet in MEASURED]
    return pd.DataFrame(records)


def _measure(pairs, facet, codebook):
    chosen = pairs[in_scope(pairs, facet)]
    labels = list(zip(chosen[f"{facet}_1"], chosen[f"{facet}_2"], strict=True))
    kept = [p for p in labels if not {MISSING, UNDECIDED} & set(p)]
    seen = {label for pair in kept for label in pair}
    names = codebook.names(facet, final_only=True) if facet in FACETS else []
    # A set of fix patterns, a path, not applicable: categories the codebook has no entry for.
    more = [NOT_RELEVANT] if facet == "issue_type" else []
    offered = [*names, *more, *sorted(seen - set(names) - set(more))]
    record = {"n": len(kept), "dropped": len(labels) - len(kept)}
    if not kept:
        return record | dict.fromkeys((*BESIDE, "low", "high")) | {"note": "no pair of labels"}
    table = square_table(*zip(*kept, strict=True), offered)
    found = {r.coefficient: r for r in coefficients(table, PRIMARY)}
    main = found[PRIMARY]
    note = main.reason or (f"fewer than {SMALL_SAMPLE} pairs" if len(kept) < SMALL_SAMPLE else "")
    return record | {c: found[c].value for c in BESIDE} | {
        "low": main.ci_low, "high": main.ci_high, "note": note}


def agree(extension, number=None, paths=None):
    """Agreement of an extension's rounds, or of the sheets that are named.

    Parameters
    ----------
    extension : Extension
    number : str, optional
        One round only.
    paths : list of path-like, optional

    Returns
    -------
    pandas.DataFrame
        As :func:`agreement_table` returns it.

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
            raise StudyError(f"{len(errors)} errors, the first: {errors[0]}. `label check` lists "
                             "them all")
    else:
        rounds = [number] if number else sorted(extension.plan["rounds"], key=int)
        checked = [c for r in rounds for c in read_round(extension, r)]
    if len({c.rater for c in checked}) < 2:
        raise StudyError("agreement needs the sheets of two raters at least")
    return agreement_table(checked, extension.codebook())


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
