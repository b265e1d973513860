"""README, findings, figures and tables say the same, and nothing about a machine."""

import csv
import json
import re
import subprocess
from pathlib import Path

import pytest

from study.decide import claims, multiverse
from study.decide import findings as decided
from study.measure.composition import composition
from study.read import repair
from study.run import notebooks
from study.tell.meaning import meaning

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FOUND = json.loads((ROOT / "data/study/findings.json").read_text(encoding="utf-8"))["findings"]
STUDIED = {"horovod", "keras", "pytorch", "tensorflow"}
TEXT = {".md", ".csv", ".json", ".toml", ".yml", ".cff", ".py", ".svg", ".ipynb", ".lock", ".html",
        ""}


def tracked():
    try:
        out = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git here, or no checkout")
    return [ROOT / name for name in out.stdout.decode().split("\0") if name]


def block(name):
    return re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", README, re.S)[1]


def test_readme_table_is_the_findings():
    assert block("findings") == decided.markdown(FOUND)


def test_readme_says_what_the_findings_come_to(study):
    assert block("meaning") == meaning(study, FOUND)


def test_findings_are_what_the_counts_give(study):
    table = multiverse.multiverse(study)
    found = decided.findings(study, universes=table, composition=composition(study))
    committed = (ROOT / "data/study/findings.json").read_bytes().replace(b"\r\n", b"\n").decode()
    assert decided.to_json(found) == committed
    stored = (ROOT / "data/study/multiverse.csv").read_bytes().replace(b"\r\n", b"\n").decode()
    assert multiverse.to_text(table) == stored


def outputs(notebook):
    book = json.loads((ROOT / f"notebooks/{notebook}.ipynb").read_text(encoding="utf-8"))
    return "\n".join("".join(o.get("text", "")) + "".join(o.get("data", {}).get("text/plain", ""))
                     for c in book["cells"] for o in c.get("outputs", ()))


@pytest.mark.parametrize("record", FOUND, ids=lambda r: r["id"])
def test_a_reader_finds_each_number_in_the_notebook_that_is_named(record):
    value, text = claims.printed(record["value"], record["unit"]), outputs(record["notebook"])
    if record["low"] is not None:
        low, high = (claims.printed(record[k], record["unit"]).removesuffix(" %")
                     for k in ("low", "high"))
        assert re.search(rf"{re.escape(value)}\s*[(,]?\s*{re.escape(f'{low}–{high}')}", text)
    else:  # a bare number may stand anywhere: with its unit it does not
        unit = {"candidates": " candidate threads", "threads": " were labelled",
                "categories": "."}.get(record["id"], f" {record['id']}")
        assert re.search(rf"(?<![\d.,]){value}{unit}", text)


@pytest.mark.parametrize("record", [r for r in FOUND if r["universes"]], ids=lambda r: r["id"])
def test_a_claim_has_one_number_of_readings_everywhere(record):
    of = f"{record['universes']['of']:,}"
    stored = [line for line in (ROOT / "data/study/multiverse.csv").read_text(
        encoding="utf-8").splitlines() if line.startswith(record["id"] + ",")]
    assert len(stored) == record["universes"]["of"]
    phrase = f" over {of} readings"
    assert phrase in next(line for line in block("findings").splitlines()
                          if line.startswith(f"| {record['claim']}"))
    assert phrase in outputs("00_start_here") and phrase in outputs("06_findings")
    assert re.search(rf"^ *{record['id']} +[\d,]+ +\d+ +{of} ", outputs("05_statistics"), re.M)
    page = (ROOT / "figures/report.html").read_text(encoding="utf-8")
    assert phrase in page and f"{of} readings</span>" in page


@pytest.mark.parametrize("place", ["README.md", "00_start_here", "02_agreement", "06_findings",
                                   "figures/report.html"])
