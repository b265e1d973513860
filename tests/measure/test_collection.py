"""From candidates to issues, counted by hand and on the committed tables."""

import pytest

from smallstudy import empty, table
from study.measure.collection import STEPS, frameworks_of, funnel, kinds, subtopics, topics

COLLECTION = table("collection", """
    platform       | frameworks       | candidates | threads | issues | faults | questions
    GitHub         | keras            | 10         | 4       | 5      | 3      | 2
    GitHub         | horovod          | 20         | 5       | 8      | 2      | 6
    Stack Overflow | keras            | 0          | 2       | 2      | 2      | 0
    Stack Overflow | keras;tensorflow | 4          | 1       | 1      | 0      | 1
""")
QUESTIONS = table("questions", """
    platform       | frameworks    | topic  | subtopic | n
    GitHub         | horovod       | usage  | start    | 3
    GitHub         | horovod       | usage  | .        | 1
    GitHub         | keras;pytorch | device | .        | 4
    Stack Overflow | pytorch       | usage  | stop     | 2
""")


def test_funnel_by_platform():
    found = funnel(COLLECTION)
    assert found[["platform", *STEPS]].to_numpy().tolist() == [
        ["GitHub", 30, 9, 13, 5, 8], ["Stack Overflow", 4, 3, 3, 2, 1], ["all", 34, 12, 16, 7, 9]]
    assert found["kept"].tolist() == pytest.approx([9 / 30, 3 / 4, 12 / 34])


def test_funnel_by_framework_leaves_kept_out_where_there_is_no_candidate():
    found = funnel(COLLECTION, ["platform", "frameworks"]).set_index(["platform", "frameworks"])
    assert len(found) == 5
    assert found.loc[("GitHub", "horovod"), "kept"] == 5 / 20
    assert found["kept"].isna().tolist() == [False, False, True, False, False]


def test_funnel_of_nothing_is_a_total_of_nothing():
    found = funnel(empty("collection"))
    assert found["platform"].tolist() == ["all"]
    assert found[STEPS].to_numpy().tolist() == [[0] * 5]
    assert found["kept"].isna().all()


def test_an_issue_of_two_frameworks_counts_for_each():
    found = frameworks_of(QUESTIONS)
    assert found.groupby("framework")["n"].sum().to_dict() == {"horovod": 4, "keras": 4,
                                                               "pytorch": 6}
    assert frameworks_of(COLLECTION, "faults")["framework"].tolist() == ["keras", "horovod",
                                                                         "keras"]


def test_topics_altogether_and_within():
    found = topics(QUESTIONS)
    assert found[["topic", "n", "of", "share"]].to_numpy().tolist() == [["usage", 6, 10, 0.6],
                                                                        ["device", 4, 10, 0.4]]
    within = topics(QUESTIONS, ["framework"])
    assert within[["framework", "topic", "n", "of"]].to_numpy().tolist() == [
        ["horovod", "usage", 4, 4], ["keras", "device", 4, 4],
        ["pytorch", "device", 4, 6], ["pytorch", "usage", 2, 6]]


@pytest.mark.parametrize("by", [(), ("platform",), ("framework",), ("platform", "framework")])
def test_topics_of_no_question_are_a_table_without_rows(by):
    found = topics(empty("questions"), by)
    assert found.empty
    assert found.columns.tolist() == [*by, "topic", "n", "of", "share", "low", "high"]


def test_a_blank_subtopic_has_a_name():
    found = subtopics(QUESTIONS, "usage")
    assert found[["subtopic", "n"]].to_numpy().tolist() == [["start", 3], ["stop", 2],
                                                            ["(none)", 1]]


def test_kinds():
    found = kinds(COLLECTION)
    assert found[["platform", "n", "of"]].to_numpy().tolist() == [["GitHub", 5, 13],
                                                                  ["Stack Overflow", 2, 3]]


def test_the_committed_collection(study, lines):
    found = funnel(study.collection, "platform").set_index("platform")
    assert found.loc["all", STEPS].tolist() == [2683, 1070, 1131, 637, 494]
    assert found["candidates"].to_dict() == {"GitHub": 762 + 305 + 726 + 135,
                                             "Stack Overflow": 755, "all": 2683}
    by = {r["frameworks"]: int(r["candidates"]) for r in lines("collection")
          if r["platform"] == "GitHub"}
    assert by == {"horovod": 762, "keras": 305, "pytorch": 726, "tensorflow": 135}


def test_the_tables_hold_the_same_issues(study, lines):
    for kind in ("faults", "questions"):
        total = sum(int(r["n"]) for r in lines(kind))
        assert total == sum(int(r[kind]) for r in lines("collection"))
        assert total == sum(int(r["n"]) for r in lines(f"{kind}_as_filed"))
        assert total == frameworks_of(getattr(study, kind).assign(
            frameworks="one"))["n"].sum()
    assert topics(study.questions)["share"].sum() == pytest.approx(1)
    assert topics(study.questions)["n"].iloc[0] == sum(
        int(r["n"]) for r in lines("questions") if r["topic"] == "communication") == 140
