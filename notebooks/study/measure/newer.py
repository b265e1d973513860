"""Model-labelled newer frameworks beside the study, from the tables that ``label`` leaves.

Nothing here is a number of the study's: the labels are those of language models, the threads a
convenience sample, the shares corrected by how the models err on threads of the study.
"""

from dataclasses import replace

import pandas as pd

from study.base.paths import EXTENSIONS
from study.measure.intervals import wilson
from study.measure.model_raters import Share, headline_shares
from study.read.codebook import FACETS, FAULT, QUESTION

CALIBRATION, NEWER = EXTENSIONS / "calibration", EXTENSIONS / "modern"
PAIRS = {"R1-R2": "people", "M1-final": "M1 and study", "M2-final": "M2 and study",
         "M1-M2": "models"}


def read(name, folder):
    """One of the tables ``model-labelled-NAME.csv`` of an extension."""
    return pd.read_csv(folder / f"model-labelled-{name}.csv", keep_default_na=True,
                       encoding="utf-8")


def agreement_beside_people(folder=CALIBRATION):
    """Kappa of people, of models and study, and of the models, by facet.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    pandas.DataFrame
        Columns facet, pair, n, dropped, po, kappa, low, high.
    """
    table = read("agreement", folder)
    table = table[table["raters"].isin(PAIRS) & table["facet"].isin(FACETS)]
    return table.assign(pair=table["raters"].map(PAIRS))[
        ["facet", "pair", "n", "dropped", "po", "kappa", "low", "high"]].reset_index(drop=True)


def of_study(study, names, platform="GitHub"):
    """The study's shares of the same name.

    Parameters
    ----------
    study : Study
    names : sequence of str
        As ``model_raters.headline_shares`` names them.
    platform : str
        Of the newer frameworks no question of Stack Overflow is there.

    Returns
    -------
    pandas.DataFrame
        Columns share_of, n_study, of_study, share_study, low_study, high_study (Wilson).
    """
    parts = [study.faults.assign(issue_type=FAULT), study.questions.assign(issue_type=QUESTION)]
    rows = pd.concat(parts).rename(columns={"fix_patterns": "fix_pattern"})
    rows = rows[rows["platform"] == platform]
    rows = rows.reset_index(drop=True)
    rows = rows.loc[rows.index.repeat(rows["n"])]
    rows["distributed_specific"] = rows["distributed_specific"].map({1: "1", 0: "0"})
    rows = rows[[f for f in FACETS if f in rows]].fillna("not applicable").replace(
        "", "not applicable")
    known = {s.name: s for s in headline_shares(rows, study.codebook)}
    records = []
    for name in names:
        codes = (known.get(name) or _share(name)).codes(rows)
        records.append((name, int((codes == 1).sum()), int((codes >= 0).sum())))
    table = pd.DataFrame(records, columns=["share_of", "n_study", "of_study"])
    ends = wilson(table["n_study"], table["of_study"])
    return table.assign(**{f"{c}_study": ends[c].to_numpy() for c in ("share", "low", "high")})


def _share(name):
    for words, facet, kind in (("faults with ", "symptom", FAULT),
                               ("questions on ", "topic", QUESTION)):
        if name.startswith(words):
            label = name.removeprefix(words)
            return Share(name, facet, lambda x, label=label: x == label, kind)
    raise ValueError(f"no share {name!r}")


def beside(study, corrected=None):
    """Corrected shares of the newer frameworks beside the study's.

    Parameters
    ----------
    study : Study
    corrected : pandas.DataFrame, optional
        As ``label correct`` leaves it; by default that of the newer frameworks.

    Returns
    -------
    pandas.DataFrame
        Columns share_of, model, n_model, as_labelled, share, low, high (corrected),
        n_study, of_study, share_study, low_study, high_study, verdict: ``more`` or ``less``
        where the intervals of both models lie apart from the study's, ``not shown`` where one
        does not, ``refused`` where the calibration is too small.
    """
    table = read("corrected", NEWER) if corrected is None else corrected
    names = list(dict.fromkeys(table["share_of"]))
    made = table.merge(of_study(study, names), on="share_of")
    verdicts = {name: _verdict(own) for name, own in made.groupby("share_of")}
    made["verdict"] = made["share_of"].map(verdicts)
    return made[["share_of", "model", "n_model", "as_labelled", "share", "low", "high", "n_study",
                 "of_study", "share_study", "low_study", "high_study", "verdict"]]


