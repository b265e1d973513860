"""Fix patterns: which faults are mended how, and how often the same way."""

import numpy as np
import pandas as pd

from study.base.words import JOIN
from study.measure.intervals import weighted_share, wilson
from study.measure.symptoms import PATH
from study.read.codebook import READINGS

COUNTING = ("each", "first", "fractions")


def patterns(faults, counting="each"):
    """One row a fault's fix pattern.

    Parameters
    ----------
    faults : pandas.DataFrame
        ``data/study/faults.csv``; several patterns in one cell are joined with ``;``.
    counting : {"each", "first", "fractions"}
        A fault with several patterns counts fully for each, for the first in
        alphabetical order only, or for each by its fraction.

    Returns
    -------
    pandas.DataFrame
        The columns of ``faults`` and ``fix_pattern``; ``n`` is weighted accordingly.
        Faults without a fix pattern have no row.

    Examples
    --------
    >>> one = pd.DataFrame({"fix_patterns": ["a;b"], "n": [2]})
    >>> patterns(one, "fractions")["n"].tolist()
    [1.0, 1.0]
    """
    if counting not in COUNTING:
        raise ValueError(f"counting must be one of {', '.join(COUNTING)}")
    faults = faults[faults["fix_patterns"] != ""]
    names = faults["fix_patterns"].str.split(JOIN)
    if counting == "first":
        return faults.assign(fix_pattern=names.map(min)).reset_index(drop=True)
    table = faults.assign(fix_pattern=names)
    if counting == "fractions":
        table["n"] = table["n"] / names.str.len()
    return table.explode("fix_pattern", ignore_index=True)


