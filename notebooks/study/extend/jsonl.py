"""JSON lines for doccano, Argilla and Prodigy: tasks out, labels in."""

import json
import re
from datetime import UTC, datetime

from study.base.errors import StudyError
from study.base.words import JOIN
from study.extend.records import sheet_of
from study.read.codebook import FACETS
from study.read.form import TITLES, offered

SHAPES = ("doccano", "argilla", "prodigy")
_MARK = "#{} "  # before the labels of a second issue, in tools that know a flat list only


def lines(tasks, shape, codebook=None, filled=None, rater="R1"):
    """Tasks as JSON lines in the shape of a tool; filled in, as that tool exports them.

    Parameters
    ----------
    tasks : list of Task
    shape : {"doccano", "argilla", "prodigy"}
    codebook : Codebook, optional
        Prodigy's options come from it.
    filled : dict, optional
        As ``canonical.answers`` returns it.
    rater : str

    Returns
    -------
    str
    """
    if shape not in SHAPES:
        raise StudyError(f"no form {shape!r}; use {', '.join(SHAPES)}")
    made = []
    for number, task in enumerate(tasks, 1):
        issues = (filled or {}).get(task.thread)
        text = "\n\n".join(t for t in (task.title, task.excerpt, task.resolution) if t)
        meta = {"item": task.thread, "source": task.source, "link": task.url}
        if shape == "doccano":
            record = {"id": number, "text": text, "label": _flat(issues), **meta,
                      "Comments": _notes(issues), "decided_at": _day(issues)}
        elif shape == "prodigy":
            record = {"text": text, "meta": meta, "options": _options(codebook)}
            if issues is not None:
                record |= {"accept": _flat(issues), "answer": "accept", "_annotator_id": rater,
                           "note": "\n".join(_notes(issues))}
                if _day(issues):
                    day = datetime.fromisoformat(_day(issues) + "T12:00:00+00:00")
                    record["_timestamp"] = int(day.timestamp())
        else:
            record = {"fields": {"text": text}, "metadata": {**meta, "decided_at": _day(issues)},
                      "responses": _responses(issues, rater)}
        made.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(made)


def _options(codebook):
    return [{"id": f"{f}: {label}", "text": f"{TITLES[f]}: {label}"}
            for f in FACETS for label in offered(codebook, f)] if codebook else []


def _flat(issues):
    """Labels of all issues in one list: ``symptom: hang``, ``#2 symptom: hang``."""
    return [f"{_MARK.format(n) if n > 1 else ''}{f}: {label}"
            for n, issue in enumerate(issues or [], 1) for f in FACETS
            for label in issue.get(f, "").split(JOIN) if label]


def _notes(issues):
    return [f"{_MARK.format(n) if n > 1 else ''}{issue['note']}"
            for n, issue in enumerate(issues or [], 1) if issue.get("note")]


def _day(issues):
    return issues[0].get("decided_at", "") if issues else ""


def _responses(issues, rater):
    made = {}
    for n, issue in enumerate(issues or [], 1):
        for name in (*FACETS, "note"):
            if value := issue.get(name):
                value = value.split(JOIN) if name == "fix_pattern" else value
                made[name if n == 1 else f"{name}_{n}"] = [{"value": value, "user_id": rater,
                                                            "status": "submitted"}]
    return made


def read(path, text):
    """Sheets of an export, one a rater.

    Parameters
    ----------
    path : pathlib.Path
        Of the file, for messages.
    text : str

    Returns
    -------
    dict of str to Sheet
        By annotator; ``""`` where the file does not say who (doccano: a file a user).
    """
    raters = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            found = list(_of_record(record))
        except ValueError as error:
            raise StudyError(f"{path.name}, line {number}: no JSON ({error}); export it again"
                             ) from None
        except (AttributeError, KeyError, TypeError) as error:
            raise StudyError(f"{path.name}, line {number}: not in the shape of doccano, Argilla "
                             f"or Prodigy ({error!r}); export it again") from None
        for who, item, issues, day in found:
            raters.setdefault(who, []).append((item, issues, day))
    return {who: sheet_of(path.name, f"annotator {who}" if who else "", records)
            for who, records in raters.items()}


def _of_record(record):
    if "responses" in record:
        yield from _of_argilla(record)
    elif "accept" in record or "answer" in record or "options" in record:
        labels = record.get("accept", []) if record.get("answer", "accept") == "accept" else []
        notes = re.split(r"\n(?=#\d+ )", record.get("note", ""))
        issues = _unflat(labels, [n for n in notes if n])
        day = record.get("_timestamp")
        day = datetime.fromtimestamp(day, UTC).date().isoformat() if day else ""
        yield str(record.get("_annotator_id", "")), record["meta"]["item"], issues, day
    else:
        labels = record.get("label", record.get("labels"))
        issues = _unflat(labels, record.get("Comments") or record.get("comments") or [])
        yield "", record.get("item") or record["meta"]["item"], issues, record.get(
            "decided_at") or ""


def _unflat(labels, notes):
    """Issues of a flat list of labels; the inverse of the writer's."""
    issues = {1: {}}
    for text in labels:
        number, text = _numbered(text)
        facet, mark, label = text.partition(":")
        facet = facet.strip() if mark and facet.strip() in FACETS else "issue_type"
        cells = issues.setdefault(number, {})
        value = label.strip() if mark else text.strip()
        cells[facet] = f"{cells[facet]}; {value}" if facet in cells else value
    for text in notes:
        number, text = _numbered(text)
        issues.setdefault(number, {})["note"] = text
    return [issues[n] for n in sorted(issues)]


def _numbered(text):
    head, _, rest = text.partition(" ")
    if head.startswith("#") and head[1:].isdigit():
        return int(head[1:]), rest
    return 1, text


def _of_argilla(record):
    raters = {}
    for name, answers in record["responses"].items():
        name, _, number = name.rpartition("_") if name.rpartition("_")[2].isdigit() else (
            name, "", "1")
        for answer in answers or []:
            if answer.get("status", "submitted") != "submitted":
                continue
            value = answer["value"]
            value = "; ".join(value) if isinstance(value, list) else str(value)
            raters.setdefault(str(answer.get("user_id", "")), {}).setdefault(
                int(number), {})[name] = value
    for who, issues in raters.items():
        yield (who, record["metadata"]["item"], [issues[n] for n in sorted(issues)],
               record["metadata"].get("decided_at") or "")
