"""Pictures of the raters' agreement: kappa by round and facet, and what repairing changes."""

from math import ceil

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart
from study.draw.style import (
    BLUE,
    DOUBLE,
    MARGIN,
    RULE,
    SMALL,
    SOFT,
    TEXT,
    TITLE,
    base,
    block,
    listing,
    look,
    page,
    panel,
    plural,
    text_width,
)
from study.read.codebook import TITLES

MAIN, OTHER = "repaired", "as filed"
MARKS = {MAIN: {"color": BLUE, "hollow": False, "marker": "o"},
         OTHER: {"color": "#B07600", "hollow": True, "marker": "s"}}
ACROSS = 3


def kappa_by_round(table):
    """Cohen's kappa by round, one panel a facet, in both readings of the labels.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``kappa.kappa_table`` returns it: round, facet, reading, scope, n, dropped,
        kappa, low, high, reason.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.measure.kappa import kappa_table
    >>> from study.tabulate.tables import load_study
    >>> kappa_by_round(kappa_table(load_study().agreement)).name
    'kappa_by_round'
    """
    name, title = "kappa_by_round", "Cohen's kappa of the two raters, by round and facet"
    table = table.reset_index(drop=True)
    if table["kappa"].notna().sum() == 0:
        return nothing(name, title, "pairs of labels of which kappa is defined", table)
    with look(name):
        figure = _panels(table, title)
    caption = ("Cohen's kappa of the two raters in each round of labelling, by facet, with 95 % "
               "intervals: labels repaired (filled) and as filed (hollow). "
               + _scope(table) + " n: pairs of labels, as repaired."
               + _undefined(table))
    alt = ("Dot plots with intervals, one panel a facet. Repaired, by round: " + " ".join(
        f"{TITLES.get(f, f)} " + listing(_number(r.kappa) for r in own.itertuples()) + "."
        for f, own in table[table["reading"] == MAIN].groupby("facet", sort=False)))
    return Picture(name, title, figure, table, caption, alt)


def kappa_repaired(table):
    """What repairing slips in the sheets changes: kappa as filed and repaired.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``kappa.kappa_table`` returns it.

    Returns
    -------
    Picture
    """
    name, title = "kappa_repaired", "Cohen's kappa as filed and repaired, by facet and round"
    both = (table[table["reading"].isin(MARKS)]
            .pivot_table(index=["facet", "round"], columns="reading", values="kappa", sort=False)
            .reindex(columns=[OTHER, MAIN]).dropna().reset_index())
    if both.empty:
        return nothing(name, title, "kappas in both readings", both)
    both.columns = ["facet", "round", "as_filed", "repaired"]
    both["change"] = both["repaired"] - both["as_filed"]
    facets = [f for f in dict.fromkeys(table["facet"]) if f in set(both["facet"])]
    with look(name):
        figure = _dumbbells(both, facets, title)
    most = both.loc[both["change"].abs().nlargest(3).index]
    facts = listing(f"{TITLES.get(r.facet, r.facet)} in round {r.round} ({_number(r.as_filed)} to "
                    f"{_number(r.repaired)})" for r in most.itertuples())
    same = int((both["change"].abs() < 0.005).sum())
    caption = ("Cohen's kappa from the labels as filed (hollow) and repaired (filled), by facet "
               "and round, and the change. " + _scope(table)
               + f" It stays within 0.005 in {same} of {plural(len(both), 'case')}.")
    alt = (f"Dumbbell chart of {plural(len(both), 'pair')} of kappas. Largest changes: {facts}. "
           f"In {same} the change is below 0.005.")
    return Picture(name, title, figure, both, caption, alt)


def _number(kappa):
    return "none" if kappa != kappa else f"{kappa:.2f}".replace("-", "−")


def _scope(table):
    scopes = set(table.loc[table["facet"] != "issue_type", "scope"])
    if scopes == {"agreed"}:
        return ("Pairs whose raters agree on the issue type (for the issue type itself: all "
                "pairs).")
    return "All pairs."


def _undefined(table):
    none = table[table["kappa"].isna()]
    bare = table[table["kappa"].notna() & table["low"].isna()]
    text = "" if bare.empty else " A mark without a line has no interval: " + listing(
        dict.fromkeys(r.removeprefix("no interval: ") for r in bare["reason"]), "or") + "."
    return text + ("" if none.empty else " No kappa: " + "; ".join(
        f"{TITLES.get(r.facet, r.facet)}, round {r.round}, {r.reading} ({r.reason})"
        for r in none.itertuples()) + ".")


