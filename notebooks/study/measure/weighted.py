"""Disagreements of different weight: distances between categories, weighted kappa, alpha."""

from dataclasses import replace

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa

from study.measure.agreement import NO_ERROR, NO_SPREAD, ONE_CATEGORY
from study.measure.results import Result, limits
from study.measure.squaretable import NO_PAIR, checked, used


def tree_distance(codebook, parents, credit=0.5):
    """Distances of categories by the codebook's tree.

    Parameters
    ----------
    codebook : sequence of str, length q
    parents : mapping of str to str or collection of str
        Category to its parent, or parents. A category without an entry stands alone.
    credit : float
        What two categories with a common parent, or a category and its own parent, count
        towards agreement.

    Returns
    -------
    numpy.ndarray, shape (q, q)
        0 for equal categories, 1 - credit within a family, else 1.

    Raises
    ------
    ValueError
        ``credit`` outside [0, 1].

    Examples
    --------
    >>> tree_distance(["a", "b", "c"], {"a": "x", "b": "x", "c": "y"}).tolist()
    [[0.0, 0.5, 1.0], [0.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    if not 0 <= credit <= 1:
        raise ValueError(f"credit {credit}; a number from 0 to 1 is needed")
    above = {}
    for category in codebook:
        found = parents.get(category) or ()
        above[category] = {found} if isinstance(found, str) else set(found)
    distance = np.ones((len(codebook), len(codebook)))
    for i, a in enumerate(codebook):
        for j, b in enumerate(codebook):
            if a == b:
                distance[i, j] = 0
            elif above[a] & above[b] or a in above[b] or b in above[a]:
                distance[i, j] = 1 - credit
    return distance


def step_distance(q, power=1):
    """Distances of ordered categories: |i - j| to a power, from 0 to 1.

    Parameters
    ----------
    q : int
    power : float
        1 for linear weights, 2 for quadratic ones.

    Returns
    -------
    numpy.ndarray, shape (q, q)

    Examples
    --------
    >>> step_distance(3).tolist()
    [[0.0, 0.5, 1.0], [0.5, 0.0, 0.5], [1.0, 0.5, 0.0]]
    """
    steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q))) / max(1, q - 1)
    return steps**power


def agreement_weights(weights, categories):
    """How much two categories count as agreement, from 0 to 1.

    Parameters
    ----------
    weights : str or dict
        "linear" or "quadratic": by the numbers that the categories are, or else by their
        places in the order given. A dict holds the weights of pairs of categories.
    categories : sequence of str

    Returns
    -------
    numpy.ndarray, shape (q, q)
        1 on the diagonal.

    Raises
    ------
    ValueError
        A category without weights.

    Examples
    --------
    >>> agreement_weights("linear", ["1", "2", "4"]).round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.33], [0.0, 0.33, 1.0]]
    >>> agreement_weights("quadratic", ["low", "mid", "high"])[0].tolist()
    [1.0, 0.75, 0.0]
    """
    if isinstance(weights, dict):
        lacking = next((c for c in categories if (c, c) not in weights), None)
        if lacking is not None:
            raise ValueError(f"the weights have none for {lacking!r}; add its row and column")
        return np.array([[weights[a, b] for b in categories] for a in categories], float)
    values = numbers(categories)
    if values is None:
        values = range(len(categories))
    apart = np.abs(np.subtract.outer(values, values)).astype(float)
    return 1 - (apart / max(apart.max(initial=0), 1e-300)) ** (1 if weights == "linear" else 2)


def numbers(categories):
    """The numbers that categories are; None where one of them is no number.

    Examples
    --------
    >>> numbers(["1", "2.5"]), numbers(["1", "high"])
    ([1.0, 2.5], None)
    """
    try:
        values = [float(c) for c in categories]
    except (TypeError, ValueError):
        return None
    return values if all(map(np.isfinite, values)) else None


def _distance(distance, table):
    distance = np.array(distance, dtype=float)
    if distance.shape != table.shape:
        raise ValueError(f"distances of shape {distance.shape} for a table of {table.shape}; "
                         "one distance for each pair of categories of the codebook is needed")
    if not np.isfinite(distance).all() or (distance < 0).any() or np.diag(distance).any():
        raise ValueError("distances must be 0 on the diagonal and nowhere negative")
    return distance


def weighted_kappa(table, distance, conf=0.95, dropped=None, kind=""):
    """Cohen's weighted kappa with any matrix of distances (Cohen 1968).

    Parameters
    ----------
    table : array_like, shape (q, q)
        Counts over the codebook.
    distance : array_like, shape (q, q)
        How much a disagreement counts: 0 on the diagonal. May be asymmetric. One minus a
        matrix of similarities.
    conf : float
    dropped : dict of str to int, optional
    kind : str
        Of the distances, for the name of the coefficient.

    Returns
    -------
    Result
        ``coefficient`` is "weighted kappa", and the kind in brackets; standard error by
        statsmodels.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> table = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]  # SAS, as quoted in statsmodels' tests
    >>> result = weighted_kappa(table, step_distance(3))
    >>> round(result.value, 4), round(result.se, 4)
    (0.4701, 0.1457)
    """
    table = checked(table)
    distance = _distance(distance, table)
    keep = used(table)
    name = f"weighted kappa ({kind})" if kind else "weighted kappa"
    base = Result(name, None, conf=conf, n_used=int(table.sum()), dropped=dict(dropped or {}),
                  q_used=int(keep.sum()), q_offered=len(table))
    if not base.n_used:
        return replace(base, reason=NO_PAIR)
    base = replace(base, po=float(np.trace(table) / table.sum()))
    table, distance = table[np.ix_(keep, keep)], distance[np.ix_(keep, keep)]
    if (np.outer(table.sum(1), table.sum(0)) * distance).sum() == 0:
        return replace(base, reason=ONE_CATEGORY if base.q_used < 2 else
                       "all categories in use are at distance 0 of one another")
    with np.errstate(invalid="ignore", divide="ignore"):  # its test of kappa = 0 is not used
        result = cohens_kappa(table.copy(), weights=distance)
    error = float(np.sqrt(max(0.0, result.var_kappa)))
    if error < NO_ERROR:
        return replace(base, value=float(result.kappa), se=0.0, reason=NO_SPREAD)
    low, high, clipped, method = limits(result.kappa, error, base.n_used, conf, "normal")
    return replace(base, value=float(result.kappa), se=error, ci_low=low, ci_high=high,
                   clipped=clipped, ci_method=method)


def weighted_alpha(table, distance):
    """Krippendorff's alpha of two complete raters with any matrix of distances.

    Parameters
    ----------
    table : array_like, shape (q, q)
    distance : array_like, shape (q, q)
        Symmetric, 0 on the diagonal.

    Returns
    -------
    Result
        ``coefficient`` is "weighted alpha"; no interval (resample the items for one).

    Raises
    ------
    ValueError

    Examples
    --------
    >>> t = [[46, 0, 0], [6, 32, 6], [0, 0, 10]]  # Artstein & Poesio 2008
    >>> d = [[0, 1, .5], [1, 0, .5], [.5, .5, 0]]
    >>> round(weighted_alpha(t, d).value, 4)
    0.8156
    """
    table = checked(table)
    distance = _distance(distance, table)
    if not np.allclose(distance, distance.T):
        raise ValueError("alpha needs symmetric distances")
    base = Result("weighted alpha", None, n_used=int(table.sum()),
                  q_used=int(used(table).sum()), q_offered=len(table))
    if not base.n_used:
        return replace(base, reason=NO_PAIR)
    margin = table.sum(0) + table.sum(1)
    total = margin.sum()
    expected = (np.outer(margin, margin) * distance).sum() / (total - 1)
    base = replace(base, po=float(np.trace(table) / table.sum()))
    if expected == 0:
        return replace(base, reason=ONE_CATEGORY if base.q_used < 2 else
                       "all categories in use are at distance 0 of one another")
    observed = ((table + table.T) * distance).sum()
    return replace(base, value=float(1 - observed / expected),
                   reason="no interval: resample the items for one")
