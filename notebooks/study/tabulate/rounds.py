"""Tables of the labelling rounds: who agreed with whom, and what became of it."""

from collections import Counter

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from study.read.codebook import (
    FACETS,
    FAULT,
    MISSING,
    NOT_APPLICABLE,
    OF_FAULTS,
    OF_QUESTIONS,
    QUESTION,
    UNDECIDED,
)
from study.read.repair import RULES
from study.tabulate.issues import reader, wide
from study.tabulate.spellings import alike, written

MEASURED = (*FACETS, "path")
RATERS = ("R1", "R2")
PATH_JOIN = " > "
PARENTS = {"group": "stage", "subtopic": "topic"}
PAIRINGS = ("place", "order", "best match")  # the first is the one that counts


def applied(table, codebook):
    """Fill in what a blank means: *not applicable* or *missing*; and add the whole path.

    Parameters
    ----------
    table : pandas.DataFrame
        A column a facet, ``""`` where blank.
    codebook : Codebook

    Returns
    -------
    pandas.DataFrame
        The same rows, no blanks, and the column ``path``: topic and sub-topic of a
        question, stage, group and symptom of a fault, joined with ``" > "``.
    """
    table = table.copy()
    kind = table["issue_type"]
    for facets, other in ((OF_QUESTIONS, FAULT), (OF_FAULTS, QUESTION)):
        for facet in facets:
            table.loc[(kind == other) & (table[facet] == ""), facet] = NOT_APPLICABLE
    plain_stage = table["stage"].map(
        lambda s: s in codebook.names("stage") and not codebook.has_group(s))
    plain_topic = table["topic"].map(
        lambda t: t in codebook.names("topic") and not codebook.needs_subtopic(t))
    table.loc[plain_stage & (table["group"] == ""), "group"] = NOT_APPLICABLE
    table.loc[plain_topic & (table["subtopic"] == ""), "subtopic"] = NOT_APPLICABLE
    table = table.replace("", MISSING)
    table["path"] = [_path(*values) for values in zip(
        table["issue_type"], table["topic"], table["subtopic"], table["stage"], table["group"],
        table["symptom"], strict=True)]
    return table


def _path(kind, topic, subtopic, stage, group, symptom):
    parts = {FAULT: (stage, group, symptom), QUESTION: (topic, subtopic)}.get(kind, (kind,))
    for state in (UNDECIDED, MISSING):
        if state in parts:
            return state
    return PATH_JOIN.join(p for p in parts if p != NOT_APPLICABLE)


def paired(table, left="R1", right="R2", pairing="place"):
    """Issues both have, by round and thread.

    Parameters
    ----------
    table : pandas.DataFrame
        Indexed by round, rater, thread, issue (the place within the thread).
    left, right : str
        Two values of the index level ``rater``.
    pairing : {"place", "order", "best match"}
        Which issues of a thread belong together: those in the same place, where a row that
        a rater left blank keeps its place; the first, second, ... that each rater labelled;
        or those that share the most labels (as many pairs as the smaller sheet has issues,
        ties by place), which is the most that agreement can be.

    Returns
    -------
    pandas.DataFrame
        Indexed by round, thread, issue (for ``best match`` the place in the left sheet); the
        columns of ``table`` twice, with the endings ``_1`` and ``_2``.
    """
    one, two = (table.xs(rater, level="rater") for rater in (left, right))
    if pairing == "order":
        one, two = _by_order(one), _by_order(two)
    elif pairing == "best match":
        two = _best_match(one, two)
    elif pairing != "place":
        raise ValueError(f"unknown pairing {pairing!r}; one of {', '.join(PAIRINGS)}")
    return one.add_suffix("_1").join(two.add_suffix("_2"), how="inner")


def _by_order(own):
    own = own.sort_index()
    order = own.groupby(["round", "thread"]).cumcount() + 1
    return own.set_axis(pd.MultiIndex.from_arrays(
        [own.index.get_level_values("round"), own.index.get_level_values("thread"), order],
        names=own.index.names))


def _best_match(one, two):
    """The right sheet's issues under the places of those of the left that they match best."""
    left = one.groupby(["round", "thread"]).indices
    places, chosen = [], []
    for key, there in two.groupby(["round", "thread"]).indices.items():
        here = left.get(key)
        if here is None:
            continue
        a, b = one.iloc[here], two.iloc[there]
        shared = (a.to_numpy()[:, None] == b.to_numpy()[None]).sum(axis=2) * (a.shape[1] + 1)
        same_place = np.equal.outer(a.index.get_level_values("issue"),
                                    b.index.get_level_values("issue"))
        rows, columns = linear_sum_assignment(shared + same_place, maximize=True)
        places += a.index[rows].tolist()
        chosen += there[columns].tolist()
    return two.iloc[chosen].set_axis(pd.MultiIndex.from_tuples(places, names=one.index.names)
                                     if places else one.index[:0])


