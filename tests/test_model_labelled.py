"""Whatever rests on labels of models says so: files, titles, captions, notebook, report, index."""

import json
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from study.base.paths import DATA, EXTENSIONS, FIGURES, NOTEBOOKS
from study.base.words import JOIN
from study.draw import gallery
from study.extend.adjudicate import disagreements
from study.extend.compare import compare
from study.extend.counts import counts
from study.extend.decided import decide
from study.extend.folder import extension
from study.extend.frames import printed_beside
from study.extend.handed_in import read_round
from study.extend.model_tasks import versions_told
from study.read.codebook import FACETS, TITLES
from study.read.form import by_models
from study.tabulate.tables import COLUMNS, load_study, to_csv
from study.tell import page, sentences

STUDY = load_study()
MODEL_LABELLED = sorted(path.parent for path in EXTENSIONS.glob("*/plan.json")
                        if by_models(json.loads(path.read_text(encoding="utf-8"))["raters"]))
# What holds no label: threads, how they were found, what became of proposals, codebooks.
NO_LABELS = ("plan.json", "sample.csv", "excluded.csv", "candidates.csv", "found.csv",
             "searches.csv", "crosswalk.csv", "codebook*", "proposals-*.csv", "tools/*")
_opened = []
_watched = []  # while it holds something, files that are opened are noted


def _note(event, arguments):
    if event == "open" and _watched and isinstance(arguments[0], (str, Path)):
        _opened.append(str(arguments[0]))


sys.addaudithook(_note)


def rests_on_models(make):
    """What a function gives, and whether it read anything of a model-labelled extension."""
    _opened.clear()
    _watched.append(make)
    try:
        made = make()
    finally:
        _watched.clear()
    return made, any(str(folder) in name for name in _opened for folder in MODEL_LABELLED)


def says(text):
    return "model-labelled" in text.lower()


def test_the_extensions_are_there():
    assert [folder.name for folder in MODEL_LABELLED] == ["calibration", "modern"]


@pytest.mark.parametrize("folder", MODEL_LABELLED, ids=lambda f: f.name)
def test_files_are_called_so(folder):
    for path in (p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder)
        if any(name.match(pattern) for pattern in NO_LABELS):
            continue
        by_name = path.name.replace("_", "-").startswith("model-labelled-")
        assert by_name or (name.parts[0] == "sheets" and "-M" in path.name), name
        if path.suffix == ".svg":
            assert says(path.read_text(encoding="utf-8").partition("</title>")[0])


# Those of all readings of a finding take minutes, and take one of the study's findings each.
@pytest.mark.parametrize("entry", [e for e in gallery.FIGURES
                                   if not e.name.startswith("readings_")], ids=lambda e: e.name)
def test_figures_say_it_in_title_caption_alt_name_and_index(entry):
    arguments, by_models_ = rests_on_models(lambda: entry.of(STUDY, gallery.Extra()))
    assert by_models_ == entry.name.startswith("model_labelled_")
    if not by_models_:
        return
    picture = entry.draw(*arguments)
    row = gallery.index([picture]).iloc[0]
    kept = pd.read_csv(FIGURES / "index.csv", encoding="utf-8").set_index("name").loc[picture.name]
    for text in (picture.title, picture.caption, picture.alt, row["title"], row["caption"],
                 kept["title"], kept["caption"], kept["alt"]):
        assert says(text)
    assert "no estimates of a population" in picture.caption
    assert "convenience sample" in picture.caption


@pytest.mark.parametrize("ident,title,names", [(p[0], p[1], p[3]) for p in page.PARTS],
                         ids=[p[0] for p in page.PARTS])
def test_report_says_it_in_heading_and_sentence(ident, title, names):
    for name in names if ident != "hangs" else ():
        told, by_models_ = rests_on_models(lambda name=name: getattr(sentences, name)(STUDY))
        assert by_models_ == str(told).startswith("Model-labelled: "), name
        assert says(title) or not by_models_


def test_report_says_that_shares_are_no_estimates():
    text = str(sentences.newer_shares(STUDY))
    assert "no share is an estimate of a population" in text and "convenience sample" in text


def cells():
    """Every code cell of every notebook with what it rests on, and the text before it."""
    for path in sorted(NOTEBOOKS.rglob("*.ipynb")):
        before, newer = "", path.stem == "08_newer_frameworks"
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                before = source
                continue
            named = "newer." in source or any(f'"{f.name}"' in source for f in MODEL_LABELLED)
            if cell["outputs"] and (newer or named):
                yield pytest.param(before, source, id=f"{path.stem}-{cell['id']}")


@pytest.mark.parametrize("before,source", list(cells()))
def test_outputs_of_notebooks_are_headed_so(before, source):
    assert says(before), source


def test_a_column_beside_published_values_says_it():
    made = printed_beside({"study": STUDY, "newer, model-labelled": load_study("modern")})
    notebook = (NOTEBOOKS / "08_newer_frameworks.ipynb").read_text(encoding="utf-8")
    assert [c for c in made if "newer" in c] == ["newer, model-labelled"]
    assert "newer, model-labelled" in notebook and "the same three, model-labelled" in notebook


# The committed tables of newer frameworks


@pytest.fixture(scope="module")
def modern():
    return load_study("modern")


def test_committed_tables_are_those_of_the_committed_sheets_and_decisions(modern):
    own = extension("modern")
    tables, texts = counts(own)
    assert set(tables) == set(COLUMNS)
    for name, text in ({n: to_csv(t) for n, t in tables.items()} | texts).items():
        assert own.result(f"{name}.csv").read_text(encoding="utf-8") == text, name
    made = compare(modern, STUDY).to_csv(index=False, float_format="%.6f", lineterminator="\n")
    assert own.result("comparison.csv").read_text(encoding="utf-8") == made


