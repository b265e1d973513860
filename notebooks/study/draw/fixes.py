"""Pictures of the fix patterns: which mend which symptom, and how far the first ones go."""

from math import ceil

import pandas as pd
from matplotlib.colors import PowerNorm
from matplotlib.patches import Rectangle

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart
from study.draw.style import (
    COUNT,
    DOUBLE,
    LINE,
    NESTED,
    SMALL,
    base,
    listing,
    look,
    on,
    percent,
    plural,
    text_width,
    wrap,
)
from study.measure.fixes import coverage, matrix, patterns

MOST_COLUMNS = 17


def symptom_by_fix(faults, most=MOST_COLUMNS):
    """Symptoms by fix patterns: how many faults (heat map).

    Parameters
    ----------
    faults : pandas.DataFrame
        ``data/study/faults.csv``.
    most : int
        Fix patterns shown; rarer ones, and those tied with the next one, are summed up.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> data = symptom_by_fix(load_study().faults).data
    >>> sorted(data.columns)
    ['fix_pattern', 'n', 'symptom']
    """
    name, title = "symptom_by_fix_pattern", "Faults by symptom and fix pattern"
    faults = faults[faults["n"] > 0]
    if patterns(faults).empty:
        return nothing(name, title, "faults with a fix pattern", faults)
    totals = patterns(faults).groupby("fix_pattern")["n"].sum().sort_values(ascending=False)
    at_least = int(totals.iloc[most]) + 1 if len(totals) > most else 1
    cells = matrix(faults, at_least=at_least)
    data = (cells.rename_axis(columns="fix_pattern").stack().rename("n").reset_index())
    data = data[data["n"] > 0].reset_index(drop=True)
    with look(name):
        figure = _heat_map(cells, faults, title)
    rarer = int((totals < at_least).sum())
    top = data[data["fix_pattern"] != "(rarer patterns)"].nlargest(5, "n")
    caption = (f"{plural(int(faults['n'].sum()), 'fault')} by symptom and fix pattern, each most "
               "frequent first. A fault with several fix patterns counts in each, so a row can add "
               "up to more than its n. Colour grows with the square root of the count."
               + (f" The last column sums up {plural(rarer, 'pattern')} of fewer than {at_least} "
                  "faults each." if rarer else ""))
    alt = (f"Heat map of {plural(len(cells), 'symptom')} by "
           f"{plural(len(totals) - rarer, 'fix pattern')}"
           + (f" and a sum of {plural(rarer, 'rarer one')}" if rarer else "")
           + ". The largest cells are " + listing(
               f"{r.symptom} with {r.fix_pattern or '(none)'} ({r.n})" for r in top.itertuples())
           + ". Most frequent patterns: " + listing(
               f"{p or '(none)'} ({n:,})" for p, n in totals.head(3).items()) + "."
           if len(top) else f"Heat map of {plural(len(cells), 'symptom')}.")
    return Picture(name, title, figure, data, caption, alt)


def _heat_map(cells, faults, title):
    columns = [c or "(none)" for c in cells.columns]
    # Names stand at 45 degrees: level they would need ten times the width of a cell.
    names = [wrap(c, 2.1, SMALL, 1) for c in columns]
    reach = [text_width(n, SMALL) * 0.7072 + 0.06 for n in names]
    last = len(cells)
    chart = RowChart([*(r or "(none)" for r in cells.index), "all faults"], title, DOUBLE,
                     gaps=[last], strong=[last], header=ceil(max(reach) / LINE), axis=0,
                     label_share=0.3, pitch=0.145)
    left = chart.left + 0.3
    side = min(0.6, *((chart.right - left - r) / (j + 0.6) for j, r in enumerate(reach)),
               (chart.right - left) / len(columns))
    right = left + side * len(columns)
    axes = chart.panel(left, right, (0, len(columns)), "heat map")
    norm = PowerNorm(0.5, vmin=0, vmax=max(int(cells.to_numpy().max()), 1))
    for i, (y, tall) in enumerate(zip(chart.y[:-1], chart.heights[:-1], strict=True)):
        for j in range(len(columns)):
            n = int(cells.iat[i, j])
            color = COUNT(norm(n)) if n else "#FAFAFA"
            axes.add_patch(Rectangle((j, y - tall / 2), 1, tall, facecolor=color,
                                     edgecolor="white", linewidth=0.6))
            if n:
                axes.text(j + 0.5, base(y, SMALL), f"{n}", size=SMALL, ha="center",
                          va="baseline", color=on(color))
    for j, n in enumerate(cells.sum()):
        axes.text(j + 0.5, base(chart.y[-1], SMALL), f"{n:,}", size=SMALL, ha="center",
                  va="baseline")
    axes.spines["bottom"].set_visible(False)
    n = faults.groupby("symptom")["n"].sum()
    chart.column(left - 0.06, [*(f"{n[s]:,}" for s in cells.index), f"{n.sum():,}"], "n")
    for j, text in enumerate(names):
        chart.paper.text(left + side * (j + 0.5) - 0.02, chart.top - 0.04, text, size=SMALL,
                         rotation=45, rotation_mode="anchor", ha="left", va="baseline")
    return chart.figure