def differently_paired(table, left="R1", right="R2"):
    """Threads in which the three pairings do not join the same issues.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`applied` returns it.
    left, right : str

    Returns
    -------
    dict of str to set of str
        By pairing (``order``, ``best match``): threads that it joins otherwise than ``place``.
    """
    columns = [f"{facet}_{i}" for facet in FACETS for i in (1, 2)]

    def joined(pairing):
        pairs = paired(table, left, right, pairing)[columns]
        return {key: Counter(own.itertuples(index=False, name=None))
                for key, own in pairs.groupby(["round", "thread"])}

    places = joined(PAIRINGS[0])
    found = {}
    for pairing in PAIRINGS[1:]:
        other = joined(pairing)
        found[pairing] = {key[1] for key in places.keys() | other.keys()
                          if places.get(key) != other.get(key)}
    return found


def agreement_counts(rows, codebook):
    """How often which two labels met: the table behind every agreement coefficient.

    Parameters
    ----------
    rows : list of Row
        Of both raters' own sheets; others are ignored.
    codebook : Codebook

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, reading, scope, label_1, label_2, n. Readings:
        ``as filed``, ``repaired``, and each repair rule alone; for the symptom also the
        first two ``, by order`` and ``, by best match``, and ``repaired`` without the issues
        that both sheets write alike (``, without same slips``, ``, without same text``; see
        :func:`study.tabulate.spellings.alike`). Scopes: see :func:`in_scope`.
    """
    rows = [r for r in rows if r.rater in RATERS]
    readings = {"as filed": (), **{rule: (rule,) for rule in RULES}, "repaired": tuple(RULES)}
    tables = []

    def count(pairs, facet, reading, scope):
        chosen = pairs[in_scope(pairs, facet, scope)]
        n = chosen.groupby(["round", f"{facet}_1", f"{facet}_2"]).size()
        n.index.names = ["round", "label_1", "label_2"]
        tables.append(n.rename("n").reset_index().assign(facet=facet, reading=reading,
                                                         scope=scope))

    for reading, rules in readings.items():
        table = applied(wide(rows, reader(codebook, rules)), codebook)
        pairs = paired(table)
        for facet in MEASURED:
            for scope in scopes(facet, reading):
                count(pairs, facet, reading, scope)
        if reading in ("as filed", "repaired"):
            for pairing in PAIRINGS[1:]:
                count(paired(table, pairing=pairing), "symptom", f"{reading}, by {pairing}",
                      "agreed")
    # The last of them is the repaired one.
    same = alike(written(rows, codebook)).reindex(pairs.index)
    for what in same:
        for scope in scopes("symptom", "repaired"):
            count(pairs[~same[what]], "symptom", f"repaired, without same {what}", scope)
    columns = ["round", "facet", "reading", "scope", "label_1", "label_2", "n"]
    return pd.concat(tables)[columns]


def primary_scope(facet):
    """The scope that counts for a facet; see :func:`in_scope`.

    Examples
    --------
    >>> [primary_scope(facet) for facet in ("issue_type", "symptom", "group")]
    ['all', 'agreed', 'parent']
    """
    return "all" if facet == "issue_type" else "parent" if facet in PARENTS else "agreed"


def scopes(facet, reading):
    """Scopes a facet is counted in; for single rules the primary one only.

    Examples
    --------
    >>> scopes("symptom", "repaired")
    ('all', 'agreed')
    >>> scopes("group", "alias")
    ('parent',)
    """
    primary = primary_scope(facet)
    if reading not in ("as filed", "repaired"):
        return (primary,)
    return tuple(dict.fromkeys(("all", "agreed", primary) if facet != "issue_type" else ("all",)))


def in_scope(pairs, facet, scope=None):
    """Which pairs are in a scope of a facet.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As :func:`paired` returns it.
    facet : str
    scope : {"all", "agreed", "parent"}, optional
        ``all`` pairs; ``agreed``, those whose raters gave the same issue type and to which the
        facet applies for one of them at least; ``parent`` (of a group or sub-topic), those of
        them whose raters gave the same stage or topic. By default the facet's
        :func:`primary_scope`: where the raters differ in the parent, a group of one cannot
        meet *not applicable* of the other but as a disagreement, which the parent has already
        been counted for.

    Returns
    -------
    pandas.Series of bool
    """
    scope = scope or primary_scope(facet)
    if scope == "all":
        return pd.Series(True, index=pairs.index)
    same = pairs["issue_type_1"] == pairs["issue_type_2"]
    decided = pairs["issue_type_1"].isin([FAULT, QUESTION])
    idle = (pairs[f"{facet}_1"] == NOT_APPLICABLE) & (pairs[f"{facet}_2"] == NOT_APPLICABLE)
    chosen = same & decided & ~idle
    if scope == "parent":
        one, two = (pairs[f"{PARENTS[facet]}_{i}"] for i in (1, 2))
        chosen &= (one == two) & ~one.isin([UNDECIDED, MISSING])
    return chosen


