"""``label calibrate`` and ``label correct``: model raters beside people, and what follows.

Labels come from the sheets of an extension, from the study where its threads are labelled anew,
or from two files: one of people, one of models.
"""

import tomllib
from dataclasses import dataclass

import numpy as np
import pandas as pd

from study.base.errors import StudyError
from study.base.numbers import plural
from study.base.paths import shown
from study.base.words import JOIN
from study.extend.adjudicate import disagreements
from study.extend.agree import wide_labels
from study.extend.decided import decide, decisions_file, rows_of
from study.extend.folder import read_csv
from study.extend.handed_in import read_round, sheet_files
from study.extend.model_tasks import PROTOCOL, versions_told
from study.extend.versions import CROSSWALK, carried, crosswalk
from study.measure.corrected import MINIMUM, items_needed, matrix_share, ppi_share
from study.measure.model_raters import (
    REFERENCE,
    UNKNOWN,
    agreement,
    beyond_people,
    biases,
    category_shares,
    confusions,
    headline_shares,
    sides,
)
from study.read.codebook import FACETS, MISSING, NOT_APPLICABLE, UNDECIDED, load_codebook
from study.read.form import by_models, thread_of, whose
from study.read.sheets import read_sheet
from study.tabulate.rounds import MEASURED, applied

LONG = ("item", "rater", "facet", "label")
INDEX = ("round", "rater", "thread", "issue")


@dataclass(frozen=True)
class Rated:
    """Labels of people and models.

    Attributes
    ----------
    table : pandas.DataFrame
        Indexed by round, rater, thread, issue; a column a facet, no blanks.
    facets : tuple of str
    codebook : Codebook or None
        None where the facets are not the study's.
    reference : str
        How the rater ``adjudicated`` is called in what is printed.
    """

    table: pd.DataFrame
    facets: tuple
    codebook: object = None
    reference: str = REFERENCE

    def of(self, raters):
        """The labels of some raters only."""
        keep = self.table.index.get_level_values("rater").isin(list(raters))
        return Rated(self.table[keep], self.facets, self.codebook, self.reference)

    def models(self):
        """The models; StudyError where there are none, or no people."""
        people, models, reference = sides(self.table)
        _need(people or reference == REFERENCE, models)
        return models

    def both(self, model):
        """Index of the issues that people (or what they decided) and a model have labelled."""
        ours = sides(self.table)[2]
        return self.table.xs(ours, level="rater").index.intersection(
            self.table.xs(model, level="rater").index)

    def codes(self, share, model):
        """Codes of the issues both have labelled, by people and by a model, where people decided.

        Parameters
        ----------
        share : Share
        model : str

        Returns
        -------
        tuple of (numpy.ndarray, numpy.ndarray)
        """
        both = self.both(model)
        truth, said = (share.codes(self.table.xs(r, level="rater").loc[both])
                       for r in (sides(self.table)[2], model))
        return truth[truth > UNKNOWN], said[truth > UNKNOWN]


def from_extension(extension):
    """Labels of an extension's sheets: people, what they decided, and models.

    Parameters
    ----------
    extension : Extension
        Rounds without a sheet of a model are left out.

    Returns
    -------
    Rated

    Raises
    ------
    StudyError
        A sheet has errors, or a text of the protocol is blank or wrong.
    """
    plan, codebook = extension.plan, extension.codebook()
    people = [] if by_models(plan["raters"]) else plan["raters"]
    return Rated(applied(model_labels(extension, people), codebook), MEASURED, codebook)


