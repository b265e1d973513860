"""The taxonomy of fault symptoms, and what is specific to distributed training."""

import pandas as pd

from study.measure.intervals import wilson

PATH = ["stage", "group", "symptom"]
LEVELS = {"stage": PATH[:1], "group": PATH[:2], "symptom": PATH}


def taxonomy(faults, level="symptom", codebook=None):
    """Stages, groups or symptoms with counts, shares and the distributed-specific share.

    Parameters
    ----------
    faults : pandas.DataFrame
        ``data/study/faults.csv``.
    level : {"stage", "group", "symptom"}
        How deep: one row a stage, a group within its stage, or a symptom within both.
    codebook : Codebook, optional
        Orders the stages as the codebook does instead of by name.

    Returns
    -------
    pandas.DataFrame
        Columns stage (, group, symptom), n, share (of all faults), specific
        (distributed-specific ones), specific_share, low, high (Wilson, 95 %).

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> taxonomy(load_study().faults, "stage")["n"].head(1).to_dict()
    {0: 133}
    """
    by = LEVELS[level]
    counts = _specific(faults, by)
    interval = wilson(counts["specific"], counts["n"])
    counts["share"] = counts["n"] / counts["n"].sum()
    counts["specific_share"], counts["low"], counts["high"] = (
        interval[c] for c in ("share", "low", "high"))
    order = {s: i for i, s in enumerate(codebook.names("stage"))} if codebook else {}
    counts["_stage"] = counts["stage"].map(lambda s: (order.get(s, 0), s))
    rest = by[1:-1] if level == "symptom" else []
    counts = counts.sort_values(["_stage", *rest, "n", by[-1]],
                                ascending=[True, *[True] * len(rest), False, True])
    columns = [*by, "n", "share", "specific", "specific_share", "low", "high"]
    return counts[columns].reset_index(drop=True)


def _specific(faults, by):
    own = faults.assign(specific=faults["n"].where(faults["distributed_specific"] == 1, 0))
    return own.groupby(by, as_index=False)[["n", "specific"]].sum()


def by_symptom(faults):
    """Symptoms by name, wherever they stand, with the distributed-specific share.

    Parameters
    ----------
    faults : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        Columns symptom, n, specific, other, share (distributed-specific), low, high;
        most frequent first.
    """
    counts = _specific(faults, ["symptom"])
    counts["other"] = counts["n"] - counts["specific"]
    counts = pd.concat([counts, wilson(counts["specific"], counts["n"])[["share", "low", "high"]]],
                       axis=1)
    return counts.sort_values(["n", "symptom"], ascending=[False, True], ignore_index=True)


def shared_symptoms(faults, level="symptom"):
    """Symptoms that distributed-specific and other faults both show.

    Parameters
    ----------
    faults : pandas.DataFrame
    level : {"symptom", "path"}
        Whether a symptom counts as the same by its name alone, or only in the same
        stage and group.

    Returns
    -------
    dict
        ``symptoms``: how many there are; ``both``, ``specific only``, ``other only``:
        how many of them occur where; ``others``: faults that are not
        distributed-specific; ``others_shared``: how many of those carry a symptom that
        distributed-specific faults carry too; ``share``, ``low``, ``high`` of the latter.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> shared_symptoms(load_study().faults)["others"]
    68
    """
    counts = _specific(faults, PATH if level == "path" else ["symptom"])
    counts["other"] = counts["n"] - counts["specific"]
    both = (counts["specific"] > 0) & (counts["other"] > 0)
    others, shared = int(counts["other"].sum()), int(counts.loc[both, "other"].sum())
    interval = wilson([shared], [others]).iloc[0]
    return {"symptoms": len(counts), "both": int(both.sum()),
            "specific only": int((counts["other"] == 0).sum()),
            "other only": int((counts["specific"] == 0).sum()),
            "others": others, "others_shared": shared,
            "share": float(interval["share"]), "low": float(interval["low"]),
            "high": float(interval["high"])}


def without_rare(faults, rare):
    """Faults without the symptoms of at most ``rare`` faults.

    Parameters
    ----------
    faults : pandas.DataFrame
    rare : int
        Paths (stage, group, symptom) with so many faults or fewer are left out.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> t = pd.DataFrame({"stage": "run", "group": "", "symptom": ["hang", "leak"], "n": [3, 1]})
    >>> without_rare(t, 1)["symptom"].tolist()
    ['hang']
    """
    sizes = faults.groupby(PATH)["n"].transform("sum")
    return faults[sizes > rare].reset_index(drop=True)


def categories(faults, as_filed, rare=(0, 1, 2)):
    """How many categories of symptoms there are, under every way of counting them.

    Parameters
    ----------
    faults, as_filed : pandas.DataFrame
        ``data/study/faults.csv`` and ``faults_as_filed.csv``.
    rare : collection of int
        Paths (stage, group, symptom) of so many faults or fewer are left out.

    Returns
    -------
    pandas.DataFrame
        Columns labels (``as filed``, ``repaired``), unit (``path``: a symptom in its
        stage and group; ``name``: a symptom by name; ``leaf``: a name that is neither the
        catch-all nor a combination of two others), rare, categories, faults (covered).

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> s = load_study()
    >>> table = categories(s.faults, s.faults_as_filed, rare=(0,))
    >>> table.loc[table["labels"] == "repaired", "categories"].tolist()
    [39, 32, 30]
    """
    records = []
    for labels, table in (("as filed", as_filed), ("repaired", faults)):
        for threshold in rare:
            kept = without_rare(table[table["n"] > 0], threshold)
            for unit, count in (("path", kept.groupby(PATH).ngroups),
                                ("name", kept["symptom"].nunique()),
                                ("leaf", len(leaves(kept["symptom"])))):
                records.append((labels, unit, threshold, count, int(kept["n"].sum())))
    return pd.DataFrame(records, columns=["labels", "unit", "rare", "categories", "faults"])


def leaves(names, catch_all="others"):
    """Names of symptoms, without the catch-all and without combinations of two of them.

    Parameters
    ----------
    names : iterable of str
    catch_all : str

    Returns
    -------
    list of str
        A combination is ``a x & y`` where both ``a x`` and ``a y`` are names themselves.

    Examples
    --------
    >>> leaves(["bad load", "bad store", "bad load & store", "others"])
    ['bad load', 'bad store']
    """
    names = set(names) - {catch_all}

    def combined(name):
        one, both, two = name.partition(" & ")
        return bool(both) and one in names and f"{one.split(' ')[0]} {two}" in names

    return sorted(name for name in names if not combined(name))
