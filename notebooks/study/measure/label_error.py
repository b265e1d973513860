"""How wrong the labels are, estimated from who contradicts whom, and what it does to shares.

The truth is never seen. Dawid and Skene (1979) estimate, from several labels of each issue, how
often each source errs. Here the sources are the two raters of a round and the label adjudicated
afterwards. The model takes their errors as independent given the truth; an adjudicator who saw
both sheets is not, so the error of adjudicated labels is estimated too low rather than too high.
"""

import numpy as np
import pandas as pd

from study.base.once import once
from study.base.seeds import generator
from study.measure.intervals import wilson
from study.read.codebook import FAULT, MISSING, NOT_APPLICABLE, UNDECIDED

SOURCES = ("label_1", "label_2", "adjudicated")
NO_VOTE = (MISSING, UNDECIDED, NOT_APPLICABLE)
RESAMPLES = 1_000
STEPS, CLOSE = 200, 1e-7


def dawid_skene(counts, weights=None, steps=STEPS):
    """Error rates of several sources of labels, by expectation-maximisation.

    Parameters
    ----------
    counts : array_like of int, shape (items, sources, categories)
        How often a source gave an item a label; all 0 where it gave none.
    weights : array_like, shape (items,) or (samples, items), optional
        How often each item occurs; several rows fit several samples at once.
    steps : int
        At most, of the algorithm: it starts from the share of votes of each item, and ends
        where no share moves any more.

    Returns
    -------
    tuple of numpy.ndarray
        Shares of the true categories, shape (samples, categories); error rates, shape
        (samples, sources, true category, label); chances of each item's true category, shape
        (samples, items, categories). Rates of a source that never meets a category are nan.

    References
    ----------
    Dawid, A. P., and Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates
    using the EM algorithm. Applied Statistics 28, 20-28.

    Examples
    --------
    >>> votes = np.eye(2, dtype=int)[[[0, 0, 0]] * 6 + [[1, 1, 1]] * 3 + [[0, 0, 1]]]
    >>> dawid_skene(votes)[0].round(1).tolist()
    [[0.7, 0.3]]
    """
    counts = np.asarray(counts, dtype=float)
    weights = np.atleast_2d(np.ones(len(counts)) if weights is None else weights).astype(float)
    items, sources, size = counts.shape
    votes = counts.reshape(items, sources * size)  # as matrices: a product each, not a sum
    first = counts.sum(axis=1)
    chances = np.repeat((first / first.sum(axis=1, keepdims=True))[None], len(weights), axis=0)
    before = np.zeros((len(weights), size))
    for _ in range(steps):
        weighted = weights[:, :, None] * chances
        shares = weighted.sum(axis=1) / weights.sum(axis=1)[:, None]
        rates = (weighted.swapaxes(1, 2) @ votes).reshape(-1, size, sources, size).swapaxes(1, 2)
        total = rates.sum(axis=3, keepdims=True)
        rates = np.divide(rates, total, out=np.full_like(rates, np.nan), where=total > 0)
        # A label that a source never gives to a category rules the category out.
        logs = np.log(np.maximum(np.nan_to_num(rates, nan=1.0), 1e-300))
        fit = (np.log(np.maximum(shares, 1e-300))[:, None]
               + votes @ logs.transpose(0, 1, 3, 2).reshape(-1, sources * size, size))
        chances = np.exp(fit - fit.max(axis=2, keepdims=True))
        chances /= chances.sum(axis=2, keepdims=True)
        if np.abs(shares - before).max() < CLOSE:
            break
        before = shares
    return shares, rates, chances


def votes(adjudication, facet, says):
    """Votes for and against a yes-no reading of a label, by pattern.

    Parameters
    ----------
    adjudication : pandas.DataFrame
        ``data/study/adjudication.csv``.
    facet : str
    says : callable
        Label → bool.

    Returns
    -------
    tuple of numpy.ndarray
        Counts for :func:`dawid_skene`, shape (patterns, 3, 2), and how often each occurs.
        Patterns of one vote or none say nothing about errors and are left out.
    """
    own = adjudication[adjudication["facet"] == facet]
    codes = own[list(SOURCES)].apply(lambda labels: labels.map(
        lambda label: -1 if label in NO_VOTE else int(says(label))))
    summed = own["n"].groupby([codes[s] for s in SOURCES]).sum()
    patterns = np.array(summed.index.tolist(), dtype=int).reshape(-1, len(SOURCES))
    kept = (patterns >= 0).sum(axis=1) > 1
    return (patterns[:, :, None] == np.arange(2)).astype(int)[kept], summed.to_numpy()[kept]


