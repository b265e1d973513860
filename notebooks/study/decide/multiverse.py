"""Every finding under every combination of decisions an analyst could have taken.

A *decision* is a named choice with its options; a *universe* is one combination of
options; a claim *holds* in a universe where its value there passes the claim's own
criterion. Nothing here is random.
"""

import itertools
from functools import lru_cache

import numpy as np
import pandas as pd

from study.base.words import JOIN
from study.decide.claims import load_claims
from study.measure.composition import weights
from study.measure.intervals import wilson
from study.measure.kappa import cohen
from study.measure.symptoms import PATH, fold_rare, leaves
from study.read.codebook import MISSING, UNDECIDED

# The first option of each is the one the findings table takes, but for STATED.
DECISIONS = {
    "labels": ("repaired", "as filed"),  # folding spellings, or trusting the sheets
    "unit": ("issue", "thread"),  # issues of one thread are not independent
    "composition": ("as labelled", "frameworks alike", "by candidate lists"),  # whom to speak of
    "rare symptoms": ("kept", "folded at 1", "folded at 2", "folded at 3"),  # noise, or categories
    "same symptom": ("by path", "by name"),  # the place is part of a symptom, or it is not
    "category": ("leaf by name", "by name", "by path"),
    "several patterns": ("each", "fractions"),  # a fault counts once for each pattern, or once
    "patterns counted": ("first 3", "first 2", "first"),  # the abstract does not say
    "frequent from": ("50 %", "40 %", "30 %", "20 %"),  # nor this
    "symptoms judged": ("5 faults or more", "all"),  # two faults mended alike say little
    "system level": ("middle", "narrow", "broad"),  # nor this; see the codebook
    "repairs": ("all", "none"),
    "undecided": ("excluded", "as disagreement", "as a category"),
}
STATED = {"shared-symptoms": {"same symptom": "by name"}}
# Parts of the data, not choices: reported one at a time (:func:`subsets`).
SUBSETS = ({"threads": "candidates only"}, {"pilot": "out"})
SAMPLE = ("labels", "unit", "composition")
SEVERAL = "several patterns"
GOOD_KAPPA = 0.8


def decisions_of(claim):
    """Names of the decisions a claim depends on.

    Parameters
    ----------
    claim : str
        A key of ``CLAIMS``.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> decisions_of("agreement")
    ('repairs', 'undecided')
    """
    return CLAIMS[claim][0]


def criterion(claim):
    """The value a claim is measured against, for a line in a figure.

    Parameters
    ----------
    claim : str

    Returns
    -------
    float

    Examples
    --------
    >>> criterion("categories"), criterion("frequent-fixes")
    (30, 0.5)
    """
    if claim == "agreement":
        return GOOD_KAPPA
    published = {c.id: c.published for c in load_claims()}[claim]
    return 1 / 2 if published is None else published


def universes(claim):
    """Every combination of options that can differ, as dicts, in a fixed order.

    Parameters
    ----------
    claim : str

    Returns
    -------
    list of dict
        Cells as filed are not split into several patterns, so there how to count several
        is no choice: those combinations are left out.
    """
    names = decisions_of(claim)
    every = (dict(zip(names, chosen, strict=True))
             for chosen in itertools.product(*(DECISIONS[n] for n in names)))
    return [u for u in every
            if u.get("labels") != "as filed" or u.get(SEVERAL, "each") == "each"]


def stated(claim):
    """The universe that the findings table takes.

    Parameters
    ----------
    claim : str

    Returns
    -------
    dict

    Examples
    --------
    >>> stated("agreement")
    {'repairs': 'all', 'undecided': 'excluded'}
    """
    return {name: DECISIONS[name][0] for name in decisions_of(claim)} | STATED.get(claim, {})


