"""Anybody's label files, read strictly: each fault is logged, a warning, or an error."""

import re
from collections import Counter, defaultdict
from pathlib import Path

from study.read.columns import from_name
from study.read.labelsheet import SheetReader
from study.read.records import MISSING, UNSURE, Labels, Rules
from study.read.shape import same_bytes
from study.read.sheet import Problem, SheetError, shown
from study.read.sheets import read_sheet, read_sheets


def read_labels(paths, layout, rules=None, codebooks=None, whose=None):
    """Read label files.

    Parameters
    ----------
    paths : sequence of str or Path
    layout : study.read.columns.Layout
    rules : Rules, optional
    codebooks : dict of str to study.read.codebook.Categories, optional
        By facet; "" for ratings without facet, and for facets that are not named.
    whose : sequence of str, optional
        The rater of each path, "" where it is not given: several files may be one rater's.

    Returns
    -------
    Labels
        Look at ``errors()`` before using ``ratings``.

    Raises
    ------
    SheetError
        A file cannot be read at all, or lacks a column.

    Examples
    --------
    >>> import tempfile
    >>> from study.read.columns import Layout
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("id,Ann,Ben\\n1,Hang,hang \\n", encoding="utf-8")
    >>> read = read_labels([path], Layout(item=("id",), wide=("Ann", "Ben")))
    >>> [r.label for r in read.ratings], [p.kind for p in read.problems]
    (['Hang', 'Hang'], ['blanks', 'case'])
    """
    rules, codebooks = rules or Rules(), codebooks or {}
    read = Labels([], [], [Path(p) for p in paths], rules.allow)
    for sheet, rater in _sheets(read, layout, rules.delimiter, whose or [""] * len(read.files)):
        SheetReader(read, layout, rules, codebooks, sheet, rater).run()
    read.problems.extend(same_bytes(read.files))
    if not read.errors():
        if "undecided" not in rules.keep:
            _doubted(read, codebooks)
        if "case" not in rules.keep:
            _fold_case(read, codebooks)
        _merge_repeats(read, rules)
    return read


def _sheets(read, layout, delimiter, whose):
    """The sheets to read, each with the name of its rater ("" where a column has it)."""
    per_sheet = not (layout.rater or layout.wide or layout.pairs)
    stems = Counter(path.stem for path in read.files)
    for path, named_rater in zip(read.files, whose, strict=True):
        if layout.patterns and layout.sheets:
            named = {n: s for n, s in read_sheets(path, layout.header_row).items()
                     if not n or re.fullmatch(layout.sheets[0], n, re.IGNORECASE)}
            if not named:
                raise SheetError(f"{path.name}: no sheet is called {layout.sheets[0]}")
            found = list(named.values())
        elif layout.sheets:
            found = [read_sheet(path, name, layout.header_row) for name in layout.sheets]
        else:
            found = [read_sheet(path, None, layout.header_row, delimiter, layout.titles())]
        for sheet in found:
            rater = named_rater or from_name(layout.rater_from, sheet.file, sheet.name)
            if per_sheet and not rater:
                one_book = len(found) > 1 or len(read.files) == 1
                stem = path.stem if stems[path.stem] == 1 else f"{path.parent.name}/{path.stem}"
                rater = sheet.name if sheet.name and one_book else stem
            yield sheet, rater


def _doubted(read, codebooks):
    """Without a codebook: "No?" beside "No" is an undecided rating, not a category."""
    seen = defaultdict(set)
    for facet, label in {(r.facet, r.label) for r in read.ratings}:
        if facet not in codebooks and "" not in codebooks and label is not None:
            seen[facet].update(p.casefold() for p in _each(label))
    doubted = {(facet, form) for facet, forms in seen.items() for form in forms
               if form.endswith("?") and form.rstrip("? ") in forms}
    if not doubted:
        return
    for i, rating in enumerate(read.ratings):
        label = rating.label
        if isinstance(label, str) and (rating.facet, label.casefold()) in doubted:
            read.problems.append(Problem(
                rating.file, rating.sheet, rating.row, None, label, f"{shown(label)} read as "
                f"undecided, since {shown(label.rstrip('? '))} is a label", "note", "undecided"))
            read.ratings[i] = rating._replace(label=None, state=UNSURE)


def _fold_case(read, codebooks):
    """Without a codebook: labels that differ by case only are one, the most frequent form."""
    uses = defaultdict(Counter)
    for (facet, said), n in Counter((r.facet, r.label) for r in read.ratings).items():
        if said is not None and facet not in codebooks and "" not in codebooks:
            for label in _each(said):
                uses[facet, label.casefold()][label] += n
    best = {key: min(forms, key=lambda f: (-forms[f], f)) for key, forms in uses.items()
            if len(forms) > 1}
    if not best:
        return
    changed = []
    for rating in read.ratings:
        if rating.label is not None:
            new = frozenset(best.get((rating.facet, p.casefold()), p) for p in _each(rating.label))
            label = new if isinstance(rating.label, frozenset) else next(iter(new))
            if label != rating.label:
                read.problems.append(Problem(
                    rating.file, rating.sheet, rating.row, None, _text(rating.label),
                    f"read as {shown(_text(label))}", "note", "case"))
                rating = rating._replace(label=label)
        changed.append(rating)
    read.ratings[:] = changed


def _each(label):
    return label if isinstance(label, frozenset) else (label,)


def _text(label):
    return "; ".join(sorted(label)) if isinstance(label, frozenset) else label


def _merge_repeats(read, rules):
    """One rating for each rater and item: repeats are joined, dropped, or errors."""
    first = {}
    for rating in read.ratings:
        key = (rating.item, rating.rater, rating.facet, rating.round)
        before = first.get(key)
        if before is None:
            first[key] = rating
        elif rules.split:
            # Blank and undecided rows add nothing where another row has labels.
            union = (before.label or frozenset()) | (rating.label or frozenset())
            first[key] = before._replace(label=union or None, state="" if union else
                                         before.state or rating.state)
        elif MISSING in (before.state, rating.state) and before.state != rating.state:
            first[key] = rating if before.state == MISSING else before
            read.add(Problem(
                rating.file, rating.sheet, rating.row, None, rating.item,
                f"{shown(rating.rater)} has {shown(rating.item)} twice, once without a label "
                f"(rows {before.row} and {rating.row}); the label counts", "warning", "repeated"))
        elif before.label == rating.label and before.state == rating.state:
            read.problems.append(Problem(
                rating.file, rating.sheet, rating.row, None, rating.item,
                f"{shown(rating.rater)} has {shown(rating.item)} again with the same label "
                f"(first in row {before.row}); counted once", "warning", "repeated"))
        else:
            one, other = (r.state or _text(r.label) for r in (before, rating))
            read.add(Problem(
                rating.file, rating.sheet, rating.row, None, rating.item,
                f"{shown(rating.rater)} has {shown(rating.item)} twice with different labels "
                f"({shown(one)} in row {before.row}, {shown(other)} here); delete one, tell the "
                "items apart with --item, or join them with --split set", "error", "repeated"))
    read.ratings[:] = first.values()
