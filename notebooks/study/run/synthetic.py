"""Synthetic material for the exercises: invented threads, with faults planted on purpose.

Nothing here is data of the study. The labels are drawn from its counts, so that the
sheets look like real ones; the threads, the raters and their slips are made up. The same
call gives the same material every time.
"""

import numpy as np
import pandas as pd

from study.base.seeds import generator
from study.base.words import JOIN

FACETS = ("stage", "group", "symptom", "fix_pattern")
COLUMNS = ("link", *FACETS)
TITLES = {"stage": "Stage", "group": "Group", "symptom": "Symptom", "fix_pattern": "Fix pattern"}

# What is planted: each kind, how it looks in the sheet, and what mends it.
PLANTED = {
    "blanks and case": "a label with other blanks or capitals; read it without them",
    "alias": "another spelling of a label; the codebook lists it",
    "title": "a column's title in place of a value; there is no value",
    "shift": "group, symptom and fix pattern one column too far left; put them back",
    "doubled row": "a thread entered a second time under another spelling of its link; "
                   "leave the second one out",
}


def synthetic_clean(study, n=80):
    """Labels of ``n`` synthetic threads, as a careful rater would have filed them.

    Parameters
    ----------
    study : Study
        Combinations of labels are drawn from its faults, as often as they occur there.
    n : int, default 80

    Returns
    -------
    pandas.DataFrame
        Columns link, stage, group, symptom, fix_pattern; ``""`` where a stage has no group.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> synthetic_clean(load_study(), 2)["link"].tolist()[0]
    'https://github.com/synthetic/sheet/issues/1'
    """
    rng = generator("synthetic sheet")
    faults = study.faults[~study.faults["fix_patterns"].str.contains(JOIN, regex=False)]
    drawn = rng.choice(len(faults), size=n, p=(faults["n"] / faults["n"].sum()).to_numpy())
    labels = faults.iloc[drawn].rename(columns={"fix_patterns": "fix_pattern"})
    sheet = labels[list(FACETS)].reset_index(drop=True)
    sheet.insert(0, "link", [f"https://github.com/synthetic/sheet/issues/{i}"
                             for i in range(1, n + 1)])
    return sheet


