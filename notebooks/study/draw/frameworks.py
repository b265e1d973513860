"""Picture of the frameworks side by side: stages of faults, and topics of questions."""

import pandas as pd

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart, interval
from study.draw.style import (
    BLUE,
    DOUBLE,
    ORANGE,
    SMALL,
    SOFT,
    base,
    listing,
    look,
    percent,
    plural,
    wrap,
)
from study.measure.collection import frameworks_of
from study.measure.intervals import shares, wilson

MOST = 6  # panels side by side that stay readable
REST = "other topics"


def frameworks_side_by_side(faults, questions, codebook=None, topics=7):
    """Stages of faults and topics of how-to questions, one panel a framework.

    Parameters
    ----------
    faults, questions : pandas.DataFrame
        ``data/study/faults.csv`` and ``questions.csv``; an issue of two frameworks
        counts for each.
    codebook : Codebook, optional
        Orders the stages.
    topics : int
        So many most frequent topics get a row; the others are summed up.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> s = load_study()
    >>> data = frameworks_side_by_side(s.faults, s.questions).data
    >>> sorted(data["framework"].unique())[:2]
    ['all', 'horovod']
    """
    name, title = "frameworks", "Frameworks side by side: stages of faults, topics of questions"
    faults, questions = faults[faults["n"] > 0], questions[questions["n"] > 0]
    if faults.empty and questions.empty:
        return nothing(name, title, "issues", faults)
    data = framework_rows(faults, questions, codebook, topics)
    names = list(dict.fromkeys(data.loc[data["framework"] != "all", "framework"]))
    with look(name):
        figure = _draw(data, names, title)
    parts = {kind: data[data["kind"] == kind] for kind in ("fault", "question")}
    caption = ("Share of a framework's faults by stage (blue) and of its how-to questions by topic "
               "(orange), with 95 % Wilson intervals; the grey bar is the share over all "
               "frameworks, the number beside a point the count. An issue of two frameworks "
               "counts for each." + _left_out(faults, questions, names))
    alt = f"Dot plots with intervals, one panel for each of {listing(names)}. " + " ".join(
        f"{f}: " + listing(
            f"{plural(int(own['of'].iloc[0]), word)}, most often "
            f"{own.nlargest(1, 'n')['label'].iloc[0]} ({percent(own['share'].max())})"
            for kind, word in (("fault", "fault"), ("question", "how-to question"))
            for own in [parts[kind][parts[kind]["framework"] == f]]
            if len(own) and own["of"].iloc[0]) + "." for f in names)
    return Picture(name, title, figure, data, caption, alt)


def framework_rows(faults, questions, codebook=None, topics=7):
    """Shares by framework of stages (of faults) and topics (of questions), zeros included.

    Returns
    -------
    pandas.DataFrame
        Columns kind (``fault``, ``question``), framework (``all`` first), label, n, of,
        share, low, high.
    """
    counts = pd.concat([frameworks_of(t)[["framework", "n"]] for t in (faults, questions)])
    sizes = counts.groupby("framework")["n"].sum()
    names = sorted(sizes.index, key=lambda f: (-sizes[f], f))[:MOST]
    order = codebook.names("stage") if codebook else []
    stages = sorted(faults["stage"].unique(),
                    key=lambda s: (order.index(s) if s in order else len(order), s))
    first = shares(questions, "topic")["topic"].tolist() if len(questions) else []
    if len(first) > topics + 1:
        shown = set(first[:topics])
        questions = questions.assign(topic=questions["topic"].where(
            questions["topic"].isin(shown), REST))
        first = [*first[:topics], REST]
    records = []
    for kind, table, column, labels in (("fault", faults, "stage", stages),
                                        ("question", questions, "topic", first)):
        apart = frameworks_of(table)
        for framework in ["all", *names]:
            own = table if framework == "all" else apart[apart["framework"] == framework]
            n = own.groupby(column)["n"].sum()
            records += [(kind, framework, label or "(none)", int(n.get(label, 0)), int(n.sum()))
                        for label in labels]
    data = pd.DataFrame(records, columns=["kind", "framework", "label", "n", "of"])
    interval_ = wilson(data["n"], data["of"])
    return pd.concat([data, interval_[["share", "low", "high"]]], axis=1)


def _left_out(faults, questions, names):
    known = {f for t in (faults, questions) for f in frameworks_of(t)["framework"]}
    rest = len(known - set(names))
    return f" {plural(rest, 'framework')} with fewer issues left out." if rest else ""


def _draw(data, names, title):
    rows = data[data["framework"] == "all"].reset_index(drop=True)
    kinds = rows["kind"].unique().tolist()
    words = {"fault": "stage of faults", "question": "topic of how-to questions"}
    labels, heads, at = [], [], {}
    for kind in kinds:
        heads.append(len(labels))
        labels.append(words[kind])
        for label in rows.loc[rows["kind"] == kind, "label"]:
            at[kind, label] = len(labels)
            labels.append(label)
    chart = RowChart(labels, title, DOUBLE, strong=heads, gaps=heads[1:], header=1, axis=2,
                     indent=[int(i not in heads) for i in range(len(labels))], label_share=0.28,
                     pitch=0.155)
    gap = 0.16
    wide = (chart.right - 0.14 - chart.left - gap * (len(names) - 1)) / len(names)
    upper = min(1.0, max(0.2, data.loc[data["framework"] != "all", "high"].max()))
    room = 1 + 0.22 / wide  # for the count of the longest interval
    for k, name in enumerate(names):
        left = chart.left + k * (wide + gap)
        axes = chart.share_panel(left, left + wide, name, upper=upper * room,
                                 step=0.5 if upper > 0.5 else 0.2)
        own = data[data["framework"] == name]
        chart.paper.text(left, chart.top - 0.04, wrap(name, 0.85 * wide, SMALL, 1), size=SMALL,
                         va="bottom", weight="bold")
        for kind, head in zip(kinds, heads, strict=True):
            of = int(own.loc[own["kind"] == kind, "of"].iloc[0])
            chart.paper.text(left + 0.04, base(chart.top + chart.y[head], SMALL), f"n = {of:,}",
                             size=SMALL, va="baseline", color=SOFT,
                             bbox={"facecolor": "white", "pad": 1})
        for row in own[own["of"] > 0].itertuples():
            y = chart.y[at[row.kind, row.label]]
            whole = rows.loc[(rows["kind"] == row.kind) & (rows["label"] == row.label), "share"]
            axes.barh(y, whole.iloc[0], height=0.1, color="#E0E0E0", zorder=1)
            interval(axes, row.share, row.low, row.high, y,
                     BLUE if row.kind == "fault" else ORANGE)
            inch = upper * room / wide
            axes.text(max(row.high, row.share + 0.03 * inch) + 0.04 * inch, base(y, SMALL),
                      f"{row.n:,}", size=SMALL, va="baseline", zorder=4)
        if k == 0:
            chart.paper.text(chart.right, chart.bottom + 0.31, "share of the framework's faults, "
                             "or how-to questions", size=SMALL, ha="right", va="bottom",
                             color=SOFT)
    return chart.figure
