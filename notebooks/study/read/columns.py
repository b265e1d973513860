"""Which column of a label sheet means what: named on the command line, or by a map file."""

import re
import tomllib
from dataclasses import dataclass

from study.read.sheet import Problem, SheetError, open_checked, place, shown

ROLES = ("item", "rater", "label", "facet", "round", "thread", "count")
KEYS = {*ROLES, "wide", "pairs", "sheets", "header_row", "rater_from", "round_from"}
LETTER = re.compile(r"column:([A-Za-z]{1,3})$")


@dataclass(frozen=True)
class Layout:
    """How label sheets are laid out.

    Attributes
    ----------
    item : tuple of str
        Columns that identify an item together; empty for wide sheets whose rows are items.
    rater, label, facet, round, thread, count : str
        Columns of the long form; "" where there is none. Without ``rater``, each file or
        sheet is one rater.
    wide : tuple of str
        One label column for each rater.
    sheets : tuple of str
        Names of the sheets to read, or patterns where ``patterns`` is set.
    header_row : int or None
    patterns : bool
        Names are regular expressions (a map file) instead of titles.
    pairs : tuple of (str, str)
        Patterns for a rater column and the label column beside it; the group in them says
        which belong together.
    rater_from, round_from : tuple of (str, str)
        ("file" or "sheet", pattern): read from the name of the file or sheet.

    Examples
    --------
    >>> Layout(item=("id",), wide=("Ann", "Ben")).titles()
    ['id', 'Ann', 'Ben']
    """

    item: tuple = ()
    rater: str = ""
    label: str = ""
    facet: str = ""
    round: str = ""
    thread: str = ""
    count: str = ""
    wide: tuple = ()
    sheets: tuple = ()
    header_row: int | None = None
    patterns: bool = False
    pairs: tuple = ()
    rater_from: tuple = ()
    round_from: tuple = ()

    def titles(self):
        """Column titles that must occur; with patterns none is known beforehand."""
        names = [*self.item, self.rater, self.label, self.facet, self.round, self.thread,
                 self.count, *self.wide]
        return [] if self.patterns else [n for n in names if n and not LETTER.match(n)]


@dataclass(frozen=True)
class Columns:
    """The columns of one sheet, resolved: 0-based positions.

    Attributes
    ----------
    item : tuple of int
    facet, round, thread, count : int or None
    slots : tuple of (int or None, str, int)
        Column that holds the rater's name (None where the name is fixed), the fixed name,
        column of the label.

    Examples
    --------
    >>> Columns((0,), slots=((None, "Ann", 1),)).used()
    {0, 1}
    """

    item: tuple = ()
    facet: int | None = None
    round: int | None = None
    thread: int | None = None
    count: int | None = None
    slots: tuple = ()

    def used(self):
        """All columns that are read."""
        one = {self.facet, self.round, self.thread, self.count} - {None}
        return {*self.item} | one | {c for a, _, b in self.slots for c in (a, b) if c is not None}


