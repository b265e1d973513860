"""The quantities behind the claims, on a small study and an empty one."""

import pytest

from smallstudy import faults, study, table
from study.decide.multiverse import DECISIONS
from study.decide.quantities import COLUMNS, QUANTITIES, frequent_fixes_readings

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
    ("shared_symptoms", {
        f"{who}, {same}{rest}": value
        for who, value in (("other faults", 2 / 4), ("distributed-specific faults", 1))
        for rest in ("", ", without the symptom others") for same in ("by name", "by path")}),
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


def test_kappa_of_all_rounds_and_of_each():
    found = readings("symptom_kappa")
    assert found.index.tolist() == ["all rounds, repaired", "round 1, repaired",
                                    "round 2, repaired", "all rounds, as filed"]
    assert round(found["value"]["round 1, repaired"], 3) == 0.348  # Artstein & Poesio 2008
    assert found["n"].tolist() == [101, 100, 1, 0]
    assert found["value"].isna().tolist() == [False, False, True, True]


def test_system_level_under_nine_readings():
    found = readings("system_level")
    assert len(found) == 9
    assert found["value"]["narrow, one pattern suffices"] == 0.6
    assert found["value"]["broad, all patterns must"] == 1.0


def test_frequent_fixes_readings_are_distinct_and_say_what_they_count():
    found = readings("frequent_fixes")
    assert found.index.is_unique
    assert len(found) == len(frequent_fixes_readings()) == 48
    # hang: 6 of 8 alike; leak: 2 of 2, but fewer than five faults.
    assert found.loc["first pattern mends 50 % or more, by name, all symptoms",
                     ["value", "n"]].tolist() == [1.0, 2]
    assert found.loc["first pattern mends 50 % or more, by name, symptoms of 5 faults or more",
                     ["value", "n"]].tolist() == [1.0, 1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", QUANTITIES)
def test_nothing_to_measure_is_missing_or_nought(name):
    found = QUANTITIES[name](study())
    assert found.columns.tolist() == COLUMNS
    assert len(found) > 0
    assert (found["value"].isna() | found["value"].eq(0)).all()
    assert found["n"].eq(0).all() or name == "categories"


@pytest.mark.parametrize("name", QUANTITIES)
def test_the_committed_readings_have_names_of_their_own(study, name):
    found = QUANTITIES[name](study)
    assert found.columns.tolist() == COLUMNS
    assert found["reading"].is_unique
    assert found["value"].notna().all()
    some = found.dropna(subset=["low", "high"])
    assert (some["low"] <= some["value"] + 1e-9).all()
    assert (some["value"] <= some["high"] + 1e-9).all()


def test_readings_of_frequent_are_those_of_the_multiverse():
    tops = {f"first {top}" if top > 1 else "first" for top, *_ in frequent_fixes_readings()}
    thresholds = {f"{t:.0%}".replace("%", " %") for _, t, *_ in frequent_fixes_readings()}
    assert tops == set(DECISIONS["patterns counted"])
    assert thresholds == set(DECISIONS["frequent from"])
