"""The categories that were offered: names, aliases, parents; and how a label finds its own."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from study.labeltext import SEPARATORS, clean, nearest
from study.sheetmodel import SheetError, open_checked, shown
from study.sheets import read_sheet


@dataclass(frozen=True)
class LabelCodebook:
    """Categories of one facet.

    Attributes
    ----------
    categories : tuple of str
        In the order of the codebook.
    aliases : dict of str to str
        Other spelling to category.
    parents : dict of str to tuple of str
        Category to its parents.

    Examples
    --------
    >>> book = LabelCodebook(("Out of memory", "Hang"), {"OOM": "Out of memory"})
    >>> book.find("out of MEMORY"), book.find("oom")
    (('Out of memory', 'case'), ('Out of memory', 'alias'))
    """

    categories: tuple
    aliases: dict = field(default_factory=dict)
    parents: dict = field(default_factory=dict)
    index: dict = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        index = {}
        for category in self.categories:
            key = clean(category)[0].casefold()
            if not key:
                raise ValueError("the codebook has a category without a name")
            if key in index:
                raise ValueError(f"category {category!r} stands twice in the codebook "
                                 "(case does not count)")
            index[key] = (category, "")
        for alias, category in self.aliases.items():
            key = clean(alias)[0].casefold()
            known = index.get(key)
            if known and known[0] != category:
                raise ValueError(f"alias {alias!r} means both {known[0]!r} and {category!r}; "
                                 "keep one")
            index.setdefault(key, (category, "alias"))
        object.__setattr__(self, "index", index)

    def find(self, label):
        """The category of a cleaned label.

        Parameters
        ----------
        label : str

        Returns
        -------
        (str or None, str)
            Category (None where there is none) and the rule that led there: "", "case" or
            "alias".

        Examples
        --------
        >>> LabelCodebook(("a", "b")).find("c")
        (None, '')
        """
        category, rule = self.index.get(label.casefold(), (None, ""))
        if category is not None and not rule and category != label:
            rule = "case" if clean(category)[0] != label else ""
        return category, rule

    def complaint(self, label):
        """Why a label has no category, and what to do.

        Examples
        --------
        >>> LabelCodebook(("Hang", "Crash")).complaint("Hang / Crash")[:36]
        'several labels in one cell; say with'
        >>> LabelCodebook(("Hang",)).complaint("Hnag")
        "'Hnag' is not in the codebook; 'Hang'? Correct it or add an alias"
        """
        parts = [p for p in SEPARATORS.split(label) if p]
        if len(parts) > 1 and all(self.find(clean(p)[0])[0] for p in parts):
            return ("several labels in one cell; say with --sets what separates them, or "
                    "give one label")
        near = nearest(label, [*self.categories, *self.aliases])
        hint = f" {' or '.join(map(repr, near))}?" if near else ""
        return f"{shown(label)} is not in the codebook;{hint} Correct it or add an alias"


def read_codebook(path, facet=None):
    """Read the categories of one facet, or of all facets.

    Parameters
    ----------
    path : str or Path
        toml: arrays of tables named by facet, each table with ``name`` and optionally
        ``aliases`` and ``parents`` (lists, or one string as ``parent``), or ``categories``,
        a list of names. csv, tsv, xlsx: columns name, and optionally alias (several in a
        cell separated by ``;``), parent, facet; or one column only. txt: a name a line, ``#``
        begins a comment line.
    facet : str, optional
        Which one. Needed where the file has several.

    Returns
    -------
    LabelCodebook

    Raises
    ------
    SheetError
        The file or the facet is not there, or names are doubled.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "codebook.txt"
    >>> _ = path.write_text("# symptoms\\nHang\\nCrash\\n", encoding="utf-8")
    >>> read_codebook(path).categories
    ('Hang', 'Crash')
    """
    facets = read_codebooks(path)
    name = Path(path).name
    if facet is None or (facet not in facets and list(facets) == [""]):
        if len(facets) > 1:
            raise SheetError(f"{name}: {len(facets)} facets ({', '.join(facets)}); say which "
                             "with --facet")
        return next(iter(facets.values()))
    if facet not in facets:
        raise SheetError(f"{name}: no facet {shown(facet)}; it has {', '.join(facets)}")
    return facets[facet]


def read_codebooks(path):
    """All facets of a codebook file.

    Parameters
    ----------
    path : str or Path
        See :func:`read_codebook`.

    Returns
    -------
    dict of str to LabelCodebook
        One entry "" where the file names no facet.

    Raises
    ------
    SheetError

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "codebook.toml"
    >>> _ = path.write_text('[[symptom]]\\nname = "Hang"\\naliases = ["hung"]\\n'
    ...                     'parents = ["Progress"]\\n', encoding="utf-8")
    >>> read_codebooks(path)["symptom"].parents
    {'Hang': ('Progress',)}
    """
    path, _ = open_checked(path)
    if path.suffix.lower() == ".toml":
        entries = _from_toml(path)
    elif path.suffix.lower() == ".txt":
        lines = (line.strip() for line in path.read_text("utf-8-sig").splitlines())
        entries = {"": [{"name": line} for line in lines if line and not line.startswith("#")]}
    else:
        entries = _from_sheet(path)
    made = {}
    for facet, tables in entries.items():
        if not tables:
            raise SheetError(f"{path.name}: no category in it")
        try:
            made[facet] = LabelCodebook(
                tuple(t["name"] for t in tables), _aliases(tables),
                {t["name"]: tuple(t["parents"]) for t in tables if t.get("parents")})
        except ValueError as error:
            where = f", facet {facet}" if facet else ""
            raise SheetError(f"{path.name}{where}: {error}") from None
    return made


def _aliases(tables):
    """Alias to category; an alias of two categories is an error, not the last one's."""
    aliases = {}
    for table in tables:
        for alias in table.get("aliases", ()):
            if aliases.setdefault(alias, table["name"]) != table["name"]:
                raise ValueError(f"alias {alias!r} means both {aliases[alias]!r} and "
                                 f"{table['name']!r}; keep one")
    return aliases


