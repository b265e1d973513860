"""Read the workbook of decisions, check it, and make the adjudicated labels of a round."""

from dataclasses import dataclass, field, replace

from study.base.errors import StudyError
from study.base.threads import thread_platform
from study.base.words import fold
from study.extend.adjudicate import (
    COUNTED,
    KEPT,
    OWN,
    SHEET,
    agreed,
    columns,
    deciders,
    disagreements,
    settled,
)
from study.extend.folder import csv_text
from study.extend.handed_in import read_round
from study.read.codebook import FACETS
from study.read.form import TITLES, idle, needed, thread_of
from study.read.policy import STRICT, read_cells
from study.read.sheet import Problem, SheetError
from study.read.sheets import read_sheet
from study.tabulate.issues import Row

COLUMNS = ("item", "round", "facet", "label", "how", "by", "why")


@dataclass
class Decided:
    """The adjudicated labels of a round.

    Attributes
    ----------
    round : str
    labels : dict of str to dict of str to str
        Item → labels by facet.
    decisions : dict of (str, str) to (str, str, str)
        (Item, facet) → label, who decided, why.
    dropped : dict of str to str
        Items that are no issue → why.
    problems : list of Problem
    """

    round: str
    labels: dict = field(default_factory=dict)
    decisions: dict = field(default_factory=dict)
    dropped: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)


def decisions_file(extension, number):
    """Where the workbook of a round's disagreements lies."""
    return extension.sheets / extension.named(f"round{number}-adjudicated.xlsx")


def decide(extension, number, checked=None):
    """Adjudicated labels of a round, with everything that is wrong with the decisions.

    Parameters
    ----------
    extension : Extension
    number : str
    checked : list of Checked, optional
        The raters' sheets, where they were read already.

    Returns
    -------
    Decided
    """
    checked = read_round(extension, number) if checked is None else checked
    found, made = disagreements(checked), Decided(number)
    path = decisions_file(extension, number)
    if found and not path.exists():
        raise StudyError(f"round {number}: {len(found)} labels on which the raters differ are not "
                         f"decided yet; `label adjudicate {extension.name} --round {number}` "
                         "writes the workbook")
    # Whoever decides has the categories at hand that were taken up since the round.
    codebook, sheet = extension.codebook(), None
    if found:
        try:
            sheet = read_sheet(path, SHEET)
        except SheetError as error:
            made.problems.append(Problem(path.name, "", None, None, "", str(error).removeprefix(
                f"{path.name}: "), "error", "unreadable"))
            return made
        _read(made, sheet, found, [c.rater for c in checked], codebook)
    _settle(made, checked, found, codebook, sheet)
    return made


def _read(made, sheet, found, raters, codebook):
    at = {}
    for title in columns(raters):
        try:
            at[title] = sheet.column(title)
        except SheetError as error:
            made.problems.append(Problem(sheet.file, sheet.name, sheet.header_row, title, title,
                                         str(error).partition(": ")[2], "error", "no-column"))
    if made.problems:
        return
    facets = {fold(title): facet for facet, title in TITLES.items()} | {KEPT: KEPT}
    expected, seen = {(e["item"], e["facet"]) for e in found}, {}

    def say(row, title, value, kind, message, severity="error"):
        made.problems.append(Problem(sheet.file, sheet.name, row, at[title] + 1, value, message,
                                     severity, kind))
    made.problems += [replace(p, severity="error") for p in sheet.problems
                      if p.kind in ("date", "formula-without-value", "error-value")
                      and p.column in {at[t] + 1 for t in OWN}]
    for number, cells in sheet.rows:
        key = (fold(cells[at["Item"]]), facets.get(fold(cells[at["Column"]]), ""))
        if key not in expected:
            say(number, "Item", cells[at["Item"]], "strange",
                "no disagreement of this round; delete the row, or restore item and column")
            continue
        if key in seen:
            say(number, "Item", cells[at["Item"]], "repeated",
                f"the same as row {seen[key]}; delete one")
            continue
        seen[key] = number
        raw, who, why = (cells[at[t]].strip() for t in OWN)
        by = deciders(who, raters)
        made.decisions[key] = (_label(say, number, key[1], raw, codebook), by, why)
        if raw and not by:
            say(number, "Decided by", who, "who",
                f"say who decided: {raters[0]}, or {raters[0]} and {raters[1]}")
        elif by != who:
            say(number, "Decided by", who, "who", f"read as {by}", "note")
        if raw and not why:
            say(number, "Why", why, "why", "say why, in a few words")
    for key in sorted(expected - set(seen)):
        made.problems.append(Problem(sheet.file, sheet.name, None, "Item", " ".join(key),
                                     f"the row for {key[0]}, {TITLES.get(key[1], key[1])} is gone; "
                                     "restore it", "error", "lacking"))


