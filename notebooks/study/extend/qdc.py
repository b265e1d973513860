"""The codebook in REFI-QDA's exchange form (.qdc), for NVivo, MAXQDA, ATLAS.ti, QualCoder."""

import uuid
from collections import Counter
from xml.etree import ElementTree as ET

from study.base.errors import StudyError
from study.read.codebook import FACETS
from study.read.form import TITLES

SPACE = "urn:QDA-XML:codebook:1.0"
# Identifiers are made of the path of a code, so that the same codebook is the same file.
_ROOT = uuid.uuid5(uuid.NAMESPACE_URL, SPACE)


def qdc(codebook, unique=False):
    """Text of a ``.qdc`` file: a code a label, below a code for its column.

    Parameters
    ----------
    codebook : Codebook
    unique : bool
        Names that occur more than once get the path above them: QualCoder keeps one code of
        each name.

    Returns
    -------
    str
        Symptoms stand under stage and group; a symptom of two stages is two codes, as
        programs for qualitative data need it.
    """
    ET.register_namespace("", SPACE)
    top = ET.Element(f"{{{SPACE}}}CodeBook", origin=f"codebook version {codebook.version}")
    codes = ET.SubElement(top, f"{{{SPACE}}}Codes")
    for facet in FACETS:
        if facet in ("group", "symptom", "subtopic"):
            continue
        column = _code(codes, (facet,), TITLES[facet], "", codable=False)
        for entry in _final(codebook, facet):
            inner = _code(column, (facet, entry.name), entry.name, _text(entry))
            if facet == "stage":
                _below_stage(codebook, inner, entry.name)
            elif facet == "topic":
                _leaves(codebook, inner, "subtopic", entry.name, (facet, entry.name))
    if unique:
        _unique(codes)
    ET.indent(top, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(top, "unicode") + "\n"


def _below_stage(codebook, inner, stage):
    for group in _final(codebook, "group"):
        if stage in group.parents:
            path = ("stage", stage, group.name)
            deeper = _code(inner, path, group.name, _text(group))
            _leaves(codebook, deeper, "symptom", f"{stage}/{group.name}", path)
    _leaves(codebook, inner, "symptom", stage, ("stage", stage))


def _unique(codes):
    """Give names that occur more than once, whatever their case, the path above them."""
    tag = f"{{{SPACE}}}Code"
    often = Counter(code.get("name").casefold() for code in codes.iter(tag))

    def walk(parent, path):
        for code in parent.findall(tag):
            here = (*path, code.get("name"))
            walk(code, here)
            if often[here[-1].casefold()] > 1:
                code.set("name", f"{here[-1]} ({' / '.join(path)})" if path else here[-1])
    walk(codes, ())


def _leaves(codebook, parent, facet, below, path):
    for entry in _final(codebook, facet):
        if below in entry.parents:
            _code(parent, (*path, entry.name), entry.name, _text(entry))


def _final(codebook, facet):
    return [e for e in codebook.entries[facet] if e.status == "final"]


def _text(entry):
    return " ".join(t for t in (entry.definition, entry.decision) if t)


def _code(parent, path, name, description, codable=True):
    code = ET.SubElement(parent, f"{{{SPACE}}}Code", guid=str(uuid.uuid5(_ROOT, "/".join(path))),
                         name=name, isCodable=str(codable).lower())
    if description:
        ET.SubElement(code, f"{{{SPACE}}}Description").text = description
    return code


def read_qdc(text):
    """Paths of the codes in a ``.qdc`` file.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of (tuple of str, str)
        Names from the top down, and the description.

    Raises
    ------
    StudyError
        No such file.
    """
    try:
        top = ET.fromstring(text.removeprefix("\ufeff"))
    except ET.ParseError as error:
        raise StudyError(f"no .qdc file ({error})") from None
    if top.tag != f"{{{SPACE}}}CodeBook":
        raise StudyError(f"no .qdc file: its first element is {top.tag}, not CodeBook")

    def walk(parent, path):
        for code in parent.findall(f"{{{SPACE}}}Code"):
            here = (*path, code.get("name"))
            yield here, code.findtext(f"{{{SPACE}}}Description", "")
            yield from walk(code, here)
    return list(walk(top.find(f"{{{SPACE}}}Codes"), ()))
