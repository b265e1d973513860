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
