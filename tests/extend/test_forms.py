"""Every form: write → read → equal; and all of them the same canonical table."""

import json

import material
import openpyxl
import pytest

from study.base.files import publish
from study.extend import jsonl, labelstudio
from study.extend.canonical import answers, from_file, to_text
from study.extend.folder import write_new
from study.extend.grid import csv_sheet
from study.extend.handed_in import canonical_rows, check_file
from study.extend.workbook import workbook
from study.read.codebook import load_codebook

RATERS = ("R1", "R2")


def expected(tasks, said):
    return to_text([row for r in RATERS for row in material.canonical(said[r], tasks, "1", r)])


def min_form(text, who):
    """JSON-MIN as Label Studio makes it of its JSON: one flat record an annotation."""
    made = []
    for task in json.loads(text):
        for note in task["annotations"]:
            flat = dict(task["data"]) | {"id": task["id"], "annotator": note["completed_by"]}
            if "updated_at" in note:
                flat["updated_at"] = note["updated_at"]
            for result in note["result"]:
                value = next(iter(result["value"].values()))
                if result["type"] == "choices":
                    value = value[0] if len(value) == 1 else {"choices": value}
                elif result["type"] == "textarea" and len(value) == 1:
                    value = value[0]
                flat[result["from_name"]] = value
            made.append(flat)
    assert {m["annotator"] for m in made} == set(who)
    return json.dumps(made)


def write(form, folder, tasks, said):
    """Files of one form, filled in; returns their paths."""
    book, made = load_codebook(), {}
    if form in ("labelstudio", "labelstudio-min"):
        text = labelstudio.tasks_json(tasks, {1: said["R1"], 2: said["R2"]})
        made["round1-raters.json"] = text if form == "labelstudio" else min_form(text, (1, 2))
    for rater in RATERS:
        if form == "xlsx":
            made[f"round1-{rater}.xlsx"] = workbook(tasks, "1", rater, book, said[rater])
        elif form == "csv":
            made[f"round1-{rater}.csv"] = csv_sheet(tasks, said[rater])
        elif form in jsonl.SHAPES:
            made[f"round1-{rater}.jsonl"] = jsonl.lines(tasks, form, book, said[rater], rater)
    for name, content in made.items():
        publish(folder / name, content)
    return [folder / name for name in made]


@pytest.mark.parametrize("form", ["xlsx", "csv", "labelstudio", "labelstudio-min",
                                  *jsonl.SHAPES])
def test_what_is_written_is_read(form, filled, started, tmp_path):
    tasks, said = filled
    checked = [c for path in write(form, tmp_path / form, tasks, said)
               for c in check_file(path, started)]
    assert [p for c in checked for p in c.errors()] == []
    assert to_text(canonical_rows(started, checked)) == expected(tasks, said)


def test_the_canonical_form_round_trips(filled, tmp_path):
    tasks, said = filled
    text = expected(tasks, said)
    publish(tmp_path / "labels.csv", text)
    assert to_text(from_file(tmp_path / "labels.csv")) == text
    rows = material.canonical(said["R1"], tasks, "1", "R1")
    assert answers(rows) == {t: [{k: v for k, v in i.items() if v or k in ("note", "decided_at")}
                                 for i in issues] for t, issues in said["R1"].items()}


def test_one_annotator_twice_is_an_error(filled, started, tmp_path):
    tasks, said = filled
    content = json.loads(labelstudio.tasks_json(tasks, {1: said["R1"], 2: said["R2"]}))
    content[0]["annotations"].append({**content[0]["annotations"][0], "result": []
                                      + content[0]["annotations"][1]["result"]})
    path = tmp_path / "round1-raters.json"
    publish(path, json.dumps(content))
    found = [p for c in check_file(path, started) for p in c.problems if p.kind == "repeated"]
    assert len(found) == 1


def test_an_annotator_nobody_knows_is_named(filled, started, tmp_path):
    tasks, said = filled
    path = tmp_path / "round1-raters.json"
    publish(path, labelstudio.tasks_json(tasks, {1: said["R1"], 77: said["R2"]}))
    with pytest.raises(ValueError, match=r"annotator 77 .* --annotator 77=R1"):
        check_file(path, started)


def test_the_configuration_is_xml_and_offers_what_the_codebook_has():
    from xml.etree import ElementTree as ET
    book = load_codebook()
    top = ET.fromstring(labelstudio.config(book))
    names = [c.get("name") for c in top.iter() if c.tag in ("Choices", "Taxonomy", "TextArea")]
    assert len(names) == len(set(names))
    choices = {c.get("value") for c in top.find(".//Choices[@name='fix_pattern']")}
    assert choices == {*book.names("fix_pattern", final_only=True), "undecided"}
    leaves = {c.get("value") for c in top.find(".//Taxonomy[@name='where']").iter("Choice")
              if not len(c)}
    assert leaves == {*book.names("symptom", final_only=True), "undecided"}


