"""Model raters beside people: agreement, confusion, and what the model does to shares.

Tables of labels are indexed by round, rater, thread and issue, a column a facet, as
``study.tabulate.rounds`` has them. Raters whose name begins with M are models, the others people.
All intervals come from drawing threads anew: the issues of a thread are not independent.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from study.base.seeds import generator
from study.measure.kappa import cohen
from study.read.codebook import (
    FAULT,
    MISSING,
    NOT_APPLICABLE,
    QUESTION,
    READINGS,
    UNDECIDED,
)
from study.tabulate.rounds import PARENTS, in_scope, paired

REFERENCE = "adjudicated"  # what people agreed upon; without it, the first person
RESAMPLES = 2_000
UNKNOWN = -2  # code of an issue that is missing or undecided
NO_LABEL = (MISSING, UNDECIDED)
MOST = 5  # categories of a facet that get a share of their own


@dataclass(frozen=True)
class Share:
    """A share: of what, of which facet, and which labels count.

    Attributes
    ----------
    name : str
    facet : str
    counts : callable
        Label → bool.
    kind : str
        Issue type that is inside, ``""`` for all issues with a label.
    """

    name: str
    facet: str
    counts: object
    kind: str = ""

    def codes(self, labels, ending=""):
        """Codes of issues: 1 counts, 0 does not, -1 is outside, -2 is not known.

        Parameters
        ----------
        labels : pandas.DataFrame
            A column a facet.
        ending : str
            Of the columns' names.

        Returns
        -------
        numpy.ndarray of int

        Examples
        --------
        >>> frame = pd.DataFrame({"stage": ["a", "b", "undecided", "not applicable"]})
        >>> Share("a", "stage", lambda label: label == "a").codes(frame).tolist()
        [1, 0, -2, -1]
        """
        own = labels[self.facet + ending].map(
            lambda x: UNKNOWN if x in NO_LABEL else -1 if x == NOT_APPLICABLE
            else int(self.counts(x))).to_numpy(int)
        if self.kind:
            kind = labels["issue_type" + ending]
            own = np.where(kind.isin(NO_LABEL), UNKNOWN, np.where(kind == self.kind, own, -1))
        return own


def headline_shares(labels, codebook):
    """The study's headline shares, and the most frequent categories.

    Parameters
    ----------
    labels : pandas.DataFrame
        Those whose most frequent symptoms and topics are taken.
    codebook : Codebook

    Returns
    -------
    list of Share
    """
    def is_(name):
        return lambda label: label == name

    # A thread that is not about distributed training is no issue.
    made = [Share("issues that are faults", "issue_type", is_(FAULT)),
            Share("faults specific to distribution", "distributed_specific", is_("1"), FAULT)]
    for reading in READINGS:
        known = codebook.system_level(reading)
        made.append(Share(f"faults mended at system level ({reading})", "fix_pattern",
                          lambda x, known=known: any(p in known for p in x.split(";")), FAULT))
    made += [Share(f"faults in {name}", "stage", is_(name), FAULT)
             for name in codebook.names("stage", final_only=True)]
    for facet, kind, words in (("symptom", FAULT, "faults with"), ("topic", QUESTION,
                                                                   "questions on")):
        made += [Share(f"{words} {name}", facet, is_(name), kind)
                 for name in frequent(labels.loc[labels["issue_type"] == kind, facet])]
    return made


def category_shares(labels):
    """A share for each of the most frequent categories of every column.

    Parameters
    ----------
    labels : pandas.DataFrame

    Returns
    -------
    list of Share
    """
    return [Share(f"{facet}: {name}", facet, lambda x, name=name: x == name)
            for facet in labels.columns for name in frequent(labels[facet])]


def frequent(labels, most=MOST):
    """The most frequent labels; ties in the order of the alphabet.

    Parameters
    ----------
    labels : pandas.Series of str
    most : int

    Returns
    -------
    list of str

    Examples
    --------
    >>> frequent(pd.Series(["b", "a", "b", "undecided"]))
    ['b', 'a']
    """
    counts = labels[~labels.isin([*NO_LABEL, NOT_APPLICABLE])].value_counts()
    return sorted(counts.index, key=lambda name: (-counts[name], name))[:most]


def sides(table):
    """People and models among the raters of a table.

    Parameters
    ----------
    table : pandas.DataFrame

    Returns
    -------
    tuple of (list of str, list of str, str)
        People who labelled on their own, models, and whose labels are the reference.
    """
    raters = list(dict.fromkeys(table.index.get_level_values("rater")))
    models = sorted(r for r in raters if r.startswith("M"))
    people = sorted(r for r in raters if r not in models and r != REFERENCE)
    return people, models, REFERENCE if REFERENCE in raters else (people or [""])[0]


def pairs_of(pairs, facet):
    """Labels of a facet that two raters gave to the same issues, both within its scope.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As ``paired`` returns it.
    facet : str

    Returns
    -------
    pandas.DataFrame
        Columns thread, label_1, label_2, n (1 each).
    """
    one, two = pairs[f"{facet}_1"], pairs[f"{facet}_2"]
    if facet == "issue_type":
        kept = pd.Series(True, index=pairs.index)
    elif "issue_type_1" in pairs:
        parent = f"{PARENTS.get(facet, 'issue_type')}_1"
        kept = in_scope(pairs, facet, None if parent in pairs else "agreed")
    else:
        kept = (one != NOT_APPLICABLE) & (two != NOT_APPLICABLE)
    return pd.DataFrame({"thread": pairs.index.get_level_values("thread")[kept],
                         "label_1": one[kept].to_numpy(), "label_2": two[kept].to_numpy(), "n": 1})


def agreement(table, facets):
    """Cohen's kappa of each pair of raters, people and models.

    Parameters
    ----------
    table : pandas.DataFrame
    facets : sequence of str

    Returns
    -------
    pandas.DataFrame
        Columns facet, raters, who (people; model and people; model and adjudicated; models),
        n (pairs), dropped (a label missing or undecided), po, kappa, low, high (95 %), reason.
    """
    people, models, reference = sides(table)
    chosen = [*combinations(people, 2), *((m, p) for m in models for p in people),
              *((m, reference) for m in models if reference == REFERENCE),
              *combinations(models, 2)]
    pairs = {p: paired(table, *p) for p in chosen}
    records = []
    for facet in facets:
        for left, right in chosen:
            found = cohen(pairs_of(pairs[left, right], facet))
            records.append({"facet": facet, "raters": f"{left}-{right}",
                            "who": _who(left, right)} | {
                k: found[k] for k in ("n", "dropped", "po", "kappa", "low", "high", "reason")})
    return pd.DataFrame(records)


def _who(left, right):
    if right == REFERENCE:
        return "model and adjudicated"
    n = left.startswith("M") + right.startswith("M")
    return ("people", "model and people", "models")[n]


def beyond_people(table, facets, resamples=RESAMPLES):
    """Whether a model agrees with people less than they agree with each other.

    Parameters
    ----------
    table : pandas.DataFrame
    facets : sequence of str
    resamples : int

    Returns
    -------
    pandas.DataFrame
        Columns facet, model, people (mean kappa of pairs of people), model_people (mean kappa of
        the model with each), difference with low and high (95 %, percentiles), verdict. Empty
        where one person labelled.
    """
    people, models, _ = sides(table)
    threads = sorted(set(table.index.get_level_values("thread")))
    weights = _draws(len(threads), resamples, "model raters, kappa")
    at = {t: i for i, t in enumerate(threads)}
    columns = ["facet", "model", "people", "model_people", "difference", "low", "high", "verdict"]
    among = [paired(table, *p) for p in combinations(people, 2)]
    beside = {m: [paired(table, m, p) for p in people] for m in models}
    records = []
    for facet in facets if among else ():
        own, *others = (np.mean([_kappas(pairs_of(p, facet), at, weights) for p in pairs], axis=0)
                        for pairs in (among, *beside.values()))
        for model, theirs in zip(models, others, strict=True):
            difference = theirs - own
            low, high = _ends(difference)
            verdict = ("not to be told" if np.isnan(low) else "less than people" if high < 0 else
                       "more than people" if low > 0 else "no difference shown")
            records.append((facet, model, own[0], theirs[0], difference[0], low, high, verdict))
    return pd.DataFrame(records, columns=columns)


def _draws(n, resamples, seed):
    """How often each of n threads is drawn; the first row is the sample itself."""
    random = generator(seed)
    return np.vstack([np.ones(n), random.multinomial(n, np.full(n, 1 / n), resamples)])


def _ends(values):
    """Percentiles of all but the first; nan where too few are defined."""
    drawn = values[1:][~np.isnan(values[1:])]
    if np.isnan(values[0]) or len(drawn) < 0.9 * (len(values) - 1):
        return np.nan, np.nan
    return tuple(np.percentile(drawn, [2.5, 97.5]))


def _kappas(pairs, at, weights):
    """Kappa of the pairs under each row of weights of threads."""
    pairs = pairs[~pairs["label_1"].isin(NO_LABEL) & ~pairs["label_2"].isin(NO_LABEL)]
    if pairs.empty:
        return np.full(len(weights), np.nan)
    w = weights[:, [at[t] for t in pairs["thread"]]]
    names = sorted({*pairs["label_1"], *pairs["label_2"]})
    one, two = ((pairs[c].to_numpy()[:, None] == np.array(names)).astype(float)
                for c in ("label_1", "label_2"))
    total = w.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        po = w @ (one * two).sum(axis=1) / total
        pe = ((w @ one) * (w @ two)).sum(axis=1) / total ** 2
        return np.where(1 - pe > 1e-12, (po - pe) / (1 - pe), np.nan)


def confusions(table, facets):
    """Which labels of people the models give otherwise.

    Parameters
    ----------
    table : pandas.DataFrame
    facets : sequence of str

    Returns
    -------
    pandas.DataFrame
        Columns facet, model, people (label of the reference), model_label, n, of (issues that
        people gave the label), most frequent first within a facet.
    """
    _, models, reference = sides(table)
    records = []
    beside = {m: paired(table, reference, m) for m in models}
    for facet in facets:
        for model in models:
            pairs = pairs_of(beside[model], facet)
            pairs = pairs[~pairs["label_1"].isin(NO_LABEL)]
            of = pairs["label_1"].value_counts()
            differ = pairs[pairs["label_1"] != pairs["label_2"]]
            counts = differ.groupby(["label_1", "label_2"]).size()
            records += sorted(((facet, model, a, b, int(n), int(of[a]))
                               for (a, b), n in counts.items()), key=lambda r: (-r[4], r[2:4]))
    return pd.DataFrame(records, columns=["facet", "model", "people", "model_label", "n", "of"])


def biases(table, shares, resamples=RESAMPLES):
    """What each share would be by the model, on the issues that people have labelled too.

    Parameters
    ----------
    table : pandas.DataFrame
    shares : list of Share
    resamples : int

    Returns
    -------
    pandas.DataFrame
        Columns share_of, model, n (issues whose codes both tell), people, model_share, bias (the
        difference) with low and high (95 %), between_people (by how much the first two people
        differ; nan where one labelled) and people_high (the upper end of what they may differ
        by), verdict: ``beyond people`` where the whole interval of the bias is farther from 0.
    """
    people, models, reference = sides(table)
    threads = sorted(set(table.index.get_level_values("thread")))
    weights = _draws(len(threads), resamples, "model raters, shares")
    at = {t: i for i, t in enumerate(threads)}
    own = paired(table, *people[:2]) if len(people) > 1 else None
    beside = {m: paired(table, reference, m) for m in models}
    records = []
    for share in shares:
        between = np.full(len(weights), np.nan)
        if own is not None:
            one, two, _ = _two_shares(own, share, at, weights)
            between = two - one
        ends = _ends(between)
        reach = max(abs(ends[0]), abs(ends[1]))
        for model in models:
            ours, theirs, n = _two_shares(beside[model], share, at, weights)
            bias = theirs - ours
            low, high = _ends(bias)
            records.append((share.name, model, n, ours[0], theirs[0], bias[0], low, high,
                            between[0], reach, _verdict(low, high, reach)))
    return pd.DataFrame(records, columns=[
        "share_of", "model", "n", "people", "model_share", "bias", "low", "high",
        "between_people", "people_high", "verdict"])


def _two_shares(pairs, share, at, weights):
    """A share by two raters on the issues that both coded, under each row of weights."""
    one, two = share.codes(pairs, "_1"), share.codes(pairs, "_2")
    known = (one > UNKNOWN) & (two > UNKNOWN)
    w = weights[:, [at[t] for t in pairs.index.get_level_values("thread")[known]]]
    with np.errstate(divide="ignore", invalid="ignore"):
        made = [(w @ (c == 1)) / (w @ (c >= 0)) for c in (one[known], two[known])]
    return *made, int(known.sum())


def _verdict(low, high, reach):
    if np.isnan(low):
        return "not to be told"
    if low <= 0 <= high:
        return "no bias shown"
    if np.isnan(reach):
        return "biased"
    return "beyond people" if min(abs(low), abs(high)) > reach else "biased, as people may be"
