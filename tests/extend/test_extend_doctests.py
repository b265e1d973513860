"""The examples in the docstrings of the extension's modules are true."""

import doctest
import importlib
import pkgutil

import pytest
import study.extend

MODULES = sorted(m.name for m in pkgutil.iter_modules(study.extend.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"study.extend.{name}")
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
