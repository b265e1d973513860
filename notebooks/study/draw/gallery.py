"""All figures of the study: what draws them, their files, and whether they changed."""

import io
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from PIL import Image, ImageChops

from study.base.errors import StudyError
from study.base.files import other_versions, sha256, write_whole
from study.base.paths import FIGURES as FOLDER
from study.base.paths import shown
from study.decide import multiverse
from study.draw.agreement import kappa_by_round, kappa_repaired
from study.draw.categories import symptom_categories
from study.draw.collection import collection_funnel, how_to_topics
from study.draw.disagreement import disagreements
from study.draw.fixes import fix_coverage, symptom_by_fix
from study.draw.forest import headline_by_framework
from study.draw.frameworks import frameworks_side_by_side
from study.draw.levels import frequent_thresholds, system_level_shares
from study.draw.newer import newer_frameworks
from study.draw.picture import FORMATS
from study.draw.readings import readings_chart
from study.draw.symptoms import specific_shares
from study.draw.taxonomy import taxonomy_icicle
from study.measure import newer
from study.measure.composition import composition
from study.measure.kappa import both_ways, kappa_table

# Byte for byte the same only with the same versions of what draws and packs them.
SUMS = "checksums.sha256"
DRAWN_WITH = ("matplotlib", "numpy", "pandas", "pillow")


@dataclass(frozen=True)
class Entry:
    """One figure: its name, the function that draws it, and how a study is handed to it."""

    name: str
    draw: object
    of: object

    @property
    def made_by(self):
        """Module and function, as ``module:function``."""
        return f"{self.draw.__module__}:{self.draw.__name__}"


@dataclass(frozen=True)
class Extra:
    """What a few figures need besides the study.

    Attributes
    ----------
    published : int or None
        The number of symptom categories a paper on the study states.
    universes : pandas.DataFrame or None
        As ``multiverse.multiverse`` returns it; made anew where it is missing.
    """

    published: int | None = None
    universes: object = None


def _readings(claim):
    def of(study, extra):
        table = extra.universes
        return multiverse.multiverse(study, [claim]) if table is None else table, claim
    return Entry(f"readings_{claim.id}", readings_chart, of)


FIGURES = (
    Entry("collection_funnel", collection_funnel, lambda s, _: (s.collection,)),
    Entry("kappa_by_round", kappa_by_round, lambda s, _: (both_ways(s.agreement),)),
    Entry("kappa_repaired", kappa_repaired, lambda s, _: (kappa_table(s.agreement),)),
    Entry("disagreement_fix_pattern", disagreements, lambda s, _: (s.agreement,)),
    Entry("how_to_topics", how_to_topics, lambda s, _: (s.questions,)),
    Entry("taxonomy", taxonomy_icicle, lambda s, _: (s.faults, s.codebook)),
    Entry("symptom_categories", symptom_categories,
          lambda s, extra: (s.faults, s.faults_as_filed, extra.published)),
    Entry("specific_share_by_symptom", specific_shares, lambda s, _: (s.faults,)),
    Entry("symptom_by_fix_pattern", symptom_by_fix, lambda s, _: (s.faults,)),
    Entry("fix_coverage", fix_coverage, lambda s, _: (s.faults,)),
    Entry("frequent_fix_thresholds", frequent_thresholds, lambda s, _: (s.faults,)),
    Entry("system_level", system_level_shares, lambda s, _: (s.faults, s.codebook)),
    Entry("frameworks", frameworks_side_by_side,
          lambda s, _: (s.faults, s.questions, s.codebook)),
    Entry("headline_by_framework", headline_by_framework, lambda s, _: (composition(s),)),
    Entry("model_labelled_newer_frameworks", newer_frameworks, lambda s, _: (newer.beside(s),)),
    *(_readings(claim) for claim in multiverse.read_in_several_ways().values()),
)


def draw(name, study, published_categories=None, universes=None):
    """Draw one figure.

    Parameters
    ----------
    name : str
        One of the names in ``FIGURES``.
    study : Study
    published_categories : int, optional
        The number of symptom categories a paper on the study states.
    universes : pandas.DataFrame, optional
        As ``multiverse.multiverse`` returns it; saves making it anew.

    Returns
    -------
    Picture

    Raises
    ------
    StudyError
        Where there is no figure of that name.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> draw("taxonomy", load_study())
    Picture('taxonomy')
    """
    for entry in FIGURES:
        if entry.name == name:
            return entry.draw(*entry.of(study, Extra(published_categories, universes)))
    raise StudyError(f"no figure {name!r}; there are {', '.join(e.name for e in FIGURES)}")


def render(study, published_categories=None, universes=None):
    """Draw every figure of a study, or of an extension of it.

    Parameters
    ----------
    study : Study
    published_categories : int, optional
    universes : pandas.DataFrame, optional

    Returns
    -------
    list of Picture
        In the order of ``FIGURES``.
    """
    return [draw(entry.name, study, published_categories, universes) for entry in FIGURES]