def subsets(study):
    """The stated reading of each claim in parts of the data, one at a time.

    Parameters
    ----------
    study : Study

    Returns
    -------
    pandas.DataFrame
        Columns claim, subset (``all``, what is left out, or a round), value, n.
    """
    samples, rows = _Samples(study), []
    for claim in CLAIMS:
        every = [("all", {})]
        if claim == "agreement":
            every += [(f"round {r}", {"rounds": r})
                      for r in sorted(set(study.agreement["round"]))]
        else:
            every += [(" ".join(*part.items()), part) for part in SUBSETS]
        for name, part in every:
            found = CLAIMS[claim][1](samples, stated(claim) | part)
            rows.append({"claim": claim, "subset": name, "value": found["value"],
                         "n": found["n"]})
    return pd.DataFrame(rows)


def multiverse(study, claims=None):
    """Value of every claim in each of its universes.

    Parameters
    ----------
    study : Study
    claims : collection of str, optional
        Keys of ``CLAIMS``; all by default.

    Returns
    -------
    pandas.DataFrame
        Columns claim, one a decision (blank where the claim does not depend on it),
        value, low, high, n (what the value rests on), holds (1 or 0). Where a universe
        leaves nothing to measure, value is missing and holds is 0.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> table = multiverse(load_study(), ["system-level"])
    >>> len(table) == len(universes("system-level"))
    True
    """
    samples = _Samples(study)
    records = [{"claim": claim, **universe, **CLAIMS[claim][1](samples, universe)}
               for claim in (CLAIMS if claims is None else claims) for universe in universes(claim)]
    table = pd.DataFrame(records).reindex(
        columns=["claim", *DECISIONS, "value", "low", "high", "n"]).astype(
        {"value": float, "low": float, "high": float})
    # Shares get their interval all at once: one call instead of thousands.
    share = table["claim"].isin(SHARES) & table["value"].notna()
    interval = wilson((table["value"] * table["n"]).round()[share].to_numpy(),
                      table["n"][share].to_numpy())
    table.loc[share, "low"] = interval["low"].to_numpy()
    table.loc[share, "high"] = interval["high"].to_numpy()
    table["holds"] = 0
    for claim, (_, _, criterion) in CLAIMS.items():
        own = table["claim"] == claim
        table.loc[own, "holds"] = criterion(table[own], samples.published).astype(int)
    return table


def to_text(table):
    """Text of ``multiverse.csv``: in the order of the universes, four digits, LF.

    Parameters
    ----------
    table : pandas.DataFrame

    Returns
    -------
    str
    """
    return table.to_csv(index=False, float_format="%.4f", lineterminator="\n")


def summary(table):
    """How far each claim depends on the decisions.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`multiverse` returns it.

    Returns
    -------
    pandas.DataFrame
        Columns claim, universes, holds (in how many), share, low and high (smallest and
        largest value), hangs_on (the decision that moves the value most), eta2 (the share
        of the value's variance over the universes that this decision accounts for alone).
    """
    records = []
    for claim, group in table.groupby("claim", sort=False):
        effects = {name: explained(group, name) for name in decisions_of(claim)}
        most = max(effects, key=effects.get)
        records.append((claim, len(group), int(group["holds"].sum()), group["holds"].mean(),
                        group["value"].min(), group["value"].max(), most, effects[most]))
    return pd.DataFrame(records, columns=["claim", "universes", "holds", "share", "low", "high",
                                          "hangs_on", "eta2"])


def explained(group, decision):
    """Share of the variance of the values that one decision accounts for (eta squared).

    Parameters
    ----------
    group : pandas.DataFrame
        The universes of one claim.
    decision : str

    Returns
    -------
    float
        0 where the value never changes.

    Examples
    --------
    >>> g = pd.DataFrame({"unit": ["issue", "issue", "thread", "thread"], "value": [1, 1, 3, 3]})
    >>> explained(g, "unit")
    1.0
    """
    known = group.dropna(subset=["value"])
    total = ((known["value"] - known["value"].mean()) ** 2).sum()
    if not total > 0:
        return 0.0
    between = known.groupby(decision)["value"].agg(["size", "mean"])
    return float((between["size"] * (between["mean"] - known["value"].mean()) ** 2).sum() / total)


