"""The command agree on files as people have them: forms, switches, warnings, options."""

import io
import json
import os
import threading
from pathlib import Path

import openpyxl
import pytest

from measure.test_alpha import DIAGNOSES, GAPS
from study.base.paths import EXTENSIONS
from study.run import agree

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.exists(), reason="../shared is absent")
WIDE = ["--item", "id", "--wide", "A", "B"]


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


def group(run, *argv):
    status, out, err = run(*argv, "--json")
    assert status == 0, err
    [found] = json.loads(out)["groups"]
    return found


def values(found):
    return {r["coefficient"]: r["value"] for r in found["results"]}


def warnings(found):
    return "\n".join(found["warnings"])


# --- Options of the coefficients ------------------------------------------------------------

SAS = ",1,2,3\n1,0,4,1\n2,0,8,0\n3,0,1,5\n"  # as statsmodels' tests quote it from SAS


def test_linear_weights_as_sas_has_them(run, tmp_path):
    found = group(run, text(tmp_path, SAS), "--table", "--weights", "linear")
    [main] = [r for r in found["results"] if r["primary"]]
    assert main["coefficient"] == "weighted kappa (linear)"
    assert (round(main["value"], 4), round(main["se"], 4)) == (.4701, .1457)
    assert (round(main["ci_low"], 4), round(main["ci_high"], 4)) == (.1845, .7558)
    assert round(values(found)["kappa"], 4) == .4842
    assert {"AC2", "weighted Fleiss kappa", "weighted S"} <= set(values(found))


def test_weights_and_distances_of_a_file(run, tmp_path):
    """Cohen 1968: 200 pairs and the loss of each disagreement, weighted kappa .348."""
    cohen = ",a,b,c\na,88,14,18\nb,10,40,10\nc,2,6,12\n"
    loss = text(tmp_path, ",a,b,c\na,0,1,3\nb,1,0,6\nc,3,6,0\n", "loss.csv")
    found = group(run, text(tmp_path, cohen), "--table", "--weights", loss)
    assert values(found)["weighted kappa (given weights)"] == pytest.approx(.348, abs=5e-4)
    near = text(tmp_path, ",a,b,c\na,1,.5,0\nb,.5,1,.5\nc,0,.5,1\n", "near.csv")
    given = values(group(run, text(tmp_path, cohen), "--table", "--weights", near))
    book = text(tmp_path, "a\nb\nc\n", "book.txt")
    linear = values(group(run, text(tmp_path, cohen), "--table", "--weights", "linear",
                          "--codebook", book))
    for name in ("AC2", "weighted S"):
        assert given[name] == pytest.approx(linear[name])
    assert given["weighted kappa (given weights)"] == pytest.approx(
        linear["weighted kappa (linear)"])


@pytest.mark.parametrize(("options", "message"), [
    (["--weights", "linear"], "--weights linear needs the order of the categories"),
    (["--metric", "ordinal"], "--metric ordinal needs the order"),
    (["--metric", "interval"], "needs labels that are numbers; 'high' is none"),
    (["--weights", "none.csv"], "none.csv: no such file"),
    (["--primary", "AC2"], "with --weights weighted, AC2"),
])
def test_what_labels_cannot_have(run, tmp_path, options, message):
    status, _, err = run(text(tmp_path, "id,A,B\n1,low,high\n2,low,low\n"), *WIDE, *options)
    assert status == 2
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("weights", [",a,b\na,1,2\nb,2,1\n", ",a,b\na,1,0\nb,.5,1\n",
                                     ",a,b\na,1,x\nb,0,1\n", ",a,b\nb,1,0\na,0,1\n"])
def test_wrong_weights(run, tmp_path, weights):
    status, _, err = run(text(tmp_path, "id,A,B\n1,a,b\n2,a,a\n"), *WIDE, "--weights",
                         text(tmp_path, weights, "w.csv"))
    assert (status, err.count("\n")) == (2, 1)
    assert "w.csv" in err


@pytest.mark.parametrize(("metric", "value"), [
    ("nominal", .743), ("ordinal", .815), ("interval", .849), ("ratio", .797)])
def test_metrics_of_alpha_with_missing_ratings(run, tmp_path, metric, value):
    """Krippendorff 2011, section C."""
    rows = ["id,A,B,C,D"] + [",".join([str(i), *("" if r in (None, ".") else str(r)
                                                 for r in unit)]) for i, unit in enumerate(GAPS)]
    found = group(run, text(tmp_path, "\n".join(rows)), "--item", "id", "--wide", *"ABCD",
                  "--metric", metric, "--bootstrap", "50")
    [main] = [r for r in found["results"] if r["primary"]]
    assert main["value"] == pytest.approx(value, abs=6e-4)


