"""What the share of system-level faults hangs on: the level of single fix patterns."""

import numpy as np

from study.base.words import JOIN
from study.measure.intervals import wilson, within


def _hits(faults, names):
    """Faults that at least one of the patterns mends."""
    wanted = set(names)
    sets = faults["fix_patterns"].map(lambda cell: not wanted.isdisjoint(cell.split(JOIN)))
    return int(faults.loc[sets.astype(bool), "n"].sum())


def one_at_a_time(faults, codebook, reading="middle", margin=0.1):
    """The share when one fix pattern changes sides.

    Parameters
    ----------
    faults : pandas.DataFrame
    codebook : Codebook
    reading : str
    margin : float
        Around one half, of the claim.

    Returns
    -------
    pandas.DataFrame
        Columns fix_pattern, counted (in the reading: yes or no), n, of, share, low, high
        (after the change), holds_half (whether the interval holds one half), in_margin (whether
        it lies within the margin of one half); largest change first.
    """
    counted = codebook.system_level(reading)
    names = sorted({p for cell in faults["fix_patterns"] for p in cell.split(JOIN) if p})
    base = _hits(faults, counted)
    table = wilson([_hits(faults, counted ^ {name}) for name in names],
                   [int(faults["n"].sum())] * len(names))
    table.insert(0, "fix_pattern", names)
    table.insert(1, "counted", ["yes" if name in counted else "no" for name in names])
    table["holds_half"] = table["low"].le(1 / 2) & table["high"].ge(1 / 2)
    table["in_margin"] = within(table, 1 / 2, margin)
    order = (table["n"] - base).abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)


def every_combination(faults, codebook):
    """The share under every combination of the patterns on which the readings differ.

    Parameters
    ----------
    faults : pandas.DataFrame
    codebook : Codebook

    Returns
    -------
    tuple of (list of str, numpy.ndarray)
        The patterns that the broad reading has and the narrow has not, and one share a
        subset of them, each added to the narrow reading.
    """
    used = {p for cell in faults["fix_patterns"] for p in cell.split(JOIN) if p}
    narrow = codebook.system_level("narrow")
    names = sorted((codebook.system_level("broad") - narrow) & used)
    sets = [set(cell.split(JOIN)) for cell in faults["fix_patterns"]]
    n = faults["n"].to_numpy()
    always = np.array([bool(s & narrow) for s in sets], dtype=bool)
    codes = np.array([sum(1 << i for i, p in enumerate(names) if p in s) for s in sets], dtype=int)
    subsets = np.arange(1 << len(names))
    hit = always | ((subsets[:, None] & codes) > 0)
    return names, hit @ n / n.sum() if n.sum() else np.full(len(subsets), np.nan)
