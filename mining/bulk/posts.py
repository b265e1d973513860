"""Lines of a Stack Exchange ``Posts.xml`` to columns.

In the dumps one row is one line, so a block of whole lines can be read on its own, anywhere.
Own code rather than an XML parser, because the dumps hold references that XML 1.0 forbids
(``&#x0E;``): strict parsers refuse them, lenient ones lose values.
"""

import re

from mining.errors import MiningError

INTEGERS = {"Id": "id", "PostTypeId": "kind", "ParentId": "parent_id", "Score": "score",
            "AcceptedAnswerId": "accepted_answer_id", "ViewCount": "views",
            "OwnerUserId": "owner_id", "AnswerCount": "n_answers", "CommentCount": "n_comments"}
TEXTS = {"CreationDate": "created_at", "LastActivityDate": "updated_at",
         "LastEditDate": "edited_at", "ClosedDate": "closed_at", "Title": "title",
         "Tags": "tags", "Body": "body", "OwnerDisplayName": "owner_name",
         "ContentLicense": "licence"}
KINDS = {b"1": "questions", b"2": "answers"}
# Fabricated posts of the dumps since 2025 (meta.stackexchange.com/questions/412018).
SALT_FROM = 1_000_000_000
FEW_VALUES = ["tags", "licence"]
SORTED_COLUMNS = ["id", "kind", "parent_id", "accepted_answer_id", "created_at"]
_ESCAPED = ("title", "body", "owner_name", "licence")
_FRAME = (b"<?xml", b"<posts", b"</posts")
_REFERENCE = re.compile(
    rb"&#(?:[xX]([dD][89abAB][0-9a-fA-F]{2});&#[xX]([dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|[xX]([0-9a-fA-F]+)|([0-9]+));")


def unescaped(raw):
    """UTF-8 bytes of an attribute with one layer of XML escaping undone.

    References XML 1.0 forbids are kept as the characters they name; a pair of surrogates is
    joined; a lone one, or a number that is no character, becomes U+FFFD.

    Examples
    --------
    >>> unescaped(b"&lt;p&gt;a &amp;amp; b&#xA;&#xD83D;&#xDE42;").decode()
    '<p>a &amp; b\\n🙂'
    """
    if b"&" not in raw:
        return raw
    raw = raw.replace(b"&lt;", b"<").replace(b"&gt;", b">").replace(b"&quot;", b'"')
    raw = raw.replace(b"&#xA;", b"\n").replace(b"&#xD;", b"\r")
    if b"&#" in raw:
        raw = _REFERENCE.sub(_character, raw)
    # Last, so that what an author wrote about &lt; stays.
    return raw.replace(b"&apos;", b"'").replace(b"&amp;", b"&")


def _character(match):
    high, low, sixteen, ten = match.groups()
    if high:
        code = 0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF)
    else:
        code = int(sixteen, 16) if sixteen else int(ten)
    good = code < 0xD800 or 0xDFFF < code < 0x110000
    return (chr(code) if good else "\ufffd").encode()


def tags_of(raw):
    """The tags as ``|a|b|``: the dumps wrote ``<a><b>`` and now write ``|a|b|``.

    >>> tags_of(b"<a><b>"), tags_of(b"|a|b|"), tags_of(b"a|b"), tags_of(b"")
    (b'|a|b|', b'|a|b|', b'|a|b|', None)
    """
    names = raw.replace(b"><", b"|").strip(b"<>|")
    return b"|%s|" % names if names else None


def schema():
    """Columns of the Parquet parts, the same for questions and answers."""
    import pyarrow as pa
    return pa.schema([(name, pa.int64()) for name in INTEGERS.values()]
                     + [(name, pa.string()) for name in TEXTS.values()])


def parse(block, start=0, name="block"):
    """Read a block of whole lines.

    Parameters
    ----------
    block : bytes
    start : int
        Where it begins in the file, for messages.
    name : str
        The file, for messages.

    Returns
    -------
    dict
        ``questions`` and ``answers`` as Arrow tables; an absent attribute is null.
    int
        Rows of any kind.

    Raises
    ------
    MiningError
        A line that is no row, or bytes that are not UTF-8: file and byte.

    Examples
    --------
    >>> tables, n = parse(b'<row Id="7" PostTypeId="1" Title="a &lt; b" />')
    >>> n, tables["questions"].column("title").to_pylist()
    (1, ['a < b'])
    """
    rows = {b"1": [], b"2": []}
    n, at = 0, start
    for line in block.split(b"\n"):
        text = line.strip()
        if text[:5] == b"<row " and text[-2:] == b"/>":
            n += 1
            if b"\t" in text or b"\r" in text:  # in an attribute of XML these are blanks
                text = text.replace(b"\t", b" ").replace(b"\r", b" ")
            # Names at the even places, with a blank before and = behind; values at the odd.
            cells = text[4:].split(b'"')
            if len(cells) % 2 == 0:
                _refuse(name, at, text)
            row = dict(zip(cells[::2], cells[1::2], strict=False))
            kind = row.get(b" PostTypeId=")
            if kind in rows:
                rows[kind].append(row)
        elif text and not text.removeprefix(b"\xef\xbb\xbf").startswith(_FRAME):
            _refuse(name, at, text)
        at += len(line) + 1
    return {KINDS[kind]: _table(found, start, at - 1, name) for kind, found in rows.items()}, n


def _table(rows, start, end, name):
    import pyarrow as pa
    arrays = []
    for key, column in (*INTEGERS.items(), *TEXTS.items()):
        place = b" %s=" % key.encode()
        cells = [row.get(place) for row in rows]
        if key == "Tags":
            cells = [c and tags_of(unescaped(c)) for c in cells]
        elif column in _ESCAPED:
            cells = [c and unescaped(c) for c in cells]
        try:
            array = pa.array(cells, pa.binary()).cast(pa.string())
            arrays.append(array if key in TEXTS else array.cast(pa.int64()))
        except pa.ArrowInvalid as error:
            raise MiningError(f"{name}, bytes {start:,} to {end:,}: {key} cannot be read "
                              f"({str(error).splitlines()[0]}); a dump is UTF-8 and whole: "
                              "fetch it again") from None
    return pa.table(arrays, schema=schema())


def _refuse(name, at, text):
    raise MiningError(f"{name}, byte {at:,}: not a row of Posts.xml: "
                      f"{text[:60].decode('utf-8', 'replace')!r}")
