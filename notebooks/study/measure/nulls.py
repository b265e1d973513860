"""What chance alone would give: permutations beside the shares of two findings."""

import numpy as np
from scipy.stats import norm

from study.base.once import once
from study.base.seeds import generator
from study.base.words import JOIN
from study.measure.symptoms import PATH

DRAWS, SHUFFLES, REPEATS, FOLDS = 10_000, 2_000, 20, 10


def _chance(observed, drawn):
    """Mean, 95 % range and p values of permutations, the observed one counted among them."""
    low, high = np.percentile(drawn, [2.5, 97.5])
    return {"observed": observed, "mean": float(drawn.mean()), "null_low": float(low),
            "null_high": float(high),
            "p_fewer": float((1 + (drawn <= observed).sum()) / (1 + len(drawn))),
            "p_more": float((1 + (drawn >= observed).sum()) / (1 + len(drawn)))}


def _sides(faults, level):
    own = faults.assign(specific=faults["n"] * faults["distributed_specific"])
    sums = own.groupby(PATH if level == "path" else ["symptom"])[["n", "specific"]].sum()
    return sums["n"].to_numpy(), sums["specific"].to_numpy()


def shared_counts(n, specific):
    """How far the two kinds of faults share their symptoms, in both directions.

    Parameters
    ----------
    n, specific : numpy.ndarray of int, shape (..., symptoms)
        Faults of each symptom, and distributed-specific ones among them.

    Returns
    -------
    dict of numpy.ndarray
        ``others`` that carry a symptom of specific faults, ``specific`` that carry a
        symptom of others, ``symptoms`` that both carry; of the leading shape.

    Examples
    --------
    >>> {k: int(v) for k, v in shared_counts(np.array([3, 2]), np.array([2, 2])).items()}
    {'others': 1, 'specific': 2, 'symptoms': 1}
    """
    both = (specific > 0) & (specific < n)
    return {"others": np.where(both, n - specific, 0).sum(axis=-1),
            "specific": np.where(both, specific, 0).sum(axis=-1), "symptoms": both.sum(axis=-1)}


def shared_null(faults, level="symptom", without=(), draws=DRAWS):
    """Sharing of symptoms beside what it would be if kind and symptom had nothing in common.

    Parameters
    ----------
    faults : pandas.DataFrame
    level : {"symptom", "path"}
    without : collection of str
        Symptoms left out, such as the catch-all ``others``.
    draws : int
        Permutations of the kind over the faults. Given the symptoms' sizes, their counts
        are a multivariate hypergeometric draw, so nothing is shuffled one by one.

    Returns
    -------
    dict of dict
        Keys others, specific, symptoms; each observed, of, mean, null_low, null_high (95 %
        of the permutations), p_fewer, p_more (one-sided).
    """
    faults = faults[~faults["symptom"].isin(list(without))]
    n, specific = _sides(faults, level)
    of = {"others": int((n - specific).sum()), "specific": int(specific.sum()),
          "symptoms": len(n)}
    if not of["others"] or not of["specific"]:
        return {}
    rng = generator(f"shared {level} {';'.join(without)}")
    drawn = shared_counts(n, rng.multivariate_hypergeometric(n, of["specific"], size=draws))
    return {k: {"of": of[k], **_chance(int(v), drawn[k])}
            for k, v in shared_counts(n, specific).items()}


def _expanded(faults, level):
    """One row a fault: code of its symptom, and the patterns that mend it."""
    faults = faults.groupby([*(PATH if level == "path" else ["symptom"]), "fix_patterns"],
                            as_index=False)["n"].sum()
    codes = faults.groupby(PATH if level == "path" else ["symptom"]).ngroup().to_numpy()
    names = sorted({p for cell in faults["fix_patterns"] for p in cell.split(JOIN) if p})
    matrix = np.array([[p in cell.split(JOIN) for p in names] for cell in faults["fix_patterns"]])
    return (np.repeat(codes, faults["n"]),
            np.repeat(matrix.reshape(len(faults), len(names)), faults["n"], axis=0))


