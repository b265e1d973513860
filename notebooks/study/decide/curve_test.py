"""Inference over all readings of a claim at once: could chance give a curve like this one?

Simonsohn, Simmons and Nelson (2020), Specification curve analysis, Nature Human Behaviour 4,
1208-1214, shuffle the data many times so that nothing depends on anything, draw the curve of each
shuffle, and compare three of its features with those of the true one: the median value, the share
of readings that are significant in the dominant direction, and the mean z over the readings
(Stouffer's, but for a constant). Readings of one table depend on each other; shuffling the table
once for all of them keeps that dependence.
"""

import numpy as np
import pandas as pd
from scipy.stats import norm

from study.base.once import once
from study.base.seeds import generator
from study.decide.answers import FIRST, percent_of
from study.decide.claims import load_claims
from study.decide.samples import Samples
from study.measure.symptoms import PATH

SHUFFLES = 500  # as in the paper
ALONG = ["platform", "frameworks", "distributed_specific", "stage", "candidate",
         "issues_in_thread", "round"]  # what repairing labels leaves alone
# What is shuffled for a claim, or why there is nothing to shuffle.
SHUFFLED = {"shared-symptoms": "whether a fault is distributed-specific, over the faults",
            "frequent-fixes": "the fix patterns, over the faults"}
NOT_TESTED = {
    "categories": "A number of names stays what it is however names are dealt out to faults.",
    "system-level": "A share of the faults stays what it is however fix patterns are dealt out: "
                    "the claim is about a size, not about a relation; see the margin.",
    "agreement": "Kappa is corrected for chance already; its interval is the test."}


@once
def linked(study):
    """One row a fault, with its labels repaired and as filed.

    Parameters
    ----------
    study : Study

    Returns
    -------
    numpy.ndarray of int, shape (2, faults)
        Row number in ``study.faults`` and in ``study.faults_as_filed`` of each fault. The tables
        hold counts, so rows that are alike in both are the same faults; the others are joined
        in their order within what repairing leaves alone (platform to round).
    """
    tables = (study.faults, study.faults_as_filed)
    both = [np.repeat(np.arange(len(t)), t["n"]) for t in tables]
    columns = [*ALONG, *PATH[1:], "fix_patterns"]
    keys = [list(zip(*(t[c].astype(str) for c in columns), strict=True)) for t in tables]
    alike = set(keys[0]) & set(keys[1])

    def order(key, rows):
        # Alike ones first, in the same order in both; then the others by what they share.
        return sorted(rows, key=lambda r: (key[r][:len(ALONG)], key[r] not in alike, key[r]))

    return np.array([order(*each) for each in zip(keys, both, strict=True)], dtype=int)


def _expanded(samples, universe, rows):
    """Weight (0 where it does not count) and symptom of each fault under some decisions."""
    table, codes = samples.of(universe), samples.symptoms(universe)
    at = np.full(rows.max() + 1, -1)
    at[table["row"]] = np.arange(len(table))
    at = at[rows[int(universe["labels"] != "repaired")]]
    inside = at >= 0
    weight = np.where(inside, table["w"].to_numpy()[at], 0.0)
    return weight, np.where(inside, codes[at], codes.max(initial=-1) + 1), inside


def shared_values(samples, universes, kinds):
    """Value of each reading of *shared symptoms* for each shuffle of the kind.

    Parameters
    ----------
    samples : Samples
    universes : list of dict
    kinds : numpy.ndarray of bool, shape (shuffles, faults)
        Whether a fault is distributed-specific, in the order of :func:`linked`.

    Returns
    -------
    numpy.ndarray of float, shape (shuffles, readings)
    """
    rows, known, values = linked(samples.study), {}, []
    asked_of = {"specific faults": kinds.astype(np.float32)}
    asked_of["others"] = 1 - asked_of["specific faults"]
    for universe in universes:
        key = tuple(o for name, o in universe.items() if name not in ("kind", "unit",
                                                                      "composition"))
        weight, codes, inside = _expanded(samples, universe, rows)
        if key not in known:
            member = np.equal.outer(codes, np.arange(codes[inside].max(initial=-1) + 1))
            counts = asked_of["specific faults"] @ member.astype(np.float32)
            sizes = member.sum(axis=0)
            known[key] = member, (counts > 0.5) & (counts < sizes - 0.5)
        member, both = known[key]
        asked = asked_of["specific faults" if universe["kind"] == "specific faults" else "others"]
        by_symptom = asked @ (member * weight[:, None]).astype(np.float32)
        total = by_symptom.sum(axis=1, dtype=float)
        values.append(np.divide((by_symptom * both).sum(axis=1), total,
                                out=np.full(len(kinds), np.nan), where=total > 0))
    return np.array(values).T


def frequent_values(samples, universes, orders):
    """Value of each reading of *frequent fix patterns* for each shuffle of the patterns.

    Parameters
    ----------
    samples : Samples
    universes : list of dict
    orders : numpy.ndarray of int, shape (shuffles, faults)
        Which fault's fix patterns a fault gets.

    Returns
    -------
    numpy.ndarray of float, shape (shuffles, readings)
    """
    rows, groups = linked(samples.study), {}
    for i, universe in enumerate(universes):
        groups.setdefault((universe["labels"], universe["same symptom"]), []).append(i)
    values = np.empty((len(orders), len(universes)))
    for (labels, _), own in groups.items():
        number, ways = rows[int(labels != "repaired")], {}
        for i in own:
            ways.setdefault(tuple(universes[i][k] for k in ("several patterns", "unit",
                                                            "composition")), []).append(i)
        some = [universes[members[0]] for members in ways.values()]
        found = [_expanded(samples, universe, rows) for universe in some]
        fixes = [samples.fixes_of({k: u[k] for k in ("labels", "several patterns")})[number]
                 for u in some]
        fault, pattern = np.nonzero(fixes[0])
        codes = found[0][1]
        sizes = np.bincount(codes)
        reached = _reached(codes, np.array([f[0] for f in found]), fault, pattern,
                           np.array([f[fault, pattern] for f in fixes]), orders)
        for way, members in enumerate(ways.values()):
            for i in members:
                judged = sizes >= (1 if universes[i]["symptoms judged"] == "all" else 5)
                most = reached[FIRST[universes[i]["patterns counted"]] - 1, :, way][:, judged]
                values[:, i] = (most >= percent_of(universes[i]["frequent from"]) - 1e-9
                                ).mean(axis=1)
    return values


