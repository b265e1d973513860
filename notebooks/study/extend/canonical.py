"""The canonical form of labels: one row a decision, whatever tool they were made in."""

from study.base.errors import StudyError
from study.base.threads import thread_url
from study.base.words import JOIN
from study.extend.folder import csv_text, read_csv
from study.read.codebook import FACETS
from study.read.form import item_of, thread_of

COLUMNS = ("item", "source", "url", "round", "rater", "facet", "label", "note", "decided_at")
_ORDER = {facet: i for i, facet in enumerate(FACETS)}


def decisions(checked, sources):
    """Rows of the canonical form, from a sheet that was read.

    Parameters
    ----------
    checked : Checked
    sources : dict of str to str
        Thread → source, such as ``GitHub-horovod``.

    Returns
    -------
    list of tuple
        In the order of ``COLUMNS``; the note of an issue stands at its first decision.
    """
    made = []
    for item, labels, note, when, row in checked.rows:
        for facet in FACETS:
            if labels[facet]:
                made.append((item, sources.get(row.thread, ""), thread_url(row.thread),
                             checked.round, checked.rater, facet, labels[facet], note, when))
                note = ""
    return ordered(made)


def ordered(rows):
    """Rows in their canonical order: round, rater, thread, issue, facet.

    Parameters
    ----------
    rows : iterable of tuple

    Returns
    -------
    list of tuple
    """
    def place(row):
        thread, issue = thread_of(row[0])
        return (len(row[3]), row[3], row[4], thread, issue, _ORDER[row[5]])
    return sorted(rows, key=place)


def to_text(rows):
    """Text of the canonical csv.

    Parameters
    ----------
    rows : list of tuple

    Returns
    -------
    str
    """
    return csv_text(COLUMNS, ordered(rows))


def from_file(path):
    """Rows of a canonical csv; the inverse of :func:`to_text`.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    list of tuple

    Raises
    ------
    StudyError
        Damaged, or a facet that does not exist.
    """
    rows = [tuple(r.values()) for r in read_csv(path, COLUMNS)]
    for number, row in enumerate(rows, 2):
        if row[5] not in _ORDER:
            raise StudyError(f"{path}, row {number}, column facet: {row[5]!r}; it must be one of "
                             f"{', '.join(FACETS)}")
    return ordered(rows)


def answers(rows):
    """What a sheet is filled in with to hold these decisions.

    Parameters
    ----------
    rows : list of tuple
        Of one round and one rater.

    Returns
    -------
    dict of str to list of dict
        Thread → its issues in order, each with labels by facet, ``note``, ``decided_at``.

    Examples
    --------
    >>> row = ("so:1/1", "SO-x", "", "1", "R1", "stage", "communication setup", "", "")
    >>> answers([row])["so:1"]
    [{'note': '', 'decided_at': '', 'stage': 'communication setup'}]
    """
    made = {}
    for item, _, _, _, _, facet, label, note, when in ordered(rows):
        issue = made.setdefault(item, {"note": "", "decided_at": when})
        issue[facet] = label
        issue["note"] = issue["note"] or note
    threads = {}
    for item, issue in made.items():
        thread, number = thread_of(item)
        threads.setdefault(thread, []).append(issue)
        if item_of(thread, len(threads[thread])) != item:
            raise StudyError(f"{item}: issue {number} without the one before it")
    return threads


def spoken(facet, label):
    """A canonical label as a person writes it into a cell.

    Examples
    --------
    >>> spoken("fix_pattern", "use tmux;use docker")
    'use tmux; use docker'
    """
    return label.replace(JOIN, JOIN + " ") if facet == "fix_pattern" else label
