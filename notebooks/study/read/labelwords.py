"""Text of labels and items: what is normalised, under which name, and what is not."""

import difflib
import re
import unicodedata
from functools import lru_cache

from study.base.errors import StudyError
from study.base.threads import thread_key

ANSWER = re.compile(r"(?:https?://)?(?:www\.)?stackoverflow\.com/"
                    r"(?:a/(\d+)|questions/\d+/[^/?#]+/(\d+))", re.I)
COMMENT = re.compile(r"#((?:issuecomment-|discussion_r|discussioncomment-|pullrequestreview-|"
                     r"event-|r)\d+|comment\d+_\d+)$", re.I)
UNDECIDED = ("?", "??", "???", "pending", "tbd", "to be decided", "undecided", "unsure",
             "not sure", "maybe", "maybe?", "skip", "don't know")
# Spreadsheets and programs write the sign; 7e47607 is the hash of a commit.
LOST_DIGITS = re.compile(r"\d+\.0+|\d(?:\.\d+)?[eE]\+\d+")
# Letters that are drawn as Latin ones are: Cyrillic, then Greek.
ALIKE = str.maketrans("авеікмнорстухѕјһԁԛԝАВЕІКМНОРСТУХЅЈ" "αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
                      "abeikmhopctyxsjhdqwABEIKMHOPCTYXSJ" "aiknoptuxABEZHIKMNOPTYX")
YES_AND_NO = ({"true", "yes", "1", "y", "x", "t", "ja", "si", "oui"},
              {"false", "no", "0", "n", "f", "nein", "non"})
SEPARATORS = re.compile(r"\s*[&/;\n|]\s*")


def clean(text, keep=frozenset()):
    """A cell without invisible characters and superfluous blanks.

    Parameters
    ----------
    text : str
    keep : frozenset of str
        Rules not to apply.

    Returns
    -------
    (str, tuple of str)
        The text, and the rules that changed it: "invisible-characters" (Unicode format
        and control characters), "compatibility-characters" (Unicode NFKC), "blanks".

    Examples
    --------
    >>> clean("  Out of\\u00a0  memory\\u200b")
    ('Out of memory', ('invisible-characters', 'compatibility-characters', 'blanks'))
    >>> clean("None")
    ('None', ())
    """
    if text.isascii() and text.isprintable() and text == text.strip() and "  " not in text:
        return text, ()  # nearly every cell of a large file
    return _clean(text, keep)


@lru_cache(maxsize=65536)
def _clean(text, keep):
    rules = []
    # Control characters too, but for those that are white space.
    visible = text if "invisible-characters" in keep else "".join(
        c for c in text if unicodedata.category(c) not in ("Cf", "Cc") or c.isspace())
    if visible != text:
        rules.append("invisible-characters")
    folded = visible if "compatibility-characters" in keep else unicodedata.normalize(
        "NFKC", visible)
    if folded != visible:
        rules.append("compatibility-characters")
    trimmed = folded if "blanks" in keep and folded.strip() else " ".join(folded.split())
    if trimmed != folded:
        rules.append("blanks")
    return trimmed, tuple(rules)


def item_key(text, comments=False):
    """The key that pairs an item, and the rules that made it.

    Parameters
    ----------
    text : str
        A cleaned cell. Links to Stack Overflow questions and GitHub issues in any of their
        spellings become ``so:ID`` and ``gh:owner/repo#N`` (a pull request shares its
        number space with issues); a link to a comment or an answer keeps its number.
        Everything else stays as it is.
    comments : bool
        A link to a comment or an answer stands for its thread.

    Returns
    -------
    (str, tuple of str)

    Examples
    --------
    >>> item_key("https://www.stackoverflow.com/questions/42/how-to?x=1")
    ('so:42', ('link',))
    >>> item_key("github.com/Horovod/horovod/pull/7/files#r1")
    ('gh:horovod/horovod#7#r1', ('comment-link',))
    >>> item_key("github.com/Horovod/horovod/pull/7/files#r1", comments=True)
    ('gh:horovod/horovod#7', ('link',))
    >>> item_key("https://stackoverflow.com/a/42")
    ('so-answer:42', ('answer-link',))
    """
    if ":" not in text and "/" not in text:
        return text, ()
    answer = ANSWER.match(text)
    if answer and (answer[1] or not comments):
        return f"so-answer:{answer[1] or answer[2]}", ("answer-link",)
    try:
        key = thread_key(text)
    except StudyError:
        return text, ()
    comment = None if comments else COMMENT.search(text)
    return (f"{key}#{comment[1].lower()}", ("comment-link",)) if comment else (key, ("link",))


