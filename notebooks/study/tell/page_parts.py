"""The parts of the report: figures, tables and findings as the page prints them."""

import base64
import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from markupsafe import Markup, escape

from study.base.errors import StudyError
from study.base.paths import FIGURES, shown
from study.decide.claims import printed
from study.decide.findings import findings_table
from study.measure.kappa import kappa_table
from study.read.codebook import TITLES
from study.tabulate.rounds import MEASURED
from study.tell import frames as present

ROWS_SHOWN = 60  # of a figure's data; the csv beside it holds all


def emphasis(text):
    """Text with ``*words*`` emphasised, ``**words**`` strongly, and everything else escaped.

    Examples
    --------
    >>> str(emphasis("*most* of <x>"))
    '<em>most</em> of &lt;x&gt;'
    """
    strong = re.sub(r"\*\*([^*\n]+)\*\*", r"<strong>\1</strong>", str(escape(text)))
    return Markup(re.sub(r"\*([^*\n]+)\*", r"<em>\1</em>", strong))


@dataclass(frozen=True)
class Filed:
    """A picture as its files show it: what is drawn need not be drawn again for the page."""

    name: str
    title: str
    caption: str
    alt: str
    folder: Path

    def file(self, suffix):
        """Bytes of the file with that suffix."""
        path = self.folder / f"{self.name}.{suffix}"
        try:
            return path.read_bytes()
        except FileNotFoundError:
            raise StudyError(f"{shown(path)} is missing; make the figures with: "
                             "python reproduce.py") from None


def filed(folder=FIGURES):
    """The pictures of a folder, in the order of its ``index.csv``.

    Parameters
    ----------
    folder : path-like

    Returns
    -------
    list of Filed

    Raises
    ------
    StudyError
        There is no list of figures.
    """
    path = Path(folder) / "index.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [Filed(*(row[k] for k in ("name", "title", "caption", "alt")), Path(folder))
                    for row in csv.DictReader(file)]
    except (FileNotFoundError, KeyError):
        raise StudyError(f"{shown(path)} is no list of figures; make them with: "
                         "python reproduce.py") from None


def figure(picture, glyphs):
    """What the page needs of a picture.

    Parameters
    ----------
    picture : Picture or Filed
    glyphs : dict
        Letters that the pictures of the page share; see :func:`inline_svg`.

    Returns
    -------
    dict
        name, title, caption, alt, svg (to be put into the page), width (of the drawing, in
        CSS pixels), data (a table), rows (how many the data have), csv (an address that holds
        the whole file).
    """
    content = picture.file("csv")
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))
    frame = pd.DataFrame(rows[1:ROWS_SHOWN + 1], columns=rows[0] if rows else [])
    svg, width = inline_svg(picture.file("svg").decode("utf-8"), picture.name, picture.alt, glyphs)
    return {"name": picture.name, "title": picture.title, "caption": picture.caption,
            "alt": picture.alt, "svg": Markup(svg), "width": width, "rows": max(len(rows) - 1, 0),
            "data": table(frame, f"Data of the figure: {picture.title}"),
            "csv": "data:text/csv;base64," + base64.b64encode(content).decode("ascii")}


_GLYPH = re.compile(r'<path id="([^"]+)" (d="[^"]*" transform="scale\([\d.]+\)")\s*/>')
_ASIDE = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>|<title>.*?</title>|<desc>.*?</desc>"
                    r"|<style[^>]*>.*?</style>", re.S)


def inline_svg(svg, name, alt, glyphs):
    """An SVG file as part of a page: no prolog, no metadata, ids of its own, a text for it.

    Parameters
    ----------
    svg : str
    name : str
        Begins every id, so that two figures cannot share one.
    alt : str
    glyphs : dict
        Outline of a letter → its id in the page. Letters found here are added, and left out
        of the drawing: all figures of a page share them.

    Returns
    -------
    tuple of (str, int)
        The element, and its width in CSS pixels.

    Examples
    --------
    >>> inline_svg('<?xml?><svg viewBox="0 0 36 9"><g id="a"/></svg>', "f", "A <b>", {})
    ('<svg role="img" aria-label="A &lt;b&gt;" viewBox="0 0 36 9"><g/></svg>', 48)
    """
    head, rest = _ASIDE.sub("", svg[svg.index("<svg"):].strip()).split(">", 1)
    box = re.search(r'viewBox="([^"]+)"', head)[1]
    letters = {}

    def share(found):
        letters[found[1]] = glyphs.setdefault(found[2], f"g{len(glyphs)}")
        return ""

    def named(found):
        return letters.get(found[2]) or f"{name}-{found[2]}"

    rest = _GLYPH.sub(share, rest)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', rest))
    rest = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", rest)
    rest = re.sub(r'(?:xlink:)?(href=")#([^"]+)', lambda m: f"{m[1]}#{named(m)}", rest)
    rest = re.sub(r"(url\()#([^)]+)", lambda m: f"{m[1]}#{named(m)}", rest)
    # A thousandth of a point is finer than any screen or printer.
    rest = re.sub(r'\b(d|x|y|width|height|points)="[^"]*"', lambda m: re.sub(
        r"\d+\.\d{4,}", lambda n: f"{float(n[0]):.3f}".rstrip("0").rstrip("."), m[0]), rest)
    rest = re.sub(r"\s*\n\s*", "\n", re.sub(r"<defs>\s*</defs>", "", rest))
    return (f'<svg role="img" aria-label="{escape(alt)}" viewBox="{box}">{rest}',
            round(float(box.split()[2]) * 4 / 3))


