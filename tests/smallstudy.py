"""Small synthetic studies, written down as tables a reader can count by hand."""

import pandas as pd
from hypothesis import settings

from study.read.codebook import load_codebook
from study.tabulate.tables import COLUMNS, Study, counts_of

# Few examples, the same in every run: frames are slow to make, and a test must not waver.
few = settings(max_examples=15, deadline=None, derandomize=True)

DEFAULTS = {
    "platform": "GitHub", "frameworks": "horovod", "distributed_specific": 1, "stage": "run",
    "group": "", "symptom": "hang", "fix_patterns": "restart", "candidate": "yes",
    "issues_in_thread": 1, "round": "1", "topic": "usage", "subtopic": "", "n": 1,
    "facet": "symptom", "reading": "repaired", "scope": "agreed", "candidates": 0, "threads": 0,
    "issues": 0, "faults": 0, "questions": 0,
}


def table(name, text):
    """A count table from lines of cells; a column that is not there has its default.

    Cells stand between bars, the first line names the columns, a dot is a blank cell.
    """
    head, *lines = [[cell.strip() for cell in line.split("|")]
                    for line in text.strip().splitlines()]
    rows = [dict(zip(head, ("" if c == "." else c for c in line), strict=True))
            for line in lines]
    frame = pd.DataFrame([{c: DEFAULTS.get(c, "") for c in COLUMNS[name]} | r for r in rows],
                         columns=COLUMNS[name])
    for column in frame:
        frame[column] = frame[column].astype(int if counts_of(name, column) else "str")
    return frame


def faults(text):
    """A table of faults."""
    return table("faults", text)


def empty(name):
    """A count table without rows, with the types of a read one."""
    return table(name, " | ".join(COLUMNS[name]))


def study(codebook=None, **tables):
    """A study of the tables given; the others are empty."""
    if "faults" in tables:
        tables.setdefault("faults_as_filed", tables["faults"])
    return Study(**{name: tables.get(name, empty(name)) for name in COLUMNS},
                 codebook=codebook or load_codebook())
