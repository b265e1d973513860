"""The folder of an extension: what lies where, and its plan."""

import csv
import io
import json
import re
from dataclasses import dataclass
from pathlib import Path

from study.base import paths
from study.base.errors import StudyError
from study.base.files import publish
from study.base.paths import DATA, extension_names, shown
from study.base.words import guarded, unguarded
from study.read.codebook import load_codebook, newest_codebook
from study.read.form import MODEL_LABELLED, Task, by_models

TASKS = ("order", "item", "source", "url", "round", "title", "excerpt", "resolution")


@dataclass(frozen=True)
class Extension:
    """An extension of the study, by its folder.

    Attributes
    ----------
    folder : pathlib.Path
    """

    folder: Path

    @property
    def name(self):
        """Its name: the folder's."""
        return self.folder.name

    @property
    def sheets(self):
        """Folder of the raters' sheets."""
        return self.folder / "sheets"

    def path(self, name):
        """A file of the extension."""
        return self.folder / name

    def named(self, name):
        """The name of a file that rests on the labels: model-labelled where models rated."""
        return f"{MODEL_LABELLED}-{name}" if by_models(self.plan["raters"]) else name

    def result(self, name):
        """A file that rests on the labels; see :meth:`named`."""
        return self.path(self.named(name))

    @property
    def plan(self):
        """What was decided before labelling: raters, rounds, seed, sample, codebook versions."""
        try:
            return json.loads(self.path("plan.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            known = ", ".join(extension_names()) or "none yet"
            raise StudyError(f"no extension {self.name!r} (there is: {known}); start one with "
                             f"`python reproduce.py label new {self.name} --from SNAPSHOT`"
                             ) from None
        except ValueError as error:
            raise StudyError(f"{shown(self.path('plan.json'))}: no JSON ({error}); restore it"
                             ) from None

    def tasks(self, number=None):
        """Threads to label, of one round or all, in the order of labelling.

        Returns
        -------
        list of Task
        """
        made = [Task(r["item"], r["source"], r["title"], r["excerpt"], r["resolution"], r["round"])
                for r in read_csv(self.path("sample.csv"), TASKS)]
        return [t for t in made if number is None or t.round == number]

    def given(self, number):
        """Thread → link, title and source as handed out, of one round in its order."""
        names = {"link": "url", "title": "title", "source": "source"}
        at = {name: TASKS.index(column) for name, column in names.items()}
        item, own = TASKS.index("item"), TASKS.index("round")
        return {r[item]: {name: r[i] for name, i in at.items()}
                for r in csv_rows(self.path("sample.csv"), TASKS) if r[own] == number}

    def codebook(self, number=None):
        """The codebook of a round; without a round the newest one."""
        versions = self.plan["codebook"]
        return load_codebook(self.codebook_path(versions[number] if number
                                                else self.newest_version()))

    def newest_version(self):
        """Version of the newest codebook."""
        newest = newest_codebook(self.folder)
        own = newest.parent == self.folder
        return newest.stem.removeprefix("codebook-") if own else str(load_codebook().version)

    def codebook_path(self, version):
        """File of one version: the study's own, or ``codebook-VERSION.toml``."""
        own = self.path(f"codebook-{version}.toml")
        if own.exists():
            return own
        if version == load_codebook().version:
            return DATA / "codebook.toml"
        raise StudyError(f"{shown(own)} is missing; round(s) of {self.name} were labelled with "
                         "it: restore it")


def extension(name):
    """An extension by name or folder; whether it exists shows when it is read.

    Parameters
    ----------
    name : str or path-like
        A bare name stands for ``data/extensions/NAME``.

    Returns
    -------
    Extension

    Raises
    ------
    StudyError
        The name has other characters than a-z, 0-9 and ``-``.

    Examples
    --------
    >>> extension("deepspeed").name
    'deepspeed'
    """
    path = Path(name)
    if path.is_absolute() or len(path.parts) > 1 or str(name).startswith("."):
        path = path.resolve()
    else:
        path = paths.EXTENSIONS / path
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", path.name):
        raise StudyError(f"extension {path.name!r}: use a-z, 0-9 and - in its name only")
    return Extension(path)


def read_csv(path, columns):
    """Rows of one of our own csv files, as dicts; see :func:`csv_rows`."""
    return [dict(zip(columns, row, strict=True)) for row in csv_rows(path, columns)]


def csv_rows(path, columns):
    """Rows of one of our own csv files; StudyError with the place where it is damaged."""
    path, number, columns = Path(path), 0, list(columns)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            # Spreadsheet programs save with what their country separates lists by.
            first = stream.readline()
            mark = next((m for m in ";\t" if next(csv.reader([first], delimiter=m), []) == columns),
                        ",")
            stream.seek(0)
            for number, row in enumerate(csv.reader(stream, delimiter=mark, strict=True), 1):
                if number == 1 and row != columns:
                    break
                if not any(row):
                    continue
                if len(row) != len(columns):
                    raise StudyError(f"{shown(path)}, row {number}: {len(row)} cells, not "
                                     f"{len(columns)}; restore it")
                if number > 1:
                    yield [unguarded(cell) if cell[:1] == "'" else cell for cell in row]
            else:
                if number:
                    return
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; restore it") from None
    except UnicodeDecodeError:
        raise StudyError(f"{shown(path)}: not UTF-8; save it as CSV UTF-8") from None
    except csv.Error as error:
        raise StudyError(f"{shown(path)} is no csv ({error}); restore it") from None
    raise StudyError(f"{shown(path)}, row 1: the columns must be {', '.join(columns)}")


def csv_text(columns, rows):
    """Text of a csv file: UTF-8, LF, no text that a spreadsheet program runs as a formula.

    Examples
    --------
    >>> csv_text(("a", "b"), [(-1, "x,y"), (2, "=1+1")])
    'a,b\\n-1,"x,y"\\n2,\\'=1+1\\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    # A line end within a cell is LF, too: the csv module leaves others without quotation marks.
    writer.writerows([guarded(v.replace("\r\n", "\n").replace("\r", "\n"))
                      if isinstance(v, str) else v for v in row] for row in rows)
    return buffer.getvalue()


def json_text(content):
    """Text of a JSON file: sorted, indented, UTF-8, LF."""
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write_new(path, content, force=False):
    """Write a sheet; never over one that is there.

    Parameters
    ----------
    path : pathlib.Path
    content : bytes or str
    force : bool
        Keep the old one beside the new one instead of refusing.

    Returns
    -------
    pathlib.Path or None
        Where the old one was kept.

    Raises
    ------
    StudyError
        The file is there (with other bytes) and ``force`` is not given.
    """
    path, kept = Path(path), None
    new = content.encode() if isinstance(content, str) else content
    if path.exists() and path.read_bytes() != new:
        if not force:
            raise StudyError(f"{shown(path)} is there already and may be filled in; nothing was "
                             "written. --force keeps it beside the new one")
        number = 1
        while (kept := path.with_name(f"{path.stem}.old{number}{path.suffix}")).exists():
            number += 1
        path.rename(kept)
    publish(path, new)
    return kept
