"""Model raters: tasks that tell no label, answers read by the reader of every sheet."""

import json
import tomllib

import material
import pytest

from study.base.errors import StudyError
from study.base.files import publish
from study.extend import cli, model_tasks
from study.extend.model_form import CELL, KEYS, brief, schema, symptom_paths, topic_paths
from study.extend.start import start
from study.read.codebook import FACETS, load_codebook
from study.read.form import check_models, check_raters

BOOK = load_codebook()


def answer(item, labels, issue=1, **more):
    """One answer as a model gives it, written without the package's code."""
    fault = labels["issue_type"] == "fault"
    path = "/".join(labels[k] for k in ("stage", "group", "symptom") if labels.get(k))
    topic = "/".join(labels[k] for k in ("topic", "subtopic") if labels.get(k))
    return {"item": item, "issue": issue, "issue_type": labels["issue_type"],
            "distributed_specific": labels.get("distributed_specific") or None,
            "symptom": path if fault else None, "topic": topic or None,
            "fix_patterns": labels["fix_pattern"].split(";") if fault else None,
            "confidence": "high", "read": "whole thread", "note": "synthetic"} | more


def lines(said):
    return "".join(json.dumps(answer(t, one, n)) + "\n" for t, issues in said.items()
                   for n, one in enumerate(issues, 1))


@pytest.fixture
def asked(started):
    """An extension whose models M1 and M2 have answered round 1."""
    model_tasks.hand_out(started)
    true = material.truth(started.tasks("1"))
    said = {m: material.rated(true, m) for m in ("M1", "M2")}
    for model, labels in said.items():
        publish(started.path(f"sheets/round1-{model}.jsonl"), lines(labels))
    return started, said


def first_line(extension, **changes):
    """The file of M1 with its first answer changed."""
    path = extension.path("sheets/round1-M1.jsonl")
    head, _, rest = path.read_text(encoding="utf-8").partition("\n")
    path.write_text(json.dumps(json.loads(head) | changes) + "\n" + rest, encoding="utf-8")
    return path


def problems(extension, path):
    from study.extend.handed_in import check_file
    return [p for p in check_file(path, extension)[0].problems if p.severity == "error"]


def test_a_task_needs_nothing_beside_it_and_holds_no_label(started):
    model_tasks.hand_out(started)
    for number in ("1", "2"):
        text = started.path(f"tools/round{number}-model-tasks.jsonl").read_text(encoding="utf-8")
        tasks = [json.loads(line) for line in text.splitlines()]
        assert [t["item"] for t in tasks] == list(started.given(number))
        for task in tasks:
            assert set(task) == {"item", "round", "codebook_version", "prompt", "codebook",
                                 "thread", "schema"}
            assert set(task["thread"]) == {"address", "title", "text", "answer"}
            for facet in FACETS:  # every category on offer is explained
                for entry in BOOK.entries[facet]:
                    assert entry.status != "final" or entry.definition in task["codebook"]


def test_the_codebooks_examples_would_tell_labels_and_are_left_out():
    told = brief(BOOK) + json.dumps(schema(BOOK))
    for facet in FACETS:
        for entry in BOOK.entries[facet]:
            for key in entry.examples:
                assert key not in told
                assert key.rpartition("#")[2].removeprefix("so:") + '"' not in told


def test_without_text_a_task_says_where_the_thread_is_found(started):
    model_tasks.hand_out(started, with_text=False)
    text = started.path("tools/round1-model-tasks.jsonl").read_text(encoding="utf-8")
    for line, task in zip(text.splitlines(), started.tasks("1"), strict=True):
        thread = json.loads(line)["thread"]
        assert set(thread) == {"address", "title", "query"}
        assert thread["query"].endswith(task.title)
        assert not task.excerpt or task.excerpt not in text


