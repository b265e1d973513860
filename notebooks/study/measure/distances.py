"""Distances between labels: nominal to ratio, Jaccard and MASI for sets, or any other."""

from collections.abc import Callable

import numpy as np


def jaccard(a, b):
    """Jaccard distance of two sets of labels: 1 - |a & b| / |a | b|.

    Parameters
    ----------
    a, b : collection

    Returns
    -------
    float
        0 for two empty sets, 1 for an empty and another one.

    Examples
    --------
    >>> jaccard({"a"}, {"a", "b"}), jaccard(set(), set())
    (0.5, 0.0)
    """
    a, b = set(a), set(b)
    return 1 - len(a & b) / len(a | b) if a or b else 0.0


def masi(a, b):
    """MASI distance of two sets of labels: 1 - J * M (Passonneau 2006).

    J is the Jaccard similarity; M is 1 for equal sets, 2/3 where one holds the other,
    1/3 where they overlap, 0 where they do not.

    Parameters
    ----------
    a, b : collection

    Returns
    -------
    float

    Examples
    --------
    >>> round(masi("a", "ab"), 4), round(masi("ab", "bc"), 4), masi("", "")
    (0.6667, 0.8889, 0.0)
    """
    a, b = set(a), set(b)
    if a == b:
        return 0.0
    shape = 2 / 3 if a <= b or b <= a else 1 / 3
    return 1 - (1 - jaccard(a, b)) * shape


def distances(values, metric="nominal", counts=None):
    """Matrix of distances between values.

    Parameters
    ----------
    values : sequence, length v
    metric : str or callable or array_like
        "nominal", "ordinal", "interval", "ratio" (Krippendorff 2011; the last two need
        numbers, "ordinal" the order of ``values``), "jaccard", "masi" (sets), a function of
        two values, or the matrix itself.
    counts : numpy.ndarray, shape (units, v), optional
        Needed for "ordinal", which depends on how often values occur in pairable units.

    Returns
    -------
    numpy.ndarray, shape (v, v)

    Raises
    ------
    ValueError
        Unknown metric, wrong shape, asymmetric, or not 0 on the diagonal.

    Examples
    --------
    >>> distances([1, 2, 4], "interval").tolist()
    [[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]]
    """
    v = len(values)
    if isinstance(metric, str):
        if metric == "nominal":
            return 1 - np.eye(v)
        if metric == "ordinal":
            n = pairable(counts)[0].sum(0)
            below = np.cumsum(n) - n / 2
            return (below[:, None] - below) ** 2
        metric = {"jaccard": jaccard, "masi": masi, "interval": lambda a, b: (a - b) ** 2,
                  "ratio": lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0.0}.get(metric)
        if metric is None:
            raise ValueError("unknown metric; one of nominal, ordinal, interval, ratio, "
                             "jaccard, masi, a function, or a matrix")
    if isinstance(metric, Callable):
        matrix = np.array([[metric(a, b) for b in values] for a in values], float).reshape(v, v)
    else:
        matrix = np.array(metric, float)
    if matrix.shape != (v, v):
        raise ValueError(f"distances of shape {matrix.shape} for {v} values")
    if not np.isfinite(matrix).all() or np.diag(matrix).any() or not np.allclose(matrix, matrix.T):
        raise ValueError("distances must be finite, symmetric, and 0 on the diagonal")
    return matrix


def pairable(counts):
    """Units with at least two ratings, and how many ratings each of them has.

    Parameters
    ----------
    counts : array_like, shape (units, values)

    Returns
    -------
    (numpy.ndarray, numpy.ndarray)

    Raises
    ------
    ValueError
        Negative counts, or no matrix.

    Examples
    --------
    >>> pairable([[1, 1], [1, 0]])[1].tolist()
    [2.0]
    """
    counts = np.asarray(counts)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError("a matrix of counts (units x values) without negative ones is needed")
    ratings = counts.sum(1)
    return counts[ratings > 1].astype(float), ratings[ratings > 1].astype(float)
