"""Where models agree with each other and not with people, and which of these cases are read."""

import pandas as pd

from study.base.seeds import generator
from study.measure.model_raters import NO_LABEL, sides
from study.read.codebook import NOT_APPLICABLE

FILE = "model-labelled-differences.csv"
ABOVE = {"issue_type": (), "topic": ("issue_type",), "stage": ("issue_type",),
         "symptom": ("issue_type", "stage"), "fix_pattern": ("issue_type",)}
EACH = 5  # cases read of each facet
COLUMNS = ("item", "facet", "models", "study")
REASONS = ("models wrong", "study's label doubtful", "both defensible", "passage too short",
           "another issue of the thread", "codebook does not say")
READ = ("same passage", "more of the thread", "same passage and a thread that cites it")


def differences(rated):
    """Issues that all models label alike and people otherwise, by facet.

    A difference belongs to the first facet that shows it: topics are compared where both sides
    see a how-to question, stages and fix patterns where both see a fault, symptoms where the
    stage is the same, too. What a side left undecided or blank is no label, so no difference.

    Parameters
    ----------
    rated : calibrate.Rated
        Labels of one round, as ``beside_study.from_study`` returns them.

    Returns
    -------
    pandas.DataFrame
        Columns ``COLUMNS``: item (thread/number of the issue), facet, the models' label,
        people's; by facet in the order of ``ABOVE``, then by item.
    """
    _, models, reference = sides(rated.table)
    table = rated.table.droplevel("round")
    people, *said = (table.xs(rater, level="rater") for rater in (reference, *models))
    issues = people.index
    for labels in said:
        issues = issues.intersection(labels.index)
    issues = issues.sort_values()
    people, first, *others = (labels.loc[issues] for labels in (people, *said))
    parts = []
    for facet, above in ABOVE.items():
        inside = (first[facet] != people[facet]) & ~people[facet].isin([*NO_LABEL, NOT_APPLICABLE])
        inside &= ~first[facet].isin([*NO_LABEL, NOT_APPLICABLE])
        for labels in others:
            inside &= labels[facet] == first[facet]
        for labels in (first, *others):
            for own in above:
                inside &= labels[own] == people[own]
        parts.append(pd.DataFrame({
            "item": [f"{thread}/{number}" for thread, number in issues[inside]], "facet": facet,
            "models": first.loc[inside, facet].to_numpy(),
            "study": people.loc[inside, facet].to_numpy()}, columns=list(COLUMNS)))
    return pd.concat(parts, ignore_index=True)


def chosen(found, each=EACH):
    """The cases that are read: some of each facet, one of every repository before a second of any.

    Parameters
    ----------
    found : pandas.DataFrame
        As :func:`differences` returns it.
    each : int
        How many of a facet, where there are so many.

    Returns
    -------
    pandas.DataFrame
        Rows of ``found`` in its order; the same ones whenever ``found`` is the same.

    Examples
    --------
    >>> found = pd.DataFrame({"item": ["gh:a/b#1/1", "gh:a/b#2/1", "gh:c/d#3/1"],
    ...                       "facet": "stage", "models": "x", "study": "y"})
    >>> chosen(found, 2)["item"].str[:6].tolist()
    ['gh:a/b', 'gh:c/d']
    """
    drawn = found.iloc[generator("differences that are read").permutation(len(found))]
    repository = drawn["item"].str.split("#").str[0]
    turn = drawn.groupby([drawn["facet"], repository]).cumcount()
    first = drawn.assign(turn=turn).sort_values("turn", kind="stable").groupby("facet").head(each)
    return found.loc[first.index.sort_values()]
