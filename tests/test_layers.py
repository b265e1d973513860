"""The helper modules import downwards only: read → tabulate → measure → decide → draw, tell."""

import ast
from pathlib import Path

import pytest

STUDY = Path(__file__).resolve().parents[1] / "notebooks" / "study"
ORDER = {name: floor for floor, names in enumerate((
    ("base",), ("read",), ("tabulate",), ("measure",), ("decide",), ("draw", "tell"),
    ("extend",), ("run",))) for name in names}
# tell stands beside draw: the page shows figures, figures say nothing of the page.
SIDEWAYS = {("tell", "draw")}
MODULES = sorted(p.relative_to(STUDY) for p in STUDY.glob("*/*.py"))


def imported(tree):
    """Folders of study that a module imports from."""
    for node in ast.walk(tree):
        names = ([a.name for a in node.names] if isinstance(node, ast.Import) else
                 [node.module or ""] if isinstance(node, ast.ImportFrom) else [])
        for name in names:
            if name.startswith("study."):
                yield name.split(".")[1]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_run_down(module):
    own = module.parts[0]
    up = {to for to in imported(ast.parse((STUDY / module).read_text(encoding="utf-8")))
          if to != own and ORDER[to] >= ORDER[own] and (own, to) not in SIDEWAYS}
    assert not up


def test_every_folder_has_a_floor():
    assert {m.parts[0] for m in MODULES} == set(ORDER)
    assert "tabulate" in set(imported(ast.parse("from study.tabulate.tables import load_study")))