def test_what_was_undecided_stands_beside_the_headline_kappa(place):
    """Both counted apart from this package; observed agreement falls to 84.8 %."""
    said = (outputs(place) if "." not in place else
            (ROOT / place).read_text(encoding="utf-8"))
    assert "(.934–.984)" in said
    assert ".839" in said
    if place in ("02_agreement", "figures/report.html"):
        assert "84.8 %" in said and "319 of 637 faults come from the pilot" in said


def test_the_three_pairings_stand_in_notebook_02():
    said = outputs("02_agreement")
    found = {name: re.search(rf"^ *{name} +\d+ +\d+ +[\d.]+ % +(\.\d+) ", said, re.M)[1]
             for name in ("place", "order", "best match")}
    assert found == {"place": ".959", "order": ".947", "best match": ".959"}
    assert re.search(r"by order joins others than by place +gh:horovod/horovod#110(?!;)", said)


NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def exercises():
    return len(list(ROOT.glob("notebooks/exercises/0*.ipynb")))


def newer():
    return len({path.stem for path in ROOT.glob("data/frameworks/*.toml")} - STUDIED)


@pytest.mark.parametrize(("place", "words", "counted"), [
    ("README.md", "short notebooks", lambda: len(notebooks.OWN)),
    ("README.md", "exercises", exercises),
    ("notebooks/exercises/README.md", "exercises on", exercises),
    ("README.md", "newer frameworks", newer),
    ("data/extensions/README.md", "newer frameworks", newer),
    ("data/README.md", "named rules", lambda: len(repair.RULES)),
    ("notebooks/02_agreement.ipynb", "rules, each counted", lambda: len(repair.RULES)),
], ids=lambda value: value if isinstance(value, str) else "")
def test_a_number_in_words_is_what_can_be_counted(place, words, counted):
    text = re.sub(r"\s+", " ", (ROOT / place).read_text(encoding="utf-8"))
    said = re.findall(rf"({'|'.join(NUMBERS)}) {words}", text, re.I)
    assert said and {NUMBERS.index(word.lower()) for word in said} == {counted()}


def test_every_claim_of_the_abstract_has_a_verdict():
    stated = [c for c in claims.load_claims() if c.stated_in == "abstract"]
    verdicts = {r["id"]: r["verdict"] for r in FOUND}
    assert len(stated) == 7
    assert all(verdicts[c.id] in claims.VERDICTS and verdicts[c.id] != claims.DERIVED
               for c in stated)


def test_every_claim_is_shown_in_a_notebook_and_a_figure():
    with (ROOT / "figures/index.csv").open(encoding="utf-8", newline="") as stream:
        figures = {row["name"] for row in csv.DictReader(stream)}
    for claim in claims.load_claims():
        assert (ROOT / f"notebooks/{claim.notebook}.ipynb").exists()
        assert not claim.figure or claim.figure in figures


def test_readme_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if "://" not in target:
            assert (ROOT / target).exists(), target


def test_readme_names_every_top_level_entry():
    named = README[README.index("## What is where"):]
    for path in {p.relative_to(ROOT).parts[0] for p in tracked()} - {
            "README.md", ".gitattributes", ".gitignore", ".ci"}:
        assert f"`{path}" in named, path


def test_readme_explains_every_dependency():
    text = README[README.index("## What it depends on"):]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in re.findall(r'^    "([\w-]+)",$', project, re.M):
        assert re.search(rf"\b{name}\b", text), name


def test_no_tracked_file_names_a_machine():
    here = str(ROOT)
    for path in tracked():
        if path.suffix in TEXT and path.exists():
            text = path.read_text(encoding="utf-8")
            assert here not in text, path
            assert not re.search(r"/(?:root|home/\w+)/", text), path


def test_no_file_name_trips_another_system():
    names = [p.relative_to(ROOT).as_posix() for p in tracked()]
    assert len({n.lower() for n in names}) == len(names), "two names differ by case only"
    for name in names:
        assert not re.search(r'[:?*"<>| \\]', name), name
        assert len(name) < 120
        stem = name.rsplit("/", 1)[-1].split(".")[0].lower()
        assert not re.fullmatch(r"con|prn|aux|nul|com\d|lpt\d", stem), name
