"""Cases where models agree against people: which there are, which are read, what is committed."""

import csv
import json
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.base.files import publish
from study.base.paths import DATA
from study.extend.beside_study import FINAL, Counted, from_study
from study.extend.calibrate import INDEX, Rated
from study.extend.folder import extension, read_csv
from study.extend.model_differences import (
    ABOVE,
    COLUMNS,
    EACH,
    FILE,
    READ,
    REASONS,
    chosen,
    differences,
)

OURS = DATA / "extensions" / "calibration"
HEADER = (*COLUMNS, "reason", "read", "by", "why")


@pytest.fixture(scope="module")
def committed():
    return read_csv(OURS / FILE, HEADER)


def labelled(**raters):
    """One issue a row: type, topic, stage, symptom, fix pattern, by rater."""
    rows = {("1", rater, f"gh:a/b#{i}", 1): cells.split("|")
            for rater, issues in raters.items() for i, cells in enumerate(issues)}
    index = pd.MultiIndex.from_tuples(rows, names=INDEX)
    return Rated(pd.DataFrame(list(rows.values()), index=index, columns=list(ABOVE)), tuple(ABOVE))


NA = "not applicable"


@pytest.mark.parametrize(("people", "m1", "m2", "facets"), [
    (f"fault|{NA}|s|y|f", f"fault|{NA}|s|y|f", f"fault|{NA}|s|y|f", []),
    (f"fault|{NA}|s|y|f", f"fault|{NA}|s|z|g", f"fault|{NA}|s|z|g", ["symptom", "fix_pattern"]),
    (f"fault|{NA}|s|y|f", f"fault|{NA}|s|z|f", f"fault|{NA}|s|x|f", []),
    # Another stage has other symptoms, another type none of the rest: one difference, not two.
    (f"fault|{NA}|s|y|f", f"fault|{NA}|t|z|f", f"fault|{NA}|t|z|f", ["stage"]),
    (f"fault|{NA}|s|y|f", f"how-to question|a|{NA}|{NA}|{NA}",
     f"how-to question|a|{NA}|{NA}|{NA}", ["issue_type"]),
    (f"how-to question|a|{NA}|{NA}|{NA}", f"how-to question|b|{NA}|{NA}|{NA}",
     f"how-to question|b|{NA}|{NA}|{NA}", ["topic"]),
    (f"fault|{NA}|s|y|f", f"fault|{NA}|s|undecided|missing", f"fault|{NA}|s|undecided|missing",
     []),
    (f"fault|{NA}|s|undecided|f", f"fault|{NA}|s|y|f", f"fault|{NA}|s|y|f", []),
])
def test_a_difference_belongs_to_the_facet_that_shows_it_first(people, m1, m2, facets):
    found = differences(labelled(adjudicated=[people], M1=[m1], M2=[m2]))
    assert list(found["facet"]) == facets
    assert set(found["item"]) <= {"gh:a/b#0/1"}


def test_issues_that_not_all_raters_have_are_no_differences():
    fault, other = f"fault|{NA}|s|y|f", f"fault|{NA}|t|y|f"
    found = differences(labelled(adjudicated=[fault, fault], M1=[other, other], M2=[other]))
    assert list(found["item"]) == ["gh:a/b#0/1"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(list(ABOVE))), max_size=40),
       st.integers(1, 6))
def test_every_repository_comes_before_a_second_case_of_any(cases, each):
    found = pd.DataFrame([(f"gh:o/{r}#{i}/1", facet, "x", "y") for i, (r, facet) in
                          enumerate(cases)], columns=list(COLUMNS))
    drawn = chosen(found, each)
    assert drawn.equals(found.loc[drawn.index])  # rows as they were, in their order
    for facet, there in found.groupby("facet"):
        own = drawn[drawn["facet"] == facet]
        assert len(own) == min(each, len(there))
        there, own = (Counter(t["item"].str.split("#").str[0]) for t in (there, own))
        assert all(own[r] - own[s] <= 1 for r in own for s in there if own[s] < there[s])


def test_the_cases_read_are_those_that_the_seed_gives(committed, rebuilt, tmp_path):
    """The labels of both sides too: the study's made anew from the authors' files."""
    publish(tmp_path / "labels.csv", rebuilt[1]["labels"].to_csv(index=False))
    rated, _ = from_study(extension("calibration"), tmp_path / "labels.csv")
    drawn = chosen(differences(rated))
    assert [tuple(r[c] for c in COLUMNS) for r in committed] == list(
        drawn.itertuples(index=False, name=None))


def answered(model):
    """(item, facet) → label in a committed sheet, read by json alone."""
    made = {}
    for line in (OURS / f"sheets/round1-{model}.jsonl").read_text(encoding="utf-8").splitlines():
        a = json.loads(line)
        path, topic = ((a[k] or "").split("/") for k in ("symptom", "topic"))
        made |= {(f"{a['item'].lower()}/{a['issue']}", facet): label for facet, label in {
            "issue_type": a["issue_type"], "topic": topic[0], "stage": path[0],
            "symptom": path[-1], "fix_pattern": ";".join(sorted(a["fix_patterns"] or []))}.items()}
    return made


@pytest.mark.parametrize("model", ["M1", "M2"])
def test_models_labels_are_those_of_their_sheets(committed, model):
    sheet = answered(model)
    assert [sheet[r["item"], r["facet"]] for r in committed] == [r["models"] for r in committed]


@pytest.mark.parametrize("model", ["M1", "M2"])
def test_each_pair_of_labels_is_among_the_committed_counts(committed, model):
    pairs = Counted.read(OURS / "model-labelled-pairs.csv").pairs
    own = pairs[(pairs["rater_1"] == FINAL) & (pairs["rater_2"] == model)]
    counts = own.groupby(["facet", "label_1", "label_2"])["n"].sum()
    met = Counter((r["facet"], r["study"], r["models"]) for r in committed)
    assert all(n <= counts[pair] for pair, n in met.items())


def test_reasons_are_of_the_closed_list_and_each_has_a_sentence(committed):
    assert {r["reason"] for r in committed} <= set(REASONS)
    assert {r["read"] for r in committed} <= set(READ)
    assert {r["by"] for r in committed} == {"M3"}  # no person, and none of the two raters
    assert all(r["why"].endswith(".") and len(r["why"].split()) <= 30 for r in committed)
    assert len({(r["item"], r["facet"]) for r in committed}) == len(committed) >= 20
    assert max(Counter(r["facet"] for r in committed).values()) == EACH


def test_what_the_notes_say_of_the_reasons(committed):
    """README of the extensions: plainly wrong models are rare, two reasons the most frequent."""
    n = Counter(r["reason"] for r in committed)
    assert n["models wrong"] == min(n[r] for r in REASONS)
    assert {r for r, _ in n.most_common(2)} == {"both defensible", "study's label doubtful"}


@pytest.mark.parametrize("model", ["M1", "M2"])
def test_models_leave_most_fix_patterns_undecided(model):
    """README of the extensions, from the committed sheets."""
    undecided = Counter(facet for (_, facet), label in answered(model).items()
                        if label == "undecided")
    assert undecided.most_common(1)[0][0] == "fix_pattern"


def test_the_file_is_as_a_spreadsheet_program_may_open_it():
    text = (OURS / FILE).read_text(encoding="utf-8")
    assert "\r" not in text and not any(cell.startswith(("=", "+", "-", "@"))
                                        for row in csv.reader(text.splitlines()) for cell in row)
