"""Categories raters propose, and the next version of the codebook."""

import re

from study.base.errors import StudyError
from study.base.files import publish
from study.base.paths import shown
from study.base.words import JOIN, fold, nearest
from study.extend.folder import csv_text, read_csv, write_new
from study.extend.handed_in import check_round, rounds_there
from study.read.codebook import FACETS, TITLES, UNDECIDED, load_codebook
from study.read.form import NEW, is_new
from study.read.policy import PARTIAL

PROPOSALS = ("facet", "proposed", "raters", "threads", "notes", "nearest", "decision", "name",
             "parents", "definition", "when", "why")
CROSSWALK = ("version", "facet", "old", "relation", "new", "why")
DECISIONS = {"add": "added", "use": "same as", "reject": "rejected"}


def proposed(extension):
    """Categories that raters wrote down as new, with where.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    list of dict
        Keys of ``PROPOSALS``; the decision is blank. Those a crosswalk knows are left out.
    """
    known, found = crosswalk(extension), {}
    for number in rounds_there(extension):
        for checked in check_round(extension, number, PARTIAL):
            for _, labels, note, _, row in checked.rows:
                for facet in FACETS:
                    for label in labels[facet].split(JOIN):
                        if is_new(label) and (facet, fold(label)) not in known:
                            entry = found.setdefault((facet, bare(label)), ([], [], []))
                            for place, value in zip(entry, (checked.rater, row.thread, note),
                                                    strict=True):
                                if value and value not in place:
                                    place.append(value)
    book, made = extension.codebook(), []
    for (facet, name), (raters, threads, notes) in sorted(found.items()):
        made.append(dict.fromkeys(PROPOSALS, "") | {
            "facet": facet, "proposed": name, "raters": JOIN.join(sorted(raters)),
            "threads": JOIN.join(sorted(threads)), "notes": " | ".join(notes),
            "nearest": JOIN.join(nearest(name, book.names(facet)))})
    return made


def bare(label):
    """The proposed name without the mark before it.

    Examples
    --------
    >>> bare("new:  pipeline bubble")
    'pipeline bubble'
    """
    return fold(label).removeprefix(NEW).strip()


def propose(extension, force=False):
    """Write ``proposals.csv``, to be filled in: add, use or reject.

    Parameters
    ----------
    extension : Extension
    force : bool

    Returns
    -------
    list of dict
    """
    made = proposed(extension)
    write_new(extension.path("proposals.csv"),
              csv_text(PROPOSALS, [list(p.values()) for p in made]), force)
    return made


def accept(extension, force=False):
    """Make the next codebook version of the decided proposals.

    Parameters
    ----------
    extension : Extension
    force : bool

    Returns
    -------
    str
        The new version. Earlier rounds keep the version they were labelled with; what their
        labels are now stands in ``crosswalk.csv``.

    Raises
    ------
    StudyError
        A proposal without decision, name, definition or known parents, with its row.
    """
    path = extension.path("proposals.csv")
    rows, old = read_csv(path, PROPOSALS), extension.newest_version()
    book, version = extension.codebook(), str(int(old) + 1)
    if not rows:
        raise StudyError(f"{shown(path)} has no proposal; there is nothing to decide")
    walk, blocks = [], []
    added = {(r["facet"], fold(r["name"] or r["proposed"])): r["name"] or r["proposed"]
             for r in rows if r["decision"] == "add"}
    for number, row in enumerate(rows, 2):
        def wrong(what, at=number):
            raise StudyError(f"{shown(path)}, row {at}: {what}")
        row = {k: v.strip() for k, v in row.items()} | {"decision": fold(row["decision"])}
        facet, name = row["facet"], row["name"] or row["proposed"]
        if row["decision"] not in DECISIONS:
            wrong(f"decision {row['decision']!r}; write {', '.join(DECISIONS)}")
        if not row["why"]:
            wrong("why is blank; say in a few words why")
        known = (book.resolve(facet, name) or (added.get((facet, fold(name)), ""),))[0]
        if row["decision"] == "use" and not known:
            wrong(f"name {name!r} is no {TITLES[facet]} of the codebook"
                  + book.hint(facet, name))
        if row["decision"] == "add":
            if not row["definition"]:
                wrong("definition is blank; say in one sentence what the category means")
            if book.resolve(facet, name):
                wrong(f"{name!r} is in the codebook already; decide use")
            blocks.append(_block(facet, name, row, number, path))
        new = {"add": name, "use": known,
               "reject": UNDECIDED}[row["decision"]]
        walk.append((version, facet, f"{NEW} {row['proposed']}", DECISIONS[row["decision"]], new,
                     row["why"]))
    own = f"codebook-{old}.toml"
    below = own if extension.path(own).exists() else "study"
    text = (f"# What version {version} of the codebook adds to version {old}.\n\n"
            f"extends = {_quoted(below)}\nversion = {_quoted(version)}\n" + "".join(blocks))
    target = extension.path(f"codebook-{version}.toml")
    write_new(target, text, force)
    try:
        load_codebook(target)  # parents and spellings are checked by the reader
    except StudyError:
        target.unlink()
        raise
    earlier = (read_csv(extension.path("crosswalk.csv"), CROSSWALK)
               if extension.path("crosswalk.csv").exists() else [])
    publish(extension.path("crosswalk.csv"),
            csv_text(CROSSWALK, [*(tuple(r.values()) for r in earlier), *walk]))
    path.rename(path.with_name(f"proposals-{version}.csv"))
    return version


def _block(facet, name, row, number, path):
    parents = [p.strip() for p in row["parents"].split(JOIN) if p.strip()]
    if facet in ("group", "symptom", "subtopic") and not parents:
        raise StudyError(f"{shown(path)}, row {number}: parents is blank; name the stage, "
                         "stage/group or topic the category stands under")
    lines = [f"\n[[{facet}]]", f"name = {_quoted(name)}"]
    if parents:
        lines.append(f"parents = [{', '.join(map(_quoted, parents))}]")
    lines += [f"definition = {_quoted(row['definition'])}", f"decision = {_quoted(row['when'])}"]
    examples = row["threads"].split(JOIN)[:2]
    lines.append(f"examples = [{', '.join(map(_quoted, examples))}]")
    return "\n".join(lines) + "\n"


def _quoted(text):
    text = re.sub(r'(["\\])', r"\\\1", text.replace("\n", " "))
    return f'"{text}"'


def crosswalk(extension):
    """What earlier labels are called in the newest codebook.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    dict of (str, str) to str
        (Facet, folded old label) → new label; ``"undecided"`` where it was rejected.
    """
    path = extension.path("crosswalk.csv")
    if not path.exists():
        return {}
    return {(r["facet"], fold(r["old"])): r["new"] for r in read_csv(path, CROSSWALK)}


def carried(facet, label, walk, codebook):
    """A label of an earlier round as the newest codebook calls it.

    Parameters
    ----------
    facet, label : str
        Several fix patterns joined with ``;``.
    walk : dict
        As :func:`crosswalk` returns it.
    codebook : Codebook
        The newest one.

    Returns
    -------
    str

    Examples
    --------
    >>> carried("symptom", "new: bubble", {("symptom", "new: bubble"): "hang"}, load_codebook())
    'hang'
    """
    parts = []
    for part in label.split(JOIN):
        part = walk.get((facet, fold(part)), part)
        found = codebook.resolve(facet, part)
        parts.append(found[0] if found else part)
    # Beside a pattern that is known, a proposal that was rejected says nothing more.
    kept = sorted({p for p in parts if p != UNDECIDED}) or [UNDECIDED]
    return JOIN.join(kept) if len(parts) > 1 else parts[0]