def _panels(table, title):
    facets = list(dict.fromkeys(table["facet"]))
    rounds = sorted(table["round"].unique(), key=lambda r: (len(r), r))
    across = min(ACROSS, len(facets))
    down = ceil(len(facets) / across)
    wide = (DOUBLE - 0.5 - MARGIN - 0.3 * (across - 1)) / across if across > 1 else 2.6
    tall, over, under = 1.05, 0.2, 0.34
    top = MARGIN + 0.2 + 0.02
    figure, paper = page(DOUBLE, top + down * (over + tall + under) + MARGIN)
    block(paper, MARGIN, MARGIN, title, TITLE, 0.13)
    _key(paper)
    floor = min(0.0, float(table["low"].min()))
    floor = ceil(floor * 10 - 0.999) / 10 - 0.03 if floor < 0 else -0.03
    for i, facet in enumerate(facets):
        left = 0.5 + (i % across) * (wide + 0.3)
        start = top + (i // across) * (over + tall + under) + over
        axes = panel(figure, left, start, wide, tall, facet)
        axes.set(xlim=(-0.5, len(rounds) - 0.5), ylim=(floor, 1.03))
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.grid(axis="y", color=RULE, linewidth=0.5)
        axes.spines["bottom"].set_visible(floor >= -0.03)
        own = table[table["facet"] == facet]
        n = own[own["reading"] == MAIN].set_index("round")["n"]
        axes.set_xticks(range(len(rounds)), [f"{r}\n{n.get(r, 0):,}" for r in rounds])
        axes.tick_params(axis="x", length=0)
        paper.text(left, start - 0.05, TITLES.get(facet, facet), size=TEXT, va="bottom",
                   weight="bold")
        if i % across == 0:
            for k, word in enumerate(("round", "n")):
                paper.text(left - 0.05, start + tall + 0.108 + k * 0.108, word, size=SMALL,
                           ha="right", va="baseline", color=SOFT)
            axes.set_ylabel("kappa", labelpad=2)
        for k, (reading, mark) in enumerate(MARKS.items()):
            for row in own[own["reading"] == reading].dropna(subset=["kappa"]).itertuples():
                x = rounds.index(row.round) - 0.13 + 0.26 * k
                axes.plot([x, x], [row.low, row.high], color=mark["color"], linewidth=1.0)
                axes.plot([x], [row.kappa], linestyle="none", marker=mark["marker"],
                          markersize=3.6, color=mark["color"], markeredgewidth=0.9,
                          markerfacecolor="white" if mark["hollow"] else mark["color"],
                          clip_on=False, gid=f"{facet}|{row.round}|{reading}")
    return figure


def _key(paper):
    """The two marks with their names, at the right of the title."""
    x, y = DOUBLE - MARGIN, MARGIN + 0.06
    for reading, mark in reversed(MARKS.items()):
        x -= text_width(reading, TEXT)
        paper.text(x, base(y), reading, size=TEXT, va="baseline", color=mark["color"])
        x -= 0.08
        paper.plot([x], [y], linestyle="none", marker=mark["marker"], markersize=4,
                   color=mark["color"], markeredgewidth=0.9,
                   markerfacecolor="white" if mark["hollow"] else mark["color"])
        x -= 0.16


def _dumbbells(both, facets, title):
    rounds = sorted(both["round"].unique(), key=lambda r: (len(r), r))
    chart = RowChart([TITLES.get(f, f) for f in facets], title, DOUBLE, header=1, axis=2,
                     label_share=0.25, pitch=0.2)
    _key(chart.paper)
    gap, tail = 0.14, 0.36
    wide = (chart.right - chart.left - (gap + tail) * len(rounds) + gap) / len(rounds)
    low = min(0.0, float(both[["as_filed", "repaired"]].min().min()))
    for k, round_ in enumerate(rounds):
        left = chart.left + k * (wide + gap + tail)
        axes = chart.panel(left, left + wide, (low, 1), f"round {round_}",
                           header=f"round {round_}", ticks=[0, 0.5, 1], names=["0", "0.5", "1"],
                           axis_title="kappa")
        for row in both[both["round"] == round_].itertuples():
            y = chart.y[facets.index(row.facet)]
            axes.plot([row.as_filed, row.repaired], [y, y], color="#8A8A8A", linewidth=1.4,
                      zorder=2)
            for reading, x in ((OTHER, row.as_filed), (MAIN, row.repaired)):
                mark = MARKS[reading]
                axes.plot([x], [y], linestyle="none", marker=mark["marker"],
                          markersize=4.6 if mark["hollow"] else 3.4, color=mark["color"],
                          markeredgewidth=0.9, zorder=3, clip_on=False,
                          markerfacecolor="white" if mark["hollow"] else mark["color"])
            text = "0" if abs(row.change) < 0.005 else f"{row.change:+.2f}".replace("-", "−")
            chart.paper.text(left + wide + tail - 0.02, base(chart.top + y, SMALL), text,
                             size=SMALL, ha="right", va="baseline",
                             color=SOFT if text == "0" else "black")
    return chart.figure


