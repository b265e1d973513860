"""Shares that other studies print, beside ours, through a declared crosswalk."""

import pandas as pd

from study.base.errors import StudyError
from study.base.paths import DATA, shown
from study.base.words import JOIN
from study.extend.folder import read_csv
from study.measure.intervals import wilson

FOLDER = DATA / "published"
COLUMNS = ("study", "quantity", "category", "value", "bound", "of", "where")
CROSSWALK = ("study", "quantity", "category", "relation", "facet", "ours", "note")
RELATIONS = ("exact", "broader", "narrower", "none")


def published(folder=FOLDER):
    """Every published value, from the csv files of a folder.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    pandas.DataFrame
        Columns study (arXiv number), quantity, category, value (share or number), bound
        (blank: the value itself; ``more than``), of (how many, where printed), where.

    Raises
    ------
    StudyError
        A value is no number, or the source is missing, with file and row.
    """
    rows = []
    for path in sorted(folder.glob("*.csv")):
        if path.stem == "crosswalk":
            continue
        for number, row in enumerate(read_csv(path, COLUMNS), 2):
            if not row["where"]:
                raise StudyError(f"{shown(path)}, row {number}, column where: blank; say where "
                                 "the value is printed")
            try:
                row["value"] = float(row["value"])
            except ValueError:
                raise StudyError(f"{shown(path)}, row {number}, column value: {row['value']!r} "
                                 "is no number; write 0.451 for 45.1 %") from None
            rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def crosswalk(folder=FOLDER):
    """How categories of other studies relate to ours.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    pandas.DataFrame
        Columns ``CROSSWALK``; relation says what theirs is to ours (``broader``: it holds more);
        ours is a label, several joined with ``;`` (any of them), or ``*``.
    """
    path = folder / "crosswalk.csv"
    rows = read_csv(path, CROSSWALK)
    for number, row in enumerate(rows, 2):
        if row["relation"] not in RELATIONS:
            raise StudyError(f"{shown(path)}, row {number}, column relation: {row['relation']!r}; "
                             f"write {', '.join(RELATIONS)}")
    return pd.DataFrame(rows, columns=list(CROSSWALK))


def beside(studies, folder=FOLDER):
    """Published shares with the same quantity in our own tables.

    Parameters
    ----------
    studies : dict of str to Study
        Name → study, such as ``{"study": load_study()}``.
    folder : path-like

    Returns
    -------
    pandas.DataFrame
        Columns source, quantity, category, published, relation, and for each of ours
        ``NAME`` (share), ``NAME_low``, ``NAME_high`` (Wilson); blank where nothing of ours
        relates to it.
    """
    table = published(folder).merge(crosswalk(folder), on=["study", "quantity", "category"],
                                    how="left").fillna({"relation": "none"})
    records = []
    for row in table.itertuples():
        record = {"source": row.study, "quantity": row.quantity, "category": row.category,
                  "published": f"{row.bound} {row.value:g}".strip(), "relation": row.relation}
        for name, study in studies.items():
            record |= _ours(name, study.faults, row) if row.relation != "none" else {}
        records.append(record)
    return pd.DataFrame(records)


def _ours(name, faults, row):
    """Our share: of the faults with a label, or, for the share ``specific``, among them."""
    if row.ours != "*":
        column = faults[{"fix_pattern": "fix_patterns"}.get(row.facet, row.facet)]
        faults, column = faults[column != ""], column[column != ""]  # what stays undecided
    names = set(row.ours.split(JOIN))
    chosen = (faults if row.ours == "*" else
              faults[column.map(lambda text: bool(names & set(text.split(JOIN))))])
    if row.quantity == "distributed-specific":
        faults = chosen[chosen["distributed_specific"].notna()]
        chosen = faults[faults["distributed_specific"] == 1]
    share = wilson([chosen["n"].sum()], [faults["n"].sum()]).iloc[0]
    return {name: share["share"], f"{name}_low": share["low"], f"{name}_high": share["high"]}
