"""Picture of the symptoms: how many of their faults are specific to distributed training."""

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
from study.measure.symptoms import by_symptom


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
    data = by_symptom(faults)
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
            interval(axes, row.share, row.low, row.high, y, BLUE)
        chart.column(chart.right, [f"{r.specific:,}/{r.n:,}" for r in data.itertuples()],
                     "specific\nof n")
    every = data[data["other"] == 0]
    least = data[data["n"] >= 10].sort_values(["share", "symptom"]).head(3)
    caption = (f"Share of distributed-specific faults by symptom, with 95 % Wilson intervals; "
               f"symptoms by number of faults, n = {n:,} in all. The line is the share over all "
               f"faults, {percent(specific / n)}.")
    alt = (f"Forest plot of {plural(len(data), 'symptom')}. Overall {specific:,} of {n:,} faults, "
           f"{percent(specific / n)}, are distributed-specific. "
           f"{plural(len(every), 'symptom')} {'has' if len(every) == 1 else 'have'} no other "
           "faults." + (" Among symptoms with 10 or more faults the lowest shares are those of "
                        + listing(f"{r.symptom} ({r.specific} of {r.n})"
                                  for r in least.itertuples()) + "." if len(least) else ""))
    return Picture(name, title, chart.figure, data, caption, alt)
