"""Make mined text safe: for files, for databases, for spreadsheets."""

import html
import re

# C0 controls but tab and line feed, DEL, C1 controls. NUL breaks CSV readers and
# PostgreSQL; escape sequences can drive a terminal.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def clean(text):
    """Text without what breaks readers; never None.

    CRLF and CR become LF, control characters go, a lone surrogate becomes U+FFFD (it
    cannot be written as UTF-8). ``None`` is the empty text: GitHub's REST API says null
    where its GraphQL API says "".

    Examples
    --------
    >>> clean("a\\r\\nb\\x00c"), clean(None)
    ('a\\nbc', '')
    """
    if text is None:
        return ""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _LONE_SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def unescape_once(text):
    """Undo one layer of HTML escaping, as Stack Exchange's safe filters put on.

    Twice would turn what an author wrote about ``&lt;`` into a tag.

    >>> unescape_once("&quot;a&quot; &amp;lt;")
    '"a" &lt;'
    """
    return html.unescape(text) if text else ""


def neutral(cell):
    """A cell that no spreadsheet runs as a formula: a risky first character gets an ``'``.

    >>> neutral("=1+1"), neutral("a=b"), neutral(-5)
    ("'=1+1", 'a=b', -5)
    """
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return cell
