"""Cohen's kappa of the study's rounds, from the count table of paired labels."""

import numpy as np
import pandas as pd
from scipy.stats import norm
from statsmodels.stats.inter_rater import cohens_kappa

from study.codebook import FACETS, MISSING, UNDECIDED

OUTSIDE = (MISSING, UNDECIDED)
CONFIDENCE = 0.95


def kappa_table(agreement, facets=(*FACETS, "path"), readings=("as filed", "repaired"),
                pooled=False):
    """Cohen's kappa by round, facet and reading, in the scope that counts.

    Parameters
    ----------
    agreement : pandas.DataFrame
        ``data/study/agreement.csv``.
    facets, readings : collection of str
    pooled : bool, default False
        All rounds together instead of each.

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, reading, scope, n (pairs), dropped (pairs with a missing or
        undecided label), po (observed agreement), kappa, se, low, high (95 %,
        Fleiss-Cohen-Everitt, clipped to [-1, 1]), reason (why kappa is missing).

    Examples
    --------
    >>> from study.tables import load_study
    >>> table = kappa_table(load_study().agreement, ["issue_type"], ["repaired"])
    >>> table["kappa"].round(2).tolist()
    [0.87, 0.98, 0.95, 0.96, 1.0]
    """
    table = agreement.assign(round="all") if pooled else agreement
    records = []
    for facet in facets:
        scope = primary_scope(facet)
        for reading in readings:
            chosen = table[(table["facet"] == facet) & (table["reading"] == reading)
                           & (table["scope"] == scope)]
            for number, pairs in chosen.groupby("round"):
                records.append({"round": number, "facet": facet, "reading": reading,
                                "scope": scope, **cohen(pairs)})
    return pd.DataFrame(records)


def primary_scope(facet):
    """``agreed``, the pairs of one issue type; for the issue type itself ``all`` pairs."""
    return "all" if facet == "issue_type" else "agreed"


def cohen(pairs):
    """Kappa of counted pairs of labels.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Columns label_1, label_2, n.

    Returns
    -------
    dict
        n, dropped, po, kappa, se, low, high, reason; missing values are None.

    Examples
    --------
    >>> p = pd.DataFrame({"label_1": list("aabb"), "label_2": list("abab"), "n": [20, 10, 20, 50]})
    >>> round(cohen(p)["kappa"], 3)
    0.348
    """
    outside = pairs["label_1"].isin(OUTSIDE) | pairs["label_2"].isin(OUTSIDE)
    kept = pairs[~outside]
    record = {"n": int(kept["n"].sum()), "dropped": int(pairs["n"][outside].sum()),
              "po": None, "kappa": None, "se": None, "low": None, "high": None, "reason": ""}
    names = sorted({*kept["label_1"], *kept["label_2"]})
    square = np.zeros((len(names), len(names)), dtype=int)
    for one, two, n in zip(kept["label_1"], kept["label_2"], kept["n"], strict=True):
        square[names.index(one), names.index(two)] += n
    if not record["n"]:
        return record | {"reason": "no pair of labels"}
    record["po"] = float(np.trace(square) / square.sum())
    if len(names) < 2:
        return record | {"reason": "only one category used"}
    found = cohens_kappa(square)
    reach = norm.ppf((1 + CONFIDENCE) / 2) * found.std_kappa
    return record | {"kappa": float(found.kappa), "se": float(found.std_kappa),
                     "low": float(max(-1, found.kappa - reach)),
                     "high": float(min(1, found.kappa + reach))}