def fingerprint(label):
    """What stays of a label without case, punctuation and order of words.

    Examples
    --------
    >>> fingerprint("Not-SATD ") == fingerprint("satd, not")
    True
    """
    return " ".join(sorted(re.findall(r"\w+", label.casefold())))


def lookalikes(labels, limit=300):
    """Pairs of labels that may be one: equal fingerprints, or nearly equal spelling.

    Parameters
    ----------
    labels : iterable of str
    limit : int
        Above so many labels only fingerprints are compared.

    Returns
    -------
    list of (str, str)

    Examples
    --------
    >>> lookalikes(["Not SATD", "not-satd", "enviroment", "environment", "memory"])
    [('Not SATD', 'not-satd'), ('enviroment', 'environment')]
    """
    labels = sorted(set(labels))
    prints, pairs = {}, []
    for label in labels:
        first = prints.setdefault(fingerprint(label) or label, label)
        if first != label:
            pairs.append((first, label))
    if len(labels) <= limit:
        for i, one in enumerate(labels):
            matcher = difflib.SequenceMatcher(None, "", one.casefold(), autojunk=False)
            for other in labels[i + 1:]:
                if min(len(one), len(other)) < 4 or (one, other) in pairs:
                    continue
                matcher.set_seq1(other.casefold())
                if matcher.quick_ratio() > 0.7 and _misspelt(one, other):
                    pairs.append((one, other))
    return sorted(pairs)


def _misspelt(one, other):
    """Whether two labels have the same words but for the spelling of one or two of them."""
    a, b = (re.findall(r"\w+", label.casefold()) for label in (one, other))
    if len(a) != len(b):
        return "".join(a) == "".join(b)
    return all(x == y or _one_word(x, y) for x, y in zip(a, b, strict=True))


def _one_word(x, y):
    if (x + y).isdigit() or min(len(x), len(y)) < 3:
        return False
    if min(len(x), len(y)) == 3:  # "non" and "not", among other words that are equal
        return len(x) == len(y) and sum(c != d for c, d in zip(x, y, strict=True)) == 1
    return difflib.SequenceMatcher(None, x, y).ratio() > 0.85


def skeleton(label):
    """What a label looks like: letters of other scripts as the Latin ones they resemble.

    Examples
    --------
    >>> skeleton("\u0430b\u0441") == "abc"
    True
    """
    return label.translate(ALIKE)


def same_looks(labels):
    """Labels that look like another one, but have letters of another script, or other zeros.

    Parameters
    ----------
    labels : iterable of str

    Returns
    -------
    list of (str, str, str)
        Two labels, and why they look alike.

    Examples
    --------
    >>> same_looks(["abc", "\u0430b\u0441", "1", "01", "yes"])
    [('01', '1', 'the same number'), ('abc', 'аbс', 'letters of another script')]
    """
    first, found = {}, []
    for label in sorted(set(labels)):
        for key, why in ((skeleton(label), "letters of another script"),
                         (_as_number(label), "the same number")):
            if key is not None:
                other = first.setdefault((key, why), label)
                if other != label:
                    found.append((other, label, why))
    return found


def _as_number(label):
    try:
        return float(label) if label.isascii() else None
    except ValueError:
        return None


def truths(labels):
    """Different words for one answer, yes or no, that stand side by side.

    Parameters
    ----------
    labels : iterable of str

    Returns
    -------
    list of list of str

    Examples
    --------
    >>> truths(["TRUE", "yes", "1", "no"]), truths(["1", "2", "3"])
    ([['1', 'TRUE', 'yes']], [])
    """
    found = []
    for words in YES_AND_NO:
        same = sorted(label for label in labels if label.casefold() in words)
        plain = {label.casefold() for label in same}
        if len(plain) > 1 and plain & {"true", "yes", "1", "false", "no", "0"}:
            found.append(same)
    return found
