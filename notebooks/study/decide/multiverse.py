"""Every claim under every combination of the decisions that it depends on.

A *decision* is a named choice with its options (``data/decisions.toml``); a *reading* of a claim
is one combination of options (``data/claims.toml``). Combinations that compute from the same data
are one reading. Nothing here is random.
"""

import hashlib
import itertools

import numpy as np
import pandas as pd

from study.decide.answers import ANSWERS
from study.decide.claims import fits, load_claims
from study.decide.decisions import load_decisions
from study.decide.samples import Samples

# Parts of the data, not choices: reported one at a time (:func:`subsets`).
SUBSETS = ({"threads": "candidates only"}, {"pilot": "out"})


def read_in_several_ways(claims=None):
    """The claims that depend on decisions, by name.

    Parameters
    ----------
    claims : list of Claim, optional

    Returns
    -------
    dict of str to Claim

    Examples
    --------
    >>> list(read_in_several_ways()["agreement"].decisions)
    ['repairs', 'undecided', 'pairing']
    """
    return {c.id: c for c in (load_claims() if claims is None else claims) if c.decisions}


def combinations(claim):
    """Every combination of the options of a claim's decisions, the stated one first.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    list of dict
    """
    return [dict(zip(claim.decisions, chosen, strict=True))
            for chosen in itertools.product(*claim.decisions.values())]


def _fingerprint(inputs, known):
    """What tells the data behind two combinations apart; arrays that come again are read once."""
    found = hashlib.blake2b(digest_size=16)
    for part in inputs:
        if isinstance(part, np.ndarray):
            if id(part) not in known:  # the array is kept, so that its id stays its own
                content = str((part.dtype, part.shape)).encode() + part.tobytes()
                known[id(part)] = part, hashlib.blake2b(content, digest_size=16).digest()
            found.update(known[id(part)][1])
        else:
            text = part.to_csv(index=False) if isinstance(part, pd.DataFrame) else repr(part)
            found.update(text.encode() + b"\0")
    return found.digest()


def multiverse(study, claims=None):
    """Value of every claim in each of its readings.

    Parameters
    ----------
    study : Study
    claims : list of Claim, optional
        All by default; those without decisions have one reading, and no row here.

    Returns
    -------
    pandas.DataFrame
        Columns claim, one a decision (blank where the claim does not depend on it),
        value, low, high, n (what the value rests on), holds (1 or 0), combinations (how many
        compute from the same data and are this reading). The stated reading is the first of its
        claim. Where a reading leaves nothing to measure, value is missing and holds is 0.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> table = multiverse(load_study(), [read_in_several_ways()["agreement"]])
    >>> int(table["combinations"].sum())
    18
    """
    samples, records, arrays = Samples(study), [], {}
    for claim in read_in_several_ways(claims).values():
        inputs, answer = ANSWERS[claim.quantity]
        known = {}
        for universe in combinations(claim):
            given = inputs(samples, universe)
            record = known.setdefault(_fingerprint(given, arrays), {})
            if not record:
                found = answer(*given)
                record |= {"claim": claim.id, **universe, "low": None, "high": None, **found,
                           "combinations": 0}
                record["holds"] = int(fits(claim, record))
            record["combinations"] += 1
        records += known.values()
    return pd.DataFrame(records, columns=[
        "claim", *load_decisions(), "value", "low", "high", "n", "holds",
        "combinations"]).astype({"value": float, "low": float, "high": float})


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
    samples, rows = Samples(study), []
    for claim in read_in_several_ways().values():
        inputs, answer = ANSWERS[claim.quantity]
        every = [("all", {})]
        if "pairing" in claim.decisions:
            every += [(f"round {r}", {"rounds": r})
                      for r in sorted(set(study.agreement["round"]))]
        else:
            every += [(" ".join(*part.items()), part) for part in SUBSETS]
        for name, part in every:
            found = answer(*inputs(samples, claim.stated | part))
            rows.append({"claim": claim.id, "subset": name, "value": found["value"],
                         "n": found["n"]})
    return pd.DataFrame(rows)


def one_at_a_time(table, claim):
    """The stated reading, and what switching each decision alone does.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`multiverse` returns it.
    claim : Claim

    Returns
    -------
    pandas.DataFrame
        The rows of ``table`` that differ from the stated reading in one decision at most, in the
        order of the decisions, with the columns decision and option before (blank in the stated
        reading) and defence behind. An option that changes nothing there has no row.
    """
    own, rows, decisions = table[table["claim"] == claim.id], [], load_decisions()
    switched = [("", "", claim.stated)]
    switched += [(name, option, claim.stated | {name: option})
                 for name, options in claim.decisions.items() for option in options[1:]]
    for name, option, universe in switched:
        row = own[np.logical_and.reduce([own[d] == o for d, o in universe.items()])]
        rows.append(row.assign(decision=name, option=option,
                               defence=decisions[name].options[option] if name else ""))
    found = pd.concat(rows, ignore_index=True)
    return found[["decision", "option", *table.columns, "defence"]]


def to_text(table):
    """Text of ``multiverse.csv``: in the order of the readings, four digits, LF.

    Parameters
    ----------
    table : pandas.DataFrame

    Returns
    -------
    str
    """
    return table.to_csv(index=False, float_format="%.4f", lineterminator="\n")


def summary(table, claims=None):
    """How far each claim depends on the decisions.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`multiverse` returns it.
    claims : list of Claim, optional

    Returns
    -------
    pandas.DataFrame
        Columns claim, combinations, duplicates (combinations that compute from the same data as
        another), readings (the others), holds (in how many), share, low and high (smallest and
        largest value), hangs_on (the decision that moves the value most), eta2 (the share
        of the value's variance over the readings that this decision accounts for alone).
    """
    records = []
    for claim in read_in_several_ways(claims).values():
        own = table[table["claim"] == claim.id]
        if own.empty:
            continue
        every = int(own["combinations"].sum())
        effects = {name: explained(own, name) for name in claim.decisions}
        most = max(effects, key=effects.get)
        records.append((claim.id, every, every - len(own), len(own), int(own["holds"].sum()),
                        own["holds"].mean(), own["value"].min(), own["value"].max(), most,
                        effects[most]))
    return pd.DataFrame(records, columns=[
        "claim", "combinations", "duplicates", "readings", "holds", "share", "low", "high",
        "hangs_on", "eta2"])


def explained(group, decision):
    """Share of the variance of the values that one decision accounts for (eta squared).

    Parameters
    ----------
    group : pandas.DataFrame
        The readings of one claim.
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