def read_map(path):
    """Read a map file: the roles of columns whose titles drift from sheet to sheet.

    Parameters
    ----------
    path : str or Path
        toml with any of: ``item``, ``rater``, ``label``, ``facet``, ``round``, ``thread``,
        ``count`` (a pattern, or a list of alternatives of which the first one that occurs
        counts; a list of lists for items of several columns), ``wide`` (a pattern or list),
        ``pairs`` (a table with patterns ``rater`` and ``label`` that share a group),
        ``sheets`` (patterns), ``header_row``, ``rater_from`` and ``round_from`` (a table
        ``{file = pattern}`` or ``{sheet = pattern}`` with a group). Patterns are regular
        expressions for the whole title, whatever its case.

    Returns
    -------
    Layout

    Raises
    ------
    SheetError
        Not toml, an unknown key, or not a regular expression.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "map.toml"
    >>> _ = path.write_text("item = 'Link'\\nsheets = 'Round .* All'\\n"
    ...                     "pairs = {rater = 'Evaluator(.)', label = 'Tag(.)'}\\n",
    ...                     encoding="utf-8")
    >>> read_map(path).pairs
    (('Evaluator(.)', 'Tag(.)'),)
    """
    path, _ = open_checked(path)
    try:
        content = tomllib.loads(path.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SheetError(f"{path.name}: not valid toml ({error})") from None
    unknown = sorted(set(content) - KEYS)
    if unknown:
        raise SheetError(f"{path.name}: unknown key {unknown[0]}; known are "
                         f"{', '.join(sorted(KEYS))}")

    def pattern(value, key):
        if isinstance(value, list):
            value = "|".join(f"(?:{pattern(v, key)})" for v in value)
        if not isinstance(value, str):
            raise SheetError(f"{path.name}: {key} is no pattern or list of patterns")
        try:
            re.compile(value)
        except re.error as error:
            raise SheetError(f"{path.name}: {key}: not a regular expression ({error})") from None
        return value

    header_row = content.get("header_row")
    if header_row is not None and (type(header_row) is not int or header_row < 1):
        raise SheetError(f"{path.name}: header_row must be a whole number from 1 on")
    roles = {key: pattern(content[key], key) for key in ROLES[1:] if key in content}
    item = content.get("item", ())
    several = isinstance(item, list) and item and all(isinstance(i, list) for i in item)
    items = tuple(pattern(i, "item") for i in item) if several else (
        (pattern(item, "item"),) if item else ())
    wide = content.get("wide", ())
    pairs = content.get("pairs", {})
    origins = {}
    for key in ("rater_from", "round_from"):
        table = content.get(key, {})
        if not isinstance(table, dict) or len(table) > 1 or set(table) - {"file", "sheet"}:
            raise SheetError(f"{path.name}: {key} must be {{file = pattern}} or "
                             "{sheet = pattern}")
        origins[key] = next(((k, pattern(v, key)) for k, v in table.items()), ())
    if pairs and (not isinstance(pairs, dict) or set(pairs) != {"rater", "label"}):
        raise SheetError(f"{path.name}: pairs must be {{rater = pattern, label = pattern}}")
    sheets = content.get("sheets", ())
    return Layout(item=items, wide=(pattern(wide, "wide"),) if wide else (),
                  sheets=(pattern(sheets, "sheets"),) if sheets else (),
                  header_row=header_row, patterns=True,
                  pairs=((pattern(pairs["rater"], "pairs"), pattern(pairs["label"], "pairs")),)
                  if pairs else (), **roles, **origins)


def resolve(layout, sheet, rater):
    """Find the columns of a layout in one sheet.

    Parameters
    ----------
    layout : Layout
    sheet : study.read.sheet.Sheet
    rater : str
        Name of the rater where the sheet is one rater's.

    Returns
    -------
    (Columns, list of Problem)

    Raises
    ------
    SheetError
        A column is missing, or its title stands over several columns.

    Examples
    --------
    >>> from study.read.sheet import Sheet
    >>> sheet = Sheet("a.csv", "", ("id", "Ann", "Ben"), 1, [])
    >>> resolve(Layout(item=("id",), wide=("Ann", "Ben")), sheet, "")[0].slots
    ((None, 'Ann', 1), (None, 'Ben', 2))
    """
    def one(name, role):
        if not name:
            return None
        letter = LETTER.match(name)
        if letter:
            number = 0
            for character in letter[1].upper():
                number = number * 26 + ord(character) - 64
            if number > len(sheet.header):
                raise SheetError(f"{_where(sheet)}: no {name}; the sheet ends at column "
                                 f"{len(sheet.header)}")
            return number - 1
        if not layout.patterns:
            return sheet.column(name)
        found = _matching(name, sheet)
        if len(found) != 1:
            what = "no column" if not found else f"{len(found)} columns"
            raise SheetError(f"{_where(sheet)}: {what} for {role} ({name}); the columns are: "
                             f"{', '.join(t.strip() for t in sheet.header if t.strip())}")
        return next(iter(found))

    item = tuple(one(name, "item") for name in layout.item)
    problems, slots = [], []
    if layout.pairs:
        raters, labels = (_by_group(p, sheet) for p in layout.pairs[0])
        if not labels:
            raise SheetError(f"{_where(sheet)}: no column for label ({layout.pairs[0][1]})")
        for group, column in raters.items():
            if group in labels:
                slots.append((column, "", labels[group]))
            else:
                problems.append(Problem(
                    sheet.file, sheet.name, sheet.header_row, column + 1,
                    sheet.header[column], f"no label column beside {shown(sheet.header[column])}: "
                    "what these raters said is not in the sheet", "warning", "no-label-column"))
    elif layout.wide and layout.patterns:
        slots = [(None, name, column) for column, name in _matching(layout.wide[0], sheet).items()]
        if len(slots) < 2:
            raise SheetError(f"{_where(sheet)}: {len(slots)} columns for wide "
                             f"({layout.wide[0]}); at least two raters are needed")
    elif layout.wide:
        slots = [(None, *_named(sheet, name, one(name, "rater"))) for name in layout.wide]
    else:
        who = one(layout.rater, "rater")
        slots = [(who, rater if who is None else "", one(layout.label, "label"))]
    return Columns(item, one(layout.facet, "facet"), one(layout.round, "round"),
                   one(layout.thread, "thread"), one(layout.count, "count"),
                   tuple(slots)), problems


def _named(sheet, name, column):
    """Rater and column; a column given by its letter lends the rater its title too."""
    letter = LETTER.match(name)
    title = sheet.header[column].strip()
    return (f"{title} ({letter[1].upper()})".strip() if letter else name), column


def _where(sheet):
    return place(sheet.file, sheet.name, sheet.header_row or None)


def _matching(pattern, sheet):
    """Columns whose whole title matches: position to group 1, or the title."""
    found = {}
    for i, title in enumerate(sheet.header):
        match = re.fullmatch(pattern, title.strip(), re.IGNORECASE)
        if match and title.strip():
            found[i] = next((g for g in match.groups() if g), title.strip())
    return found


def _by_group(pattern, sheet):
    return {group: column for column, group in _matching(pattern, sheet).items()}


def from_name(origin, file, sheet):
    """Part of a file's or sheet's name, "" where the pattern does not occur.

    Parameters
    ----------
    origin : tuple of (str, str)
    file, sheet : str

    Returns
    -------
    str

    Examples
    --------
    >>> from_name(("file", "round_(.)"), "round_3.xlsx", "All")
    '3'
    """
    if not origin:
        return ""
    match = re.search(origin[1], file if origin[0] == "file" else sheet, re.IGNORECASE)
    return next((g for g in match.groups() if g), match[0]) if match else ""
