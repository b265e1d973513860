"""Answers made in other tools as a sheet, so that one reader checks them all."""

from study.base.threads import thread_url
from study.read.form import TITLES
from study.read.sheet import Sheet


def sheet_of(file, name, records):
    """A sheet with the columns of the workbook.

    Parameters
    ----------
    file, name : str
        For messages: the file, and whose answers these are.
    records : list of (str, list of dict, str)
        Thread, its issues (cells by column name), the day they were decided.

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
    return Sheet(file, name, tuple(TITLES.values()), 0, rows)


def _url(thread):
    try:
        return thread_url(thread)
    except ValueError:
        return ""
