"""No export that somebody's tool mangled ends in anything but a finding or one clear line."""

import copy
import json
import os
import random
from collections import Counter

import pytest
from test_forms import RATERS, min_form

from study.base.errors import StudyError
from study.base.files import publish
from study.extend import jsonl, labelstudio
from study.extend.handed_in import check_file
from study.read.codebook import load_codebook

TIMES = int(os.environ.get("FUZZ", "1000"))  # tests/bench_fuzz.py takes 10,000
STRANGE = (None, True, 0, -7, 1.5, 1e300, "", "x", "fault", [], {}, [[]], [None], {"x": 1},
           {"taxonomy": [["a"]]}, {"choices": "fault"}, "=1+1", "\u2028", [{"text": 3}])
FORMS = ("labelstudio", "labelstudio-min", *jsonl.SHAPES)


def nodes(tree, path=()):
    yield path
    for key, inner in (tree.items() if isinstance(tree, dict) else
                       enumerate(tree) if isinstance(tree, list) else ()):
        yield from nodes(inner, (*path, key))


def mutated(tree, rng):
    """The tree with one node dropped, retyped, nested or repeated; how; whether it is gone."""
    tree = copy.deepcopy(tree)
    path = rng.choice([p for p in nodes(tree) if p])
    holder = tree
    for key in path[:-1]:
        holder = holder[key]
    last, way, gone = path[-1], rng.choice(("drop", "retype", "nest", "wrap", "repeat")), False
    if way == "drop":
        del holder[last]
        gone = True  # nobody can know that it was there
    elif way == "retype":
        holder[last] = copy.deepcopy(rng.choice(STRANGE))
        gone = not holder[last]
    elif way == "nest":
        holder[last] = [holder[last]]
    elif way == "wrap":
        holder[last] = {"value": holder[last]}
    elif isinstance(holder, list):
        holder.insert(last, copy.deepcopy(holder[last]))
    else:
        holder[f"{last}_2"] = copy.deepcopy(holder[last])
    return tree, f"{way} at {path}: {str(holder)[:80]}", gone


@pytest.fixture
def given(filled):
    """Records by form: four threads of both raters."""
    tasks, said = filled
    tasks, book = tasks[:4], load_codebook()
    said = {r: {t.thread: said[r][t.thread] for t in tasks} for r in RATERS}
    text = labelstudio.tasks_json(tasks, {1: said["R1"], 2: said["R2"]})
    made = {"labelstudio": json.loads(text), "labelstudio-min": json.loads(min_form(text, (1, 2)))}
    for form in jsonl.SHAPES:
        made[form] = [json.loads(line) for line in
                      jsonl.lines(tasks, form, book, said["R1"], "R1").split("\n") if line]
    return made


def values(checked):
    return Counter((c.rater, item, facet, label) for c in checked for item, labels, *_ in c.rows
                   for facet, label in labels.items() if label)


def messages(checked):
    return Counter(f"{p.severity} {p.value} {p.message}" for c in checked for p in c.problems)


@pytest.mark.parametrize("form", FORMS)
def test_mutations_end_in_findings(form, given, started, tmp_path, monkeypatch):
    book = load_codebook()  # read once: most of the time otherwise
    monkeypatch.setattr(type(started), "codebook", lambda *_: book)
    path = tmp_path / ("round1-raters.json" if form.startswith("label") else "round1-R1.jsonl")
    records = given[form]
    publish(path, json.dumps(records))
    checked = check_file(path, started)
    whole, before = values(checked), messages(checked)
    assert whole
    rng = random.Random(f"{form} 20230803")
    for _ in range(TIMES):
        tree, how, gone = mutated(records, rng)
        publish(path, json.dumps(tree))
        try:
            checked = check_file(path, started)
        except StudyError as error:
            said = str(error)
        else:
            said = " ".join(messages(checked))
            if not gone and whole - values(checked):
                assert messages(checked) - before, (how, whole - values(checked))
        assert "object has no attribute" not in said and "Error(" not in said, (how, said)
