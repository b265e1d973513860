"""Specification curves: a claim's value in every universe, and the decisions behind it."""

from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from study.base.seeds import generator
from study.decide.multiverse import DECISIONS, decisions_of, explained, stated
from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart
from study.draw.style import (
    BLUE,
    DOUBLE,
    INK,
    ORANGE,
    RULE,
    SMALL,
    SOFT,
    listing,
    look,
    panel,
    percent,
    plural,
)

BINS = 120  # more universes than this share a column, so that a column stays visible
CURVE = 1.25  # inches
SHADES = ((0.75, "#3C3C3C"), (0.5, "#7A7A7A"), (0.25, "#ABABAB"), (0.0, "#D6D6D6"))
CLAIM_WORDS = {"categories": "categories of symptoms", "agreement": "kappa for the symptom"}
SHARE_WORDS = {"shared-symptoms": "share of the other faults with a shared symptom",
               "frequent-fixes": "share of symptoms with a frequent fix pattern",
               "system-level": "share of faults of system-level configuration"}


def specification_curve(table, claim, criterion=None):
    """The values of one claim in all its universes, sorted, above the decisions taken.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``multiverse.multiverse`` returns it.
    claim : str
        One of its claims.
    criterion : float, optional
        Where the line is drawn that the claim speaks of.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> from study.decide.multiverse import multiverse
    >>> one = multiverse(load_study(), ["system-level"])
    >>> specification_curve(one, "system-level", 0.5)
    Picture('curve_system-level')
    """
    name, title = f"curve_{claim}", f"Every reading: {(CLAIM_WORDS | SHARE_WORDS)[claim]}"
    own = table[(table["claim"] == claim) & table["value"].notna()]
    if own.empty:
        return nothing(name, title, "readings of this claim", own)
    options = [(d, o) for d in decisions_of(claim) for o in DECISIONS[d] if (own[d] == o).any()]
    data = _bins(own, options)
    with look(name):
        figure = _draw(data, own, options, title, claim, criterion)
    holds, most = own["holds"].mean(), _most(own, claim)
    words = (CLAIM_WORDS | SHARE_WORDS)[claim]
    bins = ("" if len(data) == len(own) else
            f" Neighbouring universes share a column ({len(data)} columns).")
    caption = (f"{plural(len(own), 'universe')} of the claim {claim}, sorted by value "
               f"({words}); above, value and 95 % interval, blue where the claim holds, orange "
               f"where it does not; below, which option each takes, darker where more do.{bins} "
               f"The claim holds in {percent(holds, 1)} of them. The diamond is the reading "
               "of the findings table.")
    alt = (f"Specification curve of {plural(len(own), 'universe')}. The value ranges from "
           f"{own['value'].min():.3g} to {own['value'].max():.3g}; the claim holds in "
           f"{int(own['holds'].sum()):,}. It hangs most on the decision {most[0]}, which "
           f"accounts for {percent(most[1])} of the variance, by option: "
           + listing(f"{o} {own.loc[own[most[0]] == o, 'value'].median():.3g}"
                     for d, o in options if d == most[0]) + " (medians).")
    return Picture(name, title, figure, data, caption, alt)


def _most(own, claim):
    effects = {d: explained(own, d) for d in decisions_of(claim)}
    most = max(effects, key=effects.get)
    return most, effects[most]


def _bins(own, options):
    """Universes sorted by value, in columns of about equal number."""
    # Ties in random order: in the order of the decisions they would show patterns of their own.
    shuffled = own.iloc[generator("ties of a specification curve").permutation(len(own))]
    ordered = shuffled.sort_values("value", kind="stable")
    count = min(BINS, len(ordered))
    column = np.arange(len(ordered)) * count // len(ordered)
    groups = ordered.groupby(column)
    data = pd.DataFrame({"column": range(count), "universes": groups.size(),
                         "value": groups["value"].median(), "low": groups["low"].min(),
                         "high": groups["high"].max(), "holds": groups["holds"].mean()})
    taken = pd.DataFrame({f"{decision}: {option}": (ordered[decision] == option).to_numpy()
                          for decision, option in options}, dtype=float)
    data = pd.concat([data, taken.groupby(column).mean()], axis=1)
    return data.reset_index(drop=True)


