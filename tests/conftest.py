"""What several tests share: the released files, a small codebook, a synthetic release."""

import csv
import importlib.util
import os
import shutil
from pathlib import Path

import openpyxl
import pytest

from study.base.paths import ROOT, STUDY
from study.read.codebook import load_codebook
from study.read.upstream import fetch, load_upstream
from study.tabulate import rebuild
from study.tabulate.issues import read_declared
from study.tabulate.tables import load_study
from syntheticrelease import SMALL_CODEBOOK, Release, write_book

RELEASED = ROOT.parent / "shared" / "upstream"
FIXTURES = ROOT.parent / "shared" / "fixtures"


def absent():
    """What tests skip without, and is not here: one line each."""
    def on_path(*names):
        return any(map(shutil.which, names))

    def axe():
        homes = os.environ.get("NODE_PATH", "").split(os.pathsep)
        return any(Path(home, "axe-core").is_dir() for home in filter(None, homes))

    needed = [
        (on_path("git"), "git: what is tracked, and what is as committed"),
        (on_path("chromium", "chromium-browser", "google-chrome"),
         "Chromium: the page as a browser shows it"),
        (axe(), "axe-core in a folder of NODE_PATH: whether everybody can read the page"),
        (on_path("soffice"), "LibreOffice: workbooks as a spreadsheet program saves them"),
        (RELEASED.is_dir(), "../shared/upstream, the authors' files: the counts made from labels"),
        (FIXTURES.is_dir(), "../shared/fixtures, recorded answers: the miner against them"),
        *((importlib.util.find_spec(module), f"the package {name}: it is a reference to compare "
           "with (leave --here out)") for name, module in {
               "graphql-core": "graphql", "jsonschema": "jsonschema", "nltk": "nltk",
               "krippendorff": "krippendorff", "scikit-learn": "sklearn"}.items())]
    return [what for there, what in needed if not there]


def pytest_sessionstart(session):
    """Say first what will be skipped, and why."""
    if hasattr(session.config, "workerinput"):  # one of several processes: the first has said it
        return
    for what in absent():
        print(f"not here, so its tests are skipped: {what}")
    if "not slow" in session.config.option.markexpr:
        print("left out: the slow tests, which install anew from the package index "
              "(python reproduce.py test -m slow)")

@pytest.fixture(scope="session")
def released():
    """Folder of the authors' released files; skips where it is not beside the checkout."""
    if not RELEASED.is_dir():
        pytest.skip("the authors' released files are not beside the checkout "
                    "(../shared/upstream)")
    return RELEASED


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


@pytest.fixture(scope="session")
def plain(released, tmp_path_factory):
    """Folder of the released files under their plain names."""
    return fetch(load_upstream(), tmp_path_factory.mktemp("released"), str(released))


@pytest.fixture(scope="session")
def book():
    """The codebook of the package."""
    return load_codebook()


@pytest.fixture(scope="session")
def rows(plain):
    """Every labelled row of the released sheets, and what was left out."""
    return read_declared(plain, load_upstream())


@pytest.fixture(scope="session")
def rebuilt(plain, book):
    """Count tables and row tables, made anew from the released files."""
    return rebuild.build(plain, load_upstream(), book)


@pytest.fixture(scope="session")
def cells(plain):
    """The released sheets read another way: openpyxl, (file, sheet) → rows of stripped text.

    Numbers become text, blank cells "", row 1 is the header in lower case.
    """
    sheets = {}
    for path in sorted(plain.glob("*.xlsx")):
        workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
        for sheet in workbook:
            found = [["" if v is None else str(v).strip() for v in row]
                     for row in sheet.iter_rows(values_only=True)]
            found[0] = [title.lower() for title in found[0]]
            sheets[path.name, sheet.title] = found
        workbook.close()
    return sheets


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """A small synthetic codebook."""
    path = tmp_path_factory.mktemp("codebook") / "codebook.toml"
    path.write_text(SMALL_CODEBOOK, encoding="utf-8", newline="\n")
    return load_codebook(path)


@pytest.fixture(name="write_book")
def _write_book():
    return write_book


@pytest.fixture
def release(tmp_path):
    """A fresh synthetic release."""
    return Release(tmp_path)


@pytest.fixture(autouse=True)
def no_mirror(monkeypatch):
    """What a user's shell says about mirrors decides no test."""
    monkeypatch.delenv("STUDY_MIRROR", raising=False)

