"""Shares with intervals: Wilson for one share, Goodman for all shares of a whole."""

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import norm
from statsmodels.stats.proportion import (
    multinomial_proportions_confint,
    proportion_confint,
)

CONFIDENCE = 0.95


def wilson(count, nobs, confidence=CONFIDENCE):
    """Share and its Wilson score interval.

    Parameters
    ----------
    count, nobs : array-like of int
        Successes and trials; shapes broadcast.
    confidence : float, default 0.95

    Returns
    -------
    pandas.DataFrame
        Columns n, of, share, low, high. Where there were no trials, share, low and
        high are missing.

    References
    ----------
    Wilson (1927); values checked against Newcombe (1998), table I.

    Examples
    --------
    >>> wilson([81], [263]).round(4).loc[0].tolist()
    [81.0, 263.0, 0.308, 0.2553, 0.3662]
    """
    table = pd.DataFrame({"n": count, "of": nobs})
    some = table["of"] > 0
    table["share"] = (table["n"] / table["of"]).where(some)
    low, high = proportion_confint(table["n"], table["of"].where(some, 1),
                                   alpha=1 - confidence, method="wilson")
    # Rounding leaves 1e-17 where the bound is 0 or 1 by definition.
    table["low"] = pd.Series(low, table.index).where(some).clip(0, 1).round(12)
    table["high"] = pd.Series(high, table.index).where(some).clip(0, 1).round(12)
    return table


def weighted_share(hit, weight, n):
    """Share in weighted data, or of fractional hits, with a linearised interval.

    Parameters
    ----------
    hit : numpy.ndarray
        1 or 0 a row, or a fraction.
    weight : numpy.ndarray
        Of one issue of the row.
    n : numpy.ndarray of int
        Issues of the row.

    Returns
    -------
    dict
        n and of (issues, unweighted; of fractional hits their sum), share, low, high: 95 %,
        from the variance of a ratio (Taylor linearisation) on the logit scale. Missing
        where the share is 0, 1 or undefined, for then that variance says nothing.

    References
    ----------
    Lohr (2010), Sampling: design and analysis, chapters 4 and 9.

    Examples
    --------
    >>> one = np.ones(2)
    >>> found = weighted_share(np.array([1.0, 0.0]), one, np.array([30, 70]))
    >>> found["share"], round(found["low"], 3), round(found["high"], 3)
    (0.3, 0.218, 0.397)
    """
    total = float((weight * n).sum())
    record = {"n": float((hit * n).sum()), "of": int(n.sum()), "share": np.nan, "low": np.nan,
              "high": np.nan}
    if not total:
        return record
    share = float((hit * weight * n).sum()) / total
    record["share"] = share
    if not 1e-12 < share < 1 - 1e-12:
        return record
    se = np.sqrt(float((n * (weight * (hit - share)) ** 2).sum())) / total
    middle, reach = logit(share), norm.isf((1 - CONFIDENCE) / 2) * se / (share * (1 - share))
    return record | {"low": float(expit(middle - reach)), "high": float(expit(middle + reach))}


# What *about half* may mean: so near to one half.
MARGINS = (0.05, 0.10)


def within(table, value, margin):
    """Whether whole intervals lie within a margin of a value: equivalence.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns low, high.
    value, margin : float

    Returns
    -------
    pandas.Series of bool

    Examples
    --------
    >>> within(pd.DataFrame({"low": [0.45, 0.38], "high": [0.55, 0.5]}), 0.5, 0.1).tolist()
    [True, False]
    """
    return table["low"].ge(value - margin) & table["high"].le(value + margin)


def goodman(counts, confidence=CONFIDENCE):
    """Simultaneous intervals for all the shares of one whole.

    Parameters
    ----------
    counts : pandas.Series of int
        One number a category.
    confidence : float, default 0.95
        For all categories together.

    Returns
    -------
    pandas.DataFrame
        Index of ``counts``; columns n, of, share, low, high; the last three are missing
        where nothing was counted.

    References
    ----------
    Goodman (1965), as statsmodels' ``multinomial_proportions_confint`` has it.

    Examples
    --------
    >>> goodman(pd.Series([91, 49, 37, 43]))["low"].round(4).tolist()
    [0.3342, 0.1609, 0.1146, 0.1375]
    """
    total = int(counts.sum())
    if not total:
        return pd.DataFrame({"n": counts, "of": 0, "share": np.nan, "low": np.nan,
                             "high": np.nan})
    bounds = multinomial_proportions_confint(counts.to_numpy(), alpha=1 - confidence,
                                             method="goodman")
    return pd.DataFrame({"n": counts, "of": total, "share": counts / total,
                         "low": bounds[:, 0], "high": bounds[:, 1]})


def shares(table, by, n="n", confidence=CONFIDENCE):
    """Counts, shares and Wilson intervals of the categories of a table.

    Parameters
    ----------
    table : pandas.DataFrame
    by : str or list of str
        Columns that name a category.
    n : str, default "n"
        Column of counts.
    confidence : float, default 0.95

    Returns
    -------
    pandas.DataFrame
        Columns of ``by``, then n, of, share, low, high; most frequent first, ties by name.

    Examples
    --------
    >>> shares(pd.DataFrame({"x": ["a", "b", "a"], "n": [1, 1, 2]}), "x")["n"].tolist()
    [3, 1]
    """
    by = [by] if isinstance(by, str) else list(by)
    counts = table.groupby(by)[n].sum()
    result = wilson(counts.to_numpy(), int(counts.sum()), confidence)
    result = pd.concat([counts.index.to_frame(index=False), result], axis=1)
    return result.sort_values(["n", *by], ascending=[False] + [True] * len(by),
                              ignore_index=True)
