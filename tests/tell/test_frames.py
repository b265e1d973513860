"""Frames as readers see them."""

import json
import re
from collections import Counter
from html import unescape

import numpy as np
import pandas as pd
import pytest

import smallstudy
from smallstudy import faults
from study.base.paths import NOTEBOOKS
from study.decide.claims import load_claims
from study.decide.findings import findings
from study.measure import (
    collection,
    contested,
    fixes,
    kappa,
    label_error,
    rounds_agreement,
    slips,
    symptoms,
)
from study.read.repair import RULES
from study.tell import frames as present

CELLS = pd.DataFrame({
    "topic": ["model", ""], "n": [1234, 2], "share": [0.25, np.nan], "low": [0.2, np.nan],
    "high": [0.3, np.nan], "p_holm": [0.00001, 1.0], "top_1": [3, 4]})


def test_a_table_counted_cell_by_cell():
    found = present.table(CELLS)
    assert found.columns.tolist() == ["topic", "n", "share", "95 % interval", "p (Holm)",
                                      "first pattern"]
    assert found.to_numpy().tolist() == [
        ["model", "1,234", "25.0 %", "20.0–30.0 %", "< .0001", "3"],
        ["–", "2", "–", "–", "1.0000", "4"]]


@pytest.mark.parametrize(("name", "value", "text"), [
    ("p", 0.0345, ".0345"), ("p", 0.0001, ".0001"), ("kappa", 0.804, ".804"),
    ("residual", -5.317, "-5.317"), ("expected", 19.25, "19.25"), ("expected", 19.0, "19"),
    ("most", True, "yes"), ("most", False, "no"), ("threshold", 0.5, "50.0 %"),
    ("kept", np.nan, "–"), ("n", None, "–"), ("n", pd.NA, "–"), ("n", np.int64(0), "0")])
def test_a_cell(name, value, text):
    frame = pd.DataFrame({name: pd.Series([value], dtype=object)})
    assert present.table(frame).to_numpy().tolist() == [[text]]


def test_intervals_of_a_measure_are_no_percentages():
    frame = pd.DataFrame({"kappa": [0.8], "low": [0.7], "high": [0.9]})
    assert present.table(frame)["95 % interval"].tolist() == [".700–.900"]
    assert present.table(frame, unit="share")["95 % interval"].tolist() == ["70.0–90.0 %"]
    assert present.table(frame, columns=["low"]).to_numpy().tolist() == [["70.0 %"]]


def test_columns_and_rows_can_be_chosen():
    found = present.table(CELLS, columns=["n", "topic"], rows=1)
    assert found.to_numpy().tolist() == [["1,234", "model"]]
    assert present.table(CELLS.iloc[:0]).columns.tolist() == present.table(CELLS).columns.tolist()


