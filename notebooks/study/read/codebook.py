"""The codebook: which labels there are, what they mean, how else they were written."""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from study.base.errors import StudyError
from study.base.paths import DATA, shown
from study.base.words import fold, nearest
from study.read.labelwords import SEPARATORS, clean
from study.read.sheet import SheetError
from study.read.sheet import shown as cut

PATH = DATA / "codebook.toml"

# Order matters: it is the order of the sheets' columns and of every table.
FACETS = ("issue_type", "topic", "subtopic", "distributed_specific",
          "stage", "group", "symptom", "fix_pattern")
OF_FAULTS = ("distributed_specific", "stage", "group", "symptom", "fix_pattern")
OF_QUESTIONS = ("topic", "subtopic")
TITLES = {
    "issue_type": "issue type", "topic": "how-to topic", "subtopic": "sub-topic",
    "distributed_specific": "distributed-specific", "stage": "stage", "group": "symptom group",
    "symptom": "symptom", "fix_pattern": "fix pattern", "path": "whole path",
}

FAULT, QUESTION = "fault", "how-to question"
MISSING, UNDECIDED, NOT_APPLICABLE = "missing", "undecided", "not applicable"

# The readings of "system-level configuration", each wider than the one before.
READINGS = ("narrow", "middle", "broad")

_KEYS = {"name", "title", "parents", "definition", "decision", "aliases", "renamed_from",
         "examples", "level", "system_level", "status", "subtopic_optional"}
_LISTS = {"parents", "aliases", "renamed_from", "examples"}


@dataclass(frozen=True)
class Entry:
    """One category of the codebook.

    Attributes
    ----------
    facet, name : str
    definition, decision : str
        One sentence on what it means; when to use it and when its neighbour.
    parents : tuple of str
        Where it may stand: stages (``"stage"`` or ``"stage/group"``) for symptoms,
        stages for groups, topics for sub-topics.
    aliases, renamed_from : tuple of str
        Other spellings; earlier names that the final table replaced throughout.
    examples : tuple of str
        Thread keys.
    level, system_level : str
        Fix patterns only: what the fix touches, and the narrowest reading under
        which that is system-level configuration (or ``"no"``).
    status : str
        ``"final"``, or ``"raters only"`` where the final table never uses it.
    title : str
        How figures and tables print it.
    subtopic_optional : bool
        Topics only: there are sub-topics, but an issue may do without.
    """

    facet: str
    name: str
    definition: str = ""
    decision: str = ""
    parents: tuple = ()
    aliases: tuple = ()
    renamed_from: tuple = ()
    examples: tuple = ()
    level: str = ""
    system_level: str = ""
    status: str = "final"
    title: str = ""
    subtopic_optional: bool = False


@dataclass(frozen=True)
class Categories:
    """The categories of one facet, in the order of the codebook, and how a label finds its own.

    Attributes
    ----------
    entries : tuple of Entry
    source : str
        Where they come from: "codebook", or "table" or "weights", which were made of labels and
        not for them.

    Examples
    --------
    >>> book = Categories((Entry("", "Out of memory", aliases=("OOM",)), Entry("", "Hang")))
    >>> book.find("out of MEMORY"), book.find("oom"), book.find("crash")
    (('Out of memory', 'case'), ('Out of memory', 'alias'), (None, ''))
    >>> book.complaint("Hnag")
    "'Hnag' is not in the codebook; nearest: 'Hang'. Correct it or add an alias"
    """

    entries: tuple
    source: str = "codebook"

    @classmethod
    def of(cls, names, source="codebook"):
        """Categories that have nothing but a name."""
        return cls(tuple(Entry("", name) for name in names), source)

    @cached_property
    def names(self):
        """Tuple of the categories' names."""
        return tuple(e.name for e in self.entries)

    @cached_property
    def parents(self):
        """Parents by category, of those that have any."""
        return {e.name: e.parents for e in self.entries if e.parents}

    @cached_property
    def index(self):
        """Folded spelling → (name, rule); rule is None for the name itself.

        ValueError where a name is blank or stands twice, or a spelling stands for two.
        """
        index, names = {}, set()
        for entry in self.entries:
            if not fold(entry.name):
                raise ValueError("a category without a name")
            if entry.name in names:
                raise ValueError(f"two entries are named {entry.name!r}; make them one")
            names.add(entry.name)
            for rule, spellings in ((None, (entry.name,)), ("alias", entry.aliases),
                                    ("rename", entry.renamed_from)):
                for spelling in spellings:
                    other = index.setdefault(fold(spelling), (entry.name, rule))[0]
                    if other != entry.name:
                        raise ValueError(f"{spelling!r} stands for both {other!r} and "
                                         f"{entry.name!r}; keep it in one entry")
        return index

    def find(self, label):
        """The category of a cleaned label, and the rule that led there.

        Parameters
        ----------
        label : str

        Returns
        -------
        (str or None, str)
            None where there is none; "", "case" or "alias".
        """
        name, rule = self.index.get(label.casefold(), (None, None))
        if rule:  # an alias, or an earlier name
            return name, "alias"
        return name, "case" if name and label not in (name, clean(name)[0]) else ""

    def near(self, text):
        """The categories that a misspelt label may mean: proposed, never taken."""
        found = nearest(text, self.index)
        return list(dict.fromkeys(self.index[spelling][0] for spelling in found))

    def complaint(self, label):
        """Why a label has no category, and what to do."""
        parts = [p for p in SEPARATORS.split(label) if p]
        if len(parts) > 1 and all(self.find(clean(p)[0])[0] for p in parts):
            return ("several labels in one cell; say with --sets what separates them, or "
                    "give one label")
        return (f"{cut(label)} is not in the codebook{_nearest(self.near(label))}. Correct it or "
                "add an alias")