def model_labels(extension, people=()):
    """Labels of an extension's models, and those of people who labelled the same rounds.

    Parameters
    ----------
    extension : Extension
    people : sequence of str

    Returns
    -------
    pandas.DataFrame
        Indexed by round, rater, thread, issue; a column a facet, ``""`` where blank. What people
        decided is labelled by ``adjudicated``.
    """
    plan, codebook, parts = extension.plan, extension.codebook(), []
    models = [r for r in (*plan["raters"], *plan.get("models", ())) if by_models([r])]
    if not models:
        raise StudyError(f"{extension.name} has no model raters; `label tasks {extension.name} "
                         "--for-model` hands out their tasks")
    protocol(extension, models)
    walk = crosswalk(extension)
    there = {whose(p.name) for p in sheet_files(extension)}
    for number in sorted(plan["rounds"], key=int):
        if not any((number, m) in there for m in models):
            continue
        parts.append(wide_labels(read_round(extension, number, models), codebook, walk))
        if people and any((number, r) in there for r in (*people, "raters")):
            checked = read_round(extension, number, people)
            parts.append(wide_labels(checked, codebook, walk))
            parts.append(_decided(extension, number, checked))
    if not parts:
        raise StudyError(f"{shown(extension.sheets)}: no answers of {', '.join(models)}; save "
                         f"them as round1-{models[0]}.jsonl …")
    return pd.concat(parts)


def _decided(extension, number, checked):
    """What people decided of a round; nothing where they have not met yet."""
    if disagreements(checked) and not decisions_file(extension, number).exists():
        return pd.DataFrame(columns=list(FACETS), index=pd.MultiIndex.from_arrays(
            [[]] * len(INDEX), names=INDEX))
    made = decide(extension, number, checked)
    if errors := [p for p in made.problems if p.severity == "error"]:
        raise StudyError(f"round {number}: {plural(len(errors), 'error')} in the decisions, the "
                         f"first: {errors[0]}. `label check {extension.name} --decisions` lists "
                         "them all")
    sources = {t.thread: t.source for t in extension.tasks()}
    rows = rows_of(made, sources)
    index = pd.MultiIndex.from_tuples([(number, REFERENCE, r.thread, r.issue) for r in rows],
                                      names=INDEX)
    return pd.DataFrame([{f: r.cells.get(f, "") for f in FACETS} for r in rows], index=index,
                        columns=list(FACETS))


def protocol(extension, models):
    """The protocol of an extension's model raters; StudyError where a text is blank.

    Parameters
    ----------
    extension : Extension
    models : sequence of str

    Returns
    -------
    dict
    """
    path = extension.path(PROTOCOL)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; `label tasks {extension.name} --for-model` "
                         "writes it") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"{shown(path)}: {error}; mend the TOML there") from None
    for rater in models:
        if not isinstance(told.get(rater), dict):
            raise StudyError(f"{shown(path)}: no part [{rater}]; say how {rater} was run")
    if told.get("codebook") != (due := versions_told(extension.plan["codebook"])):
        raise StudyError(f"{shown(path)}: codebook is {told.get('codebook')!r}, and the rounds "
                         f"were labelled with {due!r}; write that")
    texts = [(key, value) for key, value in told.items() if not isinstance(value, dict)]
    texts += [(f"{r}.{key}", value) for r in models for key, value in told[r].items()]
    for key, value in texts:
        if not str(value).strip():
            raise StudyError(f"{shown(path)}: {key} is blank; labels of models cannot be read "
                             "without it")
    return told


def told_of(extension):
    """The protocol of all models of an extension; see :func:`protocol`."""
    plan = extension.plan
    return protocol(extension, [m for m in (*plan["raters"], *plan.get("models", ()))
                                if by_models([m])])


def same_models(one, other):
    """StudyError where two protocols name other models under the same rater.

    Parameters
    ----------
    one, other : Extension
    """
    told = [told_of(e) for e in (one, other)]
    for rater in sorted(set(told[0]) & set(told[1])):
        if isinstance(told[0][rater], dict):
            for key in ("model", "settings", "prompt"):
                if told[0][rater].get(key) != told[1][rater].get(key):
                    raise StudyError(f"{rater} is not the same in {one.name} and {other.name}: "
                                     f"their protocols differ in {key}; how it errs there says "
                                     "nothing of here")


