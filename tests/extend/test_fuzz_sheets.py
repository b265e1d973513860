"""No sheet that somebody's program mangled loses a label without a word, or ends in a traceback.

Every node of a workbook's XML and every piece of a csv file is dropped, retyped, nested or
repeated. What is still in the file afterwards must be read as it was, or something be said.
"""

import copy
import io
import os
import random
import re
import zipfile
from xml.etree import ElementTree

import pytest
from test_fuzz import messages, values

from study.base.errors import StudyError
from study.base.files import publish
from study.extend.grid import csv_sheet
from study.extend.handed_in import check_file
from study.extend.workbook import workbook
from study.read.codebook import load_codebook

TIMES = int(os.environ.get("FUZZ", "300"))  # tests/bench_fuzz.py takes 10,000
STRANGE = ("", " ", "x", "0", "-7", "1.5", "99999999999", "1e300", "A1", "ZZZ9", "true", "s", "b",
           "e", "n", "str", "inlineStr", "d", "hidden", "rId1", "/xl/styles.xml", "../..",
           "=1+1", "\u2028")
PARTS = ("xl/workbook.xml", "xl/_rels/workbook.xml.rels", "_rels/.rels", "[Content_Types].xml",
         "xl/styles.xml", "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TEXTS = {"v", "t", "f"}


def tag(node):
    return node.tag.rpartition("}")[2]


def xml_mutated(content, rng):
    """A part with one node changed; how; whether what it held is gone for good."""
    root = ElementTree.fromstring(content)
    parents = {child: parent for parent in root.iter() for child in parent}
    node = rng.choice([root, *parents])
    way = rng.choice(("drop", "retype", "nest", "wrap", "repeat", "text", "attribute"))
    how, gone, parent = f"{way} {tag(node)} {node.attrib}", False, parents.get(node)
    if way in ("retype", "attribute") and node.attrib:
        name = rng.choice(sorted(node.attrib))
        how = f"{how}: {name}"
        gone = (tag(node), name) == ("c", "t")  # the place of a text then is a number itself
        if way == "attribute":
            del node.attrib[name]
        else:
            node.attrib[name] = rng.choice(STRANGE)
    elif way == "text":
        gone = tag(node) in TEXTS
        node.text = rng.choice(STRANGE)
    elif parent is None:
        return content, "nothing", True
    else:
        at = list(parent).index(node)
        if way == "drop":
            parent.remove(node)
            gone = True  # nobody can know that it was there
        elif way == "repeat":
            parent.insert(at, copy.deepcopy(node))
            gone = tag(node) == "si"  # the cells count the texts, and nothing else tells which
        else:
            outer = ElementTree.Element(node.tag if way == "nest" else "x")
            if way == "nest":
                outer.attrib.update(node.attrib)
            parent.remove(node)
            outer.append(node)
            parent.insert(at, outer)
    return ElementTree.tostring(root), how, gone


def book_mutated(content, rng):
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    # Half of the mutations meet the labels, half what leads to them.
    there = [name for name in PARTS if name in parts]
    part = rng.choice((rng.choice(there[5:]), rng.choice(there)))
    parts[part], how, gone = xml_mutated(parts[part], rng)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as book:
        for name, data in parts.items():
            book.writestr(name, data)
    return made.getvalue(), f"{part}: {how}", gone


def csv_mutated(content, rng):
    """The file with a piece of it dropped, retyped, repeated, quoted or parted otherwise."""
    text, gone = content.decode(), False
    lines = text.split("\r\n" if "\r\n" in text else "\n")
    way = rng.choice(("cell", "line", "quote", "mark", "marks", "character", "end", "swap"))
    at = rng.randrange(len(lines) - 1)
    cells = lines[at].split(",")
    i = rng.randrange(len(cells))
    if way == "cell":
        way = rng.choice(("drop", "repeat", "retype"))
        cells[i:i + 1] = {"drop": [], "repeat": [cells[i]] * 2,
                          "retype": [rng.choice(STRANGE)]}[way]
        gone = way == "retype"
        lines[at] = ",".join(cells)
    elif way == "line":
        way = rng.choice(("drop", "repeat", "blank", "header"))
        gone = way in ("drop", "blank")
        lines[at:at + 1] = {"drop": [], "repeat": [lines[at]] * 2, "blank": [""],
                            "header": [lines[0], lines[at]]}[way]
    elif way == "quote":
        cells[i] = rng.choice((cells[i] + '"', '"' + cells[i], f'"{cells[i]}"', f'""{cells[i]}""',
                               cells[i].replace('"', "")))
        lines[at] = ",".join(cells)
    elif way == "mark":
        lines[at] = lines[at].replace(",", rng.choice(";\t|"), rng.choice((1, -1)))
    elif way == "marks":
        lines = [line.replace(",", mark) for mark in [rng.choice(";\t|")] for line in lines]
    elif way == "character":
        spot = rng.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:spot] + rng.choice('"\0\r\u2028\ufeff;,\t\'') + lines[at][spot:]
    elif way == "swap":
        j = rng.randrange(len(cells))
        cells[i], cells[j] = cells[j], cells[i]
        lines[at] = ",".join(cells)
    ends = rng.choice(("\n", "\r\n", "\r")) if way == "end" else "\n"
    return ends.join(lines).encode(), f"{way} in line {at + 1}, cell {i + 1}", gone