def test_paths_are_those_that_stand_in_the_study():
    from study.tabulate.tables import load_study
    study, seen = load_study(), set()
    for row in study.faults.itertuples():
        seen.add("/".join(p for p in (row.stage, row.group, row.symptom) if p))
    assert seen <= set(symptom_paths(BOOK))
    asked = {"/".join(p for p in (r.topic, r.subtopic) if p) for r in study.questions.itertuples()}
    assert asked <= set(topic_paths(BOOK))


def test_answers_are_read_as_they_were_given(asked):
    from study.extend.handed_in import check_file
    extension, said = asked
    for model, labels in said.items():
        checked = check_file(extension.path(f"sheets/round1-{model}.jsonl"), extension)[0]
        assert not checked.errors()
        read = {}
        for _, own, note, _, row in checked.rows:
            assert note == "synthetic"
            read.setdefault(row.thread, []).append({f: v for f, v in own.items() if v})
        assert read == {t: [{f: v for f, v in one.items() if f in FACETS and v} for one in issues]
                        for t, issues in labels.items()}


@pytest.mark.parametrize(("changes", "kind", "says"), [
    ({"symptom": "training & evaluation/hang"}, "path", "unexpected performance/hang"),
    ({"symptom": "hang"}, "path", "no path of the codebook"),
    ({"fix_patterns": ["fix netwrk setting"]}, "unknown-label", "fix network setting"),
    ({"fix_patterns": "use docker"}, "kind", "another kind"),
    ({"fix_patterns": [1]}, "kind", "no text"),
    ({"distributed_specific": 1}, "kind", "another kind"),
    ({"issue_type": "bug"}, "unknown-label", "no issue type"),
    ({"topic": "model"}, "inapplicable", "does not apply"),
    ({"fix_patterns": None}, "missing", "undecided"),
    ({"item": "gh:example/moelib#999999"}, "strange", "not in this round"),
    ({"item": "the first thread"}, "no-item", ""),
    ({"note": "x" * (CELL + 1)}, "too-long", "32,001 characters"),
    ({"confidence": "0.9"}, "unknown-label", "high, medium, low"),
    ({"read": "yes"}, "unknown-label", "whole thread"),
    ({"reasoning": "step by step"}, "key", "not asked for"),
    ({"issue": "one"}, "kind", "another kind"),
])
def test_each_fault_of_an_answer_is_listed_with_its_line(asked, changes, kind, says):
    extension, said = asked
    fault = next(t for t, issues in said["M1"].items() if issues[0]["issue_type"] == "fault"
                 and len(issues) == 1)
    said = {fault: said["M1"].pop(fault)} | said["M1"]
    path = extension.path("sheets/round1-M1.jsonl")
    path.write_text(lines(said), encoding="utf-8")
    assert not problems(extension, path)
    first_line(extension, **changes)
    found = [p for p in problems(extension, path) if p.row == 1]
    assert kind in [p.kind for p in found], found
    assert any(says in str(p) for p in found if p.kind == kind)


def test_a_new_category_is_a_warning_and_keeps_its_place(asked):
    from study.extend.handed_in import check_file
    extension, said = asked
    fault = next(i for i, (t, issues) in enumerate(said["M1"].items())
                 if issues[0]["issue_type"] == "fault")
    path = extension.path("sheets/round1-M1.jsonl")
    own = path.read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(own)
              if json.loads(line)["item"] == list(said["M1"])[fault])
    own[at] = json.dumps(json.loads(own[at]) | {
        "symptom": "training & evaluation/program failure/new: resharding error"})
    path.write_text("\n".join(own) + "\n", encoding="utf-8")
    checked = check_file(path, extension)[0]
    assert not checked.errors()
    assert ("training & evaluation", "program failure", "new: resharding error") in [
        (ls["stage"], ls["group"], ls["symptom"]) for _, ls, *_ in checked.rows]


