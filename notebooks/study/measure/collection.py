"""The collection: from candidate threads to labelled issues; and the how-to topics."""

import pandas as pd

from study.base.words import JOIN
from study.measure.intervals import shares, wilson

STEPS = ["candidates", "threads", "issues", "faults", "questions"]


def funnel(collection, by="platform"):
    """Candidates, threads and issues by platform or by framework.

    Parameters
    ----------
    collection : pandas.DataFrame
        ``data/study/collection.csv``.
    by : {"platform", "frameworks"} or list of both

    Returns
    -------
    pandas.DataFrame
        Columns of ``by``, then candidates, threads, issues, faults, questions and
        ``kept``, the share of candidates that were labelled (missing where there is no
        candidate); the last row is the total.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> total = funnel(load_study().collection).iloc[-1]
    >>> [int(total[c]) for c in ("candidates", "threads", "issues")]
    [2683, 1070, 1131]
    """
    by = [by] if isinstance(by, str) else list(by)
    table = collection.groupby(by, sort=True)[STEPS].sum().reset_index()
    total = pd.DataFrame([{**dict.fromkeys(by, "all"), **collection[STEPS].sum()}])
    table = pd.concat([table, total], ignore_index=True)
    table["kept"] = (table["threads"] / table["candidates"]).where(table["candidates"] > 0)
    return table


def frameworks_of(table, n="n"):
    """A table with one row a framework: an issue of two frameworks counts for each.

    Parameters
    ----------
    table : pandas.DataFrame
        With a column ``frameworks``, several names joined with ``;``.
    n : str

    Returns
    -------
    pandas.DataFrame
        The same columns, and ``framework``.

    Examples
    --------
    >>> frameworks_of(pd.DataFrame({"frameworks": ["keras;tensorflow"], "n": [4]}))["n"].tolist()
    [4, 4]
    """
    apart = table.assign(framework=table["frameworks"].str.split(JOIN)).explode("framework")
    return apart[apart[n] > 0].reset_index(drop=True)


def topics(questions, by=()):
    """How-to topics with shares and Wilson intervals.

    Parameters
    ----------
    questions : pandas.DataFrame
        ``data/study/questions.csv``.
    by : collection of str, optional
        ``"platform"``, ``"framework"``: shares are of the questions of each.

    Returns
    -------
    pandas.DataFrame
        Columns of ``by``, topic, n, of, share, low, high.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> topics(load_study().questions)["topic"].iloc[0]
    'communication'
    """
    return _within(questions, "topic", by)


def subtopics(questions, topic):
    """Sub-topics of one topic with shares and Wilson intervals; blank ones are ``(none)``."""
    chosen = questions[questions["topic"] == topic]
    return shares(chosen.replace({"subtopic": {"": "(none)"}}), "subtopic")


def _within(table, label, by):
    by = list(by)
    if "framework" in by:
        table = frameworks_of(table)
    if not by or table.empty:
        return shares(table, [*by, label])
    parts = [pd.concat([pd.DataFrame([dict(zip(by, key, strict=True))] * len(part)), part],
                       axis=1)
             for key, group in table.groupby(by) for part in [shares(group, label)]]
    return pd.concat(parts, ignore_index=True)


def kinds(collection):
    """Faults and questions by platform, with the share of faults.

    Returns
    -------
    pandas.DataFrame
        Columns platform, n (faults), of (issues), share, low, high.
    """
    table = collection.groupby("platform")[["faults", "issues"]].sum().reset_index()
    return pd.concat([table[["platform"]], wilson(table["faults"], table["issues"])], axis=1)
