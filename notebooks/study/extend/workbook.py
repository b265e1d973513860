"""A rater's workbook: labels with drop-down lists, instructions, codebook."""

import re

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side
from openpyxl.utils import get_column_letter as letter
from openpyxl.worksheet.datavalidation import DataValidation

from study.base.words import RISKY
from study.extend.grid import grid
from study.extend.instructions import WORDS, paragraphs
from study.extend.lists import lists
from study.extend.packed import packed
from study.extend.snapshot import CONTROL
from study.read.codebook import FACETS, OF_FAULTS, OF_QUESTIONS
from study.read.form import GIVEN, TITLES

SHEET = "labels"
WIDTHS = {"item": 24, "issue": 7, "title": 34, "excerpt": 62, "resolution": 44, "link": 16,
          "issue_type": 17, "topic": 20, "subtopic": 20, "distributed_specific": 13, "stage": 22,
          "group": 21, "symptom": 24, "fix_pattern": 30, "note": 30, "decided_at": 12,
          "source": 18}
FILLS = {"given": "EDEDED", "both": "FFF2CC", "question": "DDEBF7", "fault": "E2EFDA"}
HEIGHT = 118  # points: about nine lines of the excerpt
ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
LINE = Border(bottom=Side(style="hair", color="BFBFBF"))
_EDGE = Alignment(wrap_text=True, vertical="top")


def workbook(tasks, number, rater, codebook, answers=None, title=""):
    """Bytes of a rater's workbook for one round.

    Parameters
    ----------
    tasks : list of Task
    number, rater : str
    codebook : Codebook
    answers : dict, optional
        As ``canonical.answers`` returns it.
    title : str
        Of the extension, for the instructions.

    Returns
    -------
    bytes
        The same for the same arguments.
    """
    book = Workbook()
    sheet = book.active
    sheet.title = SHEET
    rows = grid(tasks, answers)
    _header(sheet)
    for at, row in enumerate(rows, 2):
        for column, (name, value) in enumerate(row.items(), 1):
            cell = text_cell(sheet, at, column, value, locked=name in GIVEN)
            if name == "issue_type":
                cell.alignment = Alignment(wrap_text=True, vertical="top", indent=1)
            if name == "link" and value:
                cell.hyperlink = value
                cell.font = Font(color="0563C1", underline="single")
        sheet.row_dimensions[at].height = HEIGHT if row["item"] else 30
    sheet.freeze_panes = "D2"
    sheet.auto_filter.ref = f"A1:{letter(len(TITLES))}{len(rows) + 1}"
    _drop_downs(book, sheet, codebook, len(rows) + 1)
    _protect(sheet)
    page(sheet)
    instructions(book, paragraphs(title or "the study", number, rater))
    _codebook(book, codebook)
    about(book, {"round": number, "rater": rater, "codebook": codebook.version})
    return packed(book)


def text_cell(sheet, row, column, value, locked=True):
    """Write text that stays text, whatever it begins with.

    Returns
    -------
    openpyxl.cell.Cell
    """
    cell = sheet.cell(row, column)
    # What XML cannot hold goes; what looks like the format's own escape is escaped.
    value = ESCAPE.sub("_x005F_", CONTROL.sub("", value))[:32_000]
    if value:
        cell.value = value
        cell.data_type = "s"  # openpyxl takes what begins with = for a formula
    cell.border = LINE
    cell.number_format = "@"  # and Excel takes 3-2 for a date, unless the cell is text
    cell.alignment = _EDGE
    cell.protection = Protection(locked=locked)
    if RISKY.match(value):
        cell.quotePrefix = True
    return cell


def _header(sheet):
    for column, (name, title) in enumerate(TITLES.items(), 1):
        cell = sheet.cell(1, column, title)
        kind = ("given" if name in GIVEN else "question" if name in OF_QUESTIONS else
                "fault" if name in OF_FAULTS else "both")
        cell.fill = PatternFill("solid", start_color=FILLS[kind])
        cell.font = Font(bold=True)
        cell.alignment = Alignment(wrap_text=True, vertical="center")
        sheet.column_dimensions[letter(column)].width = WIDTHS[name]
    sheet.row_dimensions[1].height = 32


