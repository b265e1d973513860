"""The quantities behind the claims, on a small study and an empty one."""

import pytest

from smallstudy import faults, study, table
from study.decide.quantities import COLUMNS, QUANTITIES

SMALL = study(
    faults=faults("""
        platform       | distributed_specific | stage | symptom | fix_patterns              | n
        GitHub         | 1                    | run   | hang    | fix dependency version    | 6
        GitHub         | 0                    | run   | hang    | change hardware           | 2
        Stack Overflow | 0                    | start | leak    | change hardware           | 2
    """),
    questions=table("questions", """
        topic | n
        usage | 3
        data  | 2
    """),
    collection=table("collection", """
        platform       | frameworks | candidates | threads | issues | faults | questions
        GitHub         | a;b        | 20         | 12      | 13     | 8      | 5
        Stack Overflow | c          | 5          | 2       | 2      | 2      | 0
        Elsewhere      | d          | 7          | 0       | 0      | 0      | 0
    """),
    agreement=table("agreement", """
        round | label_1 | label_2 | n
        1     | hang    | hang    | 20
        1     | hang    | leak    | 10
        1     | leak    | hang    | 20
        1     | leak    | leak    | 50
        2     | hang    | hang    | 1
    """))


def readings(name, study=SMALL):
    return QUANTITIES[name](study).set_index("reading")


@pytest.mark.parametrize(("name", "expected"), [
    ("issues", {"rows of the final table": 15}),
    ("platforms", {"platforms of the final table": 2}),
    ("frameworks", {"frameworks the authors named": 3}),
    ("candidates", {"Elsewhere": 7, "GitHub": 20, "Stack Overflow": 5, "both platforms": 32}),
    ("threads", {"Elsewhere": 0, "GitHub": 12, "Stack Overflow": 2, "both platforms": 14}),
    ("specific_share", {"all stages": 6 / 10, "run": 6 / 8, "start": 0.0}),
    ("stages", {"most frequent": 0.8, "run": 0.8, "start": 0.2}),
    ("topics", {"most frequent": 0.6, "usage": 0.6, "data": 0.4}),
    ("pattern_coverage", {"first pattern": 0.8, "first two": 1.0, "first three": 1.0}),
])
def test_value_counted_by_hand(name, expected):
    found = readings(name)["value"]
    assert found.to_dict() == pytest.approx(expected)
    assert list(found.index) == list(expected)


def test_fault_share_of_a_platform_without_issues_is_missing():
    found = readings("fault_share")["value"]
    assert found.drop("Elsewhere").to_dict() == pytest.approx(
        {"both platforms": 10 / 15, "GitHub": 8 / 13, "Stack Overflow": 1.0})
    assert found.isna()["Elsewhere"]


def test_the_most_frequent_is_named():
    assert readings("stages").loc["most frequent", "label"] == "run"
    assert readings("topics").loc["most frequent", "label"] == "usage"
    assert readings("topics").loc["data", "label"] == ""


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", QUANTITIES)
def test_nothing_to_measure_is_missing_or_nought(name):
    found = QUANTITIES[name](study())
    assert found.columns.tolist() == COLUMNS
    assert len(found) > 0
    assert (found["value"].isna() | found["value"].eq(0)).all()
    assert found["n"].eq(0).all()


@pytest.mark.parametrize("name", QUANTITIES)
def test_the_committed_readings_have_names_of_their_own(study, name):
    found = QUANTITIES[name](study)
    assert found.columns.tolist() == COLUMNS
    assert found["reading"].is_unique
    assert found["value"].notna().all()
    some = found.dropna(subset=["low", "high"])
    assert (some["low"] <= some["value"] + 1e-9).all()
    assert (some["value"] <= some["high"] + 1e-9).all()
