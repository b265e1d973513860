"""Pictures of the collection: from candidates to issues, and the how-to topics."""

import pandas as pd

from study.base.words import JOIN
from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart
from study.draw.style import (
    BLUE,
    DOUBLE,
    INK,
    ORANGE,
    RULE,
    SINGLE,
    SKY,
    SMALL,
    SOFT,
    base,
    listing,
    look,
    percent,
    plural,
    text_width,
)
from study.measure.collection import STEPS, funnel, topics
from study.measure.intervals import shares, wilson

NAMES = {"candidates": "candidates", "threads": "threads", "issues": "issues",
         "faults": "faults", "questions": "how-to questions"}
COLOURS = dict(zip(STEPS, ("#A6A6A6", SKY, "#4D4D4D", BLUE, ORANGE), strict=True))


def collection_funnel(collection):
    """From candidate threads to labelled issues, by platform and framework.

    Parameters
    ----------
    collection : pandas.DataFrame
        ``data/study/collection.csv``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> int(collection_funnel(load_study().collection).data["issues"].iloc[-1])
    1131
    """
    name, title = "collection_funnel", "From candidate threads to labelled issues"
    collection = collection[collection[STEPS].sum(axis=1) > 0]
    if collection.empty:
        return nothing(name, title, "candidates or issues", collection)
    data, labels, deep = _funnel_rows(collection)
    total = data.iloc[-1]
    mixed = [p for p, own in collection.groupby("platform")
             if own["frameworks"].str.contains(JOIN).any()]
    note = (f"On {listing(mixed)}, candidates are counted by tag (several frameworks: tagged with "
            "each); threads and issues by the framework the authors named. So a row can hold more "
            "threads than candidates." if mixed else "")
    with look(name):
        heads = [i for i, d in enumerate(deep) if not d]
        chart = RowChart(labels, title, DOUBLE, indent=deep, gaps=heads[1:], strong=heads,
                         header=2, axis=0, note=note, label_share=0.25)
        _funnel_panels(chart, data, deep)
    facts = (f"{plural(total['candidates'], 'candidate')} led to "
             f"{plural(total['threads'], 'thread')} with {plural(total['issues'], 'issue')}: "
             f"{plural(total['faults'], 'fault')} and "
             f"{plural(total['questions'], 'how-to question')}")
    caption = (f"Candidate threads, labelled threads and the issues in them, by platform and "
               f"framework: {facts}. All bars have one scale. {note}").strip()
    platforms = data[(data["frameworks"] == "all") & (data["platform"] != "all")]
    alt = (f"Table with bars. {facts}. " + " ".join(
        f"{p.platform}: {plural(p.candidates, 'candidate')}, {plural(p.threads, 'thread')}, "
        f"{plural(p.issues, 'issue')}, of them {plural(p.faults, 'fault')} and "
        f"{plural(p.questions, 'how-to question')}; most issues are on {_top(data, p.platform)}."
        for p in platforms.itertuples()))
    return Picture(name, title, chart.figure, data, caption, alt)


def _funnel_rows(collection):
    """Rows of the picture: each platform, then its frameworks, then all."""
    parts, labels, deep = [], [], []
    whole = funnel(collection, ["platform", "frameworks"])
    for platform, own in whole[whole["platform"] != "all"].groupby("platform"):
        own = own.assign(many=own["frameworks"].str.contains(JOIN))
        own = own.sort_values(["many", "issues", "candidates", "frameworks"],
                              ascending=[True, False, False, True]).drop(columns="many")
        head = pd.DataFrame([{"platform": platform, "frameworks": "all", **own[STEPS].sum()}])
        head["kept"] = (head["threads"] / head["candidates"]).where(head["candidates"] > 0)
        parts += [head, own]
        labels += [platform, *(f.replace(JOIN, " + ") or "(none named)"
                               for f in own["frameworks"])]
        deep += [0, *[1] * len(own)]
    parts.append(whole[whole["platform"] == "all"])
    return pd.concat(parts, ignore_index=True), [*labels, "all"], [*deep, 0]


def _funnel_panels(chart, data, deep):
    """One panel a step; the inch is worth the same number everywhere."""
    rows = data[[bool(d) for d in deep]]
    tops = {step: int(rows[step].max()) for step in STEPS}
    tail, gap = 0.32, 0.12
    inch = (chart.right - chart.left - 5 * tail - 4 * gap) / max(sum(tops.values()), 1)
    spare = 0.0
    left = chart.left
    for step in STEPS:
        # A header needs its room even over bars that are short.
        header = NAMES[step].replace(" ", "\n")
        wide = max(tops[step] * inch, text_width(max(header.split("\n"), key=len), SMALL) - tail)
        spare += wide - tops[step] * inch
    inch -= spare / max(sum(tops.values()), 1)
    for step in STEPS:
        header = NAMES[step].replace(" ", "\n")
        wide = max(tops[step] * inch, text_width(max(header.split("\n"), key=len), SMALL) - tail)
        axes = chart.panel(left, left + wide, (0, max(wide / inch, 1)), step, header=header)
        axes.axvline(0, color=RULE, linewidth=0.8)
        for y, n, below in zip(chart.y, data[step], deep, strict=True):
            if below:
                axes.barh(y, n, height=0.09, color=COLOURS[step])
            chart.paper.text(left + (n * inch + 0.03 if below else 0.03),
                             base(chart.top + y, SMALL), f"{n:,}", size=SMALL, va="baseline",
                             weight="normal" if below else "bold", color=INK if n else SOFT)
        left += wide + tail + gap


