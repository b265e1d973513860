"""The command agree, from files to report, as a user calls it."""

import csv
import json
from pathlib import Path

import openpyxl
import pytest

from study.measure.alpha import masi
from study.run import agree
from study.tell.agreement_text import number, p_value

SHARED = Path(__file__).resolve().parents[3] / "shared"
LABELS = SHARED / "fixtures" / "labels"
needs_shared = pytest.mark.skipif(not LABELS.exists(), reason="../shared is absent")
CATEGORIES = ["concurrency", "memory", "other", "semantic"]
TABLE = [[18, 4, 0, 13], [0, 38, 0, 12], [0, 0, 16, 3], [2, 2, 4, 92]]
CODEBOOK = """
undecided = ["pening"]
[[symptom]]
name = "Hang"
parents = ["Progress"]
[[symptom]]
name = "Slow"
aliases = ["Slowdown"]
parents = ["Progress"]
[[symptom]]
name = "Crash"
parents = ["Failure"]
[[stage]]
name = "Setup"
"""


def text(tmp_path, content, name="a.csv"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return str(path)


@pytest.fixture
def run(capsys):
    """Call the command; give exit status, standard output, standard error."""
    def call(*argv):
        status = agree.main([str(a) for a in argv])
        captured = capsys.readouterr()
        return status, captured.out, captured.err
    return call


def good(run, *argv):
    status, out, err = run(*argv)
    assert (status, err) == (0, "")
    return out


def groups(run, *argv):
    return json.loads(good(run, *argv, "--json"))["groups"]


def values(group):
    return {r["coefficient"]: r["value"] for r in group["results"]}


def acceptance(tmp_path, form):
    pairs = [(CATEGORIES[i], CATEGORIES[j], n) for i, row in enumerate(TABLE)
             for j, n in enumerate(row)]
    if form == "table":
        rows = [",".join(["", *CATEGORIES])] + [
            ",".join([c, *map(str, row)]) for c, row in zip(CATEGORIES, TABLE, strict=True)]
        return [text(tmp_path, "\n".join(rows)), "--table"]
    if form == "count":
        rows = ["one,two,n"] + [f"{a},{b},{n}" for a, b, n in pairs if n]
        return [text(tmp_path, "\n".join(rows)), "--wide", "one", "two", "--count", "n"]
    each = [(a, b) for a, b, n in pairs for _ in range(n)]
    if form == "wide":
        rows = ["id,one,two"] + [f"{i},{a},{b}" for i, (a, b) in enumerate(each)]
        return [text(tmp_path, "\n".join(rows)), "--item", "id", "--wide", "one", "two"]
    rows = ["id;who;label"] + [f"{i};{w};{label}" for i, pair in enumerate(each)
                               for w, label in zip(("one", "two"), pair, strict=True)]
    return [text(tmp_path, "\n".join(rows)), "--item", "id", "--rater", "who", "--label", "label"]


@pytest.mark.parametrize("form", ["table", "count", "wide", "long"])
def test_acceptance_table(run, tmp_path, form):
    out = good(run, *acceptance(tmp_path, form))
    assert "n used 204 of 204" in out
    for expected in ("*  kappa      .690 (.605, .776)", "po         .804", "S          .739",
                     "AC1        .752", "alpha      .689", "kappa_max  .837",
                     "Bowker: 19.35, df 6, p .0036", "Stuart-Maxwell: 16.87, df 3, p .00075"):
        assert expected in out, expected
    assert "warning: the raters differ systematically" in out
    assert "(Stuart-Maxwell p .00075)" in out
    for line in (".605 (.448, .763)       .655", "35/20/18", "concurrency / semantic  15  13 + 2"):
        assert line in out


def test_json_has_every_field_of_a_result(run, tmp_path):
    content = json.loads(good(run, *acceptance(tmp_path, "wide"), "--json", "--primary", "AC1"))
    [group] = content["groups"]
    kappa = group["results"][1]
    assert set(kappa) == {"coefficient", "value", "reason", "se", "ci_low", "ci_high", "ci_method",
                          "conf", "clipped", "n_used", "dropped", "q_used", "q_offered", "po",
                          "primary", "scale_word_low"}
    assert [r["coefficient"] for r in group["results"] if r["primary"]] == ["AC1"]
    assert content["inputs"][0]["file"] == "a.csv"
    assert len(content["inputs"][0]["sha256"]) == 64
    assert str(tmp_path) not in json.dumps(content)


def test_same_input_same_bytes(run, tmp_path):
    call = [*acceptance(tmp_path, "wide"), "--bootstrap", "300", "--seed", "5"]
    first = good(run, *call)
    assert first == good(run, *call)
    assert "percentile bootstrap over issues (300 resamples, seed 5)" in first


def test_bootstrap_over_threads(run, tmp_path):
    rows = ["id,one,two,thread"] + [f"{i},{'ab'[i % 2]},{'ab'[(i // 3) % 2]},t{i // 2}"
                                    for i in range(40)]
    out = good(run, text(tmp_path, "\n".join(rows)), "--item", "id", "--wide", "one", "two",
               "--thread", "thread", "--bootstrap", "200")
    assert "percentile bootstrap over threads (20 threads, 200 resamples" in out


@pytest.mark.parametrize("extra", [["--facet", "symptom"], []])
def test_codebook_with_facets_aliases_and_tree(run, tmp_path, extra):
    book = text(tmp_path, CODEBOOK, "codebook.toml")
    file = text(tmp_path, "id,one,two\n1,hang,Hang\n2,Slowdown,Hang\n3,Crash,Crash\n4,Slow,Slow\n"
                "5,pening,Slow\n")
    call = [file, "--item", "id", "--wide", "one", "two", "--codebook", book, *extra]
    if not extra:
        assert run(*call)[2] == ("agree: codebook.toml: 2 facets (symptom, stage); say which "
                                 "with --facet\n")
        return
    [group] = groups(run, *call)
    assert (group["q_used"], group["q_offered"]) == (3, 3)
    assert group["dropped"] == {"undecided": 1}
    found = values(group)
    assert found["kappa"] < found["weighted kappa (tree)"] < 1
    out = good(run, *call)
    assert "categories: 3 used, 3 offered (codebook)" in out
    assert "alias: 1, first a.csv, row 3, column B: 'Slowdown' read as 'Slow'" in out


def test_facet_and_round_columns_make_groups(run, tmp_path):
    book = text(tmp_path, CODEBOOK, "codebook.toml")
    rows = ["id,who,label,what,round"]
    rows += [f"{i},{w},{label},{what},{r}" for r in (1, 2) for i in range(3)
             for w in "AB" for what, label in (("symptom", "Hang"), ("stage", "setup"))]
    found = groups(run, text(tmp_path, "\n".join(rows)), "--item", "id", "--rater", "who",
                   "--label", "label", "--facet", "what", "--round", "round", "--codebook", book)
    assert [(g["round"], g["facet"], g["q_offered"]) for g in found] == [
        ("1", "symptom", 3), ("1", "stage", 1), ("2", "symptom", 3), ("2", "stage", 1)]
    assert values(found[0])["kappa"] is None
    assert "one category used" in found[0]["results"][1]["reason"]
    assert any("one category only" in w for w in found[0]["warnings"])


def test_undecided_is_left_out_and_also_counted_as_disagreement(run, tmp_path):
    rows = [f"{i},{'ab'[i % 2]},{'ab'[i % 2]}" for i in range(8)]
    content = "\n".join(["id,one,two", *rows, "8,PENDING,a", "9,?,?", "10,a,"])
    [group] = groups(run, text(tmp_path, content), "--item", "id", "--wide", "one", "two")
    assert group["dropped"] == {"undecided": 2, "no label from two": 1}
    assert group["undecided"] == {"one": 2, "two": 1}
    assert values(group)["po"] == 1
    again = {r["coefficient"]: r for r in group["undecided_as_disagreement"]}
    assert again["po"]["value"] == pytest.approx(8 / 10)
    assert again["po"]["n_used"] == 10


def test_warnings(run, tmp_path):
    content = "id,one,two\n" + "".join(f"{i},a,a\n" for i in range(20)) + "20,b,b\n21,NA,NA\n"
    out = good(run, text(tmp_path, content), "--item", "id", "--wide", "one", "two")
    for warning in ("below 50 items", "the raters agree on all 22 items",
                    "'NA' is read as a label", "no codebook"):
        assert warning in out, warning
    out = good(run, text(tmp_path, "id,one,two\n1,a,x\n2,b,y\n"), "--item", "id", "--wide", "one",
               "two")
    assert "no shared category: one and two use different labels throughout (a, b; x, y)" in out
    out = good(run, text(tmp_path, "id,one,two\n1,1,2\n2,2,2\n"), "--item", "id", "--wide", "one",
               "two")
    assert "code numbers" in out
    content = "id,one,two\n" + "".join(f"{i},no,no\n" for i in range(118)) + "".join(
        f"x{i},no,yes\n" for i in range(5)) + "y,yes,no\nz,yes,no\n"
    out = good(run, text(tmp_path, content), "--item", "id", "--wide", "one", "two")
    assert "high observed agreement with low kappa" in out
    out = good(run, text(tmp_path, "id,one,two\n1,false positive,false positve\n"), "--item", "id",
               "--wide", "one", "two")
    assert "'false positive' and 'false positve' may be one label" in out


def test_items_that_one_rater_lacks(run, tmp_path):
    one = text(tmp_path, "id,label\n1,a\n2,b\n3,a\n", "ann.csv")
    two = text(tmp_path, "id,label\n3,a\n1,a\n", "ben.csv")
    call = [one, two, "--item", "id", "--label", "label"]
    out = good(run, *call)
    assert "Agreement of ann and ben" in out
    assert "n used 2 of 3 items; dropped: 1 no row of ben" in out
    assert "ben has no row for 1 of 3 items: 2" in out
    status, out, err = run(*call, "--final")
    assert (status, out) == (2, "")
    assert err == "agree: ben.csv: ben has no row for '2' (--allow unpaired)\n"


def test_three_raters(run, tmp_path):
    rows = ["id,one,two,three"] + [f"{i},{'abc'[i % 3]},{'abc'[i % 3]},{'abc'[i * i % 3]}"
                                   for i in range(30)]
    call = [text(tmp_path, "\n".join(rows)), "--item", "id", "--wide", "one", "two", "three"]
    [group] = groups(run, *call)
    assert set(values(group)) == {"alpha", "Fleiss kappa", "Randolph kappa", "AC1", "S",
                                  "Fleiss kappa (generalised)"}
    assert [p["raters"] for p in group["pairs"]] == [["one", "two"], ["one", "three"],
                                                     ["two", "three"]]
    assert values(group["pairs"][0])["kappa"] == 1
    assert group["primary"] == "alpha"
    [group] = groups(run, *call, "--primary", "fleiss")
    assert [r["coefficient"] for r in group["results"] if r["primary"]] == ["Fleiss kappa"]
    status, _, err = run(*call, "--primary", "kappa")
    assert status == 2
    assert "it is for two raters; these are more, so take alpha, fleiss" in err


def test_counted_rows_of_three_raters(run, tmp_path):
    rows = [("a", "a", "a", 5), ("a", "b", "a", 3), ("b", "b", "b", 4)]
    head = "one,two,three"
    once = [f"{a},{b},{c}" for a, b, c, n in rows for _ in range(n)]
    counted = [f"{a},{b},{c},{n}" for a, b, c, n in rows]
    wide = ["--wide", "one", "two", "three"]
    [short] = groups(run, text(tmp_path, "\n".join([head + ",n", *counted])), *wide, "--count", "n")
    [long] = groups(run, text(tmp_path, "\n".join([head, *once])), *wide)
    assert values(short) == values(long)
    assert short["n_items"] == long["n_items"] == 12
    assert [values(p) for p in short["pairs"]] == [values(p) for p in long["pairs"]]
    file = text(tmp_path, "id,who,label,n\n1,Ann,a,2\n")
    assert run(file, "--item", "id", "--rater", "who", "--label", "label", "--count", "n")[0] == 2


def test_files_of_the_same_name_are_told_apart_by_their_folder(run, tmp_path):
    for who, label in (("ann", "a"), ("ben", "b")):
        (tmp_path / who).mkdir()
        text(tmp_path / who, f"id,label\n1,{label}\n2,a\n", "labels.csv")
    [group] = groups(run, tmp_path / "ann" / "labels.csv", tmp_path / "ben" / "labels.csv",
                     "--item", "id", "--label", "label")
    assert group["raters"] == ["ann/labels", "ben/labels"]


def test_sets_of_two_raters(run, tmp_path):
    file = text(tmp_path, "id,one,two\n1,a;b,a\n2,b,b\n3,a ; c,c;a\n4,b,a\n")
    [group] = groups(run, file, "--item", "id", "--wide", "one", "two", "--sets", ";")
    assert set(values(group)) == {"alpha (masi)", "alpha (jaccard)", "alpha (equal sets)"}
    assert {c["category"]: c["n"] for c in group["categories"]} == {"a": 5, "b": 4, "c": 2}


@pytest.mark.parametrize(("argv", "message"), [
    ([], "which columns? Give --item and --label, or --wide R1 R2"),
    (["--wide", "one"], "at least two raters"), (["--wide", "one", "one"], "twice"),
    (["--item", "id", "--label", "one"], "one file and no --rater"),
    (["--wide", "one", "two", "--rater", "x"], "take one"),
    (["--wide", "one", "zwei"], "no column 'zwei'; the columns are: id, one, two"),
    (["--wide", "one", "two", "--conf", "95"], "between 0 and 1"),
    (["--wide", "one", "two", "--bootstrap", "0"], "at least 1 resample"),
    (["--wide", "one", "two", "--seed", "-1"], "--seed"),
    (["--wide", "one", "two", "--header-row", "0"], "rows count from 1"),
    (["--wide", "one", "two", "--codebook", "none.toml"], "none.toml: no such file"),
    (["--wide", "one", "two", "--map", "none.toml"], "take one"),
    (["--wide", "one", "two", "--sheet", "x"], "a text file has no sheets"),
    (["--wide", "one", "two", "--primary", "fleiss"], "two raters have"),
    (["--table"], "must be the same, each once"),
    (["--item", "id", "--rater", "id", "--label", "one", "--facet", "x"], "no column 'x'"),
])
def test_wrong_use_is_one_line_and_exit_2(run, tmp_path, argv, message):
    status, out, err = run(text(tmp_path, "id,one,two\n1,a,a\n2,b,b\n"), *argv)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert err.startswith("agree: ")


def test_unknown_options_and_help(run, capsys):
    assert run("a.csv", "--nonsense") == (
        2, "", "agree: unrecognized arguments: --nonsense; --help shows how\n")
    status, _, err = run("a.csv", "--primary", "rho")
    assert status == 2
    assert err.count("\n") == 1
    assert agree.main(["--help"]) == 0
    assert "forms of a file" in capsys.readouterr().out


def test_every_error_has_its_line_up_to_a_limit(run, tmp_path):
    book = text(tmp_path, "Hang\nCrash\n", "book.txt")
    rows = "".join(f"{i},x{i},Hang\n" for i in range(30))
    status, out, err = run(text(tmp_path, "id,one,two\n" + rows), "--item", "id", "--wide", "one",
                           "two", "--codebook", book)
    assert (status, out) == (2, "")
    lines = err.splitlines()
    assert len(lines) == 21
    assert lines[0].startswith("agree: a.csv, row 2, column B: 'x0' is not in the codebook")
    assert lines[-1] == "agree: … and 10 more errors"


@pytest.mark.parametrize(("content", "message"), [
    (",a,b\na,1,x\nb,0,1\n", "row 2, column C: 'x' is no count"),
    (",a,b\na,1,1\n", "must be the same"), (",a,b\na,1\nb,0,1\n", "a cell is missing")])
def test_wrong_tables(run, tmp_path, content, message):
    status, _, err = run(text(tmp_path, content), "--table")
    assert status == 2
    assert message in err


def test_table_within_a_larger_codebook(run, tmp_path):
    book = text(tmp_path, "a\nb\nc\nd\n", "book.txt")
    [group] = groups(run, text(tmp_path, ",a,b\na,40,9\nb,6,45\n"), "--table", "--codebook", book)
    assert group["q_offered"] == 4
    assert values(group)["S_seen"] == pytest.approx(.70)
    status, _, err = run(text(tmp_path, ",a,z\na,1,0\nz,1,1\n"), "--table", "--codebook", book)
    assert status == 2
    assert "'z' is not in the codebook" in err


def test_one_rater_or_no_rating(run, tmp_path):
    file = text(tmp_path, "id,who,label\n1,Ann,a\n")
    status, _, err = run(file, "--item", "id", "--rater", "who", "--label", "label")
    assert status == 2
    assert "one rater only ('Ann')" in err
    status, _, err = run(text(tmp_path, "id,who,label\n1,,\n"), "--item", "id", "--rater", "who",
                         "--label", "label")
    assert status == 2
    assert "no rating found" in err


def test_all_labels_missing(run, tmp_path):
    status, out, _ = run(text(tmp_path, "id,one,two\n1,,\n2,,\nx,?,\n"), "--item", "id", "--wide",
                         "one", "two", "--json")
    [group] = json.loads(out)["groups"]
    assert status == 3
    assert {r["value"] for r in group["results"]} == {None}
    assert all(r["reason"] for r in group["results"])


def test_numbers_as_text():
    assert [number(v) for v in (.5, -.5, 1, -1, 0, -0.0001, None)] == [
        ".500", "-.500", "1.000", "-1.000", ".000", ".000", "-"]
    assert [p_value(p) for p in (.5, .049, .0036, 1e-9, 1.0)] == [
        ".50", ".049", ".0036", "< .00001", "1.00"]


# --- Labels that others published, as they left them -----------------------------------------


@needs_shared
def test_msr_2022_blanks_are_no_label(run):
    """Pilot reasons, raters 1 and 3: .267 without blanks, .758 if blanks were a category."""
    files = sorted(LABELS.glob("msr-2022/*_pilot_reason_3_r1r3.csv"))
    [group] = groups(run, *files, "--wide", "Rater1", "Rater3")
    assert group["n_used"] == 50
    assert group["dropped"] == {"no label from either": 79}
    assert values(group)["kappa"] == pytest.approx(.267, abs=6e-4)
    assert "" not in [c["category"] for c in group["categories"]]


@needs_shared
def test_msr_2022_na_is_a_word_until_declared(run):
    files = sorted(LABELS.glob("msr-2022/*_overlap_1.csv"))
    out = good(run, *files, "--wide", "Rater1", "Rater2")
    assert "'NA' is read as a label" in out
    [group] = groups(run, *files, "--wide", "Rater1", "Rater2", "--missing", "NA")
    assert group["n_used"] == 121
    assert values(group)["kappa"] == pytest.approx(.263692, abs=6e-7)


@needs_shared
def test_msr_2022_workbook_with_a_banner_and_doubled_titles(run):
    file = LABELS / "msr-2022" / "data.xlsx"
    call = [file, "--sheet", "Raw data", "--header-row", "2", "--wide", "column:M", "column:N"]
    [group] = groups(run, *call)
    assert group["raters"] == ["Rater1 (M)", "Rater2 (N)"]
    rows = [r[12:14] for r in openpyxl.load_workbook(file, data_only=True)["Raw data"].iter_rows(
        min_row=3, values_only=True)]
    both = [(a.strip(), b.strip()) for a, b in rows if a and b]
    decided = [pair for pair in both if not {"No?", "??"} & set(pair)]
    assert group["n_used"] == len(decided)
    assert group["undecided"] == {"Rater1 (M)": 2, "Rater2 (N)": 0}
    assert values(group)["po"] == pytest.approx(sum(a == b for a, b in decided) / len(decided))


@needs_shared
@pytest.mark.parametrize(("name", "raters"), [
    ("iaa-v1.csv", 5), ("iaa-v2_double-annotations.csv", 4), ("iaa-v2_single-annotations.csv", 9),
    ("iaa-v2_single-annotations_expert.csv", 5)])
def test_20y_chec_sets(run, name, raters):
    """Several rows of one annotator for one paper are a set; alpha as nltk computes it."""
    file = LABELS / "20Y-CHEC" / name
    column = "criterion_paraphrase"
    [group] = groups(run, file, "--item", "key", "--rater", "source_spreadsheet", "--label",
                     column, "--split", "set", "--bootstrap", "50")
    assert len(group["raters"]) == raters
    nltk = pytest.importorskip("nltk.metrics")
    task = pytest.importorskip("nltk.metrics.agreement").AnnotationTask
    sets = {}
    with file.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            label = " ".join(row[column].split())
            if label:
                sets.setdefault((row["source_spreadsheet"], row["key"]), set()).add(label)
    folded = {}
    for label in sorted(x for s in sets.values() for x in s):
        folded.setdefault(label.casefold(), label)
    triples = [(r, k, frozenset(x.casefold() for x in s)) for (r, k), s in sets.items()]
    found = values(group)
    for metric, ours in (("jaccard", "alpha (jaccard)"), ("masi", "alpha (masi)")):
        distance = getattr(nltk, metric + "_distance")
        assert found[ours] == pytest.approx(task(triples, distance=distance).alpha(), abs=1e-9)
    assert masi({"a"}, {"a", "b"}) == pytest.approx(nltk.masi_distance({"a"}, {"a", "b"}))


HUMBATOVA = """
item = "Link"
sheets = 'Round \\d All'
pairs = {rater = 'Evaluator *(\\d)', label = 'Tag *(\\d)'}
round_from = {file = 'round_(\\d)'}
"""


@needs_shared
def test_humbatova_2020_six_rounds_by_one_mapping(run, tmp_path):
    files = sorted(LABELS.glob("humbatova-2020/round_?.xlsx"))
    call = [*files, "--map", text(tmp_path, HUMBATOVA, "map.toml"), "--bootstrap", "50"]
    content = json.loads(good(run, *call, "--json"))
    found = {g["round"]: g for g in content["groups"]}
    assert sorted(found) == list("123456")
    assert sum(g["n_items"] for g in found.values()) == 1059
    assert [w["message"] for w in content["warnings"] if w["kind"] == "no-label-column"] == [
        "no label column beside 'Evaluator2': what these raters said is not in the sheet"]
    assert found["2"]["dropped"] == {"one rating only": 75}

    # Round 6 by hand: its titles are in the order link, evaluator 1, tag 1, …
    krippendorff = pytest.importorskip("krippendorff")
    sheet = openpyxl.load_workbook(files[5], data_only=True)["Round 6 All"]
    rows = list(sheet.iter_rows(values_only=True))
    at = {title: i for i, title in enumerate(rows[0])}
    counts = []
    names = sorted({" ".join(r[at[f"Tag{k}"]].split()).casefold() for r in rows[1:]
                    for k in range(1, 5) if r[at[f"Tag{k}"]]})
    for row in rows[1:]:
        said = [" ".join(row[at[f"Tag{k}"]].split()).casefold() for k in range(1, 5)
                if row[at[f"Tag{k}"]] and row[at[f"Evaluator{k}"]]]
        counts.append([said.count(n) for n in names])
    counts = [c for c in counts if sum(c) > 1]
    assert found["6"]["n_used"] == len(counts)
    assert values(found["6"])["alpha"] == pytest.approx(
        krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"), abs=1e-9)


@needs_shared
def test_shen_2021_repeated_items_are_named(run):
    status, out, err = run(LABELS / "shen-2021.xlsx", "--sheet", "ALL", "--item", "pr_id",
                           "--rater", "project", "--label", "symptoms")
    assert (status, out) == (2, "")
    assert "shen-2021.xlsx, sheet ALL, row 93: 'TVM' has '6041' twice" in err


# --- What an author pastes, and what tells a script that nothing was measured ------------------


def pasted(run, *argv):
    status, out, _ = run(*argv)
    assert status == 0
    return out


def test_one_row_a_facet_as_markdown_latex_and_csv(run, tmp_path):
    """Values of the table of test_acceptance_table."""
    call = acceptance(tmp_path, "wide")
    head, rule, row = pasted(run, *call, "--format", "markdown").splitlines()
    assert head == ("| facet | n | observed | coefficient | value | 95 % interval | method |")
    assert set(rule) <= set("| -:")
    assert row == ("| all | 204 | .804 | Cohen's kappa | .690 | .605 to .776 | "
                   "asymptotic (normal) |")
    latex = pasted(run, *call, "--format", "latex")
    assert r"all & 204 & .804 & Cohen's kappa & .690 & .605 to .776" in latex
    assert r"95\,\% interval" in latex
    [record] = csv.DictReader(pasted(run, *call, "--format", "csv").splitlines())
    assert (record["n"], record["coefficient"], record["conf"]) == ("204", "Cohen's kappa", "0.95")
    assert float(record["observed"]) == pytest.approx(164 / 204)
    assert float(record["low"]) < float(record["value"]) < float(record["high"])


def test_rows_of_facets_are_escaped_and_formulas_guarded(run, tmp_path):
    rows = ["id,who,label,what"] + [f"{i},{w},{'ab'[i % 2]},{what}" for i in range(4) for w in "AB"
                                    for what in ("=1+1", "a_b|c & 5%")]
    call = [text(tmp_path, "\n".join(rows)), "--item", "id", "--rater", "who", "--label", "label",
            "--facet", "what"]
    assert [r["facet"] for r in csv.DictReader(pasted(run, *call, "--format", "csv").splitlines())
            ] == ["'=1+1", "a_b|c & 5%"]
    assert r"a_b\|c & 5%" in pasted(run, *call, "--format", "markdown")
    assert r"a\_b|c \& 5\%" in pasted(run, *call, "--format", "latex")


def test_sentence(run, tmp_path):
    rows = [f"{i},{'ab'[i % 2]},{'aab'[i % 3]}" for i in range(30)]
    call = [text(tmp_path, "\n".join(["id,Ann,Ben", *rows, "30,?,a", "31,a,"])), "--item", "id",
            "--wide", "Ann", "Ben", "--sentence"]
    status, out, err = run(*call)
    agreed = sum("ab"[i % 2] == "aab"[i % 3] for i in range(30))
    assert status == 0
    assert out.startswith("Ann and Ben both labelled 30 items; left out were 2 (1 undecided; 1 no "
                          f"label from Ben). They agreed on {100 * agreed / 30:.1f} % of them; "
                          "Cohen's kappa was ")
    assert "95 % interval" in out
    assert "asymptotic (normal)" in out
    assert "warning: below 50 items" in err  # not lost, though not pasted
    status, out, err = run(*call, "--json")
    assert (status, out) == (2, "")
    assert "not allowed with" in err


def test_nothing_paired_is_exit_3(run, tmp_path):
    one = text(tmp_path, "id,label\n001,a\n002,b\n", "ann.csv")
    two = text(tmp_path, "id,label\n1,a\n2,b\n", "ben.csv")
    status, out, err = run(one, two, "--item", "id", "--label", "label")
    assert status == 3
    assert "n used 0 of 4 items" in out
    assert err == ("agree: no item has labels from two raters, so nothing was measured; do the "
                   "files name their items alike? ann: '001', ben: '1'\n")
    status, out, _ = run(one, two, "--item", "id", "--label", "label", "--sentence")
    assert status == 3
    assert "Agreement is undefined: no item has a label from both raters." in out


def test_three_raters_without_a_common_item(run, tmp_path):
    file = text(tmp_path, "id,A,B,C\n1,x,,\n2,,y,\n3,,,x\n")
    status, out, err = run(file, "--item", "id", "--wide", "A", "B", "C")
    assert status == 3
    assert "no unit has two ratings" in out
    assert "nothing was measured" in err


@pytest.mark.parametrize("margin", ["Total", "total", "Sum", "Σ", ""])
def test_totals_of_a_table_are_margins(run, tmp_path, margin):
    """[[3, 1], [0, 2]]: po 5/6, chance .5, so kappa 2/3 by hand."""
    content = f",a,b,{margin}\na,3,1,4\nb,0,2,2\n{margin},3,3,6\n"
    [group] = groups(run, text(tmp_path, content), "--table")
    assert group["n_used"] == 6
    assert values(group)["kappa"] == pytest.approx(2 / 3)


def test_totals_that_are_none(run, tmp_path):
    status, _, err = run(text(tmp_path, ",a,b,Total\na,3,1,4\nb,0,2,2\nTotal,3,3,7\n"), "--table")
    assert status == 2
    assert "row 4, column D: 7 is not the sum of the counts, 6" in err
