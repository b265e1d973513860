"""What is computed of agreement and written beside the report: the same for every command."""

from pathlib import Path

from study.base.seeds import SEED
from study.measure.agreement import COEFFICIENTS
from study.measure.agreement_report import SEVERAL, Options
from study.read.sheet import SheetError
from study.read.square import read_weights
from study.tell.agreement_row import pairs_csv, pasting

FIGURES = ("svg", "pdf", "png")


def computing(parser):
    """Give a parser the options of what is computed, and of the forms it is written in.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    """
    add = parser.add_argument
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
    pasting(parser)


def options(given, **more):
    """What to compute, of the options of :func:`computing`.

    Parameters
    ----------
    given : argparse.Namespace
    **more
        Further fields of the options.

    Returns
    -------
    options : study.measure.agreement_report.Options
    categories : list of str
        Those of a file of weights, in its order.

    Raises
    ------
    SheetError

    Examples
    --------
    >>> import argparse
    >>> parser = argparse.ArgumentParser(); computing(parser)
    >>> options(parser.parse_args(["--weights", "linear"]))[0].weights
    'linear'
    """
    if not 0 < given.conf < 1:
        raise SheetError(f"--conf {given.conf}: a number between 0 and 1 is needed")
    if given.bootstrap is not None and given.bootstrap < 1:
        raise SheetError(f"--bootstrap {given.bootstrap}: at least 1 resample is needed")
    if given.seed < 0:
        raise SheetError(f"--seed {given.seed}: a whole number from 0 on is needed")
    categories, weights = [], given.weights
    if weights not in ("", "linear", "quadratic"):
        categories, weights = read_weights(weights)
    return Options(given.primary, given.bootstrap, given.seed, given.conf, interval=given.interval,
                   weights=weights, metric=given.metric, pairs=bool(given.pairs),
                   **more), categories


def write_beside(given, groups):
    """Write the table of pairs and the figures that were asked for.

    Parameters
    ----------
    given : argparse.Namespace
    groups : list of dict
        See :func:`study.measure.agreement_report.report`.

    Returns
    -------
    list of str
        A line for each file.

    Raises
    ------
    SheetError
        A file of that name is there already, or nothing can be drawn.
    """
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
