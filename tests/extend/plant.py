"""Faults of hand-filled label sheets, planted one by one, each with what must be found.

A planter changes a filled sheet and returns the findings that are due: (kind, severity,
row, column title); row and column None where the finding is about the whole file.
"""

import csv
import datetime
import io

import openpyxl

from study.read.form import TITLES

COLUMN = {name: i for i, name in enumerate(TITLES, 1)}


class Book:
    """A filled workbook, edited as a person with Excel would."""

    def __init__(self, path, rng):
        self.path, self.rng = path, rng
        self.book = openpyxl.load_workbook(path)
        self.sheet = self.book["labels"]
        self.free = list(range(2, self.sheet.max_row + 1))
        rng.shuffle(self.free)
        self.due = []

    def get(self, row, name):
        return self.sheet.cell(row, COLUMN[name]).value or ""

    def set(self, row, name, value):
        cell = self.sheet.cell(row, COLUMN[name])
        cell.value = value
        if isinstance(value, str) and not value.startswith("="):
            cell.data_type = "s"

    def row(self, fits=lambda book, row: True):  # noqa: ARG005
        """A row nothing was planted in yet."""
        found = next(r for r in self.free if fits(self, r))
        self.free.remove(found)
        return found

    def expect(self, kind, severity, row=None, name=None):
        self.due.append((kind, severity, row, name))

    def save(self):
        self.book.save(self.path)


def is_(name, *labels):
    return lambda book, row: book.get(row, name) in labels


def has(name):
    return lambda book, row: bool(book.get(row, name))


def put(number, name, value, kind, severity, fits=None):
    """A planter that writes one value into one cell."""
    def plant(book):
        row = book.row(fits or has(name))
        text = value(book.get(row, name)) if callable(value) else value
        book.set(row, name, text)
        book.expect(kind, severity, row, name)
    plant.number = number
    return plant


def planter(number):
    def mark(function):
        function.number = number
        return function
    return mark


@planter(1)
def merged(book):
    row = book.row(lambda b, r: r + 1 in b.free)
    book.free.remove(row + 1)
    at = COLUMN["fix_pattern"]
    book.sheet.merge_cells(start_row=row, end_row=row + 1, start_column=at, end_column=at)
    book.expect("merged", "error", row, "fix_pattern")


@planter(8)
def shifted_right(book):
    row = book.row(has("group"))
    values = [book.get(row, n) for n in ("stage", "group", "symptom", "fix_pattern")]
    for name, value in zip(("stage", "group", "symptom", "fix_pattern", "note"), ("", *values),
                           strict=True):
        book.set(row, name, value or None)
    book.expect("shifted", "error", row, "group")


@planter(8)
def shifted_left(book):
    row = book.row(has("group"))
    values = [book.get(row, n) for n in ("group", "symptom", "fix_pattern")]
    for name, value in zip(("stage", "group", "symptom", "fix_pattern"), (*values, ""),
                           strict=True):
        book.set(row, name, value or None)
    book.expect("shifted", "error", row, "stage")


@planter(9)
def value_beyond(book):
    row = book.row()
    book.sheet.cell(row, len(TITLES) + 1).value = "left over"
    book.expect("no-title", "error", row, "beyond")


@planter(10)
def doubled_title(book):
    book.sheet.cell(1, len(TITLES) + 2).value = "Symptom"
    book.expect("doubled-title", "error", 1, "doubled")


@planter(11)
def split_item(book):
    row = book.row()
    book.set(row, "issue", book.rng.choice(["1b", "75,5", "1.2", "a"]))
    book.expect("issue-number", "error", row, "issue")


def _append(book, row, **changes):
    at = book.sheet.max_row + 1
    for name in TITLES:
        value = changes.get(name, book.get(row, name))
        if value:
            book.set(at, name, value)
    return at


@planter(12)
def doubled_same(book):
    book.expect("repeated", "warning", _append(book, book.row()), "item")


