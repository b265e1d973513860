"""Tables of weights and of counts: what is one, and the place of what is none."""

import pytest

from study.read.sheet import SheetError
from study.read.square import read_weights


def weights(tmp_path, text):
    path = tmp_path / "w.csv"
    path.write_text(text, encoding="utf-8")
    return read_weights(path)


def test_weights_and_distances(tmp_path):
    """Distances become 1 - distance / largest distance; weights stay as they are."""
    assert weights(tmp_path, ",a,b\na,1,0.25\nb,0.25,1\n")[1] == {
        ("a", "a"): 1, ("a", "b"): .25, ("b", "a"): .25, ("b", "b"): 1}
    names, found = weights(tmp_path, ",a,b,c\na,0,1,2\nb,1,0,2\nc,2,2,0\n")
    assert names == ["a", "b", "c"] and found["a", "b"] == .5 and found["b", "c"] == 0
    assert weights(tmp_path, ",a,b\na,0,0.5\nb,0.5,0\n")[1]["a", "b"] == 0


@pytest.mark.parametrize("text, words", [
    (",a,a\na,1,0\na,0,1\n", "each once"), (",a,b\nb,1,0\na,0,1\n", "in the same order"),
    (",a,b\na,1,0\n", "the same"), (",a,b\na,1,-0.5\nb,0,1\n", "row 2, column C: '-0.5'"),
    (",a,b\na,1,0\nb,inf,1\n", "row 3, column B: 'inf'"), (",a,b\na,1,x\nb,0,1\n", "'x' is no"),
    (",a,b\na,1,0.5\nb,0.4,1\n", "the same both ways"), (",a,b\na,1,2\nb,2,1\n", "from 0 to 1"),
    (",a,b\na,0,0\nb,0,0\n", "1 on the diagonal"), (",a,b\na,1,0\nb,0,0\n", "diagonal"),
    (",a,b\na,0.5,0\nb,0,0.5\n", "diagonal")])
def test_what_is_no_table_of_weights(tmp_path, text, words):
    with pytest.raises(SheetError, match=words):
        weights(tmp_path, text)
