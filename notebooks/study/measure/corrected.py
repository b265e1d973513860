"""Shares of a model-labelled corpus, corrected by issues that people have labelled too.

A rater that errs moves every share it is counted for, and its interval says nothing of it. Where
people have labelled a random part of the corpus, the calibration, its error can be measured and
taken out: by prediction-powered inference, which needs no model of the error, or by the matrix of
misclassification, turned round.

An issue's label is coded for one share: 1 it counts, 0 it does not, -1 it is outside of what the
share is a share of (a how-to question, for a share of the faults).
"""

import math

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from study.base.seeds import generator
from study.measure.intervals import CONFIDENCE

# Calibration issues; with fewer, the intervals miss the truth too often (tests/bench_correct.py).
MINIMUM = 60
HALF = 0.5  # counted to each of the four cells of people's and model's 1 and 0
REACH = 0.1
RESAMPLES = 2_000
CODES = (1, 0, -1)


def ppi_share(people, model, rest, tuned=True, half=HALF, confidence=CONFIDENCE, small=False):
    """Share by prediction-powered inference, and an interval that holds the model's error.

    Parameters
    ----------
    people, model : array_like of int, shape (n,)
        Codes (1, 0, -1) of the calibration issues, by people and by the model.
    rest : array_like of int, shape (N,)
        Codes of the model for the issues that no person labelled.
    tuned : bool
        PPI++: the model's labels weigh as much as they are worth. Otherwise they weigh 1; this
        is to be taken where the calibration is no part of the corpus, whose own share would be
        mixed in otherwise.
    half : float
        Added to the four cells of the calibration, after Agresti and Min (2005), as for a
        difference of paired shares: without it intervals are too narrow where the share is
        small or the model hardly errs; and Student's t takes the place of the normal quantile. 0
        gives the published interval.
    confidence : float
    small : bool
        For a corpus of a few dozen issues: one that counts and one that does not are added to it
        for the interval, after Agresti and Caffo (2000), The American Statistician 54, 280-288.
        Without it the interval takes the corpus for certain where the model finds none.

    Returns
    -------
    dict
        share, low, high (within 0 and 1), se, weight (lambda, of the model's labels), n
        (calibration issues inside by people), rest (issues inside by the model); values are nan
        where nothing is inside.

    Notes
    -----
    The share is a ratio of two means, what counts and what is inside, each rectified by the
    calibration; its variance is linearised. With everything inside it is the mean estimator of
    Angelopoulos et al. (2023), Science 382, 669-674, tuned after Angelopoulos, Duchi and Zrnic
    (2023), arXiv 2311.01453.

    Examples
    --------
    >>> people, model = [1, 1, 0, 0] * 20, [1, 0, 0, 0] * 20
    >>> round(ppi_share(people, model, [1] * 50 + [0] * 150, tuned=False)["share"], 3)
    0.5
    """
    people, model, rest = (np.asarray(a, dtype=int) for a in (people, model, rest))
    n, inside = int((people >= 0).sum()), int((rest >= 0).sum())
    record = {"n": n, "rest": inside} | dict.fromkeys(("share", "low", "high", "se", "weight"),
                                                      math.nan)
    if not n or not inside:
        return record
    found = _estimate(people, model, rest, tuned, 0)
    more = np.concatenate([rest, [1, 0]]) if small else rest
    spread = _estimate(people, model, more, tuned, half) if half else found
    tail = (1 - confidence) / 2
    z = student.isf(tail, max(n - 1, 1)) if half else norm.isf(tail)
    low, high = spread["share"] - z * spread["se"], spread["share"] + z * spread["se"]
    share = float(np.clip(found["share"], 0, 1))
    return record | {"share": share, "se": spread["se"], "weight": found["weight"],
                     "low": float(np.clip(min(low, share), 0, 1)),
                     "high": float(np.clip(max(high, share), 0, 1))}


def _estimate(people, model, rest, tuned, half):
    """Share, its standard error, and the weight, with ``half`` added to the four cells."""
    people = np.concatenate([people, [1, 1, 0, 0]])
    model = np.concatenate([model, [1, 0, 1, 0]])
    w = np.concatenate([np.ones(len(people) - 4), np.full(4, half)])
    n, size = w.sum(), len(rest)
    w /= n

    def ratio(weight):
        parts = [weight * f(rest).mean() + w @ (f(people) - weight * f(model))
                 for f in (_counts, _inside)]
        return parts[0] / parts[1] if parts[1] > 0 else math.nan, parts[1]

    weight = 1.0
    if tuned:
        share, _ = ratio(1.0)
        y, f, g = (_counts(a) - share * _inside(a) for a in (people, model, rest))
        both = n + size
        middle = (n * (w @ f) + g.sum()) / both
        pooled = (n * (w @ (f - middle) ** 2) + ((g - middle) ** 2).sum()) / (both - 1)
        covariance = w @ (y * f) - (w @ y) * (w @ f)
        weight = (float(np.clip(covariance / ((1 + n / size) * pooled), 0, 1))
                  if pooled > 0 else 0.0)
    share, inside = ratio(weight)
    y, f, g = (_counts(a) - share * _inside(a) for a in (people, model, rest))
    rectifier = y - weight * f
    own = w @ rectifier ** 2 - (w @ rectifier) ** 2
    se = math.sqrt(max(own, 0) / n + weight ** 2 * g.var() / size) / inside
    return {"share": share, "se": se, "weight": weight, "own": own / inside ** 2,
            "corpus": weight ** 2 * g.var() / size / inside ** 2}


def _counts(codes):
    return (codes == 1).astype(float)


def _inside(codes):
    return (codes >= 0).astype(float)