def _draw(data, own, options, title, claim, criterion):
    labels, indent, heads = [], [], []
    for decision in dict.fromkeys(d for d, _ in options):
        heads.append(len(labels))
        labels.append(decision)
        indent.append(0)
        for option in (o for d, o in options if d == decision):
            labels.append(option)
            indent.append(1)
    chart = RowChart(labels, title, DOUBLE, indent=indent, strong=heads, gaps=heads[1:],
                     header=int((CURVE + 0.5) / 0.12), axis=0, label_share=0.3, pitch=0.13)
    limits = (-0.5, len(data) - 0.5)
    below = chart.panel(chart.left + 0.3, chart.right, limits, "options")
    rows = [i for i in range(len(labels)) if i not in heads]
    for i, (decision, option) in zip(rows, options, strict=True):
        _shade(below, data[f"{decision}: {option}"].to_numpy(), chart.y[i])
    above = panel(chart.figure, chart.left + 0.3, chart.top - CURVE - 0.1,
                  chart.right - chart.left - 0.3, CURVE, "curve")
    _curve(above, data, limits, claim, criterion)
    chart.paper.text(chart.left + 0.3, chart.top - CURVE - 0.2, (CLAIM_WORDS | SHARE_WORDS)[claim],
                     size=SMALL, va="bottom", color=SOFT)
    _first(above, data, own, chart)
    return chart.figure


def _shade(axes, taken, y):
    """One option's row: runs of columns, darker where more universes take the option."""
    level = np.select([taken > least for least, _ in SHADES], range(1, len(SHADES) + 1), 0)
    edges = np.flatnonzero(np.diff(np.concatenate([[-1], level, [-1]])))
    for start, stop in pairwise(edges):
        if level[start]:
            axes.broken_barh([(start - 0.5, stop - start)], (y - 0.045, 0.09), linewidth=0,
                             facecolor=SHADES[level[start] - 1][1])


def _curve(axes, data, limits, claim, criterion):
    known = data.dropna(subset=["low", "high"])
    axes.vlines(known["column"], known["low"], known["high"], color=RULE, linewidth=1.0)
    for holds, color in ((True, BLUE), (False, ORANGE)):
        own = data[(data["holds"] >= 0.5) == holds]
        axes.plot(own["column"], own["value"], linestyle="none", marker="o", markersize=2.4,
                  color=color, markeredgewidth=0, gid="holds" if holds else "fails")
    axes.set_xlim(limits)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    if claim in CLAIM_WORDS:
        ends = [*known["low"], *known["high"], *data["value"], *([criterion] if criterion else [])]
        low, high = min(ends), max(ends)
        room = 0.08 * ((high - low) or 1)
        axes.set_ylim(low - room, high + room)
        axes.set_yticks(MaxNLocator(4).tick_values(low, high))
        axes.set_ylim(low - room, high + room)
    else:
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 0.5, 1], ["0", "50", "100%"])
    if criterion is not None:
        axes.axhline(criterion, color=SOFT, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)


def _first(above, data, own, chart):
    """Mark the universe that the findings table takes."""
    first = own
    for decision, option in stated(own["claim"].iloc[0]).items():
        first = first[first[decision] == option]
    holds = own["holds"].mean()
    chart.paper.text(chart.right, chart.top - CURVE - 0.2,
                     f"holds in {percent(holds)} of {len(own):,}", size=SMALL, ha="right",
                     va="bottom", color=BLUE if holds >= 0.5 else "#9A6A00")
    if first.empty:
        return
    value = first["value"].iloc[0]
    # Of columns of the same value, the one that takes its options.
    taken = data[[f"{d}: {o}" for d, o in stated(own["claim"].iloc[0]).items()]].sum(axis=1)
    column = int(np.lexsort((-taken, (data["value"] - value).abs().round(9)))[0])
    above.plot([column], [value], linestyle="none", marker="D", markersize=4.2, color=INK,
               markerfacecolor="none", markeredgewidth=0.9, gid="first", zorder=4)