def from_files(people, models):
    """Labels of two files, of whatever study.

    Parameters
    ----------
    people, models : path-like
        csv, tsv or xlsx with the column ``item`` and either a column a facet (and ``rater``, where
        there are several), or ``rater``, ``facet`` and ``label``, a row a label, as in
        ``labels.csv``. Blank: the facet does not apply. The study's own facets are read with its
        codebook.

    Returns
    -------
    Rated

    Raises
    ------
    StudyError
        An item is labelled twice by a rater, a label is not in the codebook, the two files have
        no facet or no item in common.
    """
    frames = [_file(people, "R1", models=False), _file(models, "M1", models=True)]
    facets = [f for f in frames[0] if f in frames[1].columns]
    if not facets:
        raise StudyError(f"{shown(people)} and {shown(models)} have no facet in common; give "
                         "their columns the same names")
    table = pd.concat([f[facets] for f in frames])
    codebook = load_codebook() if "issue_type" in facets else None
    if codebook:
        table = table.reindex(columns=list(FACETS), fill_value="")
        _known(table, codebook)
        return Rated(applied(table, codebook), MEASURED, codebook)
    return Rated(table.replace("", NOT_APPLICABLE), tuple(facets))


def _file(path, rater, models):
    sheet = read_sheet(path, expected=["item"])
    names = [t.strip() for t in sheet.header]
    if "item" not in names:
        raise StudyError(f"{shown(path)}: no column 'item'; name the column that says what was "
                         "labelled so")
    frame = pd.DataFrame([cells for _, cells in sheet.rows], columns=names, dtype=str)
    frame = frame.loc[:, [bool(n) for n in names]].map(str.strip)
    frame = frame[frame["item"] != ""]
    if set(LONG) <= set(names):
        again = frame.duplicated(["item", "rater", "facet"])
        _twice(path, frame, again, "its facet")
        wide = frame.set_index(["rater", "item", "facet"])["label"].unstack().fillna("")
    else:
        if "rater" not in frame:
            frame = frame.assign(rater=rater)
        _twice(path, frame, frame.duplicated(["item", "rater"]), "it")
        wide = frame.set_index(["rater", "item"])
        wide = wide.drop(columns=[c for c in ("round", "url", "source", "note", "decided_at")
                                  if c in wide])
    for name in dict.fromkeys(wide.index.get_level_values("rater")):
        if models != name.startswith("M"):
            raise StudyError(f"{shown(path)}: rater {name!r} in the file of "
                             + ("models; models are M1, M2 …" if models else
                                "people; people are R1, R2 … or adjudicated"))
    index = [("1", r, *_split(item)) for r, item in wide.index]
    return wide.set_axis(pd.MultiIndex.from_tuples(index, names=INDEX))


def _twice(path, frame, again, what):
    if again.any():
        row = frame[again].iloc[0]
        raise StudyError(f"{shown(path)}: {row.get('rater', '')} labels {row['item']} twice; keep "
                         f"one row for {what}")


def _split(item):
    """Thread and issue, where an item is written so; else the item itself."""
    try:
        return thread_of(item)
    except StudyError:
        return item, 1


def _known(table, codebook):
    for facet in FACETS:
        for label in sorted(set(table[facet]) - {"", UNDECIDED, MISSING}):
            parts = label.split(";") if facet == "fix_pattern" else [label]
            for part in parts:
                if codebook.resolve(facet, part) is None and not part.startswith("new:") and (
                        facet, part) != ("issue_type", "not relevant"):
                    raise StudyError(f"{facet} {part!r} is not in the codebook"
                                     + codebook.hint(facet, part))


def shares_of(rated):
    """The shares that are looked at: the headlines, or the frequent categories of each facet.

    Parameters
    ----------
    rated : Rated
        Categories are taken from the labels of its models.

    Returns
    -------
    list of Share
    """
    _, models, _ = sides(rated.table)
    own = rated.of(models).table
    return headline_shares(own, rated.codebook) if rated.codebook else category_shares(own)


