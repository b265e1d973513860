"""Read one filled sheet strictly: every fault with its place, all at once."""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from study.base.errors import StudyError
from study.base.memory import acyclic
from study.base.threads import thread_key
from study.base.words import fold
from study.read.codebook import FACETS
from study.read.form import NEEDED, TITLES, idle, item_of, needed
from study.read.labelwords import LOST_DIGITS
from study.read.policy import STRICT, read_cells
from study.read.shape import faults, merged
from study.read.sheet import Problem, column_letter, shown
from study.tabulate.issues import Row, sheet_rows


@dataclass
class Checked:
    """A sheet that was read.

    Attributes
    ----------
    round, rater : str
    rows : list of tuple
        Item, labels by facet, note, decided_at, and the ``Row`` it stood in.
    problems : list of Problem
        Errors, warnings and notes (what was normalised), in the order of the sheet.
    """

    round: str
    rater: str
    rows: list = field(default_factory=list)
    problems: list = field(default_factory=list)

    def errors(self):
        """The problems that forbid going on."""
        return [p for p in self.problems if p.severity == "error"]


def check_sheet(sheet, number, rater, codebook, threads=None, policy=STRICT, given=None):
    """Read and check one sheet.

    Parameters
    ----------
    sheet : Sheet
    number, rater : str
    codebook : Codebook
    threads : dict of str to str, optional
        The threads the rater was given, in their order → their addresses.
    policy : Policy
    given : dict of str to dict of str to str, optional
        Thread → text by column name, as it was handed out.

    Returns
    -------
    Checked
    """
    with acyclic():
        return _Check(sheet, Checked(number, rater), codebook, policy, given or {}).run(threads)


