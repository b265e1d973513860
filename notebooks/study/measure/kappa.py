"""Agreement in the study's rounds, from the count table of paired labels."""

from functools import lru_cache

import numpy as np
import pandas as pd

from study.base.once import once
from study.base.words import JOIN
from study.measure.agreement import coefficients
from study.measure.squaretable import table_from_counts
from study.read import form
from study.read.codebook import MISSING, NOT_APPLICABLE, UNDECIDED
from study.tabulate.rounds import MEASURED, PAIRINGS, PARENTS, PATH_JOIN, primary_scope

OUTSIDE = (MISSING, UNDECIDED)
READINGS = ("as filed", "repaired")


@once
def kappa_table(agreement, facets=MEASURED, readings=READINGS, pooled=False, strict=False):
    """Cohen's kappa by round, facet and reading, in the scope that counts.

    Parameters
    ----------
    agreement : pandas.DataFrame
        ``data/study/agreement.csv``.
    facets, readings : collection of str
        Their order is that of the rows.
    pooled : bool, default False
        All rounds together instead of each.
    strict : bool, default False
        A pair with a missing or undecided label counts as a disagreement.

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, reading, scope, n (pairs), dropped (pairs with a missing or
        undecided label), po (observed agreement), kappa, se, low, high (95 %,
        Fleiss-Cohen-Everitt, clipped to [-1, 1]), reason (why kappa or its interval is
        missing).

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> table = kappa_table(load_study().agreement, ["issue_type"], ["repaired"])
    >>> table["kappa"].round(2).tolist()
    [0.87, 0.98, 0.95, 0.96, 1.0]
    """
    table = agreement.assign(round="all") if pooled else agreement
    records = []
    for facet in facets:
        scope = primary_scope(facet)
        for reading in readings:
            chosen = table[(table["facet"] == facet) & (table["reading"] == reading)
                           & (table["scope"] == scope)]
            for number, pairs in chosen.groupby("round"):
                records.append({"round": number, "facet": facet, "reading": reading,
                                "scope": scope, **cohen(apart(pairs) if strict else pairs)})
    columns = ["round", "facet", "reading", "scope", "n", "dropped", "po", "kappa", "se", "low",
               "high", "reason"]
    return pd.DataFrame(records, columns=columns).astype(
        dict.fromkeys(["po", "kappa", "se", "low", "high"], float))


def both_ways(agreement, facets=MEASURED):
    """Kappa by round and facet, repaired reading, without undecided pairs and with them.

    Parameters
    ----------
    agreement : pandas.DataFrame
    facets : collection of str

    Returns
    -------
    pandas.DataFrame
        As :func:`kappa_table`; in place of the reading the column pairs, ``both decided`` or
        ``undecided disagrees``.
    """
    return pd.concat([kappa_table(agreement, facets, ("repaired",), strict=strict).rename(
        columns={"reading": "pairs"}).assign(pairs=words) for words, strict in (
            ("both decided", False), ("undecided disagrees", True))], ignore_index=True)


def without(pairs, outside=OUTSIDE):
    """Pairs without those of which a label is missing or undecided; and how many these are.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Columns label_1, label_2, n.
    outside : collection of str

    Returns
    -------
    tuple of (pandas.DataFrame, dict of str to int)
    """
    dropped = {}
    if not {*pairs["label_1"], *pairs["label_2"]} & {*outside}:
        return pairs, dropped
    gone = pairs["label_1"].isin(outside) | pairs["label_2"].isin(outside)
    for word in outside:
        own = gone & ((pairs["label_1"] == word) | (pairs["label_2"] == word))
        dropped[word] = int(pairs["n"][own].sum())
        # A pair of a missing and an undecided label counts once, as missing.
        gone, pairs = gone[~own], pairs[~own]
    return pairs, {word: n for word, n in dropped.items() if n}


def cohen(pairs):
    """Kappa of counted pairs of labels.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Columns label_1, label_2, n.

    Returns
    -------
    dict
        n, dropped, po, kappa, se, low, high, reason; missing values are None.

    Examples
    --------
    >>> p = pd.DataFrame({"label_1": list("aabb"), "label_2": list("abab"), "n": [20, 10, 20, 50]})
    >>> round(cohen(p)["kappa"], 3)
    0.348
    """
    return dict(_cohen(tuple(zip(pairs["label_1"], pairs["label_2"], pairs["n"], strict=True))))


