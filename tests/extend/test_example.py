"""The committed example is what its script makes, part by part."""

import io
import zipfile

import make_example
import pytest

from study.base.paths import DATA
from study.extend import frames
from study.extend.folder import extension
from study.tabulate.tables import load_study

EXAMPLE = DATA / "extensions" / make_example.NAME


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The example, made anew."""
    target = tmp_path_factory.mktemp("again") / make_example.NAME
    make_example.make(target, tmp_path_factory.mktemp("scratch"))
    return target


def parts(path):
    """Content of a file; of a workbook its parts, since how they are packed may differ."""
    content = path.read_bytes()
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            return {name: book.read(name) for name in book.namelist()}
    return content.replace(b"\r\n", b"\n")


def test_the_script_makes_what_is_committed(made):
    names = {p.relative_to(made).as_posix() for p in made.rglob("*") if p.is_file()}
    assert names == {p.relative_to(EXAMPLE).as_posix() for p in EXAMPLE.rglob("*") if p.is_file()}
    differing = [n for n in sorted(names) if parts(made / n) != parts(EXAMPLE / n)]
    assert differing == []


def test_everything_in_it_says_that_it_is_synthetic():
    own = extension("example")
    assert "synthetic" in own.plan["title"]
    for task in own.tasks():
        assert "example/moelib" in task.thread or task.thread.startswith("so:5000")
        assert "ynthetic" in task.title + task.excerpt


def test_its_sheets_are_clean_and_were_not():
    own = extension("example")
    assert len(frames.findings(own)) == 0
    first = frames.findings(own, frames.handed_in(own))
    assert set(first["file"]) == {"round1-R1.xlsx", "round1-R2.xlsx"}
    assert len(first) > 15


def test_every_figure_and_function_runs_on_it():
    from study.draw import gallery
    study = load_study("example")
    assert len(gallery.render(study)) == len(gallery.FIGURES)
    assert study.codebook.entry("symptom", make_example.NEW)
