"""Picture of the labels that two raters took for each other."""

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
    PALE,
    SMALL,
    SOFT,
    base,
    listing,
    look,
    on,
    percent,
    plural,
    text_width,
    wrap,
)
from study.measure.kappa import primary_scope, without
from study.read.codebook import TITLES


def disagreement_matrix(agreement, facet="symptom", reading="repaired"):
    """Which labels of one rater met which of the other, all rounds together.

    Categories on which nobody ever differed are summed up in the caption; agreement is
    on the diagonal, in grey.

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
    >>> disagreement_matrix(load_study().agreement).name
    'disagreement_symptom'
    """
    own = agreement[(agreement["facet"] == facet) & (agreement["reading"] == reading)
                    & (agreement["scope"] == primary_scope(facet))]
    pairs, _ = without(own)
    return _picture(pairs.groupby(["label_1", "label_2"])["n"].sum().reset_index(),
                    f"disagreement_{facet}",
                    f"Labels the raters took for each other: {TITLES.get(facet, facet)}",
                    ("rater 1", "rater 2"), f", all rounds, {reading} reading")


def confusion_matrix(group, name="confusions"):
    """Which labels of one rater met which of the other, in an agreement report.

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
    >>> confusion_matrix(group).caption[:57]
    'Labels of Ann (rows) against those of Ben (columns): 2 of'
    """
    cells = [(c["category"], c["category"], c["n_both"]) for c in group["categories"]]
    for c in group["confusions"]:
        cells += [(c["category_1"], c["category_2"], c["n_12"]),
                  (c["category_2"], c["category_1"], c["n_21"])]
    about = ", ".join(filter(None, [f"round {group['round']}" if group["round"] else "",
                                    group["facet"]]))
    frame = pd.DataFrame(cells, columns=["label_1", "label_2", "n"])
    first, second = group["raters"]
    return _picture(frame[frame["n"] > 0], name, f"Labels of {first} (rows) and {second} (columns)"
                    + (f": {about}" if about else ""), group["raters"], "")


def _picture(cells, name, title, raters, scope):
    differ = cells[cells["label_1"] != cells["label_2"]]
    if differ.empty:
        return nothing(name, title, "disagreements", cells)
    used = pd.concat([cells[["label_1", "n"]].set_axis(["label", "n"], axis=1),
                      cells[["label_2", "n"]].set_axis(["label", "n"], axis=1)])
    often = used.groupby("label")["n"].sum()
    involved = {*differ["label_1"], *differ["label_2"]}
    labels = sorted(involved, key=lambda c: (-often[c], c))
    square = cells.pivot_table(index="label_1", columns="label_2", values="n", aggfunc="sum",
                               fill_value=0).reindex(index=labels, columns=labels, fill_value=0)
    with look(name):
        figure = _matrix(square, title, raters)
    total, apart = int(cells["n"].sum()), int(differ["n"].sum())
    quiet = cells[(cells["label_1"] == cells["label_2"]) & ~cells["label_1"].isin(involved)]
    caption = (f"Labels of {raters[0]} (rows) against those of {raters[1]} (columns){scope}: "
               f"{apart} of {total} pairs differ ({percent(apart / total)}). "
               f"Grey cells agree. {plural(len(quiet), 'category', 'categories')} with "
               f"{int(quiet['n'].sum())} pairs on which nobody differed are left out.")
    worst = differ.sort_values(["n", "label_1", "label_2"], ascending=[False, True, True]).head(3)
    alt = (f"Matrix of {plural(len(labels), 'category', 'categories')}. {apart} of {total} pairs "
           "differ, most often "
           + listing(f"{r.label_1} against {r.label_2} ({r.n})" for r in worst.itertuples()) + ".")
    return Picture(name, title, figure, cells.rename(columns={"label_1": "rater_1",
                                                              "label_2": "rater_2"}),
                   caption, alt)


def _matrix(square, title, raters):
    names = [wrap(c, 2.2, SMALL, 1) for c in square.columns]
    reach = [text_width(n, SMALL) * 0.7072 + 0.06 for n in names]
    chart = RowChart(list(square.index), title, DOUBLE, header=ceil(max(reach) / LINE), axis=0,
                     label_share=0.4, pitch=0.16)
    side = min(0.32, *((chart.right - chart.left - r) / (j + 0.6) for j, r in enumerate(reach)))
    axes = chart.panel(chart.left, chart.left + side * len(square), (0, len(square)), "matrix")
    apart = square.to_numpy().copy()
    apart[range(len(square)), range(len(square))] = 0
    norm = PowerNorm(0.5, vmin=0, vmax=max(int(apart.max()), 1))
    for i, (y, tall) in enumerate(zip(chart.y, chart.heights, strict=True)):
        for j in range(len(square)):
            n = int(square.iat[i, j])
            color = PALE if i == j else COUNT(norm(n)) if n else "#FAFAFA"
            axes.add_patch(Rectangle((j, y - tall / 2), 1, tall, facecolor=color,
                                     edgecolor="white", linewidth=0.6))
            if n:
                axes.text(j + 0.5, base(y, SMALL), f"{n}", size=SMALL, ha="center",
                          va="baseline", color=SOFT if i == j else on(color))
    axes.spines["bottom"].set_visible(False)
    for j, text in enumerate(names):
        chart.paper.text(chart.left + side * (j + 0.5) - 0.02, chart.top - 0.04, text, size=SMALL,
                         rotation=45, ha="left", va="bottom", rotation_mode="anchor")
    said = f"{raters[0]} ↓   {raters[1]} →"
    if text_width(said, SMALL) < chart.left - 0.06:  # beside short labels the title says it
        chart.header(chart.left - 0.06, said, "right")
    return chart.figure
