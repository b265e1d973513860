"""A claim's value under every reading, decision by decision."""

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from study.decide.claims import printed
from study.decide.multiverse import one_at_a_time
from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart
from study.draw.style import (
    BLUE,
    DOUBLE,
    ORANGE,
    RULE,
    SMALL,
    SOFT,
    listing,
    look,
    plural,
    text_width,
)

WORDS = {"categories": "Categories of symptoms", "shared-symptoms": "Faults that share symptoms",
         "frequent-fixes": "Symptoms with frequent fix patterns",
         "system-level": "Faults of system-level configuration",
         "agreement": "Kappa for the symptom"}
REST = "#A9C4DA"


def readings_chart(table, claim):
    """The values of one claim, for each option of each decision.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``multiverse.multiverse`` returns it.
    claim : Claim
        One that depends on decisions.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.decide.multiverse import multiverse, read_in_several_ways
    >>> from study.tabulate.tables import load_study
    >>> one = read_in_several_ways()["system-level"]
    >>> readings_chart(multiverse(load_study(), [one]), one)
    Picture('readings_system-level')
    """
    words = WORDS.get(claim.id, claim.id)
    name, title = f"readings_{claim.id}", f"{words}, decision by decision"
    own = table[(table["claim"] == claim.id) & table["value"].notna()]
    switched = one_at_a_time(table, claim)
    if own.empty or switched["value"].isna().iloc[0]:
        return nothing(name, title, "readings of this claim", own)
    data = _by_option(own, switched, claim)
    with look(name):
        figure = _draw(data, claim, title, printed(switched["value"].iloc[0], claim.unit))
    turning = data[~data["agrees"] & data["alone"].notna()] if switched["holds"].iloc[0] else \
        data[data["agrees"]]
    caption = (f"{words} in {plural(len(own), 'reading')}. Dot: the stated reading with this one "
               "option switched, blue where the claim holds, orange and hollow where not (* the "
               "stated options). Thick: the middle half of all readings with the option; thin: "
               "from the smallest to the largest. Solid line: the stated reading; dashed: what "
               "the claim is measured against"
               + ("; shaded: its margin, in which the whole interval must lie." if claim.margin
                  else "."))
    alt = (f"Chart of {plural(len(data), 'option')} of {plural(len(claim.decisions), 'decision')}. "
           f"The value is {printed(switched['value'].iloc[0], claim.unit)} as stated and ranges "
           f"from {printed(own['value'].min(), claim.unit)} to "
           f"{printed(own['value'].max(), claim.unit)}. "
           + ("Switching one decision alone turns the answer at "
              + listing(f"{r.decision} {r.option} ({printed(r.alone, claim.unit)})"
                        for r in turning.itertuples()) + "." if len(turning)
              else "No decision turns the answer alone."))
    return Picture(name, title, figure, data, caption, alt)


def _by_option(own, switched, claim):
    rows = []
    for decision, options in claim.decisions.items():
        for option in options:
            values = own.loc[own[decision] == option, "value"]
            alone = switched.iloc[:1] if option == options[0] else switched[
                (switched["decision"] == decision) & (switched["option"] == option)]
            if values.empty:
                continue
            rows.append((decision, option, option == options[0], len(values),
                         *values.quantile([0, 0.25, 0.5, 0.75, 1]),
                         *(alone[["value", "holds"]].iloc[0] if len(alone) else (np.nan, 0))))
    return pd.DataFrame(rows, columns=[
        "decision", "option", "stated", "readings", "smallest", "quarter", "median",
        "three quarters", "largest", "alone", "agrees"]).astype({"agrees": bool})


def _draw(data, claim, title, stated):
    labels, indent, heads, at = [], [], [], []
    for decision, group in data.groupby("decision", sort=False):
        heads.append(len(labels))
        labels += [decision, *(f"{r.option} *" if r.stated else r.option
                               for r in group.itertuples())]
        indent += [0] + [1] * len(group)
        at += range(heads[-1] + 1, len(labels))
    chart = RowChart(labels, title, DOUBLE, indent=indent, strong=heads, gaps=heads[1:],
                     header=1, axis=1, label_share=0.3, pitch=0.135)
    right = chart.right - text_width("100.0 %", SMALL) - 0.08
    if claim.unit == "share":
        axes = chart.share_panel(chart.left + 0.1, right, "readings")
    else:
        ends = [*data["smallest"], *data["largest"], claim.line]
        room = 0.04 * (max(ends) - min(ends) or 1)
        limits = (min(ends) - room, max(ends) + room)
        ticks = [t for t in MaxNLocator(5).tick_values(*limits) if limits[0] <= t <= limits[1]]
        names = [f"{t:.2f}".removeprefix("0") if claim.unit == "kappa" else f"{t:g}"
                 for t in ticks]
        axes = chart.panel(chart.left + 0.1, right, limits, "readings", ticks=ticks, names=names)
    if claim.margin:
        axes.axvspan(claim.line - claim.margin, claim.line + claim.margin, color=SOFT, alpha=0.12,
                     linewidth=0, zorder=0)
    axes.axvline(claim.line, color=SOFT, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    axes.axvline(data["alone"].iloc[0], color=RULE, linewidth=1.2, zorder=1)
    column = [""] * len(labels)
    for i, r in zip(at, data.itertuples(index=False), strict=True):
        y = chart.y[i]
        axes.plot([r.smallest, r.largest], [y, y], color=REST, linewidth=0.8, zorder=1.5)
        axes.plot([r.quarter, r[7]], [y, y], color=REST, linewidth=3.2, zorder=1.6)
        if r.alone != r.alone:
            continue
        axes.plot([r.alone], [y], linestyle="none", marker="o", markersize=4,
                  color=BLUE if r.agrees else ORANGE, clip_on=False, zorder=3,
                  markerfacecolor=BLUE if r.agrees else "white", markeredgewidth=1.0,
                  gid="holds" if r.agrees else "fails")
        if not r.stated:
            column[i] = printed(r.alone, claim.unit)
    chart.column(chart.right, column)
    chart.header(chart.right, f"switched alone (as stated: {stated})", "right")
    return chart.figure
