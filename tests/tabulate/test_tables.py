"""Count tables: what may stand in them, how they are written, how two are compared."""

import csv
import re
import shutil

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.base.errors import StudyError
from study.base.paths import STUDY
from study.base.words import JOIN
from study.read.codebook import load_codebook
from study.read.upstream import load_upstream
from study.tabulate.tables import (
    COLUMNS,
    LABELS,
    counts_of,
    differences,
    load_study,
    read_table,
    to_csv,
)

# --- the committed tables ---


def test_every_committed_table_is_declared_and_the_other_way_round():
    assert {p.stem for p in STUDY.glob("*.csv")} >= set(COLUMNS)


@pytest.mark.parametrize("name", COLUMNS)
def test_committed_table(name, book):
    data = (STUDY / f"{name}.csv").read_bytes()
    text = data.decode("utf-8")
    assert b"\r" not in data and data.endswith(b"\n") and not data.startswith(b"\xef\xbb\xbf")
    header, *rows = csv.reader(text.splitlines())
    assert header == COLUMNS[name]
    numbers = [i for i, c in enumerate(header) if counts_of(name, c)]
    keys = [tuple(int(v or 0) if i in numbers else v for i, v in enumerate(row)) for row in rows]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    own = [i for i, c in enumerate(header) if c != "n"]
    if "n" in header:  # one row a combination
        assert len({tuple(row[i] for i in own) for row in rows}) == len(rows)
        assert all(int(row[header.index("n")]) > 0 for row in rows)
    assert to_csv(read_table(STUDY / f"{name}.csv", book)) == text


@pytest.mark.parametrize("name", sorted(set(COLUMNS) - {"oddities"}))
def test_no_thread_can_be_told_from_the_counts(name):
    text = (STUDY / f"{name}.csv").read_text(encoding="utf-8")
    assert not re.search(r"\bgh:|\bso:\d|https?:|issues/\d|questions/\d|#\d", text)


def test_rows_say_what_became_of_each_row():
    """As many labelled rows as raters, adjudication and the final table have issues."""
    study = load_study()
    kept = study.rows[~study.rows["fate"].isin(["left out: blank", "left out: no label"])]
    assert kept["n"].sum() == study.rounds["issues"].sum()
    alone = study.rows[study.rows["fate"] == "left out: no partner"]["n"].sum()
    assert alone == study.rounds["unpaired"].sum()
    assert len(study.exclusions) == study.rows[study.rows["fate"].str.startswith("left out")][
        "n"].sum()
    declared = {(s["file"], s["sheet"]) for s in load_upstream().sheets}
    assert set(zip(study.rows["file"], study.rows["sheet"], strict=True)) == declared


# --- faults of a count table ---


@pytest.fixture
def changed(tmp_path):
    """A committed table with one text replaced."""
    def write(name, old, new, count=1):
        text = (STUDY / f"{name}.csv").read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / f"{name}.csv"
        path.write_text(text.replace(old, new, count), encoding="utf-8", newline="\n")
        return path
    return write


FIRST = "GitHub,horovod,762,506,547,318,229"