# Every table of the notebooks, its headings read by a person beside the docstring of what makes it.
HEADINGS = {
    "funnel": (lambda s: collection.funnel(s.collection),
               ["platform", "candidates", "threads", "issues", "faults", "questions",
                "labelled, share"]),
    "kinds": (lambda s: collection.kinds(s.collection),
              ["platform", "n", "of", "share", "95 % interval"]),
    "topics": (lambda s: collection.topics(s.questions),
               ["topic", "n", "of", "share", "95 % interval"]),
    "kappa_table": (lambda s: kappa.kappa_table(s.agreement, ["stage"]),
                    ["round", "facet", "reading", "scope", "n", "left out", "observed agreement",
                     "kappa", "se", "95 % interval", "reason"]),
    "stricter": (lambda s: kappa.stricter(s.agreement, s.codebook),
                 ["facet", "pairs", "n", "left out", "observed agreement", "kappa",
                  "95 % interval", "reason"]),
    "by_pairing": (lambda s: kappa.by_pairing(s.agreement),
                   ["pairing", "n", "left out", "observed agreement", "kappa", "95 % interval",
                    "reason"]),
    "without_same": (lambda s: kappa.without_same(s.agreement),
                     ["without", "issues", "n", "left out", "observed agreement", "kappa",
                      "95 % interval", "reason"]),
    "slips_by_round": (lambda s: slips.slips_by_round(s.spellings),
                       ["round", "odd cells, rater 1", "odd cells, rater 2", "written alike",
                        "expected"]),
    "changes_between": (rounds_agreement.changes_between,
                        ["rounds", "difference", "95 % interval", "z", "p", "reason"]),
    "confused": (rounds_agreement.confused,
                 ["rater 1", "rater 2", "n", "took rater 1's", "took rater 2's", "took neither"]),
    "headline_ranges": (lambda s: label_error.headline_ranges(s, 20),
                        ["share of", "n", "labelled once", "pairs with two votes", "share",
                         "95 % interval", "as adjudicated", "as raters", "with label error"]),
    "margins": (lambda s: rounds_agreement.margins_by_symptom(s.faults),
                ["category", "n", "share", "Wilson", "Goodman", "margin",
                 "margin of a share within it"]),
    "saturating": (lambda s: rounds_agreement.saturating(s.faults)[0],
                   ["batch", "n", "new", "seen", "share new"]),
    "taxonomy": (lambda s: symptoms.taxonomy(s.faults, "stage", s.codebook),
                 ["stage", "n", "share", "distributed-specific", "specific, share",
                  "95 % interval"]),
    "coverage": (lambda s: fixes.coverage(s.faults, "stage", codebook=s.codebook)[
        ["stage", "n", "patterns", "first", "top_1_share", "top_2_share", "top_3_share"]],
        ["stage", "n", "patterns", "most frequent pattern", "first pattern, share",
         "first two, share", "first three, share"]),
    "one_at_a_time": (lambda s: contested.one_at_a_time(s.faults, s.codebook),
                      ["fix pattern", "counted", "n", "of", "share", "95 % interval", "holds half",
                       "in margin"]),
    "system_level": (lambda s: fixes.system_level(s.faults, s.codebook),
                     ["reading", "n", "of", "share", "95 % interval"]),
}


@pytest.mark.parametrize("name", HEADINGS)
def test_headings_say_what_the_columns_are(name, study):
    make, headings = HEADINGS[name]
    assert present.table(make(study)).columns.tolist() == headings


def test_a_heading_names_one_column_only():
    ends = [heading for _, heading in present.INTERVALS.values()]
    assert len({*present.NAMES.values(), *ends}) == len(present.NAMES) + len(ends)


def test_no_frame_of_the_notebooks_uses_a_named_column_for_something_else(study):
    """``first`` was the most frequent pattern in one frame, rater 1's label in another."""
    found = {}
    for name, (make, _) in HEADINGS.items():
        for column in set(make(study).columns) & {"first", "took_1", "once", "voted", "same"}:
            found.setdefault(column, []).append(name)
    assert found == {"first": ["coverage"], "took_1": ["confused"], "once": ["headline_ranges"],
                     "voted": ["headline_ranges"], "same": ["slips_by_round"]}


def test_whose_label_adjudication_took_as_counted_by_a_plain_loop(study, lines):
    taken = Counter()
    for r in lines("adjudication"):
        labels = r["label_1"], r["label_2"]
        if (r["facet"] == "symptom" and labels[0] != labels[1]
                and not {*labels} & {"missing", "undecided", "not applicable"}):
            who = [f"took rater {i}'s" for i in (1, 2) if labels[i - 1] == r["adjudicated"]]
            taken[who[0] if who else "took neither"] += int(r["n"])
    found = present.table(rounds_agreement.confused(study))
    assert {c: found[c].astype(int).sum() for c in found.columns[3:]} == {
        "took rater 1's": taken["took rater 1's"], "took rater 2's": taken["took rater 2's"],
        "took neither": taken["took neither"]}


