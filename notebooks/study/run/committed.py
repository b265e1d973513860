"""What is committed: compare with it, restore it, and leave a reader's own work alone."""

import itertools
import os
import subprocess

import nbformat

from study.base.errors import StudyError
from study.base.files import write_whole
from study.base.paths import ROOT, shown
from study.run import notebooks


def text(path, root=ROOT):
    """A file as it was committed.

    Parameters
    ----------
    path : pathlib.Path
        Under ``root``.
    root : pathlib.Path

    Returns
    -------
    str or None
        None where there is no git, no repository of this package, or no such file in it.
    """
    said = _git(root, "show", f"HEAD:./{path.relative_to(root).as_posix()}")
    return None if said is None else said.decode("utf-8", "replace")


def unlike(root=ROOT):
    """Files of the package that are not as they were committed.

    Parameters
    ----------
    root : pathlib.Path

    Returns
    -------
    list of str or None
        Sorted, relative to ``root``; files that git does not know are not looked at. None
        where there is nothing to compare with.
    """
    # A folder inside somebody else's repository is not known to that.
    if _git(root, "ls-files", "--error-unmatch", "reproduce.py") is None:
        return None
    said = _git(root, "diff", "--name-only", "-z", "--relative", "HEAD", "--", ".")
    return None if said is None else sorted(said.decode("utf-8", "replace").split("\0")[:-1])


def differing(one, other, outputs=True):
    """Numbers of the cells in which two notebooks differ.

    Parameters
    ----------
    one, other : str
        Texts of notebook files.
    outputs : bool
        Whether outputs count, and not the sources alone.

    Returns
    -------
    list of int
        From 1; a cell that only one of the two has differs.

    Examples
    --------
    >>> import nbformat.v4 as v4
    >>> one, other = (nbformat.writes(v4.new_notebook(cells=[
    ...     v4.new_markdown_cell("a"), v4.new_code_cell(code)])) for code in ("1 + 1", "1 + 2"))
    >>> differing(one, other)
    [2]
    """
    def cells(text):
        for cell in notebooks.normalise(nbformat.reads(text, as_version=4), "any").cells:
            yield cell.cell_type, cell.source, cell.get("outputs") if outputs else None
    pairs = itertools.zip_longest(cells(one), cells(other))
    return [number for number, (a, b) in enumerate(pairs, 1) if a != b]


def store(path, before, ran, committed=None, write=False):
    """Store what a run of a notebook gave, unless that would cost its reader something.

    A notebook whose sources are the committed ones gets the outputs of the run. One that has
    been edited stays as it is, and so does one that was saved while it ran. What an editor
    notes beside sources and outputs is no difference.

    Parameters
    ----------
    path : pathlib.Path
    before, ran : str
        Its text before the run, and what the run made of it.
    committed : str, optional
        Its text in version control; without one, any difference is the reader's.
    write : bool
        Store what edited cells gave all the same.

    Returns
    -------
    (stored, said) : (bool, str)
        Whether the outputs were replaced by others, and one line where something is to be
        said ("" otherwise).
    """
    if _text(path) != before:
        return False, f"{shown(path)} was saved while it ran; left as it is"
    others = differing(before, ran)
    edited = others if committed is None else differing(before, committed, outputs=False)
    if edited and others and not write:
        return False, (f"{shown(path)}: {_cells(edited)} not as committed; left as it is "
                       "(--restore takes the committed one, --write stores what this one gives)")
    if before != ran:
        write_whole(path, ran)
    return bool(others), f"{shown(path)}: {_cells(edited)} not as committed" if edited else ""


def restore(path, committed):
    """Put a notebook back as it was committed.

    Parameters
    ----------
    path : pathlib.Path
    committed : str or None
        Its text in version control.

    Returns
    -------
    bool
        Whether that changed anything.

    Raises
    ------
    StudyError
        Where version control has none.
    """
    if committed is None:
        raise StudyError(f"{shown(path)} cannot be restored: there is no git here that has it; "
                         "take it from the release")
    if path.exists() and _text(path) == committed:
        return False
    write_whole(path, committed)
    return True


def texts(paths):
    """Texts of notebooks as they lie there.

    Parameters
    ----------
    paths : list of pathlib.Path

    Returns
    -------
    dict of pathlib.Path to str

    Raises
    ------
    StudyError
        One of them is missing or no notebook.
    """
    for path in paths:
        notebooks.read(path)
    return {path: _text(path) for path in paths}


def _git(root, *arguments):
    """What git prints, or None where it fails or is not there."""
    # Variables of a hook that this may run in are about another folder.
    settings = {k: v for k, v in os.environ.items()
                if k not in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_WORK_TREE")}
    try:
        done = subprocess.run(["git", *arguments], cwd=root, env=settings, capture_output=True,
                              stdin=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    return None if done.returncode else done.stdout


def _text(path):
    """Text of a file, with LF."""
    return path.read_bytes().replace(b"\r\n", b"\n").decode("utf-8", "replace")


def _cells(numbers):
    """The beginning of a sentence: *cell 3 is*, *cells 2 and 5 are*."""
    if len(numbers) == 1:
        return f"cell {numbers[0]} is"
    *first, last = map(str, numbers)
    return f"cells {', '.join(first)} and {last} are"
