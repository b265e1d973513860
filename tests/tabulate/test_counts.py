"""From labelled rows to the counts of the final table; the anchors of the released files."""

import csv
import re
from collections import Counter

import pandas as pd
import pytest

from study.base.errors import StudyError
from study.base.paths import STUDY
from study.base.words import JOIN
from study.read.codebook import FAULT, QUESTION
from study.read.upstream import load_upstream
from study.tabulate.counts import (
    collection_counts,
    fault_counts,
    final_issues,
    oddities,
    question_counts,
    read_candidates,
)
from study.tabulate.issues import Row
from study.tabulate.tables import read_table

# --- candidate lists ---


def test_candidates(release):
    table = read_candidates(release.path(""), load_upstream(release.upstream))
    assert list(table.itertuples(index=False, name=None)) == [
        ("gh:synthetic/repo#1", "GitHub", "alpha"), ("gh:synthetic/repo#2", "GitHub", "alpha"),
        ("gh:synthetic/repo#4", "GitHub", "alpha"), ("so:11", "Stack Overflow", "beta"),
        ("so:12", "Stack Overflow", "beta"), ("so:13", "Stack Overflow", "beta")]


def test_several_tags_are_sorted_and_others_ignored(release):
    release.path("candidates-asked.csv").write_text(
        "question,tags\nstackoverflow.com/q/7,<beta><x><alpha>\nstackoverflow.com/q/8,<alphabet>\n",
        encoding="utf-8")
    table = read_candidates(release.path(""), load_upstream(release.upstream))
    assert table["frameworks"].tolist()[-2:] == ["alpha;beta", ""]


@pytest.mark.parametrize(("name", "text", "message"), [
    ("candidates-alpha.txt", "https://github.com/a/b/issues/1\n\nnonsense\n",
     r"candidates-alpha\.txt, row 3: 'nonsense' is no link"),
    ("candidates-asked.csv", "question,tags\nhttps://stackoverflow.com/a/1,<beta>\n",
     r"candidates-asked\.csv, row 2: .* links to an answer"),
    ("candidates-asked.csv", "link,tags\nstackoverflow.com/q/7,<beta>\n",
     r"candidates-asked\.csv, row 1: no column 'question' or 'tags'; found link, tags\. Rename it"),
    ("candidates-beta.txt", "https://github.com/synthetic/repo/pull/2\n",
     r"candidate lists: gh:synthetic/repo#2 is listed twice; remove one"),
])
def test_wrong_candidate_lists(release, name, text, message):
    release.path(name).write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=message):
        read_candidates(release.path(""), load_upstream(release.upstream))


# --- final issues and their counts ---


def row(rater, thread, issue, source="GitHub-alpha", round=None, **cells):
    return Row("synthetic.xlsx", "faults", 2, thread, issue, round or rater, rater, cells,
               frozenset(), source)


def fault(**more):
    return {"issue_type": FAULT, "distributed_specific": "1", "stage": "start",
            "symptom": "no start", "fix_pattern": "set flag", **more}


def question(**more):
    return {"issue_type": QUESTION, "topic": "API tour", **more}


ROWS = [
    row("final", "gh:a/b#1", 1, **fault()),
    row("final", "gh:a/b#2", 1, **fault()),
    row("final", "gh:a/b#3", 1, **fault(fix_pattern="set the flag & move file/folder")),
    row("final", "gh:a/b#3", 2, **question()),
    row("final", "so:5", 1, "SO-beta & SO-alpha", **question(topic="use", subtopic="first steps")),
    row("adjudicated", "gh:a/b#1", 1, round="2", **fault()),
    row("adjudicated", "gh:a/b#2", 1, round="2", **fault()),
    row("pilot", "gh:a/b#3", 1, **fault()),
    row("adjudicated", "gh:a/b#3", 1, round="1", **fault()),
    row("R1", "so:5", 1, round="1", **question()),
]
CANDIDATES = pd.DataFrame(
    [("gh:a/b#1", "GitHub", "alpha"), ("gh:a/b#2", "GitHub", "alpha"),
     ("gh:a/b#7", "GitHub", "alpha"), ("so:5", "Stack Overflow", "beta")],
    columns=["thread", "platform", "frameworks"])


