"""Pictures of the raters' agreement: kappa by round and facet, and what repairing changes."""

from math import ceil

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart
from study.draw.style import (
    BLUE,
    DOUBLE,
    MARGIN,
    RULE,
    SINGLE,
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

DECIDED, STRICT = "both decided", "undecided disagrees"
MARKS = {DECIDED: {"color": BLUE, "hollow": False, "marker": "o"},
         STRICT: {"color": "#B07600", "hollow": True, "marker": "s"}}
ACROSS = 3
LEAST = 0.005  # a change of kappa that two decimals do not show


def kappa_by_round(table):
    """Cohen's kappa by round, one panel a facet, without undecided pairs and with them.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``kappa.both_ways`` returns it: round, facet, pairs, n, dropped, kappa, low, high,
        reason.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.measure.kappa import both_ways
    >>> from study.tabulate.tables import load_study
    >>> kappa_by_round(both_ways(load_study().agreement)).name
    'kappa_by_round'
    """
    name, title = "kappa_by_round", "Cohen's kappa of the two raters, by round and facet"
    table = table.reset_index(drop=True)
    if table["kappa"].notna().sum() == 0:
        return nothing(name, title, "pairs of labels of which kappa is defined", table)
    with look(name):
        figure = _panels(table, title)
    caption = ("Cohen's kappa of the two raters in each round of labelling, by facet, with 95 % "
               "intervals, labels repaired: of pairs that both decided (filled), and with "
               "undecided or missing labels as disagreements (hollow). Pairs of one issue type, "
               "for groups and sub-topics of one stage or topic; for the issue type all pairs. "
               "n: pairs that both decided; open: the others." + _undefined(table))
    alt = ("Dot plots with intervals, one panel a facet. Both decided, by round: " + " ".join(
        f"{TITLES.get(f, f)} " + listing(_number(r.kappa) for r in own.itertuples()) + "."
        for f, own in table[table["pairs"] == DECIDED].groupby("facet", sort=False)))
    return Picture(name, title, figure, table, caption, alt)


def kappa_repaired(table):
    """What repairing slips in the sheets changes: kappa as filed and repaired, where they differ.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``kappa.kappa_table`` returns it.

    Returns
    -------
    Picture
    """
    name, title = "kappa_repaired", "Kappas that repairing the sheets changes"
    both = table.pivot_table(index=["facet", "round"], columns="reading", values="kappa",
                             sort=False).reindex(columns=["as filed", "repaired"]).dropna()
    both = both.reset_index().set_axis(["facet", "round", "as_filed", "repaired"], axis=1)
    both["change"] = both["repaired"] - both["as_filed"]
    moved = both[both["change"].abs() >= LEAST].sort_values(
        ["change", "facet", "round"], ascending=[False, True, True], ignore_index=True)
    if moved.empty:
        return nothing(name, title, "kappas that differ between the two readings", both)
    with look(name):
        figure = _dumbbells(moved, title)
    rest = f"In the other {len(both) - len(moved)} of {plural(len(both), 'case')} it stays."
    caption = ("Cohen's kappa from the labels as filed (hollow) and repaired (filled), facets and "
               "rounds in which it changes by 0.005 or more, largest change first; pairs as in "
               f"the figure by round. {rest}")
    alt = (f"Dumbbell chart of {plural(len(moved), 'pair')} of kappas. Largest changes: "
           + listing(f"{TITLES.get(r.facet, r.facet)} in round {r.round} ({_number(r.as_filed)} to "
                     f"{_number(r.repaired)})" for r in moved.head(3).itertuples()) + f". {rest}")
    return Picture(name, title, figure, both, caption, alt)


def _number(kappa):
    return "none" if kappa != kappa else f"{kappa:.2f}".replace("-", "−")


def _undefined(table):
    none = table[table["kappa"].isna()]
    bare = table[table["kappa"].notna() & table["low"].isna()]
    text = "" if bare.empty else " A mark without a line has no interval: " + listing(
        dict.fromkeys(r.removeprefix("no interval: ") for r in bare["reason"]), "or") + "."
    return text + ("" if none.empty else " No kappa: " + "; ".join(
        f"{TITLES.get(r.facet, r.facet)}, round {r.round}, {r.pairs} ({r.reason})"
        for r in none.itertuples()) + ".")


def _panels(table, title):
    facets = list(dict.fromkeys(table["facet"]))
    rounds = sorted(table["round"].unique(), key=lambda r: (len(r), r))
    across = min(ACROSS, len(facets))
    down = ceil(len(facets) / across)
    wide = (DOUBLE - 0.5 - MARGIN - 0.3 * (across - 1)) / across if across > 1 else 2.6
    tall, over, under = 1.05, 0.2, 0.45
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
        main = own[own["pairs"] == DECIDED].set_index("round")
        axes.set_xticks(range(len(rounds)), ["\n".join([r, *(f"{main[c].get(r, 0):,}" for c in (
            "n", "dropped"))]) for r in rounds])
        axes.tick_params(axis="x", length=0)
        paper.text(left, start - 0.05, TITLES.get(facet, facet), size=TEXT, va="bottom",
                   weight="bold")
        if i % across == 0:
            for k, word in enumerate(("round", "n", "open")):
                paper.text(left - 0.05, start + tall + 0.108 + k * 0.108, word, size=SMALL,
                           ha="right", va="baseline", color=SOFT)
            axes.set_ylabel("kappa", labelpad=2)
        for k, (pairs, mark) in enumerate(MARKS.items()):
            for row in own[own["pairs"] == pairs].dropna(subset=["kappa"]).itertuples():
                x = rounds.index(row.round) - 0.13 + 0.26 * k
                axes.plot([x, x], [row.low, row.high], color=mark["color"], linewidth=1.0)
                axes.plot([x], [row.kappa], linestyle="none", marker=mark["marker"],
                          markersize=3.6, color=mark["color"], markeredgewidth=0.9,
                          markerfacecolor="white" if mark["hollow"] else mark["color"],
                          clip_on=False, gid=f"{facet}|{row.round}|{pairs}")
    return figure


def _key(paper):
    """The two marks with their names, at the right of the title."""
    x, y = DOUBLE - MARGIN, MARGIN + 0.06
    for name, mark in reversed(MARKS.items()):
        x -= text_width(name, TEXT)
        paper.text(x, base(y), name, size=TEXT, va="baseline", color=mark["color"])
        x -= 0.08
        paper.plot([x], [y], linestyle="none", marker=mark["marker"], markersize=4,
                   color=mark["color"], markeredgewidth=0.9,
                   markerfacecolor="white" if mark["hollow"] else mark["color"])
        x -= 0.16


def _dumbbells(moved, title):
    chart = RowChart([f"{TITLES.get(r.facet, r.facet)}, round {r.round}"
                      for r in moved.itertuples()], title, SINGLE, header=1, axis=2,
                     label_share=0.45)
    low = min(0.0, float(moved[["as_filed", "repaired"]].min().min()))
    axes = chart.panel(chart.left, chart.right - 0.4, (low, 1), "kappa", ticks=[0, 0.5, 1],
                       names=["0", "0.5", "1"], axis_title="kappa")
    for row, y in zip(moved.itertuples(), chart.y, strict=True):
        axes.plot([row.as_filed, row.repaired], [y, y], color="#8A8A8A", linewidth=1.4, zorder=2)
        for x, filled in ((row.as_filed, False), (row.repaired, True)):
            axes.plot([x], [y], linestyle="none", marker="o", markersize=3.8, color=BLUE,
                      markeredgewidth=0.9, zorder=3, clip_on=False,
                      markerfacecolor=BLUE if filled else "white")
    chart.header(chart.left, "○ as filed   ● repaired")
    chart.column(chart.right, [f"{c:+.2f}".replace("-", "−") for c in moved["change"]], "change")
    return chart.figure
