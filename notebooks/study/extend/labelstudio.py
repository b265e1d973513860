"""Label Studio: tasks, labelling configuration, and its JSON and JSON-MIN exports."""

import json
import re
from xml.sax.saxutils import quoteattr

from study.base.errors import StudyError
from study.base.words import JOIN
from study.extend.records import Place, sheet_of
from study.read.codebook import FAULT, QUESTION, UNDECIDED
from study.read.form import NEW, TITLES, is_new, offered

ISSUES = 3  # blocks of questions; more issues in one thread than that are rare
PLAIN = ("issue_type", "topic", "subtopic", "distributed_specific", "fix_pattern")
PATH = ("stage", "group", "symptom")
# Controls of the configuration below, in any block; and what JSON-MIN puts beside them.
OURS = re.compile(f"({'|'.join((*PLAIN, 'where', 'note', 'new', 'more'))})(?:_([1-9]\\d?))?")
MIN_OWN = {"item", "source", "link", "title", "text", "resolution", "id", "annotator",
           "annotation_id", "created_at", "updated_at", "lead_time"}


def tasks_json(tasks, filled=None):
    """Tasks to import, or, filled in, the same as Label Studio exports them.

    Parameters
    ----------
    tasks : list of Task
    filled : dict of int to dict, optional
        Annotator's number → answers, as ``canonical.answers`` returns them.

    Returns
    -------
    str
    """
    made = []
    for number, task in enumerate(tasks, 1):
        data = {"item": task.thread, "source": task.source, "link": task.url, "title": task.title,
                "text": task.excerpt, "resolution": task.resolution}
        entry = {"id": number, "data": data}
        if filled is not None:
            entry["annotations"] = [_annotation(who, answers[task.thread])
                                    for who, answers in sorted(filled.items())
                                    if task.thread in answers]
        made.append(entry)
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _annotation(who, issues):
    result = []
    for n, issue in enumerate(issues, 1):
        for name, (kind, value) in _fields(issue).items():
            result.append({"from_name": _block(name, n), "to_name": "text", "type": kind,
                           "value": {"text" if kind == "textarea" else kind: value}})
    day = issues[0].get("decided_at")
    times = {"updated_at": f"{day}T12:00:00.000000Z"} if day else {}
    return {"completed_by": who, "was_cancelled": False, "result": result, **times}


def _fields(issue):
    """An issue's answers as the configuration below asks for them."""
    fields, new = {}, []
    for name in PLAIN:
        labels = [v for v in issue.get(name, "").split(JOIN) if v]
        new += [f"{name}: {v.removeprefix(NEW).strip()}" for v in labels if is_new(v)]
        if plain := [v for v in labels if not is_new(v)]:
            fields[name] = ("choices", plain)
    path = [issue.get(name, "") for name in PATH]
    new += [f"{n}: {v.removeprefix(NEW).strip()}" for n, v in zip(PATH, path, strict=True)
            if is_new(v)]
    path = [v for v in path if v and not is_new(v)]
    if path:
        fields["where"] = ("taxonomy", [path])
    if new:
        fields["new"] = ("textarea", new)
    if issue.get("note"):
        fields["note"] = ("textarea", [issue["note"]])
    return fields


def _block(name, number):
    return name if number == 1 else f"{name}_{number}"


def config(codebook):
    """The labelling configuration: questions that follow the issue type, one block an issue.

    Parameters
    ----------
    codebook : Codebook

    Returns
    -------
    str
        XML.
    """
    lines = ["<View>", '  <Header value="$title"/>', '  <Text name="text" value="$text"/>',
             '  <Header value="Answer or closing comment" size="5"/>',
             '  <Text name="answer" value="$resolution"/>',
             '  <HyperText name="address" value="$link" inline="true"/>']
    for n in range(1, ISSUES + 1):
        shown = "" if n == 1 else (' visibleWhen="choice-selected" whenTagName='
                                   f'"{_block("more", n - 1)}"')
        lines.append(f"  <View{shown}>")
        lines += [f"    {line}" for line in _questions(codebook, n)]
        lines.append("  </View>")
    return "\n".join([*lines, "</View>"]) + "\n"