def _label(say, number, facet, raw, codebook):
    if facet == KEPT:
        if raw and fold(raw) not in COUNTED:
            say(number, "Decision", raw, "unknown-label", "write yes (it is an issue) or no")
        return fold(raw)
    if not raw:
        return ""
    labels, notes = read_cells({facet: raw}, codebook, STRICT)
    for _, severity, kind, message in notes:
        say(number, "Decision", raw, kind, message, severity)
    return labels[facet]


def _settle(made, checked, found, codebook, sheet):
    """Agreed and decided labels together; what is due and lacks is an error."""
    wrong = {p.row for p in made.problems if p.severity == "error"}
    where = {(e["item"], e["facet"]): n for n, e in enumerate(found, 2)}
    for item, labels in agreed(checked).items():
        own = {f: made.decisions[item, f] for f in (KEPT, *FACETS) if (item, f) in made.decisions}
        if KEPT in own and own[KEPT][0] == "no":
            made.dropped[item] = own[KEPT][2]
            continue
        merged = dict.fromkeys(FACETS, "") | labels | {
            f: d[0] for f, d in own.items() if f in FACETS}
        due = ([KEPT] if (item, KEPT) in where and not own.get(KEPT, ("",))[0] else []) + [
            f for f in ("issue_type", *needed(merged, codebook)) if not merged[f]]
        for facet in due:
            row = where.get((item, facet))
            if sheet is not None and row not in wrong:
                made.problems.append(Problem(
                    sheet.file, sheet.name, row, "Decision", item, f"{item}, "
                    f"{TITLES.get(facet, facet)}: not decided; choose a label, and say who "
                    "decided and why", "error", "undecided"))
        blank = idle(merged)
        for facet in blank:
            if own.get(facet, ("",))[0]:
                made.problems.append(Problem(
                    sheet.file, sheet.name, where[item, facet], "Decision", own[facet][0],
                    f"{merged['issue_type']}: this column does not apply; empty the decision",
                    "error", "inapplicable"))
        made.labels[item] = settled(merged)


def adjudicated_text(made):
    """Text of ``adjudicated.csv``: each label, agreed or decided, by whom and why.

    Parameters
    ----------
    made : list of Decided

    Returns
    -------
    str
    """
    rows = []
    for one in made:
        for item, labels in sorted(one.labels.items(), key=lambda x: thread_of(x[0])):
            for facet in FACETS:
                if labels[facet]:
                    how = one.decisions.get((item, facet))
                    rows.append((item, one.round, facet, labels[facet],
                                 *(("decided", *how[1:]) if how else ("agreed", "", ""))))
        rows += [(item, one.round, KEPT, "no", "decided", one.decisions[item, KEPT][1], why)
                 for item, why in sorted(one.dropped.items())]
    return csv_text(COLUMNS, rows)


def rows_of(made, sources, rater="adjudicated"):
    """The adjudicated labels as rows of a sheet, for the functions that count the study.

    Parameters
    ----------
    made : Decided
    sources : dict of str to str
        Thread → source.
    rater : {"adjudicated", "final"}

    Returns
    -------
    list of Row
        Ordered by platform, thread and issue, and numbered so; the final ones with issues
        numbered anew in each thread.
    """
    rows, last = [], {}
    ordered = sorted(made.labels, key=lambda i: (thread_platform(thread_of(i)[0]), thread_of(i)))
    for number, item in enumerate(ordered, 1):
        thread, issue = thread_of(item)
        if rater == "final":
            # Issues that are none may leave a gap, and the final table has none.
            last[thread] = issue = last.get(thread, 0) + 1
        rows.append(Row("adjudicated.csv", f"round {made.round}", number, thread, issue,
                        made.round if rater == "adjudicated" else "final", rater,
                        dict(made.labels[item]), frozenset(), sources[thread]))
    return rows
