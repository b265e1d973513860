"""One sheet of labels, cell by cell, with every fault at its place."""

import re
from collections import Counter
from dataclasses import replace

from study.base.threads import comment_of
from study.read.columns import from_name, resolve
from study.read.labelwords import LOST_DIGITS, clean, item_key
from study.read.records import MISSING, UNSURE, Rating
from study.read.sheet import Problem, shown

RESOLVED = re.compile(r"final|resolved|consensus|adjudicat|agreed|agreement|^res[A-Z]", re.I)


class SheetReader:
    """Reads the ratings of one sheet, and notes every fault with its place.

    Parameters
    ----------
    read : study.read.records.Labels
        Receives ratings and problems.
    layout : study.read.columns.Layout
    rules : study.read.records.Rules
    codebooks : dict of str to study.read.labelcodebook.LabelCodebook
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
        self.undecided = {clean(w)[0].casefold() for w in rules.undecided}
        self.texts = {}
        self.said, self.comments = "", {}  # the comment a row is of; by rater and thread
        self.merged_items = set()  # rows that have their error already
        several = len(read.files) > 1 or len(layout.sheets) > 1 or layout.patterns
        self.prefix = f"{sheet.file} {sheet.name} ".replace("  ", " ") if several else ""

    def note(self, row, column, value, message, severity, kind):
        at = None if column is None else column + 1
        self.read.problems.append(Problem(self.sheet.file, self.sheet.name, row, at, value,
                                          message, severity, kind))

    def run(self):
        sheet, used = self.sheet, self.columns.used()
        labels = {label for _, _, label in self.columns.slots}
        self._about_sheet(used, labels)
        merged = self._merged(used)
        if not self.columns.item:
            self._blank_rows()
        for number, cells in sheet.rows:
            item = self._item(number, cells)
            facet, round_, thread = (
                clean(cells[c])[0] if c is not None else ""
                for c in (self.columns.facet, self.columns.round, self.columns.thread))
            count = self._count(number, cells)
            for who, name, column in self.columns.slots:
                if who is not None:
                    name = clean(cells[who])[0]
                if not name:
                    if cells[column].strip():
                        self.note(number, column, cells[column], "a label, but no rater's name "
                                  "beside it; fill in the name", "error", "no-rater")
                    continue
                if (number, column) in merged:
                    self.note(number, column, "", "inside a merged range, so this rater's label "
                              "is not known; unmerge it and fill in each cell", "error", "merged")
                if number in sheet.hidden_rows and cells[column].strip():
                    self.note(number, column, cells[column], "a label in a hidden row; show the "
                              "row, or delete it", "error", "hidden-row")
                if self.said:
                    self.comments.setdefault((name, item, facet), set()).add(self.said)
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
        if sheet.hidden:
            self.note(None, None, "", "a hidden sheet; it is read", "warning", "hidden-sheet")
        if not sheet.rows:
            self.note(None, None, "", "no row below the header; nothing to read", "error", "empty")
        for column in sorted(used):
            if column + 1 in sheet.hidden_cols:
                self.note(None, column, "", "a hidden column; it is read", "warning",
                          "hidden-column")
        titled = max((i for i, t in enumerate(sheet.header) if t.strip()), default=-1)
        for i, title in enumerate(sheet.header):
            if not title.strip() and i not in used:
                row = next((n for n, cells in sheet.rows if cells[i].strip()), None)
                if row is not None:
                    late = i > titled
                    self.note(row, i, "", "a value beyond the last column title (a shifted row?); "
                              "move or delete it" if late else "a column without a title; it is "
                              "not read", "error" if late else "warning", "no-title")
        doubled = [t for t, n in Counter(t.strip() for t in sheet.header).items() if t and n > 1]
        for title in doubled:
            self.note(sheet.header_row, None, title, f"several columns are called {shown(title)}",
                      "warning", "doubled-title")
        for column in labels:
            if RESOLVED.search(sheet.header[column].strip()):
                self.note(sheet.header_row, column, sheet.header[column],
                          f"{shown(sheet.header[column])} looks like labels after discussion: "
                          "agreement needs those from before", "warning", "resolved")
        if RESOLVED.search(sheet.name):
            self.note(None, None, "", "the sheet's name suggests labels after discussion: "
                      "agreement needs those from before", "warning", "resolved")
        for problem in sheet.problems:
            self._about_cell(problem, used)

    def _about_cell(self, problem, used):
        """A finding of the cell reader: an error where labels or items stand, or dropped."""
        if problem.kind == "row-length" and not problem.value and problem.column > max(used) + 1:
            self.read.problems.append(replace(
                problem, severity="warning", message=f"{problem.message}; no column in use is "
                "among the missing ones"))
        elif problem.column is None or problem.kind in ("row-length", "byte-order-mark",
                                                        "delimiter"):
            self.read.problems.append(problem)
        elif isinstance(problem.column, int) and problem.column - 1 in used:
            if problem.row <= self.sheet.header_row:
                return
            severe = problem.kind in ("date", "digits", "formula-without-value", "error-value")
            self.read.problems.append(replace(
                problem, severity="error" if severe else problem.severity))

    def _blank_rows(self):
        """Rows that are items of their own, with no label of anybody."""
        for i in range(self.sheet.blank_rows):
            for _, name, _ in self.columns.slots:
                self.read.ratings.append(Rating(
                    f"{self.prefix}blank row {i + 1}", name, None, MISSING, "", self.round,
                    file=self.sheet.file, sheet=self.sheet.name))

    def _merged(self, used):
        """Cells of the columns in use that a merged range covers without their own value."""
        covered, first_row = set(), self.sheet.header_row + 1
        raters = {label: who for who, _, label in self.columns.slots}
        rows = dict(self.sheet.rows)
        for r1, r2, c1, c2 in self.sheet.merged:
            touched = [c for c in range(c1 - 1, c2) if c in used]
            if r2 < first_row or not touched:
                continue
            for row in range(max(r1, first_row), r2 + 1):
                for column in touched:
                    if (row, column) == (r1, c1 - 1) or row not in rows:
                        continue
                    if column in raters and (raters[column] is None
                                             or rows[row][raters[column]].strip()):
                        covered.add((row, column))
                    elif column in self.columns.item and row > r1:
                        self.merged_items.add(row)
                        self.note(row, column, "", "an item inside a merged range; unmerge it "
                                  "and fill in each cell", "error", "merged")
        return covered

    def _item(self, row, cells):
        if not self.columns.item:
            return f"{self.prefix}row {row}"
        parts, self.said = [], ""
        for column in self.columns.item:
            text, rules = clean(cells[column])
            if not text:
                return ""
            if LOST_DIGITS.fullmatch(text):
                self.note(row, column, text, f"the item {shown(text)} was a number that lost its "
                          "digits; store it as text", "error", "digits")
            key, more = item_key(text, self.read.comments)
            if more and "#" in text and not self.read.comments:
                self.said += comment_of(text)
            for rule in (*rules, *more):
                if rule == "link to an answer":
                    self.note(row, column, text, "a link to an answer: its question is not known, "
                              "so it pairs with the same link only", "warning", "answer-link")
                elif key != text or rule != "link":
                    self.note(row, column, cells[column], f"item read as {shown(key)}", "note",
                              rule)
            parts.append(key)
        return " | ".join(parts)

    def _count(self, row, cells):
        if self.columns.count is None:
            return 1
        text = cells[self.columns.count].strip()
        if not text.isascii() or not text.isdigit():
            self.note(row, self.columns.count, text, f"{shown(text)} is no count; a whole number "
                      "is needed", "error", "count")
            return 0
        return int(text)

    def _label(self, row, column, raw, facet):
        """Label and state of a cell; findings are noted cell by cell."""
        key = (raw, facet)
        if key not in self.texts:
            self.texts[key] = self._meaning(raw, facet)
        label, state, notes = self.texts[key]
        for message, severity, kind in notes:
            self.note(row, column, raw, message, severity, kind)
        return label, state

    def _meaning(self, raw, facet):
        text, rules = clean(raw)
        notes = [(f"read as {shown(text)}", "note", rule) for rule in rules if text]
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
            return None, UNSURE, notes
        # The line break that may separate labels is a blank once the text is clean.
        whole = raw if self.rules.sets == "\n" else text
        parts = [clean(p)[0] for p in whole.split(self.rules.sets)] if self.rules.sets else [text]
        found = []
        for part in filter(None, parts):
            if book is None:
                found.append(part)
                continue
            category, rule = book.find(part)
            if category is None:
                notes.append((book.complaint(part), "error", "unknown-label"))
            elif rule:
                notes.append((f"{shown(part)} read as {shown(category)}", "note", rule))
            found.append(category or part)
        label = frozenset(found) if self.rules.sets or self.rules.split else found[0]
        return label, "", notes