def true_share(share, rates):
    """Share of a category that labels with known error rates stand for.

    Parameters
    ----------
    share : array_like
        As labelled.
    rates : numpy.ndarray, shape (..., 2, 2)
        Of true category (no, yes) and label.

    Returns
    -------
    numpy.ndarray
        Within 0 and 1 (Rogan and Gladen, 1978).

    Examples
    --------
    >>> float(true_share(0.5, np.array([[0.9, 0.1], [0.2, 0.8]])).round(3))
    0.571
    """
    false, right = rates[..., 0, 1], rates[..., 1, 1]
    return np.clip((share - false) / (right - false), 0, 1)


def _claims(study):
    """Name, facet, reading of a label, count table and its rows that count, for each share."""
    issues = pd.concat([study.faults.assign(kind=True), study.questions.assign(kind=False)])
    system = set(study.codebook.system_level("middle"))
    faults, questions = study.faults, study.questions

    def at_system_level(label):
        return any(name in system for name in label.split(";"))

    def most(table, column):
        sums = table.groupby(column)["n"].sum()
        return sums.idxmax() if len(sums) else ""

    stage, topic = most(faults, "stage"), most(questions, "topic")
    specific = faults["distributed_specific"].astype(str) == "1"
    return [
        ("issues that are faults", "issue_type", lambda x: x == FAULT, issues, issues["kind"]),
        ("faults specific to distribution", "distributed_specific", lambda x: x == "1", faults,
         specific),
        ("faults mended at system level (middle)", "fix_pattern", at_system_level, faults,
         faults["fix_patterns"].map(at_system_level)),
        (f"faults in {stage}", "stage", lambda x: x == stage, faults, faults["stage"] == stage),
        (f"questions on {topic}", "topic", lambda x: x == topic, questions,
         questions["topic"] == topic)]


@once
def headline_ranges(study, resamples=RESAMPLES):
    """Headline shares with intervals that hold sampling and label error.

    Parameters
    ----------
    study : Study
    resamples : int
        Of the pairs (for the error rates) and of the issues (for the share).

    Returns
    -------
    pandas.DataFrame
        Columns share_of, n, once (how many were labelled once, in the pilot), voted (pairs of
        the rounds with two votes or more), share, low, high (as labelled; 95 %, Wilson),
        as_adjudicated (corrected share if labels of the pilot err like adjudicated ones),
        as_raters (if they err like a single rater, the mean of both), error_low, error_high
        (95 %, percentiles: from the lower end of one to the upper end of the other).

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> headline_ranges(load_study(), 50)["n"].tolist()
    [1131, 637, 637, 637, 494]
    """
    records = []
    for name, facet, says, table, hit in _claims(study):
        counts, n = votes(study.adjudication, facet, says)
        once, hit = table["round"] == "pilot", hit.astype(bool)
        sizes = np.array([table["n"][once].sum(), table["n"][~once].sum()])
        hits = np.array([table["n"][once & hit].sum(), table["n"][~once & hit].sum()])
        if not len(n) or not sizes.sum():
            continue
        random = generator(f"label error: {name}")
        # The first row is the estimate itself.
        weights = np.vstack([n, random.multinomial(n.sum(), n / n.sum(), resamples)])
        shares = hits / np.maximum(sizes, 1)
        shares = np.vstack([shares, random.binomial(sizes, shares, (resamples, 2))
                            / np.maximum(sizes, 1)])
        rates = dawid_skene(counts, weights)[1]
        single = rates[:, :2].mean(axis=1)
        rest = true_share(shares[:, 1], rates[:, 2]) * sizes[1]
        both = np.array([true_share(shares[:, 0], r) * sizes[0] + rest
                         for r in (rates[:, 2], single)]) / sizes.sum()
        ends = np.nanpercentile(both[:, 1:], [2.5, 97.5], axis=1)
        plain = wilson([hits.sum()], [sizes.sum()]).iloc[0]
        records.append((name, sizes.sum(), sizes[0], n.sum(), plain["share"], plain["low"],
                        plain["high"], *both[:, 0], ends[0].min(), ends[1].max()))
    return pd.DataFrame(records, columns=[
        "share_of", "n", "once", "voted", "share", "low", "high", "as_adjudicated", "as_raters",
        "error_low", "error_high"])
