"""Comparison of an extension with the study: what differs, by how much, and what is new."""

from dataclasses import replace

import pandas as pd
from scipy.stats import fisher_exact
from statsmodels.stats.proportion import confint_proportions_2indep

from study.measure.contrasts import crosstab, holm, independence, residuals
from study.measure.fixes import patterns, system_level
from study.measure.intervals import wilson
from study.read.codebook import READINGS
from study.tabulate.tables import Study

LEVEL = 0.05
COLUMNS = ["what", "category", "n_new", "of_new", "share_new", "low_new", "high_new", "n_study",
           "of_study", "share_study", "low_study", "high_study", "difference", "low", "high",
           "residual", "p", "p_holm", "verdict"]
TESTS = {"symptom": "symptom", "stage": "stage", "distributed-specific": "specific",
         "fix pattern": "fix_pattern", "topic": "topic", "system level": "reading"}


def compare(new: Study, study: Study):
    """Shares of every category in two studies, side by side.

    Parameters
    ----------
    new, study : Study

    Returns
    -------
    pandas.DataFrame
        Columns ``COLUMNS``: of each stage, symptom, fix pattern, how-to topic, and reading of
        system-level configuration, how many of the faults (questions; without those whose label
        stays undecided) have it in both, shares
        with Wilson intervals, the difference of the shares (new minus study) with Newcombe's
        interval, the adjusted residual where the categories exclude one another, Fisher's
        exact p, Holm's p over the categories of one kind; and a verdict: ``more`` or ``less``
        (Holm's p below 0.05), ``only here``, ``not here``, or blank.
    """
    return pd.concat([_side_by_side(what, *_counts(what, new, study)) for what in TESTS],
                     ignore_index=True)[COLUMNS]


def _counts(what, new, study):
    """Counts by category in both studies, their totals, and whether categories exclude."""
    tables = [_decided(s, what) for s in (new, study)]
    totals, column = [t["n"].sum() for t in tables], TESTS[what]
    if what == "system level":
        # One codebook for both: else the same pattern might count here and not there.
        levels = [system_level(t, new.codebook) for t in tables]
        return [t.set_index("reading")["n"].reindex(READINGS) for t in levels], totals, False
    if what == "fix pattern":
        tables = list(map(patterns, tables))
    elif what == "distributed-specific":
        tables = [t.assign(specific=t["distributed_specific"].map(
            {1: "distributed-specific", 0: "not distributed-specific"})) for t in tables]
    return [t.groupby(column)["n"].sum() for t in tables], totals, what != "fix pattern"


def _decided(study, what):
    """Faults or questions without those that an extension left undecided in what is compared."""
    table = study.questions if what == "topic" else study.faults
    column = table[{"distributed-specific": "distributed_specific", "fix pattern": "fix_patterns",
                    "system level": "fix_patterns"}.get(what, what)]
    return table[column.notna() & (column.astype(str) != "")]


def _side_by_side(what, counts, totals, exclusive):
    table = pd.concat(counts, axis=1, keys=["n_new", "n_study"]).fillna(0).astype(int)
    table = table[(table.sum(axis=1) > 0)].rename_axis("category").reset_index()
    if table.empty or not all(totals):
        return pd.DataFrame(columns=COLUMNS)
    table.insert(0, "what", what)
    for side, total in zip(("new", "study"), map(int, totals), strict=True):
        shares = wilson(table[f"n_{side}"], total)
        for ours, theirs in (("of", "of"), ("share", "share"), ("low", "low"), ("high", "high")):
            table[f"{ours}_{side}"] = shares[theirs].to_numpy()
    table["difference"] = table["share_new"] - table["share_study"]
    bounds = [confint_proportions_2indep(a, n, b, m, method="newcomb", compare="diff")
              for a, n, b, m in _cells(table)]
    table["low"], table["high"] = zip(*bounds, strict=True)
    table["p"] = [float(fisher_exact([[a, n - a], [b, m - b]])[1]) for a, n, b, m in _cells(table)]
    table["p_holm"] = holm(table["p"])
    table["residual"] = _residuals(table) if exclusive and len(table) > 1 else float("nan")
    table["verdict"] = [_verdict(r) for r in table.itertuples()]
    if what == "system level":
        return table  # in the order of the readings
    return table.sort_values(["n_new", "n_study", "category"], ascending=[False, False, True])


def _cells(table):
    return zip(table["n_new"], table["of_new"], table["n_study"], table["of_study"], strict=True)


def _long(table):
    parts = [table[["category", f"n_{side}"]].rename(columns={f"n_{side}": "n"}).assign(data=side)
             for side in ("new", "study")]
    return pd.concat(parts, ignore_index=True)


def _residuals(table):
    found = residuals(crosstab(_long(table), "category", "data"))
    new = found[found["column"] == "new"].set_index("row")["residual"]
    return table["category"].map(new).to_numpy()


def _verdict(row):
    if not row.n_study:
        return "only here"
    if not row.n_new:
        return "not here"
    if row.p_holm < LEVEL:
        return "more" if row.difference > 0 else "less"
    return ""


def complete(study):
    """A study without the issues of which some label stays undecided.

    Parameters
    ----------
    study : Study
        Of an extension.

    Returns
    -------
    tuple of (Study, int)
        For functions that take every label for given; and how many issues it lacks.
    """
    kinds = ("distributed-specific", "stage", "symptom", "fix pattern")
    faults, questions = study.faults, _decided(study, "topic")
    for kind in kinds:
        faults = _decided(replace(study, faults=faults), kind)
    grouped = faults["stage"].map(study.codebook.has_group).astype(bool)
    faults = faults[~grouped | (faults["group"] != "")]
    due = questions["topic"].map(study.codebook.needs_subtopic).astype(bool)
    questions = questions[~due | (questions["subtopic"] != "")]
    left_out = sum(int(a["n"].sum() - b["n"].sum()) for a, b in (
        (study.faults, faults), (study.questions, questions)))
    if left_out:
        faults = faults.astype({"distributed_specific": int})
    return replace(study, faults=faults, questions=questions), left_out


def overall(table):
    """One test a kind of category: do the two studies' distributions differ at all?

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`compare` returns it.

    Returns
    -------
    pandas.DataFrame
        As ``contrasts.independence``, with Holm's p. Fix patterns and readings are left out:
        a fault can have several, so their counts do not exclude one another.
    """
    kinds = [w for w in TESTS if w not in ("fix pattern", "system level")]
    records = [independence(crosstab(_long(own), "category", "data"), f"{what}, extension")
               | {"comparison": what}
               for what in kinds if len(own := table[table["what"] == what])]
    made = pd.DataFrame(records)
    known = made["p"].notna()
    made["p_holm"] = float("nan")
    if known.any():
        made.loc[known, "p_holm"] = holm(made.loc[known, "p"].astype(float))
    return made


def news(table):
    """What is new: categories the study has none of, those that differ, those that lack.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`compare` returns it.

    Returns
    -------
    pandas.DataFrame
        The rows with a verdict; those *not here* only where the study's share would have let
        expect five or more.
    """
    expected = table["share_study"] * table["of_new"]
    keep = (table["verdict"] != "") & ~((table["verdict"] == "not here") & (expected < 5))
    order = {"only here": 0, "more": 1, "less": 2, "not here": 3}
    return table[keep].sort_values("verdict", key=lambda s: s.map(order), kind="stable",
                                   ignore_index=True)