def fix_coverage(faults):
    """How many of a symptom's faults its three most frequent fix patterns mend.

    Parameters
    ----------
    faults : pandas.DataFrame
        ``data/study/faults.csv``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> int(fix_coverage(load_study().faults).data["n"].iloc[-1])
    637
    """
    name, title = "fix_coverage", "Faults that the most frequent fix patterns of a symptom mend"
    faults = faults[faults["n"] > 0]
    if faults.empty:
        return nothing(name, title, "faults", faults)
    data = pd.concat([coverage(faults), coverage(faults, "all").assign(symptom="all faults")],
                     ignore_index=True)
    data = data[["symptom", *[c for c in data if c != "symptom"]]]
    with look(name):
        figure = _stack(data, title)
    whole, own = data.iloc[-1], data.iloc[:-1]
    big = own[own["n"] >= 5]
    half = int((big["top_3_share"] >= 0.5).sum())
    caption = ("Share of the faults of a symptom that its most frequent fix pattern, its first two "
               "and its first three mend; symptoms by number of faults. Over all faults: "
               f"{percent(whole['top_1_share'])}, {percent(whole['top_2_share'])} and "
               f"{percent(whole['top_3_share'])} of {whole['n']:,}. “Patterns” is how many "
               "different ones occur; at the right the most frequent, + where others are as "
               "frequent."
               + (" † So few faults that any three patterns mend half of them."
                  if _by_arithmetic(own).any() else ""))
    alt = (f"Stacked bars of {plural(len(own), 'symptom')}. "
           f"Three patterns mend at least half of the faults of {half} of "
           f"{plural(len(big), 'symptom')} with 5 or more faults. " + " ".join(
               f"{r.symptom}: {r.n:,} faults, first pattern {r.first or '(none)'} "
               f"{percent(r.top_1_share)}, first two {percent(r.top_2_share)}, first three "
               f"{percent(r.top_3_share)}." for r in own.head(5).itertuples()))
    return Picture(name, title, figure, data, caption, alt)


def _by_arithmetic(data):
    """Whether any patterns, mending one fault each, would reach half of the row's faults."""
    return 2 * len(NESTED) >= data["n"]


def _stack(data, title):
    last = len(data) - 1
    chart = RowChart([s or "(none)" for s in data["symptom"]], title, DOUBLE, gaps=[last],
                     strong=[last], header=2, axis=2, label_share=0.3, pitch=0.148)
    left, right = chart.left + 0.8, chart.right - 2.3
    axes = chart.share_panel(left, right, "coverage",
                             axis_title="share of the symptom's faults that they mend")
    axes.grid(visible=False)
    for row, y in zip(data.to_dict("records"), chart.y, strict=True):
        start = 0.0
        for k, color in enumerate(NESTED, 1):
            end = row[f"top_{k}_share"]
            axes.barh(y, end - start, left=start, height=0.115, color=color, edgecolor="white",
                      linewidth=0.4)
            text = percent(end)
            fits = (end - start) * (right - left) > text_width(text, SMALL) + 0.04
            if fits and end < row[f"top_{len(NESTED)}_share"]:
                axes.text(end - 0.012, base(y, SMALL), text, size=SMALL, ha="right",
                          va="baseline", color=on(color))
            start = end
        axes.text(start + 0.015, base(y, SMALL), percent(start), size=SMALL, va="baseline")
    chart.column(chart.left + 0.26, [f"{n:,}" for n in data["n"]], "n")
    chart.column(chart.left + 0.275, ["†" * few for few in _by_arithmetic(data)], align="left")
    chart.column(left - 0.08, [f"{n:,}" for n in data["patterns"]], "patterns")
    room = chart.right - right - 0.38
    firsts = [wrap((r.first or "(none)") + (" +" if r.tied > 1 else ""), room, SMALL, 1)
              for r in data.itertuples()]
    chart.column(right + 0.38, firsts, "most frequent pattern", align="left")
    _key(chart, left)
    return chart.figure


def _key(chart, left):
    """Names of the three parts, above the bars, each in its own box."""
    for color, text in zip(NESTED, ("first", "first two", "first three"), strict=True):
        wide = text_width(text, SMALL) + 0.1
        chart.paper.add_patch(Rectangle((left, chart.top - 0.16), wide, 0.125, facecolor=color))
        chart.paper.text(left + wide / 2, base(chart.top - 0.0975, SMALL), text, size=SMALL,
                         ha="center", va="baseline", color=on(color))
        left += wide
