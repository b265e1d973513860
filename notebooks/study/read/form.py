"""What raters fill in: the columns of a sheet, the answers besides labels, names of issues."""

import re
from dataclasses import dataclass

from study.base.errors import StudyError
from study.base.threads import thread_url
from study.base.words import fold
from study.read.codebook import FACETS, FAULT, OF_FAULTS, OF_QUESTIONS, QUESTION, UNDECIDED

# A thread that is no issue of distributed training at all; it is counted nowhere.
NOT_RELEVANT = "not relevant"
MODEL_LABELLED = "model-labelled"  # in the title of all that rests on model raters
NEW = "new:"  # before a category the codebook lacks
JOIN = "; "  # between several fix patterns in one cell

# Column of the sheet → the title raters see. The order is the order of the columns.
TITLES = {
    "item": "Item", "issue": "Issue", "title": "Title", "excerpt": "Excerpt",
    "resolution": "Answer or closing comment", "link": "Link",
    "issue_type": "Issue type", "topic": "How-to topic", "subtopic": "Sub-topic",
    "distributed_specific": "Distributed-specific", "stage": "Stage", "group": "Symptom group",
    "symptom": "Symptom", "fix_pattern": "Fix pattern", "note": "Note",
    "decided_at": "Decided at", "source": "Source",
}
GIVEN = ("item", "issue", "title", "excerpt", "resolution", "link", "source")
NEEDED = ("item", "issue", *FACETS)

_RATER = re.compile(r"[RM][1-9]\d?")  # R a person, M a model
_SHEET = re.compile(r"round(?P<round>[1-9]\d?)-(?P<rater>[RM][1-9]\d?|raters|adjudicated)", re.I)


@dataclass(frozen=True, slots=True)
class Task:
    """One thread to be labelled.

    Attributes
    ----------
    thread : str
        Its key, such as ``gh:owner/repository#7``.
    source : str
        Platform and framework as the study writes them: ``GitHub-horovod``.
    title, excerpt, resolution : str
        What raters read; the resolution is the accepted answer or the closing comment.
    round : str
    """

    thread: str
    source: str
    title: str = ""
    excerpt: str = ""
    resolution: str = ""
    round: str = "1"

    @property
    def url(self):
        """Address of the thread."""
        return thread_url(self.thread)


def item_of(thread, issue=1):
    """Name of an issue: its thread and its number within the thread.

    Examples
    --------
    >>> item_of("so:46519919", 2)
    'so:46519919/2'
    """
    return f"{thread}/{issue}"


def thread_of(item):
    """Thread and issue number of an item; the inverse of :func:`item_of`.

    Examples
    --------
    >>> thread_of("gh:horovod/horovod#106/1")
    ('gh:horovod/horovod#106', 1)
    """
    thread, _, issue = item.rpartition("/")
    if not issue.isdigit():
        raise StudyError(f"{item!r} is no item; write THREAD/ISSUE, such as so:46519919/1")
    return thread, int(issue)


class Numbering:
    """Which issue of its thread a row is: the one it states, else one more than the row before.

    Parameters
    ----------
    last : dict, optional
        Number of the last issue by thread; shared where labels are spread over several sheets.

    Examples
    --------
    >>> count = Numbering()
    >>> [count.of("so:1"), count.of("so:1"), count.of("so:2", "2"), count.of("so:2", skipped=1)]
    [1, 2, 2, 4]
    """

    def __init__(self, last=None):
        self.last, self.thread = {} if last is None else last, None

    def of(self, thread, stated="", skipped=0):
        """Number of the next row of a thread, after so many blank rows."""
        # A row inside a thread keeps its place, labelled or not: the other rater's sheet has
        # the same places, and filling the gap would pair what was labelled for other issues.
        number = int(stated) if stated.isascii() and stated.isdigit() else (
            self.last.get(thread, 0) + 1 + (skipped if thread == self.thread else 0))
        self.last[thread], self.thread = number, thread
        return number