def coverage(faults, by="symptom", top=(1, 2, 3), codebook=None):
    """How much of the faults the most frequent fix patterns mend.

    Parameters
    ----------
    faults : pandas.DataFrame
    by : {"symptom", "path", "stage", "all"}
        Of what: a symptom by name, a symptom in its stage and group, a stage, or all.
    top : collection of int
        How many patterns, most frequent first (ties by name).
    codebook : Codebook, optional
        Orders stages as the codebook does.

    Returns
    -------
    pandas.DataFrame
        Columns of what ``by`` names, n (faults), patterns (different ones), first (name of
        the most frequent), tied (patterns as frequent as the first, itself included), and
        for each ``k`` of ``top`` the columns top_k (faults that at least one of the k
        patterns mends), top_k_share, top_k_low, top_k_high (Wilson). A fault with several
        patterns is covered where one of them is among the k; one without a pattern counts
        in n only.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> coverage(load_study().faults, "stage")["first"].iloc[1]
    'fix communication configuration'
    """
    keys = {"symptom": ["symptom"], "path": PATH, "stage": ["stage"], "all": []}[by]
    faults = _summed(faults, keys)
    groups = faults.groupby(keys or np.zeros(len(faults), dtype=int))
    table = groups["n"].sum().reset_index(drop=not keys)
    table, code = pd.DataFrame(table), groups.ngroup().to_numpy()
    names, row, pattern = _mentions(faults["fix_patterns"])
    n = faults["n"].to_numpy()
    counts = np.zeros((len(table), max(len(names), 1)), dtype=int)
    np.add.at(counts, (code[row], pattern), n[row])
    # Ties by name: the columns stand in the order of the alphabet.
    order = np.argsort(-counts, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    most = counts.max(axis=1, initial=0)
    table["patterns"] = (counts > 0).sum(axis=1)
    table["first"] = [names[i] if m else "" for i, m in zip(order[:, 0], most, strict=True)]
    table["tied"] = ((counts == most[:, None]) & (counts > 0)).sum(axis=1)
    for k in top:
        hit = np.zeros(len(faults), dtype=bool)
        hit[row[rank[code[row], pattern] < k]] = True
        table[f"top_{k}"] = np.bincount(code, n * hit, len(table)).astype(int)
    for k in top:
        interval = wilson(table[f"top_{k}"], table["n"])
        for name, column in (("share", "share"), ("low", "low"), ("high", "high")):
            table[f"top_{k}_{name}"] = interval[column]
    if by == "stage" and codebook:
        order = {s: i for i, s in enumerate(codebook.names("stage"))}
        return table.sort_values("stage", key=lambda s: s.map(order), ignore_index=True)
    return table.sort_values(["n", *keys], ascending=[False] + [True] * len(keys),
                             ignore_index=True)


def _mentions(cells):
    """Names of all patterns, and the row and the number of the pattern of each mention."""
    found = [(i, name) for i, cell in enumerate(cells) for name in cell.split(JOIN) if name]
    names = sorted({name for _, name in found})
    number = {name: i for i, name in enumerate(names)}
    return (names, np.array([i for i, _ in found], dtype=int),
            np.array([number[name] for _, name in found], dtype=int))


def _summed(faults, keys):
    """Faults summed up where keys and fix patterns are the same: all a share needs."""
    return faults.groupby([*keys, "fix_patterns"], as_index=False)["n"].sum()


def frequent(faults, counting="each"):
    """Fix patterns by how many faults they mend, most frequent first, ties by name.

    Returns
    -------
    pandas.Series
        Index fix_pattern.
    """
    counts = patterns(faults, counting).groupby("fix_pattern")["n"].sum()
    order = sorted(counts.index, key=lambda name: (-counts[name], name))
    return counts[order]


def matrix(faults, by="symptom", at_least=1):
    """Symptom × fix pattern: how many faults.

    Parameters
    ----------
    faults : pandas.DataFrame
    by : str, default "symptom"
        Column of the rows.
    at_least : int
        Patterns with fewer faults altogether are summed up as ``(rarer patterns)``.

    Returns
    -------
    pandas.DataFrame
        Rows and columns most frequent first, the rarer patterns last. A fault with
        several patterns counts in each; a row without any pattern is all 0.
    """
    table = patterns(faults)
    totals = table.groupby("fix_pattern")["n"].sum()
    rare = set(totals.index[totals < at_least])
    table["fix_pattern"] = table["fix_pattern"].where(~table["fix_pattern"].isin(rare),
                                                      "(rarer patterns)")
    cells = table.pivot_table(index=by, columns="fix_pattern", values="n", aggfunc="sum",
                              fill_value=0, observed=True)
    rows = faults.groupby(by)["n"].sum().sort_index().sort_values(ascending=False, kind="stable")
    sums = cells.sum().sort_index().sort_values(ascending=False, kind="stable")
    last = [c for c in sums.index if c == "(rarer patterns)"]
    columns = [c for c in sums.index if c not in last] + last
    return cells.reindex(index=rows.index, columns=columns, fill_value=0).astype(int)


def frequent_fixes(faults, thresholds, by="symptom", top=1, at_least=1):
    """How many symptoms have a *frequent* fix pattern, over a range of what that means.

    Parameters
    ----------
    faults : pandas.DataFrame
    thresholds : collection of float
        Shares: a symptom has frequent fix patterns where its ``top`` most frequent
        patterns together mend at least that share of its faults.
    by : {"symptom", "path"}
    top : int, default 1
    at_least : int, default 1
        Symptoms with fewer faults are not judged: two faults mended alike say little.

    Returns
    -------
    pandas.DataFrame
        Columns threshold, n (symptoms that have), of (symptoms judged), share, low, high,
        and ``most``: whether they are more than half.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> frequent_fixes(load_study().faults, [0.0])["share"].tolist()
    [1.0]
    """
    return judge(coverage(faults, by, top=(top,)), thresholds, top, at_least)


def judge(covered, thresholds, top=1, at_least=1):
    """The same from a table of coverage that is there already.

    Parameters
    ----------
    covered : pandas.DataFrame
        As :func:`coverage` returns it, with ``top_<top>``.
    thresholds, top, at_least
        As in :func:`frequent_fixes`.

    Returns
    -------
    pandas.DataFrame
    """
    table = covered[covered["n"] >= at_least]
    having = [int((table[f"top_{top}_share"] >= t).sum()) for t in thresholds]
    result = wilson(having, [len(table)] * len(having))
    result.insert(0, "threshold", list(thresholds))
    result["most"] = result["n"] > result["of"] / 2
    return result


def system_level(faults, codebook, by=(), counting="any"):
    """Share of faults that concern system-level configuration, by reading.

    Parameters
    ----------
    faults : pandas.DataFrame
    codebook : Codebook
        Says from which reading on (narrow, middle, broad) a fix pattern counts.
    by : collection of str, optional
        ``"stage"``, ``"platform"``, ``"distributed_specific"`` …: shares within each.
    counting : {"any", "all", "fractions"}
        Where a fault has several patterns: does one suffice, must all count, or does
        the fault count by the fraction of them.

    Returns
    -------
    pandas.DataFrame
        Columns of ``by``, reading, n, of, share, low, high (Wilson; of fractions, which
        are no counts, linearised: ``intervals.weighted_share``).

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> s = load_study()
    >>> system_level(s.faults, s.codebook)["reading"].tolist()
    ['narrow', 'middle', 'broad']
    """
    by, parts = list(by), []
    faults = _summed(faults, by)
    sets = faults["fix_patterns"].str.split(JOIN)
    for reading in READINGS:
        counted = codebook.system_level(reading)
        weight = sets.map({
            "any": lambda names, c=counted: float(any(n in c for n in names)),
            "all": lambda names, c=counted: float(all(n in c for n in names)),
            "fractions": lambda names, c=counted: sum(n in c for n in names) / len(names),
        }[counting])
        table = faults.assign(hit=faults["n"] * weight)
        sums = (table.groupby(by)[["hit", "n"]].sum().reset_index() if by
                else table[["hit", "n"]].sum().to_frame().T)
        interval = (_fractional(faults.assign(weight=weight), by) if counting == "fractions"
                    else wilson(sums["hit"], sums["n"]))
        sums = sums.assign(reading=reading, of=sums["n"].astype(int), share=sums["hit"] / sums["n"],
                           low=interval["low"], high=interval["high"])
        sums["n"] = sums["hit"] if counting == "fractions" else sums["hit"].astype(int)
        parts.append(sums[[*by, "reading", "n", "of", "share", "low", "high"]])
    return pd.concat(parts, ignore_index=True)


def _fractional(faults, by):
    groups = [g for _, g in faults.groupby(by)] if by else [faults]
    found = [weighted_share(g["weight"].to_numpy(float), np.ones(len(g)), g["n"].to_numpy())
             for g in groups]
    return pd.DataFrame(found, columns=["low", "high"])
