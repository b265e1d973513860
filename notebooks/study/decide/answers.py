"""The quantities behind claims of several readings: the value under one combination of decisions.

Each is two functions: what the value is computed from, and the value. Where two combinations
compute from the same, they are one reading.
"""

from functools import cache

import numpy as np

from study.measure.intervals import weighted_share, wilson
from study.measure.kappa import cohen
from study.measure.symptoms import PATH, leaves

FIRST = {"first": 1, "first 2": 2, "first 3": 3}


def percent_of(option):
    """The share that an option such as ``"50 %"`` names.

    Examples
    --------
    >>> percent_of("50 %")
    0.5
    """
    return int(option.split()[0]) / 100


@cache
def _intervals(of):
    return wilson(range(of + 1), [of] * (of + 1))[["share", "low", "high"]].to_numpy().tolist()


def wilson_of(hits, of):
    """Value and Wilson's 95 % interval; for totals that come again and again."""
    return dict(zip(("value", "low", "high"), _intervals(of)[hits], strict=True))


def share_of(hit, weight, n):
    """Value and 95 % interval of a share of issues.

    Parameters
    ----------
    hit, weight : numpy.ndarray
        Of one issue of the row: 0, 1 or a fraction; its weight.
    n : numpy.ndarray of int
        Issues of the row.

    Returns
    -------
    dict
        value, low, high, n. Wilson's interval where every issue counts 1 and is in or out;
        else linearised, or, where all are in or out, Wilson's for Kish's effective number.
    """
    found = weighted_share(hit, weight, n)
    record = {"value": found["share"], "low": found["low"], "high": found["high"]}
    plain = (weight == 1).all() and np.isin(hit, (0, 1)).all()
    if plain or record["low"] != record["low"]:
        total, size = (weight * n).sum(), (weight**2 * n).sum()
        effective = round(total**2 / size) if size else 0
        hits = round(effective * found["share"]) if effective else 0
        record |= wilson_of(hits, effective)
    return record | {"n": int(n.sum())}


def categories_from(samples, universe):
    """Symptoms left, and what counts as one."""
    table = samples.of(universe)
    return table[PATH].to_numpy(str), table["n"].to_numpy(), universe["category"]


def categories(paths, n, category):
    """How many categories of symptoms there are."""
    if category == "leaf name":
        count = len(leaves(paths[:, 2]))
    else:
        count = len({tuple(p) if category == "path" else p[2] for p in paths})
    return {"value": count, "n": int(n.sum())}


def shared_from(samples, universe):
    """Symptom, kind asked for and weight of each row."""
    table = samples.of(universe)
    asked = table["distributed_specific"].to_numpy() == (universe["kind"] == "specific faults")
    return samples.symptoms(universe), asked, table["w"].to_numpy(), table["n"].to_numpy()


def shared(codes, asked, weight, n):
    """Share of the faults of one kind with a symptom that the other kind has, too."""
    there = np.bincount(codes, ~asked, minlength=len(codes) + 1) > 0
    return share_of(there[codes[asked]].astype(float), weight[asked], n[asked])


def frequent_from(samples, universe):
    """Symptom, patterns, weight of each row, and what frequent means."""
    table = samples.of(universe)
    return (samples.symptoms(universe), samples.fixes_of(universe), table["w"].to_numpy(),
            table["n"].to_numpy(), FIRST[universe["patterns counted"]],
            percent_of(universe["frequent from"]),
            1 if universe["symptoms judged"] == "all" else int(universe["symptoms judged"][0]))


def frequent(codes, fixes, weight, n, first, threshold, at_least):
    """Share of symptoms that have frequent fix patterns."""
    judged = np.bincount(codes, n) >= at_least
    having = int((mended(codes, fixes, weight * n, first)[judged] >= threshold - 1e-9).sum())
    return wilson_of(having, int(judged.sum())) | {"n": int(judged.sum())}


def mended(codes, fixes, weight, first):
    """Share of each symptom's faults that its most frequent patterns mend.

    Parameters
    ----------
    codes : numpy.ndarray of int, shape (rows,)
        The symptom, from 0 on.
    fixes : numpy.ndarray, shape (rows, patterns)
    weight : numpy.ndarray, shape (rows,)
        Of the faults of a row together.
    first : int
        How many patterns; ties are settled by the order of the columns.

    Returns
    -------
    numpy.ndarray of float, shape (symptoms,)

    Examples
    --------
    >>> mended(np.array([0, 0, 0]), np.array([[1, 0], [1, 0], [0, 1]]), np.ones(3), 1).round(2)
    array([0.67])
    """
    symptoms, (row, pattern) = codes.max(initial=-1) + 1, np.nonzero(fixes)
    shape = (symptoms, fixes.shape[1])
    sums = np.bincount(codes[row] * shape[1] + pattern, weight[row] * fixes[row, pattern],
                       np.prod(shape)).reshape(shape)
    order = np.argsort(-np.round(sums, 9), axis=1, kind="stable")[:, :first]
    reached = np.minimum(np.take_along_axis(fixes, order[codes], axis=1).sum(axis=1), 1)
    total = np.bincount(codes, weight, symptoms)
    return np.divide(np.bincount(codes, weight * reached, symptoms), total,
                     out=np.zeros(symptoms), where=total > 0)


def system_from(samples, universe):
    """How far each row concerns system-level configuration."""
    table, counting = samples.of(universe), universe["several patterns"]
    fixes = samples.fixes_of(universe)
    chosen = samples.level(universe["labels"], universe["system level"])
    hit = np.minimum(fixes[:, chosen].sum(axis=1), 1).round(12)
    if counting == "all":
        hit = (hit > 0) & ~fixes[:, ~chosen].any(axis=1)
    return hit.astype(float), table["w"].to_numpy(), table["n"].to_numpy()


def agreement_from(samples, universe):
    """The pairs of labels."""
    return (samples.pairs(universe),)


def agreement(pairs):
    """Cohen's kappa for the symptom, over all rounds."""
    found = cohen(pairs)
    return {"value": found["kappa"], "low": found["low"], "high": found["high"],
            "n": found["n"]}


# Names as claims.toml has them.
ANSWERS = {"categories": (categories_from, categories), "shared_symptoms": (shared_from, shared),
           "frequent_fixes": (frequent_from, frequent), "system_level": (system_from, share_of),
           "symptom_kappa": (agreement_from, agreement)}
