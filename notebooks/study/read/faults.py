"""Every kind of fault that a reader of labels can find: one word each, and how much it counts.

``agree``, ``label check`` and the readers of tools' exports say them in these words.
"""

from study.read.repair import RULES

E, W, N = "error", "warning", "note"  # forbids going on, to be looked at, was normalised

# Kind → the severities it may have, the gravest first; what is the matter.
FAULTS = {
    # The file and the shape of its sheet.
    "unreadable": (E, "the file cannot be read"),
    "empty": (E, "no row below the header"),
    "byte-order-mark": (N, "a byte order mark, left out"),
    "delimiter": (N, "which mark separates the cells"),
    "row-length": (f"{E} {W}", "more or fewer cells than titles; a warning where no column that "
                   "is read can be hit"),
    "no-column": (E, "a column that is needed is missing"),
    "no-label-column": (W, "a column of raters without one of labels beside it"),
    "doubled-title": (f"{E} {W}", "several columns have one title; an error where it is read"),
    "no-title": (f"{E} {W}", "a value in a column without title; an error in a sheet that was "
                 "handed out, where the row may be shifted"),
    "extra-column": (W, "a column that was not handed out; it is not read"),
    "hidden-sheet": (W, "a hidden sheet; it is read"),
    "hidden-column": (W, "a hidden column; it is read"),
    "hidden-row": (E, "labels in a hidden row"),
    "merged": (E, "merged cells: only the first has a value"),
    "same-file": (W, "two files have the same bytes"),
    "same-labels": (W, "two raters agree on every label of many issues"),
    "nothing-shared": (W, "two raters share no label of a column"),
    "resolved": (W, "a title suggests labels from after the discussion"),
    "other-sheet": (E, "the workbook was made for another rater or round"),
    "codebook": (E, "the workbook was made for another version of the codebook"),
    "ignored": (N, "a control of a labelling tool that was not handed out"),
    "many-raters": (E, "more raters than a study has; is that the right column?"),
    "many-labels": (E, "more labels than a codebook has; is that the right column?"),
    # Cells, as the spreadsheet stored them.
    "formula": (W, "a formula; its stored value is read"),
    "formula-without-value": (f"{E} {W}", "a formula without a stored value"),
    "error-value": (f"{E} {W}", "an error value, such as #N/A"),
    "date": (f"{E} {W}", "a date; spreadsheet programs make dates of entries such as 3-2"),
    "digits": (f"{E} {W}", "a number that lost its digits in a spreadsheet program"),
    # Items.
    "no-item": (E, "labels in a row that names no item"),
    "no-rater": (E, "a label without the name of its rater"),
    "issue-number": (E, "no issue number"),
    "link": (N, "how the item was written"),
    "comment-link": (N, "a link to a comment, an item of its own"),
    "answer-link": (W, "a link to an answer, an item of its own"),
    "other-link": (E, "the link leads to another thread than the item"),
    "changed": (W, "a cell that was handed out reads otherwise"),
    "added": (N, "a further issue of the thread above"),
    "order": (N, "rows in another order than handed out"),
    "repeated": (f"{E} {W}", "the same item twice; a warning where the labels are the same"),
    "strange": (E, "an item that was not handed out"),
    "lacking": (f"{E} {W}", "no row for an item that was handed out"),
    "unlabelled": (f"{E} {W}", "a row without any label"),
    "unpaired": (f"{E} {W}", "a rater has no row for an item of the others"),
    "total-row": (W, "a last row of totals, left out"),
    "count": (f"{E} {W}", "no whole number in the column of counts"),
    # Labels.
    "blanks": (N, "blanks at the ends, or several"),
    "case": (N, "upper and lower case"),
    "invisible-characters": (N, "characters that nobody sees"),
    "compatibility-characters": (N, "ligatures, full-width forms, no-break blanks"),
    **dict.fromkeys(RULES, (N, "")),
    "alias": (N, "another spelling that the codebook has"),
    "inapplicable": (f"{E} {N}", "a label of the other issue type"),
    "undecided": (f"{E} {N}", "a word for undecided; an error where all must be decided"),
    "new": (W, "a category that the codebook lacks, proposed by a rater"),
    "unknown-label": (E, "no label of the codebook"),
    "word": (E, "a word that programs take for a blank, such as NA"),
    "code": (E, "a number in place of a label"),
    "several": (E, "several labels in a column of one"),
    "misplaced": (E, "a label of another column"),
    "shifted": (E, "the labels of a row stand in wrong columns"),
    "parents": (W, "the codebook has this symptom elsewhere"),
    "missing": (f"{E} {W}", "a label that is due is blank"),
    "day": (E, "no day, or one to come"),
    # Decisions, and answers of models.
    "who": (f"{E} {N}", "who decided"),
    "why": (E, "no reason for a decision"),
    "no-answer": (E, "a line that holds no answer"),
    "key": (E, "a key that is missing, twice, or was not asked for"),
    "kind": (E, "a value of another kind than the schema says"),
    "path": (E, "no path of the codebook"),
    "too-long": (E, "more characters than a cell holds"),
}
FAULTS |= {rule: (FAULTS[rule][0], says) for rule, says in RULES.items()}
STORED = ("formula-without-value", "error-value", "date", "digits")  # errors where a label stands


def table():
    """All kinds in the words of the documentation, a row each.

    Returns
    -------
    str
        Lines of a Markdown table.

    Examples
    --------
    >>> table().splitlines()[2]
    '| `unreadable` | error | the file cannot be read |'
    """
    return "\n".join(["| kind | | |", "| --- | --- | --- |", *(
        f"| `{kind}` | {' or '.join(severities.split())} | {says} |"
        for kind, (severities, says) in FAULTS.items())])
