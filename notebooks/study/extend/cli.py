"""``python reproduce.py label STEP``: from a mined snapshot to the comparison with the study."""

import argparse

from study.base.errors import StudyError
from study.base.seeds import SEED
from study.extend import commands
from study.extend.sample import STRATA
from study.extend.start import FORMS

EPILOG = """\
In order:
  label new NAME --from SNAPSHOT --n 120 --raters R1 R2 --rounds 3
  label check NAME            after a sheet was filled in; again until it has no errors
  label agree NAME            agreement of each round, before anything is discussed
  label adjudicate NAME       a workbook of the disagreements, to be decided
  label counts NAME           the same count tables as the study's
  label compare NAME          what differs from the study, with a figure
With language models as raters (M1, M2 …):
  label tasks NAME --for-model    tasks and a protocol; the answers are checked like sheets
  label calibrate NAME            models against people on the same issues
  label correct NAME              shares of what models labelled, corrected for their error

NAME stands for data/extensions/NAME; a folder may be given instead.

Exit status: 0; 2 where a sheet, a file or an option is wrong; 3 from `label agree` where no
issue has labels from two raters: nothing was measured."""


def parser(first="agree"):
    """The command line of ``label``.

    Parameters
    ----------
    first : str
        The step that is run. The modules that know the options of ``agree`` are large, and a
        check of 100,000 rows does without them.

    Returns
    -------
    argparse.ArgumentParser

    Examples
    --------
    >>> parser().parse_args(["agree", "deepspeed", "--round", "2"]).round
    '2'
    """
    top = argparse.ArgumentParser(prog="reproduce.py label", epilog=EPILOG, allow_abbrev=False,
                                  description="Extend the study to a new framework.",
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = top.add_subparsers(dest="step", metavar="STEP", required=True)

    def step(name, says, **more):
        made = steps.add_parser(name, help=says, description=says, allow_abbrev=False, **more)
        made.add_argument("name", metavar="NAME", help="the extension, or its folder")
        return made

    new = step("new", "draw the sample and write a sheet for each round and rater")
    new.add_argument("--from", dest="snapshot", metavar="SNAPSHOT", help="what was mined: a "
                     "corpus by name, or a folder (default: the corpus called NAME)")
    new.add_argument("--n", type=int, default=120, help="threads in all (default: %(default)s)")
    new.add_argument("--raters", nargs="+", default=["R1", "R2"], metavar="R",
                     help="R1 R2 …, never names (default: R1 R2); M1 M2 … are models")
    new.add_argument("--rounds", type=int, default=3, help="(default: %(default)s)")
    new.add_argument("--seed", type=int, default=SEED, help="(default: %(default)s)")
    new.add_argument("--by", choices=STRATA, default="place", help="strata (default: %(default)s)")
    new.add_argument("--form", nargs="+", default=["xlsx"], choices=FORMS,
                     help="what raters work with (default: xlsx)")
    new.add_argument("--exclude", metavar="FILE", help="threads not to draw: a link or key a "
                     "line, and a reason after a comma")
    new.add_argument("--title", default="", help="as raters read it (default: NAME)")
    _force(new)

    tasks = step("tasks", "tasks for model raters, and the protocol of their work")
    tasks.add_argument("--for-model", action="store_true", required=True,
                       help="tasks that need nothing beside them, as JSON lines")
    tasks.add_argument("--raters", nargs="+", default=["M1", "M2"], metavar="M",
                       help="M1 M2 … (default: M1 M2)")
    tasks.add_argument("--no-text", action="store_true", help="where the text may not be stored: "
                       "address, title and a query in its place")
    _force(tasks)

    check = step("check", "read filled sheets strictly and list all errors at once")
    check.add_argument("files", nargs="*", default=[], metavar="FILE",
                       help="(default: all of its sheets)")
    check.add_argument("--round", help="one round only")
    check.add_argument("--partial", action="store_true",
                       help="a sheet that is still being filled in: what is missing is a warning")
    check.add_argument("--decisions", action="store_true",
                       help="the workbooks of `label adjudicate` instead")
    check.add_argument("--annotator", nargs="+", default=[], metavar="ID=RATER",
                       help="who an annotator of a labelling tool is: 7=R1; it is remembered")
    check.add_argument("--out", metavar="FILE", help="write the table as csv, and print less")

    agree = step("agree", "agreement of each round, from the raters' own sheets")
    agree.add_argument("files", nargs="*", default=[], metavar="FILE",
                       help="(default: all of its sheets)")
    agree.add_argument("--round", help="one round only")
    agree.add_argument("--details", action="store_true", help="all coefficients, each category, "
                       "who confused what")
    if first == "agree":
        from study.tabulate.rounds import MEASURED
        from study.tell.agreement_options import computing
        agree.add_argument("--facet", nargs="+", default=[], choices=MEASURED, metavar="FACET",
                           help=f"only these: {', '.join(MEASURED)}")
        computing(agree)

    adjudicate = step("adjudicate", "write the workbook of the disagreements of a round")
    adjudicate.add_argument("--round", help="one round only (default: each that is handed in)")
    _force(adjudicate)

    book = steps.add_parser("codebook", help="categories that raters propose, and codebook "
                            "versions", allow_abbrev=False)
    acts = book.add_subparsers(dest="act", metavar="ACT", required=True)
    for name, says in (("propose", "list the categories raters wrote down as new: "
                                   "proposals.csv"),
                       ("new", "make the next version of the decided proposals"),
                       ("qdc", "write the codebook for NVivo, MAXQDA, ATLAS.ti, QualCoder")):
        act = acts.add_parser(name, help=says, description=says, allow_abbrev=False)
        act.add_argument("name", metavar="NAME")
        if name == "qdc":
            act.add_argument("--unique", action="store_true", help="add the path to names that "
                             "occur more than once, into codebook-unique.qdc: for QualCoder, "
                             "which keeps one code of each name")
        else:
            _force(act)

    step("counts", "count tables in the form of the study's, for all functions and notebooks")
    step("figures", "the study's figures, drawn from the extension's counts")
    for name, says in (("calibrate", "model raters against people on the same issues"),
                       ("correct", "shares of a model-labelled corpus, corrected for the "
                                   "model's error")):
        made = steps.add_parser(name, help=says, description=says, allow_abbrev=False)
        made.add_argument("name", metavar="NAME", nargs="?",
                          help="the extension, or its folder; or give two files")
        made.add_argument("--people", metavar="FILE", help="labels of people: a column item and "
                          "a column a facet" + ("; study: the study's own labels, where its "
                                                "threads are labelled anew"
                                                if name == "calibrate" else ""))
        made.add_argument("--models", metavar="FILE", help="labels of models, alike; a column "
                          "rater with M1, M2 … where there are several")
        made.add_argument("--out", metavar="FOLDER", help="for the tables (default: the "
                          "extension's folder; with two files they are only printed)")
        if name == "correct":
            made.add_argument("--with", dest="other", metavar="NAME", help="another extension, "
                              "in which people and the same models have labelled")

    compare = step("compare", "what differs from the study, with intervals and tests")
    compare.add_argument("--with", dest="other", default="study", metavar="NAME",
                         help="another extension instead of the study")
    return top


def _force(made):
    made.add_argument("--force", action="store_true",
                      help="keep a file that is there beside the new one, instead of refusing")


def main(arguments):
    """Run one step.

    Parameters
    ----------
    arguments : list of str

    Returns
    -------
    int
        0; 2 where a sheet has errors; 3 where nothing was measured. Wrong use and wrong input
        raise ``StudyError``.
    """
    try:
        given = parser(*arguments[:1]).parse_args(arguments)
    except SystemExit as stop:
        return int(bool(stop.code)) * 2
    try:
        return getattr(commands, given.step)(given) or 0
    except BrokenPipeError:  # the reader of the output has left, as `head` does
        raise
    except OSError as error:
        raise StudyError(f"{error.filename or 'system'}: {error.strerror or error}; is the file "
                         "open in another program, or the disk full?") from None
