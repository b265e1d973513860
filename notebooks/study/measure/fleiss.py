"""Fleiss' kappa for more than two raters, whole and by category, and Randolph's kappa."""

from dataclasses import replace

import numpy as np

from study.measure.alpha import ONE_VALUE, bootstrap_units
from study.measure.bootstrap import SEED
from study.measure.results import Result

NO_UNIT = "no unit was rated by all raters"


def fleiss(counts, raters=None, resamples=0, seed=SEED, conf=0.95):
    """Fleiss' kappa, Randolph's free-marginal kappa, and Fleiss' kappa of each category.

    Parameters
    ----------
    counts : array_like, shape (units, q)
        How many raters gave a unit each category of the codebook.
    raters : int, optional
        Ratings a unit must have. By default the largest number that occurs. Units with
        fewer are left out and counted: Fleiss' kappa knows no missing ratings, and the
        complete units are a biased choice (Zapf et al. 2016). Prefer alpha then.
    resamples : int
        Size of the percentile bootstrap over units; 0 for no interval. No asymptotic
        interval is offered: the usual standard error holds under kappa = 0 only.
    seed : int
    conf : float

    Returns
    -------
    list of Result
        "Fleiss kappa", "Randolph kappa" (for two raters: Brennan & Prediger's S), then
        "Fleiss kappa [j]" for the position j of each category, from 0.

    Raises
    ------
    ValueError
        A unit has more ratings than ``raters``, or ``raters`` is below 2.

    Notes
    -----
    Fleiss (1971), Randolph (2005).

    Examples
    --------
    >>> yyn = [[3, 0], [2, 1], [1, 2], [0, 3]]  # Randolph 2005
    >>> [round(r.value, 4) for r in fleiss(yyn)[:2]]
    [0.3333, 0.3333]
    """
    counts = np.asarray(counts, float)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError("a matrix of counts (units x categories) without negative ones is "
                         "needed")
    ratings = counts.sum(1)
    m = int(ratings.max(initial=0)) if raters is None else raters
    if raters is not None and (ratings > m).any():
        raise ValueError(f"a unit has {int(ratings.max())} ratings of {m} raters")
    if raters is not None and m < 2:
        raise ValueError("at least two raters are needed")
    m = max(2, m)  # where no unit has two ratings, all are too short
    kept, q = counts[ratings == m], counts.shape[1]
    short = int((ratings < m).sum())
    base = Result("", None, n_used=len(kept), conf=conf, q_offered=q,
                  q_used=int((kept.sum(0) > 0).sum()),
                  dropped={f"fewer than {m} ratings": short} if short else {})
    names = ["Fleiss kappa", "Randolph kappa", *(f"Fleiss kappa [{j}]" for j in range(q))]
    if not len(kept):
        return [replace(base, coefficient=name, reason=NO_UNIT) for name in names]
    # Sums over units: their number, agreeing pairs, ratings and split pairs by category.
    features = np.column_stack([np.ones(len(kept)), (kept * (kept - 1)).sum(1) / (m * (m - 1)),
                                kept / m, kept * (m - kept) / (m * (m - 1))])
    base = replace(base, po=float(features[:, 1].mean()))

    def statistic(sums):
        n, agreeing, share, split = (sums[:, :1], sums[:, 1:2] / sums[:, :1],
                                     sums[:, 2:2 + q] / sums[:, :1], sums[:, 2 + q:])
        expected = (share**2).sum(1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            whole = np.where(expected < 1 - 1e-12, (agreeing - expected) / (1 - expected), np.nan)
            free = np.where(np.isnan(whole), np.nan, (agreeing - 1 / q) / (1 - np.divide(1, q)))
            variance = share * (1 - share)
            single = np.where(variance > 1e-12, 1 - split / n / variance, np.nan)
        return np.column_stack([whole, free, single])

    values = statistic(features.sum(0)[None])[0]
    made = []
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        entry = replace(base, coefficient=name)
        if np.isnan(value):
            used = i < 2 or kept[:, i - 2].sum() > 0
            made.append(replace(entry, reason=ONE_VALUE if used else "category not used"))
        else:
            made.append(replace(entry, value=float(value),
                                reason="" if resamples else "no interval asked for"))
    return bootstrap_units(made, features, statistic, resamples, seed) if resamples else made