def by_framework(share_of, folder=NEWER):
    """One share in each repository: as labelled, as adjudicated, and corrected.

    Parameters
    ----------
    share_of : str
        As ``measure.model_raters.headline_shares`` names it.
    folder : path-like

    Returns
    -------
    pandas.DataFrame
        Columns place, model (or ``adjudicated``), n, of, as_labelled, and for a model share, low,
        high (corrected, with the models' error); a repository's rows together.
    """
    table = read("by-framework", folder)
    table = table[table["share_of"] == share_of].sort_values(["place", "model"])
    table["as_labelled"] = table["n"] / table["of"].where(table["of"] > 0)
    return table[["place", "model", "n", "of", "as_labelled", "share", "low",
                  "high"]].reset_index(drop=True)


def undecided(study):
    """How many issues stay undecided in a label, by who left it so.

    Parameters
    ----------
    study : Study
        Of a model-labelled extension.

    Returns
    -------
    pandas.DataFrame
        Columns left_out_of, both_models (left it undecided), third_reading (decided so),
        not_relevant (no issue of distributed training), all.
    """
    why = study.exclusions["reason"].map(lambda x: (
        "both_models" if x == "undecided: left undecided by both" else
        "not_relevant" if x.startswith("not relevant") else "third_reading"))
    made = pd.crosstab(study.exclusions["left_out_of"], why).reindex(
        columns=["both_models", "third_reading", "not_relevant"], fill_value=0)
    made = made.assign(all=made.sum(axis=1)).sort_values("all", ascending=False, kind="stable")
    return made.rename_axis(columns=None).reset_index()


def searches():
    """How threads were searched: queries, and what they showed.

    Returns
    -------
    pandas.DataFrame
        A row for the study's threads and one for the newer frameworks: queries (different ones),
        sent, in vain (without a thread that was looked for), shown (threads that were looked
        for, each as often as it was shown), different, others (shown, and not of the study or
        left out), taken_up.
    """
    records = []
    for what, folder in (("threads of the study", CALIBRATION), ("newer frameworks", NEWER)):
        table = pd.read_csv(folder / "searches.csv", encoding="utf-8")
        records.append((what, table["query"].nunique(), len(table),
                        int((table["members"] == 0).sum()), int(table["members"].sum()),
                        int(table["new"].sum()), int(table["others"].sum()),
                        len(pd.read_csv(folder / "found.csv", encoding="utf-8"))))
    return pd.DataFrame(records, columns=["what", "queries", "sent", "in_vain", "shown",
                                          "different", "others", "taken_up"])


def not_found(study):
    """Threads of the study whose text no query showed, by platform and framework.

    Parameters
    ----------
    study : Study

    Returns
    -------
    pandas.DataFrame
        Columns platform, frameworks, threads, found, not_found.
    """
    keys = ["platform", "frameworks"]
    found = pd.read_csv(CALIBRATION / "candidates.csv", encoding="utf-8").groupby(keys).size()
    table = study.collection[study.collection["threads"] > 0].set_index(keys)[["threads"]]
    table["found"] = found.reindex(table.index, fill_value=0)
    return table.assign(not_found=table["threads"] - table["found"]).reset_index()


def reasons_of_differences(folder=CALIBRATION):
    """Why models and study may differ, as a reading of some differences says, by facet.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    pandas.DataFrame
        A row a reason, most frequent first; a column a facet, and ``all``.
    """
    table = read("differences", folder)
    made = pd.crosstab(table["reason"], table["facet"])
    made = made[[f for f in FACETS if f in made]].assign(all=made.sum(axis=1))
    return made.sort_values("all", ascending=False, kind="stable").rename_axis(
        columns=None).reset_index()


def new_by_framework(folder=NEWER):
    """In which repositories the adjudicated labels have the categories that are new.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    pandas.DataFrame
        A row a category: facet, category, M1, M2 (issues as each labelled), adjudicated, later
        (of the adjudicated, issues of rounds that were labelled with the category at hand), and
        where (repositories of the adjudicated, with their issues).
    """
    table, records = read("new-categories", folder), []
    for (facet, category), own in table.groupby(["facet", "category"], sort=False):
        by, decided = own.groupby("model")["n"].sum(), own[own["model"] == "adjudicated"]
        records.append({"facet": facet, "category": category,
                        **{m: int(by.get(m, 0)) for m in ("M1", "M2", "adjudicated")},
                        "later": int(decided["later"].sum()),
                        "where": ", ".join(f"{r.place} {r.n}" for r in decided.itertuples())})
    return pd.DataFrame(records)


def only(study, frameworks):
    """A study's faults of some frameworks.

    Parameters
    ----------
    study : Study
    frameworks : collection of str

    Returns
    -------
    Study
    """
    keep = study.faults["frameworks"].isin(frameworks)
    return replace(study, faults=study.faults[keep])


def _verdict(own):
    if own["share"].isna().any():
        return "refused"
    if (own["low"] > own["high_study"]).all():
        return "more"
    return "less" if (own["high"] < own["low_study"]).all() else "not shown"