def test_workbooks_are_the_same_bytes_and_valid(filled):
    tasks, said = filled
    book = load_codebook()
    one, two = (workbook(tasks, "1", "R1", book, said["R1"]) for _ in range(2))
    assert one == two
    assert b"openpyxl" not in one
    import io
    opened = openpyxl.load_workbook(io.BytesIO(one))
    sheet = opened["labels"]
    assert sheet.freeze_panes == "D2"
    assert opened["lists"].sheet_state == "hidden"
    for rule in sheet.data_validations.dataValidation:  # Excel's limits
        assert len(rule.prompt) <= 255 and len(rule.promptTitle) <= 32
        assert len(rule.error) <= 255 and len(rule.errorTitle) <= 32
        assert len(rule.formula1) <= 255
    assert sheet.protection.sheet and not sheet.protection.insertRows
    locked = {c.value: sheet.cell(2, c.column).protection.locked for c in sheet[1]}
    assert locked["Item"] and locked["Link"] and not locked["Symptom"] and not locked["Note"]
    formulas = [c for s in opened for row in s.iter_rows() for c in row if c.data_type == "f"]
    assert formulas == []


def test_no_mined_text_can_run_or_break_a_workbook(started, tmp_path):
    from dataclasses import replace

    from study.extend.snapshot import plain
    tasks = [replace(t, title=plain(nasty, 300), excerpt=plain(nasty, 900), resolution=nasty[:1])
             for t, nasty in zip(started.tasks("1"), (
                 "=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(A1)", "\tx", "\x00\x07bell\ud800",
                 "_x0041_", "<b>&amp;</b>", "']]>", "{=1}", "e" * 5000), strict=False)]
    content = workbook(tasks, "1", "R1", load_codebook())
    path = tmp_path / "round1-R1.xlsx"
    publish(path, content)
    opened = openpyxl.load_workbook(path)
    assert all(c.data_type != "f" for row in opened["labels"].iter_rows() for c in row)
    text = csv_sheet(tasks)
    import csv
    cells = [c for row in csv.reader(text.splitlines(keepends=True)) for c in row]
    assert not [c for c in cells if c[:1] in "=+-@\t\r" and c]


def test_dependent_lists_cover_every_combination(book):
    from study.extend.lists import lists
    table = lists(book)
    for stage in [*book.names("stage"), "", "undecided"]:
        assert table[f"group|{stage}"]
        for group in table[f"group|{stage}"]:
            assert table[f"symptom|{stage}|{group}"][-1] == "undecided"
    reached = {s for key, names in table.items() if key.startswith("symptom|") and "|undecided"
               not in key and not key.startswith("symptom||") for s in names}
    assert reached == {*book.names("symptom", final_only=True), "undecided"}


def test_a_sheet_is_never_overwritten(tmp_path):
    path = tmp_path / "round1-R1.csv"
    assert write_new(path, "a\n") is None
    assert write_new(path, "a\n") is None  # the same bytes are no loss
    with pytest.raises(ValueError, match="nothing was written"):
        write_new(path, "b\n")
    kept = write_new(path, "b\n", force=True)
    assert (kept.read_text(), path.read_text()) == ("a\n", "b\n")
    assert write_new(path, "c\n", force=True).name != kept.name


def test_the_codebook_as_qdc_round_trips(book):
    from study.extend.qdc import qdc, read_qdc
    text = qdc(book)
    assert text == qdc(book)
    codes = read_qdc(text)
    paths = {path for path, _ in codes}
    assert len(paths) == len(codes)
    for entry in book.entries["symptom"]:
        if entry.status == "final":
            for parent in entry.parents:
                assert ("Stage", *parent.split("/"), entry.name) in paths
    described = dict(codes)
    assert all(book.entry("stage", s).definition in described["Stage", s]
               for s in book.names("stage"))
    import re
    assert len(set(re.findall(r'guid="([0-9a-f-]{36})"', text))) == len(codes)


def test_names_are_unique_where_a_tool_needs_them_so(book):
    """QualCoder keeps code names and category names in columns that must be unique."""
    from study.extend.qdc import qdc, read_qdc
    plain, unique = read_qdc(qdc(book)), read_qdc(qdc(book, unique=True))
    names = [path[-1] for path, _ in unique]
    assert len({n.casefold() for n in names}) == len(names) == len(plain)
    assert len({path[-1].casefold() for path, _ in plain}) < len(plain)
    changed = [(a[-1], b[-1]) for (a, _), (b, _) in zip(plain, unique, strict=True)
               if a[-1] != b[-1]]
    for (path, _), (own, _) in zip(plain, unique, strict=True):
        if path[-1] != own[-1]:
            assert own[-1] == f"{path[-1]} ({' / '.join(path[:-1])})"
    assert len(changed) > len({a for a, _ in changed}) > 0
