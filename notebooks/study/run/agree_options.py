"""The command line of ``agree``: its options, and which of them exclude one another."""

import argparse

from study.read.labelwords import UNDECIDED
from study.read.sheet import SheetError
from study.tell.agreement_options import computing

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
    computing(made)
    made.set_defaults(whose=None, originals=None)
    return made


def check(given, complete):
    """Options that exclude or need one another.

    Parameters
    ----------
    given : argparse.Namespace
        Of :func:`parser`.
    complete : bool
        The files say themselves what their columns are.

    Raises
    ------
    SheetError
    """
    forms = [bool(given.wide), bool(given.rater), bool(given.map), given.table, given.counts]
    if sum(forms) > 1:
        raise SheetError("--wide, --rater, --map, --table and --counts are different forms; take "
                         "one")
    if given.wide and len(given.wide) < 2:
        raise SheetError("--wide needs the columns of at least two raters")
    if len(set(given.wide)) < len(given.wide):
        raise SheetError("--wide names a column twice")
    if not any(forms[i] for i in (0, 2, 3, 4)) and not complete:
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
    if given.header_row is not None and given.header_row < 1:
        raise SheetError(f"--header-row {given.header_row}: rows count from 1")
