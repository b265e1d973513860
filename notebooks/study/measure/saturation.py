"""Whether more labelling would find more categories: batches, rarefaction, orders."""

import math

import numpy as np
import pandas as pd
from scipy.special import gammaln

from study.base.seeds import SEED


def new_categories(batches):
    """How many categories each batch of labelling added.

    Parameters
    ----------
    batches : list of iterables of str
        Labels of each batch, in the order of labelling.

    Returns
    -------
    pandas.DataFrame
        One row a batch: batch (from 1), n (labels), new (categories not seen before), seen
        (categories so far), share_new (of those seen so far).

    Notes
    -----
    After Guest, Namey & Chen (2020): saturation is a run of batches that add little.

    Examples
    --------
    >>> new_categories([["a", "b", "a"], ["b", "c"], ["a"]])["new"].tolist()
    [2, 1, 0]
    """
    seen, rows = set(), []
    for i, batch in enumerate(batches, 1):
        labels = list(batch)
        new = set(labels) - seen
        seen |= new
        rows.append({"batch": i, "n": len(labels), "new": len(new), "seen": len(seen),
                     "share_new": len(new) / len(seen) if seen else None})
    return pd.DataFrame(rows, columns=["batch", "n", "new", "seen", "share_new"])


def saturation(batches, base=1, run=1, threshold=0.05):
    """The batch at which a taxonomy is saturated.

    Parameters
    ----------
    batches : list of iterables of str
    base : int
        Batches whose categories are the base.
    run : int
        Consecutive batches that must add little.
    threshold : float
        New categories of the run, as a share of the base, that count as little.

    Returns
    -------
    int or None
        The last batch of the first such run; None where there is none.

    Raises
    ------
    ValueError
        ``base`` or ``run`` below 1.

    Notes
    -----
    Guest, Namey & Chen (2020), PLoS ONE 15(5) e0232076: base size, run length, new
    information threshold (0.05, or 0 for the strict reading).

    Examples
    --------
    >>> saturation([["a", "b"], ["b", "c"], ["a"]], base=1, run=1)
    3
    """
    if base < 1 or run < 1:
        raise ValueError("base and run count batches; at least 1 is needed")
    frame = new_categories(batches)
    if len(frame) < base + run:
        return None
    size = frame["seen"].iloc[base - 1]
    for end in range(base + run, len(frame) + 1):
        if size and frame["new"].iloc[end - run:end].sum() / size <= threshold:
            return end
    return None


def rarefaction(counts, sizes=None):
    """Categories expected in a random part of the labelled items.

    Parameters
    ----------
    counts : sequence of int
        Items by category.
    sizes : sequence of int, optional
        Sizes of the part; by default up to 50 between 1 and all.

    Returns
    -------
    pandas.DataFrame
        n (size), expected (categories), sd. A curve that still climbs at its end says that
        more labelling would find more categories.

    Raises
    ------
    ValueError
        A size beyond the number of items, or a negative count.

    Notes
    -----
    Hurlbert (1971) and Heck et al. (1975): exact mean and variance over all orders, so no
    seed is needed. :func:`random_orders` simulates the same with one.

    Examples
    --------
    >>> rarefaction([2, 1], [1, 2, 3])["expected"].round(4).tolist()
    [1.0, 1.6667, 2.0]
    """
    counts = np.asarray([c for c in counts if c], dtype=np.int64)
    if (counts < 0).any():
        raise ValueError("a count cannot be negative")
    total = int(counts.sum())
    if sizes is None:
        sizes = np.unique(np.linspace(1, total, min(total, 50)).round().astype(int))
    rows = []
    for n in map(int, sizes):
        if not 0 <= n <= total:
            raise ValueError(f"a part of {n} items out of {total}")
        absent = _absent(total, counts, n)
        together = _absent(total, counts[:, None] + counts, n)
        np.fill_diagonal(together, absent)
        variance = (together - np.outer(absent, absent)).sum()
        rows.append({"n": n, "expected": float((1 - absent).sum()),
                     "sd": math.sqrt(max(0.0, variance))})
    return pd.DataFrame(rows, columns=["n", "expected", "sd"])


def _absent(total, left_out, n):
    """Probability that n of ``total`` items hold none of ``left_out`` given ones."""
    rest = total - left_out
    possible = rest >= n
    rest = np.where(possible, rest, n)
    logs = gammaln(rest + 1) - gammaln(rest - n + 1) - gammaln(total + 1) + gammaln(total - n + 1)
    return np.where(possible, np.exp(logs), 0.0)


def random_orders(labels, orders=1000, seed=SEED, conf=0.95):
    """Categories found after each item, over random orders of the items.

    Parameters
    ----------
    labels : sequence of str
    orders : int
    seed : int
    conf : float

    Returns
    -------
    pandas.DataFrame
        n (items, from 1), mean, low, high (percentiles over the orders).

    Raises
    ------
    ValueError
        No label, or no order.

    Examples
    --------
    >>> random_orders(["a", "a", "b"], orders=200, seed=1)["mean"].tolist()[2]
    2.0
    """
    if not len(labels) or orders < 1:
        raise ValueError("at least one label and one order are needed")
    codes = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    found = np.zeros((orders, len(codes)))
    for row in found:
        first = np.unique(rng.permutation(codes), return_index=True)[1]
        row[first] = 1  # the item that shows a category for the first time
    found = found.cumsum(1)
    low, high = np.quantile(found, [(1 - conf) / 2, (1 + conf) / 2], axis=0)
    return pd.DataFrame({"n": np.arange(1, len(codes) + 1), "mean": found.mean(0), "low": low,
                         "high": high})
