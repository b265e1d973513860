"""Decisions: every option has a sentence in its defence, and what is wrong is named."""

import pytest

from study.base.errors import StudyError
from study.decide.decisions import load_decisions


def test_decisions_are_read_with_their_question():
    found = load_decisions()["pairing"]
    assert found.asks.endswith("?")
    assert list(found.options) == ["by place", "by order", "by best match"]


@pytest.mark.parametrize(("text", "says"), [
    ("[unit", "mend the TOML there"),
    ("[unit]\nasks = 'What?'\n", "decision 'unit': needs 'asks' and 'options'"),
    ("[unit]\nasks = 'What?'\n[unit.options]\nissue = ' '\n",
     "the option 'issue' has no sentence in its defence"),
])
def test_what_is_wrong_is_named(tmp_path, text, says):
    path = tmp_path / "decisions.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=says) as caught:
        load_decisions(path)
    assert "\n" not in str(caught.value).replace(str(path), "")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(StudyError, match="is missing; restore it"):
        load_decisions(tmp_path / "decisions.toml")
