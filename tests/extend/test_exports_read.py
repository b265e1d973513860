"""What tools write in their own ways: arrays and lines, controls of a team's own, sessions."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from test_forms import RATERS

from study.base.files import publish
from study.extend import jsonl, labelstudio
from study.extend.canonical import answers
from study.extend.commands import _annotators
from study.extend.handed_in import canonical_rows, check_file
from study.read.codebook import load_codebook

SCHEMA = Path(__file__).resolve().parents[2].parent / "shared/cases/qdc/qdc.xsd"


def read_as(started, folder, name, content):
    path = folder / name
    publish(path, content)
    return check_file(path, started)


def kinds(checked, severity="error"):
    return [p.kind for c in checked for p in c.problems if p.severity == severity]


@pytest.mark.parametrize("form", jsonl.SHAPES)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_arrays_are_read_like_lines_whatever_the_ending(form, ending, filled, started, tmp_path):
    tasks, said = filled
    text = jsonl.lines(tasks, form, load_codebook(), said["R1"], "R1")
    array = json.dumps([json.loads(line) for line in text.split("\n") if line])
    lines = read_as(started, tmp_path, f"round1-R1.{ending}", text)
    assert kinds(lines) == []
    assert canonical_rows(started, read_as(started, tmp_path, f"round1-R1.{ending}", array)) == (
        canonical_rows(started, lines))


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085"])
def test_lines_end_at_line_feeds_only(mark, filled, started, tmp_path):
    tasks, said = filled
    text = jsonl.lines(tasks, "doccano", None, said["R1"]).replace("Synthetic", f"Syn{mark}thetic")
    assert mark in text
    assert kinds(read_as(started, tmp_path, "round1-R1.jsonl", text)) == []


def exported(said, tasks):
    return json.loads(labelstudio.tasks_json(tasks, {n: said[r] for n, r in enumerate(RATERS, 1)}))


@pytest.mark.parametrize("extra", [
    {"from_name": "sure", "type": "rating", "value": {"rating": 4}},
    {"from_name": "size", "type": "number", "value": {"number": 2}},
    {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}])
def test_a_control_of_the_team_is_named_once_and_ignored(extra, filled, started, tmp_path):
    tasks, said = filled
    content = exported(said, tasks)
    for task in content:
        for note in task["annotations"]:
            note["result"].append(extra)
    checked = read_as(started, tmp_path, "round1-raters.json", json.dumps(content))
    assert kinds(checked) == []
    assert [p.value for p in checked[0].problems if p.kind == "ignored"] == [
        extra.get("from_name", "relation")]


def test_a_second_path_and_a_fourth_issue_are_not_lost(filled, started, tmp_path):
    tasks, said = filled
    content = exported(said, tasks)
    results = [n["result"] for t in content for n in t["annotations"]
               if any(r["from_name"] == "where" for r in n["result"])]
    where = next(r for r in results[0] if r["from_name"] == "where")
    where["value"]["taxonomy"].append(["package build & import", "undecided"])
    assert set(kinds(read_as(started, tmp_path, "round1-raters.json", json.dumps(content)))) == {
        "several"}
    where["value"]["taxonomy"].pop()
    for n in (2, 3, 4):
        results[0].append({"from_name": f"issue_type_{n}", "type": "choices",
                           "value": {"choices": ["how-to question"]}})
    before = sum(len(c.rows) for c in read_as(started, tmp_path, "round1-raters.json", json.dumps(
        exported(said, tasks))))
    after = read_as(started, tmp_path, "round1-raters.json", json.dumps(content))
    assert sum(len(c.rows) for c in after) >= before + 2


def test_json_min_lists_of_taxonomy_objects(filled, started, tmp_path):
    # label-studio-sdk's converter writes {"taxonomy": [[...]]} in a list.
    from test_forms import min_form
    tasks, said = filled
    text = labelstudio.tasks_json(tasks, {1: said["R1"], 2: said["R2"]})
    content = json.loads(min_form(text, (1, 2)))
    for record in content:
        for name in [n for n in record if n.startswith("where")]:
            record[name] = [{"taxonomy": record[name]}]
    checked = read_as(started, tmp_path, "round1-raters.json", json.dumps(content))
    whole = read_as(started, tmp_path, "round1-raters.json", text)
    assert kinds(checked) == []
    assert canonical_rows(started, checked) == canonical_rows(started, whole)


def test_sessions_of_one_rater_are_one_sheet(filled, started, tmp_path):
    tasks, said = filled
    text = jsonl.lines(tasks, "prodigy", load_codebook(), said["R1"], "R1")
    lines = [json.loads(line) for line in text.split("\n") if line]
    for n, record in enumerate(lines):
        record["_annotator_id"] = f"2026-01-0{1 + n % 2}_10-00-00"
    cut = "".join(json.dumps(line) + "\n" for line in lines)
    with pytest.raises(ValueError, match="--annotator 2026-01-01_10-00-00=R1 2026-01-02_"):
        read_as(started, tmp_path, "round1-R1.jsonl", cut)
    _annotators(started, [f"2026-01-0{n}_10-00-00=R1" for n in (1, 2)])
    (one,) = read_as(started, tmp_path, "round1-R1.jsonl", cut)
    assert kinds([one]) == []
    whole = canonical_rows(started, read_as(started, tmp_path, "round1-R1.jsonl", text))
    assert answers(canonical_rows(started, [one])) == answers(whole)


def test_several_labels_in_a_column_of_one(filled, started, tmp_path):
    tasks, said = filled
    thread = tasks[0].thread
    said["R1"][thread] = [{"issue_type": "fault; how-to question", "note": "", "decided_at": ""}]
    found = read_as(started, tmp_path, "round1-R1.jsonl",
                    jsonl.lines(tasks, "argilla", None, said["R1"], "R1"))
    assert [p.column for p in found[0].errors() if p.kind == "several"] == ["G (Issue type)"]


def test_a_missing_item_is_said_in_words(filled, started, tmp_path):
    tasks, said = filled
    record = json.loads(jsonl.lines(tasks[:1], "doccano", None, said["R1"]))
    del record["item"]
    (one,) = read_as(started, tmp_path, "round1-R1.jsonl", json.dumps(record))
    assert "line 1: the item is missing" in one.problems[0].message


def test_no_labels_at_all_is_an_error(started, tmp_path):
    assert kinds(read_as(started, tmp_path, "round1-raters.json", "[]")) == ["unreadable"]


def test_findings_are_never_written_over_a_sheet(started):
    from study.extend.cli import main
    sheet = next(started.sheets.glob("round1-R1.xlsx"))
    before = sheet.read_bytes()
    with pytest.raises(ValueError, match="no table of findings"):
        main(["check", "moelib", "--out", str(sheet)])
    assert sheet.read_bytes() == before


def test_no_empty_sets_in_a_qdc_file(book):
    from study.extend.qdc import qdc
    top = ET.fromstring(qdc(book))
    assert not [e for e in top.iter() if e.tag.endswith("}Sets") and not len(e)]


def test_a_qdc_file_follows_the_schema(book):
    if not SCHEMA.is_file():
        pytest.skip("REFI-QDA's schema is not here")
    xmlschema = pytest.importorskip("xmlschema", reason="xmlschema is not installed")
    from study.extend.qdc import qdc
    xmlschema.validate(qdc(book), str(SCHEMA))
