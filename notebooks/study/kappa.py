"""Cohen's kappa by round and facet, from the table of label pairs."""

import warnings

import pandas as pd
from statsmodels.stats.inter_rater import cohens_kappa

from study.codebook import FACETS, MISSING, UNDECIDED

DROPPED = (MISSING, UNDECIDED)
READINGS = ("repaired", "as filed")
COLUMNS = ["round", "facet", "reading", "scope", "n", "dropped", "kappa", "low", "high", "reason"]


def kappa_table(agreement, readings=READINGS, scope="agreed", facets=(*FACETS, "path")):
    """Kappa with its interval for every round and facet.

    Parameters
    ----------
    agreement : pandas.DataFrame
        ``data/study/agreement.csv``.
    readings : collection of str
    scope : {"agreed", "all"}
        Whether only pairs count whose raters agree on the issue type. The issue type
        itself is measured on all pairs.
    facets : collection of str
        Their order is that of the rows.

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, reading, scope, n (pairs), dropped (pairs of which a label
        is missing or undecided), kappa, low, high (95 %, cut at -1 and 1), reason (why
        there is no kappa, else blank).

    References
    ----------
    Cohen (1960); standard error of Fleiss, Cohen & Everitt (1969), as statsmodels has it.

    Examples
    --------
    >>> pairs = pd.DataFrame({"round": "1", "facet": "stage", "reading": "repaired",
    ...                       "scope": "agreed", "label_1": ["a", "a", "b", "b"],
    ...                       "label_2": ["a", "b", "a", "b"], "n": [20, 5, 10, 15]})
    >>> kappa_table(pairs)["kappa"].round(3).tolist()
    [0.4]
    """
    records = []
    for facet in facets:
        own = agreement[agreement["facet"] == facet]
        taken = "all" if facet == "issue_type" else scope
        own = own[(own["scope"] == taken) & own["reading"].isin(readings)]
        for (round_, reading), pairs in own.groupby(["round", "reading"]):
            gone = pairs["label_1"].isin(DROPPED) | pairs["label_2"].isin(DROPPED)
            records.append({"round": round_, "facet": facet, "reading": reading, "scope": taken,
                            "dropped": int(pairs.loc[gone, "n"].sum()), **_kappa(pairs[~gone])})
    table = pd.DataFrame(records, columns=COLUMNS)
    return table.astype({"kappa": float, "low": float, "high": float})


def _kappa(pairs):
    """Over the labels either rater used: a crosstab of unequal label sets is no square."""
    labels = sorted({*pairs["label_1"], *pairs["label_2"]})
    result = {"n": int(pairs["n"].sum()), "kappa": None, "low": None, "high": None}
    if len(labels) < 2:
        return result | {"reason": "both raters used one label only" if labels else "no pairs"}
    square = (pairs.pivot_table(index="label_1", columns="label_2", values="n", aggfunc="sum",
                                fill_value=0).reindex(index=labels, columns=labels, fill_value=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = cohens_kappa(square.to_numpy())
    return result | {"kappa": float(found.kappa), "low": max(-1.0, float(found.kappa_low)),
                     "high": min(1.0, float(found.kappa_upp)), "reason": ""}
