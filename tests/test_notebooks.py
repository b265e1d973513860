"""The notebooks: short, without logic, and equal to what a run makes of them."""

import ast
import re
from datetime import date
from pathlib import Path

import nbformat
import pytest

from study.base.files import other_versions
from study.run import notebooks as execute

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
MAX_CODE_CELLS = 30

# What would tell one machine or one run from another.
STRANGE = {
    "an address in memory": r"0x[0-9a-f]{6,}",
    "a path of a machine": r"/(?:home|tmp|root|Users)/|[A-Z]:\\\\",
    "a time of day": r"\b\d{1,2}:\d{2}:\d{2}\b",
    "today's date": re.escape(date.today().isoformat()),
}


def notebook(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [c for c in notebook(path).cells if c.cell_type == "code"]


def texts(path):
    """Every text a reader sees in the outputs (pictures left out)."""
    for cell in code_cells(path):
        for output in cell.outputs:
            yield output.get("text", "")
            data = output.get("data", {})
            yield from (v if isinstance(v, str) else "".join(v)
                        for k, v in data.items() if k.startswith("text/"))


def test_there_is_a_notebook_for_every_question():
    names = [p.stem for p in PATHS]
    assert names[:7] == ["00_start_here", "01_collection", "02_agreement", "03_symptoms",
                         "04_fixes", "05_statistics", "06_findings"]


@pytest.fixture(scope="module")
def rerun():
    if other := other_versions():
        pytest.skip(f"other versions than requirements.lock: {other}")
    return execute.run_all(PATHS)


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_run_gives_the_committed_bytes(path, rerun):
    committed = path.read_bytes().replace(b"\r\n", b"\n").decode()
    assert rerun[path] == committed


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_outputs_hold_no_trace_of_a_machine(path):
    for text in texts(path):
        for what, pattern in STRANGE.items():
            found = re.search(pattern, text)
            assert not found, f"{what}: {found[0]!r}"


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_cells_ran_once_in_order_without_warnings(path):
    cells = code_cells(path)
    assert [c.execution_count for c in cells] == list(range(1, len(cells) + 1))
    assert not [o for c in cells for o in c.outputs if o.output_type == "error"]
    assert not [o for c in cells for o in c.outputs if o.get("name") == "stderr"]


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_notebooks_hold_calls_and_no_logic(path):
    cells = code_cells(path)
    assert 0 < len(cells) <= MAX_CODE_CELLS
    for cell in cells:
        assert not cell.source.lstrip().startswith(("!", "%")), cell.source
        tree = ast.parse(cell.source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 5, "a function belongs into study/"
            assert not isinstance(node, ast.While | ast.ClassDef)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ("iterrows", "itertuples", "apply", "to_csv")
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"\.(csv|xlsx|toml|json)$|^/|\\\\", node.value), node.value


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_files_are_normalised(path):
    own = notebook(path)
    assert own.metadata.kernelspec == execute.KERNEL
    assert "version" not in own.metadata.language_info
    assert [c.id for c in own.cells] == [f"{path.stem}-{i:02d}"
                                         for i in range(1, len(own.cells) + 1)]
    assert path.read_bytes().endswith(b"}\n")


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_links_between_notebooks_lead_somewhere(path):
    for cell in notebook(path).cells:
        for target in re.findall(r"\]\(([^)#:]+)\)", cell.source if cell.cell_type == "markdown"
                                 else ""):
            assert (NOTEBOOKS / target).exists(), target
