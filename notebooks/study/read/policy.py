"""How strictly a sheet is read: a declared policy, and what it makes of one row."""

from dataclasses import dataclass

from study.base.words import JOIN, fold
from study.read.codebook import FACETS, TITLES, UNDECIDED
from study.read.form import NOT_RELEVANT, is_new
from study.read.labelwords import UNDECIDED as WORDS
from study.read.labelwords import clean
from study.read.repair import RULES, repair, unknown

# Words people write where they have not decided; a codebook may name more of them.
DOUBT = frozenset(WORDS)
# Words that programs take for a blank. Here they are words, so they must be labels.
BLANK_WORDS = frozenset({"na", "n/a", "nan", "null", "none", "nil", "-", "--", "#n/a"})
SAYS = {
    "alias": "another spelling", "rename": "an earlier name", "split": "several fix patterns",
    "title": "a column title", "shift": "out of place", "issue type": "from the other columns",
    "inapplicable": "left out: a label of the other issue type",
}


@dataclass(frozen=True)
class Policy:
    """What a reader may mend, and what it demands.

    Attributes
    ----------
    rules : tuple of str
        Of ``readings.RULES``: the repairs that may be made; each is logged.
    doubt : frozenset of str
        Words for *undecided*, besides the codebook's.
    extra : bool
        *Not relevant* and ``new: …`` are answers.
    complete : bool
        Every thread of the round must be there with every label that is due.
    decided : bool
        *Undecided* is no answer any more.
    """

    rules: tuple = ("alias", "rename", "split")
    doubt: frozenset = DOUBT
    extra: bool = True
    complete: bool = True
    decided: bool = False


STRICT = Policy()
PARTIAL = Policy(complete=False)  # a sheet that is still being filled in
FINAL = Policy(decided=True)
# The authors' released sheets: every named repair, and their own words only.
AS_RELEASED = Policy(rules=tuple(RULES), doubt=frozenset(), extra=False, complete=False)


def read_cells(cells, codebook, policy, titles=frozenset()):
    """Labels of one row, and what is to be said about each.

    Parameters
    ----------
    cells : dict of str to str
        Raw text by facet.
    codebook : Codebook
    policy : Policy
    titles : frozenset of str
        Folded column titles of the sheet.

    Returns
    -------
    tuple of (dict of str to str, list of (str, str, str, str))
        Labels by facet, ``""`` where blank, several fix patterns joined with ``;``; and
        facet, severity, kind, message of every finding. A text that is no label stays as
        filed, and is an error.

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> labels, found = read_cells({"symptom": "Hang & timeout "}, load_codebook(), STRICT)
    >>> labels["symptom"], found[0][2:]
    ('hang and timeout', ('alias', "read as 'hang and timeout' (another spelling)"))
    """
    labels, fired = repair(prepared(cells, codebook, policy), codebook, titles, policy.rules)
    strange, found = set(unknown(labels, codebook)), []
    for facet in FACETS:
        raw, label = cells.get(facet, ""), labels[facet]
        if not raw.strip() and not label:
            continue
        if policy.extra and facet == "fix_pattern" and JOIN in label:
            label = labels[facet] = JOIN.join(p.strip() for p in label.split(JOIN))
        if policy.extra and facet != "fix_pattern" and JOIN in label:
            found.append((facet, "error", "several",
                          f"several labels; choose one {TITLES[facet]}, or add a row for a "
                          "second issue"))
        elif facet in strange and not (policy.extra and _answer(facet, label, codebook)):
            found.append((facet, "error", *_complaint(facet, raw, label, codebook)))
        else:
            found += [(facet, *f) for f in _changes(facet, raw, label, fired, policy)]
    return labels, found


def prepared(cells, codebook, policy):
    """Cells with the policy's words of doubt replaced, ready for the repair rules.

    Parameters
    ----------
    cells : dict of str to str
    codebook : Codebook
    policy : Policy

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> prepared({"stage": "?"}, load_codebook(), STRICT)
    {'stage': 'undecided'}
    """
    return {f: _prepared(f, text, codebook, policy) for f, text in cells.items()}


def _prepared(facet, text, codebook, policy):
    """The cell with a word of doubt replaced by *undecided*, line ends by separators."""
    if not policy.doubt or facet not in FACETS:
        return text  # as the authors' sheets are read; and a memo is no label
    folded = fold(text)
    if folded in policy.doubt or (folded.endswith("?")
                                  and codebook.resolve(facet, folded.rstrip("? "))):
        return UNDECIDED
    return JOIN.join(text.strip().splitlines()) if facet == "fix_pattern" else text


def _answer(facet, label, codebook):
    """Whether a text the codebook lacks may stand: a proposal, beside known fix patterns too."""
    if facet == "fix_pattern":
        return all(is_new(p) or codebook.resolve(facet, p) for p in label.split(JOIN))
    return is_new(label) or (facet == "issue_type" and label == NOT_RELEVANT)


def _changes(facet, raw, label, fired, policy):
    """What was normalised in a cell that is understood."""
    if label == UNDECIDED:
        if policy.decided:
            yield "error", "undecided", "undecided in a final sheet; decide it"
        elif fold(raw) != UNDECIDED:
            yield "note", "undecided", "read as undecided"
        return
    if any(map(is_new, label.split(JOIN))):
        yield "warning", "new", (f"a category the codebook lacks ({label}); see `label codebook "
                                 "propose`")
        return
    # A fact of the text comes first: an invisible character explains the rest.
    changed = clean(raw)[1]
    if "invisible-characters" in changed:
        yield "note", changed[0], f"read as {label!r} (invisible characters left out)"
    elif facet in fired:
        rules = fired[facet]
        kind = "split" if "split" in rules else rules[0]
        yield "note", kind, f"read as {label!r} ({', '.join(SAYS[r] for r in rules)})"
    elif raw != label:
        yield "note", (*changed, "case")[0], f"read as {label!r} (blanks and case)"


def _complaint(facet, raw, label, codebook):
    """Kind and message of a text that is no label: why, and what to do."""
    folded = fold(raw)
    title = TITLES[facet]
    if folded in BLANK_WORDS:
        return "word", (f"{raw.strip()!r} is no {title}; leave the cell blank where nothing "
                        "applies")
    if folded.isdigit() and facet != "distributed_specific":
        return "code", f"a number is no {title}; write the name, since numbers change their meaning"
    if facet == "distributed_specific":
        return "unknown-label", "write 1 (distributed-specific) or 0 (not)"
    others = [f for f in FACETS if f != facet and folded and codebook.resolve(f, folded)]
    if others:
        return "misplaced", (f"no {title} but a {TITLES[others[0]]}; are the values of this row "
                             "in the wrong columns?")
    parts = [p for p in _pieces(raw) if p.strip()]
    if len(parts) > 1:
        known = [p for p in parts if codebook.resolve(facet, p)]
        if len(known) == len(parts):
            return "several", f"several labels; choose one {title}, or add a row for a second issue"
        if known:
            odd = next(p.strip() for p in parts if p not in known)
            return "several", (f"{odd!r} is no {title}{codebook.hint(facet, odd)}; separate "
                               "several fix patterns by ;")
    return "unknown-label", f"no {title} of the codebook{codebook.hint(facet, label)}"


def _pieces(text):
    for mark in ("\n", ";", "&", "/", "|"):
        text = text.replace(mark, "\0")
    return text.split("\0")
