"""Frames as readers see them."""

import numpy as np
import pandas as pd
import pytest

from smallstudy import faults, study
from study.decide.claims import load_claims
from study.decide.findings import findings
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
    return findings(study(faults=faults("n\n4")), load_claims())


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
