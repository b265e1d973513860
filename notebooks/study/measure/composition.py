"""Headline quantities by framework and platform: how far each hangs on who is in the sample."""

import numpy as np
import pandas as pd

from study.base.once import once
from study.base.words import JOIN
from study.measure.fixes import coverage
from study.measure.intervals import weighted_share, wilson
from study.measure.symptoms import shared_symptoms

COLUMNS = ["quantity", "sample", "kind", "n", "of", "share", "low", "high"]
ALIKE, LISTED = "frameworks weighted alike", "weighted by candidate lists"
FREQUENT = {"top": 3, "threshold": 0.5, "at_least": 5}


def parts(table):
    """One row an issue's framework: an issue of several counts in each by its fraction.

    Parameters
    ----------
    table : pandas.DataFrame
        With a column frameworks, several joined with ``;``.

    Returns
    -------
    pandas.DataFrame
        With the columns framework and part (1, or the fraction); the index is kept.

    Examples
    --------
    >>> parts(pd.DataFrame({"frameworks": ["a;b"]}))["part"].tolist()
    [0.5, 0.5]
    """
    names = table["frameworks"].str.split(JOIN)
    return table.assign(framework=names, part=1 / names.str.len()).explode("framework")


def weights(table, collection=None):
    """Weight of each row, so that frameworks, or strata of the candidates, count as wanted.

    Parameters
    ----------
    table : pandas.DataFrame
        Faults or questions.
    collection : pandas.DataFrame, optional
        ``data/study/collection.csv``. With it, a labelled thread stands for as many
        candidates as its stratum (platform and framework) holds to one labelled thread:
        post-stratification, which assumes that the candidates left out resemble those
        labelled. Without it, every framework gets the same weight altogether.

    Returns
    -------
    pandas.Series

    Examples
    --------
    >>> t = pd.DataFrame({"frameworks": ["a", "a", "b"], "n": [1, 1, 1]})
    >>> weights(t).tolist()
    [0.5, 0.5, 1.0]
    """
    own = parts(table)
    if collection is None:
        sizes = (own["n"] * own["part"]).groupby(own["framework"]).sum()
        weight = own["framework"].map(1 / sizes)
    else:
        strata = parts(collection)
        by = [strata["platform"], strata["framework"]]
        sums = strata[["candidates", "threads"]].mul(strata["part"], axis=0).groupby(by).sum()
        labelled = sums[sums["threads"] > 0]
        ratio = labelled["candidates"] / labelled["threads"]
        keys = pd.MultiIndex.from_frame(own[["platform", "framework"]])
        weight = pd.Series(ratio.reindex(keys).fillna(0).to_numpy(), own.index)
    return (weight * own["part"]).groupby(level=0).sum().reindex(table.index)


def samples(table, collection):
    """The samples each quantity is measured in.

    Parameters
    ----------
    table, collection : pandas.DataFrame
        Faults or questions; ``data/study/collection.csv``.

    Yields
    ------
    tuple of (str, str, pandas.DataFrame, pandas.Series or None)
        Name, kind (all, platform, framework, without, weighted), rows, weights.
    """
    table = table[table["n"] > 0].reset_index(drop=True)
    yield "all", "all", table, None
    for name in sorted(table["platform"].unique()):
        yield name, "platform", table[table["platform"] == name], None
    names = sorted({f for cell in table["frameworks"] for f in cell.split(JOIN)})
    own = {f: table["frameworks"].map(lambda cell, f=f: f in cell.split(JOIN)) for f in names}
    for name in names:
        yield name, "framework", table[own[name]], None
    for name in names if len(names) > 1 else ():
        yield f"without {name}", "without", table[~own[name]], None
    yield ALIKE, "weighted", table, weights(table)
    yield LISTED, "weighted", table, weights(table, collection)


def _share(hit, table, weight):
    if weight is None:
        return wilson([table["n"][hit].sum()], [table["n"].sum()]).iloc[0].to_dict()
    return weighted_share(hit.to_numpy(float), weight.to_numpy(), table["n"].to_numpy())


