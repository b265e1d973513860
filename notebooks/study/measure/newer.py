"""Model-labelled newer frameworks beside the study, from the tables that ``label`` leaves.

Nothing here is a number of the study's: the labels are those of language models, the threads a
convenience sample, the shares corrected by how the models err on threads of the study.
"""

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
    """One share in each repository, as each model labelled it; not corrected.

    Parameters
    ----------
    share_of : str
        As ``measure.model_raters.headline_shares`` names it.
    folder : path-like

    Returns
    -------
    pandas.DataFrame
        Columns place, model, n, of, share, low, high (Wilson: without the models' error).
    """
    table = read("by-framework", folder)
    table = table[table["share_of"] == share_of].reset_index(drop=True)
    ends = wilson(table["n"], table["of"])
    return table[["place", "model", "n", "of"]].assign(
        **{c: ends[c].to_numpy() for c in ("share", "low", "high")})


def _verdict(own):
    if own["share"].isna().any():
        return "refused"
    if (own["low"] > own["high_study"]).all():
        return "more"
    return "less" if (own["high"] < own["low_study"]).all() else "not shown"
