"""Faults have one word and one severity each, wherever they are found."""

import ast

import pytest

from study.base.paths import ROOT
from study.read.faults import FAULTS, STORED, table
from study.read.labelwords import clean
from study.run.agree_options import ALLOW, KEEP

SEVERITIES = ("error", "warning", "note")
TUPLES = ("check.py", "policy.py")  # where a finding is a tuple until its row is known


def raised():
    """Module, line, severity and kind of each finding that is made; None where it is computed."""
    for folder in ("read", "extend", "run"):
        for path in sorted((ROOT / "notebooks/study" / folder).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                parts = (node.args if isinstance(node, ast.Call) else
                         node.elts if isinstance(node, ast.Tuple) and path.name in TUPLES else [])
                values = [a.value if isinstance(a, ast.Constant) else None for a in parts]
                if path.name != "faults.py" and set(values) & set(SEVERITIES) and len(values) > 2:
                    at = next(i for i, v in enumerate(values) if v in SEVERITIES)
                    before = values[0] if getattr(getattr(node, "func", None), "attr", "") in (
                        "_note",) else values[at - 2]
                    yield (path.name, node.lineno, values[at],
                           values[at + 1] if at + 1 < len(values) else before)


def test_every_finding_has_a_word_of_the_list_and_its_severity():
    found = list(raised())
    known = [(module, line, severity, kind) for module, line, severity, kind in found if kind]
    assert len(known) > 50
    assert len(found) - len(known) < 15  # a rule's name, the cell reader's: looked at below
    wrong = [f for f in known if f[3] not in FAULTS or f[2] not in FAULTS[f[3]][0].split()]
    assert wrong == []


def test_what_is_computed_is_in_the_list_too():
    rules = {r for text in ("a\u200b", " a", "\uff41") for r in clean(text)[1]}
    assert rules == {"invisible-characters", "blanks", "compatibility-characters"}
    assert (rules | set(ALLOW) | set(KEEP) | set(STORED)) <= set(FAULTS)


def test_the_planted_faults_are_in_the_list():
    """Which kind and severity each is, stands in plant.py by hand."""
    path = ROOT / "tests/extend/plant.py"
    calls = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "expect"]
    due = [(c.args[0].value, c.args[1].value) for c in calls if isinstance(c.args[0], ast.Constant)]
    assert len(due) > 15
    for kind, severity in due:
        assert severity in FAULTS[kind][0].split(), kind


@pytest.mark.parametrize(("kind", "row"), [
    ("doubled-title", "| `doubled-title` | error or warning | several columns have one title; an "
     "error where it is read |"),
    ("alias", "| `alias` | note | another spelling of a label is read as the label |")])
def test_the_documentation_has_each_kind_once(kind, row):
    text = (ROOT / "data/extensions/README.md").read_text(encoding="utf-8")
    assert table() in text
    assert row in text
    assert text.count(f"| `{kind}` |") == 1
    assert len(table().splitlines()) == len(FAULTS) + 2