def _drop_downs(book, sheet, codebook, last):
    """Lists in a hidden sheet, and for each column of labels the rule that shows its own."""
    hidden = book.create_sheet("lists")
    hidden.sheet_state = "hidden"
    names = list(TITLES)
    at = {name: letter(i) for i, name in enumerate(names, 1)}
    table = lists(codebook)
    for column, (key, labels) in enumerate(table.items(), 1):
        # The first row is looked up, the second says how long the list is.
        for row, value in enumerate([key, None, *labels], 1):
            if value is not None:
                text_cell(hidden, row, column, value)
        hidden.cell(2, column, len(labels))
    for facet in FACETS:
        rule = DataValidation(type="list", formula1=_source(facet, table, at), allow_blank=True,
                              showDropDown=False)
        rule.add(f"{at[facet]}2:{at[facet]}{max(last, 2)}")
        # A warning, not a stop: a new category and several fix patterns may be typed.
        rule.errorStyle, rule.showErrorMessage = "warning", True
        rule.errorTitle, rule.error = "Not in the list", (
            "Choose from the list; or write new: NAME for a category it lacks"
            + ("; several fix patterns are separated by ;" if facet == "fix_pattern" else ""))
        rule.promptTitle, rule.prompt = TITLES[facet][:32], WORDS[facet]
        rule.showInputMessage = True
        sheet.add_data_validation(rule)


def _source(facet, table, at):
    keys = {"subtopic": f'"subtopic|"&${at["topic"]}2', "group": f'"group|"&${at["stage"]}2',
            "symptom": f'"symptom|"&${at["stage"]}2&"|"&${at["group"]}2'}
    if facet not in keys:
        column = letter(list(table).index(facet) + 1)
        return f"lists!${column}$3:${column}${len(table[facet]) + 2}"
    found = f"MATCH({keys[facet]},lists!$1:$1,0)"
    return f"OFFSET(lists!$A$3,0,{found}-1,INDEX(lists!$2:$2,{found}),1)"


def _protect(sheet):
    """Given columns cannot be changed by mistake; rows may be added, columns resized."""
    guard = sheet.protection
    guard.sheet = True
    for allowed in ("insertRows", "formatColumns", "formatRows", "formatCells", "autoFilter",
                    "sort", "insertHyperlinks"):
        setattr(guard, allowed, False)  # False: not forbidden


def grow(sheet, row, values, widths):
    """Give a row the height its longest cell needs; programs do not agree on doing it.

    Parameters
    ----------
    sheet : openpyxl worksheet
    row : int
    values : sequence of str
    widths : sequence of float
        Of the columns, in characters.
    """
    lines = max(sum(1 + int(len(part) / (0.9 * width)) for part in value.split("\n"))
                for value, width in zip(values, widths, strict=True))
    sheet.row_dimensions[row].height = 15 * lines + 3


def page(sheet):
    """Print on as many wide pages as it takes, with the header on each."""
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", 8  # A3
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.print_title_rows = "1:1"


def instructions(book, texts):
    """The sheet of instructions.

    Parameters
    ----------
    book : openpyxl.Workbook
    texts : list of (bool, str)
        Whether it is a heading, and the paragraph.
    """
    sheet = book.create_sheet("instructions")
    sheet.column_dimensions["A"].width = 100
    for row, (strong, text) in enumerate(texts, 1):
        cell = text_cell(sheet, row, 1, text)
        cell.font = Font(bold=strong, size=13 if strong else 11)
        cell.border = Border()
        # Programs do not agree on when a wrapped row grows by itself, so it is told.
        sheet.row_dimensions[row].height = 24 if strong else 16 * (1 + len(text) // 105)
    sheet.protection.sheet = True
    page(sheet)


def _codebook(book, codebook):
    sheet = book.create_sheet("codebook")
    columns = ("Column", "Label", "Under", "Meaning", "When to use it", "Example")
    widths = (20, 30, 34, 60, 60, 34)
    for column, (name, width) in enumerate(zip(columns, widths, strict=True), 1):
        sheet.cell(1, column, name).font = Font(bold=True)
        sheet.column_dimensions[letter(column)].width = width
    at = 2
    for facet in FACETS:
        for entry in codebook.entries[facet]:
            if entry.status != "final":
                continue
            values = (TITLES[facet], entry.name, "\n".join(entry.parents), entry.definition,
                      entry.decision, "\n".join(entry.examples))
            for column, value in enumerate(values, 1):
                text_cell(sheet, at, column, value)
            grow(sheet, at, values, widths)
            at += 1
    sheet.freeze_panes = "C2"
    sheet.auto_filter.ref = f"A1:F{at - 1}"
    sheet.protection.sheet = True
    sheet.protection.autoFilter = False
    page(sheet)


def about(book, facts):
    """The sheet that says which round, rater and codebook a workbook is of."""
    sheet = book.create_sheet("about")
    for row, (name, value) in enumerate(facts.items(), 1):
        text_cell(sheet, row, 1, name)
        text_cell(sheet, row, 2, value)
    sheet.protection.sheet = True
