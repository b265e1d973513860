"""Each repair rule on a few rows, and what no rule may touch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.base.words import JOIN
from study.read.codebook import FACETS, FAULT, QUESTION, UNDECIDED, load_codebook
from study.read.repair import RULES, as_filed, repair, unknown
from syntheticrelease import SMALL_CODEBOOK

TITLES = frozenset({"stage", "leaf category", "fix pattern", "issue type"})


def row(*values, memo=""):
    """Cells of a fault: stage, group, symptom, fix pattern."""
    return {**dict(zip(("stage", "group", "symptom", "fix_pattern"), values, strict=True)),
            "issue_type": FAULT, "memo": memo}


def faults(labels):
    return tuple(labels[f] for f in ("stage", "group", "symptom", "fix_pattern"))


# --- as filed ---


@pytest.mark.parametrize(("facet", "text", "label"), [
    ("stage", "  START ", "start"),
    ("fix_pattern", "Fix  api USE", "fix API use"),  # the codebook's own capitals
    ("symptom", "", ""),
    ("symptom", " \u00a0 ", ""),
    ("symptom", "Pendign", UNDECIDED),
    ("symptom", "Sluggish", "sluggish"),  # no rename
    ("symptom", "Not starting", "not starting"),  # no alias
    ("fix_pattern", "set flag & other machine", "set flag & other machine"),  # no split
    ("group", "slow", "slow"),  # no shift
    ("stage", "Stage", "stage"),  # no title
])
def test_as_filed_takes_out_blanks_and_case_and_names_the_undecided(small, facet, text, label):
    labels = as_filed({facet: text}, small)
    assert labels == {**dict.fromkeys(FACETS, ""), facet: label}


def test_as_filed_keeps_labels_of_the_other_issue_type(small):
    labels = as_filed({"issue_type": "fault", "topic": "usage"}, small)
    assert (labels["issue_type"], labels["topic"]) == (FAULT, "usage")


# --- each rule alone: (cells) → (labels), and which rule fired where ---


@pytest.mark.parametrize(("rule", "cells", "labels", "fired"), [
    # title
    ("title", row("Stage", "", "Leaf  Category", "set flag"), ("", "", "", "set flag"),
     {"stage", "symptom"}),
    ("title", row("start", "", "no start", "set flag"),
     ("start", "", "no start", "set flag"), set()),
    # shift: a cell was left out, the values stand one column too far left
    ("shift", row("start", "no start", "set flag", ""), ("start", "", "no start", "set flag"),
     {"group", "symptom", "fix_pattern"}),
    ("shift", row("start", "not starting", "pending", ""), ("start", "", "not starting", UNDECIDED),
     {"group", "symptom", "fix_pattern"}),
    ("shift", row("start", "", "set flag", ""), ("start", "", "", "set flag"),
     {"symptom", "fix_pattern"}),
    # shift: the stage was entered twice, the last value ran into the memo
    ("shift", row("run", "Run", "crash", "slow", memo="set flag"),
     ("run", "crash", "slow", "set flag"), {"group", "symptom", "fix_pattern"}),
    ("shift", row("start", "start", "", "no start", memo="set flag & other machine"),
     ("start", "", "no start", "set flag & other machine"), {"group", "symptom", "fix_pattern"}),
    # shift: the symptom was entered twice, in the group's column too
    ("shift", row("start", "No start", "no start", "set flag"),
     ("start", "", "no start", "set flag"), {"group"}),
    # alias
    ("alias", row("start", "", "Not starting", "set the flag"),
     ("start", "", "no start", "set flag"), {"symptom", "fix_pattern"}),
    ("alias", row("start", "", "sluggish", "correct call"),
     ("start", "", "sluggish", "correct call"), set()),
    ("alias", row("start", "", "no start", "set flag/call"),
     ("start", "", "no start", "set flag/call"), set()),  # several patterns need `split` too
    # rename
    ("rename", row("run", "crash", "Sluggish", "correct call"),
     ("run", "crash", "slow", "fix API use"), {"symptom", "fix_pattern"}),
    ("rename", row("start", "", "not starting", ""), ("start", "", "not starting", ""), set()),
    # split
    ("split", row("run", "crash", "slow", "set flag & other machine"),
     ("run", "crash", "slow", "other machine;set flag"), {"fix_pattern"}),
    ("split", row("run", "crash", "slow", "set flag / fix api use"),
     ("run", "crash", "slow", "fix API use;set flag"), {"fix_pattern"}),
    ("split", row("run", "crash", "slow", "move file/folder"),
     ("run", "crash", "slow", "move file/folder"), set()),
    ("split", row("run", "crash", "slow", "set flag & Set Flag"),
     ("run", "crash", "slow", "set flag"), {"fix_pattern"}),  # the same one twice
    ("split", row("run", "crash", "slow", "move file/folder & set flag"),
     ("run", "crash", "slow", "move file/folder;set flag"), {"fix_pattern"}),
    ("split", row("run", "crash", "slow", "set flag & something else"),
     ("run", "crash", "slow", "set flag & something else"), set()),
    ("split", row("run", "crash", "slow", "set the flag & other machine"),
     ("run", "crash", "slow", "set the flag & other machine"), set()),  # needs `alias` too
    ("split", row("run", "crash", "slow & lost file", "set flag"),
     ("run", "crash", "slow & lost file", "set flag"), set()),  # fix patterns only
])
def test_rule(small, rule, cells, labels, fired):
    found, how = repair(cells, small, TITLES, rules=(rule,))
    assert faults(found) == labels
    assert how == {facet: [rule] for facet in fired}


@pytest.mark.parametrize("cells", [
    row("start", "", "lost file", "slow"),  # the last column alone: nothing to shift
    row("start", "set flag", "no start", ""),  # a fix pattern before a symptom
    row("run", "slow", "lost file", "set flag"),  # two symptoms: which one is meant?
    row("run", "run", "slow", "set flag", memo="other machine"),  # pushed, but no group
    row("start", "no start", "set flag", "other machine"),  # too far left, no cell left out
    row("start", "no start", "nonsense", ""),
    row("run", "slow", "slow", "nonsense"),
    row("start", "start", "no start", "set flag", memo="some remark"),
])
def test_rows_where_the_place_is_not_sure_are_left_alone(small, cells):
    labels, fired = repair(cells, small, TITLES)
    assert faults(labels) == faults(as_filed(cells, small))
    assert fired == {}


def test_two_places_that_fit_are_none(tmp_path):
    """A word that is a stage and a symptom: entered twice, or one column too far left?"""
    path = tmp_path / "codebook.toml"
    path.write_text(SMALL_CODEBOOK.replace('["not starting"]', '["not starting", "start"]'),
                    encoding="utf-8", newline="\n")
    book = load_codebook(path)
    labels, fired = repair(row("start", "start", "", ""), book)
    assert (faults(labels), fired) == (("start", "start", "", ""), {})
    labels, _ = repair(row("start", "start", "set flag", ""), book)  # but here one alone fits
    assert faults(labels) == ("start", "", "no start", "set flag")


def test_a_memo_is_read_only_where_values_ran_into_it(small):
    labels, _ = repair(row("start", "", "no start", "", memo="set flag"), small)
    assert labels["fix_pattern"] == ""


@pytest.mark.parametrize(("cells", "kind"), [
    ({"stage": "start"}, FAULT),
    ({"distributed_specific": "0"}, FAULT),
    ({"subtopic": "first steps"}, QUESTION),
    ({"topic": "pending"}, QUESTION),
    ({}, ""),
    ({"stage": "start", "topic": "usage"}, ""),  # both: not decided by the columns
    ({"issue_type": "pending", "stage": "start"}, UNDECIDED),  # not empty
    ({"issue_type": "how-to question", "stage": "start"}, QUESTION),
])
def test_issue_type(small, cells, kind):
    labels, fired = repair(cells, small, rules=("issue type",))
    assert labels["issue_type"] == kind
    filled = bool(kind) and not cells.get("issue_type")
    assert fired == ({"issue_type": ["issue type"]} if filled else {})


@pytest.mark.parametrize(("cells", "left_out"), [
    ({"issue_type": "fault", "topic": "usage", "subtopic": "first steps", "stage": "run"},
     {"topic", "subtopic"}),
    ({"issue_type": "how-to question", "topic": "usage", "stage": "run",
      "distributed_specific": "1"}, {"stage", "distributed_specific"}),
    ({"issue_type": "pending", "topic": "usage", "stage": "run"}, set()),
    ({"topic": "usage", "stage": "run"}, set()),
])
def test_inapplicable(small, cells, left_out):
    labels, fired = repair(cells, small, rules=("inapplicable",))
    filed = as_filed(cells, small)
    assert labels == {f: "" if f in left_out else filed[f] for f in FACETS}
    assert fired == {f: ["inapplicable"] for f in left_out}


def test_rules_work_together_and_each_is_named(small):
    cells = {"stage": "run", "group": "run", "symptom": "crash", "fix_pattern": "sluggish",
             "memo": "set the flag & correct call", "topic": "usage"}
    labels, fired = repair({**cells, "issue_type": "Issue type"}, small, TITLES)
    # Both kinds of label are there, so the emptied issue type stays empty.
    assert (labels["issue_type"], labels["topic"]) == ("", "usage")
    assert faults(labels) == ("run", "crash", "slow", "fix API use;set flag")
    assert fired == {"issue_type": ["title"], "group": ["shift"], "symptom": ["shift", "rename"],
                     "fix_pattern": ["shift", "alias", "rename", "split"]}
    labels, fired = repair({**cells, "topic": "", "issue_type": "Issue type"}, small, TITLES)
    assert labels["issue_type"] == FAULT
    assert fired["issue_type"] == ["title", "issue type"]


def test_no_rule_means_as_filed(small):
    cells = row("start", "no start", "set flag", "")
    assert repair(cells, small, TITLES, rules=()) == (as_filed(cells, small), {})


def test_unknown_names_the_facets_that_are_left_over(small):
    labels, _ = repair(row("begin", "pending", "slow", "set flag & no fix"), small)
    assert unknown(labels, small) == ["stage", "fix_pattern"]
    labels, _ = repair(row("run", "crash", "slow", "set flag & fix API use"), small)
    assert unknown(labels, small) == []


# --- properties ---

BOOK = load_codebook()
SPELLINGS = {facet: st.sampled_from(["", "pending", "Stage", "something else", *(
    s for e in BOOK.entries[facet] for s in (e.name, e.name.upper(), *e.aliases, *e.renamed_from))])
    for facet in FACETS}
# Now and then the value of another column, or two fix patterns in one cell.
ANY = st.one_of(*SPELLINGS.values())
CELLS = st.fixed_dictionaries({
    **{f: SPELLINGS[f] | ANY for f in FACETS if f != "fix_pattern"},
    "fix_pattern": SPELLINGS["fix_pattern"] | st.tuples(
        SPELLINGS["fix_pattern"], SPELLINGS["fix_pattern"]).map(" & ".join) | ANY,
    "memo": SPELLINGS["fix_pattern"]})


@given(CELLS)
def test_repairing_what_was_repaired_changes_nothing(cells):
    labels, _ = repair(cells, BOOK, TITLES)
    again, fired = repair({f: v.replace(JOIN, " & ") for f, v in labels.items()}, BOOK, TITLES)
    assert again == labels
    assert {rule for rules in fired.values() for rule in rules} <= {"split"}


@given(CELLS)
def test_without_rules_nothing_is_repaired_and_every_change_has_a_rule(cells):
    filed = as_filed(cells, BOOK)
    assert repair(cells, BOOK, TITLES, rules=())[0] == filed
    labels, fired = repair(cells, BOOK, TITLES)
    assert {f for f in FACETS if labels[f] != filed[f]} <= set(fired)
    assert {rule for rules in fired.values() for rule in rules} <= set(RULES)


@given(CELLS)
def test_as_filed_of_as_filed_is_the_same(cells):
    once = as_filed(cells, BOOK)
    assert as_filed(once, BOOK) == once


# --- the released sheets ---


def test_the_released_sheets_need_every_rule(rebuilt):
    fired = rebuilt[0]["repairs"]
    assert set(fired["rule"]) == {*RULES, "undecided"}
    final = fired[fired["file"] == "final.xlsx"]
    assert set(final["rule"]) == {"alias", "rename", "split"}  # the final table is nearly clean
