"""The study's own labels as those of people, where models have labelled its threads anew."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from study.base.errors import StudyError
from study.base.paths import RAW, shown
from study.extend.calibrate import INDEX, Rated, model_labels
from study.measure.model_raters import REFERENCE, UNKNOWN, sides
from study.read.codebook import FACETS
from study.tabulate.rounds import MEASURED, RATERS, applied, paired

LABELS = RAW / "labels.csv"
FINAL = "final"
PAIRS = "model-labelled-pairs.csv"
COLUMNS = ("thread", "rater", "issues", "issues_final", "what")
PAIR_COLUMNS = ("facet", "rater_1", "rater_2", "type_1", "label_1", "type_2", "label_2")


def from_study(extension, labels=LABELS):
    """Labels of models and, of the same threads, the study's: final, and of R1 and R2.

    Parameters
    ----------
    extension : Extension
        Its items are threads of the study.
    labels : path-like
        The study's labels issue by issue, as ``python reproduce.py data`` leaves them.

    Returns
    -------
    tuple of (Rated, pandas.DataFrame)
        The labels, the study's final ones as the reference; and what could not be joined, see
        :func:`joined`.

    Raises
    ------
    StudyError
        The study's labels are not there, or none of the threads is in them.
    """
    try:
        table = pd.read_csv(labels, dtype=str, keep_default_na=False, encoding="utf-8")
    except FileNotFoundError:
        raise StudyError(f"{shown(labels)} is missing: the study's labels issue by issue; "
                         "`python reproduce.py data` makes it") from None
    models = model_labels(extension)
    asked = {t.lower() for t in models.index.get_level_values("thread")}
    table = table[table["rater"].isin([FINAL, *RATERS]) & table["thread"].str.lower().isin(asked)]
    rounds = table.groupby(["rater", "thread"])["round"].transform("nunique")
    again = table.loc[rounds > 1, ["thread", "rater"]].drop_duplicates()
    table = table[rounds == 1]
    made = table.set_index(["rater", "thread", "issue", "facet"])["repaired"].unstack("facet")
    made = made.reindex(columns=list(FACETS)).fillna("")
    study = made.set_axis(pd.MultiIndex.from_tuples(
        [("1", REFERENCE if r == FINAL else r, t, int(i)) for r, t, i in made.index],
        names=INDEX))
    codebook = extension.codebook()
    both, left_out = joined(models, study)
    left_out = pd.concat([left_out, again.assign(what="left out: labelled in several rounds")])
    if both.empty:
        raise StudyError(f"{extension.name}: none of its threads can be joined with the study's; "
                         "without `--people study` people's sheets are taken")
    return Rated(applied(both, codebook), MEASURED, codebook, FINAL), left_out


def joined(models, study):
    """Models' and the study's labels of the same issues, by thread (case aside) and number.

    Parameters
    ----------
    models, study : pandas.DataFrame
        Indexed by round, rater, thread, issue; in ``study`` the final labels are those of
        ``adjudicated``.

    Returns
    -------
    tuple of (pandas.DataFrame, pandas.DataFrame)
        Both in one table, as if of one round. And what is not in it: columns thread, rater,
        issues (of this rater), issues_final, what. Nobody knows which issue of a thread is which
        where two raters count them differently, so such a thread is left out: altogether where
        it is a model that differs from the final labels, for R1 and R2 where one of them does.
    """
    models, study = (_one_round(t) for t in (models, study))
    sizes = {key: Counter(t for r, t in zip(table.index.get_level_values("rater"),
                                            table.index.get_level_values("thread"), strict=True)
                          if r == key)
             for table in (models, study)
             for key in dict.fromkeys(table.index.get_level_values("rater"))}
    final = sizes.get(REFERENCE, Counter())
    asked = sorted(set(models.index.get_level_values("thread")))
    out, dropped, apart = [], set(), set()
    for thread in asked:
        for rater in sorted(sizes):
            n = sizes[rater][thread]
            if rater == REFERENCE or n == final[thread]:
                continue
            if rater.startswith("M"):
                dropped.add(thread)
                what = ("not in the study's final table" if not final[thread] else
                        "left out: another number of issues")
            elif not n:
                continue  # not one of the threads of the rounds
            else:
                apart.add(thread)
                what = "the two people left out: another number of issues"
            out.append((thread, rater, n, final[thread], what))
    table = pd.concat([models, study])
    thread, rater = (table.index.get_level_values(n) for n in ("thread", "rater"))
    kept = thread.isin(set(asked) - dropped) & ~(rater.isin(RATERS) & thread.isin(apart))
    return table[kept], pd.DataFrame(out, columns=list(COLUMNS))


def _one_round(table):
    """The table with threads in lower case, and all of it in round 1."""
    index = [("1", r, t.lower(), i) for _, r, t, i in table.index]
    return table.set_axis(pd.MultiIndex.from_tuples(index, names=INDEX))


def pair_counts(rated):
    """How often which labels of two raters met: what may be published of labels by thread.

    Parameters
    ----------
    rated : Rated

    Returns
    -------
    pandas.DataFrame
        Columns ``PAIR_COLUMNS`` and n; type_1 and type_2 are the issue types beside the labels.
        Every coefficient and every correction can be computed from it.
    """
    people, models, reference = sides(rated.table)
    chosen = [*combinations(people, 2), *((p, m) for p in [*people, reference] for m in models),
              *combinations(models, 2)]
    names = {REFERENCE: rated.reference}
    tables = []
    for left, right in dict.fromkeys(chosen):
        pairs = paired(rated.table, left, right)
        for facet in rated.facets:
            own = pd.DataFrame({
                "type_1": pairs["issue_type_1"], "label_1": pairs[f"{facet}_1"],
                "type_2": pairs["issue_type_2"], "label_2": pairs[f"{facet}_2"]})
            n = own.groupby(list(own.columns)).size().rename("n").reset_index()
            tables.append(n.assign(facet=facet, rater_1=names.get(left, left), rater_2=right))
    return pd.concat(tables, ignore_index=True)[[*PAIR_COLUMNS, "n"]]


@dataclass(frozen=True)
class Counted:
    """A calibration of which the counts of pairs are there, not the labels by thread.

    Attributes
    ----------
    pairs : pandas.DataFrame
        As :func:`pair_counts` returns it.
    """

    pairs: pd.DataFrame

    @classmethod
    def read(cls, path):
        """From ``model-labelled-pairs.csv``."""
        return cls(pd.read_csv(path, dtype=dict.fromkeys(PAIR_COLUMNS, str),
                               keep_default_na=False, encoding="utf-8"))

    def models(self):
        """The models that the final labels are paired with."""
        return sorted(set(self.pairs.loc[self.pairs["rater_1"] == FINAL, "rater_2"]))

    def codes(self, share, model):
        """Codes of the calibration issues by people and by a model, where people decided.

        Parameters
        ----------
        share : Share
        model : str

        Returns
        -------
        tuple of (numpy.ndarray, numpy.ndarray)
        """
        own = self.pairs[(self.pairs["rater_1"] == FINAL) & (self.pairs["rater_2"] == model)
                         & (self.pairs["facet"] == share.facet)]
        own = own.loc[own.index.repeat(own["n"])]
        both = [share.codes(pd.DataFrame({"issue_type": own[f"type_{i}"],
                                          share.facet: own[f"label_{i}"]})) for i in (1, 2)]
        kept = both[0] > UNKNOWN
        return both[0][kept], both[1][kept]
