"""Forest plot: the headline claims by platform and framework, without each, and weighted."""

from study.base.words import proper
from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart, interval, near_half
from study.draw.style import (
    BLUE,
    DOUBLE,
    INK,
    ORANGE,
    SMALL,
    listing,
    look,
    percent,
    text_width,
    wrap,
)
from study.measure.intervals import MARGINS

PANELS = {"system-level": "system-level\nconfiguration", "shared-symptoms": "shared\nsymptoms",
          "frequent-fixes": "frequent\nfix patterns"}
KINDS = {"all": "", "platform": "one platform", "framework": "one framework",
         "without": "without one framework", "weighted": "all, weighted"}


def headline_by_framework(table):
    """The headline claims in every sample, one panel a claim.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``composition.composition`` returns it.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.measure.composition import composition
    >>> from study.tabulate.tables import load_study
    >>> headline_by_framework(composition(load_study())).data["quantity"].nunique()
    4
    """
    name, title = "headline_by_framework", "The headline claims by platform and framework"
    asked = next((q for q in table["quantity"] if q.startswith("topic: ")), None)
    panels = PANELS | ({asked: f"questions on\n{asked.removeprefix('topic: ')}"} if asked else {})
    data = table[table["quantity"].isin(panels) & table["share"].notna()].reset_index(drop=True)
    if data.empty:
        return nothing(name, title, "issues", data)
    with look(name):
        figure = _forest(data, {q: t for q, t in panels.items() if q in set(data["quantity"])},
                         title)
    caption = ("Share of faults mended by system-level configuration (middle reading), of other "
               "faults that carry a symptom of distributed-specific ones, of symptoms (by path, "
               "five faults or more) of which three fix patterns mend half, and of how-to "
               "questions on the topic asked most; in all issues, in parts of them, and weighted. "
               "95 % intervals (Wilson; linearised where weighted). Vertical line: all issues; "
               "dashed: one half; shaded: within "
               f"{listing(f'{100 * m:.0f}' for m in MARGINS)} points of it.")
    own = data[(data["quantity"] == "system-level")]
    alt = (f"Forest plot, {len(panels)} panels. Share of system-level configuration: "
           + listing(f"{r.sample} {percent(r.share)}" for r in own.itertuples()) + "."
           if len(own) else f"Forest plot, {len(panels)} panels of shares.")
    return Picture(name, title, figure, data, caption, alt)


def _forest(data, panels, title):
    rows = data.drop_duplicates("sample")
    kinds = [k for k in KINDS if k in set(rows["kind"])]
    labels, deep, heads, at = [], [], [], {}
    for kind in kinds:
        if KINDS[kind]:
            heads.append(len(labels))
            labels.append(KINDS[kind])
            deep.append(0)
        for sample in rows.loc[rows["kind"] == kind, "sample"]:
            at[sample] = len(labels)
            labels.append("all issues" if kind == "all"
                          else proper(sample.removeprefix("without ").removeprefix("weighted ")))
            deep.append(int(kind != "all"))
    chart = RowChart(labels, title, DOUBLE, indent=deep, gaps=heads, strong=[*heads, at["all"]],
                     header=2, axis=2, label_share=0.26)
    each = (chart.right - chart.left) / len(panels)
    room = text_width("100%", SMALL) + 0.14
    for i, (quantity, words) in enumerate(panels.items()):
        own = data[data["quantity"] == quantity]
        left = chart.left + i * each + (0.06 if i else 0)
        right = chart.left + (i + 1) * each - room
        upper = 1.0 if own["high"].max() > 0.6 else 0.5
        axes = chart.share_panel(left, right, quantity, upper=upper,
                                 header=wrap(words.replace("\n", " "), right - left, SMALL),
                                 axis_title="share", step=upper / 2)
        if upper == 1.0:
            near_half(axes, MARGINS if quantity == "system-level" else ())
        axes.axvline(own.loc[own["kind"] == "all", "share"].iloc[0], color=ORANGE,
                     linewidth=1.0, zorder=1)
        column = [""] * len(labels)
        for r in own.itertuples():
            interval(axes, r.share, r.low, r.high, chart.y[at[r.sample]],
                     INK if r.kind == "all" else BLUE, hollow=r.kind == "weighted")
            column[at[r.sample]] = percent(r.share)
        chart.column(right + room - 0.04, column)
    return chart.figure