def synthetic_sheet(study, n=80):
    """A synthetic rater's sheet with planted faults, and where they are.

    Parameters
    ----------
    study : Study
    n : int, default 80
        Threads; the doubled rows come on top.

    Returns
    -------
    tuple of (pandas.DataFrame, pandas.DataFrame)
        The sheet as filed (as :func:`synthetic_clean`, plus faults), and the planted faults:
        columns row (position in the sheet, from 0), facet (``link`` for doubled rows),
        kind (a key of ``PLANTED``).

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> sheet, planted = synthetic_sheet(load_study())
    >>> sorted(planted["kind"].unique()) == sorted(PLANTED)
    True
    """
    rng = generator("synthetic faults")
    sheet, planted = synthetic_clean(study, n), []
    free = set(range(n))

    def take(fitting, at_most):
        rows = sorted(free & set(np.flatnonzero(fitting)))
        chosen = sorted(rng.permutation(rows)[:at_most].tolist())
        free.difference_update(chosen)
        return chosen

    everyone = np.ones(n, dtype=bool)
    # A shift is only recognisable where group is blank and the fix pattern runs into symptom.
    for row in take((sheet["group"] == "").to_numpy(), 4):
        sheet.loc[row, ["group", "symptom", "fix_pattern"]] = [
            sheet.at[row, "symptom"], sheet.at[row, "fix_pattern"], ""]
        planted.append((row, "symptom", "shift"))
    aliases = {e.name: e.aliases[0] for e in study.codebook.entries["fix_pattern"] if e.aliases}
    for row in take(sheet["fix_pattern"].isin(aliases).to_numpy(), 5):
        sheet.at[row, "fix_pattern"] = aliases[sheet.at[row, "fix_pattern"]]
        planted.append((row, "fix_pattern", "alias"))
    for row in take(everyone, 3):
        sheet.at[row, "fix_pattern"] = TITLES["fix_pattern"]
        planted.append((row, "fix_pattern", "title"))
    for i, row in enumerate(take(everyone, 6)):
        facet = ("stage", "symptom", "fix_pattern")[i % 3]
        text = sheet.at[row, facet]
        sheet.at[row, facet] = (text.upper(), text + "  ", text.replace(" ", "\u00a0", 1))[i // 2]
        planted.append((row, facet, "blanks and case"))
    doubled = take(everyone, 3)
    copies = sheet.loc[doubled].copy()
    copies["link"] = [link.replace("https://", ("http://www.", "", "https://www.")[i % 3])
                      + ("#issuecomment-1", "?tab=all", "/")[i % 3]
                      for i, link in enumerate(copies["link"])]
    planted += [(n + i, "link", "doubled row") for i in range(len(doubled))]
    sheet = pd.concat([sheet, copies], ignore_index=True)
    return sheet, pd.DataFrame(planted, columns=["row", "facet", "kind"]).sort_values(
        ["row", "facet"], ignore_index=True)


def synthetic_partner(sheet, facet, names, name="partner", differing=0.2):
    """A second synthetic rater, who gives another label to a share of the threads.

    Parameters
    ----------
    sheet : pandas.DataFrame
        With the column ``facet``.
    facet : str
    names : list of str
        Labels to choose from.
    name : str
        Of the rater; another name, other differences.
    differing : float, default 0.2
        Share of threads with another label, rounded up.

    Returns
    -------
    pandas.Series
        Labels, with the index of ``sheet``.

    Examples
    --------
    >>> s = pd.DataFrame({"stage": ["a"] * 10})
    >>> int((synthetic_partner(s, "stage", ["a", "b"]) == "b").sum())
    2
    """
    rng = generator(f"synthetic {name}")
    labels = sheet[facet].copy()
    rows = rng.permutation(len(sheet))[:int(np.ceil(differing * len(sheet)))]
    for row in sorted(rows.tolist()):
        others = [n for n in names if n != labels.iloc[row]]
        labels.iloc[row] = others[int(rng.integers(len(others)))]
    return labels


def synthetic_model(share, n, hits, alarms, name="model"):
    """Issues with what people say and what a synthetic model says: 1 counts, 0 does not.

    Parameters
    ----------
    share : float
        Of the issues that count.
    n : int
        Issues.
    hits, alarms : float
        Share of those that count, and of those that do not, that the model says count.
    name : str
        Another name, other issues.

    Returns
    -------
    tuple of numpy.ndarray of int
        By people and by the model.

    Examples
    --------
    >>> people, model = synthetic_model(0.5, 8, hits=1, alarms=0)
    >>> (people == model).all()
    np.True_
    """
    rng = generator(f"synthetic {name}")
    people = (rng.random(n) < share).astype(int)
    return people, (rng.random(n) < np.where(people == 1, hits, alarms)).astype(int)


# Eight invented reports for exercise 2. They name no real thread, person or project.
VIGNETTES = (
    ("V1", "pip stops while compiling the extension: the C++ compiler on our cluster image is "
           "older than the framework asks for. Nothing of our own has been run yet."),
    ("V2", "Two nodes, one process each. Rank 0 prints its address and then nothing more; after "
           "half an hour both give up. No step was trained."),
    ("V3", "Epoch 1 and 2 are fine. In epoch 3 the loss stops being printed, all GPUs show full "
           "load, no error appears, and it stays like that over night."),
    ("V4", "On four workers an epoch takes longer than on one. The results are right."),
    ("V5", "After the first hundred steps one worker ends with a broken all-reduce: the "
           "connection was closed by the other side."),
    ("V6", "Starting the servers ends at once with 'address already in use'; no worker connects."),
    ("V7", "Training runs. Restoring the file that rank 0 wrote at the end of the epoch fails, "
           "because half of the variables are not in it."),
    ("V8", "The same script that trains with a batch of 64 on one card dies in its first step on "
           "two cards because the second one's memory is full."),
)


def synthetic_vignettes():
    """The invented reports of exercise 2.

    Returns
    -------
    pandas.DataFrame
        Columns id, text.

    Examples
    --------
    >>> synthetic_vignettes()["id"].tolist()[:2]
    ['V1', 'V2']
    """
    return pd.DataFrame(VIGNETTES, columns=["id", "text"])


def ten_threads(study, n=10):
    """Real threads to practise labelling on: the codebook's examples of frequent symptoms.

    Parameters
    ----------
    study : Study
    n : int, default 10

    Returns
    -------
    list of str
        Keys of different threads; ``study.base.threads.thread_url`` gives the address.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> len(set(ten_threads(load_study())))
    10
    """
    counts = study.faults.groupby("symptom")["n"].sum()
    order = sorted(counts.index, key=lambda s: (-counts[s], s))
    examples = {e.name: e.examples for e in study.codebook.entries["symptom"]}
    keys = [key for place in (0, 1) for symptom in order
            for key in examples.get(symptom, ())[place:place + 1]]
    return list(dict.fromkeys(keys))[:n]
