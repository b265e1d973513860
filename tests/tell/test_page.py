"""The report: one page, self-contained, escaped, the same bytes every time."""

import csv
import dataclasses
import hashlib
import io
import itertools
import json
import re
import time
from base64 import b64decode, b64encode
from fnmatch import fnmatchcase
from html.parser import HTMLParser

import pandas as pd
import pytest

from study.base.errors import StudyError
from study.base.paths import FIGURES, STUDY
from study.base.threads import thread_url
from study.decide import findings as decided
from study.tell import page as report
from study.tell import page_parts as reportparts
from study.tell import page_trees as reporttrees

VOID = {"meta", "link", "input", "br", "img", "hr"}
NASTY = "<script>alert(1)</script>"
GLYPH = 'd="M 0 0\nL 1 0" transform="scale(0.015625)"'
SVG = ('<?xml version="1.0"?>\n<svg width="72pt" height="9pt" viewBox="0 0 72 9" xmlns="x">'
       '<title>t</title><desc>d</desc><metadata>m</metadata><defs><style>*{a: b}</style></defs>'
       '<!-- words --><g id="axes_1" clip-path="url(#p)"><defs>'
       f'<path id="DejaVuSans-29" {GLYPH}/></defs><use xlink:href="#DejaVuSans-29"/>'
       '<path d="M 1.234567 8"/></g><defs><clipPath id="p"/></defs></svg>').encode()


@dataclasses.dataclass
class Drawn:
    """A picture that needs no file."""

    name: str
    title: str
    caption: str
    alt: str
    content: bytes = b"a,b\nx,1\n"

    def file(self, suffix):
        return {"csv": self.content, "svg": SVG}[suffix]


class Page(HTMLParser):
    """Elements of a page, in order, and what is wrong with their nesting."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.wrong, self.words = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), list(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), list(self.open)))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}, {self.getpos()}")
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "script" not in self.open and "style" not in self.open:
            self.words.append(data)

    def all(self, tag):
        return [attributes for name, attributes, _ in self.elements if name == tag]


@pytest.fixture(scope="module")
def found():
    return json.loads((STUDY / "findings.json").read_text(encoding="utf-8"))["findings"]


@pytest.fixture(scope="module")
def filed():
    return reportparts.filed()


@pytest.fixture(scope="module")
def text(study, found, filed):
    return report.render(study, found, filed)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_the_committed_page_is_what_the_committed_counts_and_figures_give(text):
    committed = (FIGURES / "report.html").read_bytes().replace(b"\r\n", b"\n")
    assert committed.decode("utf-8") == text, "run: python reproduce.py report"


@pytest.fixture(scope="module")
def few(study):
    """The study with the agreement of one round: most of a page's time goes into the others."""
    return dataclasses.replace(study, agreement=study.agreement[study.agreement["round"] == "2"])


def test_the_same_arguments_give_the_same_text_in_another_time_zone(few, found, monkeypatch):
    """The committed page has shown already that the hash seed does not matter."""
    first = report.render(few, found, [])
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    if hasattr(time, "tzset"):
        time.tzset()
    try:
        assert report.render(few, found, []) == first
    finally:
        monkeypatch.undo()
        if hasattr(time, "tzset"):
            time.tzset()


def test_it_stays_under_three_megabytes(text):
    assert len(text.encode()) < 3_000_000


def test_lines_end_in_lf_without_blanks_before(text):
    assert "\r" not in text and text.endswith("</html>\n")
    assert not re.search(r"[ \t]\n", text)


def test_nothing_of_a_machine_is_in_it(text):
    plain = re.sub(r'href="data:[^"]*"', "", text)
    assert not re.search(r"/home/|/tmp/|/root|\\Users\\|0x[0-9a-f]{6,}", plain)
    assert not re.search(r"\b20(2[6-9]|[3-9]\d)-\d\d-\d\d", plain)


def test_it_is_well_formed(page):
    assert page.wrong == [] and page.open == []


def test_it_asks_for_nothing_outside(page):
    for tag, attributes, _ in page.elements:
        for name, value in attributes.items():
            value = value or ""
            if name in ("src", "srcset", "data", "action", "poster", "formaction"):
                pytest.fail(f"<{tag} {name}={value!r}> loads something")
            if name.endswith("href") and not value.startswith(("#", "data:")):
                assert tag == "a" and value.startswith(
                    ("https://doi.org/", "https://arxiv.org/", "https://github.com/")), value
            assert "url(" not in value.replace("url(#", ""), value
    assert not {"iframe", "object", "embed", "img", "base"} & {t for t, _, _ in page.elements}


