"""Picture of the labels that two raters took for each other."""

import pandas as pd

from study.base.words import JOIN
from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart
from study.draw.style import BLUE, DOUBLE, SKY, SMALL, base, listing, look, percent, plural
from study.measure.kappa import without
from study.read.codebook import TITLES
from study.tabulate.rounds import primary_scope

MOST = 12  # rows; a longer list is a table
AGAINST = " / "


def disagreements(agreement, facet="fix_pattern", reading="repaired"):
    """Which two labels the raters gave to one issue, all rounds together, as a list.

    Parameters
    ----------
    agreement : pandas.DataFrame
        ``data/study/agreement.csv``.
    facet, reading : str

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> disagreements(load_study().agreement).name
    'disagreement_fix_pattern'
    """
    own = agreement[(agreement["facet"] == facet) & (agreement["reading"] == reading)
                    & (agreement["scope"] == primary_scope(facet))]
    pairs, _ = without(own)
    return _picture(pairs.groupby(["label_1", "label_2"])["n"].sum().reset_index(),
                    f"disagreement_{facet}",
                    f"Labels the raters took for each other: {TITLES.get(facet, facet)}",
                    ("rater 1", "rater 2"), f", all rounds, {reading} reading")


def confusions(group, name="confusions"):
    """Which two labels the raters of an agreement report gave to one item, as a list.

    Parameters
    ----------
    group : dict
        Of two raters; see :func:`study.measure.agreement_report.report`.
    name : str

    Returns
    -------
    Picture

    Examples
    --------
    >>> group = {"round": "", "facet": "stage", "raters": ["Ann", "Ben"], "confusions": [
    ...     {"category_1": "a", "category_2": "b", "n_12": 2, "n_21": 0}],
    ...     "categories": [{"category": "a", "n_both": 5}, {"category": "b", "n_both": 1}]}
    >>> confusions(group).caption[:60]
    'Two different labels for one item, by Ann and Ben: 2 of 8 pa'
    """
    cells = [(c["category"], c["category"], c["n_both"]) for c in group["categories"]]
    for c in group["confusions"]:
        cells += [(c["category_1"], c["category_2"], c["n_12"]),
                  (c["category_2"], c["category_1"], c["n_21"])]
    about = ", ".join(filter(None, [f"round {group['round']}" if group["round"] else "",
                                    group["facet"]]))
    frame = pd.DataFrame(cells, columns=["label_1", "label_2", "n"])
    return _picture(frame[frame["n"] > 0], name, "Labels the raters took for each other"
                    + (f": {about}" if about else ""), group["raters"], "")


def _picture(cells, name, title, raters, scope):
    differ = cells[cells["label_1"] != cells["label_2"]]
    data = cells.rename(columns={"label_1": "rater_1", "label_2": "rater_2"})
    if differ.empty:
        return nothing(name, title, "disagreements", data)
    rows = _unordered(differ)
    with look(name):
        figure = _bars(rows, title)
    total, apart = int(cells["n"].sum()), int(differ["n"].sum())
    caption = (f"Two different labels for one item, by {raters[0]} and {raters[1]}{scope}: {apart} "
               f"of {total} pairs differ ({percent(apart / total)}). Dark: {raters[0]} gave the "
               "first of the two labels.")
    alt = (f"Bar chart of {plural(len(rows), 'pair')} of labels. {apart} of {total} pairs differ, "
           "most often " + listing(f"{r.first}{AGAINST}{r.second} ({r.n})"
                                   for r in rows.head(3).itertuples()) + ".")
    return Picture(name, title, figure, data, caption, alt)


def _unordered(differ):
    """Two labels a row, whoever gave which; the first is the one that rater 1 gave more often."""
    found = {}
    for r in differ.itertuples():
        key = tuple(sorted((r.label_1, r.label_2)))
        found.setdefault(key, [0, 0])[r.label_1 != key[0]] += r.n
    rows = [(*(key if one >= two else key[::-1]), max(one, two), one + two)
            for key, (one, two) in found.items()]
    return pd.DataFrame(rows, columns=["first", "second", "forth", "n"]).sort_values(
        ["n", "first", "second"], ascending=[False, True, True], ignore_index=True)


def _bars(rows, title):
    shown = rows if len(rows) <= MOST else rows.head(MOST - 1)
    labels = [f"{r.first}{AGAINST}{r.second}".replace(JOIN, " & ") for r in shown.itertuples()]
    values = [(r.forth, r.n) for r in shown.itertuples()]
    if rest := len(rows) - len(shown):
        labels.append(f"({plural(rest, 'other pair')} of labels)")
        values.append((0, int(rows["n"].iloc[len(shown):].sum())))
    chart = RowChart(labels, title, DOUBLE, axis=0, label_share=0.68)
    top = max(n for _, n in values)
    axes = chart.panel(chart.left, chart.right - 0.25, (0, top), "pairs")
    for (forth, n), y, label in zip(values, chart.y, labels, strict=True):
        axes.barh(y, forth, 0.095, color=BLUE)
        axes.barh(y, n - forth, 0.095, left=forth, color=SKY if forth else "#8A8A8A")
        axes.text(n + 0.05 * top / (chart.right - chart.left), base(y, SMALL), f"{n:,}",
                  size=SMALL, va="baseline", gid=label)
    return chart.figure