def shared(content):
    """The workbook with its texts in a part of their own, as Excel saves it."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        parts = {name: book.read(name).decode() for name in book.namelist()}
    texts = []

    def moved(found):
        texts.append(found[2])
        return f'<c{found[1]} t="s"><v>{len(texts) - 1}</v></c>'

    for name in parts:
        if name.startswith("xl/worksheets/sheet"):
            parts[name] = re.sub(r'<c([^>]*) t="inlineStr"><is>(.*?)</is></c>', moved, parts[name])
    kind = "sharedStrings"
    parts[f"xl/{kind}.xml"] = (f'<sst xmlns="{MAIN}">' + "".join(f"<si>{t}</si>" for t in texts)
                               + "</sst>")
    parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace(
        "</Relationships>", f'<Relationship Id="rIdS" Type="{OFFICE}/{kind}" Target="{kind}.xml"/>'
        "</Relationships>")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as book:
        for name, text in parts.items():
            book.writestr(name, text)
    return made.getvalue()


@pytest.mark.parametrize("form", ["xlsx", "xlsx-shared", "csv"])
def test_mutations_end_in_findings(form, filled, started, monkeypatch):
    tasks, said = filled
    book = load_codebook()  # read once: most of the time otherwise
    monkeypatch.setattr(type(started), "codebook", lambda *_: book)
    path = started.sheets / f"round1-R1.{form[:4].rstrip('-')}"
    for other in started.sheets.glob("round1*"):
        other.unlink()
    content = (csv_sheet(tasks[:4], said["R1"]) if form == "csv" else
               workbook(tasks[:4], "1", "R1", book, said["R1"]))
    content = shared(content) if form == "xlsx-shared" else content
    content = content.encode() if isinstance(content, str) else content
    publish(path, content)
    checked = check_file(path, started)
    whole, before = values(checked), messages(checked)
    assert len(whole) > 10
    rng = random.Random(f"{form} 20230803")
    silent = []
    for _ in range(TIMES):
        changed, how, gone = (csv_mutated if form == "csv" else book_mutated)(content, rng)
        publish(path, changed)
        try:
            checked = check_file(path, started)
        except StudyError as error:
            told = str(error)
        else:
            told = " ".join(messages(checked))
            if not gone and whole - values(checked) and not messages(checked) - before:
                silent.append((how, whole - values(checked), values(checked) - whole))
        assert "object has no attribute" not in told and "Error(" not in told, (how, told)
    assert not silent, silent[:20]