def test_style_and_script_load_nothing():
    for name in ("report.css", "report.js"):
        content = (report.TEMPLATES / name).read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(|https?:|fetch\(|XMLHttp|innerHTML|eval\(", content)


def test_only_its_own_script_may_run(page, text):
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert "default-src 'none'" in policy
    script = re.search(r"<script>(.*?)</script>", text, re.S)[1]
    own = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{own}'" in policy and policy.count("sha256") == 1
    assert text.count("<script") == 1


def test_every_figure_has_a_picture_a_text_for_it_a_caption_and_its_data(page, filed, text):
    assert len(page.all("figure")) == len(filed) > 0
    for picture in filed:
        assert f'id="figure-{picture.name}"' in text
    drawings = [a for a in page.all("svg") if "role" in a]
    assert [a["aria-label"] for a in drawings] == [
        p.alt for name in [f["id"].removeprefix("figure-") for f in page.all("figure")]
        for p in filed if p.name == name]
    assert all(a["role"] == "img" and len(a["aria-label"]) > 40 for a in drawings)
    saved = {a["download"]: a["href"] for a in page.all("a") if "download" in a}
    for picture in filed:
        assert b64decode(saved[f"{picture.name}.csv"].split(",", 1)[1]) == picture.file("csv")
    assert len(page.all("figcaption")) == len(filed)


def test_figures_are_told_where_they_belong(filed):
    named = [name for _, _, names, _ in report.PARTS for name in names]
    placed = [[n for n in named if fnmatchcase(p.name, n)] for p in filed]
    assert all(len(names) == 1 for names in placed)
    assert {n for names in placed for n in names} == set(named)


def test_headings_come_in_order(page):
    levels = [int(t[1]) for t, _, _ in page.elements if re.fullmatch(r"h[1-6]", t)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


def test_landmarks_language_and_skip_link(page):
    tags = [t for t, _, _ in page.elements]
    assert [tags.count(t) for t in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
    assert page.all("html")[0]["lang"] == "en"
    assert page.all("a")[0]["href"] == "#main"


def test_ids_are_unique_and_every_inner_link_leads_somewhere(page):
    ids = [a["id"] for _, a, _ in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for tag, attributes, _ in page.elements:
        for name, value in attributes.items():
            value = value or ""
            if name.endswith("href") and value.startswith("#"):
                assert value[1:] in ids, value
            for inner in re.findall(r"url\(#([^)]+)\)", value):
                assert inner in ids, f"{tag} {value}"


def test_every_table_has_headers(page):
    tables = sum(t == "table" for t, _, _ in page.elements)
    scopes = [a.get("scope") for t, a, _ in page.elements if t == "th"]
    assert tables > 20 and None not in scopes
    assert scopes.count("col") >= 2 * tables


def test_every_finding_stands_with_its_verdict(page, found):
    words = " ".join(page.words)
    for row in decided.findings_table(found):
        for part in ("claim", "found", "verdict", "robust"):
            assert row[part] in words


def test_every_label_of_the_counts_is_there_with_its_count(page, study):
    shown = {(a["data-kind"], a["data-name"], a.get("data-place", "")): int(a["data-n"])
             for a in page.all("details") if "data-kind" in a}
    stages = study.faults.groupby("stage")["n"].sum()
    topics = study.questions.groupby("topic")["n"].sum()
    for kind, counts in (("stage", stages), ("topic", topics)):
        assert {k[1]: n for k, n in shown.items() if k[0] == kind} == counts.to_dict()
    split = study.faults.assign(p=study.faults["fix_patterns"].str.split(";")).explode("p")
    assert {k[1]: n for k, n in shown.items() if k[0] == "fix pattern"} == split.groupby(
        "p")["n"].sum().to_dict()
    assert sum(n for k, n in shown.items() if k[0] == "symptom") <= study.faults["n"].sum()
    assert {k[1:] for k in shown if k[0] == "symptom"} == set(
        zip(study.faults["symptom"], study.faults["stage"], strict=True))


def test_the_trees_add_up(study):
    tree = reporttrees.stages(study)
    for stage in tree:
        assert stage["n"] == sum(g["n"] for g in stage["groups"])
        for group in stage["groups"]:
            assert group["n"] == sum(s["n"] for s in group["symptoms"])
            for symptom in group["symptoms"]:
                assert sum(f["n"] for f in symptom["fixes"]) >= symptom["n"]
    assert sum(s["n"] for s in tree) == study.faults["n"].sum()
    for topic in reporttrees.topics(study):
        assert topic["n"] == sum(s["n"] for s in topic["subtopics"])
    for fix in reporttrees.patterns(study):
        assert fix["n"] == sum(s["n"] for s in fix["symptoms"])


def nasty(word):
    return f"<script>alert({word})</script>"


@pytest.fixture(scope="module")
def odd(few, found):
    """A page of labels, a claim and pictures that hold markup, and of data too long to show."""
    tables = {}
    for table, columns in (("faults", ("symptom", "stage", "fix_patterns")),
                           ("questions", ("topic", "subtopic"))):
        frame = getattr(few, table)
        tables[table] = tables[f"{table}_as_filed"] = frame.assign(
            **{c: frame[c].replace(frame[c].iloc[0], nasty(c)) for c in columns})
    record = {**found[0], "claim": nasty("claim"), "why": nasty("why")}
    picture = Drawn("odd", nasty("title"), f'"{nasty("caption")}', f'"{NASTY}',
                    f"{nasty('head')},b\n{nasty('cell')},1\n".encode())
    rows = reportparts.ROWS_SHOWN + 5
    long = Drawn("long", "T", "C", "A", ("a\n" + "".join(f"v{i}\n" for i in range(rows))).encode())
    return report.render(dataclasses.replace(few, **tables), [record, *found[1:]], [picture, long])


@pytest.mark.parametrize("word", ["symptom", "stage", "fix_patterns", "topic", "subtopic", "claim",
                                  "why", "title", "caption", "head", "cell"])
def test_what_is_markup_stays_text(odd, word):
    assert f"&lt;script&gt;alert({word})" in odd and f"<script>alert({word})" not in odd


def test_a_page_of_markup_is_well_formed(odd):
    page = Page(odd)
    assert "<script>alert" not in odd
    assert len(page.all("script")) == 1 and page.wrong == []
    assert next(a for a in page.all("svg") if "role" in a)["aria-label"] == f'"{NASTY}'


def test_markup_in_a_readout_stays_text_and_stars_emphasise():
    assert str(reportparts.emphasis(f"*{NASTY}* & *b*")) == (
        "<em>&lt;script&gt;alert(1)&lt;/script&gt;</em> &amp; <em>b</em>")


def test_a_drawing_in_the_page_has_ids_of_its_own_and_shares_its_letters():
    glyphs = {"another": "g0"}
    svg, width = reportparts.inline_svg(SVG.decode(), "n", "alt", glyphs)
    assert width == 96
    assert svg == (
        '<svg role="img" aria-label="alt" viewBox="0 0 72 9"><g clip-path="url(#n-p)">'
        '<use href="#g1"/><path d="M 1.235 8"/></g><defs><clipPath id="n-p"/></defs></svg>')
    assert glyphs == {"another": "g0", GLYPH: "g1"}
    assert 'href="#g1"' in reportparts.inline_svg(SVG.decode(), "m", "alt", glyphs)[0]
    assert len(glyphs) == 2


def test_figures_that_are_missing_are_named_with_a_remedy(tmp_path):
    with pytest.raises(StudyError, match=r"index\.csv is no list of figures; make them"):
        reportparts.filed(tmp_path)
    (tmp_path / "index.csv").write_text("name,title,caption,alt\na,b,c,d\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"a\.svg is missing; make the figures"):
        reportparts.filed(tmp_path)[0].file("svg")


def test_figures_nobody_placed_come_last(odd, text):
    assert odd.index("More figures") < odd.index('id="figure-odd"') < odd.index('id="figure-long"')
    assert "More figures" not in text


def test_long_data_are_cut_and_say_so(odd):
    most = reportparts.ROWS_SHOWN
    assert f"all {most + 5} rows; the first {most} are shown" in odd
    assert f"v{most - 1}<" in odd and f"v{most}<" not in odd


def test_an_extension_without_questions_or_agreement_has_a_page(study, found):
    empty = {n: getattr(study, n).iloc[:0]
             for n in ("questions", "questions_as_filed", "agreement")}
    text = report.render(dataclasses.replace(study, **empty), found, [])
    assert Page(text).wrong == []


ROWS = [
    {"thread": "gh:synthetic/one#10", "issue_type": "fault", "stage": "communication setup",
     "group": "", "symptom": "setup failure", "fix_patterns": "fix network setting",
     "topic": "", "subtopic": ""},
    {"thread": "gh:synthetic/one#9", "issue_type": "fault", "stage": "communication setup",
     "group": "", "symptom": "setup failure",
     "fix_patterns": "fix communication configuration;fix network setting",
     "topic": "", "subtopic": ""},
    {"thread": "so:7", "issue_type": "how-to question", "stage": "", "group": "", "symptom": "",
     "fix_patterns": "", "topic": "communication", "subtopic": "backend"},
]


def issues_file(path, rows=ROWS):
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_where_the_rows_are_the_threads_are_linked(few, found, tmp_path):
    threads = report.read_threads(issues_file(tmp_path / "issues.csv"))
    page = Page(report.render(few, found, [], threads))
    links = [a["href"] for a in page.all("a") if re.search(r"synthetic|/7$", a["href"])]
    assert sorted(links) == sorted(map(thread_url, [
        "gh:synthetic/one#9", "gh:synthetic/one#10", "gh:synthetic/one#9", "so:7"]))
    fix = next(f for s in reporttrees.stages(few, threads) for g in s["groups"]
               for p in g["symptoms"] for f in p["fixes"]
               if p["name"] == "setup failure" and f["name"] == "fix network setting")
    assert fix["threads"] == ["gh:synthetic/one#9", "gh:synthetic/one#10"]


def test_without_the_rows_no_thread_is_linked(text):
    assert "class=\"threads\"" not in text


def test_rows_that_are_none_are_refused_with_a_remedy(tmp_path):
    assert report.read_threads(tmp_path / "none.csv") is None
    path = issues_file(tmp_path / "issues.csv", [{**ROWS[0], "thread": "javascript:alert(1)"}])
    with pytest.raises(StudyError, match=r"issues\.csv, row 2, column thread: .*no thread key"):
        report.read_threads(path)
    issues_file(path, [{"thread": "so:1"}])
    with pytest.raises(StudyError, match="no column 'stage'; make it anew"):
        report.read_threads(path)


def test_the_links_match_the_counts_where_the_rows_are_rebuilt(study, rebuilt):
    threads = rebuilt[1]["issues"].astype(str)
    for stage in reporttrees.stages(study, threads):
        for group in stage["groups"]:
            for symptom in group["symptoms"]:
                assert all(len(f["threads"]) == f["n"] for f in symptom["fixes"])
    for topic in reporttrees.topics(study, threads):
        assert all(len(s["threads"]) == s["n"] for s in topic["subtopics"])


def test_the_command_writes_the_committed_page_and_the_linked_one_apart(
        monkeypatch, tmp_path, few, found, filed):
    from study.decide import multiverse
    from study.tabulate import tables
    monkeypatch.setattr(tables, "load_study", lambda: few)
    monkeypatch.setattr(report, "composition", lambda *_: None)
    monkeypatch.setattr(report, "COMMITTED", tmp_path / "report.html")
    monkeypatch.setattr(report, "WITH_THREADS", tmp_path / "raw" / "report.html")
    monkeypatch.setattr(report, "filed", lambda: filed)
    monkeypatch.setattr(multiverse, "multiverse", lambda *_: None)
    monkeypatch.setattr(decided, "findings", lambda *_, **__: found)
    monkeypatch.setattr(report, "read_threads", lambda: None)
    lines = []
    assert report.run([], lines.append) == 0
    first = (tmp_path / "report.html").read_bytes()
    assert len(lines) == 1 and lines[0].endswith("written") and not (tmp_path / "raw").exists()
    rows = pd.DataFrame(ROWS)
    monkeypatch.setattr(report, "read_threads", lambda: rows)
    assert report.run([], lines.append) == 0
    assert (tmp_path / "report.html").read_bytes() == first and lines[1].endswith("as it was")
    assert b"synthetic/one/issues/9" in (tmp_path / "raw" / "report.html").read_bytes()


def test_data_are_read_as_text_with_quotes_and_line_breaks():
    content = 'a,b\n"x, y","1\n2"\n'
    figure = reportparts.figure(Drawn("f", "t", "c", "a", content.encode()), {})
    assert figure["data"]["rows"] == [list(r) for r in list(csv.reader(io.StringIO(content)))[1:]]
