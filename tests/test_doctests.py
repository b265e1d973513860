"""The examples in the docstrings of the helper modules are true."""

import doctest
import functools
import importlib
import pkgutil

import pytest

import study
from study.tabulate import tables

MODULES = sorted(m.name for m in pkgutil.walk_packages(study.__path__, "study.")
                 if not m.ispkg and not m.name.endswith("__main__"))


READ_ONCE = functools.cache(tables.load_study)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, monkeypatch):
    monkeypatch.setattr(tables, "load_study", READ_ONCE)  # most examples begin with it
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_the_modules_have_examples():
    finder = doctest.DocTestFinder()
    with_examples = {n for n in MODULES if any(
        t.examples for t in finder.find(importlib.import_module(n)))}
    assert {"study.base.words", "study.base.threads", "study.read.codebook", "study.read.repair",
            "study.tabulate.tables", "study.read.upstream"} <= with_examples
