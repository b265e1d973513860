"""The course: student versions of the exercises, without solutions and hidden tests.

The sources in ``notebooks/exercises`` carry nbgrader's marks and metadata, but nothing
here needs nbgrader. ``### BEGIN SOLUTION`` to ``### END SOLUTION`` becomes a stub;
``### BEGIN HIDDEN TESTS`` to ``### END HIDDEN TESTS`` goes.
"""

import copy
import re
from pathlib import Path

from study.base.errors import StudyError
from study.base.files import publish
from study.base.paths import NOTEBOOKS, shown
from study.run.notebooks import read, to_text

EXERCISES = NOTEBOOKS / "exercises"
CODE_STUB, TEXT_STUB = "# YOUR CODE HERE", "*Your answer here.*"
_MARK = re.compile(r"^(?P<indent>\s*)### (?P<edge>BEGIN|END) (?P<what>SOLUTION|HIDDEN TESTS)\s*$")


def sources(folder=EXERCISES):
    """Paths of the exercises, in order.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    list of pathlib.Path

    Examples
    --------
    >>> sources()[0].name
    '01_sampling.ipynb'
    """
    return sorted(Path(folder).glob("[0-9]*.ipynb"))


def strip(source, stub=CODE_STUB):
    """Text of a cell without its solutions and hidden tests.

    Parameters
    ----------
    source : str
    stub : str
        What stands in place of a solution, at the solution's indentation.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        A mark without its partner, or one region within another.

    Examples
    --------
    >>> print(strip("n = None\\n### BEGIN SOLUTION\\nn = 2\\n### END SOLUTION"))
    n = None
    # YOUR CODE HERE
    """
    lines, inside = [], None
    for number, line in enumerate(source.split("\n"), 1):
        mark = _MARK.match(line)
        if not mark:
            if inside is None:
                lines.append(line)
            continue
        edge, what = mark["edge"], mark["what"]
        if edge == "BEGIN":
            if inside is not None:
                raise ValueError(f"line {number}: {what} begins within {inside}")
            inside = what
            if what == "SOLUTION":
                lines.append(mark["indent"] + stub)
        elif inside != what:
            raise ValueError(f"line {number}: {what} ends but did not begin")
        else:
            inside = None
    if inside is not None:
        raise ValueError(f"{inside} has no end")
    return "\n".join(lines).rstrip("\n")


def student(notebook):
    """The student version of an exercise.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        A source notebook; it is left as it is.

    Returns
    -------
    nbformat.NotebookNode
        Without solutions, hidden tests, outputs and execution counts. The grading
        metadata stay, so that nbgrader can grade what comes back.

    Raises
    ------
    ValueError
        A region is not closed, or stands in a cell that must not have one.
    """
    notebook = copy.deepcopy(notebook)
    for number, cell in enumerate(notebook.cells, 1):
        grading = cell.metadata.get("nbgrader", {})
        where = f"cell {number} ({grading.get('grade_id', 'not graded')})"
        if "### BEGIN SOLUTION" in cell.source and not grading.get("solution"):
            raise ValueError(f"{where}: a solution in a cell that is not marked as one")
        if "### BEGIN HIDDEN TESTS" in cell.source and not grading.get("grade"):
            raise ValueError(f"{where}: hidden tests in a cell that is not graded")
        try:
            cell.source = strip(cell.source,
                                CODE_STUB if cell.cell_type == "code" else TEXT_STUB)
        except ValueError as error:
            raise ValueError(f"{where}, {error}") from None
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def release(out, names=(), force=False, folder=EXERCISES):
    """Write student versions, all or none.

    Parameters
    ----------
    out : path-like
        Folder to write to; made where it is missing.
    names : collection of str
        Beginnings of the exercises' names, such as ``"03"``; all by default.
    force : bool, default False
        Write over files that differ.
    folder : path-like
        Where the sources are.

    Returns
    -------
    list of pathlib.Path
        The released notebooks, whether or not they had to be written.

    Raises
    ------
    StudyError
        No such exercise; the folder is that of the sources; a region is broken; or a
        file is there already and differs.
    """
    out, every = Path(out), sources(folder)
    chosen = [p for p in every if not names or p.stem.startswith(tuple(names))]
    for name in names:
        if not any(p.stem.startswith(name) for p in every):
            raise StudyError(f"no exercise {name!r}; there are "
                             f"{', '.join(p.stem for p in every)}")
    if not chosen:
        raise StudyError(f"{shown(folder)} holds no exercise; restore it from version control")
    if out.exists() and not out.is_dir():
        raise StudyError(f"{shown(out)} is a file; name a folder to release to")
    if out.resolve() == Path(folder).resolve():
        raise StudyError(f"{shown(out)} is where the solutions are; release to another folder")
    texts = {}
    for path in chosen:
        try:
            texts[out / path.name] = to_text(student(read(path)))
        except ValueError as error:
            raise StudyError(f"{shown(path)}, {error}; mend the marks there") from None
    differing = [p for p, text in texts.items() if p.exists() and _differs(p, text)]
    if differing and not force:
        more = f" (and {len(differing) - 1} more)" if len(differing) > 1 else ""
        raise StudyError(f"{shown(differing[0])}{more} is there already and differs, perhaps a "
                         "student's work; release to another folder, or add --force")
    for path, text in texts.items():
        publish(path, text)
    return list(texts)


def _differs(path, text):
    return path.read_bytes().replace(b"\r\n", b"\n") != text.encode()


def points(notebook):
    """Points of an exercise: what its checks give, and what a person gives.

    Parameters
    ----------
    notebook : nbformat.NotebookNode

    Returns
    -------
    tuple of (int, int)
    """
    checks = people = 0
    for cell in notebook.cells:
        grading = cell.metadata.get("nbgrader", {})
        if grading.get("grade"):
            if grading.get("solution"):
                people += grading["points"]
            else:
                checks += grading["points"]
    return checks, people


def run(arguments, say=print):
    """``course release OUT``: the command.

    Parameters
    ----------
    arguments : list of str
    say : callable

    Returns
    -------
    int
        0; wrong use ends with 2.
    """
    import argparse
    parser = argparse.ArgumentParser(
        prog="reproduce.py course",
        description="Student versions of the exercises in notebooks/exercises: without "
                    "solutions, hidden tests and outputs. nbgrader is not needed.")
    steps = parser.add_subparsers(dest="step", required=True, metavar="release")
    one = steps.add_parser("release", prog="reproduce.py course release",
                           description=parser.description)
    one.add_argument("out", metavar="OUT", help="folder to write to")
    one.add_argument("names", metavar="EXERCISE", nargs="*",
                     help="beginning of a name, such as 03; all by default")
    one.add_argument("--force", action="store_true", help="write over files that differ")
    options = parser.parse_args(arguments)
    for path in release(options.out, options.names, options.force):
        checks, people = points(read(path))
        say(f"{shown(path)}  {checks} points by checks, {people} by a reader")
    return 0