def index(pictures):
    """The list of figures with caption and alt text.

    Parameters
    ----------
    pictures : list of Picture

    Returns
    -------
    pandas.DataFrame
        Columns name, title, caption, alt, made_by, columns (of the data, joined with ``;``).
    """
    made_by = {entry.name: entry.made_by for entry in FIGURES}
    made_by |= {f"model_labelled_{name}": by for name, by in made_by.items()}
    return pd.DataFrame([{"name": p.name, "title": p.title, "caption": p.caption, "alt": p.alt,
                          "made_by": made_by.get(p.name, ""), "columns": ";".join(p.data.columns)}
                         for p in pictures],
                        columns=["name", "title", "caption", "alt", "made_by", "columns"])


def _index_text(pictures):
    return index(pictures).to_csv(index=False, lineterminator="\n")


def save(pictures, folder=FOLDER):
    """Write each figure as SVG, PDF and PNG, its data as CSV, ``index.csv`` and the sums.

    Parameters
    ----------
    pictures : list of Picture
    folder : path-like

    Returns
    -------
    list of pathlib.Path
        Files that changed. A PNG that shows the same, dot for dot, is left as it is:
        how it is packed depends on the machine.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for picture in pictures:
        for form in FORMATS:
            path = folder / f"{picture.name}.{form}"
            made = picture.file(form)
            if not _same(path, made):
                write_whole(path, made)
                changed.append(path)
    for name, text in (("index.csv", _index_text(pictures)), (SUMS, _sums_text(pictures, folder))):
        if not _same(folder / name, text.encode()):
            write_whole(folder / name, text)
            changed.append(folder / name)
    return changed


def _sums_text(pictures, folder):
    """Sums of the files as they lie there, in the form of ``sha256sum -c``."""
    names = sorted(f"{p.name}.{form}" for p in pictures for form in FORMATS)
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in names)


def _recorded(folder):
    path = folder / SUMS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {name: total for total, _, name in (line.partition("  ") for line in lines)}


def compare(pictures, folder=FOLDER):
    """Differences between figures as drawn now and as they lie in a folder.

    Parameters
    ----------
    pictures : list of Picture
    folder : path-like

    Returns
    -------
    list of str
        One line a file, empty where there is none. Under other versions of the drawing
        libraries than ``requirements.lock`` names (see ``publish.other_versions``), only the
        data behind the figures and the list of them are compared.
    """
    folder, other = Path(folder), other_versions(names=DRAWN_WITH)
    forms = ("csv",) if other else FORMATS
    hint = ""
    if other:
        found = ", ".join(f"{name} {version}" for name, version in other.items())
        hint = f" (only the data are compared: {found} is not the locked version)"
    lines, recorded = [], _recorded(folder)
    for picture in pictures:
        drawn = folder / f"{picture.name}.svg"
        # PDF and PNG are slow to make. Where the same drawing gave the same SVG, and the
        # two are the files that were saved with it, nothing new can come of drawing them.
        settled = not other and _same(drawn, picture.file("svg"))
        for form in forms:
            path = folder / f"{picture.name}.{form}"
            if not path.exists():
                lines.append(f"{shown(path)} is missing{hint}")
            elif settled and form in ("pdf", "png") and recorded.get(path.name) == sha256(path):
                continue
            elif not _same(path, picture.file(form)):
                lines.append(f"{shown(path)} differs{hint}")
    path = folder / "index.csv"
    if not _same(path, _index_text(pictures).encode()):
        lines.append(f"{shown(path)} {'differs' if path.exists() else 'is missing'}{hint}")
    if not (other or lines or _same(folder / SUMS, _sums_text(pictures, folder).encode())):
        lines.append(f"{shown(folder / SUMS)} differs")
    return lines + [f"{shown(path)} belongs to no figure" for path in strangers(pictures, folder)]


def strangers(pictures, folder=FOLDER):
    """Files of a figure's kind in a folder that no figure has.

    Returns
    -------
    list of pathlib.Path
    """
    known = {f"{p.name}.{form}" for p in pictures for form in FORMATS} | {"index.csv"}
    return sorted(p for p in Path(folder).iterdir()
                  if p.suffix[1:] in FORMATS and p.name not in known)


def _same(path, made):
    """Whether a file holds these bytes, text line ends and PNG packing aside."""
    path = Path(path)
    if not path.exists():
        return False
    there = path.read_bytes()
    if there == made:
        return True
    if path.suffix == ".png":
        return _same_dots(there, made)
    return path.suffix in (".csv", ".svg") and there.replace(b"\r\n", b"\n") == made


def _same_dots(one, two):
    try:
        first, second = (Image.open(io.BytesIO(data)).convert("RGBA") for data in (one, two))
    except OSError:
        return False
    return first.size == second.size and not ImageChops.difference(first, second).getbbox(
        alpha_only=False)
