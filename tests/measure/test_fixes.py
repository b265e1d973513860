"""Fix patterns: weights, coverage and system-level shares, counted by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallstudy import empty, faults, few
from study.measure.fixes import (
    coverage,
    frequent,
    frequent_fixes,
    matrix,
    patterns,
    system_level,
)
from study.read.codebook import Codebook, Entry

FAULTS = faults("""
    stage | symptom | fix_patterns | n
    run   | hang    | a            | 3
    run   | hang    | a;b          | 2
    run   | hang    | c            | 1
    run   | leak    | b;c          | 1
    start | hang    | d            | 1
    start | no file | .            | 2
""")
BOOK = Codebook({"fix_pattern": tuple(
    Entry("fix_pattern", name, system_level=level)
    for name, level in (("a", "narrow"), ("b", "middle"), ("c", "broad"), ("d", "no"))),
    "stage": (Entry("stage", "start"), Entry("stage", "run"))})


@pytest.mark.parametrize(("counting", "expected"), [
    ("each", {"a": 5, "b": 3, "c": 2, "d": 1}),
    ("first", {"a": 5, "b": 1, "c": 1, "d": 1}),
    ("fractions", {"a": 4, "b": 1.5, "c": 1.5, "d": 1}),
])
def test_patterns_and_their_order_by_frequency_then_name(counting, expected):
    rows = patterns(FAULTS, counting)
    assert rows.groupby("fix_pattern")["n"].sum().to_dict() == expected
    found = frequent(FAULTS, counting)
    assert found.to_dict() == expected
    assert found.index.tolist() == ["a", "b", "c", "d"]


def test_first_is_the_first_by_name_whatever_the_order_in_the_cell():
    assert patterns(faults("""
        fix_patterns | n
        z;b;m        | 1
    """), "first")["fix_pattern"].tolist() == ["b"]


def test_an_unknown_counting_is_refused():
    with pytest.raises(ValueError, match="each, first, fractions"):
        patterns(FAULTS, "every")


def test_patterns_leave_the_callers_table_alone():
    before = FAULTS.copy()
    for counting in ("each", "first", "fractions"):
        patterns(FAULTS, counting)
    pd.testing.assert_frame_equal(FAULTS, before)


def test_coverage_counts_a_fault_of_several_patterns_once():
    found = coverage(FAULTS).set_index("symptom")
    assert found.index.tolist() == ["hang", "no file", "leak"]
    columns = ["n", "patterns", "first", "tied", "top_1", "top_2", "top_3"]
    # hang: a mends 3 + 2 faults, b two of the same, c and d one each.
    assert found.loc["hang", columns].tolist() == [7, 4, "a", 1, 5, 5, 6]
    assert found.loc["leak", columns].tolist() == [1, 2, "b", 2, 1, 1, 1]
    assert found.loc["no file", columns].tolist() == [2, 0, "", 0, 0, 0, 0]
    assert found.loc["hang", "top_1_share"] == 5 / 7


@pytest.mark.parametrize(("by", "keys", "top_1"), [
    ("path", ["stage", "group", "symptom"], [5, 0, 1, 1]), ("stage", ["stage"], [5, 1]),
    ("all", [], [5])])
def test_coverage_by(by, keys, top_1):
    found = coverage(FAULTS, by)
    assert found["top_1"].tolist() == top_1
    assert found.columns.tolist()[:len(keys) + 1] == [*keys, "n"]
    assert found["n"].sum() == 10


def test_coverage_ties_go_by_name_and_say_how_many():
    table = faults("""
        fix_patterns | n
        y            | 2
        x            | 2
        z            | 1
    """)
    row = coverage(table, "all").iloc[0]
    assert (row["first"], row["tied"], row["top_1"], row["top_2"]) == ("x", 2, 2, 4)


def test_coverage_by_stage_in_the_order_of_the_codebook():
    assert coverage(FAULTS, "stage", codebook=BOOK)["stage"].tolist() == ["start", "run"]
    assert coverage(FAULTS, "stage")["stage"].tolist() == ["run", "start"]


def test_matrix_counted_by_hand():
    found = matrix(FAULTS)
    assert found.index.tolist() == ["hang", "no file", "leak"]
    assert found.columns.tolist() == ["a", "b", "c", "d"]
    assert found.to_numpy().tolist() == [[5, 2, 1, 1], [0, 0, 0, 0], [0, 1, 1, 0]]
    found = matrix(FAULTS, at_least=3)
    assert found.columns.tolist() == ["a", "b", "(rarer patterns)"]
    assert found.to_numpy().tolist() == [[5, 2, 2], [0, 0, 0], [0, 1, 1]]


def test_frequent_fixes_counted_by_hand():
    found = frequent_fixes(FAULTS, [0.0, 0.5, 5 / 7, 0.8, 1.0])
    assert found["n"].tolist() == [3, 2, 2, 1, 1]
    assert found["of"].tolist() == [3] * 5
    assert found["most"].tolist() == [True, True, True, False, False]
    assert frequent_fixes(FAULTS, [0.5], at_least=2)[["n", "of"]].to_numpy().tolist() == [[1, 2]]
    assert frequent_fixes(FAULTS, [0.5], by="path")[["n", "of"]].to_numpy().tolist() == [[3, 4]]
    assert frequent_fixes(FAULTS, [0.8], top=3)["n"].tolist() == [2]


def test_half_of_the_symptoms_are_not_most():
    table = faults("""
        symptom | fix_patterns | n
        hang    | a            | 1
        leak    | a            | 1
        leak    | b            | 1
    """)
    assert not frequent_fixes(table, [0.6])["most"].iloc[0]


@pytest.mark.parametrize(("counting", "n"), [
    ("any", [5, 6, 7]), ("all", [3, 5, 7]), ("fractions", [4, 5.5, 7])])
def test_system_level_counted_by_hand(counting, n):
    found = system_level(FAULTS, BOOK, counting=counting)
    assert found["reading"].tolist() == ["narrow", "middle", "broad"]
    assert found["n"].tolist() == n
    assert found["of"].tolist() == [10] * 3
    assert found["share"].tolist() == pytest.approx([k / 10 for k in n])


def test_system_level_within():
    found = system_level(FAULTS, BOOK, by=["stage"]).set_index(["reading", "stage"])
    assert found.loc[("middle", "run"), ["n", "of"]].tolist() == [6, 7]
    assert found.loc[("middle", "start"), ["n", "of"]].tolist() == [0, 3]


def test_no_fault_is_an_answer_too():
    none = empty("faults")
    for by in ("symptom", "path", "stage", "all"):
        found = coverage(none, by, codebook=BOOK)
        assert found.empty
        assert {"n", "first", "top_3_high"} <= set(found.columns)
    assert matrix(none).empty
    assert frequent_fixes(none, [0.5])[["n", "of", "most"]].to_numpy().tolist() == [[0, 0, False]]
    for counting in ("any", "all", "fractions"):
        found = system_level(none, BOOK, counting=counting)
        assert found[["n", "of"]].to_numpy().tolist() == [[0, 0]] * 3
        assert found["share"].isna().all()


CELLS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True).map(
    lambda names: ";".join(sorted(names)))
ROWS = st.lists(st.tuples(st.sampled_from(["run", "start"]), st.sampled_from(["hang", "leak"]),
                          CELLS, st.integers(1, 5)), min_size=1, max_size=8)


def frame(rows):
    table = pd.DataFrame(rows, columns=["stage", "symptom", "fix_patterns", "n"])
    return table.assign(group="")


@few
@given(ROWS)
def test_more_patterns_cover_no_less_and_never_more_than_all(rows):
    table = frame(rows)
    for by in ("symptom", "all"):
        found = coverage(table, by, top=(1, 2, 3, 4))
        assert (found["top_1"] <= found["top_2"]).all()
        assert (found["top_2"] <= found["top_3"]).all()
        assert (found["top_4"] == found["n"]).all(), "there are four patterns"
        assert (found["top_1"] * found["patterns"] >= found["n"]).all()


@few
@given(ROWS)
def test_fractions_keep_the_sum_and_the_readings_nest(rows):
    table = frame(rows)
    assert patterns(table, "fractions")["n"].sum() == pytest.approx(table["n"].sum())
    assert patterns(table, "first")["n"].sum() == table["n"].sum()
    assert matrix(table).to_numpy().sum() == patterns(table)["n"].sum()
    found = {c: system_level(table, BOOK, counting=c)["n"].to_numpy()
             for c in ("any", "all", "fractions")}
    for n in found.values():
        assert (np.diff(n) >= -1e-9).all()
    assert (found["all"] <= found["fractions"] + 1e-9).all()
    assert (found["fractions"] <= found["any"] + 1e-9).all()


@few
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_means_nothing(rows, random):
    table = frame(rows)
    order = list(range(len(table)))
    random.shuffle(order)
    other = table.iloc[order].reset_index(drop=True)
    for by in ("symptom", "stage"):
        pd.testing.assert_frame_equal(coverage(other, by), coverage(table, by))
    pd.testing.assert_frame_equal(matrix(other), matrix(table))
    pd.testing.assert_frame_equal(system_level(other, BOOK), system_level(table, BOOK))
    pd.testing.assert_series_equal(frequent(other), frequent(table))


def test_the_committed_coverage_by_a_plain_loop(study, lines):
    counts, sizes = {}, {}
    for row in lines("faults"):
        sizes[row["symptom"]] = sizes.get(row["symptom"], 0) + int(row["n"])
        for name in row["fix_patterns"].split(";"):
            own = counts.setdefault(row["symptom"], {})
            own[name] = own.get(name, 0) + int(row["n"])
    found = coverage(study.faults).set_index("symptom")
    assert found["n"].to_dict() == sizes
    assert found["top_1"].to_dict() == {s: max(own.values()) for s, own in counts.items()}
    assert found["first"].to_dict() == {
        s: min(own, key=lambda name, own=own: (-own[name], name)) for s, own in counts.items()}
    assert found["top_1"].sum() == 204
    assert coverage(study.faults, "all")["patterns"].iloc[0] == len(
        {name for own in counts.values() for name in own}) == 74


def test_the_committed_system_level_shares(study, lines):
    found = system_level(study.faults, study.codebook).set_index("reading")
    levels = {e.name: e.system_level for e in study.codebook.entries["fix_pattern"]}
    middle = sum(int(r["n"]) for r in lines("faults")
                 if {"narrow", "middle"} & {levels[p] for p in r["fix_patterns"].split(";")})
    assert found["n"].to_dict() == {"narrow": 204, "middle": middle, "broad": 409}
    assert middle == 336


def test_every_pattern_of_the_committed_faults_is_in_alphabetical_order(lines):
    assert all(r["fix_patterns"].split(";") == sorted(set(r["fix_patterns"].split(";")))
               for r in lines("faults"))