@pytest.mark.parametrize(("name", "old", "new", "message"), [
    ("collection", FIRST, FIRST.replace("547", "-547"),
     "row 2, column issues: '-547' is no count (a whole number, 0 or more). Correct the cell"),
    ("collection", FIRST, FIRST.replace("547", "5.5"), "row 2, column issues: '5.5' is no count"),
    ("collection", FIRST, FIRST.replace("547", "many"), "row 2, column issues: 'many' is no count"),
    ("collection", FIRST, FIRST.replace("547", ""), "row 2, column issues: '' is no count"),
    ("collection", FIRST, FIRST.replace("547", "1e3"), "row 2, column issues: '1e3' is no count"),
    ("collection", FIRST, FIRST.replace("GitHub", ""),
     "row 2, column platform: '' is blank; every row needs a value"),
    ("collection", FIRST, FIRST + ",7", "row 2: 8 cells under 7 columns; correct the row"),
    ("collection", FIRST, FIRST.rpartition(",")[0], "row 2: 6 cells under 7 columns"),
    ("collection", FIRST, "\n" + FIRST, "row 2: 0 cells under 7 columns"),
    ("collection", FIRST, '"' + FIRST, "is no table ("),
    ("collection", "candidates,", "found,", "row 1: the columns are platform, frameworks, found, "),
    ("collection", "questions\n", "questions,more\n",
     "row 1: the columns are platform, frameworks, candidates, threads, issues, faults, questions, "
     "more; they must be platform, frameworks, candidates, threads, issues, faults, questions. "),
    ("faults", "download error", "download eror",
     "row 3, column symptom: 'download eror' is not in the codebook; nearest: 'download error'"),
    ("faults", "fix dataset,", "fix dataset;fix dtaset,", "row 2, column fix_patterns: "
     "'fix dataset;fix dtaset' is not in the codebook"),
    ("faults", "GitHub,horovod,0", "GitHub,horovod,2",
     "row 2, column distributed_specific: '2' is not in the codebook"),
    ("questions", "API usage", "API use", "row 2, column topic: 'API use' is not in the codebook"),
])
def test_a_wrong_table_ends_with_one_line(changed, book, name, old, new, message):
    path = changed(name, old, new)
    with pytest.raises(StudyError) as error:
        read_table(path, book)
    text = str(error.value)
    assert f"{name}.csv" in text and message in text
    assert "\n" not in text


def test_blank_counts_are_allowed_only_where_nobody_is_paired(changed):
    table = read_table(STUDY / "rounds.csv")
    assert table["paired"].isna().sum() == table["unpaired"].isna().sum() > 0
    path = changed("rounds", "1,R1,108,111,109", "1,R1,,111,109")
    # A blank number of threads would be a mistake, but the table's column may be blank
    # in others; issues may never be.
    path.write_text(path.read_text(encoding="utf-8").replace("1,R1,,111,", "1,R1,108,,"),
                    encoding="utf-8", newline="\n")
    with pytest.raises(StudyError, match=r"rounds\.csv, row 2, column issues: '' is no count"):
        read_table(path)


