"""Pictures of two claims under every reading: frequent fixes, system-level configuration."""

import pandas as pd

from study.draw.picture import Picture, nothing
from study.draw.rowchart import HALF, RowChart, interval, near_half
from study.draw.style import (
    BLUE,
    DOUBLE,
    GREEN,
    LINE,
    MARGIN,
    SINGLE,
    SMALL,
    SOFT,
    TITLE,
    block,
    listing,
    look,
    page,
    panel,
    percent,
    text_width,
)
from study.measure.fixes import frequent_fixes, system_level
from study.measure.intervals import MARGINS
from study.read.codebook import READINGS

THRESHOLDS = tuple(round(t / 100, 2) for t in range(0, 101))
TOPS = {1: "first", 2: "first two", 3: "first three"}
CURVES = ("#0B4F8A", GREEN, "#C07F00")


def frequent_thresholds(faults, at_least=5):
    """Share of symptoms with frequent fix patterns, over all of what "frequent" may mean.

    Parameters
    ----------
    faults : pandas.DataFrame
        ``data/study/faults.csv``.
    at_least : int
        Symptoms (by path) with fewer faults are not judged.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> data = frequent_thresholds(load_study().faults).data
    >>> sorted(data["top"].unique().tolist())
    [1, 2, 3]
    """
    name = "frequent_fix_thresholds"
    title = "How frequent must frequent be? Symptoms whose fix patterns reach a share"
    faults = faults[faults["n"] > 0]
    data = pd.concat([frequent_fixes(faults, THRESHOLDS, "path", top, at_least).assign(top=top)
                      for top in TOPS], ignore_index=True)
    if not data["of"].any():
        return nothing(name, title, "symptoms of enough faults", faults)
    data = data[["top", *[c for c in data if c != "top"]]]
    with look(name):
        figure = _thresholds(data, title)
    caption = (f"Share of the {data['of'].iloc[0]} symptoms (by path, {at_least} faults or more) "
               "whose most frequent fix pattern, first two or first three together mend at least "
               "so much of their faults. Dots: up to which threshold that is so for most symptoms.")
    alt = ("Three falling step curves. The share of symptoms exceeds one half up to a threshold of "
           + listing(f"{percent(_turn(data, top))} with the {words}"
                     for top, words in TOPS.items()) + ".")
    return Picture(name, title, figure, data, caption, alt)


def _turn(data, top):
    """Highest threshold at which most symptoms still have what is asked for."""
    return float(data.loc[(data["top"] == top) & data["most"], "threshold"].max())


def _thresholds(data, title):
    tall, left = 1.5, 0.38
    start = MARGIN + 0.2 + LINE + 0.06
    figure, paper = page(DOUBLE, start + tall + 0.44)
    block(paper, MARGIN, MARGIN, title, TITLE, 0.13)
    wide = DOUBLE - left - 0.25
    axes = panel(figure, left, start, wide, tall, "thresholds")
    axes.set(xlim=(0, 1), ylim=(0, 1.0))
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100%"])
    axes.set_yticks([0, 0.5, 1], ["0", "50", "100%"])
    axes.axhline(0.5, color=HALF, linewidth=0.8, dashes=(3, 2), zorder=1)
    paper.text(left, start - 0.06, f"share of symptoms (n = {data['of'].iloc[0]})", size=SMALL,
               va="bottom", color=SOFT)
    end, up = 0.0, 0.0
    for (top, words), color in zip(TOPS.items(), CURVES, strict=True):
        own, turn = data[data["top"] == top], _turn(data, top)
        axes.step(own["threshold"], own["share"], where="pre", color=color, linewidth=1.3,
                  clip_on=False, gid=f"top {top}")
        axes.plot([turn], [0.5], linestyle="none", marker="o", markersize=3.6, color=color,
                  zorder=3, clip_on=False)
        text = f"{words}: {percent(turn)}"
        at = min(turn * wide + 0.06, wide - text_width(text))
        up = up + LINE if at < end else 0.0  # turns close together: one label above the other
        end = at + text_width(text, SMALL) + 0.06
        paper.text(left + at, start + tall / 2 - 0.04 - up, text, size=SMALL, va="bottom",
                   color=color)
    axes.set_xlabel("threshold: share of a symptom's faults they mend", labelpad=2)
    return figure


def system_level_shares(faults, codebook):
    """Share of faults that concern system-level configuration, by reading and stage.

    Parameters
    ----------
    faults : pandas.DataFrame
        ``data/study/faults.csv``.
    codebook : Codebook

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> s = load_study()
    >>> system_level_shares(s.faults, s.codebook).data["reading"].iloc[:3].tolist()
    ['narrow', 'middle', 'broad']
    """
    name, title = "system_level", "Faults of system-level configuration, by reading"
    faults = faults[faults["n"] > 0]
    if faults.empty:
        return nothing(name, title, "faults", faults)
    data = _system_rows(faults, codebook)
    stages = data["stage"].unique().tolist()
    with look(name):
        labels, deep, heads = [], [], []
        for stage in stages:
            heads.append(len(labels))
            labels += [stage, *READINGS]
            deep += [0, *[1] * len(READINGS)]
        chart = RowChart(labels, title, SINGLE, indent=deep, gaps=heads[1:], strong=heads,
                         label_share=0.32, pitch=0.14)
        values = [f"{percent(r.share)}  ({r.n:,}/{r.of:,})" for r in data.itertuples()]
        right = chart.right - max(text_width(v, SMALL) for v in values) - 0.12
        axes = chart.share_panel(chart.left, right, "shares", axis_title="share of faults")
        near_half(axes, MARGINS)
        column = [""] * len(labels)
        for i, row in enumerate(data.itertuples()):
            at = heads[i // len(READINGS)] + 1 + i % len(READINGS)
            interval(axes, row.share, row.low, row.high, chart.y[at], BLUE)
            column[at] = values[i]
        chart.column(chart.right, column)
    whole = data[data["stage"] == stages[0]]
    facts = listing(f"{r.reading} {percent(r.share)} ({percent(r.low)} to {percent(r.high)})"
                    for r in whole.itertuples())
    caption = ("Share of faults that a system-level configuration fix mends, under the narrow, "
               "the middle and the broad reading of what that is, over all faults and by stage, "
               "with 95 % Wilson intervals. Dashed: one half; shaded: within "
               f"{listing(f'{100 * m:.0f}' for m in MARGINS)} points of it.")
    alt = (f"Dot plot with intervals. All faults: {facts}. " + " ".join(
        f"{s}: " + listing(f"{r.reading} {percent(r.share)}"
                           for r in data[data["stage"] == s].itertuples()) + "."
        for s in stages[1:]))
    return Picture(name, title, chart.figure, data, caption, alt)


def _system_rows(faults, codebook):
    whole = system_level(faults, codebook).assign(stage="all faults")
    parts = system_level(faults, codebook, ["stage"]).replace({"stage": {"": "(none)"}})
    order = {stage: i for i, stage in enumerate(codebook.names("stage"))}
    parts["_"] = parts["stage"].map(lambda s: order.get(s, len(order)))
    parts = parts.sort_values(["_", "stage"], kind="stable").drop(columns="_")
    return pd.concat([whole, parts], ignore_index=True)[
        ["stage", "reading", "n", "of", "share", "low", "high"]]