def _from_toml(path):
    try:
        content = tomllib.loads(path.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SheetError(f"{path.name}: not valid toml ({error})") from None
    if isinstance(content.get("categories"), list):
        content = {"": content["categories"]}
    facets = {}
    for facet, tables in content.items():
        if not isinstance(tables, list) or not tables:
            continue  # a version, a comment, a table of settings: no categories
        entries = [{"name": t} if isinstance(t, str) else dict(t) if isinstance(t, dict) else {}
                   for t in tables]
        if not all(isinstance(e.get("name"), str) for e in entries):
            continue
        for entry in entries:
            for many, one in (("parents", "parent"), ("aliases", "alias")):
                found = entry.get(many, entry.get(one, ()))
                entry[many] = (found,) if isinstance(found, str) else tuple(found)
        facets[facet] = entries
    if not facets:
        raise SheetError(f"{path.name}: no categories; a list [[facet]] of tables with a name "
                         "is needed")
    return facets


def _from_sheet(path):
    sheet = read_sheet(path)
    titles = [t.strip().casefold() for t in sheet.header]
    if len(titles) == 1:
        return {"": [{"name": cells[0].strip()} for _, cells in sheet.rows]}
    at = {}
    for role, names in (("name", ("name", "category", "label")), ("alias", ("alias", "aliases")),
                        ("parent", ("parent", "parents")), ("facet", ("facet",))):
        at[role] = next((titles.index(n) for n in names if n in titles), None)
    if at["name"] is None:
        raise SheetError(f"{sheet.file}: no column called name; it has "
                         f"{', '.join(t for t in titles if t)}")
    facets = {}
    for number, cells in sheet.rows:
        name = cells[at["name"]].strip()
        if not name:
            raise SheetError(f"{sheet.file}, row {number}: a category without a name")
        many = {role: tuple(p.strip() for p in cells[at[role]].split(";") if p.strip())
                if at[role] is not None else () for role in ("alias", "parent")}
        facet = cells[at["facet"]].strip() if at["facet"] is not None else ""
        facets.setdefault(facet, []).append(
            {"name": name, "aliases": many["alias"], "parents": many["parent"]})
    return facets
