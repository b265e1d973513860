"""The count tables: their columns, read with checks, written the same way every time."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pandera.pandas as pa

from study.base import paths
from study.base.errors import StudyError
from study.base.paths import STUDY, extension_names, shown
from study.base.words import JOIN
from study.read.codebook import load_codebook, newest_codebook
from study.read.form import MODEL_LABELLED

MARK = f"{MODEL_LABELLED}-"  # before the name of a table
_SOURCE = ["platform", "frameworks"]
WHERE = ["candidate", "issues_in_thread", "round"]
_FAULT = ["distributed_specific", "stage", "group", "symptom", "fix_patterns"]

# Each table: its columns in order. Numbers are counts; everything else is text.
COLUMNS = {
    "collection": [*_SOURCE, "candidates", "threads", "issues", "faults", "questions"],
    "faults": [*_SOURCE, *_FAULT, *WHERE, "n"],
    "faults_as_filed": [*_SOURCE, *_FAULT, *WHERE, "n"],
    "questions": [*_SOURCE, "topic", "subtopic", *WHERE, "n"],
    "questions_as_filed": [*_SOURCE, "topic", "subtopic", *WHERE, "n"],
    "agreement": ["round", "facet", "reading", "scope", "label_1", "label_2", "n"],
    "spellings": ["round", "facet", "label_1", "written_1", "label_2", "written_2", "n"],
    "adjudication": ["round", "facet", "label_1", "label_2", "adjudicated", "n"],
    "changes": ["round", "facet", "adjudicated", "final", "n"],
    "rounds": ["round", "rater", "threads", "issues", "paired", "unpaired", "undecided",
               "changed"],
    "repairs": ["file", "sheet", "rule", "n"],
    "exclusions": ["file", "sheet", "row", "left_out_of", "reason"],
    "rows": ["file", "sheet", "fate", "n"],
    "oddities": ["oddity", "n", "threads", "treatment"],
}
COUNTS = {"n", "candidates", "issues", "faults", "questions", "paired", "unpaired",
          "undecided", "changed", "issues_in_thread", "row", "distributed_specific"}
# Cells that may be blank: a rater's sheet that nobody paired, a group no stage has, what an
# extension left undecided, the sheet of a file that has none.
OPTIONAL = {"group", "subtopic", "paired", "unpaired", "changed", "threads",
            "fix_patterns", "stage", "symptom", "topic", "frameworks", "distributed_specific",
            "sheet"}
# Of a table of its own, where the same column of another must be filled in.
BLANK = {"spellings": {"label_1", "written_1", "label_2", "written_2"}}
LABELS = {"distributed_specific": "distributed_specific", "stage": "stage", "group": "group",
          "symptom": "symptom", "topic": "topic", "subtopic": "subtopic",
          "fix_patterns": "fix_pattern"}


@dataclass(frozen=True)
class Study:
    """All count tables of a study (or of an extension of it), and its codebook.

    Attributes
    ----------
    collection, faults, questions, … : pandas.DataFrame
        As ``COLUMNS`` lists them. Counts are integers, everything else is text.
    codebook : Codebook
    """

    collection: pd.DataFrame
    faults: pd.DataFrame
    faults_as_filed: pd.DataFrame
    questions: pd.DataFrame
    questions_as_filed: pd.DataFrame
    agreement: pd.DataFrame
    spellings: pd.DataFrame
    adjudication: pd.DataFrame
    changes: pd.DataFrame
    rounds: pd.DataFrame
    repairs: pd.DataFrame
    exclusions: pd.DataFrame
    rows: pd.DataFrame
    oddities: pd.DataFrame
    codebook: object


def load_study(folder=STUDY, codebook=None):
    """Read every count table of a folder, checked against the codebook.

    Parameters
    ----------
    folder : str or path-like, default ``data/study``
        A bare name stands for an extension: ``data/extensions/NAME``. The tables of a
        model-labelled one are called so: ``model-labelled-faults.csv``.
    codebook : Codebook, optional
        By default the study's; an extension with versions of its own: the newest one.

    Returns
    -------
    Study

    Raises
    ------
    StudyError
        A table is missing, has other columns, a count that is negative or no whole
        number, or a label outside the codebook; with file, row, column and remedy.

    Examples
    --------
    >>> int(load_study().faults["n"].sum())
    637
    """
    if isinstance(folder, str) and Path(folder).name == folder:
        if folder not in extension_names():
            known = ", ".join(extension_names()) or "none yet"
            raise StudyError(f"no extension {folder!r} (there is: {known})")
        folder = paths.EXTENSIONS / folder
        codebook = codebook or load_codebook(newest_codebook(folder))
    codebook = codebook or load_codebook()
    mark = MARK if (Path(folder) / f"{MARK}faults.csv").exists() else ""
    tables = {name: read_table(Path(folder) / f"{mark}{name}.csv", codebook) for name in COLUMNS}
    return Study(**tables, codebook=codebook)


def counts_of(name, column):
    """Whether a column of a table holds whole numbers."""
    return column in COUNTS or (column == "threads" and name in ("collection", "rounds"))


def read_table(path, codebook=None):
    """Read and check one count table.

    Parameters
    ----------
    path : path-like
        A csv whose stem is a key of ``COLUMNS``, after ``model-labelled-`` where it is.
    codebook : Codebook, optional
        Against which labels are checked (not in the tables *as filed*).

    Returns
    -------
    pandas.DataFrame
    """
    path = Path(path)
    name = path.stem.removeprefix(MARK)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            header, *rows = list(csv.reader(stream, strict=True)) or [[]]
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; restore it from version control, or run "
                         f"`{_rebuild(path)}`") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise StudyError(f"{shown(path)} is no table ({str(error).strip()}); "
                         "restore it from version control") from None
    if header != COLUMNS[name]:
        raise StudyError(f"{shown(path)}, row 1: the columns are {', '.join(header) or 'missing'}"
                         f"; they must be {', '.join(COLUMNS[name])}. Restore the file from "
                         "version control")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise StudyError(f"{shown(path)}, row {number}: {len(row)} cells under "
                             f"{len(header)} columns; correct the row")
    table = pd.DataFrame(rows, columns=header, dtype=str)
    _check(path, table, _schema(name, codebook), codebook)
    for column in table:
        if counts_of(name, column):
            blank = table[column] == ""
            table[column] = (table[column].mask(blank, pd.NA).astype("Int64") if blank.any()
                             else table[column].astype(int))
    return table


def _rebuild(path):
    """The command that makes a table again."""
    own = path.resolve().parent
    return (f"python reproduce.py label counts {own.name}" if (own / "plan.json").exists() else
            "python reproduce.py data --write")


def _schema(name, codebook):
    columns = {}
    for column in COLUMNS[name]:
        checks = []
        if counts_of(name, column):
            blank = "|" if column in OPTIONAL else ""
            checks.append(pa.Check.str_matches(rf"^(?:\d+{blank})$",
                                               error="no count (a whole number, 0 or more)"))
        elif column not in OPTIONAL | BLANK.get(name, set()):
            checks.append(pa.Check(lambda s: s != "", error="blank; every row needs a value"))
        if codebook and column in LABELS and name in ("faults", "questions"):
            checks.append(_label_check(codebook, LABELS[column]))
        columns[column] = pa.Column(str, checks, nullable=False)
    return pa.DataFrameSchema(columns, strict=True)


def _label_check(codebook, facet):
    known = {"", *codebook.names(facet)}
    return pa.Check(lambda s: s.map(lambda v: all(p in known for p in v.split(JOIN))),
                    error=f"label:{facet}:not in the codebook")


def _check(path, table, schema, codebook):
    """Run a schema and raise the first failure in the reader's words."""
    try:
        schema.validate(table, lazy=True)
    except pa.errors.SchemaErrors as errors:
        case = errors.failure_cases.sort_values(["index", "column"]).iloc[0]
        what = str(case["check"])
        row, column, value = int(case["index"]) + 2, case["column"], case["failure_case"]
        if what.startswith("label:"):
            _, facet, what = what.split(":")
            what += codebook.hint(facet, str(value))
        raise StudyError(f"{shown(path)}, row {row}, column {column}: {value!r} is {what}. "
                         f"Correct the cell, or rebuild the table: {_rebuild(path)}") from None


