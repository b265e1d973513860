"""The report: the study on one page that needs no network, no Jupyter and no server."""

import base64
import hashlib
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from study.base.errors import StudyError
from study.base.files import publish
from study.base.paths import FIGURES, RAW, shown
from study.base.threads import thread_url
from study.measure.composition import composition
from study.measure.contrasts import comparisons
from study.measure.fixes import coverage
from study.tell import frames as present
from study.tell import page_trees as reporttrees
from study.tell import sentences as readout
from study.tell.meaning import meaning
from study.tell.page_parts import as_filed, emphasis, figure, filed, findings, robustness, table

TEMPLATES = Path(__file__).with_name("templates")
COMMITTED, WITH_THREADS = FIGURES / "report.html", RAW / "report.html"
ROWS = ["thread", "stage", "group", "symptom", "fix_patterns", "topic", "subtopic"]

# Which figures and which sentences tell which part. A figure named nowhere comes last.
PARTS = (
    ("collection", "Where the issues come from, and what developers ask",
     ("collection_funnel", "how_to_topics"), ("collection", "kinds", "topics")),
    ("agreement", "How well the two raters agreed",
     ("kappa_by_round", "kappa_repaired", "disagreement_fix_pattern"),
     ("rounds", "agreement", "independence", "round_changes", "repairs", "confusion",
      "adjudication", "changes")),
    ("symptoms", "How faults show, and which are specific to distributed training",
     ("taxonomy", "symptom_categories", "specific_share_by_symptom"),
     ("stages", "shared", "shared_by_chance")),
    ("fixes", "How faults are mended",
     ("symptom_by_fix_pattern", "fix_coverage", "frequent_fix_thresholds", "system_level"),
     ("fixes", "frequent", "frequent_by_chance", "system")),
    ("differences", "Whether platforms and frameworks differ", ("frameworks",), ("differences",)),
    ("hangs", "What the findings hang on", ("headline_by_framework", "readings_*"),
     ("by_framework", "contested", "saturated", "precision")),
    ("newer", "Newer frameworks (model-labelled)", ("model_labelled_newer_frameworks",),
     ("newer_agreement", "newer_differences", "newer_shares", "newer_new")),
    ("more", "More figures", (), ()),
)


def render(study, found, pictures, threads=None):
    """The page.

    Parameters
    ----------
    study : Study
    found : list of dict
        As ``findings.findings`` returns it.
    pictures : list of Picture
        Each with name, title, caption, alt, and ``file("svg")``, ``file("csv")``: as drawn
        (``gallery.render``) or as they lie in a folder (``reportparts.filed``).
    threads : pandas.DataFrame, optional
        As :func:`read_threads` returns it; adds links to the threads behind each count.

    Returns
    -------
    str
        HTML. The same arguments give the same text.
    """
    glyphs = {}
    parts = [part(study, pictures, glyphs, *which) for which in PARTS]
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                              keep_trailing_newline=True)
    environment.filters["emphasis"] = emphasis
    script = (TEMPLATES / "report.js").read_text(encoding="utf-8")
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    text = environment.get_template("report.html.j2").render(
        script=Markup(script), style=Markup(style), script_sum=_sum(script),
        parts=[p for p in parts if p["id"] != "hangs" and (p["figures"] or p["sentences"])],
        hangs=next(p for p in parts if p["id"] == "hangs"), glyphs=Markup("\n".join(
            f'<path id="{name}" {outline}/>' for outline, name in glyphs.items())),
        issues=int(study.faults["n"].sum() + study.questions["n"].sum()),
        findings=findings(found), robustness=robustness(found),
        in_short=[line.removeprefix("- ") for line in meaning(study, found).splitlines()],
        stages=reporttrees.stages(study, threads), topics=reporttrees.topics(study, threads),
        patterns=reporttrees.patterns(study), has_threads=threads is not None,
        filed=as_filed(study), url=thread_url)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _sum(script):
    """What the page's content policy calls its one script: nothing else may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def part(study, pictures, glyphs, ident, title, figures, sentences):
    """One part of the page: its sentences, figures and tables.

    Parameters
    ----------
    study : Study
    pictures : list of Picture
    glyphs : dict
        Letters that the pictures of the page share.
    ident, title : str
    figures, sentences : tuple of str
        Names of pictures (``*`` stands for anything), and of functions of ``study.tell.sentences``.

    Returns
    -------
    dict
    """
    placed = [name for _, _, names, _ in PARTS for name in names]
    wanted = placed if ident == "more" else figures
    chosen = [p for p in pictures
              if any(fnmatchcase(p.name, name) for name in wanted) != (ident == "more")]
    said = [getattr(readout, name)(study) for name in sentences]
    tables = []
    if ident == "differences":
        tables = [table(present.table(comparisons(study), [
            "comparison", "n", "rows", "columns", "chi2", "df", "p_holm", "v_corrected", "low",
            "high"], unit="kappa"), "Every comparison, with its effect size")]
    elif ident == "fixes":
        tables = [table(present.table(coverage(study.faults, "stage", codebook=study.codebook), [
            "stage", "n", "patterns", "first", "top_1_share", "top_2_share", "top_3_share"]),
            "Faults mended by the first one, two and three fix patterns of a stage")]
    return {"id": ident, "title": title, "sentences": said, "tables": tables,
            "figures": [figure(p, glyphs) for p in chosen]}


def read_threads(path=RAW / "issues.csv"):
    """The issues row by row, as ``python reproduce.py data`` leaves them.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    pandas.DataFrame or None
        None where there is no such file.

    Raises
    ------
    StudyError
        The file has other columns, or names something that is no thread.
    """
    path = Path(path)
    if not path.exists():
        return None
    remedy = "make it anew with: python reproduce.py data"
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except (ValueError, UnicodeDecodeError) as error:
        raise StudyError(f"{shown(path)} is no table ({error}); {remedy}") from None
    if missing := [c for c in ROWS if c not in rows.columns]:
        raise StudyError(f"{shown(path)} has no column {missing[0]!r}; {remedy}")
    for number, key in enumerate(rows["thread"], 2):
        try:
            thread_url(key)
        except StudyError as error:
            raise StudyError(f"{shown(path)}, row {number}, column thread: {error}") from None
    return rows


def run(arguments, say=print):
    """``report``: the command.

    Parameters
    ----------
    arguments : list of str
    say : callable

    Returns
    -------
    int
    """
    import argparse
    argparse.ArgumentParser(
        prog="reproduce.py report",
        description=f"Writes {shown(COMMITTED)}, made from the counts and the figures. Where "
                    f"{shown(RAW)}/issues.csv is there (python reproduce.py data), writes "
                    f"{shown(WITH_THREADS)} as well, with links to the threads behind each "
                    "count; that one is not for version control.").parse_args(arguments)
    from study.decide import findings as decided
    from study.decide.multiverse import multiverse
    from study.tabulate.tables import load_study
    study, threads = load_study(), read_threads()
    found = decided.findings(study, universes=multiverse(study), composition=composition(study))
    pictures = filed()
    pages = {COMMITTED: None} | ({WITH_THREADS: threads} if threads is not None else {})
    for path, rows in pages.items():
        text = render(study, found, pictures, rows)
        changed = publish(path, text)
        say(f"{shown(path)}  {len(text.encode()) / 1e6:.1f} MB  "
            + ("written" if changed else "as it was"))
    return 0
