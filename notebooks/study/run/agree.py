"""The command ``agree``: agreement of anybody's labels, from files to a report."""

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from study.base.errors import StudyError
from study.base.memory import acyclic
from study.base.seeds import SEED
from study.extend.agree import agree
from study.extend.folder import extension
from study.measure.agreement import COEFFICIENTS
from study.measure.agreement_report import SEVERAL, Options, counts_report, report
from study.read.codebook import Categories
from study.read.codebookfile import read_codebook
from study.read.columns import Layout, read_map
from study.read.labels import read_labels
from study.read.labelwords import UNDECIDED
from study.read.records import Rules
from study.read.sheet import Problem, SheetError, shown
from study.read.square import read_counts, read_table, read_weights
from study.tell.agreement_row import pairs_csv, pasted, pasting
from study.tell.agreement_text import read_notes, render

MOST_ERRORS = 20
SHEETS_OF, PLAN = "sheets", "plan.json"  # folder and plan of an extension

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
KEEP = {"blanks": "blanks at the ends of a cell and doubled ones",
        "case": "upper and lower case", "alias": "other names that the codebook has",
        "undecided": "words for undecided", "link": "how a link is written",
        "invisible-characters": "characters that nobody sees",
        "compatibility-characters": "ligatures, full-width forms, no-break blanks",
        "total-row": "a last row of totals"}
ALLOW = {"row-length": "the row is read as it stands", "repeated": "the first label counts",
         "unknown-label": "it is a category more", "hidden-row": "it is read",
         "merged": "no label", "no-item": "the row is left out",
         "no-rater": "the row is left out", "digits": "it is read as it stands",
         "date": "it is read as it stands", "error-value": "it is read as it stands",
         "formula-without-value": "no label", "count": "the row is left out",
         "empty": "the file is left out", "many-raters": "all count",
         "many-labels": "all are categories", "undecided": "no label", "unpaired": "it is left out"}
FIGURES = ("svg", "pdf", "png")

EPILOG = """\
forms of a file:
  long    one row a rating:        --item LINK --rater WHO --label SYMPTOM
  wide    one column a rater:      --item LINK --wide ANN BEN
  files   one file a rater:        ann.csv ben.csv --item LINK --label SYMPTOM
          several files a rater:   ann=1.csv ann=2.csv ben=3.csv --item LINK --label SYMPTOM
  sheets  one sheet a rater:       both.xlsx --sheet ANN BEN --item LINK --label SYMPTOM
  table   a square table of counts --table
  counts  items x categories, how many raters took which: --counts
  sheets of `label new`, as they are: round1-R1.xlsx round1-R2.xlsx
A column may also be given by its letter, as column:C. A FILE may be a pipe: -, /dev/stdin,
ann=<(command).

--map FILE (toml), for titles that drift from sheet to sheet; each a regular expression:
  item = "Link"                            also rater, label, facet, round, thread, count
  wide = "Rater .*"                        or: pairs = {{rater = "Rater(.)", label = "Tag(.)"}}
  sheets = "Round .*"                      rater_from = {{file = "(.*)_labels"}}, round_from
--codebook FILE: txt, a category a line; csv or xlsx with columns name, alias, parent, facet;
  toml: categories = ["a", "b"], or [[symptom]] tables with name, aliases, parents
--weights FILE: a square table, 1 on the diagonal (weights) or 0 (distances)

--keep KIND leaves a normalisation out:
{keep}
--allow KIND makes a warning of an error:
{allow}

Intervals of pi, S, AC1, AC2 and alpha have quantiles of t and n - 1, as irrCAC and AgreeStat
take them; --interval normal has those of the normal distribution. That of kappa is normal
either way, that of observed agreement Wilson's; alpha and Fleiss of several raters have
bootstrap intervals. The report names each.

Exit status: 0 with a report (and perhaps warnings), 2 where a file or an option is wrong,
3 where no item has labels from two raters: nothing was measured."""
EPILOG = EPILOG.format(**{
    name: "\n".join(f"  {kind:<25} {says}" for kind, says in kinds.items())
    for name, kinds in (("keep", KEEP), ("allow", ALLOW))})


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
    add("files", nargs="+", metavar="[RATER=]FILE", help="csv (commas, semicolons, tabs), tsv or "
        "xlsx; RATER= says whose it is")
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
    add("--counts", action="store_true", help="the file has a row an item, a column a category, "
        "and says how many raters took it (--item names a column that is none)")
    add("--delimiter", choices=list(DELIMITERS), help="of text files (default: found)")
    add("--encoding", metavar="NAME", help="of text files, as cp1252 or utf-16 (default: UTF-8)")
    add("--codebook", metavar="FILE", help="toml, csv, xlsx or txt with the categories offered")
    add("--sets", default="", metavar="MARK", help=r"a cell is a set of labels, separated by "
        r"MARK (\n for a line break)")
    add("--split", choices=["set"], help="several rows of a rater for an item are one set")
    add("--blank", default="", metavar="WORD", help="what a blank cell means, as no in a sheet of "
        "ticks (default: no label)")
    add("--missing", nargs="+", default=[], metavar="WORD", help="words that mean: no label")
    add("--undecided", nargs="+", default=list(UNDECIDED), metavar="WORD",
        help=f"words that mean: not decided (default: {', '.join(UNDECIDED)}; a codebook's own "
        "are added)")
    add("--keep", nargs="+", default=[], choices=list(KEEP), metavar="KIND", help="normalisations "
        "to leave out, see below")
    add("--allow", nargs="+", default=[], choices=list(ALLOW), metavar="KIND", help="errors that "
        "are to be warnings, see below")
    add("--merge-comments", action="store_true", help="links to comments and answers stand for "
        "their thread")
    add("--final", action="store_true", help="a finished round: undecided and unpaired are errors")
    add("--primary", default="", choices=list(dict.fromkeys([*COEFFICIENTS, "weighted", *SEVERAL])),
        metavar="COEF", help=f"the coefficient that counts: {', '.join(COEFFICIENTS)}, weighted; "
        f"for several raters {', '.join(SEVERAL)} (default: kappa, alpha; with --weights weighted "
        "kappa, AC2)")
    add("--weights", default="", metavar="W", help="linear, quadratic or a FILE: weighted kappa, "
        "AC2, and for several raters Fleiss' kappa and S")
    add("--metric", default="nominal", choices=["nominal", "ordinal", "interval", "ratio"],
        help="of alpha (default: nominal)")
    add("--interval", default="t", choices=["t", "normal"], help="quantiles of the intervals of "
        "pi, S, AC1, AC2 and alpha (default: t)")
    add("--bootstrap", type=int, metavar="N", help="percentile bootstrap with N resamples")
    add("--seed", type=int, default=SEED, metavar="S", help=f"of the bootstrap (default {SEED})")
    add("--conf", type=float, default=0.95, metavar="P", help="confidence level (default 0.95)")
    add("--pairs", metavar="FILE", help="write the coefficients of each pair of raters as csv")
    add("--figure", metavar="FILE", help="draw who confused what: svg, pdf or png")
    pasting(made)
    made.set_defaults(whose=None, originals=None)
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
        with tempfile.TemporaryDirectory() as folder, acyclic():
            given = with_inputs(parser().parse_args(argv), folder)
            groups, problems = run(given)
            text = written(given, groups, problems)
            drawn = _files(given, groups)
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


