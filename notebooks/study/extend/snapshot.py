"""Threads of a mining snapshot, in any of the forms the mining scripts write."""

import csv
import hashlib
import json
import re
from pathlib import Path

from study.base.errors import StudyError
from study.base.paths import DATA, RAW, shown
from study.base.words import JOIN
from study.read.form import Task
from study.tabulate.issues import PLATFORMS

CORPORA = RAW / "mining"
NEEDED = {"item", "platform", "place", "frameworks", "created_at", "state", "candidate", "title",
          "body", "resolution"}
MOST = 1 << 21  # characters of a cell: GitHub takes up to 262,144 bytes, csv reads 131,072
EXCERPT, RESOLUTION = 1200, 600  # characters; the link leads to the rest
# As the study writes a platform before a framework: GitHub-horovod, SO-keras.
SHORT = {"github": "GitHub", "stackoverflow": "SO"}
# What no reader shows, and no workbook may hold.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def find_snapshot(where):
    """File with the threads of a snapshot.

    Parameters
    ----------
    where : str or path-like
        Name of a corpus that was mined into its usual place, name of an extension with a
        snapshot, a folder (store, snapshot or export), or the file itself.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    StudyError
        There is none.
    """
    given = Path(where)
    folders = [given, given / "snapshot", given / "export"]
    if given.name == str(where):
        folders += [CORPORA / given / "snapshot", DATA / "extensions" / given / "snapshot"]
    if given.is_file():
        return given
    for folder in folders:
        for name in ("threads.jsonl", "threads.csv"):
            if (folder / name).is_file():
                return folder / name
    raise StudyError(f"{shown(given) if given.exists() else where}: no snapshot there "
                     "(threads.jsonl or threads.csv); mine one with `python -m mining run NAME`, "
                     "or name its folder")


def read_threads(path):
    """Rows of a snapshot or of its export.

    Parameters
    ----------
    path : path-like
        ``threads.jsonl`` or ``threads.csv``.

    Returns
    -------
    list of dict
        With lists as lists, ``candidate`` and ``complete`` as bool; in the file's order.

    Raises
    ------
    StudyError
        No JSON or csv, or a column is missing, with the line; or a file of a snapshot that
        is not the one its manifest describes, because it was cut or altered.
    """
    path = Path(path)
    _compare(path)
    limit = csv.field_size_limit(MOST)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            if path.suffix == ".jsonl":
                rows = [_json(path, n, line) for n, line in enumerate(stream, 1) if line.strip()]
            else:
                rows = [_typed(row) for row in csv.DictReader(stream)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{shown(path)} cannot be read ({_words(error)}); export the snapshot "
                         "again") from None
    finally:
        csv.field_size_limit(limit)
    for number, row in enumerate(rows, 1):
        if missing := sorted(NEEDED - set(row)):
            raise StudyError(f"{shown(path)}, thread {number}: no column {missing[0]}; export "
                             "the snapshot again with `python -m mining export`")
    if not rows:
        raise StudyError(f"{shown(path)} has no thread; nothing to sample")
    return rows


def _words(error):
    if "field larger" in str(error):
        return f"a cell of more than {MOST:,} characters: a quotation mark is not closed"
    return error


def _compare(path):
    """Refuse a snapshot cut at a line: well-formed, and short."""
    manifest = path.with_name("manifest.json")
    if not manifest.is_file():
        return  # an export, or rows of one's own
    try:
        stated = json.loads(manifest.read_bytes())["sha256"][path.name]
        whole = stated == hashlib.sha256(path.read_bytes()).hexdigest()
    except (OSError, ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise StudyError(f"{shown(path)}: not as manifest.json beside it describes; write the "
                         "snapshot anew with `python -m mining replay NAME`")


def _json(path, number, line):
    try:
        return json.loads(line)
    except ValueError as error:
        raise StudyError(f"{shown(path)}, line {number}: no JSON ({error}); export the snapshot "
                         "again") from None


def _typed(row):
    """A row of the csv export as the snapshot has it."""
    flags = {k: row.get(k, "true") != "false" for k in ("candidate", "complete")}
    lists = {k: [v for v in row.get(k, "").split(JOIN) if v] for k in ("frameworks", "tags")}
    # The export puts a ' before what a spreadsheet would run.
    texts = {k: re.sub(r"^'(?=[=+\-@\t\r])", "", row.get(k) or "")
             for k in ("title", "body", "resolution")}
    return {**row, **texts, **flags, **lists}


def source_of(row):
    """Platform and frameworks of a thread, as the study writes them.

    Examples
    --------
    >>> source_of({"platform": "stackoverflow", "frameworks": ["horovod", "keras"]})
    'SO-horovod & SO-keras'
    """
    short = SHORT.get(row["platform"], row["platform"])
    if short not in PLATFORMS:
        raise StudyError(f"{row['item']}: platform {row['platform']!r}; it must be "
                         f"{' or '.join(SHORT)}")
    if not row["frameworks"]:
        raise StudyError(f"{row['item']}: no framework; the definition must name one")
    return " & ".join(f"{short}-{name}" for name in sorted(row["frameworks"]))


def task_of(row, number="1"):
    """What a rater is shown of a thread.

    Parameters
    ----------
    row : dict
        As :func:`read_threads` returns it.
    number : str
        The round.

    Returns
    -------
    Task
        Stack Overflow texts end with who wrote them and under which licence: it asks for that.
    """
    excerpt = plain(row["body"], EXCERPT)
    if row.get("attribution"):
        excerpt += f"\n[{row['attribution']}, {row.get('licence') or 'licence not stated'}]"
    return Task(row["item"], source_of(row), plain(row["title"], 300), excerpt,
                plain(row["resolution"], RESOLUTION), number)


def plain(text, most):
    """Text without control characters, cut at a number of characters.

    Examples
    --------
    >>> plain("a\\x00 long  text", 8)
    'a long …'
    """
    text = CONTROL.sub("", (text or "").replace("\r\n", "\n").replace("\r", "\n"))
    text = "\n".join(" ".join(line.split(" ")).rstrip() for line in text.split("\n")).strip()
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r" {2,}", " ", text))
    return text if len(text) <= most else text[: most - 1].rstrip() + " …"
