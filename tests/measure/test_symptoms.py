"""The taxonomy and the distributed-specific share, counted by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallstudy import empty, faults, few
from study.measure.symptoms import (
    PATH,
    by_symptom,
    categories,
    shared_symptoms,
    taxonomy,
    without_rare,
)

FAULTS = faults("""
    distributed_specific | stage | group  | symptom | n
    1                    | run   | crash  | hang    | 4
    0                    | run   | crash  | hang    | 1
    1                    | run   | crash  | leak    | 1
    1                    | run   | result | hang    | 2
    0                    | start | .      | no file | 1
    1                    | start | .      | leak    | 3
""")


@pytest.mark.parametrize(("level", "expected"), [
    ("stage", [["run", 8, 7], ["start", 4, 3]]),
    ("group", [["run", "crash", 6, 5], ["run", "result", 2, 2], ["start", "", 4, 3]]),
    ("symptom", [["run", "crash", "hang", 5, 4], ["run", "crash", "leak", 1, 1],
                 ["run", "result", "hang", 2, 2], ["start", "", "leak", 3, 3],
                 ["start", "", "no file", 1, 0]]),
])
def test_taxonomy_counted_by_hand(level, expected):
    found = taxonomy(FAULTS, level)
    names = [c for c in PATH if c in found]
    assert found[[*names, "n", "specific"]].to_numpy().tolist() == expected
    assert found["share"].tolist() == [row[-2] / 12 for row in expected]
    assert found["specific_share"].tolist() == [row[-1] / row[-2] for row in expected]


def test_the_codebook_orders_the_stages(study):
    stages = study.codebook.names("stage")
    mixed = pd.concat([FAULTS.assign(stage=s) for s in sorted(stages)], ignore_index=True)
    assert taxonomy(mixed, "stage", study.codebook)["stage"].tolist() == stages
    assert taxonomy(mixed, "stage")["stage"].tolist() == sorted(stages) != stages


def test_by_symptom_wherever_it_stands():
    found = by_symptom(FAULTS)
    assert found[["symptom", "n", "specific", "other"]].to_numpy().tolist() == [
        ["hang", 7, 6, 1], ["leak", 4, 4, 0], ["no file", 1, 0, 1]]


def test_shared_symptoms_by_name_and_by_path():
    other = faults("""
        distributed_specific | stage | group  | symptom | n
        0                    | run   | result | leak    | 5
    """)
    table = pd.concat([FAULTS, other], ignore_index=True)
    by_name, by_path = shared_symptoms(table), shared_symptoms(table, "path")
    counts = ["symptoms", "both", "specific only", "other only", "others", "others_shared"]
    assert [by_name[c] for c in counts] == [3, 2, 0, 1, 7, 6]
    assert [by_path[c] for c in counts] == [6, 1, 3, 2, 7, 1]
    assert by_name["share"] == pytest.approx(6 / 7)


def test_shared_symptoms_where_every_fault_is_specific():
    found = shared_symptoms(FAULTS[FAULTS["distributed_specific"] == 1])
    assert (found["others"], found["others_shared"], found["both"]) == (0, 0, 0)
    assert np.isnan([found["share"], found["low"], found["high"]]).all()


def test_rare_symptoms_are_left_out_by_place():
    dropped = without_rare(FAULTS, 2)
    assert set(map(tuple, dropped[PATH].to_numpy())) == {("run", "crash", "hang"),
                                                         ("start", "", "leak")}
    pd.testing.assert_frame_equal(without_rare(FAULTS, 0), FAULTS)


def test_categories_counted_by_hand():
    found = categories(FAULTS, FAULTS.assign(symptom="x"), rare=(0, 1))
    rows = {(r.labels, r.unit, r.rare): (r.categories, r.faults) for r in found.itertuples()}
    assert len(rows) == len(found) == 12
    assert rows["repaired", "path", 0] == (5, 12)
    assert rows["repaired", "name", 0] == (3, 12)
    assert rows["repaired", "leaf", 0] == (3, 12)
    assert rows["repaired", "path", 1] == (3, 10)
    assert rows["repaired", "name", 1] == (2, 10)
    assert rows["as filed", "path", 0] == (3, 12)
    assert rows["as filed", "name", 0] == (1, 12)


ROWS = st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from(["run", "start"]),
                          st.sampled_from(["", "crash"]), st.sampled_from("abcd"),
                          st.integers(1, 4)), min_size=1, max_size=12)


def frame(rows):
    return pd.DataFrame(rows, columns=["distributed_specific", *PATH, "n"])


@few
@given(ROWS, st.integers(0, 5))
def test_no_symptom_that_is_left_is_rare(rows, rare):
    table = frame(rows)
    dropped = without_rare(table, rare)
    assert (dropped.groupby(PATH)["n"].sum() > rare).all()
    gone = table.groupby(PATH)["n"].sum()
    assert dropped["n"].sum() == gone[gone > rare].sum()


@few
@given(ROWS)
def test_shares_sum_to_one_and_the_order_of_rows_means_nothing(rows):
    table = frame(rows)
    shuffled = table.iloc[::-1].reset_index(drop=True)
    for level in ("stage", "group", "symptom"):
        found = taxonomy(table, level)
        assert found["share"].sum() == pytest.approx(1)
        assert found["n"].sum() == table["n"].sum()
        assert found["specific"].sum() == (table["n"] * table["distributed_specific"]).sum()
        pd.testing.assert_frame_equal(taxonomy(shuffled, level), found)
    pd.testing.assert_frame_equal(by_symptom(shuffled), by_symptom(table))
    assert shared_symptoms(shuffled) == pytest.approx(shared_symptoms(table), nan_ok=True)
    pd.testing.assert_frame_equal(categories(shuffled, shuffled, (0, 2)),
                                  categories(table, table, (0, 2)))


def test_no_fault_is_a_table_without_rows():
    none = empty("faults")
    for level in ("stage", "group", "symptom"):
        assert taxonomy(none, level).empty
    assert by_symptom(none).empty
    assert categories(none, none)["categories"].tolist() == [0] * 18
    assert without_rare(none, 2).empty


def test_the_committed_taxonomy(study, lines):
    found = taxonomy(study.faults, "stage", study.codebook).set_index("stage")
    both = {s: (r["specific"], r["n"] - r["specific"]) for s, r in found.iterrows()}
    assert both == {"package build & import": (81, 1), "communication setup": (133, 0),
                    "data and model preparation": (46, 11), "training & evaluation": (309, 56)}
    counted = {}
    for row in lines("faults"):
        key = (row["stage"], row["distributed_specific"])
        counted[key] = counted.get(key, 0) + int(row["n"])
    assert both == {s: (counted[s, "1"], counted.get((s, "0"), 0)) for s in both}
    assert list(found.index) == study.codebook.names("stage")


def test_the_committed_symptoms_on_both_sides(study, lines):
    sides = {}
    for row in lines("faults"):
        sides.setdefault(row["symptom"], [0, 0])[int(row["distributed_specific"])] += int(row["n"])
    found = shared_symptoms(study.faults)
    assert found["symptoms"] == len(sides) == 32
    assert found["both"] == sum(min(s) > 0 for s in sides.values()) == 16
    assert (found["others"], found["others_shared"]) == (68, 64)
    assert found["others_shared"] == sum(o for o, own in sides.values() if own)


def test_the_committed_categories(study, lines):
    sizes = {}
    for row in lines("faults"):
        path = tuple(row[c] for c in PATH)
        sizes[path] = sizes.get(path, 0) + int(row["n"])
    found = categories(study.faults, study.faults_as_filed)
    own = found[(found["labels"] == "repaired") & (found["unit"] == "path")]
    assert own["categories"].tolist() == [sum(n > rare for n in sizes.values())
                                          for rare in range(3)]
    assert own["categories"].head(3).tolist() == [39, 34, 30]
    filed = {tuple(r[c] for c in PATH) for r in lines("faults_as_filed")}
    assert found["categories"].iloc[0] == len(filed) == 41