def test_interval_is_chosen_and_named(run, tmp_path):
    call = [text(tmp_path, SAS), "--table"]
    _, out, _ = run(*call)
    assert "asymptotic (t, 18 df)" in out
    normal = group(run, *call, "--interval", "normal")
    assert {r["ci_method"] for r in normal["results"] if r["ci_low"] is not None} == {
        "Wilson", "asymptotic (normal)"}
    wide = {r["coefficient"]: r["ci_low"] for r in group(run, *call)["results"]}
    for r in normal["results"]:
        if r["coefficient"] in ("S", "AC1", "pi", "alpha"):
            assert r["ci_low"] > wide[r["coefficient"]]


def test_generalised_fleiss_beside_the_classical_one(run, tmp_path):
    """Four of five items have three ratings: the classical form says on how few it rests."""
    rows = "id,A,B,C\n1,a,a,a\n2,b,b,b\n3,a,b,a\n4,b,b,a\n5,a,a,\n"
    found = group(run, text(tmp_path, rows), "--item", "id", "--wide", *"ABC")
    by = {r["coefficient"]: r for r in found["results"]}
    assert (by["Fleiss kappa"]["n_used"], by["Fleiss kappa (generalised)"]["n_used"]) == (4, 5)
    assert "Fleiss' kappa rests on the 4 of 5 items that have 3 ratings" in warnings(found)
    primary = group(run, text(tmp_path, rows), "--item", "id", "--wide", *"ABC", "--primary",
                    "generalised")
    assert [r["coefficient"] for r in primary["results"] if r["primary"]] == [
        "Fleiss kappa (generalised)"]


# --- Forms of a file -----------------------------------------------------------------------


@pytest.mark.parametrize("form", ["named", "numbered", "bare", "total"])
def test_counts_of_items_by_categories(run, tmp_path, form):
    """Fleiss 1971: 30 patients, six psychiatrists each, kappa .430."""
    counts = [[unit.count(c) for c in "12345"] for unit in DIAGNOSES]
    head = ["unit"] * (form != "bare") + list("abcde") + ["Total"] * (form == "total")
    rows = [([f"p{i}" if form == "named" else str(i + 1)] if form != "bare" else [])
            + list(map(str, row)) + ["6"] * (form == "total") for i, row in enumerate(counts)]
    found = group(run, text(tmp_path, "\n".join(map(",".join, [head, *rows]))), "--counts",
                  "--bootstrap", "50")
    assert len(found["raters"]) == 6
    assert values(found)["Fleiss kappa"] == pytest.approx(.4302445, abs=1e-7)
    assert values(found)["AC1"] == pytest.approx(.447885, abs=1e-6)
    assert "--item COLUMN says otherwise" in warnings(found)


def test_counts_that_look_like_raters_are_pointed_out(run, tmp_path):
    file = text(tmp_path, "id,a,b,c\n1,6,0,0\n2,0,4,2\n3,1,1,4\n")
    found = group(run, file, "--item", "id", "--wide", "a", "b", "c")
    assert "each row adds up to 6: if these are counts of raters, --counts" in warnings(found)
    status, _, err = run(text(tmp_path, "id,a,b\nx,1,many\n"), "--counts")
    assert (status, "'many' is no count" in err) == (2, True)


def test_sets_of_numbers_are_no_counts(run, tmp_path):
    file = text(tmp_path, "id,A,B,C\n1,1;2,2,1\n2,1,1,1;2\n")
    found = group(run, file, "--item", "id", "--wide", *"ABC", "--sets", ";")
    assert "--counts" not in warnings(found)
    assert found["n_used"] == 2


def test_blank_means_no_in_a_sheet_of_ticks(run, tmp_path):
    """Both tick 1, one ticks 2, nobody 3 and 4: po 3/4, chance (2*1 + 2*3)/16, kappa 1/2."""
    file = text(tmp_path, "id,A,B\n1,X,x\n2,X,\n3,,\n4,,\n")
    found = group(run, file, *WIDE, "--blank", "no")
    assert found["n_used"] == 4
    assert values(found)["kappa"] == pytest.approx(.5)
    assert group(run, file, *WIDE)["n_used"] == 1