def test_counts_and_exclusions_add_up_to_the_threads(modern):
    threads = len(extension("modern").tasks())
    out = modern.exclusions["left_out_of"].value_counts()
    counted = modern.faults["n"].sum() + modern.questions["n"].sum()
    assert counted + out["every count"] == threads == 254
    assert modern.collection["issues"].sum() == counted


@pytest.mark.parametrize("facet", ["distributed_specific", "stage", "symptom", "fix_pattern"])
def test_of_each_facet_decided_and_undecided_faults_add_up(modern, facet):
    column = modern.faults["fix_patterns" if facet == "fix_pattern" else facet]
    blank = column.isna() | (column.astype(str) == "")
    out = modern.exclusions[modern.exclusions["left_out_of"] == TITLES[facet]]
    assert modern.faults.loc[blank, "n"].sum() == len(out) > 0
    assert out["reason"].str.match("undecided: .").all()


def test_every_disagreement_has_its_decision_by_whom_the_protocol_names():
    own = extension("modern")
    told = tomllib.loads(own.path("tools/model-protocol.toml").read_text(encoding="utf-8"))
    raters, who, differing = own.plan["raters"], set(), 0
    for number in own.plan["rounds"]:
        found = disagreements(read_round(own, number))
        made = decide(own, number)
        assert not [p for p in made.problems if p.severity == "error"]
        for entry in found:
            label, by, why = made.decisions[entry["item"], entry["facet"]]
            same = len(set(entry["labels"].values())) == 1
            differing += not same
            # What both left undecided was not read a third time; all else was.
            assert by == (" and ".join(raters) if same else "M3")
            assert why or not label
            who |= set(by.split(" and "))
    assert differing == 120
    assert who == {name for name, value in told.items() if isinstance(value, dict)}
    assert "third reading" in told["M3"]["role"]
    assert told["M3"]["codebook"] == own.newest_version() == "4"


def test_labels_that_only_the_newest_codebook_has_come_from_the_third_reading_or_the_crosswalk(
        modern):
    own, old = extension("modern"), extension("modern").codebook("3")
    new = {f: set(own.codebook().names(f)) - set(old.names(f)) for f in FACETS}
    assert new["symptom"] == {"wrong set of devices"}
    assert modern.faults.loc[modern.faults["symptom"].isin(new["symptom"]), "n"].sum() == 1


@pytest.mark.parametrize("folder", MODEL_LABELLED, ids=lambda f: f.name)
def test_the_protocol_says_the_codebook_of_each_round(folder):
    own = extension(folder.name)
    told = tomllib.loads(own.path("tools/model-protocol.toml").read_text(encoding="utf-8"))
    assert told["codebook"] == versions_told(own.plan["codebook"])
    for number, version in own.plan["codebook"].items():
        tasks = own.path(f"tools/round{number}-model-tasks.jsonl")
        if tasks.exists():  # they hold words of others and are not committed
            assert {json.loads(x)["codebook_version"] for x in tasks.read_text(
                encoding="utf-8").splitlines()} == {version}


def test_searches_add_up_to_what_was_found():
    for folder, left_out in ((EXTENSIONS / "calibration", 0), (EXTENSIONS / "modern", 10)):
        sent = pd.read_csv(folder / "searches.csv", encoding="utf-8")
        found = pd.read_csv(folder / "found.csv", encoding="utf-8")
        # A last look at the passages left ten threads of newer frameworks out.
        assert sent["new"].sum() == len(found) + left_out
        assert (sent["new"] <= sent["members"]).all()
        kept, shown = found.groupby("query").size(), sent.groupby("query")["new"].sum()
        assert (kept <= shown.reindex(kept.index)).all()


def test_threads_that_were_not_found_are_counted_by_framework():
    from study.measure.newer import not_found
    table = not_found(STUDY)
    assert table["threads"].sum() == STUDY.collection["threads"].sum()
    assert table["found"].sum() == len(pd.read_csv(EXTENSIONS / "calibration" / "found.csv"))
    assert (table["not_found"] == table["threads"] - table["found"]).all()
    assert table.loc[table["platform"] == "Stack Overflow", "found"].sum() == 0


def test_reasons_of_differences_are_those_of_the_file():
    from study.measure.newer import reasons_of_differences
    rows = pd.read_csv(EXTENSIONS / "calibration" / "model-labelled-differences.csv")
    made = reasons_of_differences().set_index("reason")
    assert made["all"].sum() == len(rows)
    assert made.loc["both defensible", "all"] == (rows["reason"] == "both defensible").sum()
    assert made["stage"].sum() == (rows["facet"] == "stage").sum()
    assert made["all"].is_monotonic_decreasing


def test_published_shares_stand_beside_newer_frameworks_by_hand(modern):
    made = printed_beside({"here": modern}).set_index("quantity")["here"]
    faults = modern.faults
    setup = faults[(faults["stage"] == "communication setup")
                   & faults["distributed_specific"].notna()]
    share = 100 * setup.loc[setup["distributed_specific"] == 1, "n"].sum() / setup["n"].sum()
    assert made["distributed-specific"].startswith(f"{share:.1f} % (")
    walk = pd.read_csv(DATA / "published" / "crosswalk.csv", keep_default_na=False)
    ours = set(walk.loc[walk["quantity"] == "share of fixes", "ours"].str.split(JOIN).explode())
    told = faults[faults["fix_patterns"] != ""]
    hit = [bool(ours & set(x.split(JOIN))) for x in told["fix_patterns"]]
    share = 100 * told.loc[hit, "n"].sum() / told["n"].sum()
    assert made["share of fixes"].startswith(f"{share:.1f} % (")