def adjudication_counts(table):
    """What adjudication made of each pair of labels.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`applied` returns it, repaired reading.

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, label_1, label_2, adjudicated, n. Issues that the
        adjudicated sheet does not have carry ``missing`` there.
    """
    pairs = paired(table)
    decided = table.xs("adjudicated", level="rater").add_suffix("_3")
    joined = pairs.join(decided, how="left").fillna(MISSING)
    tables = []
    for facet in MEASURED:
        names = [f"{facet}_{i}" for i in (1, 2, 3)]
        n = joined.groupby(["round", *names]).size()
        n.index.names = ["round", "label_1", "label_2", "adjudicated"]
        tables.append(n.rename("n").reset_index().assign(facet=facet))
    return pd.concat(tables)[["round", "facet", "label_1", "label_2", "adjudicated", "n"]]


def change_counts(table):
    """What the final table made of each adjudicated (or pilot) label.

    Only where the order says which issue is which: see :func:`comparable_threads`.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`applied` returns it, repaired reading.

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, adjudicated, final, n.
    """
    before = table[table.index.get_level_values("rater").isin(["adjudicated", "pilot"])]
    before = before.droplevel("rater").reset_index("round")
    final = table.xs("final", level="rater").droplevel("round")
    keep = comparable_threads(before, final)
    before = before[before.index.get_level_values("thread").isin(keep)]
    joined = before.add_suffix("_1").join(final.add_suffix("_2"))
    joined = joined.rename(columns={"round_1": "round"})
    tables = []
    for facet in MEASURED:
        n = joined.groupby(["round", f"{facet}_1", f"{facet}_2"]).size()
        n.index.names = ["round", "adjudicated", "final"]
        tables.append(n.rename("n").reset_index().assign(facet=facet))
    return pd.concat(tables)[["round", "facet", "adjudicated", "final", "n"]]


def comparable_threads(before, final):
    """Threads whose issues can be followed by their order into the final table.

    They were labelled in one round only, have as many issues there as at last, and are
    of one issue type at last: the final table keeps faults and questions in two sheets,
    so that the order of a thread with both is lost.

    Parameters
    ----------
    before, final : pandas.DataFrame
        Indexed by thread and issue; ``before`` with a column ``round``.

    Returns
    -------
    set of str
    """
    rounds = before.groupby("thread")["round"].nunique()
    sizes = pd.DataFrame({"before": before.groupby("thread").size(),
                          "final": final.groupby("thread").size()})
    once = set(rounds.index[rounds == 1])
    same = set(sizes.index[sizes["before"] == sizes["final"]])
    kinds = final.groupby("thread")["issue_type"].nunique()
    return once & same & set(kinds.index[kinds == 1])


def round_counts(table):
    """How many issues each sheet of each round holds, and how they fared.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`applied` returns it, repaired reading.

    Returns
    -------
    pandas.DataFrame
        Columns round, rater, threads, issues, paired, unpaired (with or without a
        partner in the other rater's sheet), undecided (issues with an undecided facet),
        changed (paired issues whose adjudicated labels differ in some facet).
    """
    records = []
    for (number, rater), own in table.groupby(["round", "rater"], sort=True):
        own = own.droplevel(["round", "rater"])
        record = {"round": number, "rater": rater, "issues": len(own),
                  "threads": own.index.get_level_values("thread").nunique(),
                  "undecided": int((own[list(FACETS)] == UNDECIDED).any(axis=1).sum())}
        if rater in RATERS:
            other = table.xs((number, RATERS[rater == "R1"]), level=["round", "rater"])
            both = own.index.intersection(other.index)
            decided = table.xs((number, "adjudicated"), level=["round", "rater"])
            common = both.intersection(decided.index)
            differs = (own.loc[common, list(FACETS)] != decided.loc[common, list(FACETS)])
            record |= {"paired": len(both), "unpaired": len(own) - len(both),
                       "changed": int(differs.any(axis=1).sum())}
        records.append(record)
    columns = ["round", "rater", "threads", "issues", "paired", "unpaired", "undecided",
               "changed"]
    counts = pd.DataFrame(records, columns=columns)
    return counts.astype(dict.fromkeys(columns[2:], "Int64"))