def test_several_files_of_a_rater(run, tmp_path):
    parts = [text(tmp_path, f"id,label\n{i},a\n{i + 1},b\n", f"{i}.csv") for i in (1, 3)]
    other = text(tmp_path, "id,label\n1,a\n2,b\n3,b\n4,b\n", "ben.csv")
    found = group(run, f"Ann={parts[0]}", f"Ann={parts[1]}", f"Ben={other}", "--item", "id",
                  "--label", "label")
    assert found["raters"] == ["Ann", "Ben"]
    assert found["n_used"] == 4
    assert values(found)["po"] == .75
    odd = text(tmp_path, "id,label\n1,a\n", "x=y.csv")  # a name with the mark in it
    assert group(run, odd, other, "--item", "id", "--label", "label")["raters"] == ["x=y", "ben"]


def test_published_labels_in_their_form(run, tmp_path):
    """Synthetic rows, published cells: one rater's labels of fault types twice, as
    AmadeusBugProject/fault_type_prediction keeps them. Kappa .9453 and accuracy .96 stand in its
    inter_rater_agreement_internal.csv, and so do precision and recall, of which the cells follow.
    Three files of one rater, with rows short of the last column, labels that are none, blanks, an
    item twice; spellings by case and blanks."""
    names = ("Concurrency", "Memory", "Other", "Semantic")
    cells = [[22, 0, 0, 0], [0, 17, 0, 1], [0, 0, 23, 1], [2, 0, 0, 34]]
    pairs = [(a, b) for i, a in enumerate(names) for j, b in enumerate(names)
             for _ in range(cells[i][j])]
    links = [f"https://github.com/o/r{i % 7}/issues/{i}" for i in range(100)]
    first = [f"{link},{a},a detail,9" for link, (a, _) in zip(links, pairs, strict=True)]
    first[3] = first[3].removesuffix(",a detail,9") + " ,detail"
    first[40:50] = [row.removesuffix(",9") for row in first[40:50]]
    more = ["https://github.com/o/x/issues/1,NAB,,9", "https://github.com/o/x/issues/2,excluded,,3",
            f"{links[0]},,,"]
    head = "url,RootCause,RootCauseDetail,Confidence"
    parts = [text(tmp_path, "\n".join([head, *rows]), f"part{i}.csv")
             for i, rows in enumerate((first[:30], first[30:60], [*first[60:], *more]))]
    again = [f"{link},{b.lower()},other detail" for link, (_, b) in zip(links, pairs, strict=True)]
    other = text(tmp_path, "\n".join([head.removesuffix(",Confidence"), *reversed(again)]), "b.csv")
    found = group(run, *(f"first={part}" for part in parts), f"again={other}", "--item", "url",
                  "--label", "RootCause", "--missing", "NAB", "excluded")
    assert found["n_used"] == 100
    assert values(found)["kappa"] == pytest.approx(.9453402569007926, abs=1e-12)
    assert values(found)["po"] == .96


def test_standard_input(run, monkeypatch):
    content = "id,A,B\n" + "".join(f"{i},a,{'ab'[i % 2]}\n" for i in range(20000))
    assert len(content) > 1 << 16  # more than what is read first
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    found = group(run, "-", *WIDE)
    assert found["n_used"] == 20000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_loses_nothing(run, tmp_path):
    content = "id,label\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(20000))
    pipes = [tmp_path / name for name in ("ann", "ben")]

    def fill(pipe):
        pipe.write_text(content, encoding="utf-8")

    for pipe in pipes:
        os.mkfifo(pipe)
        threading.Thread(target=fill, args=(pipe,), daemon=True).start()
    found = group(run, *pipes, "--item", "id", "--label", "label")
    assert (found["n_used"], found["raters"]) == (20000, ["ann", "ben"])


def test_text_in_another_encoding(run, tmp_path):
    content = "id,A,B,note\n1,a,a,f\u00fcr\n2,b,a,\n"
    for name, encoding in (("cp1252", "cp1252"), ("utf-16", "utf-16")):
        path = tmp_path / f"{name}.csv"
        path.write_bytes(content.encode(encoding))
        status, _, err = run(path, *WIDE)
        assert (status, f"(agree: --encoding {encoding})" in err) == (2, True)
        assert group(run, path, *WIDE, "--encoding", encoding)["n_used"] == 2
    assert "no such encoding" in run(path, *WIDE, "--encoding", "klingon")[2]
    assert "not ascii" in run(path, *WIDE, "--encoding", "ascii")[2]


