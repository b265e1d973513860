"""Lines of Posts.xml: what XML says each attribute is, and what the dumps hold beyond it."""

import subprocess

import pytest
from bulkrun import ROOT, SCALE, scale

from mining.bulk.posts import tags_of, unescaped

REFERENCES = {
    # Extensible Markup Language 1.0, sections 2.2, 3.3.3 and 4.1, by hand.
    "named": (b"&lt;&gt;&quot;&apos;&amp;", "<>\"'&"),
    "an escaped reference stays": (b"&amp;lt; &amp;#xA;", "&lt; &#xA;"),
    "hexadecimal and decimal": (b"&#x41;&#66;&#xa;", "AB\n"),
    "forbidden in XML 1.0": (b"a&#x0E;b&#x0;c", "a\x0eb\x00c"),
    "a pair of surrogates": (b"&#xD83D;&#xDE42;", "🙂"),
    "a lone surrogate": (b"&#xD83D;x&#xDE42;", "\ufffdx\ufffd"),
    "no character": (b"&#x110000;", "\ufffd"),
    "not a reference": (b"AT&T; &nbsp;", "AT&T; &nbsp;"),
}


@pytest.mark.parametrize("case", REFERENCES)
def test_references(case):
    raw, text = REFERENCES[case]
    assert unescaped(raw).decode() == text


def test_every_notation_of_tags():
    assert {tags_of(t) for t in (b"<c#><.net>", b"|c#|.net|", b"c#|.net")} == {b"|c#|.net|"}


@scale
@pytest.mark.parametrize("module", sorted(p.stem for p in (ROOT / "mining/bulk").glob("*.py")
                                          if p.stem != "__init__"))
def test_the_examples_in_the_docstrings_run_where_dumps_are_read(module):
    code = ("import doctest, importlib, sys; found = doctest.testmod(importlib.import_module("
            f"'mining.bulk.{module}')); print(found); sys.exit(found.failed)")
    done = subprocess.run([SCALE / "bin" / "python", "-c", code], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
