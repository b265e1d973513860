"""A sheet to hand out as plain rows of text, and its csv form."""

from study.extend.canonical import spoken
from study.extend.folder import csv_text
from study.read.codebook import FACETS
from study.read.form import TITLES


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
    return csv_text(TITLES.values(), [row.values() for row in grid(tasks, answers)])