def test_final_issues(small):
    table = final_issues(ROWS, small, CANDIDATES)
    found = table[["thread", "issue", "platform", "frameworks", "issue_type", "fix_patterns",
                   "candidate", "issues_in_thread", "round"]]
    assert list(found.itertuples(index=False, name=None)) == [
        ("gh:a/b#1", 1, "GitHub", "alpha", FAULT, "set flag", "yes", 1, "2"),
        ("gh:a/b#2", 1, "GitHub", "alpha", FAULT, "set flag", "yes", 1, "2"),
        ("gh:a/b#3", 1, "GitHub", "alpha", FAULT, "move file/folder;set flag", "no", 2, "1;pilot"),
        ("gh:a/b#3", 2, "GitHub", "alpha", QUESTION, "", "no", 2, "1;pilot"),
        ("so:5", 1, "Stack Overflow", "alpha;beta", QUESTION, "", "yes", 1, "none")]
    filed = final_issues(ROWS, small, CANDIDATES, rules=())
    assert filed["fix_patterns"].tolist()[2] == "set the flag & move file/folder"
    assert (table["topic"].tolist()[-1], filed["topic"].tolist()[-1]) == ("usage", "use")


def test_counts_join_equal_issues_and_keep_all_labels(small):
    issues = final_issues(ROWS, small, CANDIDATES)
    assert list(fault_counts(issues).itertuples(index=False, name=None)) == [
        ("GitHub", "alpha", "1", "start", "", "no start", "move file/folder;set flag", "no", 2,
         "1;pilot", 1),
        ("GitHub", "alpha", "1", "start", "", "no start", "set flag", "yes", 1, "2", 2)]
    assert list(question_counts(issues).itertuples(index=False, name=None)) == [
        ("GitHub", "alpha", "API tour", "", "no", 2, "1;pilot", 1),
        ("Stack Overflow", "alpha;beta", "usage", "first steps", "yes", 1, "none", 1)]


def test_collection_counts(small):
    table = collection_counts(CANDIDATES, final_issues(ROWS, small, CANDIDATES))
    assert list(table.itertuples(index=False, name=None)) == [
        ("GitHub", "alpha", 3, 3, 4, 3, 1),
        ("Stack Overflow", "alpha;beta", 0, 1, 1, 0, 1),
        ("Stack Overflow", "beta", 1, 0, 0, 0, 0)]


def test_oddities(small):
    table = oddities(ROWS, final_issues(ROWS, small, CANDIDATES), CANDIDATES, {"gh:a/b#1"},
                     {"order": {"gh:a/b#2"}, "best match": set()})
    found = {r.oddity: (r.n, r.threads) for r in table.itertuples() if r.n}
    assert found == {
        "labelled threads in no candidate list": (1, "gh:a/b#3"),
        "threads with a fault and a question": (1, "gh:a/b#3"),
        "threads labelled in two rounds": (1, "gh:a/b#3"),
        "final threads in no released labelling sheet": (1, "so:5"),
        "threads of raters' sheets that their round's adjudicated sheet lacks": (1, "so:5"),
        "threads of an adjudicated sheet that no rater's sheet of the round has":
            (3, "gh:a/b#1;gh:a/b#2;gh:a/b#3"),
        "threads with more or fewer issues at last than in their round, or of both kinds":
            (1, "gh:a/b#2"),
        "questions whose named framework is none of their tags": (1, "so:5"),
        "threads in which pairing the raters' issues by order joins others than by place":
            (1, "gh:a/b#2")}
    assert (table["treatment"] != "").all()


def test_a_final_table_with_a_strange_type_cell(small):
    with pytest.raises(StudyError, match=r"synthetic\.xlsx, sheet faults, row 2, column Type: "):
        final_issues([row("final", "so:5", 1, "StackOverflow", **fault())], small, CANDIDATES)


# --- anchors in the committed counts: seen in the released files when the package was begun ---


@pytest.fixture(scope="module")
def committed():
    return {name: read_table(STUDY / f"{name}.csv") for name in
            ("collection", "faults", "faults_as_filed", "questions", "questions_as_filed",
             "oddities")}


def test_issues_threads_and_candidates(committed):
    """1,131 issues: the abstract of the paper (doi 10.1145/3597204)."""
    total = committed["collection"].select_dtypes("int").sum()
    assert total.to_dict() == {"candidates": 2683, "threads": 1070, "issues": 1131,
                               "faults": 637, "questions": 494}
    assert int(committed["faults"]["n"].sum()) == 637
    assert int(committed["questions"]["n"].sum()) == 494
    for name in ("faults", "questions"):
        assert committed[f"{name}_as_filed"]["n"].sum() == committed[name]["n"].sum()


