"""Anybody's codebook, in each of its forms, and the study's through the same door."""

import pytest

from study.base.paths import EXTENSIONS
from study.read.codebook import FACETS, PATH, load_codebook
from study.read.codebookfile import read_codebook
from study.read.sheet import SheetError


def text(tmp_path, content, name):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_codebooks_of_every_kind(tmp_path):
    toml = text(tmp_path, 'undecided=["pening"]\n[[stage]]\nname="Setup"\n'
                '[[symptom]]\nname="Hang"\n'
                'aliases=["stuck"]\nparents=["Progress"]\n[[symptom]]\nname="Crash"\n'
                '[meta]\nversion=1\n', "c.toml")
    book = read_codebook(toml)
    assert list(book.facets) == ["stage", "symptom"]
    assert book.undecided == {"pening"}
    symptom = book.facets["symptom"]
    assert symptom.names == ("Hang", "Crash")
    assert symptom.parents == {"Hang": ("Progress",)}
    assert symptom.find("STUCK") == ("Hang", "alias")

    def only(content, name):
        return read_codebook(text(tmp_path, content, name)).facets[""]
    table = only("name,alias,parent\nHang,stuck; hung,Progress\nCrash,,\n", "c.csv")
    assert [e.aliases for e in table.entries] == [("stuck", "hung"), ()]
    assert only("category\nHang\nCrash\n", "d.csv").names == ("Hang", "Crash")
    assert only('categories=["a","b"]', "e.toml").names == ("a", "b")
    assert only("# symptoms\nHang\n\n Crash \n", "f.txt").names == ("Hang", "Crash")


def test_the_codebook_of_the_study_is_one_whoever_reads_it():
    """`agree --codebook` and `label check` know the same names under the same spellings."""
    theirs, ours = read_codebook(PATH), load_codebook()
    assert {f: theirs.facets[f].index for f in FACETS} == {f: ours.facets[f].index for f in FACETS}
    assert theirs.undecided == ours.undecided


def test_a_later_version_of_a_codebook_holds_what_it_extends():
    path = EXTENSIONS / "example" / "codebook-2.toml"
    assert read_codebook(path) == load_codebook(path)
    assert len(read_codebook(path).facets["symptom"].names) > len(load_codebook().names("symptom"))


@pytest.mark.parametrize(("name", "content", "message"), [
    ("c.toml", "x = [", "not valid toml"), ("c.toml", "x = 1", "no categories"),
    ("c.txt", "# nothing\n", "no category in it"),
    ("c.csv", "name,alias\n", "no category in it"),
    ("c.txt", "a\nA\n", "'A' stands for both 'a' and 'A'"),
    ("c.txt", "a\na\n", "two entries are named 'a'; make them one"),
    ("c.toml", "[[x]]\nname = ' '\n", "c.toml, x: a category without a name"),
    ("c.toml", "[[x]]\nname = 'a'\naliases = [1]\n", "x 'a': aliases must be a list of texts"),
    ("c.csv", "what,who\na,b\n", "no column called name"),
    ("c.csv", "name,alias\na,x\nb,x\n", "'x' stands for both 'a' and 'b'"),
    ("c.csv", "name,alias\n,x\n", "row 2: a category without a name")])
def test_wrong_codebooks(tmp_path, name, content, message):
    with pytest.raises(SheetError, match=message):
        read_codebook(text(tmp_path, content, name))
