"""Picture of what the level of single fix patterns does to the share of system-level faults."""

import numpy as np
import pandas as pd

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart, interval, near_half
from study.draw.style import BLUE, DOUBLE, GREEN, RULE, SOFT, look, percent
from study.measure.contested import every_combination, one_at_a_time
from study.measure.fixes import system_level
from study.measure.intervals import MARGINS

LOW, HIGH, BIN = 0.3, 0.7, 0.01


def contested_patterns(faults, codebook):
    """Share of system-level faults when one pattern changes sides, and under all combinations.

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
    >>> contested_patterns(s.faults, s.codebook).data["part"].unique().tolist()
    ['one pattern', 'combinations']
    """
    name = "contested_fix_patterns"
    title = "About half? Single fix patterns counted otherwise, and every combination"
    faults = faults[faults["n"] > 0]
    moved = one_at_a_time(faults, codebook)
    moved = moved[~(moved["holds_half"] & moved["in_margin"])].reset_index(drop=True)
    if moved.empty:
        return nothing(name, title, "fix patterns that move the share", moved)
    names, every = every_combination(faults, codebook)
    start = system_level(faults, codebook).set_index("reading").loc["middle"]
    counted = _bins(every)
    with look(name):
        figure = _draw(moved, counted, start["share"], len(every), title)
    data = pd.concat([moved.assign(part="one pattern"), counted.assign(part="combinations")])[
        ["part", "fix_pattern", "counted", "n", "of", "share", "low", "high"]]
    out = moved[~moved["in_margin"]]
    near = [((every >= 0.5 - m) & (every <= 0.5 + m)).mean() for m in MARGINS]
    caption = (f"Left: share of faults that a system-level configuration fix mends (middle "
               f"reading: {percent(start['share'])}, vertical line) when one fix pattern is "
               f"counted (green) or no longer counted (blue), with 95 % Wilson intervals: the "
               f"{len(moved)} patterns that take one half out of the interval, or the interval "
               f"out of the 10 points around it. Right: the share under all {len(every):,} ways "
               f"to count some of the {len(names)} patterns on which the narrow and the broad "
               f"reading differ, in bars of one point; the tallest stands for "
               f"{counted['n'].max():,}. Dashed: one half; shaded: within 5 and 10 points of it.")
    alt = (f"Dot plot and histogram. {len(moved)} of the fix patterns matter, {len(out)} of them "
           f"take the interval out of the 10 points. "
           + " ".join(f"{r.fix_pattern}, {'out' if r.counted == 'yes' else 'in'}: "
                      f"{percent(r.share)}." for r in moved.head(5).itertuples())
           + f" Over all combinations the share runs from {percent(every.min())} to "
           f"{percent(every.max())}; {percent(near[0])} of them are within 5 points of one half, "
           f"{percent(near[1])} within 10.")
    return Picture(name, title, figure, data, caption, alt)


def _bins(every):
    """Combinations by share, in bins of one point."""
    # Rounded first: a share that is the edge of a bin belongs above it whatever its last bit.
    number = np.floor(np.round(every / BIN, 9)).astype(int)
    found, counts = np.unique(number, return_counts=True)
    return pd.DataFrame({"n": counts, "of": len(every), "low": found * BIN,
                         "high": (found + 1) * BIN})


def _draw(moved, counted, start, ways, title):
    chart = RowChart([f"{'without' if r.counted == 'yes' else 'with'} {r.fix_pattern}"
                      for r in moved.itertuples()], title, DOUBLE, header=1, axis=2,
                     label_share=0.4, pitch=0.15)
    middle = chart.left + 0.56 * (chart.right - chart.left)
    limits = (min(LOW, moved["low"].min()), max(HIGH, moved["high"].max()))
    ticks = [t / 10 for t in range(11) if limits[0] <= t / 10 <= limits[1]]
    ways_of = {"ticks": ticks, "names": [percent(t) for t in ticks],
               "axis_title": "share of faults"}
    axes = chart.panel(chart.left, middle - 0.45, limits, "one pattern",
                       header="one pattern changes sides", **ways_of)
    near_half(axes, MARGINS)
    axes.axvline(start, color=SOFT, linewidth=0.8)
    for row, y in zip(moved.itertuples(), chart.y, strict=True):
        interval(axes, row.share, row.low, row.high, y, BLUE if row.counted == "yes" else GREEN)
    chart.column(middle - 0.08, [percent(s) for s in moved["share"]])
    axes = chart.panel(middle + 0.12, chart.right - 0.14, limits, "combinations",
                       header=f"all {ways:,} combinations of the contested", **ways_of)
    near_half(axes, MARGINS)
    axes.axvline(start, color=SOFT, linewidth=0.8)
    # Heights in the inches of the rows, the tallest bar as high as the panel.
    scale = 0.92 * chart.height / counted["n"].max()
    axes.bar(counted["low"] + BIN / 2, -counted["n"] * scale, width=0.85 * BIN,
             bottom=chart.height, color=BLUE, linewidth=0, zorder=2)
    axes.axhline(chart.height, color=RULE, linewidth=0.8)
    return chart.figure
