"""One sheet of labels, cell by cell, with every fault at its place."""

import re

from study.read import form
from study.read.columns import from_name, resolve
from study.read.labelwords import LOST_DIGITS, clean, item_key
from study.read.records import MISSING, UNSURE, Rating
from study.read.shape import faults, merged
from study.read.sheet import Problem, shown

TOTALS = {"total", "totals", "sum", "sums", "σ", "∑", "gesamt", "summe"}
RESOLVED = re.compile(r"final|resolved|consensus|adjudicat|agreed|agreement|^res[A-Z]", re.I)


class SheetReader:
    """Reads the ratings of one sheet, and notes every fault with its place.

    Parameters
    ----------
    read : study.read.records.Labels
        Receives ratings and problems.
    layout : study.read.columns.Layout
    rules : study.read.records.Rules
    codebooks : dict of str to study.read.codebook.Categories
    sheet : study.read.sheet.Sheet
    rater : str
        Name of the rater where the whole sheet is one rater's.

    Examples
    --------
    >>> from study.read.columns import Layout
    >>> from study.read.records import Labels, Rules
    >>> from study.read.sheet import Sheet
    >>> read = Labels([], [])
    >>> sheet = Sheet("a.csv", "", ("id", "label"), 1, [(2, ("1", "?"))])
    >>> SheetReader(read, Layout(("id",), label="label"), Rules(), {}, sheet, "Ann").run()
    >>> read.ratings[0].rater, read.ratings[0].state
    ('Ann', 'undecided')
    """

    def __init__(self, read, layout, rules, codebooks, sheet, rater):
        self.read, self.rules, self.sheet = read, rules, sheet
        self.codebooks = codebooks
        self.columns, problems = resolve(layout, sheet, rater)
        read.problems.extend(problems)
        self.round = from_name(layout.round_from, sheet.file, sheet.name)
        self.missing = {clean(w)[0].casefold() for w in rules.missing}
        self.undecided = set() if "undecided" in rules.keep else {
            clean(w)[0].casefold() for w in rules.undecided}
        self.texts = {}
        self.merged_items = set()  # rows that have their error already
        # The package's own sheets: a further issue of a thread leaves its item blank.
        self.own = {form.TITLES["item"], form.TITLES["issue"]} <= set(sheet.header) and all(
            sheet.header[c] in (form.TITLES["item"], form.TITLES["link"])
            for c in self.columns.item) and bool(self.columns.item)
        self.thread, self.row, self.place = "", 0, form.Numbering()
        self.issue = sheet.header.index(form.TITLES["issue"]) if self.own else None
        several = len(read.files) > 1 or len(layout.sheets) > 1 or layout.patterns
        self.prefix = f"{sheet.file} {sheet.name} ".replace("  ", " ") if several else ""

    def note(self, row, column, value, message, severity, kind):
        at = None if column is None else column + 1
        self.read.add(Problem(self.sheet.file, self.sheet.name, row, at, value, message,
                              severity, kind))

    def run(self):
        sheet, used = self.sheet, self.columns.used()
        labels = {label for _, _, label in self.columns.slots}
        self._about_sheet(used, labels)
        self._merged(used)
        if not self.columns.item:
            self._blank_rows()
        others = (self.columns.facet, self.columns.round, self.columns.thread)
        facet = round_ = thread = ""
        rows = sheet.rows[:-1] if self._totals(labels) else sheet.rows
        for number, cells in rows:
            item = self._item(number, cells)
            if others != (None, None, None):
                facet, round_, thread = (clean(cells[c])[0] if c is not None else ""
                                         for c in others)
            if number in sheet.hidden_rows and any(cells[c].strip() for c in labels):
                self.note(number, None, item, "labels in a hidden row; show the row, or delete it",
                          "error", "hidden-row")
            count = 1 if self.columns.count is None else self._count(number, cells)
            for who, name, column in self.columns.slots:
                if who is not None:
                    name = clean(cells[who])[0]
                if not name:
                    if cells[column].strip():
                        self.note(number, column, cells[column], "a label, but no rater's name "
                                  "beside it; fill in the name", "error", "no-rater")
                    continue
                label, state = self._label(number, column, cells[column], facet)
                if not item:
                    if state != MISSING and number not in self.merged_items:
                        self.note(number, column, cells[column], "a label, but no item in its "
                                  "row; fill in the item", "error", "no-item")
                    continue
                self.read.ratings.append(Rating(
                    item, name, label, state, facet, round_ or self.round, thread, count,
                    number, sheet.file, sheet.name))

    def _about_sheet(self, used, labels):
        sheet = self.sheet
        if not sheet.rows:
            self.note(None, None, "", "no row below the header; nothing to read", "error", "empty")
        for problem in faults(sheet, used, dates=self.columns.item):
            self.read.add(problem)
        for column in labels:
            if RESOLVED.search(sheet.header[column].strip()):
                self.note(sheet.header_row, column, sheet.header[column],
                          f"{shown(sheet.header[column])} looks like labels after discussion: "
                          "agreement needs those from before", "warning", "resolved")
        if RESOLVED.search(sheet.name):
            self.note(None, None, "", "the sheet's name suggests labels after discussion: "
                      "agreement needs those from before", "warning", "resolved")

    def _totals(self, labels):
        """Whether the last row holds totals: it is no item."""
        if not self.columns.item or not self.sheet.rows or "total-row" in self.rules.keep:
            return False
        number, cells = self.sheet.rows[-1]
        first = next((clean(cells[c])[0] for c in sorted(self.columns.item)), "")
        values = [cells[c].strip() for c in labels]
        if first.casefold() not in TOTALS or not all(v.isdigit() for v in values):
            return False
        self.note(number, self.columns.item[0], first, f"{shown(first)} with "
                  f"{', '.join(values)}: a row of totals, not an item; it is left out "
                  "(--keep total-row reads it)", "warning", "total-row")
        return True

    def _blank_rows(self):
        """Rows that are items of their own, with no label of anybody."""
        for i in range(self.sheet.blank_rows):
            for _, name, _ in self.columns.slots:
                label, state = self._label(None, None, "", "")
                self.read.ratings.append(Rating(
                    f"{self.prefix}blank row {i + 1}", name, label, state, "", self.round,
                    file=self.sheet.file, sheet=self.sheet.name))

    def _merged(self, used):
        """Merged ranges over items or labels; blank raters have no labels to lose."""
        raters = {label: who for who, _, label in self.columns.slots}
        rows = dict(self.sheet.rows)
        for problem, covered in merged(self.sheet, used):
            items = {n for n, c in covered if c in self.columns.item and n > problem.row}
            self.merged_items |= items
            if items or any(c in raters and (raters[c] is None or rows[n][raters[c]].strip())
                            for n, c in covered):
                self.read.add(problem)

    def _item(self, row, cells):
        if not self.columns.item:
            return f"{self.prefix}row {row}"
        parts = []
        for column in self.columns.item:
            text, rules = clean(cells[column], self.rules.keep)
            if not text:
                return self._issue(row, cells) if self.own and self.thread else ""
            if text[0].isdigit() and LOST_DIGITS.fullmatch(text):
                self.note(row, column, text, f"the item {shown(text)} looks like a number that "
                          "lost its digits; store it as text", "error", "digits")
            key, more = (text, ()) if "link" in self.rules.keep else item_key(
                text, self.rules.comments)
            if rules or more:
                self._about_item(row, column, cells[column], text, key, (*rules, *more))
            parts.append(key)
        if self.own:
            self.thread = " | ".join(parts)
            return self._issue(row, cells)
        return parts[0] if len(parts) == 1 else " | ".join(parts)

    def _issue(self, row, cells):
        """The item of a row of the package's own sheets: a blank one is an issue more."""
        skipped, self.row = row - self.row - 1, row
        return form.item_of(self.thread, self.place.of(self.thread, cells[self.issue].strip(),
                                                       skipped))

    def _about_item(self, row, column, raw, text, key, rules):
        for rule in rules:
            if rule == "answer-link":
                self.note(row, column, text, "a link to an answer: its question is not known, "
                          "so it pairs with links to the same answer only", "warning", rule)
            elif rule == "comment-link":
                self.note(row, column, raw, f"item read as {shown(key)}, a comment of its own; "
                          "--merge-comments takes it for its thread", "note", rule)
            elif key != text or rule != "link":
                self.note(row, column, raw, f"item read as {shown(key)}", "note", rule)

    def _count(self, row, cells):
        text = cells[self.columns.count].strip()
        if not text.isascii() or not text.isdigit():
            self.note(row, self.columns.count, text, f"{shown(text)} is no count; a whole number "
                      "is needed", "error", "count")
            return 0
        return int(text)

    def _label(self, row, column, raw, facet):
        """Label and state of a cell; findings are noted cell by cell."""
        key = (raw, facet)
        found = self.texts.get(key)
        if found is None:
            found = self.texts[key] = self._meaning(raw, facet)
        label, state, notes = found
        for message, severity, kind in notes:
            self.note(row, column, raw, message, severity, kind)
        return label, state

    def _meaning(self, raw, facet):
        text, rules = clean(raw, self.rules.keep)
        notes = [(f"read as {shown(text)}", "note", rule) for rule in rules if text]
        if not text and self.rules.blank:
            text = self.rules.blank
        book = self.codebooks.get(facet, self.codebooks.get(""))
        folded = text.casefold()
        known = book is not None and book.find(text)[0] is not None
        if not text or folded in self.missing:
            return None, MISSING, notes
        if not known and (folded in self.undecided or (
                book and folded.endswith("?") and book.find(text.rstrip("? "))[0])):
            if self.rules.final:
                notes.append((f"{shown(text)} in a finished round; decide it", "error",
                              "undecided"))
            else:
                notes.append((f"{shown(text)} read as undecided", "note", "undecided"))
            return None, UNSURE, notes
        # The line break that may separate labels is a blank once the text is clean.
        whole = raw if self.rules.sets == "\n" else text
        parts = ([clean(p, self.rules.keep)[0] for p in whole.split(self.rules.sets)]
                 if self.rules.sets else [text])
        found = []
        for part in filter(None, parts):
            if book is None:
                found.append(part)
                continue
            category, rule = book.find(part)
            if rule in self.rules.keep:
                category, rule = None, ""
            if category is None:
                notes.append((book.complaint(part), "error", "unknown-label"))
            elif rule:
                notes.append((f"{shown(part)} read as {shown(category)}", "note", rule))
            found.append(category or part)
        label = frozenset(found) if self.rules.sets or self.rules.split else found[0]
        return label, "", notes
