"""What a model rater is told and has to answer: whole paths of the codebook, one JSON line."""

import json
import re

from study.read.codebook import UNDECIDED
from study.read.form import NEW, NOT_RELEVANT, offered

KEYS = ("item", "issue", "issue_type", "distributed_specific", "symptom", "topic",
        "fix_patterns", "confidence", "read", "note")
CONFIDENCE = ("high", "medium", "low")
READ = ("whole thread", "part of the thread", "title only", "nothing")
CELL = 32_000  # characters of a note: what a cell of a workbook holds

_HEADS = {"issue_type": "Issue type", "distributed_specific": "Distributed-specific (faults only)",
          "stage": "Stages of faults", "group": "Symptom groups of the last stage",
          "symptom": "Symptoms (faults only): stage, group where there is one, symptom",
          "topic": "Topics of how-to questions, with sub-topic where there is one",
          "fix_pattern": "Fix patterns (faults only)"}
_RULES = """\
Judge from what you read of the thread alone. Do not look for the labels of the study or of any
other rater, and do not speak about a thread with anybody before all answers are handed in.

1. `issue_type`: fault where something fails and a repair is looked for; how-to question where
   nothing failed and knowledge, advice or a feature is asked for; not relevant where the thread
   is not about distributed training, or is no issue at all; undecided where you cannot tell.
2. A fault gets `distributed_specific` ("1" or "0"), `symptom` (a whole path: stage, group where the
   stage has groups, symptom; what is seen first, not its cause) and `fix_patterns` (what mended it,
   or what the answers say would; often one, sometimes several; ["undecided"] where nothing is
   said of a repair). `topic` is null.
3. A how-to question gets `topic` (a topic, or topic/sub-topic); `distributed_specific`, `symptom`
   and `fix_patterns` are null.
4. Where the thread is not relevant or the issue type undecided, all four are null.
5. Where you cannot decide, answer undecided, also for a part of a path: a stage and then
   undecided is `communication setup/undecided`. Do not guess.
6. Where the codebook lacks a category, write new: and a short name in its place
   (`training & evaluation/program failure/new: NAME`, or `new: NAME` as fix pattern or topic), and
   say in the note what it means. Use this only where no category fits.
7. A thread with two separate issues gets two lines, `issue` 1 and 2. This is rare.
8. `confidence`: high, medium or low, in the answer as a whole.
9. `read`: whole thread, part of the thread, title only, or nothing (then the type is undecided).
10. `note`: one or two sentences that say why, in your own words; no names of persons and no copied
    text."""


def symptom_paths(codebook):
    """Every place a symptom may stand, by its whole path.

    Parameters
    ----------
    codebook : Codebook

    Returns
    -------
    dict of str to tuple of str
        Path → stage, group (``""`` where the stage has none), symptom; besides the codebook's,
        those that leave the symptom or the group undecided.

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> symptom_paths(load_codebook())["training & evaluation/unexpected performance/hang"]
    ('training & evaluation', 'unexpected performance', 'hang')
    """
    made = {}
    for place, (stage, group) in _places(codebook).items():
        for entry in codebook.entries["symptom"]:
            if entry.status == "final" and place in entry.parents:
                made[f"{place}/{entry.name}"] = stage, group, entry.name
    made |= {f"{place}/{UNDECIDED}": (stage, group, UNDECIDED)
             for place, (stage, group) in _places(codebook).items()}
    made |= {f"{stage}/{UNDECIDED}": (stage, UNDECIDED, UNDECIDED)
             for stage in codebook.names("stage", final_only=True) if codebook.has_group(stage)}
    return made | {UNDECIDED: (UNDECIDED, UNDECIDED, UNDECIDED)}


def _places(codebook):
    """Place → stage and group, for each stage without groups and each group of the others."""
    made = {}
    for stage in codebook.names("stage", final_only=True):
        groups = [g.name for g in codebook.entries["group"]
                  if g.status == "final" and stage in g.parents]
        made |= {f"{stage}/{g}": (stage, g) for g in groups} if groups else {stage: (stage, "")}
    return made


def topic_paths(codebook):
    """Every topic, and every sub-topic below its topic.

    Parameters
    ----------
    codebook : Codebook

    Returns
    -------
    dict of str to tuple of str
        Path → topic, sub-topic (``""`` where there is none).

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> topic_paths(load_codebook())["parallelization/data parallelism"]
    ('parallelization', 'data parallelism')
    """
    made = {}
    for topic in codebook.names("topic", final_only=True):
        if not codebook.needs_subtopic(topic):
            made[topic] = topic, ""
        below = [e.name for e in codebook.entries["subtopic"]
                 if e.status == "final" and topic in e.parents]
        made |= {f"{topic}/{name}": (topic, name) for name in below}
        if codebook.needs_subtopic(topic):
            made[f"{topic}/{UNDECIDED}"] = topic, UNDECIDED
    return made | {UNDECIDED: (UNDECIDED, "")}