class _Samples:
    """Faults under the decisions on what to count, each made once, as arrays."""

    def __init__(self, study):
        self.study = study
        self.published = {c.id: c.published if c.margin is None else
                          (c.published - c.margin, c.published + c.margin) for c in load_claims()}
        names = sorted({p for t in (study.faults, study.faults_as_filed)
                        for cell in t["fix_patterns"] for p in cell.split(JOIN) if p})
        self.patterns = {name: i for i, name in enumerate(names)}
        self.faults = lru_cache(maxsize=None)(self._faults)
        self.fixes = lru_cache(maxsize=None)(self._fixes)
        self.cover = lru_cache(maxsize=None)(self._cover)
        self.pairs = lru_cache(maxsize=None)(self._pairs)

    def _faults(self, labels, threads, pilot, unit, composition, rare):
        table = self.study.faults if labels == "repaired" else self.study.faults_as_filed
        if threads == "candidates only":
            table = table[table["candidate"] == "yes"]
        if pilot == "out":
            table = table[table["round"] != "pilot"]
        weight = table["n"] / (table["issues_in_thread"] if unit == "thread" else 1)
        table = table[table["n"] > 0]
        if composition != "as labelled" and len(table):
            extra = weights(table, self.study.collection if composition == "by candidate lists"
                            else None)
            # To the effective number of issues (Kish), so that intervals are no narrower.
            scale = (extra * table["n"]).sum() / max((extra**2 * table["n"]).sum(), 1e-12)
            weight = weight * extra * scale
        table = table.assign(w=weight)
        if rare != "kept":
            table = fold_rare(table, int(rare.split()[-1]))
        return table.reset_index(drop=True)

    def _fixes(self, sample, counting):
        """Weights of patterns: faults (rows) × patterns."""
        table = self.faults(*sample)
        matrix = np.zeros((len(table), len(self.patterns)))
        for i, cell in enumerate(table["fix_patterns"]):
            names = list(filter(None, cell.split(JOIN)))
            for name in names:
                matrix[i, self.patterns[name]] = 1 / len(names) if counting == "fractions" else 1
        return matrix

    def _cover(self, sample, counting, same):
        """For each symptom: its weight, its faults, and what its 1, 2, 3 first patterns mend."""
        table, matrix = self.faults(*sample), self.fixes(sample, counting)
        by = ["symptom"] if same == "by name" else PATH
        codes = table.groupby(by).ngroup().to_numpy()
        w, n = table["w"].to_numpy(), table["n"].to_numpy()
        rows = []
        for code in range(codes.max(initial=-1) + 1):
            own = codes == code
            part, weight = matrix[own], w[own]
            # Ties by name: a stable sort of the negated sums keeps the alphabet.
            order = np.argsort(-(weight @ part), kind="stable")
            mended = [weight @ np.minimum(part[:, order[:k]].sum(axis=1), 1) for k in (1, 2, 3)]
            rows.append((weight.sum(), n[own].sum(), *mended))
        return np.array(rows).reshape(-1, 5)

    def _pairs(self, reading, number, undecided):
        table = self.study.agreement
        table = table[(table["facet"] == "symptom") & (table["scope"] == "agreed")
                      & (table["reading"] == reading)]
        if number != "all":
            table = table[table["round"] == number]
        if undecided == "as disagreement":
            # One rater's undecided can never meet the other's.
            table = table.assign(label_1=table["label_1"].replace(UNDECIDED, "undecided 1"),
                                 label_2=table["label_2"].replace(UNDECIDED, "undecided 2"))
        elif undecided == "as a category":
            table = table.assign(label_1=table["label_1"].replace(UNDECIDED, "left open"),
                                 label_2=table["label_2"].replace(UNDECIDED, "left open"))
        return cohen(table[(table["label_1"] != MISSING) & (table["label_2"] != MISSING)])