def _nearest(names):
    return f"; nearest: {', '.join(map(repr, names))}" if names else ""


@dataclass(frozen=True)
class Codebook:
    """All entries by facet; see :func:`load_codebook`."""

    entries: dict
    combinations: dict = field(default_factory=dict)
    undecided: frozenset = frozenset()
    version: str = ""

    def names(self, facet, final_only=False):
        """Names of a facet's categories, in codebook order.

        Parameters
        ----------
        facet : str
            One of ``FACETS``.
        final_only : bool, default False
            Leave out what only raters' sheets use.

        Returns
        -------
        list of str
        """
        return [e.name for e in self.entries[facet] if not final_only or e.status == "final"]

    def entry(self, facet, name):
        """The entry of that name; StudyError with the nearest names where there is none."""
        for entry in self.entries[facet]:
            if entry.name == name:
                return entry
        raise StudyError(f"the codebook has no {TITLES[facet]} {name!r}"
                         + self.hint(facet, name))

    @cached_property
    def facets(self):
        """The categories of each facet by its name."""
        return {facet: Categories(entries) for facet, entries in self.entries.items()}

    def resolve(self, facet, text):
        """Name and rule for one spelling of one label.

        Parameters
        ----------
        facet, text : str

        Returns
        -------
        tuple of (str, str or None) or None
            The codebook's name, and ``"alias"``, ``"rename"`` or None for how it
            was recognised; None where the codebook does not know the text.
        """
        return self.facets[facet].index.get(fold(text))

    def split(self, text):
        """Fix patterns in one cell, where every part is in the codebook.

        Several names contain a ``/`` themselves, so the whole cell is tried first,
        then the declared combinations, then the parts between ``;``, ``&`` or ``/``.

        Returns
        -------
        tuple of (tuple of str, set of str) or None
            Names in the cell's order, and the rules used.
        """
        whole = self.resolve("fix_pattern", text)
        if whole:
            return (whole[0],), {whole[1]} - {None}
        if fold(text) in self.combinations:
            return self.combinations[fold(text)], {"alias"}
        parts = [self.resolve("fix_pattern", p) for p in _parts(text)]
        if len(parts) < 2 or not all(parts):
            return None
        return (tuple(dict.fromkeys(name for name, _ in parts)),
                {rule for _, rule in parts} - {None})

    def knows(self, facet, text):
        """Whether a text is a label of the facet (or the raters' word for undecided)."""
        if fold(text) in self.undecided:
            return True
        found = self.split(text) if facet == "fix_pattern" else self.resolve(facet, text)
        return found is not None

    def hint(self, facet, text):
        """``"; nearest: …"`` for an error message, or an empty string."""
        near = self.facets[facet].near(text)
        if not near and facet == "fix_pattern":
            near = dict.fromkeys(n for part in _parts(text) if not self.resolve(facet, part)
                                 for n in self.facets[facet].near(part))
        return _nearest(near)

    def has_group(self, stage):
        """Whether the symptoms of a stage stand in groups."""
        return any(stage in group.parents for group in self.entries["group"])

    def needs_subtopic(self, topic):
        """Whether an issue of a topic has to carry a sub-topic."""
        optional = {e.name for e in self.entries["topic"] if e.subtopic_optional}
        return topic not in optional and any(topic in e.parents
                                             for e in self.entries["subtopic"])

    def system_level(self, reading):
        """Fix patterns that count as system-level configuration under a reading.

        Parameters
        ----------
        reading : {"narrow", "middle", "broad"}

        Returns
        -------
        frozenset of str
        """
        if reading not in READINGS:
            raise StudyError(f"no reading {reading!r}; use one of {', '.join(READINGS)}")
        counted = READINGS[:READINGS.index(reading) + 1]
        return frozenset(e.name for e in self.entries["fix_pattern"]
                         if e.system_level in counted)


