"""A sheet to hand out as plain rows of text, and its csv form."""

import csv
import io
import re

from study.extend.canonical import spoken
from study.read.codebook import FACETS
from study.read.form import TITLES

# What a spreadsheet program would take for a formula.
RISKY = re.compile(r"[=+\-@\t\r]")


def grid(tasks, answers=None):
    """Rows of a sheet: a row an issue, blank where there is no answer yet.

    Parameters
    ----------
    tasks : list of Task
    answers : dict, optional
        As ``canonical.answers`` returns it, to fill in.

    Returns
    -------
    list of dict
        Text by column name. Item and issue number stand in the first row of a thread; a
        further issue leaves both blank, as raters do it.
    """
    rows = []
    for task in tasks:
        for number, answer in enumerate((answers or {}).get(task.thread) or [{}], 1):
            row = dict.fromkeys(TITLES, "")
            if number == 1:
                row |= {"item": task.thread, "issue": "1", "title": task.title,
                        "excerpt": task.excerpt, "resolution": task.resolution,
                        "link": task.url, "source": task.source}
            row |= {f: spoken(f, answer.get(f, "")) for f in FACETS}
            row |= {n: answer.get(n, "") for n in ("note", "decided_at")}
            rows.append(row)
    return rows


def csv_sheet(tasks, answers=None):
    """Text of a sheet as csv.

    Parameters
    ----------
    tasks, answers
        See :func:`grid`.

    Returns
    -------
    str
        No cell begins with a character that a spreadsheet program runs as a formula.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(TITLES.values())
    for row in grid(tasks, answers):
        writer.writerow([guarded(v) for v in row.values()])
    return buffer.getvalue()


def guarded(text):
    """Text with a ``'`` before it where a spreadsheet program would run it.

    Examples
    --------
    >>> guarded("=1+1"), unguarded(guarded("=1+1")), guarded("'=1")
    ("'=1+1", '=1+1', "''=1")
    """
    return f"'{text}" if RISKY.match(text.lstrip("'")) else text


def unguarded(text):
    """The inverse of :func:`guarded`."""
    return text[1:] if text.startswith("'") and RISKY.match(text.lstrip("'")) else text