def _shared(table, weight):
    if weight is None:
        found = shared_symptoms(table)
        return {"n": found["others_shared"], "of": found["others"],
                **{k: found[k] for k in ("share", "low", "high")}}
    both = set(table.loc[table["distributed_specific"] == 1, "symptom"])
    others = table["distributed_specific"] == 0
    return _share(table["symptom"].isin(both)[others], table[others], weight[others])


def _frequent(table, weight):
    # Symptoms are counted, not faults: weights would change nothing but each one's inside.
    if weight is not None:
        return None
    judged = coverage(table, "path", top=(FREQUENT["top"],))
    judged = judged[judged["n"] >= FREQUENT["at_least"]]
    having = (judged[f"top_{FREQUENT['top']}_share"] >= FREQUENT["threshold"]).sum()
    return wilson([having], [len(judged)]).iloc[0].to_dict()


@once
def composition(study):
    """Every headline quantity in every sample.

    Parameters
    ----------
    study : Study

    Returns
    -------
    pandas.DataFrame
        Columns quantity (``system-level``: middle reading, one pattern suffices;
        ``shared-symptoms``: by name; ``frequent-fixes``: by path, of five faults or more,
        first three patterns, half; ``specific``; ``stage: …``; ``topic: …``, the three
        asked most), sample, kind, n, of, share, low, high (95 %: Wilson; linearised on the
        logit scale where rows are weighted). An issue of several frameworks is in each of
        them, and in none that leaves out one of them.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> table = composition(load_study()).set_index(["quantity", "sample"])
    >>> [int(table.loc[("system-level", "horovod"), c]) for c in ("n", "of")]
    [234, 321]
    """
    counted = study.codebook.system_level("middle")
    rows = []

    def add(quantity, sample, kind, found):
        if found is not None:
            rows.append({"quantity": quantity, "sample": sample, "kind": kind, **found})

    stages = sorted(set(study.faults["stage"]))
    for sample, kind, table, weight in samples(study.faults, study.collection):
        system = table["fix_patterns"].map(lambda cell: any(p in counted
                                                            for p in cell.split(JOIN)))
        add("system-level", sample, kind, _share(system.astype(bool), table, weight))
        add("shared-symptoms", sample, kind, _shared(table, weight))
        add("frequent-fixes", sample, kind, _frequent(table, weight))
        add("specific", sample, kind,
            _share(table["distributed_specific"] == 1, table, weight))
        for stage in stages:
            add(f"stage: {stage}", sample, kind, _share(table["stage"] == stage, table, weight))
    asked = study.questions.groupby("topic")["n"].sum().sort_values(ascending=False,
                                                                    kind="stable").index[:3]
    for sample, kind, table, weight in samples(study.questions, study.collection):
        for topic in asked:
            add(f"topic: {topic}", sample, kind, _share(table["topic"] == topic, table, weight))
    found = pd.DataFrame(rows, columns=COLUMNS)
    order = {q: i for i, q in enumerate(dict.fromkeys(found["quantity"]))}
    return found.sort_values("quantity", key=lambda s: s.map(order), kind="stable",
                             ignore_index=True)


def spread(table, quantity):
    """Smallest and largest share over the frameworks, and the share without each.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`composition` returns it.
    quantity : str

    Returns
    -------
    tuple of (pandas.Series, pandas.Series, pandas.Series)
        Rows of the lowest and the highest framework, and of the sample without one
        framework that is farthest from all.
    """
    own = table[(table["quantity"] == quantity) & table["share"].notna()]
    by = own[own["kind"] == "framework"].reset_index(drop=True)
    rest = own[own["kind"] == "without"].reset_index(drop=True)
    whole = own.loc[own["kind"] == "all", "share"].iloc[0]
    far = np.abs(rest["share"] - whole).idxmax()
    return by.loc[by["share"].idxmin()], by.loc[by["share"].idxmax()], rest.loc[far]
