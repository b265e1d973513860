"""What the report opens and closes: stages, symptoms and fix patterns; topics of questions."""

import re

from study.base.words import JOIN
from study.measure.collection import subtopics
from study.measure.collection import topics as count_topics
from study.measure.fixes import frequent
from study.measure.fixes import patterns as one_row_a_pattern
from study.measure.symptoms import PATH, taxonomy
from study.read.codebook import OF_FAULTS

LEVELS = {"narrow": "system-level in every reading", "middle": "system-level in the middle "
          "and the broad reading", "broad": "system-level in the broad reading only",
          "no": "not system-level in any reading"}


def anchor(*names):
    """A name for a place in the page, made of labels.

    Examples
    --------
    >>> anchor("s", "training & evaluation", "", "hang")
    's-training-evaluation--hang'
    """
    return "-".join(re.sub(r"[^\w]+", "-", name).strip("-") for name in names)


def _entry(codebook, facet, name):
    """Title, definition and decision of a label; blanks where the codebook has none."""
    for entry in codebook.entries[facet]:
        if entry.name == name:
            return {"name": name, "definition": entry.definition, "decision": entry.decision}
    return {"name": name, "definition": "", "decision": ""}


def stages(study, threads=None):
    """Stages, with their groups, symptoms and fix patterns.

    Parameters
    ----------
    study : Study
    threads : pandas.DataFrame, optional
        Issues row by row, as ``report.read_threads`` returns them.

    Returns
    -------
    list of dict
        A stage has name, definition, decision, id, n, share, specific, specific_share and
        groups; a group name (blank where the stage has none), definition, decision, n and
        symptoms; a symptom what a stage has, and fixes: name, id, n, share, threads.
    """
    tree = []
    by_path = taxonomy(study.faults, "symptom", study.codebook)
    issues = _faults_by_cell(threads)
    for stage in taxonomy(study.faults, "stage", study.codebook).to_dict("records"):
        own, groups = by_path[by_path["stage"] == stage["stage"]], []
        for group, rows in own.groupby("group", sort=True):
            groups.append({**_entry(study.codebook, "group", group), "n": int(rows["n"].sum()),
                           "symptoms": [_symptom(study, r, issues)
                                        for r in rows.to_dict("records")]})
        tree.append({**_entry(study.codebook, "stage", stage["stage"]), **_numbers(stage),
                     "id": anchor("stage", stage["stage"]), "groups": groups})
    return tree


def _numbers(record):
    return {k: record[k] for k in ("n", "share", "specific", "specific_share")}


def _symptom(study, record, issues):
    place = [record[c] for c in PATH]
    faults = study.faults[(study.faults[PATH] == place).all(axis=1)]
    fixes = [{"name": name, "id": anchor("fix", name), "n": int(n), "share": n / record["n"],
              "threads": issues.get((*place, name), [])}
             for name, n in frequent(faults).items()]
    return {**_entry(study.codebook, "symptom", record["symptom"]), **_numbers(record),
            "id": anchor("symptom", *place), "fixes": fixes}


def _faults_by_cell(threads):
    cells = {}
    if threads is None:
        return cells
    for row in threads.to_dict("records"):
        if any(row.get(c) for c in OF_FAULTS if c in row):
            for name in row["fix_patterns"].split(JOIN):
                cells.setdefault((*(row[c] for c in PATH), name), []).append(row["thread"])
    return {cell: sorted(keys, key=_natural) for cell, keys in cells.items()}


def _natural(key):
    """Sorts #9 before #10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", key)]


def topics(study, threads=None):
    """Topics of how-to questions, with their sub-topics.

    Parameters
    ----------
    study : Study
    threads : pandas.DataFrame, optional

    Returns
    -------
    list of dict
        A topic has name, definition, decision, id, n, share and subtopics: name (``(none)``
        where a question has none), definition, n, share, threads.
    """
    if study.questions.empty:
        return []
    tree, issues = [], {}
    for row in ([] if threads is None else threads.to_dict("records")):
        if row["topic"]:
            issues.setdefault((row["topic"], row["subtopic"] or "(none)"), []).append(row["thread"])
    for record in count_topics(study.questions).to_dict("records"):
        name = record["topic"]
        own = [{**_entry(study.codebook, "subtopic", r["subtopic"]), "n": r["n"],
                "share": r["share"],
                "threads": sorted(issues.get((name, r["subtopic"]), []), key=_natural)}
               for r in subtopics(study.questions, name).to_dict("records")]
        tree.append({**_entry(study.codebook, "topic", name), "id": anchor("topic", name),
                     "n": record["n"], "share": record["share"], "subtopics": own})
    return tree


def patterns(study):
    """Fix patterns, with the symptoms they mend.

    Parameters
    ----------
    study : Study

    Returns
    -------
    list of dict
        name, definition, decision, id, n, share (of all faults), level (from which reading on
        it is system-level, in words), symptoms: name, stage, id, n; most frequent first.
    """
    apart = one_row_a_pattern(study.faults)
    total, found = int(study.faults["n"].sum()), []
    levels = {e.name: e.system_level for e in study.codebook.entries["fix_pattern"]}
    for name, n in frequent(study.faults).items():
        own = apart[apart["fix_pattern"] == name].groupby(PATH)["n"].sum()
        places = sorted(own.items(), key=lambda item: (-item[1], item[0]))
        found.append({**_entry(study.codebook, "fix_pattern", name), "id": anchor("fix", name),
                      "n": int(n), "share": n / total,
                      "level": LEVELS.get(levels.get(name) or "no", ""),
                      "symptoms": [{"name": place[2], "stage": place[0], "n": int(m),
                                    "id": anchor("symptom", *place)} for place, m in places]})
    return found