def _reached(codes, weight, fault, pattern, part, orders):
    """Share of each symptom's faults that its first 1, 2, 3 patterns mend.

    ``weight`` has shape (ways, faults), ``part`` (ways, fixes); a fix is a fault and a pattern.
    The result has shape (3, shuffles, ways, symptoms).
    """
    pattern = np.unique(pattern, return_inverse=True)[1]
    ways, n = weight.shape
    shape = (ways, codes.max() + 1, pattern.max() + 1)
    line = np.arange(ways)[:, None]
    total = np.bincount((line * shape[1] + codes).ravel(), weight.ravel()).reshape(shape[:2])
    found, where = np.zeros((3, len(orders), *shape[:2])), np.empty(n, dtype=int)
    first = np.arange(shape[2]) * 1e-9  # of ties the first in the alphabet
    for s, order in enumerate(orders):
        where[order] = np.arange(n)  # the fault that gets this one's patterns
        getter = where[fault]
        symptom = codes[getter]
        cell = line * (shape[1] * shape[2]) + symptom * shape[2] + pattern
        sums = np.bincount(cell.ravel(), (weight[:, getter] * part).ravel(),
                           np.prod(shape)).reshape(shape) - first
        reach, goal = np.zeros((ways, n)), (line * n + getter).ravel()
        for k in range(3):
            best = sums.argmax(axis=2)
            np.put_along_axis(sums, best[:, :, None], -1, axis=2)
            hit = (best[:, symptom] == pattern) * part
            reach += np.bincount(goal, hit.ravel(), ways * n).reshape(ways, n)
            mended = weight * np.minimum(reach, 1)
            sums_of = np.bincount((line * shape[1] + codes).ravel(), mended.ravel())
            np.divide(sums_of.reshape(shape[:2]), total, out=found[k, s], where=total > 0)
    return found


VALUES = {"shared-symptoms": shared_values, "frequent-fixes": frequent_values}


def features(values, middle, spread):
    """The three features of curves.

    Parameters
    ----------
    values : numpy.ndarray, shape (curves, readings)
    middle, spread : numpy.ndarray, shape (readings,)
        Mean and standard deviation of each reading over the shuffles.

    Returns
    -------
    dict of numpy.ndarray, shape (curves,)
        ``median`` (of value minus mean), ``significant`` (share of readings beyond the 5 % limit
        in the direction that most readings have), ``mean z``. Readings that no shuffle moves
        have a z of 0.

    Examples
    --------
    >>> one = features(np.array([[3.0, 5.0]]), np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    >>> {k: float(v[0]) for k, v in one.items()}
    {'median': 3.0, 'significant': 1.0, 'mean z': 3.0}
    """
    z = np.divide(values - middle, spread, out=np.zeros_like(values), where=spread > 1e-12)
    sign = np.where((z > 0).sum(axis=1) >= (z < 0).sum(axis=1), 1, -1)
    limit = norm.isf(0.025)
    return {"median": np.median(values - middle, axis=1),
            "significant": (z * sign[:, None] > limit).mean(axis=1), "mean z": z.mean(axis=1)}


def curve_test(study, universes, shuffles=SHUFFLES):
    """The three features of each claim's curve, and how often a shuffle has as much of them.

    Parameters
    ----------
    study : Study
    universes : pandas.DataFrame
        As ``multiverse.multiverse`` returns it.
    shuffles : int

    Returns
    -------
    pandas.DataFrame
        Columns claim, shuffled, readings (that have a value in every shuffle), feature,
        observed, low and high (95 % of the shuffles), p: the share of curves, the true one
        among them, whose feature is as far from 0 (``significant``: as large). ``median`` is in
        the unit of the value and counts from the mean over the shuffles.
    """
    claims, samples, rows = {c.id: c for c in load_claims()}, Samples(study), []
    kind = study.faults["distributed_specific"].to_numpy()[linked(study)[0]] == 1
    for claim, shuffled in SHUFFLED.items():
        own = universes[universes["claim"] == claim]
        if own["value"].isna().all():
            continue
        readings = own[list(claims[claim].decisions)].to_dict("records")
        rng = generator(f"curve {claim}")
        orders = np.array([np.arange(len(kind)), *(rng.permutation(len(kind))
                                                   for _ in range(shuffles))])
        values = VALUES[claim](samples, readings, kind[orders] if claim == "shared-symptoms"
                               else orders)
        values = values[:, ~np.isnan(values).any(axis=0)]
        middle, spread = values[1:].mean(axis=0), values[1:].std(axis=0)
        for name, of in features(values, middle, spread).items():
            far = np.abs(of)
            low, high = np.percentile(of[1:], [2.5, 97.5])
            rows.append((claim, shuffled, values.shape[1], name, of[0], low, high,
                         (far >= far[0] - 1e-12).mean()))
    return pd.DataFrame(rows, columns=["claim", "shuffled", "readings", "feature", "observed",
                                       "low", "high", "p"])
