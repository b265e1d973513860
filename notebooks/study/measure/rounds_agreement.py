"""The study's agreement round by round: intervals, changes, confusions, saturation."""

from itertools import pairwise

import pandas as pd

from study.measure.agreement import coefficients
from study.measure.bootstrap import RESAMPLES, bootstrap
from study.measure.kappa import READINGS, kappa_table, offered, without
from study.measure.precision import margins
from study.measure.results import change
from study.measure.saturation import new_categories, rarefaction, saturation
from study.measure.squaretable import table_from_counts
from study.measure.symptoms import PATH
from study.read.codebook import MISSING, NOT_APPLICABLE, UNDECIDED
from study.read.repair import RULES
from study.tabulate.rounds import MEASURED, PATH_JOIN, primary_scope


def squares(agreement, codebook, facets=MEASURED, readings=READINGS):
    """The square table of every round, facet and reading, in the scope that counts.

    Parameters
    ----------
    agreement : pandas.DataFrame
        ``data/study/agreement.csv``.
    codebook : Codebook
        Gives the categories that were offered.
    facets, readings : collection of str

    Yields
    ------
    tuple of (dict, numpy.ndarray, dict)
        Keys round, facet, reading; the counts; how many pairs are not in them, by
        reason.
    """
    for facet in facets:
        own = agreement[(agreement["facet"] == facet)
                        & (agreement["scope"] == primary_scope(facet))
                        & agreement["reading"].isin(readings)]
        for (number, reading), pairs in own.groupby(["round", "reading"]):
            kept, dropped = without(pairs)
            names = offered(facet, codebook, {*kept["label_1"], *kept["label_2"]})
            yield ({"round": number, "facet": facet, "reading": reading},
                   table_from_counts(kept, names), dropped)


def bootstrapped(study, resamples=RESAMPLES, **chosen):
    """Kappa with a percentile bootstrap interval in every round, facet and reading.

    Issues are resampled, because the counts do not say which issues share a thread; threads
    with several issues are few, but the intervals are a little too narrow for it.

    Parameters
    ----------
    study : Study
    resamples : int
    **chosen
        ``facets``, ``readings`` of :func:`squares`.

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, reading, n, kappa, low, high, method, reason.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> table = bootstrapped(load_study(), 500, facets=["stage"], readings=["repaired"])
    >>> len(table)
    5
    """
    records = []
    for where, table, dropped in squares(study.agreement, study.codebook, **chosen):
        r = next(r for r in bootstrap(table, resamples, dropped=dropped)
                 if r.coefficient == "kappa")
        records.append(where | {"n": r.n_used, "kappa": r.value, "low": r.ci_low,
                                "high": r.ci_high, "method": r.ci_method, "reason": r.reason})
    return pd.DataFrame(records)


def changes_between(study, facet="symptom", reading="repaired"):
    """Change of kappa from each round to the next, with interval and test.

    Parameters
    ----------
    study : Study
    facet, reading : str

    Returns
    -------
    pandas.DataFrame
        Columns rounds, difference, low, high (95 %), z, p, reason. The rounds hold different
        threads, so they count as independent samples.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> changes_between(load_study(), "stage")["rounds"].tolist()[0]
    '1 to 2'
    """
    found = [(where["round"], next(r for r in coefficients(table) if r.coefficient == "kappa"))
             for where, table, _ in squares(study.agreement, study.codebook, [facet], [reading])]
    records = []
    for (before, one), (after, two) in pairwise(found):
        made = change(one, two)
        records.append({"rounds": f"{before} to {after}", "difference": made["difference"],
                        "low": made["ci_low"], "high": made["ci_high"], "z": made["z"],
                        "p": made["p"], "reason": made["reason"]})
    columns = ["rounds", "difference", "low", "high", "z", "p", "reason"]
    return pd.DataFrame(records, columns=columns).astype(
        dict.fromkeys(("difference", "low", "high", "z", "p"), float))


