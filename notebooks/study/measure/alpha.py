"""Several raters, missing ratings, sets of labels: Krippendorff's alpha and Fleiss' kappa.

Everything starts from a matrix of counts: how many raters gave a unit each value.
"""

from dataclasses import replace

import numpy as np

from study.base.seeds import SEED
from study.measure.bootstrap import (
    BLOCK,
    NO_SPREAD_DRAWN,
    RESAMPLES,
    TOLERATED,
    resampled_sums,
)
from study.measure.distances import distances, jaccard, masi, pairable
from study.measure.results import Result, clip

__all__ = ["alpha", "bootstrap_units", "count_matrix", "distances", "jaccard", "masi"]

ONE_VALUE = "only one value used: nothing tells agreement from habit"
NOT_PAIRED = "no unit has two ratings"


def count_matrix(units, values=None):
    """How often each unit was given each value.

    Parameters
    ----------
    units : iterable of iterables
        The ratings of each unit; None is a missing rating. A rating may be a string, a
        number, or a frozenset of labels.
    values : sequence, optional
        All values, in the order wanted. By default those that occur, sorted.

    Returns
    -------
    counts : numpy.ndarray of int64, shape (units, values)
    values : list

    Raises
    ------
    ValueError
        A rating that is not among ``values``.

    Examples
    --------
    >>> counts, values = count_matrix([["a", "b", None], ["b", "b", "b"]])
    >>> counts.tolist(), values
    ([[1, 1], [0, 3]], ['a', 'b'])
    """
    units = [[r for r in unit if r is not None] for unit in units]
    if values is None:
        values = sorted({r for unit in units for r in unit}, key=_order)
    index = {value: i for i, value in enumerate(values)}
    counts = np.zeros((len(units), len(index)), np.int64)
    for row, unit in zip(counts, units, strict=True):
        for rating in unit:
            if rating not in index:
                raise ValueError(f"{rating!r} is not among the values; add it to the codebook "
                                 "or map it to a category")
            row[index[rating]] += 1
    return counts, list(values)


def _order(value):
    return sorted(map(str, value)) if isinstance(value, frozenset) else value


def alpha(counts, values=None, metric="nominal", resamples=0, seed=SEED, conf=0.95):
    """Krippendorff's alpha for any number of raters, any distance, missing ratings.

    Parameters
    ----------
    counts : array_like, shape (units, values)
        See :func:`count_matrix`. Units with fewer than two ratings are left out and counted.
    values : sequence, optional
        Needed for metrics that look at the values.
    metric : str or callable or array_like
        See :func:`distances`. Never "interval" unless asked for.
    resamples : int
        Size of the percentile bootstrap over units; 0 for no interval. Distances are those
        of all units in every resample.
    seed : int
    conf : float

    Returns
    -------
    Result
        ``po`` is the mean agreement of pairs of ratings (1 - observed disagreement, for
        the nominal metric).

    Raises
    ------
    ValueError

    Notes
    -----
    Krippendorff (2011): alpha = 1 - Do/De over pairable values.

    Examples
    --------
    >>> counts, values = count_matrix(zip("aabbdcccedda", "babbbccceddd"))
    >>> round(alpha(counts, values).value, 3)
    0.692
    """
    counts = np.asarray(counts)
    kept, ratings = pairable(counts)
    matrix = distances(range(counts.shape[1]) if values is None else values, metric, counts)
    name = "alpha" if isinstance(metric, str) and metric == "nominal" else (
        f"alpha ({metric if isinstance(metric, str) else 'given distances'})")
    base = Result(name, None, n_used=len(kept), conf=conf,
                  dropped=_dropped(counts), q_used=int((kept.sum(0) > 0).sum()),
                  q_offered=counts.shape[1])
    if not len(kept):
        return replace(base, reason=NOT_PAIRED)
    # The diagonal of a pair of a rating with itself is at distance 0, so it drops out.
    observed = np.einsum("uv,vw,uw->u", kept, matrix, kept, optimize=True) / (ratings - 1)
    features = np.column_stack([observed, ratings, kept])
    base = replace(base, po=float(1 - _pairs_apart(kept, ratings).sum() / ratings.sum()))
    value = float(_alpha(features.sum(0)[None], matrix)[0])
    if np.isnan(value):
        return replace(base, reason=ONE_VALUE if base.q_used < 2 else
                       "all values in use are at distance 0 of one another")
    base = replace(base, value=value)
    if not resamples:
        return replace(base, reason="no interval asked for")
    return bootstrap_units([base], features, lambda sums: _alpha(sums, matrix)[:, None],
                           resamples, seed)[0]


def _alpha(sums, matrix):
    observed, n, margins = sums[:, 0], sums[:, 1], sums[:, 2:]
    expected = np.einsum("rv,rv->r", margins @ matrix, margins) / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)


def _pairs_apart(kept, ratings):
    return (ratings**2 - (kept**2).sum(1)) / (ratings - 1)


def _dropped(counts):
    ratings = np.asarray(counts).sum(1)
    found = {"no rating": int((ratings == 0).sum()), "one rating only": int((ratings == 1).sum())}
    return {reason: n for reason, n in found.items() if n}


def bootstrap_units(results, features, statistic, resamples=RESAMPLES, seed=SEED):
    """Give results the percentile intervals of statistics of sums over resampled units.

    Parameters
    ----------
    results : list of Result
        Those without a value are returned as they are.
    features : numpy.ndarray, shape (units, f)
        What each unit adds to the sums.
    statistic : callable
        Sums, shape (resamples, f), to values, shape (resamples, results); nan where undefined.
    resamples, seed : int

    Returns
    -------
    list of Result
        Without interval, and with a reason, where over 5 % of the values are undefined.

    Examples
    --------
    >>> [mean] = bootstrap_units([Result("mean", 0.5)], np.array([[0., 1], [1, 1]]),
    ...                          lambda sums: sums[:, :1] / sums[:, 1:], resamples=100, seed=1)
    >>> mean.ci_low, mean.ci_high
    (0.0, 1.0)
    """
    times = np.ones(len(features), np.int64)
    if len(features) * resamples > BLOCK:  # equal units of a large sample are drawn together
        features, times = np.unique(features, axis=0, return_counts=True)
    values = statistic(resampled_sums(times, features, resamples, seed))
    made = []
    for result, column in zip(results, values.T, strict=True):
        finite = column[np.isfinite(column)]
        missing = len(column) - len(finite)
        if result.value is None:
            made.append(result)
        elif missing > TOLERATED * len(column):
            made.append(replace(result, reason=f"no interval: undefined in {missing} of "
                                f"{len(column)} resamples"))
        elif np.ptp(finite) < 1e-12:
            made.append(replace(result, reason=NO_SPREAD_DRAWN))
        else:
            low, high = np.quantile(finite, [(1 - result.conf) / 2, (1 + result.conf) / 2])
            method = f"percentile bootstrap over units ({resamples} resamples, seed {seed})"
            if missing:
                method += f"; {missing} undefined ones left out"
            low, high, clipped = clip(low, high)
            made.append(replace(result, se=float(finite.std(ddof=1)), ci_low=low, ci_high=high,
                                clipped=clipped, ci_method=method))
    return made