class _Check:
    def __init__(self, sheet, made, codebook, policy, given):
        self.sheet, self.made, self.codebook, self.policy = sheet, made, codebook, policy
        self.given, self.latest = given, latest_day()
        self.cache, self.at, self.filled = {}, {}, {}
        self.hidden = sheet.hidden_rows
        # Cells that were reported already, rows and threads that need no second complaint.
        self.texts, self.excused = set(), set()

    def say(self, row, name, value, severity, kind, message):
        column = self.at.get(name)
        self.made.problems.append(Problem(
            self.sheet.file, self.sheet.name, row,
            f"{column_letter(column + 1)} ({TITLES[name]})" if column is not None else name,
            value, message, severity, kind))

    def run(self, threads):
        # Most cells hold exactly what was handed out; only the others need a closer look.
        self.known = {k: k for k in threads or ()} | {u: k for k, u in (threads or {}).items()}
        usable = self._header()
        self._shape()
        if usable:
            self._lighten()
            self._rows()
            if threads is not None:
                self._against(threads)
        order = {"error": 0, "warning": 1, "note": 2}
        self.made.problems.sort(key=lambda p: (p.row or 0, order[p.severity]))
        return self.made

    def _header(self):
        """Find the columns; whether the rows can be read."""
        sheet, places, row = self.sheet, {}, self.sheet.header_row or 1
        for i, title in enumerate(sheet.header):
            places.setdefault(fold(title), []).append(i)
        self.at = {name: places[fold(title)][0] for name, title in TITLES.items()
                   if fold(title) in places}
        lacking = [name for name in NEEDED if name not in self.at]
        for name in lacking:
            self.say(row, None, TITLES[name], "error", "no-column", f"no column {TITLES[name]!r}; "
                     "restore the header row as it was handed out")
        for i in sorted(where[0] for title, where in places.items()
                        if title and where[0] not in self.at.values()):
            self.say(row, i + 1, sheet.header[i], "warning", "extra-column",
                     f"a column {sheet.header[i].strip()!r} that was not handed out; it is not "
                     "read")
        return not lacking and all(len(places[fold(TITLES[name])]) == 1 for name in NEEDED)

    def _shape(self):
        """What shows before a label is read; cells that have an error need no second one."""
        names = {i: name for name, i in self.at.items()}
        used = {self.at[name] for name in NEEDED if name in self.at}
        dates = {self.at.get("decided_at")}
        for problem in faults(self.sheet, used, names.keys() - used, dates, ours=True):
            self._take(problem, names)
            if problem.severity == "error" and isinstance(problem.column, int):
                self.texts.add((problem.row, names.get(problem.column - 1)))
        for problem, covered in merged(self.sheet, used - {self.at.get("item"), self.at.get(
                "issue")}):
            self._take(problem, names)
            self.texts |= {(n, names[c]) for n, c in covered}

    def _take(self, problem, names):
        """Take note of a problem; its column gets its title beside the letter."""
        at = problem.column
        if isinstance(at, int) and at - 1 in names:
            problem = replace(problem, column=f"{column_letter(at)} ({TITLES[names[at - 1]]})")
        self.made.problems.append(problem)

    def _lighten(self):
        """Let go of what raters read and nobody checks: in large sheets most of the memory."""
        rows, unread = self.sheet.rows, {self.at.get(n) for n in ("excerpt", "resolution")} - {None}
        keep = [i not in unread for i in range(len(self.sheet.header))]
        if unread:
            for i, (number, cells) in enumerate(rows):
                rows[i] = number, tuple([c if k else "" for c, k in zip(cells, keep, strict=True)])
        self.filled = dict(rows)

    def _rows(self):
        """All rows through the reader of the authors' sheets, with our columns declared."""
        made, titles = self.made, {name: [TITLES[name]] for name in TITLES}
        facets = [f for f in FACETS if f in self.at]
        declared = {"round": made.round, "rater": made.rater,
                    "columns": ["link", "issue", *facets]}
        titles["link"], clean = titles["item"], self._clean_ids()
        first, note, when = {}, self.at.get("note"), self.at.get("decided_at")
        for row in sheet_rows(clean, declared, titles, {}, self._no_thread):
            if not isinstance(row, Row):
                continue
            cells = self.filled[row.number]
            if not cells[self.at["item"]].strip():
                self.say(row.number, "item", "", "note", "added",
                         f"issue {row.issue} of {row.thread} above")
            item = item_of(row.thread, row.issue)
            labels = self._labels(row)
            if row.number in self.hidden:
                self.say(row.number, "item", item, "error", "hidden-row",
                         "labels in a hidden row; show the row, or delete it")
            self._unchanged(row, cells)
            day = cells[when].strip() if when is not None else ""
            if day:
                self._day(row, day)
            before = first.setdefault(item, (row.number, labels))
            if before[0] != row.number:
                self._again(row, item, before, labels)
                continue
            made.rows.append((item, labels, cells[note].strip() if note is not None else "",
                              day[:10], row))

    def _unchanged(self, row, cells):
        """What was handed out and is read by nobody: a change says that rows are mixed up."""
        for name, text in self.given.get(row.thread, {}).items():
            own = cells[self.at[name]] if name in self.at else ""
            if own != text and own.strip() and fold(own) != fold(text):
                self.say(row.number, name, own, "warning", "changed",
                         f"it was handed out as {shown(text)} for this item; restore it, and see "
                         "that the labels of the row belong to the item")

    def _day(self, row, text):
        """A day that is over; a time after it is no matter."""
        try:
            day = date.fromisoformat(text[:10])
        except ValueError:
            day = None
        if day is None or (text[10:] and text[10] not in " T"):
            self.say(row.number, "decided_at", text, "error", "day",
                     "no day; write it as 2026-12-31, or leave it blank")
        elif day > self.latest:
            self.say(row.number, "decided_at", text, "error", "day",
                     "a day that is still to come; write the day of the decision")

    def _again(self, row, item, before, labels):
        if labels == before[1]:
            self.say(row.number, "item", item, "warning", "repeated",
                     f"the same issue with the same labels as in row {before[0]}; counted once. "
                     "For a second issue of the thread leave the cells of item and issue blank")
        else:
            self.say(row.number, "item", item, "error", "repeated",
                     f"the same issue as in row {before[0]} with other labels; delete one row, "
                     "or leave item and issue blank for a second issue of the thread")

    def _no_thread(self, number, _, message):
        raw = self.filled[number][self.at["item"]]
        if "link" in self.at:
            self.excused.add(self._quiet_key(self.filled[number][self.at["link"]]))
        if (number, "item") not in self.texts:  # a number that lost its digits is reported so
            self.say(number, "item", raw, "error", "no-item", message)

    def _labels(self, row):
        key = tuple(row.cells.values())
        if key not in self.cache:
            labels, found = read_cells(row.cells, self.codebook, self.policy, row.titles)
            self.cache[key] = labels, [*found, *self._due(labels, found)]
        labels, found = self.cache[key]
        misplaced = [f for f in found if f[2] == "misplaced"]
        if len(misplaced) > 1:
            self.say(row.number, misplaced[0][0], row.cells[misplaced[0][0]], "error", "shifted",
                     f"the values of {len(misplaced)} columns are labels of other columns: the "
                     "row is shifted; put each into its column")
            found = [f for f in found if f[1] != "error" and f[2] != "parents"]
        for facet, severity, kind, message in found:
            if (row.number, facet) not in self.texts:
                self.say(row.number, facet, row.cells.get(facet, ""), severity, kind, message)
        return labels

    def _due(self, labels, found):
        """Labels that are missing, do not apply, or do not go together."""
        wrong = {f[0] for f in found if f[1] == "error"}
        level = "error" if self.policy.complete else "warning"
        if not labels["issue_type"] and "issue_type" not in wrong:
            yield "issue_type", level, "missing", "blank, though the row has labels; fill it in"
        if wrong & {"issue_type"}:
            return
        for facet in needed(labels, self.codebook):
            if not labels[facet] and facet not in wrong:
                yield facet, level, "missing", ("blank, though it applies; fill it in, or write "
                                                "undecided")
        for facet in idle(labels):
            if labels[facet] and facet not in wrong:
                yield (facet, "error", "inapplicable",
                       f"{labels['issue_type']}: this column does not apply; empty it, or "
                       "correct the issue type")
        yield from self._parents(labels, wrong)

    def _parents(self, labels, wrong):
        stage, group = labels["stage"], labels["group"]
        known = {e.name: e.parents for e in self.codebook.entries["symptom"]}
        parents = known.get(labels["symptom"], ())
        if wrong & {"stage", "group", "symptom"} or not parents or (
                stage not in self.codebook.names("stage")):
            return
        if self.codebook.has_group(stage) and group not in self.codebook.names("group"):
            return  # missing or undecided: said elsewhere
        if f"{stage}/{group}".rstrip("/") not in parents:
            yield ("symptom", "warning", "parents", "the codebook has this symptom under "
                   + " or ".join(map(repr, parents)))

    def _clean_ids(self):
        """The sheet with keys in the item column; links and damaged numbers are reported."""
        item, issue = self.at["item"], self.at["issue"]
        link, rows = self.at.get("link"), []
        for number, cells in self.sheet.rows:
            text, count = cells[item], cells[issue].strip()
            key = text
            if text.strip():
                key = self._key(number, text)
                if link is not None and self._quiet_key(key) and cells[link].strip():
                    self._same(number, key, cells[link])
            if count and not (count.isascii() and count.isdigit() and int(count)):
                self._issue(number, count)
            if key is not text or not count.isdigit():
                cells = list(cells)
                cells[item], cells[issue] = key, count if count.isdigit() else ""
            rows.append((number, tuple(cells)))
        return replace(self.sheet, rows=rows, problems=[])  # they are reported already

    def _issue(self, number, count):
        if LOST_DIGITS.fullmatch(count):
            self.say(number, "issue", count, "error", "digits",
                     "a number that a spreadsheet has rewritten; write 1, 2 …")
        else:
            self.say(number, "issue", count, "error", "issue-number",
                     "no issue number; write 1, 2 …, or leave item and issue blank in a row "
                     "for a further issue of the thread above")

    def _key(self, number, text):
        if self.known.get(text) == text:
            return text
        plain = fold(text)
        if LOST_DIGITS.search(plain.rpartition(":")[2].rpartition("#")[2]):
            self.texts.add((number, "item"))
            self.say(number, "item", text, "error", "digits",
                     "a number that a spreadsheet has rewritten, its digits are lost; copy the "
                     "item from the sheet that was handed out, as text")
            return plain
        key = self._quiet_key(plain)
        if not key:
            return plain
        if key != text:
            self.say(number, "item", text, "note", "link", f"read as {key}")
        return key

    def _same(self, number, key, link):
        """The link beside an item must lead to it."""
        if self.known.get(link) == key:
            return
        try:
            other = thread_key(fold(link))
        except StudyError as error:
            self.say(number, "link", link, "error", "other-link", f"{error}; the item says {key}")
            return
        if other != key:
            self.excused |= {number, other}
            self.say(number, "link", link, "error", "other-link",
                     f"leads to {other}, but the item is {key}; restore the one that was changed")

    def _against(self, threads):
        """Threads of the plan that are missing or strange, and their order."""
        made, expected = self.made, {t: i for i, t in enumerate(threads)}
        seen = {}
        for item, _, _, _, row in made.rows:
            if row.thread not in expected and not {row.number, row.thread} & self.excused:
                self.excused.add(row.thread)
                self.say(row.number, "item", item, "error", "strange",
                         f"{row.thread} is not in this round; delete the row, or restore its item")
            seen.setdefault(row.thread, row.number)
        places = [expected[t] for t in seen if t in expected]
        if places != sorted(places):
            out = next(t for t, p, q in zip([t for t in seen if t in expected][1:], places[1:],
                                            places, strict=False) if p < q)
            self.say(seen[out], "item", out, "note", "order",
                     "the rows stand in another order than handed out; they are joined by item")
        level = "error" if self.policy.complete else "warning"
        lost = [t for t in expected if t not in seen and t not in self.excused]
        there = {}
        for number, cells in self.sheet.rows if lost else ():
            there.setdefault(self._quiet_key(cells[self.at["item"]]), number)
        for thread in lost:
            number = there.get(thread)
            self.say(number, "issue_type" if number else "item", thread, level,
                     "unlabelled" if number else "lacking",
                     f"{thread} has no label; fill in its row" if number else
                     f"the sheet has no row for {thread}; restore it")

    def _quiet_key(self, text):
        if text in self.known:
            return self.known[text]
        try:
            return thread_key(fold(text))
        except StudyError:
            return ""


def latest_day():
    """Today, wherever on earth the rater is."""
    return (datetime.now(UTC) + timedelta(hours=14)).date()


def columns_needed():
    """Titles of the columns a sheet must have.

    Examples
    --------
    >>> columns_needed()[:3]
    ['Item', 'Issue', 'Issue type']
    """
    return [TITLES[name] for name in NEEDED]