def test_lines_that_do_not_parse_and_missing_answers_are_each_listed(asked):
    extension, _ = asked
    path = extension.path("sheets/round1-M1.jsonl")
    own = path.read_text(encoding="utf-8").splitlines()
    own[1], own[3] = "Sure! Here is the label: fault", own[3][:-9]
    own[5] = json.dumps([json.loads(own[5])])
    path.write_text("\n".join(own) + "\n", encoding="utf-8")
    found = problems(extension, path)
    assert [p.row for p in found if p.kind == "no-answer"] == [2, 4, 6]
    assert {p.kind for p in found} == {"no-answer", "lacking"}


def test_a_key_that_stands_twice_is_not_decided_for_the_rater(asked):
    extension, _ = asked
    path = extension.path("sheets/round1-M1.jsonl")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('{"item"', '{"confidence": "low", "item"', 1), encoding="utf-8")
    assert [(p.row, p.kind) for p in problems(extension, path)] == [(1, "key")]


def test_an_issue_answered_twice_is_an_error_where_the_answers_differ(asked):
    extension, said = asked
    path = extension.path("sheets/round1-M1.jsonl")
    thread = next(t for t, issues in said["M1"].items() if issues[0]["issue_type"] == "fault")
    one = answer(thread, said["M1"][thread][0],
                 fix_patterns=["use tmux", "use docker", "use buffer"])
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(one) + "\n")
    assert [p.kind for p in problems(extension, path)] == ["repeated"]


def test_models_are_m_and_people_r(started):
    assert check_models(["M1"]) == ("M1",)
    for wrong in (["R1"], ["M1", "M1"], ["gpt"]):
        with pytest.raises(StudyError):
            check_models(wrong)
    with pytest.raises(StudyError, match="do not rate together"):
        check_raters(["R1", "M1"])
    with pytest.raises(StudyError, match="M1, M2"):
        model_tasks.hand_out(started, ["R1", "R2"])


def test_answers_of_models_do_not_enter_the_peoples_agreement(asked):
    from study.extend.handed_in import read_round
    extension, _ = asked
    for model in ("M1", "M2"):
        assert [c.rater for c in read_round(extension, "1", [model])] == [model]
    with pytest.raises(StudyError, match="round1-R1"):  # blank, where those of M1 are filled in
        read_round(extension, "1")


def test_a_plan_of_models_says_so_and_goes_the_whole_way(snapshot, extensions):  # noqa: ARG001
    start("modern", snapshot, 40, raters=("M1", "M2"), rounds=1, title="Modern (synthetic)")
    from study.extend.folder import extension
    own = extension("modern")
    assert own.plan["title"] == "Modern (synthetic) (model-labelled)"
    assert not own.sheets.exists()
    assert cli.main(["tasks", "modern", "--for-model"]) == 0
    true = material.truth(own.tasks("1"))
    for model in ("M1", "M2"):
        publish(own.path(f"sheets/round1-{model}.jsonl"), lines(material.rated(true, model)))
    assert cli.main(["check", "modern"]) == 0
    assert cli.main(["agree", "modern"]) == 0
    assert cli.main(["adjudicate", "modern"]) == 0


def test_a_protocol_is_toml_and_is_never_written_over(started):
    model_tasks.hand_out(started)
    path = started.path(model_tasks.PROTOCOL)
    asked = tomllib.loads(path.read_text(encoding="utf-8"))
    assert set(asked["M1"]) == {k for k, _ in model_tasks._ASKED} == set(asked["M2"])
    path.write_text("filled = true\n", encoding="utf-8")
    model_tasks.hand_out(started)
    assert path.read_text(encoding="utf-8") == "filled = true\n"


def test_the_example_in_the_brief_fits_the_schema():
    own = [json.loads(line) for line in brief(BOOK).splitlines() if line.startswith("    {")]
    assert len(own) == 3
    enum = {k: json.dumps(v) for k, v in schema(BOOK)["properties"].items()}
    for one in own:
        assert list(one) == list(KEYS)
        for key in ("issue_type", "symptom", "topic", "confidence", "read"):
            assert one[key] is None or json.dumps(one[key]) in enum[key]
        for fix in one["fix_patterns"] or []:
            assert json.dumps(fix) in enum["fix_patterns"]