def _parts(text):
    return [p for p in re.split(r"\s*;\s*|\s+[&/]\s+", fold(text)) if p]


def load_codebook(path=PATH):
    """Read and check a codebook.

    Parameters
    ----------
    path : path-like, default ``data/codebook.toml``
        A file with the key ``extends`` (``"study"``, or a file beside it) holds what is new
        or changed in a later version only.

    Returns
    -------
    Codebook

    Raises
    ------
    StudyError
        Where the file is no TOML, a key is unknown or missing, a parent does not
        exist, or two entries of a facet share a spelling.

    Examples
    --------
    >>> load_codebook().names("stage")[1]
    'communication setup'
    """
    path = Path(path)
    raw = _raw(path)
    named = shown(path)
    entries = {facet: tuple(_entry(named, facet, i, table)
                            for i, table in enumerate(raw.get(facet, []), 1))
               for facet in FACETS}
    combinations = dict(_combination(path, i, table)
                        for i, table in enumerate(raw.get("combination", []), 1))
    book = Codebook(entries, combinations, frozenset(map(fold, raw.get("undecided", []))),
                    str(raw.get("version", "")))
    check_spellings(shown(path), book)
    _check_parents(path, book)
    for filed, means in combinations.items():
        for name in means:
            if name not in book.names("fix_pattern"):
                raise StudyError(f"{shown(path)}, combination {filed!r}: {name!r} is no fix "
                                 f"pattern{book.hint('fix_pattern', name)}")
    return book


def newest_codebook(folder):
    """File of an extension's newest codebook; the study's where it has none of its own."""
    own = {int(m[1]): p for p in Path(folder).glob("codebook-*.toml")
           if (m := re.fullmatch(r"codebook-(\d+)\.toml", p.name))}
    return own[max(own)] if own else PATH


def _raw(path, seen=()):
    """Content of a codebook file; one that ``extends`` another holds the changes only."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; restore it from version control") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"{shown(path)}: {error}; mend the TOML there") from None
    if "extends" not in raw:
        return raw
    below = PATH if raw["extends"] == "study" else (path.parent / raw["extends"]).resolve()
    if below in seen:
        raise StudyError(f"{shown(path)}: extends itself; name the version before it")
    made = _raw(below, (*seen, below)) | {"version": raw.get("version", "")}
    for facet in FACETS:
        changed = raw.get(facet, [])
        # An entry takes the place of the one it has the name of, or was renamed from.
        gone = {name for e in changed for name in (e.get("name"), *e.get("renamed_from", []))}
        made[facet] = [e for e in made.get(facet, []) if e.get("name") not in gone] + changed
    return made


def _entry(file, facet, number, table):
    where = f"{file}, {facet} {number}"
    if not table.get("name"):
        raise StudyError(f"{where}: the key 'name' is missing; every entry needs one")
    if unknown := sorted(set(table) - _KEYS):
        raise StudyError(f"{where} ({table['name']}): unknown key {unknown[0]!r}; "
                         f"allowed: {', '.join(sorted(_KEYS))}")
    for key in _LISTS & set(table):
        if not isinstance(table[key], list) or not all(isinstance(v, str) for v in table[key]):
            raise StudyError(f"{where} ({table['name']}): {key!r} is no list of texts; write "
                             f'{key} = ["…", "…"]')
    level = table.get("system_level", "no")
    if facet == "fix_pattern" and level not in (*READINGS, "no"):
        raise StudyError(f"{where} ({table['name']}): system_level {level!r}; "
                         f"use {', '.join(READINGS)} or no")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}
    values.setdefault("title", table["name"])
    return Entry(facet=facet, **values)


def _combination(path, number, table):
    if set(table) != {"filed", "means"} or not isinstance(table["means"], list):
        raise StudyError(f"{shown(path)}, combination {number}: it needs 'filed' (the cell's "
                         "text) and 'means' (a list of fix patterns), and nothing else")
    return fold(table["filed"]), tuple(table["means"])


def check_spellings(where, book):
    """SheetError where the spellings of a facet are not clear."""
    for facet, categories in book.facets.items():
        try:
            _ = categories.index
        except ValueError as fault:
            raise SheetError(f"{where}{f', {facet}' if facet else ''}: {fault}") from None


def _check_parents(path, book):
    stages, topics = book.names("stage"), book.names("topic")
    groups = {f"{p}/{g.name}" for g in book.entries["group"] for p in g.parents}
    allowed = {"group": set(stages), "symptom": set(stages) | groups, "subtopic": set(topics)}
    for facet, known in allowed.items():
        for entry in book.entries[facet]:
            for parent in entry.parents:
                if parent not in known:
                    raise StudyError(f"{shown(path)}, {facet} {entry.name!r}: parent {parent!r} "
                                     "is not in the codebook; add it or correct the name")
