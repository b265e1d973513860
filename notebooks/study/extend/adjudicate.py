"""``label adjudicate``: a workbook of the disagreements, and what was decided."""

import re

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter as letter
from openpyxl.worksheet.datavalidation import DataValidation

from study.base.words import fold
from study.extend.canonical import spoken
from study.extend.instructions import of_decisions
from study.extend.packed import packed
from study.extend.workbook import about, grow, instructions, page, text_cell
from study.read.codebook import FACETS, UNDECIDED
from study.read.form import TITLES, idle, offered, thread_of

SHEET = "decisions"
KEPT = "counted"  # whether an issue that some rater did not list is one
COUNTED = ("yes", "no")
OWN = ("Decision", "Decided by", "Why")
RATER = re.compile(r"[rm][1-9]\d?")


def disagreements(checked):
    """What has to be decided: every facet of every issue on which the raters differ.

    Parameters
    ----------
    checked : list of Checked
        The raters' sheets of one round.

    Returns
    -------
    list of dict
        Keys item, facet, ``labels`` and ``notes`` (by rater). An issue that a rater does not
        have comes with the facet ``counted``; a label both left undecided is to be decided too.
    """
    raters = [c.rater for c in checked]
    by = {c.rater: {item: (labels, note) for item, labels, note, *_ in c.rows} for c in checked}
    items, made = {}, []
    for checked_one in checked:
        for item, *_ in checked_one.rows:
            items.setdefault(item)
    for item in sorted(items, key=lambda i: thread_of(i)):
        having = [r for r in raters if item in by[r]]
        notes = {r: by[r][item][1] for r in having}
        if len(having) < len(raters):
            made.append({"item": item, "facet": KEPT, "notes": notes,
                         "labels": {r: COUNTED[r not in having] for r in raters}})
        for facet in FACETS:
            labels = {r: by[r][item][0][facet] for r in having}
            if len(set(labels.values())) > 1 or UNDECIDED in labels.values():
                made.append({"item": item, "facet": facet, "labels": labels, "notes": notes})
    return made


def agreed(checked):
    """Labels on which all raters who have an issue agree.

    Parameters
    ----------
    checked : list of Checked

    Returns
    -------
    dict of str to dict of str to str
        Item → labels by facet; facets to be decided are left out.
    """
    made = {}
    for one in checked:
        for item, labels, *_ in one.rows:
            made.setdefault(item, []).append(labels)
    return {item: {f: every[0][f] for f in FACETS
                   if len({labels[f] for labels in every}) == 1 and every[0][f] != UNDECIDED}
            for item, every in made.items()}


def deciders(text, raters):
    """Who decided, as ``R1 and R2``, however a person writes it; ``""`` where that is unclear.

    Parameters
    ----------
    text : str
    raters : sequence of str
        Of the round: *both* and *all* mean them. Models decide as M1, M2 …, and no person among
        them.

    Returns
    -------
    str

    Examples
    --------
    >>> deciders("r2/R1", ["R1", "R2"]), deciders("both", ["R1", "R2"])
    ('R1 and R2', 'R1 and R2')
    >>> deciders("both", ["R1", "R2", "R3"])
    ''
    >>> deciders("m3", ["M1", "M2"]), deciders("M3", ["R1", "R2"])
    ('M3', '')
    """
    said = fold(text)
    if said in ("all", "all raters") or (said in ("both", "both raters") and len(raters) == 2):
        return " and ".join(raters)
    names = [n for n in re.split(r"[,;/&+\s]+|\band\b", said) if n]
    if not names or not all(map(RATER.fullmatch, names)):
        return ""
    if {n[0].upper() for n in names} != {r[0] for r in raters}:
        return ""  # what people decide is people's, what models decide is model-labelled
    return " and ".join(sorted({n.upper() for n in names}, key=lambda n: int(n[1:])))


def left_open(found, raters):
    """Decisions on what every model left undecided: it stays so, unless a reading says otherwise.

    Parameters
    ----------
    found : list of dict
        As :func:`disagreements` returns it.
    raters : sequence of str
        Models; people are asked to talk it over.

    Returns
    -------
    dict of (str, str) to (str, str, str)
        As :func:`workbook` takes it.
    """
    return {(e["item"], e["facet"]): (UNDECIDED, " and ".join(raters), "left undecided by both"
                                      if len(raters) == 2 else "left undecided by all")
            for e in found if set(e["labels"].values()) == {UNDECIDED}}