def confused(study, facet="symptom"):
    """Which pairs of categories the raters confused, and what adjudication chose.

    Parameters
    ----------
    study : Study
    facet : str

    Returns
    -------
    pandas.DataFrame
        Columns label_1, label_2, n, took_1 (adjudication took rater 1's label), took_2 (rater
        2's), took_neither; most frequent first. Missing and undecided labels are left out, and
        issues to which the facet applies for one rater only: they differ in the issue type.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> table = confused(load_study(), "fix_pattern")
    >>> bool((table[["took_1", "took_2", "took_neither"]].sum(axis=1) == table["n"]).all())
    True
    """
    own = study.adjudication[study.adjudication["facet"] == facet]
    words = (MISSING, UNDECIDED, NOT_APPLICABLE)
    own = own[(own["label_1"] != own["label_2"]) & ~own["label_1"].isin(words)
              & ~own["label_2"].isin(words)]
    own = own.assign(took_1=own["n"].where(own["adjudicated"] == own["label_1"], 0),
                     took_2=own["n"].where(own["adjudicated"] == own["label_2"], 0))
    own["took_neither"] = own["n"] - own["took_1"] - own["took_2"]
    sums = own.groupby(["label_1", "label_2"])[["n", "took_1", "took_2", "took_neither"]].sum()
    return sums.reset_index().sort_values(["n", "label_1", "label_2"],
                                          ascending=[False, True, True], ignore_index=True)


def rule_by_rule(study, facet="symptom"):
    """Kappa as filed, with each repair rule alone, and with all of them.

    Parameters
    ----------
    study : Study
    facet : str

    Returns
    -------
    pandas.DataFrame
        Columns round, then as filed, each rule of ``readings.RULES``, repaired.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> list(rule_by_rule(load_study()).columns)[:3]
    ['round', 'as filed', 'title']
    """
    readings = ["as filed", *RULES, "repaired"]
    table = kappa_table(study.agreement, [facet], readings)
    return table.pivot(index="round", columns="reading", values="kappa").reindex(
        columns=readings).rename_axis(columns=None).reset_index()


def batches(faults):
    """Paths of the final labels, batch by batch in the order of labelling.

    Parameters
    ----------
    faults : pandas.DataFrame
        ``data/study/faults.csv``; threads of two rounds count in the first, threads of none
        are left out.

    Returns
    -------
    dict of str to list of str
        ``pilot``, then the rounds.
    """
    own = faults[faults["round"] != "none"]
    first = own["round"].str.split(";").str[0]
    order = sorted(set(first), key=lambda r: (r != "pilot", r))
    path = own[PATH].agg(lambda parts: PATH_JOIN.join(p for p in parts if p), axis=1)
    return {r: list(path[first == r].repeat(own["n"][first == r])) for r in order}


def saturating(faults):
    """New categories of symptoms by batch, and the batch at which they ran out.

    Parameters
    ----------
    faults : pandas.DataFrame

    Returns
    -------
    tuple of (pandas.DataFrame, str or None)
        Columns batch, n, new, seen, share_new; and the first batch at which the taxonomy was
        saturated (5 % or less new, Guest, Namey & Chen 2020), or None.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> saturating(load_study().faults)[0]["batch"].tolist()[:2]
    ['pilot', '1']
    """
    made = batches(faults)
    table = new_categories(list(made.values()))
    table["batch"] = list(made)
    at = saturation(list(made.values())) if len(made) > 1 else None
    return table, None if at is None else list(made)[at - 1]


def rarefied(faults, sizes=None):
    """Categories of symptoms expected in a random part of the faults; see ``saturation``."""
    return rarefaction(faults.groupby(PATH)["n"].sum().tolist(), sizes)


def margins_by_symptom(faults):
    """What the sample says of each symptom; see ``precision.margins``.

    Parameters
    ----------
    faults : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        Most frequent first.
    """
    counts = faults.groupby("symptom")["n"].sum().sort_index()
    return margins(counts.sort_values(ascending=False, kind="stable"))
