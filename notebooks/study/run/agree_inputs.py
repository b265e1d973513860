"""Files of ``agree`` as they are given: pipes, encodings, and what their columns mean."""

import argparse
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from study.read.columns import Layout, read_map
from study.read.records import Rules
from study.read.sheet import SheetError
from study.run.agree_options import DELIMITERS


def with_inputs(given, folder):
    """The options with files that can be read more than once, and whose they are.

    Parameters
    ----------
    given : argparse.Namespace
        Of :func:`study.run.agree_options.parser`.
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
    >>> from study.run.agree_options import parser
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


def layout_of(given, facets):
    """Which columns mean what, and the codebooks by the facets they belong to.

    Parameters
    ----------
    given : argparse.Namespace
    facets : dict of str to study.read.codebook.Categories

    Returns
    -------
    layout : study.read.columns.Layout
    facets : dict of str to study.read.codebook.Categories

    Raises
    ------
    SheetError
    """
    return _facets(given, _layout(given), facets)


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


def rules(given, book=None):
    """How cells become labels.

    Parameters
    ----------
    given : argparse.Namespace
    book : study.read.codebook.Codebook, optional
        Its words for undecided count, too.

    Returns
    -------
    study.read.records.Rules
    """
    words = book.undecided if book else ()
    return Rules(missing=tuple(given.missing), undecided=(*given.undecided, *words),
                 blank=given.blank, sets=given.sets.replace("\\n", "\n"),
                 split=bool(given.split), final=given.final, keep=frozenset(given.keep),
                 allow=frozenset(given.allow), comments=given.merge_comments,
                 delimiter=DELIMITERS.get(given.delimiter))