def calibrate(rated):
    """Model raters against people on the same issues.

    Parameters
    ----------
    rated : Rated

    Returns
    -------
    dict of str to pandas.DataFrame
        agreement, beyond, bias, confusion; see ``study.measure.model_raters``.

    Raises
    ------
    StudyError
        No issue was labelled by both.
    """
    table = rated.table
    people, models, reference = sides(table)
    _need(people or reference == REFERENCE, models)
    threads = [set(table.xs(r, level="rater").index) for r in (reference, *models)]
    if not set.intersection(*threads):
        raise StudyError("people and models have no item in common; are they named alike in both "
                         "files?")
    found = agreement(table, rated.facets)
    for column in ("raters", "who"):
        found[column] = found[column].str.replace(REFERENCE, rated.reference)
    return {"agreement": found,
            "beyond": beyond_people(table, rated.facets),
            "bias": biases(table, shares_of(rated)),
            "confusion": confusions(table, rated.facets)}


def _need(people, models):
    if not people or not models:
        raise StudyError(f"no labels of {'models' if people else 'people'}; both are needed")


def correct(corpus, calibration=None):
    """Shares of a model-labelled corpus, corrected by issues that people labelled too.

    Parameters
    ----------
    corpus : Rated
    calibration : Rated or beside_study.Counted, optional
        By default the corpus itself: those of its issues that people labelled. Another one
        says how the same models err elsewhere; that they err so here too is then assumed.

    Returns
    -------
    pandas.DataFrame
        Columns share_of, model, n_model (issues of the corpus inside, by the model), as_labelled
        (their share), n (calibration issues inside, by people), share, low, high (95 %,
        prediction-powered), weight (of the model's labels), matrix, matrix_low, matrix_high (by
        the misclassification matrix), needed (calibration issues in all for 10 points to each
        side), note. Where fewer than ``corrected.MINIMUM`` are inside, the share is refused:
        blank, with what is needed.

    Raises
    ------
    StudyError
        Every share is refused, nothing is left to correct, or the two have other models.
    """
    within = calibration is None
    known = corpus if within else calibration
    _, models, _ = sides(corpus.table)
    if lacking := [m for m in models if m not in known.models()]:
        raise StudyError(f"{', '.join(lacking)} labelled nothing of the calibration; the same "
                         "models are needed in both")
    records = []
    for share in shares_of(corpus):
        for model in models:
            all_of = corpus.table.xs(model, level="rater")
            rest = (all_of.drop(known.both(model), errors="ignore") if within else all_of)
            truth, said = known.codes(share, model)
            codes = [truth, _inside(said), _inside(share.codes(rest))]
            whole = _inside(share.codes(all_of))
            records.append({"share_of": share.name, "model": model,
                            "n_model": int((whole >= 0).sum()), "as_labelled": _share(whole)}
                           | _corrected(*codes, within, f"{share.name} {model}"))
    made = pd.DataFrame(records)
    if not (made["rest"] > 0).any():
        raise StudyError("people have labelled every issue; nothing is left to correct, take "
                         "their labels")
    if made["share"].isna().all():
        best = made.loc[made["n"].idxmax()]
        raise StudyError(f"too few calibration issues: {best['n']} at most, and {MINIMUM} are "
                         f"needed for {best['share_of']}; with about {best['needed']} issues "
                         "labelled by people and models in all, shares can be corrected")
    return made.drop(columns="rest")


def with_decided(extension, rated):
    """Labels of models, and beside them what was decided of theirs, as rater ``adjudicated``.

    Parameters
    ----------
    extension : Extension
        With models as its raters.
    rated : Rated
        Of :func:`from_extension`.

    Returns
    -------
    pandas.DataFrame
        As ``Rated.table``. Decided labels are no people's: they correct nothing.
    """
    codebook, walk = extension.codebook(), crosswalk(extension)
    made = pd.concat([_decided(extension, number, read_round(extension, number))
                      for number in sorted(extension.plan["rounds"], key=int)])
    for facet in FACETS:
        made[facet] = made[facet].map(lambda x, f=facet: carried(f, x, walk, codebook))
    return pd.concat([rated.table, applied(made, codebook)])


