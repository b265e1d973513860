"""Two readings of one row of labels: as filed, and repaired by named rules.

*As filed* takes blanks and case out, tells a blank (missing) from the raters' word for
undecided, and does nothing else. Each *repair rule* below mends one kind of slip, only
where the result is unambiguous, and is counted wherever it fires.
"""

from study.base.words import JOIN, fold
from study.read.codebook import FACETS, FAULT, OF_FAULTS, OF_QUESTIONS, QUESTION, UNDECIDED

RULES = {
    "title": "a column title in place of a value is taken as blank",
    "shift": "values one column too far left or right are put back",
    "alias": "another spelling of a label is read as the label",
    "rename": "an earlier name is read as the one that replaced it, or that it was merged into",
    "split": "several fix patterns in one cell are read as several",
    "issue type": "an empty issue type is filled in where the other columns decide it",
    "inapplicable": "a label of the other issue type is left out",
}
_SHIFTED = ("group", "symptom", "fix_pattern")


def as_filed(cells, codebook):
    """Labels of one row with nothing repaired.

    Parameters
    ----------
    cells : dict of str to str
        Raw text by facet.
    codebook : Codebook

    Returns
    -------
    dict of str to str
        The codebook's name where the text is one but for case and blanks, else the
        folded text; ``""`` for a blank; ``"undecided"``.

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> as_filed({"symptom": " Hang  & Timeout"}, load_codebook())["symptom"]
    'hang & timeout'
    """
    return {facet: _name(facet, cells.get(facet, ""), codebook) for facet in FACETS}


def _name(facet, text, codebook):
    folded = fold(text)
    if folded in codebook.undecided:
        return UNDECIDED
    found = codebook.resolve(facet, folded)
    return found[0] if found and found[1] is None else folded


def repair(cells, codebook, titles=(), rules=tuple(RULES)):
    """Labels of one row after the named rules.

    Parameters
    ----------
    cells : dict of str to str
        Raw text by facet, and by ``"memo"`` where the sheet has such a column.
    codebook : Codebook
    titles : collection of str
        Folded column titles of the sheet.
    rules : collection of str
        Which of ``RULES`` may fire; all by default.

    Returns
    -------
    tuple of (dict of str to str, dict of str to list of str)
        Labels by facet (several fix patterns joined with ``;``), and the rules that
        fired by facet. A text no rule explains stays as filed.

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> labels, fired = repair({"symptom": "Hang & Timeout"}, load_codebook())
    >>> labels["symptom"], labels["issue_type"]
    ('hang and timeout', 'fault')
    >>> fired
    {'symptom': ['alias'], 'issue_type': ['issue type']}
    """
    cells, fired = dict(cells), {}
    if "title" in rules:
        for facet in _titles_as_values(cells, titles):
            cells[facet] = ""
            fired.setdefault(facet, []).append("title")
    if "shift" in rules and (moved := _shift(cells, codebook)):
        for facet in _SHIFTED:
            if fold(moved[facet]) != fold(cells.get(facet, "")):
                fired.setdefault(facet, []).append("shift")
        cells.update(moved)
    labels = as_filed(cells, codebook)
    for facet in FACETS:
        labels[facet], used = _spelling(facet, labels[facet], codebook, rules)
        if used:
            fired.setdefault(facet, []).extend(used)
    if "issue type" in rules and not labels["issue_type"] and (kind := _issue_type(labels)):
        labels["issue_type"] = kind
        fired.setdefault("issue_type", []).append("issue type")
    if "inapplicable" in rules:
        for facet in _inapplicable(labels):
            labels[facet] = ""
            fired.setdefault(facet, []).append("inapplicable")
    return labels, fired


def _titles_as_values(cells, titles):
    return [f for f in FACETS if cells.get(f) and fold(cells[f]) in titles]


def _shift(cells, codebook):
    """The fault columns with group, symptom and fix pattern put back, or None.

    A row is out of place where a value is no label of its own column but one of the
    next column or the one before. Three moves exist in hand-filled sheets: a cell was
    left out (values stand one column too far left); the stage was entered twice (they
    stand one too far right and the last one ran into the memo); the symptom was entered
    twice, in the group's column too.
    """
    found = tuple(cells.get(f, "") for f in (*_SHIFTED, "memo"))
    group, symptom, fix, memo = found
    if _fits(found[:3], codebook):
        return None
    moves = []
    if not fix.strip():
        moves.append(("", group, symptom))
    if group.strip() and fold(group) == fold(cells.get("stage", "")):
        moves.append((symptom, fix, memo))
    if group.strip() and fold(group) == fold(symptom):
        moves.append(("", symptom, fix))
    fitting = [m for m in moves if _fits(m, codebook)]
    return dict(zip(_SHIFTED, fitting[0], strict=True)) if len(fitting) == 1 else None


def _fits(values, codebook):
    return all(not v.strip() or codebook.knows(f, v)
               for f, v in zip(_SHIFTED, values, strict=True))


def _spelling(facet, label, codebook, rules):
    """The codebook's name for a label, and the rules it took."""
    if not label or label == UNDECIDED:
        return label, []
    if facet != "fix_pattern":
        found = codebook.resolve(facet, label)
        if found is None or found[1] is None or found[1] not in rules:
            return label, []
        return found[0], [found[1]]
    found = codebook.split(label)
    if found is None:
        return label, []
    names, used = found
    if codebook.resolve(facet, label) is None:
        used = used | {"split"}
    if not used <= set(rules):
        return label, []
    return JOIN.join(sorted(names)), sorted(used)


def _issue_type(labels):
    fault, question = any(labels[f] for f in OF_FAULTS), any(labels[f] for f in OF_QUESTIONS)
    if fault == question:
        return None
    return FAULT if fault else QUESTION


def _inapplicable(labels):
    other = {FAULT: OF_QUESTIONS, QUESTION: OF_FAULTS}.get(labels["issue_type"], ())
    return [f for f in other if labels[f]]


def unknown(labels, codebook):
    """Facets whose label the codebook does not know.

    Parameters
    ----------
    labels : dict of str to str
        As :func:`repair` returns them.
    codebook : Codebook

    Returns
    -------
    list of str
    """
    return [f for f in FACETS for part in labels[f].split(JOIN)
            if part and part != UNDECIDED and codebook.resolve(f, part) is None]