def columns(raters):
    """Titles of the columns of the workbook.

    Examples
    --------
    >>> columns(["R1", "R2"])[-3:]
    ['Decision', 'Decided by', 'Why']
    """
    return ["Item", "Column", "Title", "Link", *raters, *(f"Note {r}" for r in raters), *OWN]


def workbook(found, raters, number, tasks, codebook, decisions=None, title=""):
    """Bytes of the workbook of disagreements.

    Parameters
    ----------
    found : list of dict
        As :func:`disagreements` returns it.
    raters : sequence of str
    number : str
    tasks : list of Task
        For titles and links.
    codebook : Codebook
    decisions : dict, optional
        (item, facet) → (label, who, why), to fill in.
    title : str
        Of the extension, for the instructions.

    Returns
    -------
    bytes
    """
    book, by = Workbook(), {t.thread: t for t in tasks}
    sheet = book.active
    sheet.title = SHEET
    titles = columns(raters)
    widths = [26, 18, 40, 18, *[26] * len(raters), *[26] * len(raters), 30, 16, 44]
    for at, (head, width) in enumerate(zip(titles, widths, strict=True), 1):
        cell = sheet.cell(1, at, head)
        cell.font = Font(bold=True)
        cell.fill = PatternFill("solid", start_color="FFF2CC" if head in OWN else "EDEDED")
        sheet.column_dimensions[letter(at)].width = width
    for row, entry in enumerate(found, 2):
        task, facet = by[thread_of(entry["item"])[0]], entry["facet"]
        given = (decisions or {}).get((entry["item"], facet), ("", "", ""))
        values = [entry["item"], TITLES.get(facet, KEPT), task.title, task.url,
                  *(spoken(facet, entry["labels"].get(r, "")) for r in raters),
                  *(entry["notes"].get(r, "") for r in raters), spoken(facet, given[0]),
                  *given[1:]]
        for at, value in enumerate(values, 1):
            cell = text_cell(sheet, row, at, value, locked=titles[at - 1] not in OWN)
            if titles[at - 1] == "Link":
                cell.hyperlink, cell.alignment = value, Alignment(vertical="top")
                cell.font = Font(color="0563C1", underline="single")
        # The link is cut off at its column's end, so it asks for no room.
        grow(sheet, row, [v if t != "Link" else "" for v, t in zip(values, titles, strict=True)],
             widths)
    _choices(book, sheet, found, titles, raters, codebook)
    sheet.freeze_panes = "C2"
    sheet.auto_filter.ref = f"A1:{letter(len(titles))}{len(found) + 1}"
    sheet.protection.sheet = True
    for allowed in ("formatColumns", "formatRows", "autoFilter", "sort"):
        setattr(sheet.protection, allowed, False)
    page(sheet)
    instructions(book, of_decisions(title or "the study", number, raters))
    about(book, {"round": number, "rater": "adjudicated", "codebook": codebook.version})
    return packed(book)


def _choices(book, sheet, found, titles, raters, codebook):
    hidden = book.create_sheet("lists")
    hidden.sheet_state = "hidden"
    decision, who = (letter(titles.index(t) + 1) for t in OWN[:2])
    kinds = {KEPT: list(COUNTED)} | {f: offered(codebook, f) for f in FACETS}
    kinds["who"] = [*raters, " and ".join(raters)]
    for at, (name, labels) in enumerate(kinds.items(), 1):
        for row, label in enumerate(labels, 1):
            text_cell(hidden, row, at, label)
        cells = ([f"{decision}{row}" for row, e in enumerate(found, 2) if e["facet"] == name]
                 if name != "who" else [f"{who}2:{who}{len(found) + 1}"] if found else [])
        if cells:
            rule = DataValidation(
                type="list", formula1=f"lists!${letter(at)}$1:${letter(at)}${len(labels)}",
                allow_blank=True)
            rule.errorStyle, rule.showErrorMessage = "warning", True
            rule.error = "Not in the list; several fix patterns are separated by ;"
            for cell in cells:
                rule.add(cell)
            sheet.add_data_validation(rule)


def settled(labels):
    """Labels of a decided issue without those that its issue type has not.

    Parameters
    ----------
    labels : dict of str to str

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> settled({"issue_type": "fault", "topic": "model", "stage": "x"})["topic"]
    ''
    """
    blank = idle(labels)
    return {f: "" if f in blank else labels.get(f, "") for f in FACETS}