def _questions(codebook, n):
    def choices(name, labels, more=""):
        yield f'<Choices name="{_block(name, n)}" toName="text"{more}>'
        yield from (f"  <Choice value={quoteattr(label)}/>" for label in labels)
        yield "</Choices>"

    def only(kind, inner):
        yield (f'<View visibleWhen="choice-selected" whenTagName="{_block("issue_type", n)}" '
               f"whenChoiceValue={quoteattr(kind)}>")
        yield from (f"  {line}" for line in inner)
        yield "</View>"

    must = ' required="true"' if n == 1 else ""
    yield f'<Header value="Issue {n}" size="5"/>'
    yield from choices("issue_type", offered(codebook, "issue_type"),
                       f' choice="single" showInline="true"{must}')
    yield from only(QUESTION, [
        *choices("topic", offered(codebook, "topic"), ' choice="single"'),
        *choices("subtopic", offered(codebook, "subtopic"), ' choice="single" layout="select"')])
    yield from only(FAULT, [
        *choices("distributed_specific", offered(codebook, "distributed_specific"),
                 ' choice="single" showInline="true"'),
        f'<Taxonomy name="{_block("where", n)}" toName="text" maxUsages="1" leafsOnly="true">',
        *(f"  {line}" for line in _tree(codebook)), "</Taxonomy>",
        *choices("fix_pattern", offered(codebook, "fix_pattern"),
                 ' choice="multiple" layout="select"')])
    for name, hint in (("note", "Note"), ("new", "A category the codebook lacks, written as "
                                                 "symptom: name")):
        yield (f'<TextArea name="{_block(name, n)}" toName="text" '
               f'placeholder={quoteattr(hint)} maxSubmissions="{1 if name == "note" else 8}"/>')
    if n < ISSUES:
        yield from choices("more", ["another issue in this thread"], ' choice="multiple"')


def _tree(codebook):
    """Stage, group, symptom as nested choices; undecided at every level."""
    def symptoms(parent):
        return [e.name for e in codebook.entries["symptom"]
                if parent in e.parents and e.status == "final"]

    def choice(label, inner=()):
        if not inner:
            return [f"<Choice value={quoteattr(label)}/>"]
        return [f"<Choice value={quoteattr(label)}>", *(f"  {x}" for x in inner), "</Choice>"]

    for stage in codebook.names("stage", final_only=True):
        inner = []
        for group in codebook.entries["group"]:
            if stage in group.parents and group.status == "final":
                leaves = [*symptoms(f"{stage}/{group.name}"), UNDECIDED]
                inner += choice(group.name, [x for s in leaves for x in choice(s)])
        inner += [x for s in [*symptoms(stage), UNDECIDED] for x in choice(s)]
        yield from choice(stage, inner)
    yield from choice(UNDECIDED)


def read(path, content, codebook):
    """Sheets of an export, one a rater.

    Parameters
    ----------
    path : pathlib.Path
        Of the file, for messages.
    content : list
        The parsed JSON or JSON-MIN.
    codebook : Codebook

    Returns
    -------
    dict of str to Sheet
        By the annotator's number (or name) as the export has it.
    """
    raters, ignored = {}, set()
    for number, task in enumerate(content, 1):
        say = Place(path.name, f"task {number}")
        say.kind(task, dict, "the task")
        if "annotations" not in task and "annotator" not in task:
            say.fault("no annotation; export the project as JSON or JSON-MIN")
        for who, fields, day in (_of_json(task, say, ignored) if "annotations" in task else
                                 _of_min(task, say, ignored)):
            raters.setdefault(who, []).append((say.item(task), _issues(fields, codebook, say),
                                               day))
    if not raters:
        raise StudyError(f"{path.name}: no annotation in it; export the project again, with "
                         "the annotated tasks")
    return {who: sheet_of(path.name, f"annotator {who}", records, sorted(ignored))
            for who, records in raters.items()}


