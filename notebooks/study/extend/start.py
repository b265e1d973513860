"""``label new``: draw the sample, record how, and write a sheet for each round and rater."""

import hashlib
from pathlib import Path

from study.base.errors import StudyError
from study.base.paths import shown
from study.base.seeds import SEED
from study.base.threads import thread_key
from study.extend import jsonl, labelstudio
from study.extend.folder import (
    TASKS,
    csv_text,
    extension,
    json_text,
    write_new,
)
from study.extend.grid import csv_sheet
from study.extend.qdc import qdc
from study.extend.sample import candidates, draw
from study.extend.snapshot import find_snapshot, read_threads
from study.extend.workbook import workbook
from study.read.codebook import load_codebook
from study.read.form import MODEL_LABELLED, by_models, check_raters

# Written once: who may publish these deletes the file.
PRIVATE = """\
# Texts of other people, and sheets that are being filled in. Where you may publish them,
# delete this file; label new does not write it again.
/sample.csv
/sheets/
/tools/
/handed_in/
/snapshot/
"""
FORMS = ("xlsx", "csv", "labelstudio", *jsonl.SHAPES)


def start(name, snapshot, n, raters=("R1", "R2"), rounds=3, seed=SEED, by="place",
          forms=("xlsx",), left_out=None, title="", force=False):
    """Start an extension: plan, sample, sheets.

    Parameters
    ----------
    name : str
        Of the extension, or its folder.
    snapshot : str or path-like
        What was mined; see ``snapshot.find_snapshot``.
    n, rounds, seed, by
        See ``sampling.draw``.
    raters : sequence of str
        R1, R2 …
    forms : sequence of str
        Of ``FORMS``.
    left_out : dict of str to str, optional
        Threads not to draw → reason.
    title : str
        As raters read it; by default the name.
    force : bool
        Keep old files beside the new ones instead of refusing.

    Returns
    -------
    dict of pathlib.Path to pathlib.Path or None
        Every file that was written, and where an older one was kept.

    Raises
    ------
    StudyError
        Something is there already, or cannot be done; nothing is written then.
    """
    made, raters = extension(name), check_raters(raters)
    title = (title or made.name) + (f" ({MODEL_LABELLED})" if by_models(raters) else "")
    if strange := [f for f in forms if f not in FORMS]:
        raise StudyError(f"--form {strange[0]}: no such form; use {', '.join(FORMS)}")
    path, book = find_snapshot(snapshot), load_codebook()
    threads = read_threads(path)
    tasks, record, excluded = draw(threads, n, rounds, seed, by, left_out or {})
    plan = {"name": made.name, "title": title, "raters": list(raters),
            "codebook": dict.fromkeys(record["rounds"], book.version),
            "annotators": {str(i): r for i, r in enumerate(raters, 1)},
            "snapshot_sha256": hashlib.sha256(path.read_bytes()).hexdigest(), **record}
    files = {"plan.json": json_text(plan),
             "sample.csv": csv_text(TASKS, [
                 (i, t.thread, t.source, t.url, t.round, t.title, t.excerpt, t.resolution)
                 for i, t in enumerate(tasks, 1)]),
             "excluded.csv": csv_text(("item", "reason"), excluded),
             "candidates.csv": csv_text(("thread", "platform", "frameworks"),
                                        candidates(threads)),
             "codebook.qdc": qdc(book)}
    for number in record["rounds"]:
        files |= sheets([t for t in tasks if t.round == number], number, raters, book, forms,
                        plan["title"])
    if not made.path("plan.json").exists():
        files[".gitignore"] = PRIVATE
    return write_all({made.path(n): c for n, c in files.items()}, force)


def sheets(tasks, number, raters, codebook, forms, title):
    """Files of one round: name within the extension → content.

    Parameters
    ----------
    tasks : list of Task
    number : str
    raters : sequence of str
    codebook : Codebook
    forms : sequence of str
    title : str

    Returns
    -------
    dict of str to (str or bytes)
    """
    files = {}
    if by_models(raters):
        return files  # `label tasks --for-model` writes what models read
    for form in forms:
        if form == "labelstudio":
            files[f"tools/round{number}-labelstudio-tasks.json"] = labelstudio.tasks_json(tasks)
            files["tools/labelstudio-config.xml"] = labelstudio.config(codebook)
        elif form in jsonl.SHAPES:
            files[f"tools/round{number}-{form}-tasks.jsonl"] = jsonl.lines(tasks, form, codebook)
        for rater in raters:
            if form == "xlsx":
                files[f"sheets/round{number}-{rater}.xlsx"] = workbook(
                    tasks, number, rater, codebook, title=title)
            elif form == "csv":
                files[f"sheets/round{number}-{rater}.csv"] = csv_sheet(tasks)
    return files


def write_all(files, force=False):
    """Write all files, or nothing where one is there already.

    Parameters
    ----------
    files : dict of pathlib.Path to (str or bytes)
    force : bool
        Keep old files beside the new ones instead of refusing.

    Returns
    -------
    dict of pathlib.Path to pathlib.Path or None
        Every file that was written, and where an older one was kept.
    """
    for path, content in files.items():
        new = content.encode() if isinstance(content, str) else content
        if path.exists() and not force and path.read_bytes() != new:
            raise StudyError(f"{shown(path)} is there already; nothing was written. --force keeps "
                             "what is there beside the new files")
    return {path: write_new(path, content, force) for path, content in files.items()}


def read_left_out(path):
    """Threads to leave out: a file with a link or key a line, and a reason after a comma.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    dict of str to str
    """
    path, made = Path(path), {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"--exclude {path.name}: cannot be read ({error})") from None
    for number, line in enumerate(lines, 1):
        link, _, reason = line.partition(",")
        if link.strip():
            try:
                made[thread_key(link.strip())] = reason.strip() or "left out"
            except StudyError as error:
                raise StudyError(f"--exclude {path.name}, line {number}: {error}") from None
    return made
