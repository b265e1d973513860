"""Percentile bootstrap of agreement: thousands of resamples without a loop over them.

Issues of one thread are not independent, so threads are resampled where they are known;
where only counts are known, issues are. Either way a resample is a vector of how often
each unit was drawn, and every coefficient follows from sums that are linear in it.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from study.base.seeds import SEED
from study.measure.agreement import coefficients, point_values
from study.measure.results import clip
from study.measure.squaretable import checked, square_table, used

RESAMPLES = 10_000
NO_SPREAD_DRAWN = "no interval: every resample has the same value"
BLOCK = 5_000_000  # numbers drawn at once; bounds the memory
TOLERATED = 0.05  # share of resamples without a value, above which there is no interval


def bootstrap(table, resamples=RESAMPLES, seed=SEED, primary="kappa", dropped=None, conf=0.95):
    """All coefficients of two raters with percentile bootstrap intervals over issues.

    Parameters
    ----------
    table : array_like, shape (q, q)
        Counts over the codebook.
    resamples : int
    seed : int
    primary, dropped, conf
        As in :func:`study.measure.agreement.coefficients`.

    Returns
    -------
    list of Result
        As :func:`study.measure.agreement.coefficients` gives it, with other intervals. A resample
        in which a coefficient is undefined is left out of its interval; beyond 5 % of such
        resamples there is no interval, and the reason says so.

    Raises
    ------
    ValueError

    Notes
    -----
    Efron's percentile interval. Drawing n issues with replacement is drawing the cells of
    the table from a multinomial distribution, so rows are never touched. Tables with equal
    n share their draws: differences between them carry less noise.

    Examples
    --------
    >>> kappa = bootstrap([[40, 9], [6, 45]], resamples=2000, seed=1)[1]
    >>> kappa.ci_low < kappa.value < kappa.ci_high, kappa.clipped
    (True, False)
    """
    table = checked(table)
    _check(resamples)
    found = coefficients(table, primary, dropped, conf, interval="")
    n = int(table.sum())
    if not n:
        return found
    keep = used(table)
    row, col = np.nonzero(table)
    names = np.flatnonzero(keep)
    cells = np.column_stack([row == col, row[:, None] == names, col[:, None] == names])
    sums = resampled_sums(table[row, col].astype(np.int64), cells, resamples, seed)
    q = len(names)
    drawn = {"": point_values(n, sums[:, 0], sums[:, 1:q + 1], sums[:, q + 1:], len(table))}
    if any(r.coefficient.endswith("_seen") for r in found):
        drawn["_seen"] = point_values(n, sums[:, 0], sums[:, 1:q + 1], sums[:, q + 1:], q)
    method = f"percentile bootstrap over issues ({resamples} resamples, seed {seed})"
    return [_interval(r, drawn, method) for r in found]


def bootstrap_threads(labels_1, labels_2, threads, codebook, resamples=RESAMPLES, seed=SEED,
                      primary="kappa", dropped=None, conf=0.95):
    """The same with whole threads drawn: for rows, where it is known what belongs together.

    Parameters
    ----------
    labels_1, labels_2 : sequence of str
        Position i of both is one issue.
    threads : sequence of hashable
        The thread of each issue.
    codebook : sequence of str
    resamples, seed, primary, dropped, conf
        As in :func:`bootstrap`.

    Returns
    -------
    list of Result

    Raises
    ------
    ValueError

    Examples
    --------
    >>> results = bootstrap_threads("aabb", "abbb", [1, 1, 2, 3], "ab", resamples=100)
    >>> results[0].ci_method[:33]
    'percentile bootstrap over threads'
    """
    table = square_table(labels_1, labels_2, codebook)
    _check(resamples)
    if len(threads) != len(labels_1):
        raise ValueError(f"{len(threads)} threads for {len(labels_1)} issues")
    found = coefficients(table, primary, dropped, conf, interval="")
    if not len(labels_1):
        return found
    place = {c: i for i, c in enumerate(codebook)}
    number = {t: i for i, t in enumerate(dict.fromkeys(threads))}
    at = np.array([number[t] for t in threads])
    names, q = np.flatnonzero(used(table)), len(codebook)
    first, second = (np.array([place[c] for c in labels]) for labels in (labels_1, labels_2))
    sums = np.zeros((len(number), 2 + 2 * q))
    np.add.at(sums, (at, 0), 1)
    np.add.at(sums, (at, 1), first == second)
    np.add.at(sums, (at, 2 + first), 1)
    np.add.at(sums, (at, 2 + q + second), 1)
    sums = sums[:, np.r_[0, 1, 2 + names, 2 + q + names]]
    drawn = resampled_sums(np.ones(len(number), np.int64), sums, resamples, seed)
    rows, cols = drawn[:, 2:2 + len(names)], drawn[:, 2 + len(names):]
    values = {"": point_values(drawn[:, 0], drawn[:, 1], rows, cols, q),
              "_seen": point_values(drawn[:, 0], drawn[:, 1], rows, cols, len(names))}
    method = (f"percentile bootstrap over threads ({len(number)} threads, {resamples} resamples, "
              f"seed {seed})")
    return [_interval(r, values, method) for r in found]


def _check(resamples):
    if resamples < 1:
        raise ValueError(f"{resamples} resamples; at least 1 is needed (10000 is usual)")


def resampled_sums(counts, features, resamples, seed):
    """Sum of the units' features over each resample.

    Parameters
    ----------
    counts : numpy.ndarray of int, shape (k,)
        How many equal units each entry stands for; their sum n is drawn each time.
    features : numpy.ndarray, shape (k, f)
        What one unit of each entry adds.
    resamples, seed : int

    Returns
    -------
    numpy.ndarray of float64, shape (resamples, f)

    Notes
    -----
    Few units are drawn one by one, and the draws kept for the next table of as many; many
    are drawn as multinomial counts of the entries. Both are the same distribution.

    Examples
    --------
    >>> resampled_sums(np.array([3, 1]), np.array([[1.], [1]]), 2, seed=1).tolist()
    [[4.0], [4.0]]
    """
    features = np.asarray(features, float)
    n = int(counts.sum())
    if n * resamples <= BLOCK:
        return _product(_drawn(n, resamples, seed), np.repeat(features, counts, axis=0))
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // len(counts))
    sizes = [min(step, resamples - start) for start in range(0, resamples, step)]
    return np.vstack([_product(rng.multinomial(n, counts / n, size), features)
                      for size in sizes])


def _product(draw, features):
    """Matrix product in pieces that stay in the cache and on one core."""
    # BLAS starts its threads from some half a million multiplications on; on shared cores
    # their waiting for one another costs several times what they save.
    step = max(1, 400_000 // max(1, features.size))
    # Sums of whole numbers below 2**24 are exact in single precision, at half the cost.
    single = draw.dtype == np.float32 and np.array_equal(features, np.rint(features))
    kind = np.float32 if single and np.abs(features).sum() < 1 << 20 else np.float64
    features = features.astype(kind)
    made = np.empty((len(draw), features.shape[1]))
    for start in range(0, len(draw), step):
        made[start:start + step] = draw[start:start + step].astype(kind, copy=False) @ features
    return made


@lru_cache(maxsize=6)
def _drawn(n, resamples, seed):
    """How often each of n units is drawn; kept, since the facets of a round share n."""
    rng = np.random.default_rng(seed)
    picked = rng.integers(0, n, (resamples, n)) + np.arange(resamples)[:, None] * n
    counted = np.bincount(picked.ravel(), minlength=resamples * n)
    return counted.reshape(resamples, n).astype(np.float32)


def _interval(result, drawn, method):
    """A result with the percentile interval of its resampled values."""
    base, seen, _ = result.coefficient.partition("_seen")
    values = drawn[seen].get(base)
    if result.value is None or values is None:
        return result
    finite = values[np.isfinite(values)]
    missing = len(values) - len(finite)
    blank = replace(result, reason="", se=None, ci_low=None, ci_high=None, clipped=False,
                    ci_method="")
    if missing > TOLERATED * len(values):
        return replace(blank, reason=f"no interval: undefined in {missing} of {len(values)} "
                       "resamples")
    low, high = np.quantile(finite, [(1 - result.conf) / 2, (1 + result.conf) / 2])
    if np.ptp(finite) < 1e-12:
        return replace(blank, reason=NO_SPREAD_DRAWN)
    if missing:
        method += f"; {missing} undefined ones left out"
    low, high, clipped = clip(low, high)
    return replace(blank, se=float(finite.std(ddof=1)), ci_low=low, ci_high=high,
                   clipped=clipped, ci_method=method)