def with_inputs(given, folder):
    """The options with files that can be read more than once, and whose they are.

    Parameters
    ----------
    given : argparse.Namespace
        Of :func:`parser`.
    folder : path-like
        Where the content of pipes is kept.

    Returns
    -------
    argparse.Namespace
        ``files`` are paths to text in UTF-8 or to workbooks, ``originals`` those to what was
        given, ``whose`` the raters of those given as RATER=FILE.

    Raises
    ------
    SheetError

    Examples
    --------
    >>> with_inputs(parser().parse_args(["Ann=a.csv", "b.csv"]), ".").whose
    ['Ann', '']
    """
    raters, files = [], []
    for i, name in enumerate(given.files):
        rater, mark, path = name.partition("=")
        if not mark or Path(name).exists():
            rater, path = "", name
        raters.append(rater)
        files.append(_spooled(path, folder, i))
    if any(raters) and (given.rater or given.wide):
        raise SheetError("RATER=FILE says whose a file is; leave --rater and --wide out")
    more = {key: _spooled(getattr(given, key), folder, key) for key in ("codebook", "map")
            if getattr(given, key)}
    read = [_recoded(f, given.encoding, Path(folder) / f"utf-8 {i}") for i, f in enumerate(files)]
    return argparse.Namespace(**vars(given) | {"files": read, "originals": files,
                                               "whose": raters} | more)


def _recoded(path, encoding, folder):
    """A path to the same text in UTF-8; to the file itself where it is, or is a workbook."""
    if not encoding or not Path(path).is_file():
        return path
    content = Path(path).read_bytes()
    if content.startswith(b"PK"):
        return path
    try:
        text = content.decode(encoding)
    except LookupError:
        raise SheetError(f"--encoding {encoding}: no such encoding; cp1252 and utf-16 are "
                         "usual") from None
    except UnicodeDecodeError as error:
        raise SheetError(f"{Path(path).name}: not {encoding} ({error.reason}); another --encoding "
                         "is needed") from None
    kept = folder / Path(path).resolve().parent.name / Path(path).name
    kept.parent.mkdir(parents=True)
    kept.write_bytes(text.encode())
    return str(kept)


