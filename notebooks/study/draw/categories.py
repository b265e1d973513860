"""Picture of how many categories of symptoms there are, by the way of counting them."""

from itertools import pairwise

from matplotlib.ticker import MaxNLocator

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart
from study.draw.style import (
    BLUE,
    DOUBLE,
    ORANGE,
    SMALL,
    base,
    listing,
    look,
    plural,
    spread,
    text_width,
)
from study.measure.symptoms import categories

UNITS = {"leaf": "names, without others and combinations", "name": "names",
         "path": "names in their stage and group"}


def symptom_categories(faults, as_filed, published=None):
    """How many categories of symptoms there are, under every way of counting them.

    Parameters
    ----------
    faults, as_filed : pandas.DataFrame
        ``data/study/faults.csv`` and ``faults_as_filed.csv``.
    published : int, optional
        The number the study states; drawn as a line.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> s = load_study()
    >>> picture = symptom_categories(s.faults, s.faults_as_filed, 30)
    >>> bool((picture.data["categories"] == picture.data["published"]).any())
    True
    """
    name, title = "symptom_categories", "Number of symptom categories by way of counting"
    if faults["n"].sum() == 0 or as_filed["n"].sum() == 0:
        return nothing(name, title, "faults", faults)
    data = categories(faults[faults["n"] > 0], as_filed[as_filed["n"] > 0])
    if published is not None:
        data["published"] = published
    ways = _ways(data)
    with look(name):
        figure = _draw(ways, title, published)
    low, high, rare = (int(v) for v in (data["categories"].min(), data["categories"].max(),
                                        data["rare"].max()))
    caption = (f"Number of symptom categories, {low} to {high}, by the way of counting: labels as "
               "filed or repaired; names, or names in their stage and group; rare ones (in their "
               f"stage and group, of at most 0 to {rare} faults: the numbers in the boxes) left "
               "out.")
    alt = (f"Dot chart of {plural(len(ways), 'way')} of counting, each for rare thresholds 0 to "
           f"{rare}; the numbers of categories lie between {low} and {high}. " + " ".join(
               f"Labels {labels}, {words}: {listing([int(n) for n in own['categories']])}."
               for labels, words, own in ways))
    if published is not None:
        hits = [f"labels {labels}, {words}, at {listing(own['rare'][equal], 'or')}"
                for labels, words, own in ways
                for equal in [own["categories"] == published] if equal.any()]
        caption += f" The line is the published number, {published}."
        alt += (f" The published number, {published}, is met by "
                f"{'; '.join(hits) or 'none of them'}.")
    return Picture(name, title, figure, data, caption, alt)


def _ways(data):
    """Each way of counting, in words, with its numbers by rare threshold."""
    return [(labels, words, data[(data["labels"] == labels) & (data["unit"] == unit)])
            for labels in data["labels"].unique() for unit, words in UNITS.items()]


def _draw(ways, title, published):
    values = [n for *_, own in ways for n in own["categories"]]
    values += [published] * (published is not None)
    rows, heads = [], []
    for labels, words, own in ways:
        if not heads or rows[heads[-1]][0] != f"labels {labels}":
            heads.append(len(rows))
            rows.append((f"labels {labels}", None))
        rows.append((words, own))
    limits = (min(values) - 1, max(values) + 1)
    deep = [int(own is not None) for _, own in rows]
    options = {"gaps": heads[1:], "strong": heads, "indent": deep, "header": 1,
               "note": "In the boxes: rare is, in its stage and group, a symptom of so many faults "
                       "or fewer (0: all are counted)."}
    chart = RowChart([words for words, _ in rows], title, DOUBLE, pitch=0.2, **options)
    right = chart.right - 0.08
    inch = (right - chart.left) / (limits[1] - limits[0])
    crowded = any(_crowded(own, inch) for *_, own in ways)
    if crowded:
        chart = RowChart([words for words, _ in rows], title, DOUBLE, pitch=0.34, **options)
    ticks = [int(t) for t in MaxNLocator(10, integer=True).tick_values(*limits)
             if limits[0] <= t <= limits[1]]
    axes = chart.panel(chart.left, right, limits, "categories", ticks=ticks,
                       axis_title="number of categories")
    if published is not None:
        axes.axvline(published, color=ORANGE, linewidth=1.2, zorder=1)
        chart.header(chart.left + inch * (published - limits[0]), f"published: {published}",
                     "center")
    for (_, own), y in zip(rows, chart.y, strict=True):
        if own is not None:
            _boxes(axes, own, y, published, inch, crowded)
    return chart.figure


def _marks(own):
    """Number of categories → the rare thresholds that give it, as text."""
    marks = {}
    for n, same in own.groupby("categories"):
        first, last = same["rare"].min(), same["rare"].max()
        marks[int(n)] = f"{first}" if first == last else f"{first}–{last}"
    return marks


def _wide(marks):
    return max(text_width(text, SMALL) for text in marks.values()) + 0.1


def _crowded(own, inch):
    marks = _marks(own)
    return any((b - a) * inch < (text_width(marks[a], SMALL) + text_width(marks[b], SMALL)) / 2
               + 0.06 for a, b in pairwise(marks))


def _boxes(axes, own, y, published, inch, crowded):
    """One row: a box at each number; where they would overlap, above it with a line to it."""
    marks = _marks(own)
    low, high = axes.get_xlim()
    wide = _wide(marks) / inch
    places = (spread(list(marks), wide, low + wide / 2, high - wide / 2) if crowded
              else list(marks))
    on, above = (y + 0.08, y - 0.05) if crowded else (y, y)
    axes.plot([min(marks), max(marks)], [on, on], color=BLUE, linewidth=0.7, zorder=2)
    for (n, text), place in zip(marks.items(), places, strict=True):
        met = n == published
        if crowded:
            axes.plot([n, place], [on, above], color=BLUE, linewidth=0.5, zorder=2)
            axes.plot([n], [on], linestyle="none", marker="o", markersize=2.6, color=BLUE)
        axes.text(place, base(above, SMALL), text, size=SMALL, ha="center", va="baseline",
                  color="white" if met else BLUE, zorder=4,
                  bbox={"boxstyle": "round,pad=0.22,rounding_size=0.6", "linewidth": 0.8,
                        "facecolor": BLUE if met else "white", "edgecolor": BLUE})