def test_delimiter_where_two_of_them_fit(run, tmp_path):
    file = text(tmp_path, "id;A,B\n1;a,a\n2;b,a\n")
    status, _, err = run(file, "--wide", "column:A", "column:B")
    assert (status, "(agree: --delimiter)" in err) == (2, True)
    assert group(run, file, "--wide", "id;A", "B", "--delimiter", "comma")["n_used"] == 2


def test_dates_are_items_and_no_labels(run, tmp_path):
    import datetime
    book = openpyxl.Workbook()
    for row in (("id", "A", "B"), (datetime.datetime(2024, 3, 2), "a", "a"), ("2", "b", "a")):
        book.active.append(row)
    book.save(tmp_path / "d.xlsx")
    status, out, _ = run(tmp_path / "d.xlsx", *WIDE)
    assert status == 0
    assert "n used 2 of 2" in out
    assert "warning: d.xlsx, sheet Sheet, row 2, column A: a date (2024-03-02)" in out


SHEETS = [str(EXTENSIONS / "example" / "sheets" / f"round1-{r}.xlsx") for r in ("R1", "R2")]


def test_sheets_of_the_package_as_they_are(run):
    from study.extend.agree import agree as label_agree
    from study.extend.folder import extension
    status, out, _ = run(*SHEETS, "--json")
    assert status == 0
    expected = label_agree(extension("example"), "1")
    assert json.loads(out)["groups"] == json.loads(json.dumps(expected))


def test_a_further_issue_of_a_thread_is_an_item(run):
    """Its row leaves the item blank in the package's own sheets (elsewhere an error)."""
    found = group(run, *SHEETS, "--item", "Item", "--label", "Stage")
    again = group(run, *SHEETS, "--item", "Link", "--label", "Stage", "--sheet", "labels")
    assert found["n_used"] == again["n_used"] == 30


# --- Faults, normalisations and their switches ---------------------------------------------


@pytest.mark.parametrize(("rows", "used"), [
    ("id,A,B,note\n1,a,a\n2,b,b\n", 2),  # short beyond the columns in use
    ("id,A,B,note\n1,a,a,x,y\n2,b,b,\n", 2),  # a comma in the note
    ("id,A,B,,\n1,a,a,,x\n2,b,b,,\n", 2)])  # a remark beside the table
def test_faults_outside_the_columns_in_use_are_warnings(run, tmp_path, rows, used):
    status, out, err = run(text(tmp_path, rows), *WIDE)
    assert (status, err) == (0, "")
    assert f"n used {used} of {used}" in out
    assert "warning: a.csv, row 2" in out


@pytest.mark.parametrize(("kind", "rows", "used"), [
    ("row-length", "id,title,A,B\n1,x,a,a,b\n2,y,b,b\n", 2),
    ("row-length", "id,A,B\n1,a\n2,b,b\n", 1),
    ("no-item", "id,A,B\n,a,a\n2,b,b\n", 1),
    ("digits", "id,A,B\n1.0,a,a\n2.0,b,b\n", 2),
    ("repeated", "id,A,B\n1,a,a\n1,b,a\n", 1)])
def test_a_strict_rule_names_its_switch(run, tmp_path, kind, rows, used):
    file = text(tmp_path, rows)
    status, out, err = run(file, *WIDE)
    assert (status, out) == (2, "")
    assert all(line.endswith(f"(--allow {kind})") for line in err.splitlines())
    status, out, _ = run(file, *WIDE, "--allow", kind)
    assert status == 0
    assert f"n used {used} of" in out
    assert "warning: a.csv" in out


def test_a_label_outside_the_codebook_can_be_a_category(run, tmp_path):
    book = text(tmp_path, "a\nb\n", "book.txt")
    call = [text(tmp_path, "id,A,B\n1,a,zzz\n2,b,b\n"), *WIDE, "--codebook", book]
    assert run(*call)[0] == 2
    found = group(run, *call, "--allow", "unknown-label")
    assert (found["n_used"], found["q_offered"]) == (2, 3)


@pytest.mark.parametrize(("kind", "rows", "without", "kept"), [
    ("case", "id,A,B\n1,a,A\n2,b,b\n", 1, .5),
    ("blanks", "id,A,B\n1,a,a \n2,b,b\n", 1, .5),
    ("invisible-characters", "id,A,B\n1,a,a\u200b\n2,b,b\n", 1, .5),
    ("undecided", "id,A,B\n1,maybe,maybe\n2,b,b\n3,b,maybe\n", 1, 2 / 3)])
