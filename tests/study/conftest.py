"""What the tests of the analysis share: the committed counts, read once."""

import csv

import pytest
from study.paths import STUDY
from study.tables import load_study


@pytest.fixture(scope="session")
def study():
    """The committed count tables; tests must not write into them."""
    return load_study()


@pytest.fixture(scope="session")
def lines():
    """Rows of a committed table as dicts of text, read by the standard library alone."""
    def read(name):
        with (STUDY / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    return read