def confusion(people, model):
    """How often people and model gave which codes.

    Parameters
    ----------
    people, model : array_like of int, shape (n,)

    Returns
    -------
    numpy.ndarray of int, shape (3, 3)
        Rows by people, columns by the model, in the order of ``CODES``.

    Examples
    --------
    >>> confusion([1, 1, 0], [1, 0, 0]).tolist()
    [[1, 1, 0], [0, 1, 0], [0, 0, 0]]
    """
    people, model = np.asarray(people), np.asarray(model)
    return np.array([[int(((people == i) & (model == j)).sum()) for j in CODES] for i in CODES])


def true_counts(table, observed):
    """Shares of the true categories that observed shares stand for: the matrix turned round.

    Parameters
    ----------
    table : numpy.ndarray, shape (..., k, k)
        Calibration: true category in rows, the model's in columns.
    observed : numpy.ndarray, shape (..., k)
        Shares as the model labelled them.

    Returns
    -------
    numpy.ndarray, shape (..., k)
        Negative ones are set to 0 and the others scaled to add up to 1. nan where a category
        lacks in the calibration or the matrix cannot be turned round.

    References
    ----------
    Rogan and Gladen (1978), American Journal of Epidemiology 107, 71-76, for two categories.

    Examples
    --------
    >>> true_counts(np.array([[80, 20], [10, 90]]), np.array([0.45, 0.55])).round(3).tolist()
    [0.5, 0.5]
    """
    table, observed = np.asarray(table, dtype=float), np.asarray(observed, dtype=float)
    totals = table.sum(axis=-1, keepdims=True)
    rates = np.divide(table, totals, out=np.zeros_like(table), where=totals > 0)
    sound = (totals > 0).all(axis=(-2, -1)) & (np.abs(np.linalg.det(rates)) > 1e-6)
    rates = np.where(sound[..., None, None], rates, np.eye(table.shape[-1]))
    made = np.linalg.solve(np.swapaxes(rates, -1, -2), observed[..., None])[..., 0]
    made = np.clip(made, 0, None)
    total = made.sum(axis=-1, keepdims=True)
    made = np.divide(made, total, out=np.full_like(made, math.nan), where=total > 0)
    return np.where(sound[..., None], made, math.nan)


def matrix_share(people, model, rest, confidence=CONFIDENCE, resamples=RESAMPLES, seed="matrix"):
    """Share by the misclassification estimate, with a bootstrap interval.

    Parameters
    ----------
    people, model, rest : array_like of int
        As in :func:`ppi_share`.
    confidence : float
    resamples : int
        Of calibration and corpus, each drawn anew.
    seed : str

    Returns
    -------
    dict
        share, low, high: percentiles; nan where the calibration lacks a category, or where
        fewer than nine in ten resamples can be turned round.

    Examples
    --------
    >>> people, model = [1] * 100 + [0] * 100, [1] * 80 + [0] * 20 + [1] * 10 + [0] * 90
    >>> round(matrix_share(people, model, [1] * 45 + [0] * 55)["share"], 3)
    0.5
    """
    table = confusion(people, model)
    counts = np.array([int((np.asarray(rest) == c).sum()) for c in CODES])
    # What neither people nor the model nor the corpus ever said is no category.
    kept = (table.sum(axis=0) + table.sum(axis=1) + counts) > 0
    kept[:2] = True
    table, counts = table[kept][:, kept], counts[kept]
    share = _part(true_counts(table, counts / max(counts.sum(), 1)))
    record = {"share": float(share), "low": math.nan, "high": math.nan}
    if math.isnan(share):
        return record
    random, n, size = generator(f"misclassification: {seed}"), table.sum(), counts.sum()
    tables = random.multinomial(n, table.ravel() / n, resamples).reshape(-1, *table.shape)
    drawn = random.multinomial(size, counts / size, resamples) / size
    shares = _part(true_counts(tables, drawn))
    shares = shares[~np.isnan(shares)]
    if len(shares) < 0.9 * resamples:
        return record
    ends = np.percentile(shares, [50 * (1 - confidence), 100 - 50 * (1 - confidence)])
    return record | {"low": float(ends[0]), "high": float(ends[1])}


def _part(shares):
    """What counts, of all that is inside."""
    inside = shares[..., 0] + shares[..., 1]
    return np.divide(shares[..., 0], inside, out=np.full_like(inside, math.nan),
                     where=inside > 0)


def items_needed(people, model, rest, reach=REACH, tuned=True, confidence=CONFIDENCE):
    """Calibration issues for an interval of ``reach`` to each side.

    Parameters
    ----------
    people, model, rest : array_like of int
        As in :func:`ppi_share`: what is known so far.
    reach : float
    tuned : bool
    confidence : float

    Returns
    -------
    int or None
        In all, inside and outside, at the error seen so far, and at least so many that
        ``MINIMUM`` are inside; None where no number is enough, since the corpus itself is too
        small.

    Examples
    --------
    >>> people, model = [1, 1, 1, 0, 0, 0, 0, 0] * 5, [1, 1, 0, 0, 0, 0, 0, 1] * 5
    >>> items_needed(people, model, [1] * 300 + [0] * 700, 0.05) > 200
    True
    """
    people, model, rest = (np.asarray(a, dtype=int) for a in (people, model, rest))
    inside = int((people >= 0).sum())
    if not inside or not (rest >= 0).any():
        return MINIMUM
    found = _estimate(people, model, rest, tuned, HALF)
    left = (reach / norm.isf((1 - confidence) / 2)) ** 2 - found["corpus"]
    if left <= 0:
        return None
    return max(math.ceil(found["own"] / left), math.ceil(MINIMUM * len(people) / inside))
