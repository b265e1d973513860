"""Draw a sample for labelling: seeded, stratified, from the frozen population."""

from collections import defaultdict
from hashlib import sha256
from math import ceil, sqrt

from mining.errors import MiningError

Z95 = 1.959963984540054  # normal quantile at 97.5 %
BY = ("platform", "framework", "place", "year", "state")


def size_for(margin, population):
    """Threads needed for a proportion's margin at 95 %, with finite population correction.

    ``margin`` is the half-width of the interval, between 0 and 1, for the widest case p = 0.5.
    Cochran, Sampling Techniques (1977), section 4.4.

    >>> size_for(0.05, 10**9), size_for(0.05, 1000)
    (385, 278)
    """
    raw = Z95**2 * 0.25 / margin**2
    return min(population, ceil(raw / (1 + (raw - 1) / population)))


def margin_of(n, population):
    """The margin that ``n`` of ``population`` achieve at 95 % (0 for a whole count).

    >>> round(margin_of(278, 1000), 4)
    0.05
    """
    if n >= population:
        return 0.0
    return Z95 * sqrt(0.25 / n * (population - n) / (population - 1))


def stratum_of(row, by):
    """The stratum of a thread; several frameworks of one thread are one stratum."""
    values = {"platform": row["platform"], "framework": "+".join(row["frameworks"]),
              "place": row["place"], "year": row["created_at"][:4], "state": row["state"]}
    return values[by] if by else "all"


def draw(rows, n=None, margin=None, seed=0, by=None):
    """Draw the sample.

    Parameters
    ----------
    rows : iterable of dict
        Threads of a snapshot; only candidates are drawn from.
    n : int, optional
        Size; else ``margin`` decides.
    margin : float, optional
    seed : int
        The threads with the smallest SHA-256 of seed and key are taken: the same on every
        machine and Python, and a grown population changes few of them.
    by : str, optional
        One of :data:`BY`; strata get their proportional share, largest remainders first,
        and at least one.

    Returns
    -------
    (list of str, dict)
        Keys in drawing order, and a report with population, margin and strata.
    """
    if by is not None and by not in BY:
        raise MiningError(f"--by {by}: not one of {', '.join(BY)}")
    strata = defaultdict(list)
    for row in rows:
        if row["candidate"]:
            strata[stratum_of(row, by)].append(row["item"])
    population = sum(map(len, strata.values()))
    if not population:
        raise MiningError("the snapshot has no candidates to sample from")
    if margin is not None and not 0 < margin < 1:
        raise MiningError(f"--margin {margin}: must lie between 0 and 1, for example 0.05")
    size = size_for(margin, population) if n is None else n
    if not 0 < size <= population:
        raise MiningError(f"--n {size}: the population has {population} candidates")
    shares = allot(size, {k: len(v) for k, v in strata.items()})
    chosen = [item for name in sorted(strata)
              for item in sorted(strata[name], key=lambda i: rank(seed, i))[:shares[name]]]
    chosen.sort(key=lambda item: rank(seed, item))
    report = {"population": population, "n": size, "seed": seed, "by": by,
              "margin_95": round(margin_of(size, population), 6),
              "strata": {name: {"population": len(strata[name]), "n": shares[name]}
                         for name in sorted(strata)}}
    return chosen, report


def rank(seed, item):
    """A number that is as good as random, and the same everywhere."""
    return sha256(f"{seed}:{item}".encode()).hexdigest()


def allot(n, sizes):
    """Share ``n`` over strata in proportion, at least one each where ``n`` allows it.

    >>> allot(10, {"a": 90, "b": 9, "c": 1})
    {'a': 8, 'b': 1, 'c': 1}
    """
    total = sum(sizes.values())
    least = 1 if n >= len(sizes) else 0
    exact = {k: n * size / total for k, size in sizes.items()}
    shares = {k: min(sizes[k], max(least, int(exact[k]))) for k in sizes}
    # Largest remainder first; ties by name, so that the result is always the same.
    while sum(shares.values()) < n:
        open_ = [k for k in sizes if shares[k] < sizes[k]]
        shares[min(open_, key=lambda k: (shares[k] - exact[k], k))] += 1
    while sum(shares.values()) > n:
        open_ = [k for k in sizes if shares[k] > least]
        shares[max(open_, key=lambda k: (shares[k] - exact[k], k))] -= 1
    return shares