def test_a_missing_an_empty_and_a_foreign_table(tmp_path):
    with pytest.raises(StudyError, match=r"faults\.csv is missing; restore it from version control"
                                         ", or run `python reproduce.py data --write`"):
        read_table(tmp_path / "faults.csv")
    (tmp_path / "faults.csv").write_bytes(b"")
    with pytest.raises(StudyError, match=r"faults\.csv, row 1: the columns are missing; they must"):
        read_table(tmp_path / "faults.csv")
    (tmp_path / "faults.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StudyError, match=r"faults\.csv is no table \("):
        read_table(tmp_path / "faults.csv")


def test_load_study_reads_every_table_and_names_the_missing_one(tmp_path):
    shutil.copytree(STUDY, tmp_path / "study")
    (tmp_path / "study" / "rounds.csv").unlink()
    with pytest.raises(StudyError, match=r"rounds\.csv is missing"):
        load_study(tmp_path / "study")
    study = load_study()
    assert [list(getattr(study, name)) for name in COLUMNS] == list(COLUMNS.values())
    for name in COLUMNS:
        for column in COLUMNS[name]:
            assert pd.api.types.is_integer_dtype(getattr(study, name)[column]) == counts_of(
                name, column), (name, column)


def test_labels_are_checked_against_the_codebook_that_is_given(small, changed):
    with pytest.raises(StudyError, match="row 2, column stage: 'data and model preparation' is "
                                         "not in the codebook"):
        read_table(changed("faults", "x", "x"), small)


def test_as_filed_tables_may_hold_labels_nobody_repaired(changed, book):
    path = changed("faults_as_filed", "download error", "dwonload error")
    assert "dwonload error" in set(read_table(path, book)["symptom"])


def test_the_codebook_covers_every_label_of_the_counts():
    book, study = load_codebook(), load_study()
    for name in ("faults", "questions"):
        for column in set(LABELS) & set(COLUMNS[name]):
            own = {p for cell in getattr(study, name)[column].astype(str)
                   for p in cell.split(JOIN)} - {""}
            assert own <= set(book.names(LABELS[column], final_only=True)), column


# --- writing ---

CELL = st.text("aAzZäß,;\"' \u200bé", max_size=4)


@given(st.lists(st.tuples(CELL, CELL, st.integers(0, 12)), min_size=1), st.randoms())
def test_the_same_text_whatever_the_order(rows, random):
    table = pd.DataFrame(rows, columns=["file", "rule", "n"])
    mixed = list(rows)
    random.shuffle(mixed)
    text = to_csv(table)
    assert to_csv(pd.DataFrame(mixed, columns=["file", "rule", "n"])) == text
    found = list(csv.reader(text.splitlines(keepends=True)))[1:]
    assert [(a, b, int(n)) for a, b, n in found] == sorted(rows)


def test_text_is_sorted_by_code_point_numbers_by_size():
    table = pd.DataFrame({"a": ["b", "B", "ä", "b"], "n": [10, 1, 1, 9]})
    assert to_csv(table) == "a,n\nB,1\nb,9\nb,10\nä,1\n"


def test_blank_counts_are_written_as_blank():
    table = pd.DataFrame({"a": ["x", "y"], "n": pd.array([None, 3], dtype="Int64")})
    assert to_csv(table) == "a,n\nx,\ny,3\n"


# --- comparing ---


def frame(*rows, columns=("file", "sheet", "rule", "n")):
    return pd.DataFrame(rows, columns=list(columns))


def test_differences_name_each_cell_that_moved():
    old = frame(("a.xlsx", "s", "alias", 2), ("a.xlsx", "s", "split", 1), ("b.xlsx", "s", "x", 5))
    new = frame(("a.xlsx", "s", "alias", 3), ("a.xlsx", "t", "split", 1), ("b.xlsx", "s", "x", 5))
    assert differences(old, new, "repairs") == [
        "repairs: file=a.xlsx, sheet=s, rule=alias: n 2 → 3",
        "repairs: file=a.xlsx, sheet=s, rule=split: n 1 → 0",
        "repairs: file=a.xlsx, sheet=t, rule=split: n 0 → 1"]
    assert differences(old, old, "repairs") == []


def test_differences_of_a_table_with_several_counts_and_blank_ones():
    columns = COLUMNS["rounds"]
    old = frame(("1", "R1", 2, 3, 2, 1, 0, 1), columns=columns)
    new = old.assign(issues=4, paired=pd.array([None], dtype="Int64"))
    assert differences(old, new, "rounds") == [
        "rounds: round=1, rater=R1: issues 3 → 4", "rounds: round=1, rater=R1: paired 2 → blank"]


def test_differences_of_a_list_of_rows():
    columns = COLUMNS["exclusions"]
    old = frame(("a.xlsx", "s", 4, "agreement", "why"), columns=columns)
    new = frame(("a.xlsx", "s", 5, "agreement", "why"), columns=columns)
    assert differences(old, new, "exclusions") == [
        "exclusions: file=a.xlsx, sheet=s, row=4, left_out_of=agreement, reason=why: n 1 → 0",
        "exclusions: file=a.xlsx, sheet=s, row=5, left_out_of=agreement, reason=why: n 0 → 1"]


def test_blank_labels_are_left_out_of_the_name_of_a_cell():
    old = frame(("GitHub", "a", "t", "", "yes", 1, "1", 2), columns=COLUMNS["questions"])
    assert differences(old, old.assign(n=1), "questions") == [
        "questions: platform=GitHub, frameworks=a, topic=t, candidate=yes, issues_in_thread=1, "
        "round=1: n 2 → 1"]