@planter(12)
def doubled_other(book):
    row = book.row(is_("distributed_specific", "1"))
    book.expect("repeated", "error", _append(book, row, distributed_specific="0"), "item")


@planter(14)
def answer_link(book):
    row = book.row()
    book.set(row, "item", "https://stackoverflow.com/a/123")
    book.expect("no-item", "error", row, "item")


@planter(14)
def link_for_item(book):
    row = book.row(lambda b, r: b.get(r, "item").startswith("gh:"))
    link = book.get(row, "link")
    book.set(row, "item", book.rng.choice([
        link.replace("https://", "http://www."), link + "#issuecomment-12", link + "?x=1",
        link.replace("https://github.com/", "https://api.github.com/repos/"),
        link.replace("/issues/", "/pull/") + "/files", link.upper().replace("HTTPS", "https"),
        link + " "]))
    book.expect("link", "note", row, "item")


@planter(15)
def lost_digits(book):
    row = book.row(lambda b, r: b.get(r, "item").startswith("so:"))
    book.set(row, "item", book.rng.choice(["so:5.0E+07", "50000001.0", "1.23457E+15"]))
    book.expect("digits", "error", row, "item")


@planter(15)
def number_with_point(book):
    row = book.row()
    book.set(row, "issue", "1.0")
    book.expect("digits", "error", row, "issue")


@planter(17)
def a_date(book):
    row = book.row()
    name = book.rng.choice(["symptom", "fix_pattern", "stage"])
    book.set(row, name, datetime.datetime(2024, 3, 2))
    book.sheet.cell(row, COLUMN[name]).number_format = "yyyy-mm-dd"
    book.expect("date", "error", row, name)


@planter(20)
def other_order(book):
    first, second = book.row(), book.row()
    low, high = sorted((first, second))
    for name in TITLES:
        a, b = book.get(low, name), book.get(high, name)
        book.set(low, name, b or None)
        book.set(high, name, a or None)
    # The first row whose place in the plan is before that of the row above it.
    book.expect("order", "note", low + 1, "item")


@planter(21)
def lacking(book):
    row = book.row()
    for name in TITLES:
        book.set(row, name, None)
    book.expect("lacking", "error", None, "item")


@planter(21)
def unlabelled(book):
    row = book.row()
    for name in TITLES:
        if name not in ("item", "issue", "link", "title", "excerpt", "resolution", "source"):
            book.set(row, name, None)
    book.expect("unlabelled", "error", row, "issue_type")


@planter(21)
def strange(book):
    row = book.row(lambda b, r: b.get(r, "item").startswith("gh:"))
    book.set(row, "item", book.get(row, "item") + "99")
    book.expect("other-link", "error", row, "link")


@planter(22)
def hidden_row(book):
    row = book.row()
    book.sheet.row_dimensions[row].hidden = True
    book.expect("hidden-row", "error", row, "item")


@planter(22)
def hidden_column(book):
    book.sheet.column_dimensions["M"].hidden = True
    book.expect("hidden-column", "warning", 1, "symptom")


@planter(23)
def formula(book):
    row = book.row()
    book.set(row, "symptom", '=IF(1=1,"hang","")')
    book.expect("formula-without-value", "error", row, "symptom")


@planter(26)
def other_codebook(book):
    for row in book.book["about"].iter_rows():
        if row[0].value == "codebook":
            row[1].value = "0"
    book.expect("codebook", "error")


