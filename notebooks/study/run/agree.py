"""The command ``agree``: agreement of anybody's labels, from files to a report."""

import hashlib
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from study.base.errors import StudyError
from study.base.memory import acyclic
from study.extend.agree import agree
from study.extend.folder import extension
from study.measure.agreement_report import counts_report, report
from study.read.codebook import Categories
from study.read.codebookfile import read_codebook
from study.read.labels import read_labels
from study.read.sheet import Problem, SheetError, shown
from study.read.square import read_counts, read_table
from study.run.agree_inputs import layout_of, rules, with_inputs
from study.run.agree_options import ALLOW, check, parser
from study.tell.agreement_options import options, write_beside
from study.tell.agreement_row import pasted
from study.tell.agreement_text import read_notes, render

MOST_ERRORS = 20
SHEETS_OF, PLAN = "sheets", "plan.json"  # folder and plan of an extension

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
        with tempfile.TemporaryDirectory() as folder, acyclic():
            given = with_inputs(parser().parse_args(argv), folder)
            groups, problems = run(given)
            text = written(given, groups, problems)
            drawn = write_beside(given, groups)
    except SystemExit:  # after --help
        return 0
    except StudyError as error:
        lines = str(error).split("\n")
        for line in lines[:MOST_ERRORS]:
            print(f"agree: {line}", file=sys.stderr)
        if len(lines) > MOST_ERRORS:
            print(f"agree: … and {len(lines) - MOST_ERRORS} more errors", file=sys.stderr)
        return 2
    if given.format or given.sentence:
        drawn += _beside(groups, problems)
    for line in drawn:
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
    own = _own_sheets(given)
    check(given, own)
    wanted, order = options(given, sets=bool(given.sets or given.split),
                            allow=frozenset(given.allow))
    if own:
        return own_sheets(given.files, wanted), []
    book, facets = None, {"": Categories.of(order, "weights")} if order else {}
    if given.codebook:
        book = read_codebook(given.codebook)
        facets = book.facets
    if given.counts:
        counts, categories, said = read_counts(
            given.files[0], given.sheet, given.header_row, facets, next(iter(given.item), ""))
        group = counts_report(counts, categories, wanted)
        group["warnings"] += [said] if said else []
        return [group], []
    if given.table:
        labels, facets = read_table(given.files[0], given.sheet, given.header_row, facets,
                                    given.facet)
    else:
        layout, facets = layout_of(given, facets)
        labels = read_labels(given.files, layout, rules(given, book), facets, given.whose)
    if given.final:
        _unpaired(labels)
    errors = labels.errors()
    if errors:
        raise SheetError("\n".join(
            f"{p} (--allow {p.kind})" if p.kind in ALLOW else str(p) for p in errors))
    return report(labels, wanted, facets), labels.problems


def _own_sheets(given):
    """Whether the files are sheets of ``label new``, and no column is named."""
    if given.item or given.label or given.wide or given.rater or given.map or given.table or (
            given.counts):
        return False
    folders = {Path(f).resolve().parent for f in given.files}
    return len(folders) == 1 and SHEETS_OF in {f.name for f in folders} and all(
        f.parent.joinpath(PLAN).is_file() for f in folders)


def own_sheets(files, options):
    """The agreement of sheets of ``label new``, as ``label agree`` gives it.

    Parameters
    ----------
    files : sequence of path-like
        In the folder ``sheets`` of an extension.
    options : study.measure.agreement_report.Options

    Returns
    -------
    list of dict

    Raises
    ------
    SheetError
    """
    try:
        own = extension(str(Path(files[0]).resolve().parent.parent))
        return agree(own, paths=[Path(f) for f in files], options=options)
    except StudyError as error:
        raise SheetError(str(error)) from None


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
    found = []
    for group in groups:
        where = ", ".join(filter(None, [group["round"] and f"round {group['round']}",
                                        group["facet"]]))
        found += [f"warning: {where + ': ' if where else ''}{w}" for w in group["warnings"]]
    return found + read_notes(problems)


def _item_names(groups):
    """An item of each of the first two raters, for a look at how they are written."""
    first = groups[0].get("first_items", {})
    return ", ".join(f"{rater}: {shown(item)}" for rater, item in list(first.items())[:2])


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
                    labels.add(Problem(
                        example.file, example.sheet, None, None, item,
                        f"{rater} has no row for {shown(item)}", "error", "unpaired"))


def _read(given, problems):
    """What was read, for the JSON."""
    if not given.json:
        return {}
    files = [*(given.originals or given.files), *filter(None, [given.codebook, given.map])]
    return {"inputs": [{"file": Path(f).name, "sha256": hashlib.sha256(Path(f).read_bytes())
                        .hexdigest()} for f in files],
            "normalised": [asdict(p) for p in problems if p.severity == "note"],
            "warnings": [asdict(p) for p in problems if p.severity == "warning"]}
