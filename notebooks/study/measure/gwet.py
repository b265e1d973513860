"""AC1 and AC2, Fleiss' generalised kappa, Brennan-Prediger: several raters, missing ratings.

Gwet's forms: a unit needs two ratings to tell of agreement, one to tell of prevalence, and any
weights may stand between categories.
"""

from dataclasses import replace

import numpy as np

from study.base.seeds import SEED
from study.measure.agreement import NO_ERROR, NO_SPREAD
from study.measure.alpha import NOT_PAIRED, ONE_VALUE, bootstrap_units
from study.measure.results import Result, limits


def generalised(counts, weights=None, times=None, conf=0.95, interval="t", resamples=0, seed=SEED):
    """AC1 (AC2 with weights), generalised Fleiss' kappa and Brennan-Prediger's S.

    Parameters
    ----------
    counts : array_like, shape (units, q)
        How many raters gave a unit each category of the codebook; units may have different
        numbers of ratings.
    weights : array_like, shape (q, q), optional
        How much two categories count as agreement: 1 on the diagonal, symmetric, from 0 to 1.
        None for the identity.
    times : array_like, shape (units,), optional
        How many units each row stands for.
    conf : float
    interval : str
        "t": quantiles of t with n - 1 degrees of freedom, as irrCAC and AgreeStat take them;
        "normal".
    resamples, seed : int
        With ``resamples`` a percentile bootstrap over units instead; rows must be single units.

    Returns
    -------
    list of Result
        "AC1" or "AC2", "Fleiss kappa (generalised)", "S"; "weighted" before the latter two with
        weights. ``n_used`` is the number of units with two or more ratings.

    Raises
    ------
    ValueError
        Weights of the wrong shape, outside 0 to 1, asymmetric, or not 1 on the diagonal.

    Notes
    -----
    Gwet (2008; Handbook of Inter-Rater Reliability, 4th ed., 2014), for an infinite population:
    the variance is that of the units' linearised contributions, over n (n - 1).

    Examples
    --------
    >>> found = generalised([[3, 0], [2, 0], [0, 3], [1, 2]])
    >>> [(r.coefficient, round(r.value, 3)) for r in found]
    [('AC1', 0.676), ('Fleiss kappa (generalised)', 0.657), ('S', 0.667)]
    """
    counts = np.asarray(counts, float)
    q = counts.shape[1]
    w = np.eye(q) if weights is None else checked_weights(weights, q)
    names = (["AC1", "Fleiss kappa (generalised)", "S"] if weights is None else
             ["AC2", "weighted Fleiss kappa", "weighted S"])
    times = np.ones(len(counts)) if times is None else np.asarray(times, float)
    rated = counts.sum(1) > 0
    counts, none, times = counts[rated], int(times[~rated].sum()), times[rated]
    ratings = counts.sum(1)
    two = ratings > 1
    dropped = {"no rating": none, "one rating only": int(times[~two].sum())}
    base = Result("", None, conf=conf, n_used=int(times[two].sum()), q_offered=q,
                  q_used=int((counts.sum(0) > 0).sum()),
                  dropped={k: v for k, v in dropped.items() if v})
    if not base.n_used or base.q_used < 2:
        reason = ONE_VALUE if base.n_used else NOT_PAIRED
        po = 1.0 if base.n_used else None
        return [replace(base, coefficient=name, reason=reason, po=po) for name in names]
    agreeing = (counts * (counts @ w - 1)).sum(1) / np.where(two, ratings * (ratings - 1), 1)
    shares = counts / ratings[:, None]
    features = np.column_stack([np.ones(len(counts)), two, agreeing * two, shares])
    values = _values((features * times[:, None]).sum(0)[None], w)[0]
    exact = (counts * (counts - 1)).sum(1) / np.where(two, ratings * (ratings - 1), 1)
    base = replace(base, po=float((exact * times).sum() / base.n_used))
    made = [replace(base, coefficient=name, value=float(value))
            for name, value in zip(names, values, strict=True)]
    if resamples:
        return bootstrap_units(made, features, lambda sums: _values(sums, w), resamples, seed)
    errors = _errors(agreeing, two, shares, times, values, w)
    return [_limits(r, error, times.sum(), interval) for r, error in zip(made, errors, strict=True)]


def checked_weights(weights, q):
    """Weights of agreement as an array, and refusal of anything else.

    Parameters
    ----------
    weights : array_like
    q : int

    Returns
    -------
    numpy.ndarray, shape (q, q)

    Raises
    ------
    ValueError

    Examples
    --------
    >>> checked_weights([[1, .5], [.5, 1]], 2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    w = np.asarray(weights, float)
    if w.shape != (q, q):
        raise ValueError(f"weights of shape {w.shape} for {q} categories")
    if not (np.isfinite(w).all() and (w >= 0).all() and (w <= 1).all() and
            np.allclose(np.diag(w), 1) and np.allclose(w, w.T)):
        raise ValueError("weights of agreement must be 1 on the diagonal, symmetric, and from 0 "
                         "to 1")
    return w


def _values(sums, w):
    """AC, Fleiss and S from sums over units: their number, those with two ratings, …"""
    q = len(w)
    with np.errstate(invalid="ignore", divide="ignore"):
        po = sums[:, 2] / sums[:, 1]
        share = sums[:, 3:] / sums[:, :1]
        single = share.max(1) > 1 - 1e-12
        expected = [w.sum() * (share * (1 - share)).sum(1) / (q * (q - 1)),
                    np.einsum("rk,kl,rl->r", share, w, share),
                    np.full(len(sums), w.sum() / q**2)]
        return np.column_stack([np.where(single | (e > 1 - 1e-12), np.nan, (po - e) / (1 - e))
                                for e in expected])


def _errors(agreeing, two, shares, times, values, w):
    n, paired = times.sum(), times[two].sum()
    share, q = times @ shares / n, len(w)
    if n < 2:
        return [None] * 3
    # The chance agreement of a unit's own ratings with everybody's, for each coefficient.
    own = [w.sum() * (shares @ (1 - share)) / (q * (q - 1)), shares @ w @ share,
           np.full(len(shares), w.sum() / q**2)]
    errors = []
    for value, chance in zip(values, own, strict=True):
        if np.isnan(value):
            errors.append(None)
            continue
        expected = (chance * times).sum() / n
        each = two * (n / paired) * (agreeing - expected) / (1 - expected)
        each = each - 2 * (1 - value) * (chance - expected) / (1 - expected)
        errors.append(np.sqrt((times * (each - value)**2).sum() / (n * (n - 1))))
    return errors


def _limits(result, error, n, interval):
    if np.isnan(result.value):
        return replace(result, value=None, reason="all categories in use count as agreement")
    if error is None or error < NO_ERROR:
        return (replace(result, reason="no interval: one unit only") if error is None else
                replace(result, se=0.0, reason=NO_SPREAD))
    low, high, clipped, method = limits(result.value, error, n, result.conf, interval)
    return replace(result, se=float(error), ci_low=low, ci_high=high, clipped=clipped,
                   ci_method=method)