SETUP = is_("symptom", "hang and timeout")
CELLS = [
    put(2, "stage", lambda v: f"  {v.upper()} ", "blanks", "note"),
    put(2, "symptom", lambda v: v.title().replace(" ", "  "), "blanks", "note"),
    put(2, "issue_type", "FAULT", "case", "note"),
    put(3, "stage", lambda v: v[:-1] + "q", "unknown-label", "error"),
    put(3, "fix_pattern", lambda v: v.replace("fix", "fxi", 1), "unknown-label", "error",
        lambda b, r: b.get(r, "fix_pattern").startswith("fix ")),
    put(3, "issue_type", "fualt", "unknown-label", "error"),
    put(4, "symptom", "Hang & Timeout", "alias", "note", SETUP),
    put(4, "symptom", "installation/build failure", "alias", "note",
        is_("symptom", "installation & build failure")),
    put(4, "symptom", "OOM", "unknown-label", "error"),
    put(5, "fix_pattern", "PENDING", "undecided", "note"),
    put(5, "symptom", "?", "undecided", "note"),
    put(5, "symptom", lambda v: f"{v}?", "undecided", "note"),
    put(5, "distributed_specific", "TBD", "undecided", "note"),
    put(5, "stage", "maybe?", "undecided", "note", lambda b, r: not b.get(r, "group")),
    put(6, "fix_pattern", None, "missing", "error"),
    put(6, "issue_type", None, "missing", "error"),
    put(6, "distributed_specific", "  ", "missing", "error"),
    put(6, "group", None, "missing", "error"),
    put(7, "symptom", "NaN", "word", "error"),
    put(7, "topic", "N/A", "word", "error", is_("issue_type", "fault")),
    put(7, "fix_pattern", "None", "word", "error"),
    put(13, "symptom", "hang / out of memory", "several", "error"),
    put(13, "fix_pattern", "use tmux / use docker", "split", "note"),
    put(13, "fix_pattern", "use tmux\nuse docker", "split", "note"),
    put(13, "fix_pattern", "use tmux; turn it off", "several", "error"),
    put(16, "stage", lambda v: f"{v}\u200b", "invisible-characters", "note"),
    put(16, "symptom", lambda v: f"\ufeff{v}\u00ad", "invisible-characters", "note"),
    put(16, "fix_pattern", lambda v: v.replace(" ", "\u00a0"), "compatibility-characters", "note"),
    put(26, "symptom", 10, "code", "error"),
    put(26, "stage", "3", "code", "error"),
    put(27, "symptom", "quantum decoherence", "unknown-label", "error"),
    put(27, "distributed_specific", "yes", "unknown-label", "error"),
    put(27, "issue_type", "bug report", "unknown-label", "error"),
    put(28, "decided_at", "see R1", "day", "error", has("item")),
    put(28, "decided_at", "2199-01-31", "day", "error", has("item")),
    put(28, "decided_at", "2026-02-30", "day", "error", has("item")),
    put(29, "source", "Stack Exchange", "changed", "warning"),
    put(29, "title", "another thread", "changed", "warning"),
    put(30, "stage", "training & evaluation; data preparation", "several", "error"),
    put(30, "issue_type", "fault; how-to question", "several", "error"),
]
ROWS = [merged, shifted_right, shifted_left, value_beyond, split_item, doubled_same,
        doubled_other, answer_link, link_for_item, lost_digits, number_with_point, a_date,
        lacking, unlabelled, strange, hidden_row, formula]
# These hide or explain others, so each gets a sheet of its own.
ALONE = [doubled_title, other_order, hidden_column, other_codebook]


def stored_value(content, row, name):
    """A workbook whose cell is a formula with a stored value (openpyxl writes none)."""
    import zipfile
    from xml.etree import ElementTree as ET
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    out, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(content))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename == "xl/worksheets/sheet1.xml":
                ET.register_namespace("", space[1:-1])
                top = ET.fromstring(data)
                place = f"{openpyxl.utils.get_column_letter(COLUMN[name])}{row}"
                cell = next(c for c in top.iter(f"{space}c") if c.get("r") == place)
                cell.set("t", "str")
                for child in list(cell):
                    cell.remove(child)
                ET.SubElement(cell, f"{space}f").text = '"ha"&"ng"'
                ET.SubElement(cell, f"{space}v").text = "hang"
                data = ET.tostring(top)
            new.writestr(info, data)
    return out.getvalue()


def csv_rows(text):
    return list(csv.reader(text.splitlines(keepends=True)))


def csv_text(rows, delimiter=","):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
