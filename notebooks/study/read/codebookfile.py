"""Anybody's codebook: from toml, csv, xlsx, or a plain list."""

import tomllib

from study.base.words import fold
from study.read.codebook import Codebook, Entry, check_spellings, load_codebook
from study.read.sheet import SheetError, open_checked
from study.read.sheets import read_sheet

LISTS = {"parents": "parent", "aliases": "alias", "renamed_from": ""}


def read_codebook(path):
    """Read a codebook of any facets.

    Parameters
    ----------
    path : str or Path
        toml: arrays of tables named by facet, each table with ``name`` and optionally
        ``aliases``, ``renamed_from`` and ``parents`` (lists, or one string as ``alias`` and
        ``parent``), or ``categories``, a list of names; ``undecided`` is a list of words.
        csv, tsv, xlsx: columns name, and optionally alias (several in a cell separated by
        ``;``), parent, facet; or one column only. txt: a name a line, ``#`` begins a comment
        line.

    Returns
    -------
    Codebook
        One facet "" where the file names none.

    Raises
    ------
    SheetError
        The file is not there or holds no categories, or names are doubled.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "codebook.toml"
    >>> _ = path.write_text('[[symptom]]\\nname = "Hang"\\naliases = ["hung"]\\n'
    ...                     'parents = ["Progress"]\\n', encoding="utf-8")
    >>> read_codebook(path).facets["symptom"].parents
    {'Hang': ('Progress',)}
    """
    path, _ = open_checked(path)
    undecided = ()
    if path.suffix.lower() == ".toml":
        try:
            content = tomllib.loads(path.read_text("utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SheetError(f"{path.name}: not valid toml ({error})") from None
        if "extends" in content:  # a later version of the study's: the changes only
            return load_codebook(path)
        words = content.get("undecided")
        undecided = [w for w in words if isinstance(w, str)] if isinstance(words, list) else ()
        facets = _from_toml(path, content)
    elif path.suffix.lower() == ".txt":
        try:
            lines = [line.strip() for line in path.read_text("utf-8-sig").splitlines()]
        except UnicodeDecodeError:
            raise SheetError(f"{path.name}: not UTF-8; save it as UTF-8") from None
        facets = {"": [{"name": line} for line in lines if line and not line.startswith("#")]}
    else:
        facets = _from_sheet(path)
    if not facets or not all(facets.values()):
        raise SheetError(f"{path.name}: no category in it")
    book = Codebook({facet: tuple(Entry(facet, **table) for table in tables)
                     for facet, tables in facets.items()},
                    undecided=frozenset(map(fold, undecided)))
    check_spellings(path.name, book)
    return book


def _from_toml(path, content):
    if isinstance(content.get("categories"), list):
        content = {"": [{"name": c} if isinstance(c, str) else c for c in content["categories"]]}
    facets = {}
    for facet, tables in content.items():
        if not isinstance(tables, list) or not tables:
            continue  # a version, a list of words, a table of settings: no categories
        entries = [dict(t) if isinstance(t, dict) else {} for t in tables]
        if not all(isinstance(e.get("name"), str) for e in entries):
            continue
        facets[facet] = [{"name": e["name"]} | {
            many: _texts(e.get(many, e.get(one, ())), f"{path.name}, {facet} {e['name']!r}: {many}")
            for many, one in LISTS.items()} for e in entries]
    if not facets:
        raise SheetError(f"{path.name}: no categories; a list [[facet]] of tables with a name "
                         "is needed")
    return facets


def _texts(value, where):
    found = (value,) if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(f, str) for f in found):
        raise SheetError(f"{where} must be a list of texts")
    return tuple(found)


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
