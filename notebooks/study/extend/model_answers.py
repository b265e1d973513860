"""Answers of a model rater as a sheet, so that the reader of every sheet checks them."""

import json

from study.base.threads import thread_url
from study.base.words import nearest
from study.extend.model_form import CELL, CONFIDENCE, KEYS, READ, symptom_paths, topic_paths
from study.read.form import JOIN, NEW, TITLES
from study.read.sheet import Problem, Sheet

_KINDS = {"item": str, "issue": int, "issue_type": str, "distributed_specific": (str, type(None)),
          "symptom": (str, type(None)), "topic": (str, type(None)),
          "fix_patterns": (list, type(None)), "confidence": str, "read": str, "note": str}
_NAMES = {"symptom": ("stage", "group", "symptom"), "topic": ("topic", "subtopic")}


def read(path, text, codebook):
    """The sheet that a file of answers stands for; nothing in it is mended.

    Parameters
    ----------
    path : pathlib.Path
        Of the file, for messages.
    text : str
        JSON lines, one an issue, with the keys of ``model_form.KEYS``.
    codebook : Codebook

    Returns
    -------
    Sheet
        A row an answer, numbered by its line. Lines that do not parse, keys and values that
        were not asked for, notes longer than a cell and paths that the codebook lacks are
        among its problems, each an error with its line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from study.read.codebook import load_codebook
    >>> read(Path("round1-M1.jsonl"), "I think it is a fault.", load_codebook()).problems[0].kind
    'no-answer'
    """
    places = {"symptom": symptom_paths(codebook), "topic": topic_paths(codebook)}
    rows, problems = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        answer, found = _parsed(line)
        problems += [_problem(path, number, *f) for f in found]
        if answer is None:
            continue
        cells, found = _cells(answer, places)
        problems += [_problem(path, number, *f) for f in found]
        rows.append((number, tuple(cells[c] for c in TITLES)))
    return Sheet(path.name, "", tuple(TITLES.values()), 0, rows, problems=problems)


def _problem(path, number, key, value, message, kind):
    return Problem(path.name, "", number, key, value[:200], message, "error", kind)


def _parsed(line):
    """The answer of a line or None, and its faults: key, value, message, kind."""
    twice = []

    def once(pairs):
        names = [k for k, _ in pairs]
        twice.extend({k for k in names if names.count(k) > 1})
        return dict(pairs)

    try:
        answer = json.loads(line, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return None, [("", line, "no JSON, or cut off; the answer is lost: ask again, and say so "
                       "in the protocol", "no-answer")]
    if not isinstance(answer, dict):
        return None, [("", line, "no object with the keys of the schema", "no-answer")]
    found = [(k, "", "the key stands twice; write it once", "key") for k in sorted(twice)]
    found += [(k, "", f"the key {k!r} is missing; write null where it does not apply", "key")
              for k in KEYS if k not in answer]
    found += [(k, str(answer[k]), f"a key {k!r} that was not asked for", "key")
              for k in answer if k not in KEYS]
    for key, kind in _KINDS.items():
        value = answer.get(key)
        if key in answer and (not isinstance(value, kind) or isinstance(value, bool)):
            found.append((key, str(value), f"{key} is of another kind than the schema says",
                          "kind"))
            answer[key] = None
    return answer, found


def _cells(answer, places):
    """Cells of the row, and what is wrong with them besides what the sheet's reader says."""
    cells = dict.fromkeys(TITLES, "") | {
        key: answer.get(key) or "" for key in ("item", "issue_type", "distributed_specific",
                                               "note")}
    cells["issue"] = "" if answer.get("issue") is None else str(answer["issue"])
    cells["link"], found = _address(cells["item"]), []
    for key, names in _NAMES.items():
        if path := answer.get(key):
            known = _place(path, places[key])
            if known is None:
                near = ", ".join(map(repr, nearest(path, places[key])))
                found.append((key, path, f"no path of the codebook; nearest: {near}" if near else
                              "no path of the codebook", "path"))
                known = [p.strip() for p in path.split("/")]
                known = (known[0], "/".join(known[1:-1]), known[-1]) if key == "symptom" else known
            cells |= dict(zip(names, known, strict=False))
    fixes = answer.get("fix_patterns") or []
    if not all(isinstance(f, str) and f.strip() for f in fixes):
        found.append(("fix_patterns", str(fixes), "a fix pattern that is no text", "kind"))
    cells["fix_pattern"] = JOIN.join(f for f in fixes if isinstance(f, str))
    for key, allowed in (("confidence", CONFIDENCE), ("read", READ)):
        if (value := answer.get(key)) is not None and value not in allowed:
            found.append((key, value, f"write one of {', '.join(allowed)}", "unknown-label"))
    if len(cells["note"]) > CELL:
        found.append(("note", cells["note"][:60], f"{len(cells['note']):,} characters, more than "
                      f"a cell of a workbook holds ({CELL:,}); shorten it", "too-long"))
    return cells, found


def _place(path, places):
    """The parts of a path: the codebook's, or a place of it and a new category."""
    if path in places:
        return places[path]
    head, mark, new = path.rpartition(NEW)
    if not mark or not new.strip() or (head and not head.endswith("/")):
        return None
    below = {known.rpartition("/")[0]: parts for known, parts in places.items()}
    parts = below.get(head.rstrip("/"))
    if parts is None:
        return None
    if len(parts) == 2:  # a topic, or a sub-topic below one
        return (parts[0], f"{NEW}{new}") if head else (f"{NEW}{new}", "")
    return None if not head else (*parts[:2], f"{NEW}{new}")


def _address(item):
    try:
        return thread_url(item)
    except ValueError:
        return ""