def test_a_normalisation_names_its_switch(run, tmp_path, kind, rows, without, kept):
    file = text(tmp_path, rows)
    _, out, _ = run(file, *WIDE)
    assert f"(--keep {kind} leaves it)" in out
    assert values(group(run, file, *WIDE))["po"] == without
    assert values(group(run, file, *WIDE, "--keep", kind))["po"] == pytest.approx(kept)


def test_links_to_comments_are_merged_on_request(run, tmp_path):
    rows = ["id,A,B"] + [f"https://github.com/o/r/issues/7#issuecomment-{i},a,a" for i in (1, 2)]
    file = text(tmp_path, "\n".join(rows))
    _, out, _ = run(file, *WIDE)
    assert "n used 2 of 2" in out
    assert "--merge-comments takes it for its thread" in out
    assert group(run, file, *WIDE, "--merge-comments")["n_used"] == 1
    spelt = text(tmp_path, "id,A,B\nso:42,a,a\nhttps://stackoverflow.com/q/42,b,b\n")
    assert run(spelt, *WIDE)[0] == 2  # one thread, two labels
    assert group(run, spelt, *WIDE, "--keep", "link")["n_used"] == 2


def test_a_row_of_totals_is_no_item(run, tmp_path):
    file = text(tmp_path, "id,A,B\n1,a,a\n2,b,a\nTotal,2,2\n")
    _, out, _ = run(file, *WIDE)
    assert "n used 2 of 2" in out
    assert "a row of totals, not an item; it is left out (--keep total-row reads it)" in out
    assert group(run, file, *WIDE, "--keep", "total-row")["n_used"] == 3


@pytest.mark.parametrize(("rows", "says"), [
    ("1,Non-SATD,Not SATD\n2,Bug,Bug", "'Non-SATD' and 'Not SATD' may be one label"),
    ("1,no,non\n2,Bug,Bug", "categories that one rater only uses: A: 'no' (1); B: 'non' (1)"),
    ("1,abc,\u0430b\u0441\n2,x,x", "look alike (letters of another script)"),
    ("1,01,1\n2,2,2", "'01' and '1' look alike (the same number)"),
    ("1,TRUE,yes\n2,no,1", "'1', 'TRUE', 'yes' stand side by side"),
    ("1,maybe,a\n2,a,a", "undecided: A 1; --keep undecided takes such words for labels")])
def test_slips_that_are_pointed_out(run, tmp_path, rows, says):
    assert says in warnings(group(run, text(tmp_path, f"id,A,B\n{rows}\n"), *WIDE))


@pytest.mark.parametrize("rows", ["1,high,low\n2,low,low", "1,1,2\n2,2,2\n3,1,1",
                                  "1,x,y\n2,y,x\n3,y,y"])
def test_labels_in_order_are_not_suspected(run, tmp_path, rows):
    said = warnings(group(run, text(tmp_path, f"id,A,B\n{rows}\n"), *WIDE))
    assert "alike" not in said and "side by side" not in said and "may be one" not in said


def test_slips_in_a_table_are_pointed_out_too(run, tmp_path):
    file = text(tmp_path, ",Bug,Non-SATD,Not SATD\nBug,9,0,0\nNon-SATD,0,0,4\nNot SATD,0,0,0\n")
    found = group(run, file, "--table")
    assert found["categories_from"] == "table"
    assert "'Non-SATD' and 'Not SATD' may be one label" in warnings(found)
    assert "rater 1: 'Non-SATD' (4); rater 2: 'Not SATD' (4)" in warnings(found)
    assert "no codebook" not in warnings(found)


def test_raters_that_differ_by_case_and_items_written_in_two_ways(run, tmp_path):
    file = text(tmp_path, "id,who,label\n1,Ann,a\n1,ann,a\n2,Ann,b\n02,ann,b\n")
    said = warnings(group(run, file, "--item", "id", "--rater", "who", "--label", "label"))
    assert "raters 'Ann' and 'ann' differ by case only" in said
    assert "'02' and '2' may be one item" in said or "'2' and '02' may be one item" in said


# --- What is written beside the report -----------------------------------------------------