def by_place(rated, table, calibration):
    """Shares by repository: as each model labelled, as adjudicated, and corrected.

    Parameters
    ----------
    rated : Rated
    table : pandas.DataFrame
        As :func:`with_decided` returns it.
    calibration : Rated or beside_study.Counted
        Of another corpus.

    Returns
    -------
    pandas.DataFrame
        Columns place, share_of, model (or ``adjudicated``), n, of, and for a model share, low,
        high (95 %, prediction-powered, see :func:`correct`); blank where the calibration is too
        small or no issue of the repository is inside.
    """
    records = []
    for rater in _labelling(table):
        own = table.xs(rater, level="rater")
        places = _places(own)
        for share in shares_of(rated):
            truth, said = ((None, None) if rater == REFERENCE else
                           calibration.codes(share, rater))
            codes = pd.Series(share.codes(own), index=places)
            for name, part in codes.groupby(level=0):
                record = {"place": name, "share_of": share.name, "model": rater,
                          "n": int((part == 1).sum()), "of": int((part >= 0).sum())}
                if truth is not None and (truth >= 0).sum() >= MINIMUM and record["of"]:
                    found = ppi_share(truth, _inside(said), _inside(part.to_numpy()), False,
                                      small=True)
                    record |= {k: found[k] for k in ("share", "low", "high")}
                records.append(record)
    return pd.DataFrame(records, columns=["place", "share_of", "model", "n", "of", "share", "low",
                                          "high"])


def _places(labels):
    """The repository of each issue."""
    return [thread.removeprefix("gh:").partition("#")[0]
            for thread in labels.index.get_level_values("thread")]


def _labelling(table):
    """The models, and what was decided, where something was."""
    there = set(table.index.get_level_values("rater"))
    return [*sides(table)[1], *({REFERENCE} & there)]


def new_categories(extension, table):
    """How often each category that the study's codebook lacks was given, by repository.

    Parameters
    ----------
    extension : Extension
    table : pandas.DataFrame
        As :func:`with_decided` returns it.

    Returns
    -------
    pandas.DataFrame
        Columns version (of the codebook that has it first), facet, category, model (or
        ``adjudicated``), place, n (issues of all rounds; those of rounds before that version by
        what was proposed there), later (of these, issues of rounds that were labelled with the
        category at hand). Repositories that have none are left out.
    """
    plan, records = extension.plan, []
    path = extension.path("crosswalk.csv")
    for row in read_csv(path, CROSSWALK) if path.exists() else []:
        if row["relation"] != "added":
            continue
        for rater in _labelling(table):
            own = table.xs(rater, level="rater")
            has = own[own[row["facet"]].map(lambda x, new=row["new"]: new in x.split(JOIN))]
            later = [int(plan["codebook"][r]) >= int(row["version"])
                     for r in has.index.get_level_values("round")]
            counted = pd.Series(later, index=pd.Index(_places(has), dtype=object),
                                dtype=int).groupby(level=0)
            records += [(row["version"], row["facet"], row["new"], rater, place, len(part),
                         int(part.sum())) for place, part in counted]
    return pd.DataFrame(records, columns=["version", "facet", "category", "model", "place", "n",
                                          "later"])


def _inside(codes):
    """A model's codes: what it left open is outside."""
    return np.maximum(codes, -1)


def _share(codes):
    inside = (codes >= 0).sum()
    return float((codes == 1).sum() / inside) if inside else float("nan")


def _corrected(people, model, rest, tuned, seed):
    n, needed = int((people >= 0).sum()), items_needed(people, model, rest, tuned=tuned)
    record = {"n": n, "rest": int((rest >= 0).sum()), **dict.fromkeys(
        ("share", "low", "high", "weight", "matrix", "matrix_low", "matrix_high"), float("nan")),
        "needed": needed or ""}
    if n < MINIMUM:
        more = "" if needed else "; the corpus is too small for 10 points to each side"
        return record | {"note": f"refused: {n} calibration issues inside, {MINIMUM} are needed"
                         + more}
    found = ppi_share(people, model, rest, tuned)
    turned = matrix_share(people, model, rest, seed=seed)
    note = "" if needed else "the corpus is too small for 10 points to each side"
    return record | {k: found[k] for k in ("share", "low", "high", "weight")} | {
        "matrix": turned["share"], "matrix_low": turned["low"], "matrix_high": turned["high"],
        "note": note}