def _sample(universe):
    return (universe["labels"], universe.get("threads", "all"), universe.get("pilot", "in"),
            universe.get("unit", "issue"), universe.get("composition", "as labelled"),
            universe.get("rare symptoms", "kept"))


def _share(hit, of):
    return {"value": hit / of if of else np.nan, "n": round(of)}


def _categories(samples, universe):
    # Here a folded symptom is left out of the picture instead of renamed: the question is
    # how many categories are shown.
    table = samples.faults(*_sample({k: v for k, v in universe.items() if k != "rare symptoms"}))
    limit = 0 if universe["rare symptoms"] == "kept" else int(universe["rare symptoms"][-1])
    kept = fold_rare(table, limit, keep_place=False)
    if universe["category"] == "leaf by name":
        count = len(leaves(kept))
    else:
        count = kept.groupby(PATH if universe["category"] == "by path" else ["symptom"]).ngroups
    return {"value": count, "n": int(kept["n"].sum())}


def _shared(samples, universe):
    table = samples.faults(*_sample(universe))
    by = PATH if universe["same symptom"] == "by path" else ["symptom"]
    own = table.assign(specific=table["w"] * table["distributed_specific"])
    sums = own.groupby(by)[["w", "specific"]].sum()
    other = sums["w"] - sums["specific"]
    return _share(other[sums["specific"] > 0].sum(), other.sum())


def _frequent(samples, universe):
    cover = samples.cover(_sample(universe), universe["several patterns"],
                          universe["same symptom"])
    judged = cover[cover[:, 1] >= (5 if universe["symptoms judged"] != "all" else 1)]
    k = {"first": 1, "first 2": 2, "first 3": 3}[universe["patterns counted"]]
    threshold = int(universe["frequent from"].split()[0]) / 100
    having = (judged[:, 1 + k] / judged[:, 0] >= threshold - 1e-12).sum()
    return _share(having, len(judged))


def _system(samples, universe):
    sample = _sample(universe)
    table, matrix = samples.faults(*sample), samples.fixes(sample, universe["several patterns"])
    counted = samples.study.codebook.system_level(universe["system level"])
    if universe["labels"] == "as filed":
        # A cell as filed may hold two patterns in one; it counts where one of them does.
        chosen = [any(p in counted for p in (samples.study.codebook.split(name) or ((),))[0])
                  for name in samples.patterns]
    else:
        chosen = [name in counted for name in samples.patterns]
    hit = np.minimum(matrix[:, chosen].sum(axis=1), 1) @ table["w"].to_numpy()
    return _share(hit, table["w"].sum())


def _agreement(samples, universe):
    reading = {"all": "repaired", "none": "as filed"}.get(universe["repairs"],
                                                          universe["repairs"])
    found = samples.pairs(reading, universe.get("rounds", "all"), universe["undecided"])
    return {"value": found["kappa"], "low": found["low"], "high": found["high"],
            "n": found["n"]}


SHARES = ("shared-symptoms", "frequent-fixes", "system-level")
# Claim → decisions it depends on, the function that answers it in one universe, and the
# criterion under which it holds (of the frame of its universes and the published values).
CLAIMS = {
    "categories": (
        ("labels", "rare symptoms", "category"), _categories,
        lambda table, published: table["value"] == published["categories"]),
    "shared-symptoms": (
        (*SAMPLE, "rare symptoms", "same symptom"), _shared,
        lambda table, _: table["low"] > 1 / 2),
    "frequent-fixes": (
        (*SAMPLE, "same symptom", SEVERAL, "patterns counted", "frequent from",
         "symptoms judged"), _frequent,
        lambda table, _: table["value"] > 1 / 2),
    "system-level": (
        (*SAMPLE, "several patterns", "system level"), _system,
        lambda table, published: table["low"].ge(published["system-level"][0])
        & table["high"].le(published["system-level"][1])),
    "agreement": (
        ("repairs", "undecided"), _agreement,
        # Raters who never differ have a kappa of 1 without an interval.
        lambda table, _: table["low"].fillna(table["value"]) > GOOD_KAPPA),
}
