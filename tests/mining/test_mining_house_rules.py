"""Rules of the package itself: its examples run, and it imports little."""

import ast
import doctest
import importlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import mining

FOLDER = Path(mining.__file__).parent
MODULES = sorted(".".join(p.relative_to(FOLDER).with_suffix("").parts)
                 for p in FOLDER.rglob("*.py") if p.stem not in ("__init__", "__main__"))
# Optional, for parquet and for whole dumps, and imported only there.
LAZY = {"store.export": {"pandas", "pyarrow"},
        **{f"bulk.{name}": {"pyarrow"} for name in ("dump", "hours", "posts", "stream")},
        "bulk.engines": {"duckdb", "pyspark"}}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_run(name):
    if name.startswith("bulk.") and not all(map(find_spec, LAZY.get(name, ()))):
        pytest.skip("runs in .venv-scale: tests/mining/bulk")
    result = doctest.testmod(importlib.import_module(f"mining.{name}"))
    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = sum(len(t.examples) for name in MODULES
                for t in finder.find(importlib.import_module(f"mining.{name}")))
    assert found > 35


@pytest.mark.parametrize("name", MODULES)
def test_only_the_standard_library_requests_and_tqdm_are_imported(name):
    tree = ast.parse((FOLDER / f"{name.replace('.', '/')}.py").read_text("utf-8"))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module.split(".")[0])
    allowed = set(sys.stdlib_module_names) | {"mining", "requests", "tqdm"}
    assert imported - allowed == LAZY.get(name, set())


def test_no_module_bears_a_standard_library_name():
    words = {word for name in MODULES for word in name.split(".")}
    assert words & set(sys.stdlib_module_names) == set()


def test_whole_dumps_are_chosen_from_without_what_the_miner_sends_with():
    # The environment of whole dumps has neither requests nor tqdm.
    code = ("import sys; sys.modules.update(requests=None, tqdm=None)\n"
            "import mining.bulk.choose, mining.bulk.cli")
    subprocess.run([sys.executable, "-c", code], cwd=FOLDER.parent, check=True)