def test_candidates_by_list(committed):
    table = committed["collection"]
    github = table[table["platform"] == "GitHub"].set_index("frameworks")["candidates"]
    assert github.to_dict() == {"horovod": 762, "keras": 305, "pytorch": 726, "tensorflow": 135}
    assert int(table.loc[table["platform"] == "Stack Overflow", "candidates"].sum()) == 755


def test_collection_adds_up(committed):
    table = committed["collection"]
    assert (table["issues"] == table["faults"] + table["questions"]).all()
    assert (table["threads"] <= table["issues"]).all()
    for kind in ("faults", "questions"):
        own = committed[kind].groupby(["platform", "frameworks"])["n"].sum()
        found = table.set_index(["platform", "frameworks"])[kind]
        assert own.to_dict() == found[found > 0].to_dict()


def test_distributed_specific_by_stage(committed):
    own = committed["faults"].groupby(["stage", "distributed_specific"])["n"].sum()
    assert own.to_dict() == {
        ("communication setup", 1): 133, ("data and model preparation", 1): 46,
        ("data and model preparation", 0): 11, ("package build & import", 1): 81,
        ("package build & import", 0): 1, ("training & evaluation", 1): 309,
        ("training & evaluation", 0): 56}


def test_oddities_of_the_release(committed):
    own = committed["oddities"].set_index("oddity")["n"]
    assert own["labelled threads in no candidate list"] == 5
    assert own["threads with a fault and a question"] == 5
    outside = sum(int(committed[kind].query("candidate == 'no'")["n"].sum())
                  for kind in ("faults", "questions"))
    assert outside >= 5
    # Thread horovod#110: rater 1 left two of six rows blank, rater 2 labelled the first four.
    assert committed["oddities"].set_index("oddity")["threads"][
        "threads in which pairing the raters' issues by order joins others than by place"
    ] == "gh:horovod/horovod#110"
    for r in committed["oddities"].itertuples():
        assert len(r.threads.split(JOIN)) == r.n


# --- the same, counted another way in the released files ---


def final_rows(cells):
    """(thread address, row by column title) of the final table, links filled down."""
    for sheet in ("how-to questions", "faults"):
        header, *lines = cells["final.xlsx", sheet]
        link = None
        for line in lines:
            own = dict(zip(header, line, strict=True))
            link = own["link"] or link
            if any(line):
                yield sheet, re.match(r".*?/(?:issues|pull|questions)/\d+", link.lower())[0], own


def test_final_table_as_counted_by_hand(cells, released):
    kinds, stages = {}, Counter()
    for sheet, thread, own in final_rows(cells):
        kinds.setdefault(thread, []).append(sheet)
        if sheet == "faults":
            stages[own["stage"].lower(), int(own["distributed-specific"])] += 1
    assert sum(map(len, kinds.values())) == 1131
    assert len(kinds) == 1070
    assert sum(len(set(k)) == 2 for k in kinds.values()) == 5
    assert stages == Counter(read_table(STUDY / "faults.csv").groupby(
        ["stage", "distributed_specific"])["n"].sum().to_dict())

    listed, sizes = set(), {}
    for path in released.rglob("*-issues.txt"):
        own = [s for s in path.read_text(encoding="utf-8").splitlines() if s.strip()]
        sizes[path.name] = len(own)
        listed.update(map(short, own))
    assert sizes == {"horovod-issues.txt": 762, "keras-issues.txt": 305,
                     "pytorch-issues.txt": 726, "tensorflow-issues.txt": 135}
    with next(released.rglob("so_dl_distributed.csv")).open(encoding="utf-8-sig",
                                                            newline="") as stream:
        asked = [short(r["question"]) for r in csv.DictReader(stream)]
    assert len(asked) == 755
    assert len(listed | set(asked)) == 2683
    assert len(set(map(short, kinds)) - listed - set(asked)) == 5


def short(link):
    """A link's part that tells threads apart."""
    return re.search(r"[^/]+/[^/]+/(?:issues|pull)/\d+|questions/\d+", link.lower())[0]


def test_issues_made_anew_are_the_rows_of_the_final_table(rebuilt, cells):
    issues = rebuilt[1]["issues"]
    assert len(issues) == 1131
    assert issues["thread"].nunique() == 1070
    assert not issues.duplicated(["thread", "issue"]).any()
    assert issues["issues_in_thread"].max() == max(Counter(
        thread for _, thread, _ in final_rows(cells)).values())