def table(frame, caption):
    """A frame of text as the page prints it.

    Parameters
    ----------
    frame : pandas.DataFrame
    caption : str

    Returns
    -------
    dict
        caption, head (column names), number (whether a column holds numbers), rows.
    """
    rows = [[str(cell) for cell in row] for row in frame.itertuples(index=False)]
    number = [all(re.match(r"[<−-]?\s?[\d.]|–$|$", row[i]) for row in rows)
              and any(re.match(r"[\d.]", row[i]) for row in rows) for i in range(frame.shape[1])]
    return {"caption": caption, "head": [str(c) for c in frame.columns], "number": number,
            "rows": rows}


def findings(found):
    """The findings as the page prints them.

    Parameters
    ----------
    found : list of dict

    Returns
    -------
    list of dict
        Keys of ``findings.findings_table``; id, stated (in the abstract), kind (the verdict in
        one word), why, readings (a table, or None where there is one reading only).
    """
    rows = []
    for record, row in zip(found, findings_table(found), strict=True):
        every = (table(present.readings(record), f"Readings of: {record['claim']}")
                 if len(record["readings"]) > 1 else None)
        rows.append({**row, "id": record["id"], "stated": record["stated_in"] == "abstract",
                     "kind": record["verdict"].split()[0], "why": record["why"],
                     "readings": every,
                     "of": (record["universes"] or {}).get("of")})
    return rows


def robustness(found):
    """How far each claim depends on the decisions an analyst could have taken.

    Parameters
    ----------
    found : list of dict

    Returns
    -------
    dict
        A table, without rows where no claim depends on decisions.
    """
    rows = []
    for record in found:
        if every := record["universes"]:
            low, high = (printed(every[k], record["unit"]) for k in ("low", "high"))
            rows.append({"claim": record["claim"], "readings": f"{every['of']:,}",
                         "smallest and largest value": f"{low} – {high}",
                         "hangs most on": every["hangs_on"],
                         "which accounts for": printed(every["eta2"], "share")})
    return table(pd.DataFrame(rows), "Claims under every combination of decisions")


def as_filed(study):
    """As filed against repaired: agreement, labels, and which rules fired.

    Parameters
    ----------
    study : Study

    Returns
    -------
    dict
        Tables ``kappa``, ``symptoms``, ``rules``.
    """
    kappas = kappa_table(study.agreement, MEASURED) if len(study.agreement) else pd.DataFrame()
    rows = {}
    for (facet, number), pair in (kappas.groupby(["facet", "round"], sort=False)
                                  if len(kappas) else ()):
        values = pair.set_index("reading")["kappa"].reindex(["as filed", "repaired"])
        one, two = ("–" if pd.isna(v) else printed(float(v), "kappa") for v in values)
        rows.setdefault(facet, {"facet": TITLES[facet]})[f"round {number}"] = (
            one if one == two else f"{one} → {two}")
    rules = study.repairs.groupby("rule")["n"].sum().sort_values(ascending=False, kind="stable")
    known = {rule: f"{n:,}" for rule, n in rules.items()}
    return {"kappa": table(pd.DataFrame(list(rows.values())), "Cohen's kappa; where the "
                           "repairs move it: as filed → repaired"),
            "symptoms": table(_respelled(study), "Symptoms whose count the repairs change"),
            "rules": table(pd.DataFrame({"rule": list(known), "labels": list(known.values())}),
                           "Rules that fired, and on how many labels")}


def _respelled(study):
    filed, mended = (t.groupby("symptom")["n"].sum() for t in
                     (study.faults_as_filed, study.faults))
    both = pd.DataFrame({"as filed": filed, "repaired": mended}).fillna(0).astype(int)
    both = both[both["as filed"] != both["repaired"]].sort_index()
    both["change"] = [f"{d:+d}" for d in both["repaired"] - both["as filed"]]
    return both.rename_axis("symptom").reset_index().astype(str)