def _of_json(task, say, ignored):
    for note in say.kind(task["annotations"], list, "annotations"):
        say.kind(note, dict, "an annotation")
        who = note.get("completed_by")
        who = say.text(who.get("id") if isinstance(who, dict) else who, "completed_by")
        if note.get("was_cancelled"):
            yield who, {}, ""
            continue
        fields = {}
        for result in say.kind(note.get("result"), list, "result"):
            name = say.kind(result, dict, "a result").get("from_name")
            if not isinstance(name, str) or not OURS.fullmatch(name):
                ignored.add(str(name or result.get("type")))
                continue
            fields.setdefault(name, []).extend(_values(result.get("value"), name, say))
        yield who, fields, say.text(note.get("updated_at") or note.get("created_at"),
                                    "updated_at")[:10]


def _of_min(task, say, ignored):
    fields = {}
    for name, value in task.items():
        if OURS.fullmatch(name):
            fields[name] = _values(value, name, say)
        elif name not in MIN_OWN:
            ignored.add(name)
    yield (say.text(task["annotator"], "annotator"), fields,
           say.text(task.get("updated_at"), "updated_at")[:10])


def _values(value, name, say):
    """Choices, texts or paths of a control, in every form that the exports give them."""
    if isinstance(value, dict):
        kind = next((k for k in ("choices", "taxonomy", "text") if k in value), None)
        if kind is None:
            say.fault(f"{name} has no value; export the project again as JSON")
        return _values(value[kind], name, say)
    if name.startswith("where"):
        values = say.kind(value, list, name)
        if values and isinstance(values[0], dict):
            return [p for v in values for p in _values(say.kind(v, dict, name), name, say)]
        paths = [values] if values and isinstance(values[0], str) else values
        if not all(isinstance(p, list) and 0 < len(p) < 4 for p in paths):
            say.fault(f"{name} is no path of stage, group and symptom; export it again")
        return [say.texts(path, name) for path in paths]
    return say.texts(value, name)


def _issues(fields, codebook, say):
    """Issues of one annotation: a dict of cells each."""
    blocks = {}
    for name, values in fields.items():
        question, number = OURS.fullmatch(name).groups()
        if question != "more":
            blocks.setdefault(int(number or 1), {})[question] = [v for v in values if v]
    blocks.setdefault(1, {})
    return [_cells(fields, codebook) for fields in say.in_order(blocks)]


def _cells(fields, codebook):
    cells = {name: "; ".join(fields[name]) for name in PLAIN if fields.get(name)}
    for path in fields.get("where", []):
        for facet, label in _where(path, codebook).items():
            # A second path shows as two labels in one cell, which the check refuses.
            cells[facet] = f"{cells[facet]}; {label}" if facet in cells else label
    for text in fields.get("new", []):
        facet, _, name = text.partition(":")
        facet = facet.strip() if facet.strip() in TITLES else "symptom"
        own = f"{NEW} {name.strip() or text.strip()}"
        cells[facet] = f"{cells[facet]}; {own}" if cells.get(facet) else own
    if fields.get("note"):
        cells["note"] = " ".join(fields["note"])
    return cells


def _where(path, codebook):
    """Stage, group and symptom of a path in the tree."""
    stage, rest = path[0], list(path[1:])
    if codebook.has_group(stage) or len(rest) == 2:
        group = rest[0] if rest else ""
        symptom = rest[1] if len(rest) > 1 else UNDECIDED if group == UNDECIDED else ""
        return {"stage": stage, "group": group, "symptom": symptom}
    symptom = rest[0] if rest else UNDECIDED if stage == UNDECIDED else ""
    return {"stage": stage, "symptom": symptom}
