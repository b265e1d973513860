"""Folding, and guessing what was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.base.words import fold, nearest, suggestion

NAMES = ["fix network setting", "Change Hardware", "fix dataset"]


@pytest.mark.parametrize(("text", "folded"), [
    ("", ""),
    (" \t\n", ""),
    ("Setup  Failure", "setup failure"),
    ("setup\u00a0failure", "setup failure"),  # no-break space
    ("set\u00adup\u200b failure\ufeff", "setup failure"),  # soft hyphen, zero width, BOM
    ("ﬁx ｄａｔａ", "fix data"),  # ligature, full-width letters
    ("STRASSE", fold("straße")),
    ("a\u200b\u0301", "á"),  # the accent joins its letter once nothing stands between
])
def test_fold(text, folded):
    assert fold(text) == folded


def test_fold_keeps_what_readers_see():
    assert fold("hang & timeout") != fold("hang and timeout")
    assert fold("a/b") != fold("a / b")


@given(st.text() | st.text("aAßıİ \u200b\u00ad\u0301\u0345\u00a0ﬁ", min_size=1))
def test_fold_twice_is_fold_once(text):
    assert fold(fold(text)) == fold(text)
    assert fold(text.join("  ")) == fold(text)


def test_nearest_gives_names_as_written_best_first():
    assert nearest("change hardwear", NAMES) == ["Change Hardware"]
    assert nearest("fix network set", NAMES)[0] == "fix network setting"
    assert nearest("zzz", NAMES) == []
    close = ["slow", "slows", "slowly"]
    assert nearest("slows", close) == ["slows", "slow", "slowly"]
    assert nearest("slows", close, n=1) == ["slows"]


def test_suggestion():
    assert suggestion("slws", ["slow", "hang"]) == "; nearest: 'slow'"
    assert suggestion("slows", ["slow", "slows"]) == "; nearest: 'slows', 'slow'"
    assert suggestion("zzz", NAMES) == ""
