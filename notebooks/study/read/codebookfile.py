"""Read the categories of a codebook: from toml, csv, xlsx, or a plain list."""

import tomllib
from pathlib import Path

from study.read.labelcodebook import LabelCodebook
from study.read.sheet import SheetError, open_checked, shown
from study.read.sheets import read_sheet


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
        try:
            lines = [line.strip() for line in path.read_text("utf-8-sig").splitlines()]
        except UnicodeDecodeError:
            raise SheetError(f"{path.name}: not UTF-8; save it as UTF-8") from None
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
    content = _toml(path)
    if isinstance(content.get("categories"), list):
        content = {"": [{"name": c} if isinstance(c, str) else c for c in content["categories"]]}
    facets = {}
    for facet, tables in content.items():
        if not isinstance(tables, list) or not tables:
            continue  # a version, a list of words, a table of settings: no categories
        entries = [dict(t) if isinstance(t, dict) else {} for t in tables]
        if not all(isinstance(e.get("name"), str) for e in entries):
            continue
        for entry in entries:
            for many, one in (("parents", "parent"), ("aliases", "alias")):
                found = entry.get(many, entry.get(one, ()))
                found = (found,) if isinstance(found, str) else found
                if not isinstance(found, list | tuple) or not all(
                        isinstance(f, str) for f in found):
                    raise SheetError(f"{path.name}, {facet} {entry['name']!r}: {many} must be a "
                                     "list of texts")
                entry[many] = tuple(found)
        facets[facet] = entries
    if not facets:
        raise SheetError(f"{path.name}: no categories; a list [[facet]] of tables with a name "
                         "is needed")
    return facets


def _toml(path):
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SheetError(f"{path.name}: not valid toml ({error})") from None


def undecided_words(path):
    """The words for an undecided label that a toml codebook lists under ``undecided``.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    tuple of str
        Empty where there is no such list, or the codebook is no toml file.

    Raises
    ------
    SheetError

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "codebook.toml"
    >>> _ = path.write_text('undecided = ["pending"]\\n', encoding="utf-8")
    >>> undecided_words(path)
    ('pending',)
    """
    path, _ = open_checked(path)
    words = _toml(path).get("undecided") if path.suffix.lower() == ".toml" else None
    return tuple(w for w in words if isinstance(w, str)) if isinstance(words, list) else ()


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