def to_csv(table):
    """Text of a table: sorted by all its columns, no index, LF, UTF-8.

    Parameters
    ----------
    table : pandas.DataFrame

    Returns
    -------
    str

    Examples
    --------
    >>> to_csv(pd.DataFrame({"a": ["y", "x"], "n": [1, 2]}))
    'a,n\\nx,2\\ny,1\\n'
    """
    # Text sorts by code point, numbers by size: no locale, no dtype of the reader decides.
    ordered = table.sort_values(
        list(table.columns), kind="stable",
        key=lambda s: s if pd.api.types.is_numeric_dtype(s) else s.astype(str).astype(object))
    buffer = io.StringIO()
    ordered.to_csv(buffer, index=False, lineterminator="\n")
    return buffer.getvalue()


def differences(old, new, name):
    """Cells in which two versions of a count table differ, in words.

    Parameters
    ----------
    old, new : pandas.DataFrame
        With the same columns.
    name : str
        Of the table, for the message.

    Returns
    -------
    list of str
        One line a cell (a combination of labels) whose count moved.

    Examples
    --------
    >>> a = pd.DataFrame({"stage": ["x"], "n": [2]})
    >>> differences(a, a.assign(n=3), "faults")
    ['faults: stage=x: n 2 → 3']
    """
    numbers = [c for c in old.columns if counts_of(name, c) and c not in
               ("issues_in_thread", "row", "distributed_specific")]
    keys = [c for c in old.columns if c not in numbers]
    # A count that nobody made is no empty text and no number.
    one, two = (t.astype(object).where(t.notna(), "blank").astype(str) for t in (old, new))
    one, two = (t.groupby(keys, sort=True)[numbers].agg(JOIN.join) if numbers
                else t.assign(n="1").groupby(keys, sort=True)[["n"]].agg(JOIN.join)
                for t in (one, two))
    both = one.add_suffix("_old").join(two.add_suffix("_new"), how="outer").fillna("0")
    lines = []
    for key, row in both.iterrows():
        for column in one.columns:
            before, after = row[f"{column}_old"], row[f"{column}_new"]
            if before != after:
                where = ", ".join(f"{k}={v}" for k, v in
                                  zip(keys, key if isinstance(key, tuple) else (key,), strict=True)
                                  if v != "")
                lines.append(f"{name}: {where}: {column} {before} → {after}")
    return lines