def test_pairs_of_many_raters_go_to_a_file(run, tmp_path):
    names = [f"r{i}" for i in range(14)]
    rows = [",".join(["id", *names])] + [
        ",".join([str(i), *("ab"[(i * j) % 3 % 2] for j in range(14))]) for i in range(9)]
    call = [text(tmp_path, "\n".join(rows)), "--item", "id", "--wide", *names, "--bootstrap", "20"]
    assert "pairs of the 14 raters: --pairs FILE writes them" in run(*call)[1]
    status, _, err = run(*call, "--pairs", tmp_path / "p.csv")
    assert (status, err) == (0, f"wrote {tmp_path / 'p.csv'}\n")
    lines = (tmp_path / "p.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 14 * 13 / 2
    assert lines[0].startswith("round,facet,rater_1,rater_2,n,po,po_low,po_high,kappa,")
    status, _, err = run(*call, "--pairs", tmp_path / "p.csv")  # somebody's file by now
    assert status == 2
    assert "there is a file of that name" in err


def test_figure_of_the_confusions(run, tmp_path):
    file = text(tmp_path, "id,A,B\n1,a,b\n2,a,a\n3,b,b\n")
    for form, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        path = tmp_path / f"f.{form}"
        assert run(file, *WIDE, "--figure", path)[0] == 0
        assert path.read_bytes().startswith(start)
    drawn = (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert "1 of 3 pairs differ, most often a / b (1)" in drawn
    status, _, err = run(file, *WIDE, "--figure", tmp_path / "f.gif")
    assert (status, ".svg, .pdf, .png" in err) == (2, True)


def test_more_raters_or_labels_than_a_study_has(run, tmp_path, monkeypatch):
    monkeypatch.setattr("study.measure.agreement_report.MOST_CATEGORIES", 2)
    monkeypatch.setattr("study.measure.agreement_report.MOST_RATERS", 2)
    file = text(tmp_path, "id,A,B,C\n1,a,b,c\n2,a,a,a\n3,b,b,b\n")
    wide = ["--item", "id", "--wide", *"ABC"]
    assert "(--allow many-raters)" in run(file, *wide)[2]
    assert "(--allow many-labels)" in run(file, *wide, "--allow", "many-raters")[2]
    assert group(run, file, *wide, "--allow", "many-raters", "many-labels")["n_used"] == 3


def test_help_names_forms_switches_and_exit_codes(run):
    status, out, _ = run("--help")
    assert status == 0
    for word in ("--counts", "ann=1.csv", "rater_from", "columns name, alias, parent, facet",
                 "--allow KIND", "unknown-label", "--keep KIND", "total-row", "--interval normal",
                 "3 where no item has labels from two raters"):
        assert word in out, word


# --- Small inputs that others stumbled over ------------------------------------------------


@needs_cases
@pytest.mark.parametrize(("argv", "status", "says"), [
    (["t2.csv", "--table"], 0, "kappa      .667"),
    (["comments.csv", "--item", "url", "--wide", "A", "B"], 0, "n used 5 of 5"),
    (["no_overlap3.csv", "--item", "id", "--wide", "A", "B", "C"], 3, "nothing was measured"),
    (["hash.csv", "--item", "hash", "--wide", "A", "B"], 0, "n used 2 of 2"),
    (["short_a.csv", "short_b.csv", "--item", "url", "--label", "cause"], 0, "n used 3 of 3"),
    (["counts.csv", "--counts"], 0, "Agreement of 6 raters"),
    (["ticks.csv", "--item", "id", "--wide", "r1", "r2", "r3", "--blank", "no"], 0,
     "n used 5 of 5"),
    (["likert.csv", *WIDE, "--metric", "ordinal"], 0, "alpha (ordinal)"),
    (["nonnot.csv", *WIDE], 0, "may be one label"), (["look.csv", *WIDE], 0, "another script"),
    (["maybe.csv", *WIDE], 0, "--keep undecided"), (["dateitem.xlsx", *WIDE], 0, "12 of 12"),
    (["total.xlsx", *WIDE], 0, "a row of totals"),
    (["zeroitems_a.csv", "zeroitems_b.csv", "--item", "id", "--label", "L"], 3,
     "'001' and '1' may be one item"),
    (["../threads/ann.csv", "../threads/ben.csv", "--item", "item", "--label", "label"], 0,
     "n used 4 of 4")], ids=lambda v: v[0] if isinstance(v, list) else None)
def test_cases(run, argv, status, says):
    files = [str(CASES / "agree" / a) if "." in a else a for a in argv]
    found, out, err = run(*files)
    assert found == status
    assert says in out + err