def _spooled(path, folder, key):
    """A path that can be read twice: what a pipe holds goes to a file."""
    if path != "-" and (Path(path).is_file() or not Path(path).exists() or Path(path).is_dir()):
        return path
    name = "stdin" if path in ("-", "/dev/stdin") else Path(path).name
    kept = Path(folder) / str(key) / name
    kept.parent.mkdir()
    try:
        if path == "-":
            kept.write_bytes(sys.stdin.buffer.read())
        else:
            with Path(path).open("rb") as stream, kept.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
    except OSError as error:
        raise SheetError(f"{name}: cannot be read ({error.strerror})") from None
    return str(kept)


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
    weights, facets, book = _weights(given), {}, None
    if isinstance(weights, tuple):
        weights, facets = weights[1], {"": Categories.of(weights[0], "weights")}
    if given.codebook:
        book = read_codebook(given.codebook)
        facets = book.facets
    options = Options(given.primary, given.bootstrap, given.seed, given.conf,
                      bool(given.sets or given.split), given.interval, weights, given.metric,
                      bool(given.pairs), frozenset(given.allow))
    if _own_sheets(given):
        return own_sheets(given.files, options), []
    if given.counts:
        counts, categories, said = read_counts(
            given.files[0], given.sheet, given.header_row, facets, next(iter(given.item), ""))
        group = counts_report(counts, categories, options)
        group["warnings"] += [said] if said else []
        return [group], []
    if given.table:
        labels, facets = read_table(given.files[0], given.sheet, given.header_row, facets,
                                    given.facet)
    else:
        layout, facets = _facets(given, _layout(given), facets)
        labels = read_labels(given.files, layout, _rules(given, book), facets, given.whose)
    if given.final:
        _unpaired(labels)
    errors = labels.errors()
    if errors:
        raise SheetError("\n".join(
            f"{p} (--allow {p.kind})" if p.kind in ALLOW else str(p) for p in errors))
    return report(labels, options, facets), labels.problems


def _rules(given, book):
    words = book.undecided if book else ()
    return Rules(missing=tuple(given.missing), undecided=(*given.undecided, *words),
                 blank=given.blank, sets=given.sets.replace("\\n", "\n"),
                 split=bool(given.split), final=given.final, keep=frozenset(given.keep),
                 allow=frozenset(given.allow), comments=given.merge_comments,
                 delimiter=DELIMITERS.get(given.delimiter))


def _weights(given):
    if given.weights in ("", "linear", "quadratic"):
        return given.weights
    return read_weights(given.weights)


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


def _files(given, groups):
    """Write what was asked for beside the report; and say where it is."""
    said = []
    if given.pairs:
        said.append(_write(given.pairs, pairs_csv(groups).encode()))
    if given.figure:
        from study.draw.disagreement import confusions
        form = Path(given.figure).suffix[1:].lower()
        drawn = [g for g in groups if g.get("confusions") is not None and len(g["raters"]) == 2]
        if form not in FIGURES:
            raise SheetError(f"--figure {given.figure}: the ending must be "
                             f"{', '.join('.' + f for f in FIGURES)}")
        if not drawn:
            raise SheetError("--figure: who confused what is known of two raters only")
        for i, group in enumerate(drawn):
            path = Path(given.figure)
            if len(drawn) > 1:
                path = path.with_stem(f"{path.stem}-{i + 1}")
            said.append(_write(path, confusions(group, path.stem).file(form)))
    return said


def _write(path, content):
    """Write a new file; one that is there is somebody's."""
    try:
        with Path(path).open("xb") as stream:
            stream.write(content)
    except FileExistsError:
        raise SheetError(f"{path}: there is a file of that name; name another one, or delete "
                         "it") from None
    except OSError as error:
        raise SheetError(f"{path}: cannot be written ({error.strerror})") from None
    return f"wrote {path}"


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


def _check(given):
    """Options that exclude or need one another."""
    forms = [bool(given.wide), bool(given.rater), bool(given.map), given.table, given.counts]
    if sum(forms) > 1:
        raise SheetError("--wide, --rater, --map, --table and --counts are different forms; take "
                         "one")
    if given.wide and len(given.wide) < 2:
        raise SheetError("--wide needs the columns of at least two raters")
    if len(set(given.wide)) < len(given.wide):
        raise SheetError("--wide names a column twice")
    if not any(forms[i] for i in (0, 2, 3, 4)) and not _own_sheets(given):
        if not given.item or not given.label:
            raise SheetError("which columns? Give --item and --label, or --wide R1 R2; "
                             "--help shows all forms (of a sheet of `label new` that "
                             "lies elsewhere: --item Item --label Symptom)")
        if not given.rater and len(given.files) < 2 and len(given.sheet) < 2:
            raise SheetError("one file and no --rater: name the rater column, or the columns of "
                             "the raters with --wide, or a sheet for each rater with --sheet")
    if given.count and not given.wide and not given.map:
        raise SheetError("--count goes with --wide: a row then is so many items")
    if (given.table or given.counts) and len(given.files) > 1:
        raise SheetError(f"--{'table' if given.table else 'counts'} reads one file")
    if given.counts and len(given.item) > 1:
        raise SheetError("--counts: one column at most names the items")
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
