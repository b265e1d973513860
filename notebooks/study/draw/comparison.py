"""Picture of an extension beside the study: shares, and the differences between them."""

import pandas as pd

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart, interval
from study.draw.style import (
    BLUE,
    DOUBLE,
    INK,
    ORANGE,
    SMALL,
    SOFT,
    base,
    listing,
    look,
    percent,
    plural,
)

WORDS = {"stage": "stage", "symptom": "symptom", "fix pattern": "fix pattern",
         "topic": "topic of how-to questions", "system level": "system-level configuration",
         "distributed-specific": "distributed-specific"}


def side_by_side(table, name, kinds=("stage", "symptom", "system level"), most=14):
    """Shares of the extension and of the study on one axis, their difference on another.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``compare.compare`` returns it.
    name : str
        Of the extension.
    kinds : sequence of str
        Which kinds of category, in order.
    most : int
        So many categories of a kind, most frequent in either first.

    Returns
    -------
    Picture
    """
    title = f"{name} beside the study"
    data = _chosen(table, kinds, most)
    if data.empty:
        return nothing("beside_the_study", title, "faults in both", data)
    with look("beside_the_study"):
        figure = _draw(data, name, title)
    differing = data[data["verdict"] != ""]
    of = data[data["what"] != "topic"] if (data["what"] != "topic").any() else data
    least, most_of = int(of["of_new"].min()), int(of["of_new"].max())
    new = (plural(most_of, "fault") if least == most_of else
           f"{least} to {most_of} faults with a decided label")
    caption = (f"Left: share of {new} of {name} (filled) and of "
               f"{int(of['of_study'].iloc[0]):,} of the study (hollow), with 95 % Wilson "
               "intervals. Right: "
               "difference in percentage points with Newcombe's 95 % interval; dark where Holm's "
               "p over the categories of its kind is below 0.05 (Fisher's exact test).")
    alt = (f"Dot plot of {plural(len(data), 'category', 'categories')}. "
           + (f"Different or in one of the two only: {listing(_said(differing))}."
              if len(differing) else "No category differs beyond chance."))
    return Picture("beside_the_study", title, figure, data, caption, alt)


def _said(differing):
    return [f"{r.category} ({percent(r.share_new)} against {percent(r.share_study)})"
            for r in differing.head(8).itertuples()]


def _chosen(table, kinds, most):
    parts = []
    for kind in kinds:
        own = table[table["what"] == kind]
        size = own[["share_new", "share_study"]].max(axis=1)
        keep = size.sort_values(ascending=False, kind="stable").index[:most]
        parts.append(own.loc[[i for i in own.index if i in set(keep)]])
    return pd.concat(parts, ignore_index=True)


def _draw(data, name, title):
    labels, heads, at = [], [], {}
    for kind in data["what"].unique():
        heads.append(len(labels))
        labels.append(WORDS.get(kind, kind))
        for category in data.loc[data["what"] == kind, "category"]:
            at[kind, category] = len(labels)
            labels.append(category)
    chart = RowChart(labels, title, DOUBLE, strong=heads, gaps=heads[1:], header=1, axis=2,
                     indent=[int(i not in heads) for i in range(len(labels))], label_share=0.3)
    short = name if len(name) <= 22 else "here"  # else it runs into the next panel's header
    middle = chart.left + 0.52 * (chart.right - chart.left)
    upper = min(1.0, 1.05 * data[["high_new", "high_study"]].max().max())
    left = chart.share_panel(chart.left, middle - 0.75, "shares", upper=upper,
                             header=f"{short} (filled) and the study (hollow)",
                             axis_title="share of faults")
    reach = 1.05 * data[["low", "high"]].abs().max().max()
    step = 0.5 if reach > 0.6 else 0.25 if reach > 0.3 else 0.1
    ticks = [k * step for k in range(-int(reach / step), int(reach / step) + 1)]
    right = chart.panel(middle, chart.right, (-reach, reach), "differences",
                        header="difference, percentage points", ticks=ticks,
                        names=[f"{round(100 * t):+d}" if t else "0" for t in ticks],
                        axis_title=f"{short} minus the study")
    right.axvline(0, color=SOFT, linewidth=0.8)
    counts = [""] * len(labels)
    for row in data.itertuples():
        i = at[row.what, row.category]
        y = chart.y[i]
        interval(left, row.share_study, row.low_study, row.high_study, y + 0.03, ORANGE,
                 hollow=True)
        interval(left, row.share_new, row.low_new, row.high_new, y - 0.03, BLUE)
        sure = row.p_holm < 0.05
        interval(right, row.difference, row.low, row.high, y, INK if sure else "#9A9A9A",
                 hollow=not sure)
        counts[i] = f"{row.n_new:,} | {row.n_study:,}"
    chart.header(middle - 0.1, "counts", "right")
    for y, text in zip(chart.y, counts, strict=True):
        if text:
            chart.paper.text(middle - 0.1, base(chart.top + y, SMALL), text, size=SMALL,
                             ha="right", va="baseline", color=SOFT)
    return chart.figure
