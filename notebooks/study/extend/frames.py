"""What the notebook shows of an extension, as frames for reading."""

from collections import Counter

import pandas as pd

from study.extend.agree import agree, summary
from study.extend.decided import COLUMNS as DECIDED
from study.extend.folder import read_csv
from study.extend.handed_in import check_round, sheet_files
from study.extend.published import beside
from study.extend.versions import CROSSWALK
from study.read.codebook import TITLES
from study.read.form import whose
from study.tabulate.tables import load_study
from study.tell import frames as present
from study.tell.frames import Table


def sample(extension):
    """How the sample was drawn: the strata, and what was left out.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    pandas.DataFrame
        Columns of what, population, drawn; a row a stratum, then the sum, then a row a reason
        for leaving threads out.
    """
    plan = extension.plan
    rows = [(name, part["population"], part["n"]) for name, part in plan["strata"].items()]
    rows.append(("all", plan["population"], plan["n"]))
    rows += [(f"left out: {reason}", n, 0) for reason, n in plan["excluded"].items()]
    return _plain(pd.DataFrame(rows, columns=["threads", "population", "drawn"]))


def handed_in(extension):
    """Sheets as they were first handed in, where such a folder was kept; else the present ones.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    list of pathlib.Path
    """
    kept = [p for p in sorted(extension.path("handed_in").glob("round*"))
            if whose(p.name)[1] != "adjudicated"]
    return kept or sheet_files(extension)


def findings(extension, paths=None, severity="error"):
    """What the check says of some sheets.

    Parameters
    ----------
    extension : Extension
    paths : list of path-like, optional
        By default the sheets as they are now.
    severity : {"error", "warning", "note"}

    Returns
    -------
    pandas.DataFrame
        Columns file, row, column, value, what to do.
    """
    found = [p for c in check_round(extension, None, paths=paths) for p in c.problems
             if p.severity == severity]
    return _plain(pd.DataFrame(
        [(p.file, p.row or "", p.column or "", p.value, p.message) for p in found],
        columns=["file", "row", "column", "value", "what to do"]))


def normalised(extension):
    """How often which rule changed a cell of the present sheets.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    pandas.DataFrame
        Columns rule, n.
    """
    counts = Counter(p.kind for c in check_round(extension, None) for p in c.problems
                     if p.severity == "note")
    return _plain(pd.DataFrame(sorted(counts.items()), columns=["rule", "n"]))


def new_categories(extension):
    """What became of the categories raters wrote down as new.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    pandas.DataFrame
        As ``crosswalk.csv``; empty where nobody proposed any.
    """
    path = extension.path("crosswalk.csv")
    rows = read_csv(path, CROSSWALK) if path.exists() else []
    return _plain(pd.DataFrame(rows, columns=list(CROSSWALK)))


def decisions(extension):
    """How many labels were agreed and how many decided, by round and facet.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, agreed, decided.
    """
    table = pd.DataFrame(read_csv(extension.result("adjudicated.csv"), DECIDED))
    counts = table.groupby(["round", "facet", "how"], sort=False).size().unstack(fill_value=0)
    return _plain(counts.reindex(columns=["agreed", "decided"], fill_value=0).reset_index()
                  .rename_axis(columns=None))


def agreement(extension):
    """Agreement of every round, with the declared coefficient and those beside it.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    pandas.DataFrame
        Formatted; see ``agree.summary``.
    """
    made = summary(agree(extension))
    made["facet"] = made["facet"].map(TITLES)
    made = present.table(made.rename(columns={"S": "s", "AC1": "ac1"}), [
        "round", "facet", "n", "dropped", "po", "kappa", "low", "high", "s", "ac1", "alpha"])
    return made.rename(columns={"s": "S", "ac1": "AC1"})


def differences(table):
    """A comparison with the study, ready for reading.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``compare.compare`` or ``compare.news`` returns it.

    Returns
    -------
    pandas.DataFrame
        Columns what, category, verdict, counts and shares in both, the difference in points
        with its interval, Holm's p.
    """
    made = pd.DataFrame({
        "what": table["what"], "category": table["category"], "verdict": table["verdict"],
        "here": [f"{r.n_new} ({100 * r.share_new:.1f} %)" for r in table.itertuples()],
        "study": [f"{r.n_study} ({100 * r.share_study:.1f} %)" for r in table.itertuples()],
        "difference (95 %)": [f"{100 * r.difference:+.1f} ({100 * r.low:+.1f} to "
                              f"{100 * r.high:+.1f})" for r in table.itertuples()],
        "p (Holm)": ["< .0001" if p < 0.0001 else f"{p:.4f}".removeprefix("0")
                     for p in table["p_holm"]]})
    return _plain(made)


def published_beside(extension, study):
    """Shares other studies print, and the same share here, where the crosswalk knows one.

    Parameters
    ----------
    extension : Extension
    study : Study

    Returns
    -------
    pandas.DataFrame
    """
    return printed_beside({"study": study,
                           "here": load_study(extension.folder, extension.codebook())})


def printed_beside(studies):
    """Shares other studies print, and the same share in studies of ours.

    Parameters
    ----------
    studies : dict of str to Study
        By what the column is to be called.

    Returns
    -------
    pandas.DataFrame
        Where the crosswalk relates their category to one of ours.
    """
    made = beside(studies)
    made = made[made["relation"] != "none"].copy()
    for name in studies:
        made[name] = [f"{100 * s:.1f} % ({100 * a:.1f} to {100 * b:.1f})" for s, a, b in zip(
            made[name], made[f"{name}_low"], made[f"{name}_high"], strict=True)]
    return _plain(made[["source", "quantity", "category", "published", "relation",
                        *studies]].copy())


def _plain(table):
    return Table(table.reset_index(drop=True))
