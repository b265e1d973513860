"""The command ``agree``: agreement of anybody's labels, from files to a report."""

import argparse
import hashlib
import os
import sys
from dataclasses import asdict, replace
from pathlib import Path

from study.base.seeds import SEED
from study.measure.agreement import COEFFICIENTS
from study.measure.agreement_report import Options, report
from study.read.codebookfile import read_codebooks, undecided_words
from study.read.columns import Layout, read_map
from study.read.labels import read_labels
from study.read.labelwords import UNDECIDED
from study.read.records import Rules
from study.read.sheet import Problem, SheetError, shown
from study.read.square import read_table
from study.tell.agreement_row import pasted, pasting
from study.tell.agreement_text import read_notes, render

MOST_ERRORS = 20

EPILOG = """\
forms of a file:
  long    one row a rating:        --item LINK --rater WHO --label SYMPTOM
  wide    one column a rater:      --item LINK --wide ANN BEN
  files   one file a rater:        ann.csv ben.csv --item LINK --label SYMPTOM
  sheets  one sheet a rater:       both.xlsx --sheet ANN BEN --item LINK --label SYMPTOM
  table   a square table of counts --table
A column may also be given by its letter, as column:C. Titles that drift from sheet to
sheet go into a map file (--map): roles and regular expressions, see the docs of
study.read.columns.read_map.

Exit status: 0 with a report (and perhaps warnings), 2 where a file or an option is wrong,
3 where no item has labels from two raters: nothing was measured."""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, like all others of the command."""

    def error(self, message):
        raise SheetError(f"{message}; --help shows how")


def parser():
    """The command line of ``agree``.

    Returns
    -------
    argparse.ArgumentParser

    Examples
    --------
    >>> parser().parse_args(["a.csv", "--wide", "Ann", "Ben"]).wide
    ['Ann', 'Ben']
    """
    made = _Parser(
        prog="reproduce.py agree", description="Agreement of two or more raters' labels.",
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    add = made.add_argument
    add("files", nargs="+", metavar="FILE", help="csv (commas, semicolons, tabs), tsv or xlsx")
    add("--item", nargs="+", default=[], metavar="COLUMN", help="column(s) that name the item")
    add("--rater", default="", metavar="COLUMN", help="column with the rater's name")
    add("--label", default="", metavar="COLUMN", help="column with the label")
    add("--facet", default="", metavar="COLUMN", help="column with the facet of each row, or "
        "the facet of the codebook that the labels belong to")
    add("--round", default="", metavar="COLUMN", help="column with the round")
    add("--thread", default="", metavar="COLUMN", help="column with the thread: the bootstrap "
        "then draws threads")
    add("--count", default="", metavar="COLUMN", help="column that says how many items a row is")
    add("--wide", nargs="+", default=[], metavar="COLUMN", help="one label column for each rater")
    add("--sheet", nargs="+", default=[], metavar="NAME", help="sheet(s) of a workbook")
    add("--header-row", type=int, metavar="N", help="row of the column titles (default: first)")
    add("--map", metavar="FILE", help="toml file that says which columns mean what")
    add("--table", action="store_true", help="the file is a square table of counts: categories "
        "of rater 1 in the first column, of rater 2 in the header")
    add("--codebook", metavar="FILE", help="toml, csv, xlsx or txt with the categories offered")
    add("--sets", default="", metavar="MARK", help=r"a cell is a set of labels, separated by "
        r"MARK (\n for a line break)")
    add("--split", choices=["set"], help="several rows of a rater for an item are one set")
    add("--missing", nargs="+", default=[], metavar="WORD", help="words that mean: no label")
    add("--undecided", nargs="+", default=list(UNDECIDED), metavar="WORD",
        help=f"words that mean: not decided (default: {', '.join(UNDECIDED)}; a codebook's own "
        "are added)")
    add("--final", action="store_true", help="a finished round: undecided and unpaired are errors")
    add("--primary", default="", choices=[*COEFFICIENTS, "fleiss"], metavar="COEF",
        help=f"the coefficient that counts: {', '.join(COEFFICIENTS)}, fleiss "
        "(default: kappa; alpha for more than two raters)")
    add("--bootstrap", type=int, metavar="N", help="percentile bootstrap with N resamples")
    add("--seed", type=int, default=SEED, metavar="S", help=f"of the bootstrap (default {SEED})")
    add("--conf", type=float, default=0.95, metavar="P", help="confidence level (default 0.95)")
    pasting(made)
    return made


def main(argv=None):
    """Run the command.

    Parameters
    ----------
    argv : list of str, optional
        Arguments after ``agree``.

    Returns
    -------
    int
        0; 2 where a file or an option is wrong (what is wrong stands on standard error, one
        line each); 3 where nothing was measured, since no item has labels from two raters.

    Examples
    --------
    >>> main(["no such file.csv", "--wide", "Ann", "Ben"])
    2
    """
    try:
        given = parser().parse_args(argv)
        groups, problems = run(given)
        text = written(given, groups, problems)
    except SystemExit:  # after --help
        return 0
    except SheetError as error:
        lines = str(error).split("\n")
        for line in lines[:MOST_ERRORS]:
            print(f"agree: {line}", file=sys.stderr)
        if len(lines) > MOST_ERRORS:
            print(f"agree: … and {len(lines) - MOST_ERRORS} more errors", file=sys.stderr)
        return 2
    if given.format or given.sentence:
        for line in _beside(groups, problems):
            print(line, file=sys.stderr)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # a pager or head that has seen enough
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if not any(group["n_used"] for group in groups):
        print("agree: no item has labels from two raters, so nothing was measured; do the files "
              f"name their items alike? {_item_names(groups)}", file=sys.stderr)
        return 3
    return 0


def run(given):
    """Read and compute.

    Parameters
    ----------
    given : argparse.Namespace
        Of :func:`parser`.

    Returns
    -------
    groups : list of dict
        See :func:`study.measure.agreement_report.report`.
    problems : list of Problem
        What the reader normalised and warns of.

    Raises
    ------
    SheetError
        The message has one line for each error.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("id,Ann,Ben\\n1,a,a\\n2,b,b\\n3,a,b\\n", encoding="utf-8")
    >>> [group], _ = run(parser().parse_args([str(path), "--item", "id", "--wide", "Ann", "Ben"]))
    >>> group["n_used"], group["raters"]
    (3, ['Ann', 'Ben'])
    """
    _check(given)
    facets = read_codebooks(given.codebook) if given.codebook else {}
    layout = _layout(given)
    sets = (given.sets or "").replace("\\n", "\n")
    words = undecided_words(given.codebook) if given.codebook else ()
    rules = Rules(tuple(given.missing), (*given.undecided, *words), sets, bool(given.split),
                  given.final)
    if given.table:
        labels, facets = read_table(given.files[0], given.sheet, given.header_row, facets,
                                    given.facet)
    else:
        layout, facets = _facets(given, layout, facets)
        labels = read_labels(given.files, layout, rules, facets)
    if given.final:
        _unpaired(labels)
    errors = labels.errors()
    if errors:
        raise SheetError("\n".join(map(str, errors)))
    options = Options(given.primary, given.bootstrap, given.seed, given.conf,
                      bool(given.sets or given.split))
    return report(labels, options, facets), labels.problems


def written(given, groups, problems):
    """The report in the form that was asked for.

    Parameters
    ----------
    given : argparse.Namespace
    groups : list of dict
    problems : list of Problem

    Returns
    -------
    str

    Examples
    --------
    >>> written(parser().parse_args(["a.csv", "--sentence"]), [], [])
    ''
    """
    return pasted(given, groups, **_read(given, problems)) or render(groups, problems)


def _beside(groups, problems):
    """Warnings that the pasted forms have no room for."""
    for group in groups:
        where = ", ".join(filter(None, [group["round"] and f"round {group['round']}",
                                        group["facet"]]))
        for warning in group["warnings"]:
            yield f"warning: {where + ': ' if where else ''}{warning}"
    yield from read_notes(problems)


def _item_names(groups):
    """An item of each of the first two raters, for a look at how they are written."""
    first = groups[0].get("first_items", {})
    return ", ".join(f"{rater}: {shown(item)}" for rater, item in list(first.items())[:2])


def _check(given):
    """Options that exclude or need one another."""
    forms = [bool(given.wide), bool(given.rater), bool(given.map), given.table]
    if sum(forms) > 1:
        raise SheetError("--wide, --rater, --map and --table are different forms; take one")
    if given.wide and len(given.wide) < 2:
        raise SheetError("--wide needs the columns of at least two raters")
    if len(set(given.wide)) < len(given.wide):
        raise SheetError("--wide names a column twice")
    if not given.wide and not given.map and not given.table:
        if not given.item or not given.label:
            raise SheetError("which columns? Give --item and --label, or --wide R1 R2; "
                             "--help shows all forms")
        if not given.rater and len(given.files) < 2 and len(given.sheet) < 2:
            raise SheetError("one file and no --rater: name the rater column, or the columns of "
                             "the raters with --wide, or a sheet for each rater with --sheet")
    if given.count and not given.wide and not given.map:
        raise SheetError("--count goes with --wide: a row then is so many items")
    if given.table and len(given.files) > 1:
        raise SheetError("--table reads one file")
    if not 0 < given.conf < 1:
        raise SheetError(f"--conf {given.conf}: a number between 0 and 1 is needed")
    if given.bootstrap is not None and given.bootstrap < 1:
        raise SheetError(f"--bootstrap {given.bootstrap}: at least 1 resample is needed")
    if given.seed < 0:
        raise SheetError(f"--seed {given.seed}: a whole number from 0 on is needed")
    if given.header_row is not None and given.header_row < 1:
        raise SheetError(f"--header-row {given.header_row}: rows count from 1")


def _layout(given):
    if given.map:
        layout = read_map(given.map)
        if given.header_row is not None:
            layout = replace(layout, header_row=given.header_row)
        return layout
    return Layout(item=tuple(given.item), rater=given.rater, label=given.label,
                  round=given.round, thread=given.thread, count=given.count,
                  wide=tuple(given.wide), sheets=tuple(given.sheet), header_row=given.header_row)


def _facets(given, layout, facets):
    """Decide whether --facet names a column or a facet of the codebook."""
    if given.facet in facets:
        return layout, {"": facets[given.facet]}
    if given.facet:
        layout = replace(layout, facet=given.facet)
    if len(facets) > 1 and not layout.facet:
        raise SheetError(f"{Path(given.codebook).name}: {len(facets)} facets "
                         f"({', '.join(facets)}); say which with --facet")
    if len(facets) == 1 and not layout.facet:
        facets = {"": next(iter(facets.values()))}
    return layout, facets


def _unpaired(labels):
    """In a finished round an item that a rater lacks is an error."""
    items, raters = {}, {}
    for r in labels.ratings:
        items.setdefault((r.round, r.facet), {}).setdefault(r.item, set()).add(r.rater)
        raters.setdefault((r.round, r.facet), {})[r.rater] = r
    for key, rows in items.items():
        for item, said in rows.items():
            for rater, example in raters[key].items():
                if rater not in said:
                    labels.problems.append(Problem(
                        example.file, example.sheet, None, None, item,
                        f"{rater} has no row for {shown(item)}", "error", "unpaired"))


def _read(given, problems):
    """What was read, for the JSON."""
    if not given.json:
        return {}
    files = [*given.files, *filter(None, [given.codebook, given.map])]
    return {"inputs": [{"file": Path(f).name, "sha256": hashlib.sha256(Path(f).read_bytes())
                        .hexdigest()} for f in files],
            "normalised": [asdict(p) for p in problems if p.severity == "note"],
            "warnings": [asdict(p) for p in problems if p.severity == "warning"]}