def check_raters(raters):
    """The rater ids; StudyError where one is not of the form R1, R2 … or two are equal.

    Models are M1, M2 …, so that nobody takes their labels for a person's; people and models are
    no raters of one plan, ``label calibrate`` compares them.

    Examples
    --------
    >>> check_raters(["R1", "R2"])
    ('R1', 'R2')
    """
    for rater in raters:
        if not _RATER.fullmatch(rater):
            raise StudyError(f"rater {rater!r}: write R1, R2 …, or M1, M2 … for models; names of "
                             "persons do not belong into data that are published")
    if len({rater[0] for rater in raters}) > 1:
        raise StudyError(f"raters {' '.join(raters)}: people (R) and models (M) do not rate "
                         "together; plan with people, then `label tasks NAME --for-model`")
    if len(set(raters)) != len(raters) or len(raters) < 2:
        raise StudyError(f"raters {' '.join(raters)}: at least two different ones are needed")
    return tuple(raters)


def whose(name):
    """Round and rater in the name of a sheet's file.

    Parameters
    ----------
    name : str
        Such as ``round2-R1.xlsx``; ``raters`` where one file has all of them.

    Returns
    -------
    tuple of (str, str)

    Raises
    ------
    StudyError

    Examples
    --------
    >>> whose("round2-R1.xlsx")
    ('2', 'R1')
    """
    found = _SHEET.search(name)
    if not found:
        raise StudyError(f"{name}: whose sheet is it? Name it as it was handed out: "
                         "roundN-RATER.xlsx, such as round1-R1.xlsx")
    rater = found["rater"]
    return found["round"], rater.upper() if rater[1:].isdigit() else rater.lower()


def check_models(raters):
    """The ids of model raters; StudyError where one is not of the form M1, M2 … or occurs twice.

    Examples
    --------
    >>> check_models(["M1", "M2"])
    ('M1', 'M2')
    """
    for rater in raters:
        if not (_RATER.fullmatch(rater) and rater.startswith("M")):
            raise StudyError(f"rater {rater!r}: write M1, M2 … for models; R1, R2 … are people")
    if len(set(raters)) != len(raters):
        raise StudyError(f"raters {' '.join(raters)}: one stands there twice")
    return tuple(raters)


def by_models(raters):
    """Whether labels are those of models.

    Parameters
    ----------
    raters : sequence of str

    Returns
    -------
    bool

    Examples
    --------
    >>> by_models(["M1", "M2"])
    True
    """
    return any(rater.startswith("M") for rater in raters)


def offered(codebook, facet):
    """Answers a rater can choose from in a column: the codebook's labels, and the others.

    Parameters
    ----------
    codebook : Codebook
    facet : str

    Returns
    -------
    list of str
        Labels that only old sheets use are not offered.

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> offered(load_codebook(), "issue_type")
    ['fault', 'how-to question', 'not relevant', 'undecided']
    """
    names = codebook.names(facet, final_only=True)
    return [*names, *([NOT_RELEVANT] if facet == "issue_type" else []), UNDECIDED]


def needed(labels, codebook):
    """Facets that have to be filled in, given what is.

    Parameters
    ----------
    labels : dict of str to str
        Labels by facet.
    codebook : Codebook

    Returns
    -------
    list of str

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> needed({"issue_type": "how-to question", "topic": "model"}, load_codebook())
    ['topic']
    """
    kind = labels.get("issue_type", "")
    if kind == FAULT:
        grouped = codebook.has_group(labels.get("stage", ""))
        return [f for f in OF_FAULTS if f != "group" or grouped]
    if kind == QUESTION:
        more = codebook.needs_subtopic(labels.get("topic", ""))
        return [f for f in OF_QUESTIONS if f != "subtopic" or more]
    return []


def idle(labels):
    """Facets that do not apply, given the issue type.

    Examples
    --------
    >>> idle({"issue_type": "fault"})
    ('topic', 'subtopic')
    """
    return {FAULT: OF_QUESTIONS, QUESTION: OF_FAULTS,
            NOT_RELEVANT: (*OF_QUESTIONS, *OF_FAULTS)}.get(labels.get("issue_type", ""), ())


def is_new(label):
    """Whether a label is a rater's own proposal: ``new: pipeline bubble``.

    Examples
    --------
    >>> is_new("New:  pipeline bubble"), is_new("hang")
    (True, False)
    """
    return fold(label).startswith(NEW)