def _top(data, platform):
    own = data[(data["platform"] == platform) & (data["frameworks"] != "all")]
    best = own.sort_values(["issues", "frameworks"], ascending=[False, True]).iloc[0]
    return f"{best['frameworks'].replace(JOIN, ' + ')} ({best['issues']:,})"


def how_to_topics(questions):
    """How-to topics with intervals, and the sub-topics each is made of.

    Parameters
    ----------
    questions : pandas.DataFrame
        ``data/study/questions.csv``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> int(how_to_topics(load_study().questions).data["of"].iloc[0])
    494
    """
    name, title = "how_to_topics", "Topics and sub-topics of how-to questions"
    questions = questions[questions["n"] > 0]
    if questions.empty:
        return nothing(name, title, "how-to questions", questions)
    data = topic_rows(questions)
    of = int(data["of"].iloc[0])
    heads = data.index[data["subtopic"] == ""].tolist()
    upper = min(1.0, data["high"].max() * 1.01)
    with look(name):
        labels = [r.subtopic or r.topic or "(none)" for r in data.itertuples()]
        chart = RowChart(labels, title, SINGLE, indent=[int(bool(s)) for s in data["subtopic"]],
                         gaps=[i for i in heads[1:] if {i - 1, i + 1} - {*heads, len(data)}],
                         header=1, axis=2, label_share=0.42, pitch=0.135)
        right = chart.right - 0.58
        axes = chart.share_panel(chart.left, right, "topics", upper=upper, step=0.1,
                                 axis_title=f"share of how-to questions (n = {of:,})")
        for row, y in zip(data.itertuples(), chart.y, strict=True):
            if row.subtopic:
                axes.barh(y, row.share, height=0.07, color="#F3CF85")
            else:
                axes.barh(y, row.share, height=0.1, color=ORANGE)
                axes.plot([row.low, row.high], [y, y], color=INK, linewidth=0.9)
        chart.column(chart.right, [percent(s) for s in data["share"]], "share")
        chart.column(chart.right - 0.31, [f"{n:,}" for n in data["n"]], "n")
    first = data.loc[heads].head(3)
    facts = listing(f"{r.topic or '(none)'} {r.n:,} ({percent(r.share)}, interval {percent(r.low)} "
                    f"to {percent(r.high)})" for r in first.itertuples())
    caption = (f"{plural(of, 'how-to question')} by topic, with 95 % Wilson intervals. The pale "
               f"bars under a topic are its sub-topics; those of fewer than {FEW} questions share "
               "a bar.")
    alt = (f"Bar chart of {plural(len(heads), 'topic')}. Most frequent: {facts}. "
           + " ".join(f"{r.topic} consists of " + listing(
               f"{s.subtopic} {s.n:,}" for s in data[(data["topic"] == r.topic)
                                                     & (data["subtopic"] != "")].itertuples()) + "."
               for r in first.itertuples()
               if ((data["topic"] == r.topic) & (data["subtopic"] != "")).any()))
    return Picture(name, title, chart.figure, data, caption, alt.strip())


FEW = 3


def _folded(own):
    """Sub-topics of few questions summed up, where there are two or more of them."""
    few = own["n"] < FEW
    if few.sum() < 2:
        return own
    sums = wilson([own.loc[few, "n"].sum()], [own["of"].iloc[0]])
    return pd.concat([own[~few], sums.assign(subtopic=f"({few.sum()} rarer ones)",
                                             topic=own["topic"].iloc[0])])


def topic_rows(questions):
    """Topics, each followed by its sub-topics where it has any; shares are of all questions.

    Returns
    -------
    pandas.DataFrame
        Columns topic, subtopic (blank for the topic itself; those of few questions summed up),
        n, of, share, low, high.
    """
    detail = shares(questions.replace({"subtopic": {"": "(none)"}}), ["topic", "subtopic"])
    parts = []
    for row in topics(questions).to_dict("records"):
        parts.append(pd.DataFrame([row]).assign(subtopic=""))
        own = detail[detail["topic"] == row["topic"]]
        if own["subtopic"].tolist() != ["(none)"]:
            parts.append(_folded(own))
    return pd.concat(parts, ignore_index=True)[["topic", "subtopic", "n", "of", "share", "low",
                                                "high"]]