@lru_cache(maxsize=4096)  # tables, figures and sentences ask for the same pairs again and again
def _cohen(pairs):
    kept, dropped = without(pd.DataFrame(pairs, columns=["label_1", "label_2", "n"]))
    # Kappa does not depend on categories nobody used, so the labels seen are enough.
    seen = sorted({*kept["label_1"], *kept["label_2"]}) or ["-"]
    found = {r.coefficient: r for r in coefficients(table_from_counts(kept, seen))}
    kappa = found["kappa"]
    return {"n": kappa.n_used, "dropped": sum(dropped.values()), "po": found["po"].value,
            "kappa": kappa.value, "se": kappa.se, "low": kappa.ci_low, "high": kappa.ci_high,
            "reason": kappa.reason}


def stricter(agreement, codebook, reading="repaired"):
    """Kappa of all rounds together beside other choices of pairs and labels.

    Parameters
    ----------
    agreement : pandas.DataFrame
        ``data/study/agreement.csv``.
    codebook : Codebook
        Says which fix patterns are system-level (middle reading).
    reading : str

    Returns
    -------
    pandas.DataFrame
        Columns facet, pairs, n, dropped, po, kappa, low, high, reason. Pairs: ``both decided``,
        the headline; ``undecided disagrees``, where a pair of which a label is undecided or
        missing counts as a disagreement; for groups and sub-topics ``one parent``, the headline
        (scope ``parent``), and ``any parent`` (scope ``agreed``). The last row is the fix
        patterns as the findings use them: system-level or not.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> s = load_study()
    >>> stricter(s.agreement, s.codebook)["facet"].iloc[-1]
    'system level'
    """
    def pairs_of(facet, scope=None):
        return agreement[(agreement["facet"] == facet) & (agreement["reading"] == reading)
                         & (agreement["scope"] == (scope or primary_scope(facet)))]

    rows = []
    for facet in ("symptom", "fix_pattern"):
        own = pairs_of(facet)
        rows += [(facet, "both decided", own), (facet, "undecided disagrees", apart(own))]
    for facet in PARENTS:
        rows += [(facet, "one parent", pairs_of(facet)),
                 (facet, "any parent", pairs_of(facet, "agreed"))]
    rows.append(("system level", "both decided",
                 at_system_level(pairs_of("fix_pattern"), codebook)))
    columns = ["n", "dropped", "po", "kappa", "low", "high", "reason"]
    return pd.DataFrame([{"facet": facet, "pairs": pairs} | {
        c: found[c] for found in [cohen(own)] for c in columns} for facet, pairs, own in rows])


def by_pairing(agreement, facet="symptom", reading="repaired"):
    """Kappa of all rounds together under each way to pair the issues of a thread.

    Parameters
    ----------
    agreement : pandas.DataFrame
    facet, reading : str

    Returns
    -------
    pandas.DataFrame
        Columns pairing, n, dropped, po, kappa, low, high, reason; see
        :func:`study.tabulate.rounds.paired`.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> by_pairing(load_study().agreement)["pairing"].tolist()
    ['place', 'order', 'best match']
    """
    readings = [reading, *(f"{reading}, by {pairing}" for pairing in PAIRINGS[1:])]
    table = kappa_table(agreement, [facet], readings, pooled=True)
    names = dict(zip(readings, PAIRINGS, strict=True))
    return table.assign(pairing=table["reading"].map(names))[
        ["pairing", "n", "dropped", "po", "kappa", "low", "high", "reason"]]


def without_same(agreement, facet="symptom"):
    """Kappa of all rounds together without the issues that both sheets write alike.

    Parameters
    ----------
    agreement : pandas.DataFrame
    facet : str

    Returns
    -------
    pandas.DataFrame
        Columns without, issues (pairs of them, of both issue types), n, dropped, po, kappa, low,
        high, reason. Without: ``–``, the headline; ``same slips``, no issue of which a cell has
        the same odd spelling in both sheets; ``same text``, none of which every cell reads the
        same, see :func:`study.tabulate.spellings.alike`.
    """
    rows, every = [], agreement[agreement["facet"] == facet]
    for what in ("–", "same slips", "same text"):
        own = every[every["reading"] == ("repaired" if what == "–" else
                                         f"repaired, without {what}")]
        if len(own):
            rows.append({"without": what,
                         "issues": int(own.loc[own["scope"] == "all", "n"].sum())}
                        | cohen(own[own["scope"] == primary_scope(facet)]))
    columns = ["without", "issues", "n", "dropped", "po", "kappa", "low", "high", "reason"]
    return pd.DataFrame(rows, columns=columns)


def apart(pairs):
    """Pairs in which an undecided or missing label agrees with nothing, not even its like.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Columns label_1, label_2, n.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> p = pd.DataFrame({"label_1": ["a", "undecided"], "label_2": ["a", "undecided"], "n": 1})
    >>> cohen(apart(p))["po"]
    0.5
    """
    return pairs.assign(**{f"label_{i}": pairs[f"label_{i}"].where(
        ~pairs[f"label_{i}"].isin(OUTSIDE), f"none ({i})") for i in (1, 2)})


