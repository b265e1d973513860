"""What a label file says: ratings, the rules they were read by, and what was found."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from study.read.labelwords import UNDECIDED

MISSING, UNSURE = "missing", "undecided"  # states of a rating; None in ``label`` for both


class Rating(NamedTuple):  # a large file has millions: a data class costs five times as much
    """What one rater said of one item.

    Attributes
    ----------
    item, rater, facet, round, thread : str
    label : str or frozenset of str or None
        None where ``state`` is "missing" or "undecided".
    state : str
        "", "missing" or "undecided".
    count : int
        How many items the row stands for.
    row : int
    file, sheet : str

    Examples
    --------
    >>> Rating("so:1", "Ann", "Hang").state
    ''
    """

    item: str
    rater: str
    label: str | frozenset | None
    state: str = ""
    facet: str = ""
    round: str = ""
    thread: str = ""
    count: int = 1
    row: int = 0
    file: str = ""
    sheet: str = ""


@dataclass(frozen=True)
class Rules:
    """How cells become labels.

    Attributes
    ----------
    missing : tuple of str
        Words that mean "no label", besides the blank cell. None by default: "NA" and
        "None" may be categories.
    undecided : tuple of str
        Words that mean "not decided yet".
    blank : str
        What a blank cell means; "" for "no label". In tick sheets it means no.
    sets : str
        What separates several labels of a cell; "" where a cell is one label.
    split : bool
        Several rows of one rater for one item are one set of labels, not an error.
    final : bool
        A finished round: undecided cells and unpaired items are errors.
    keep : collection of str
        Normalisations to leave out, by the kind of their notes: blanks, case, link, …
    allow : collection of str
        Strict rules to be lenient about, by the kind of their errors, which become warnings.
    comments : bool
        Links to a comment or an answer stand for their thread.
    delimiter : str or None
        Of text files; None to find it.

    Examples
    --------
    >>> Rules(missing=("NA",)).missing
    ('NA',)
    """

    missing: tuple = ()
    undecided: tuple = UNDECIDED
    blank: str = ""
    sets: str = ""
    split: bool = False
    final: bool = False
    keep: frozenset = frozenset()
    allow: frozenset = frozenset()
    comments: bool = False
    delimiter: str | None = None


@dataclass
class Labels:
    """Everything that was read.

    Attributes
    ----------
    ratings : list of Rating
    problems : list of Problem
        Errors, warnings and notes (what was normalised), in the order of the files.
    files : list of Path
    allow : collection of str
        See :class:`Rules`.

    Examples
    --------
    >>> Labels([], []).errors()
    []
    """

    ratings: list
    problems: list
    files: list = field(default_factory=list)
    allow: frozenset = frozenset()

    def add(self, problem):
        """Take note of a problem; an error that is allowed is a warning."""
        if problem.severity == "error" and problem.kind in self.allow:
            problem = replace(problem, severity="warning")
        self.problems.append(problem)

    def errors(self):
        """The problems that forbid going on."""
        return [p for p in self.problems if p.severity == "error"]
