"""What a label file says: ratings, the rules they were read by, and what was found."""

from dataclasses import dataclass, field

from study.read.labelwords import UNDECIDED

MISSING, UNSURE = "missing", "undecided"  # states of a rating; None in ``label`` for both


@dataclass(frozen=True, slots=True)
class Rating:
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
    sets : str
        What separates several labels of a cell; "" where a cell is one label.
    split : bool
        Several rows of one rater for one item are one set of labels, not an error.
    final : bool
        A finished round: undecided cells and unpaired items are errors.

    Examples
    --------
    >>> Rules(missing=("NA",)).missing
    ('NA',)
    """

    missing: tuple = ()
    undecided: tuple = UNDECIDED
    sets: str = ""
    split: bool = False
    final: bool = False


@dataclass
class Labels:
    """Everything that was read.

    Attributes
    ----------
    ratings : list of Rating
    problems : list of Problem
        Errors, warnings and notes (what was normalised), in the order of the files.
    files : list of Path
    comments : bool
        Comments and answers are items of their own, not names of their thread.

    Examples
    --------
    >>> Labels([], []).errors()
    []
    """

    ratings: list
    problems: list
    files: list = field(default_factory=list)
    comments: bool = False

    def errors(self):
        """The problems that forbid going on."""
        return [p for p in self.problems if p.severity == "error"]