def schema(codebook):
    """JSON schema of one answer: enumerations of whole paths.

    Parameters
    ----------
    codebook : Codebook

    Returns
    -------
    dict

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> schema(load_codebook())["properties"]["issue_type"]["enum"][:2]
    ['fault', 'how-to question']
    """
    def known(names, places=()):
        below = "|".join(re.escape(p) for p in places)
        new = f"^({below})/{NEW} .+$" if below else f"^(.+/)?{NEW} .+$"
        return {"anyOf": [{"enum": [*names]}, {"type": "string", "pattern": new}]}

    def or_null(one):
        return {"anyOf": [*one["anyOf"], {"type": "null"}]}

    fixes = known(offered(codebook, "fix_pattern"))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"answer of a model rater, codebook version {codebook.version}",
        "type": "object", "additionalProperties": False, "required": list(KEYS),
        "properties": {
            "item": {"type": "string", "description": "copied from the task"},
            "issue": {"type": "integer", "minimum": 1},
            "issue_type": {"enum": offered(codebook, "issue_type")},
            "distributed_specific": {"enum": [*offered(codebook, "distributed_specific"), None]},
            "symptom": or_null(known(symptom_paths(codebook), _places(codebook))),
            "topic": or_null(known(topic_paths(codebook))),
            "fix_patterns": {"anyOf": [{"type": "array", "minItems": 1, "uniqueItems": True,
                                        "items": fixes}, {"type": "null"}]},
            "confidence": {"enum": [*CONFIDENCE]}, "read": {"enum": [*READ]},
            "note": {"type": "string", "maxLength": CELL}}}


def brief(codebook):
    """What a model rater is told, self-contained: rules, categories, form of the answer.

    Parameters
    ----------
    codebook : Codebook

    Returns
    -------
    str
        Markdown. The threads that the codebook names as examples are left out: they would tell
        the people's labels.

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> "gh:horovod" in brief(load_codebook())
    False
    """
    lines = [f"# Codebook for a model rater, version {codebook.version}", "", _RULES, ""]
    for facet in ("issue_type", "distributed_specific", "stage", "group"):
        lines += [f"## {_HEADS[facet]}", "", *(_line(facet, e.name, e)
                                               for e in _final(codebook, facet)), ""]
    lines += [f"- {NOT_RELEVANT} (as issue type) and {UNDECIDED}: see the rules.", ""]
    lines += [f"## {_HEADS['symptom']}", ""]
    for path, (_, _, name) in symptom_paths(codebook).items():
        lines.append(f"- `{path}`" if name == UNDECIDED
                     else _line("symptom", path, codebook.entry("symptom", name)))
    lines += ["", f"## {_HEADS['topic']}", ""]
    for topic in _final(codebook, "topic"):
        below = {path: name for path, (own, name) in topic_paths(codebook).items()
                 if own == topic.name and name}
        if not codebook.needs_subtopic(topic.name):
            lines.append(_line("topic", topic.name, topic))
        else:
            lines.append(f"- {topic.name} (always with a sub-topic): {topic.definition} "
                         f"{topic.decision}")
        lines += [f"  - `{path}`" if name == UNDECIDED
                  else f"  {_line('subtopic', path, codebook.entry('subtopic', name))}"
                  for path, name in below.items()]
    lines += [f"- `{UNDECIDED}`", "", f"## {_HEADS['fix_pattern']}", "",
              *(_line("fix_pattern", e.name, e) for e in _final(codebook, "fix_pattern")),
              f"- `{UNDECIDED}`", "", "## The answer", "", _ANSWER + "\n".join(
                  "    " + json.dumps(dict(zip(KEYS, e, strict=True))) for e in _EXAMPLES), ""]
    return "\n".join(lines)


def _final(codebook, facet):
    return [e for e in codebook.entries[facet] if e.status == "final"]


def _line(facet, path, entry):
    title = f" ({entry.title})" if facet == "distributed_specific" else ""
    return f"- `{path}`{title}: {entry.definition} {entry.decision}".rstrip()


_ANSWER = """\
One line of JSON an issue, with all ten keys, in a file of JSON lines (UTF-8); a key that does not
apply is null. `item` is copied from the task. Labels are copied letter by letter from the lists
above. The examples are synthetic:

"""
_EXAMPLES = (
    ("gh:example/moelib#0", 1, "fault", "1", "communication setup/setup failure", None,
     ["fix network setting", "fix command line"], "medium", "whole thread",
     "Synthetic: the second node cannot reach the first; the launch command had a wrong address."),
    ("so:0", 1, "how-to question", None, None, "parallelization/data parallelism", None, "high",
     "part of the thread", "Synthetic: asks how batches are divided among devices."),
    ("so:1", 1, "undecided", None, None, None, None, "low", "nothing",
     "Synthetic: the thread was not found."))