def covered_shares(codes, matrix, top):
    """Share of each symptom's faults that its ``top`` most frequent patterns mend.

    Parameters
    ----------
    codes : numpy.ndarray of int, shape (faults,)
        Symptom of each fault, ascending.
    matrix : numpy.ndarray of bool, shape (faults, patterns)
    top : int

    Returns
    -------
    numpy.ndarray of float, shape (symptoms,)
        Ties are settled by the order of the patterns.
    """
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    counts = np.add.reduceat(matrix, starts, axis=0, dtype=np.int32)
    first = np.argsort(-counts, axis=1, kind="stable")[:, :top]
    group = np.searchsorted(starts, np.arange(len(codes)), side="right") - 1
    mended = matrix[np.arange(len(codes))[:, None], first[group]].any(axis=1)
    return (np.add.reduceat(mended, starts, dtype=np.int32)
            / np.diff(np.r_[starts, len(codes)]))


@once
def frequent_null(faults, level="path", top=3, threshold=0.5, at_least=5, shuffles=SHUFFLES):
    """Symptoms with frequent fix patterns beside those of shuffled fix patterns.

    Parameters
    ----------
    faults : pandas.DataFrame
    level : {"symptom", "path"}
    top, threshold, at_least
        As in ``fixes.frequent_fixes``.
    shuffles : int

    Returns
    -------
    dict
        of (symptoms judged), observed, mean, null_low, null_high, p_fewer, p_more, and
        ``arithmetic``: symptoms so small that ``top`` patterns reach the threshold whatever
        they are.
    """
    faults = faults[faults["n"] > 0]
    codes, matrix = _expanded(faults, level)
    sizes = np.bincount(codes)
    judged = sizes >= at_least
    if not judged.any():
        return {}
    rng = generator(f"frequent {level} {top} {threshold}")

    def having(order):
        return int((covered_shares(codes, matrix[order], top)[judged] >= threshold).sum())

    drawn = np.array([having(rng.permutation(len(codes))) for _ in range(shuffles)])
    # Any `top` patterns that occur mend a fault each at least.
    return {"of": int(judged.sum()),
            "arithmetic": int((top / sizes[judged] >= threshold).sum()),
            **_chance(having(np.arange(len(codes))), drawn)}


def symptom_auc(faults, level="path", repeats=REPEATS, folds=FOLDS):
    """How well the symptom tells the kind of a fault: cross-validated AUC.

    Parameters
    ----------
    faults : pandas.DataFrame
    level : {"symptom", "path"}
    repeats, folds : int

    Returns
    -------
    dict
        auc (mean over the repeats; 1/2 is a coin, 1 is certain), low, high (95 %, Hanley
        and McNeil), n. A fault's score is the share of distributed-specific faults among
        those of its symptom in the other folds, drawn to the share of all by one fault.

    """
    n, specific = _sides(faults[faults["n"] > 0], level)
    code = np.repeat(np.arange(len(n)), n)
    kind = np.concatenate([np.r_[np.ones(k), np.zeros(m - k)] for m, k in
                           zip(n, specific, strict=True)]) if len(n) else np.zeros(0)
    yes, no = int(kind.sum()), int((1 - kind).sum())
    if min(yes, no) < folds:
        return {"auc": np.nan, "low": np.nan, "high": np.nan, "n": len(kind)}
    rng, values = generator(f"auc {level}"), []
    for _ in range(repeats):
        # Within each kind: else a fold short of one kind is scored by the others' surplus of it.
        fold = np.empty(len(kind), dtype=int)
        for own in (kind == 1, kind == 0):
            fold[own] = rng.permutation(np.arange(own.sum()) % folds)
        score = np.zeros(len(kind))
        for f in range(folds):
            train = fold != f
            base = kind[train].mean()
            count = np.bincount(code[train], minlength=len(n))
            hits = np.bincount(code[train], kind[train], minlength=len(n))
            score[~train] = ((hits + base) / (count + 1))[code[~train]]
        gap = score[kind == 1][:, None] - score[kind == 0]
        values.append((gap > 0).mean() + (gap == 0).mean() / 2)
    auc = float(np.mean(values))
    reach = float(norm.isf(0.025) * auc_error(auc, yes, no))
    return {"auc": auc, "low": max(0.0, auc - reach), "high": min(1.0, auc + reach),
            "n": len(kind)}


def auc_error(auc, yes, no):
    """Standard error of the area under a ROC curve.

    Parameters
    ----------
    auc : float
    yes, no : int
        Cases of each kind.

    Returns
    -------
    float

    References
    ----------
    Hanley and McNeil (1982), The meaning and use of the area under a ROC curve.

    Examples
    --------
    >>> round(auc_error(0.893, 51, 58), 3)
    0.033
    """
    one, two = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    return float(np.sqrt((auc * (1 - auc) + (yes - 1) * (one - auc**2) + (no - 1) * (two - auc**2))
                         / (yes * no)))