def at_system_level(pairs, codebook):
    """Pairs of fix patterns as the findings use them: is one of them at system level?

    Parameters
    ----------
    pairs : pandas.DataFrame
        Columns label_1, label_2, n, of the facet ``fix_pattern``.
    codebook : Codebook

    Returns
    -------
    pandas.DataFrame
        The labels ``yes`` and ``no`` in place of patterns (middle reading; one pattern of
        several suffices, as for the finding).
    """
    system = codebook.system_level("middle")

    def read(label):
        return label if label in (*OUTSIDE, NOT_APPLICABLE) else (
            "yes" if any(name in system for name in label.split(JOIN)) else "no")

    return pairs.assign(**{c: pairs[c].map(read) for c in ("label_1", "label_2")})


def offered(facet, codebook, seen=()):
    """Categories the raters could choose from, in codebook order; S and AC1 count them.

    *Not applicable* is none of them: a facet that applies whenever the issue is a fault
    offers it to nobody, and two raters cannot meet in it in the scope ``agreed``. It counts
    where it occurs, as does every label that the codebook does not offer: one of the early
    sheets only, one as filed, several fix patterns at once.

    Parameters
    ----------
    facet : str
        One of the codebook's, or ``"path"``.
    codebook : Codebook
    seen : collection of str
        Labels that occur; those that were not offered come last, by name.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> offered("distributed_specific", load_codebook(), ["not applicable"])
    ['1', '0', 'not applicable']
    """
    names = paths(codebook) if facet == "path" else [
        name for name in form.offered(codebook, facet) if name != UNDECIDED]
    return [*names, *sorted(set(seen) - set(names))]


def paths(codebook):
    """Every whole path that is offered: stage, group, symptom; topic, sub-topic; neither.

    Parameters
    ----------
    codebook : Codebook

    Returns
    -------
    list of str
        As ``rounds.applied`` writes them.
    """
    def entries(facet):
        own = form.offered(codebook, facet)
        return [e for e in codebook.entries[facet] if e.name in own]

    result = [PATH_JOIN.join([*parent.split("/"), e.name])
              for e in entries("symptom") for parent in e.parents]
    result += [f"{parent}{PATH_JOIN}{e.name}" for e in entries("subtopic") for parent in e.parents]
    result += [e.name for e in entries("topic") if not codebook.needs_subtopic(e.name)]
    return [*result, form.NOT_RELEVANT]


def coefficient_table(agreement, codebook, facets=MEASURED, readings=("repaired",),
                      scopes=None):
    """Every coefficient by round and facet, the primary one among them.

    Parameters
    ----------
    agreement : pandas.DataFrame
    codebook : Codebook
        Gives the categories that were offered.
    facets, readings : collection of str
    scopes : collection of str, optional
        By default each facet's primary one.

    Returns
    -------
    pandas.DataFrame
        One row a coefficient: round, facet, reading, scope, coefficient, value, low, high,
        ci_method, reason, n_used, dropped (in words), q_used, q_offered, po, primary.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> s = load_study()
    >>> table = coefficient_table(s.agreement, s.codebook, ["stage"])
    >>> set(table["q_offered"])
    {4}
    """
    records = []
    for facet in facets:
        for scope in scopes or [primary_scope(facet)]:
            chosen = agreement[(agreement["facet"] == facet) & (agreement["scope"] == scope)
                               & agreement["reading"].isin(readings)]
            for (number, reading), pairs in chosen.groupby(["round", "reading"]):
                kept, dropped = without(pairs)
                seen = {*pairs["label_1"], *pairs["label_2"]} - set(OUTSIDE)
                names = offered(facet, codebook, seen)
                for r in coefficients(table_from_counts(kept, names), dropped=dropped):
                    records.append({
                        "round": number, "facet": facet, "reading": reading, "scope": scope,
                        "coefficient": r.coefficient, "value": r.value, "low": r.ci_low,
                        "high": r.ci_high, "ci_method": r.ci_method, "reason": r.reason,
                        "n_used": r.n_used, "q_used": r.q_used, "q_offered": r.q_offered,
                        "dropped": ", ".join(f"{n} {w}" for w, n in dropped.items()),
                        "po": r.po, "primary": r.primary})
    table = pd.DataFrame(records, columns=[
        "round", "facet", "reading", "scope", "coefficient", "value", "low", "high", "ci_method",
        "reason", "n_used", "q_used", "q_offered", "dropped", "po", "primary"])
    for column in ("value", "low", "high", "po"):
        table[column] = table[column].astype(float).replace({None: np.nan})
    return table
