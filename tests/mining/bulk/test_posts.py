"""Lines of Posts.xml: what XML says each attribute is, and what the dumps hold beyond it."""

import pytest

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
