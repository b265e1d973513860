"""Words as people type them: folding, joining, guessing what was meant."""

import difflib
import re
import unicodedata
from functools import lru_cache

JOIN = ";"  # several labels or frameworks in one cell of our own tables
# What a spreadsheet program would take for a formula.
RISKY = re.compile(r"[=+\-@\t\r]")


@lru_cache(maxsize=1 << 16)  # sheets repeat their labels thousands of times
def fold(text):
    """Text with the differences taken out that no reader sees.

    Unicode compatibility forms and invisible characters (zero-width space, byte
    order mark, soft hyphen) are resolved, white space is collapsed, case is ignored.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> fold("  Setup\\u00a0Failure\\u200b ")
    'setup failure'
    """
    if text.isascii():
        return " ".join(text.split()).casefold()
    # Each step can make work for another (an invisible character between a letter and
    # its accent): until nothing changes any more.
    while True:
        folded = unicodedata.normalize("NFKC", text)
        folded = "".join(c for c in folded if unicodedata.category(c) != "Cf")
        folded = " ".join(folded.split()).casefold()
        if folded == text:
            return folded
        text = folded


def nearest(text, names, n=3):
    """The names most like a text, best first.

    Parameters
    ----------
    text : str
    names : iterable of str
    n : int, default 3
        How many at most.

    Returns
    -------
    list of str

    Examples
    --------
    >>> nearest("fix netowrk setting", ["fix network setting", "change hardware"])
    ['fix network setting']
    """
    by_fold = {fold(name): name for name in names}
    return [by_fold[m] for m in difflib.get_close_matches(fold(text), by_fold, n, 0.6)]


def suggestion(text, names):
    """``"; nearest: a, b"`` or an empty string, for the end of an error message.

    Examples
    --------
    >>> suggestion("hangs", ["hang", "setup failure"])
    "; nearest: 'hang'"
    """
    near = nearest(text, names)
    return f"; nearest: {', '.join(map(repr, near))}" if near else ""


def guarded(text):
    """Text with a ``'`` before it where a spreadsheet program would run it.

    Examples
    --------
    >>> guarded("=1+1"), unguarded(guarded("=1+1")), guarded("'=1")
    ("'=1+1", '=1+1', "''=1")
    """
    return f"'{text}" if RISKY.match(text.lstrip("'")) else text


def unguarded(text):
    """The inverse of :func:`guarded`."""
    return text[1:] if text.startswith("'") and RISKY.match(text.lstrip("'")) else text


PROPER = {"horovod": "Horovod", "keras": "Keras", "pytorch": "PyTorch", "tensorflow": "TensorFlow"}


def proper(framework):
    """A framework's name as it is written in prose; unknown ones stay as they are.

    Examples
    --------
    >>> proper("pytorch"), proper("jax")
    ('PyTorch', 'jax')
    """
    return PROPER.get(framework, framework)
