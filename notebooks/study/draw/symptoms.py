"""Picture of the symptoms: how many of their faults are specific to distributed training."""

import pandas as pd

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart, interval
from study.draw.style import (
    BLUE,
    ORANGE,
    SINGLE,
    SMALL,
    listing,
    look,
    percent,
    plural,
    text_width,
)
from study.measure.intervals import wilson
from study.measure.symptoms import by_symptom

FEW = 5  # a share of fewer faults says nothing


def _folded(data):
    """Symptoms, most specific first, and those of few faults as one row (or none)."""
    few = data["n"] < FEW
    rest = data[few]
    named = data[~few].sort_values(["share", "n", "symptom"], ascending=[False, False, True])
    row = pd.DataFrame({"symptom": [f"({plural(len(rest), 'rarer symptom')})"],
                        **{c: [int(rest[c].sum())] for c in ("n", "specific", "other")}})
    row = pd.concat([row, wilson(row["specific"], row["n"])[["share", "low", "high"]]], axis=1)
    return named, row if len(rest) else row.head(0)


def specific_shares(faults):
    """Share of distributed-specific faults among those of each symptom (forest plot).

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
    >>> int(specific_shares(load_study().faults).data["specific"].sum())
    569
    """
    name, title = "specific_share_by_symptom", "Distributed-specific share by symptom"
    faults = faults[faults["n"] > 0]
    if faults.empty:
        return nothing(name, title, "faults", faults)
    named, rest = _folded(by_symptom(faults))
    data = pd.concat([t for t in (named, rest) if len(t)], ignore_index=True)
    n, specific = int(data["n"].sum()), int(data["specific"].sum())
    with look(name):
        labels = [s or "(none)" for s in data["symptom"]]
        chart = RowChart(labels, title, SINGLE, header=2, axis=2, label_share=0.44, pitch=0.135)
        right = chart.right - 0.5
        axes = chart.share_panel(chart.left, right, "forest",
                                 axis_title="distributed-specific share")
        header = f"all: {percent(specific / n)}"
        half = text_width(header, SMALL) / 2
        middle = chart.left + (right - chart.left) * specific / n
        chart.header(min(max(middle, chart.left + half), right - half + 0.06), header, "center")
        axes.axvline(specific / n, color=ORANGE, linewidth=1.0, zorder=1)
        for row, y in zip(data.itertuples(), chart.y, strict=True):
            interval(axes, row.share, row.low, row.high, y,
                     ORANGE if row.high < specific / n else BLUE)
        chart.column(chart.right, [f"{r.specific:,}/{r.n:,}" for r in data.itertuples()],
                     "specific\nof n")
    every = named[named["other"] == 0]
    least = named[named["n"] >= 10].sort_values(["share", "symptom"]).head(3)
    caption = (f"Share of distributed-specific faults by symptom, with 95 % Wilson intervals; most "
               f"specific first, symptoms of fewer than {FEW} faults in one row; n = {n:,} in all. "
               f"The line is the share over all faults, {percent(specific / n)}; orange: the whole "
               "interval lies below it.")
    alt = (f"Forest plot of {plural(len(named), 'symptom')}"
           + (f" and {rest['symptom'].iloc[0].strip('()')} in one row" if len(rest) else "")
           + f". Overall {specific:,} of {n:,} faults, "
           f"{percent(specific / n)}, are distributed-specific. "
           f"{plural(len(every), 'symptom')} {'has' if len(every) == 1 else 'have'} no other "
           "faults." + (" Among symptoms with 10 or more faults the lowest shares are those of "
                        + listing(f"{r.symptom} ({r.specific} of {r.n})"
                                  for r in least.itertuples()) + "." if len(least) else ""))
    return Picture(name, title, chart.figure, data, caption, alt)
