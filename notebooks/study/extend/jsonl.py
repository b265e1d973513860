"""JSON lines for doccano, Argilla and Prodigy: tasks out, labels in."""

import json
import re
from datetime import datetime

from study.base.errors import StudyError
from study.base.words import JOIN
from study.extend.records import Place, parsed, sheet_of
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
        JSON lines, or one JSON array of the same records: tools write both.

    Returns
    -------
    dict of str to Sheet
        By annotator; ``""`` where the file does not say who (doccano: a file a user).
    """
    raters = {}
    for place, record in _records(path.name, text):
        say = Place(path.name, place)
        for who, item, issues, day in _of_record(record, say):
            raters.setdefault(who, []).append((item, issues, day))
    if not raters:
        raise StudyError(f"{path.name}: no record with labels in it; export it again")
    return {who: sheet_of(path.name, f"annotator {who}" if who else "", records)
            for who, records in raters.items()}


def _records(name, text):
    """Place and record; lines end at LF only, as texts may hold every other line end."""
    if text.lstrip().startswith("["):
        yield from ((f"record {n}", r) for n, r in enumerate(parsed(text, name), 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"line {number}", parsed(line, f"{name}: line {number}")


def _of_record(record, say):
    say.kind(record, dict, "the record")
    if "responses" in record:
        yield from _of_argilla(record, say)
    elif "accept" in record or "answer" in record or "options" in record:
        given = say.kind(record.get("answer", "accept"), str, "answer")
        labels = say.texts(record.get("accept", []), "accept") if given == "accept" else []
        notes = re.split(r"\n(?=#\d+ )", say.text(record.get("note"), "note"))
        issues = _unflat(labels, [n for n in notes if n], say)
        yield (say.text(record.get("_annotator_id"), "_annotator_id"), say.item(record),
               issues, say.day(record.get("_timestamp"), "_timestamp"))
    elif "label" in record or "labels" in record:
        labels = say.texts(record.get("label", record.get("labels")), "label")
        notes = say.texts(record.get("Comments") or record.get("comments"), "Comments")
        yield "", say.item(record), _unflat(labels, notes, say), say.text(
            record.get("decided_at"), "decided_at")
    else:
        say.fault("neither \"label\" (doccano), \"responses\" (Argilla) nor \"answer\" "
                  "(Prodigy) is there")


def _unflat(labels, notes, say):
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
        cells = issues.setdefault(number, {})
        cells["note"] = f"{cells['note']} {text}" if "note" in cells else text
    return say.in_order(issues)


def _numbered(text):
    head, _, rest = text.partition(" ")
    if re.fullmatch("#[1-9][0-9]?", head):
        return int(head[1:]), rest
    return 1, text


def _of_argilla(record, say):
    raters = {}
    meta = say.kind(record.get("metadata"), dict, "metadata")
    day = say.text(meta.get("decided_at"), "decided_at")
    for name, answers in say.kind(record["responses"], dict, "responses").items():
        question, number = name, "1"
        if found := re.fullmatch(r"(.+)_([1-9]\d?)", name):
            question, number = found.groups()
        if question not in (*FACETS, "note"):
            say.fault(f"a question {name!r} that was not handed out; remove it from the export")
        for answer in say.kind(answers or [], list, name):
            say.kind(answer, dict, name)
            if answer.get("status", "submitted") != "submitted":
                continue
            value = "; ".join(say.texts(answer.get("value"), name))
            cells = raters.setdefault(say.text(answer.get("user_id"), "user_id"), {}).setdefault(
                int(number), {})
            cells[question] = f"{cells[question]}; {value}" if question in cells else value
    for who, issues in raters.items():
        yield who, say.item(record), say.in_order(issues), day
