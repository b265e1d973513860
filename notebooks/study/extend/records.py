"""Answers made in other tools as a sheet, so that one reader checks them all."""

import json
from datetime import UTC, datetime

from study.base.errors import StudyError
from study.base.threads import thread_url
from study.read.form import TITLES
from study.read.sheet import Problem, Sheet

KINDS = {dict: "an object", list: "a list", str: "a text"}


def sheet_of(file, name, records, ignored=()):
    """A sheet with the columns of the workbook.

    Parameters
    ----------
    file, name : str
        For messages: the file, and whose answers these are.
    records : list of (str, list of dict, str)
        Thread, its issues (cells by column name), the day they were decided.
    ignored : iterable of str
        Controls of the file that are none of the study's; each is named in a finding.

    Returns
    -------
    Sheet
        Rows are numbered from 1; a further issue of a thread leaves item and issue blank.

    Examples
    --------
    >>> sheet = sheet_of("a.jsonl", "R1", [("so:1", [{"stage": "x"}, {"stage": "y"}], "")])
    >>> [row[0] for _, row in sheet.rows]
    ['so:1', '']
    """
    rows = []
    for thread, issues, day in records:
        for number, cells in enumerate(issues):
            row = dict.fromkeys(TITLES, "") | cells | {"decided_at": day}
            if not number:
                row |= {"item": thread, "issue": "1", "link": _url(thread)}
            rows.append((len(rows) + 1, tuple(row[c] for c in TITLES)))
    said = [Problem(file, name, None, None, control, "a control that was not handed out; it is "
                    "ignored", "note", "ignored") for control in ignored]
    return Sheet(file, name, tuple(TITLES.values()), 0, rows, problems=said)


def _url(thread):
    try:
        return thread_url(thread)
    except ValueError:
        return ""


def parsed(text, place):
    """A JSON text; StudyError where it is none.

    Examples
    --------
    >>> parsed("[1]", "a.json")
    [1]
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise StudyError(f"{place}: no JSON, or cut off; export it again") from None


class Place:
    """A record of a file: takes values out of it, and names what is wrong in words.

    Parameters
    ----------
    file, place : str
        Such as ``round1-R1.jsonl`` and ``line 7``.

    Examples
    --------
    >>> Place("a.jsonl", "line 1").texts("fault", "label")
    ['fault']
    """

    def __init__(self, file, place):
        self.where = f"{file}: {place}"

    def fault(self, what):
        """Raise StudyError with the place."""
        raise StudyError(f"{self.where}: {what}")

    def kind(self, value, wanted, name):
        """The value, which must be of a kind."""
        if not isinstance(value, wanted):
            self.fault(f"{name} is not {KINDS[wanted]}; export it again")
        return value

    def text(self, value, name):
        """A text or a number as text, ``""`` where nothing is given."""
        if value is None:
            return ""
        if isinstance(value, (dict, list, bool, float)):
            self.fault(f"{name} is no text; export it again")
        return str(value)

    def texts(self, value, name):
        """A list of texts; one text is a list of one."""
        values = value if isinstance(value, list) else [] if value is None else [value]
        return [self.text(v, name) for v in values]

    def item(self, record):
        """The thread, from where the tasks that were handed out have it."""
        for part in (record, *(record.get(k) for k in ("data", "meta", "metadata"))):
            if isinstance(part, dict) and part.get("item"):
                return self.text(part["item"], "item")
        return self.fault("the item is missing (which thread is this?); import the tasks that "
                          "were handed out, with their other fields, and export those")

    def day(self, seconds, name):
        """The day of a time stamp."""
        if not seconds:
            return ""
        try:
            return datetime.fromtimestamp(seconds, UTC).date().isoformat()
        except (TypeError, ValueError, OverflowError, OSError):
            return self.fault(f"{name} is no time; export it again")

    def in_order(self, issues):
        """Issues by their number as a list; none may be left out between two."""
        if sorted(issues) != list(range(1, len(issues) + 1)):
            self.fault(f"issue {max(issues)} of the thread without the one before it; correct "
                       "its number in the tool and export it again")
        return [issues[n] for n in sorted(issues)]
