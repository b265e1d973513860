"""What a rater is told, in the workbook itself."""

# Shown beside a cell when it is chosen; Excel allows 255 characters.
WORDS = {
    "issue_type": "A fault: something fails. A how-to question: nothing failed, knowledge is "
                  "asked for. Not relevant: not about distributed training; then leave the other "
                  "columns blank.",
    "topic": "How-to questions only.",
    "subtopic": "How-to questions only; the list follows the topic.",
    "distributed_specific": "Faults only. 1: it arises from training on several devices or "
                            "processes. 0: it would arise on one device too.",
    "stage": "Faults only: where in the run the fault shows.",
    "group": "Faults of a stage that has groups; the list follows the stage.",
    "symptom": "Faults only: what is first seen; the list follows stage and group.",
    "fix_pattern": "Faults only: what mended it. Several are separated by a semicolon (;).",
}


def paragraphs(title, number, rater):
    """Instructions, a paragraph a row.

    Parameters
    ----------
    title, number, rater : str

    Returns
    -------
    list of (bool, str)
        Whether it is a heading, and the text.
    """
    return [
        (True, f"Labelling sheet: {title}, round {number}, rater {rater}"),
        (False, "Work alone, and do not speak about this round's threads with the other rater "
                "before both sheets are handed in: how far you agree is measured on them."),
        (True, "For each row of the sheet labels"),
        (False, "1. Read title, excerpt, and the answer or closing comment; follow the link "
                "where they do not suffice."),
        (False, "2. Choose the issue type. For a fault fill in the green columns, for a how-to "
                "question the blue ones. Leave the others blank. The lists offer what the "
                "codebook has; the sheet codebook says what each label means."),
        (False, "3. Where a thread holds two issues, insert a row directly below it, leave its "
                "item and issue blank, and label the second issue there."),
        (False, "4. Where you cannot decide, choose undecided; a blank means forgotten. Where the "
                "thread has nothing to do with distributed training, choose not relevant as issue "
                "type and leave the rest blank."),
        (False, "5. Where the codebook lacks a category, write new: and a short name, and say in "
                "the note what it means."),
        (False, "6. The note is for whatever the others should know; Decided at may hold the day, "
                "written 2026-12-31."),
        (True, "Please do not"),
        (False, "merge cells, hide rows, sort a part of the sheet, write formulas, or change the "
                "grey columns. They are protected without a password, against mistakes only."),
        (True, "Handing in"),
        (False, f"Save the workbook under its own name (round{number}-{rater}.xlsx). Then "
                "`python reproduce.py label check` lists everything that cannot be read, all at "
                "once, with the cell it stands in."),
    ]


def of_decisions(title, number, raters):
    """Instructions of the workbook of decisions, a paragraph a row.

    Parameters
    ----------
    title, number : str
    raters : sequence of str

    Returns
    -------
    list of (bool, str)
        Whether it is a heading, and the text.
    """
    return [
        (True, f"Decisions: {title}, round {number}, raters {', '.join(raters)}"),
        (False, "Each row of the sheet decisions is one label on which the raters differ, or which "
                "they left undecided. What agrees is not asked again."),
        (True, "For each row"),
        (False, "1. Talk it over, with the thread open (the column Link leads to it) and the "
                "codebook beside it. How far the raters agreed was measured before and does not "
                "change."),
        (False, "2. Decision: choose from the list. The label may be one that neither rater gave. "
                "Several fix patterns are separated by a semicolon (;). Undecided may stand where "
                "the thread does not tell: the issue is then left out of what is counted of this "
                "column, with the reason you give."),
        (False, "3. Where the column is counted, some rater did not list the issue: write yes if "
                "it is one, no if not. After no the other rows of the issue may stay blank."),
        (False, f"4. Decided by: {' and '.join(raters)} (or both, where there are two), one of "
                "them, or a third person by the id R3, never by name."),
        (False, "5. Why: a few words; they are published with the label."),
        (False, "6. Where the issue type is decided, the columns that then do not apply stay "
                "blank."),
        (True, "Please do not"),
        (False, "delete rows, write formulas, or change the grey columns. They are protected "
                "without a password, against mistakes only."),
        (True, "Handing in"),
        (False, f"Save the workbook under its own name (round{number}-adjudicated.xlsx). Then "
                "`python reproduce.py label check NAME --decisions` lists what is missing or "
                "cannot be read."),
    ]
