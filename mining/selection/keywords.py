"""The keyword filter, in one place and versioned: it runs on stored threads only."""

import re
from itertools import pairwise

from mining.selection.markup import prose_of_html, prose_of_markdown

FILTER_VERSION = 1
READINGS = ("intention", "script")
# Hyphen and underscore are part of words (multi-gpu, multi_gpu); all else separates.
_PUNCTUATION = re.compile(r"[!\"#$%&'()*+,./:;<=>?@\[\\\]^`{|}~]")
# The study's script takes an address to end at the first sign outside these.
_SCRIPT_URL = re.compile(r"https?://(?:[a-z$-_@]|%[0-9a-f]{2})+")


def matched(title, body, keywords, body_format="markdown", reading="intention", code="drop"):
    """Which keywords a thread holds in its title or its prose.

    Parameters
    ----------
    title, body : str
        As mined.
    keywords : mining.selection.definition.KeywordList
    body_format : {"markdown", "html"}
    reading : {"intention", "script"}
        See :mod:`mining.selection.markup`. The script reading also splits words at spaces only,
        so a keyword at a line end is missed, and takes phrases as parts of longer words.
    code : {"drop", "keep"}
        Whether code counts as text (GitHub's own search reads it).

    Returns
    -------
    list of str
        Keywords and phrases, in the order of the list.

    Examples
    --------
    >>> from mining.selection.definition import KeywordList
    >>> words = KeywordList("x", 1, ("multi-gpu", "workers"), ("multiple gpus",))
    >>> matched("Multi-GPU hangs", "on multiple\\nGPUs `workers`", words)
    ['multi-gpu', 'multiple gpus']
    """
    if body_format == "html":
        prose = prose_of_html(body, reading)
    else:
        prose = body if code == "keep" else prose_of_markdown(body)
    search = _as_script if reading == "script" else _as_intended
    found = search(title, keywords) | search(prose, keywords)
    return [term for term in keywords.terms if term in found]


def tokens(text):
    """Lower-case words of a text.

    >>> tokens("Multi-GPU, (workers)!")
    ['multi-gpu', 'workers']
    """
    return _PUNCTUATION.sub(" ", text.lower()).split()


def _as_intended(text, keywords):
    words = tokens(text)
    present = set(words)
    pairs = {f"{a} {b}" for a, b in pairwise(words)}
    return {w for w in keywords.words if w in present} | {
        p for p in keywords.phrases if p in pairs or _long_phrase(p, words)}


def _long_phrase(phrase, words):
    parts = phrase.split()
    return len(parts) != 2 and any(
        words[i:i + len(parts)] == parts for i in range(len(words) - len(parts) + 1))


def _as_script(text, keywords):
    text = _PUNCTUATION.sub(" ", _SCRIPT_URL.sub(" url ", text.strip().lower()))
    words = set(text.split(" "))
    return {w for w in keywords.words if w in words} | {
        p for p in keywords.phrases if p in text}
