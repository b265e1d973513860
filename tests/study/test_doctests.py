"""The examples in the docstrings of the helper modules are true."""

import doctest
import importlib
import pkgutil

import pytest
import study

MODULES = sorted(m.name for m in pkgutil.iter_modules(study.__path__) if m.name != "__main__")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"study.{name}")
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_the_modules_have_examples():
    finder = doctest.DocTestFinder()
    with_examples = [n for n in MODULES if any(
        t.examples for t in finder.find(importlib.import_module(f"study.{n}")))]
    assert {"text", "threads", "codebook", "readings", "tables", "upstream"} <= set(with_examples)