def test_every_heading_of_a_notebook_was_read(study):
    known = {h for _, headings in HEADINGS.values() for h in headings}
    known |= {present.NAMES.get(c, c.replace("_", " ")) for name in (
        "rounds", "rows", "exclusions", "oddities", "faults") for c in getattr(study, name)}
    known |= {"same by", "symptoms", "both", "specific only", "other only", "others",
              "others shared"}  # shared_symptoms
    known |= {"labels", "unit", "rare", "categories", "faults", "frameworks"}  # categories, funnel
    known |= {"kappa max", "pi", "S", "AC1", "alpha", "as filed", *RULES, "repaired"}
    known |= {"comparison", "chi²", "df", "method", "p (Holm)", "V, corrected", "row", "column",
              "residual"}  # contrasts
    known |= {"claim", "subset", "value", "readings", "feature", "observed"}  # multiverse
    known |= {f"within {m} points of half" for m in (5, 10)}
    for path in sorted(NOTEBOOKS.glob("0[0-6]*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if re.search(r"^ *table\(", "".join(cell["source"]), re.M):
                page = "".join(html for o in cell["outputs"]
                               for html in o.get("data", {}).get("text/html", ()))
                headings = re.findall(r"<th[^>]*>([^<]*)</th>", page)
                assert {unescape(h) for h in headings} <= known, (path.name, cell["source"])


def test_a_table_leaves_its_frame_alone():
    before = CELLS.copy()
    present.table(CELLS)
    pd.testing.assert_frame_equal(CELLS, before)


def test_jupyter_shows_a_table_whole_and_unharmed():
    long = "<b> & " + "word " * 60
    found = present.table(pd.DataFrame({"label": [long] * 80, "n": range(80)}))
    page = found._repr_html_()
    assert page.count("<tr>") == 81
    assert page.count("&lt;b&gt; &amp; word") == 80
    assert "<b>" not in page
    assert 'text-align: left">label' in page
    assert 'text-align: right">79' in page
    assert "..." not in page
    assert long.strip() in repr(found)
    assert len(found.iloc[:3]._repr_html_().splitlines()) < len(page.splitlines())


def test_the_multiverse_for_reading():
    summary = pd.DataFrame({"claim": ["x", "y"], "combinations": [1300, 3],
                            "duplicates": [100, 0], "readings": [1200, 3], "holds": [600, 0],
                            "share": [0.5, 0.0], "low": [0.1234, np.nan], "high": [41, np.nan],
                            "hangs_on": ["unit", "pilot"], "eta2": [0.25, 0.0]})
    assert present.robustness(summary).to_numpy().tolist() == [
        ["x", "1,300", "100", "1,200", "600", "50.0 %", "0.123 to 41", "unit", "25.0 %"],
        ["y", "3", "0", "3", "0", "0.0 %", "–", "pilot", "0.0 %"]]


def test_an_entry_of_the_codebook(book):
    found = present.entry(book.entry("symptom", book.names("symptom")[0]))
    values = dict(found.to_numpy().tolist())
    assert values["name"] == book.names("symptom")[0]
    assert values["facet"] == "symptom"
    assert "" not in values.values()


@pytest.fixture(scope="module")
def found():
    return findings(smallstudy.study(faults=faults("n\n4")), load_claims())


def test_findings_have_a_row_a_claim(found):
    table = present.findings(found)
    assert table["claim"].tolist() == [c.text for c in load_claims()]
    assert table["found here (95 %)"].iloc[0] == "4"
    assert table["verdict"].iloc[0] == "differs"
    assert present.findings([]).empty


def test_readings_of_a_count_have_no_interval(found):
    table = present.readings(found[0])
    assert table.columns.tolist() == ["reading", "value", "agrees"]
    assert table.to_numpy().tolist() == [["rows of the final table", "4", "no"]]


def test_readings_of_a_share_have_one(found):
    record = next(r for r in found if r["id"] == "specific")
    table = present.readings(record)
    assert table.columns.tolist() == ["reading", "value", "95 % interval"]
    assert table.iloc[0].tolist() == ["all stages", "100.0 %", "51.0–100.0 %"]


def test_a_claim_without_readings_has_a_table_without_rows(found):
    record = found[0] | {"readings": []}
    assert present.readings(record).empty
