"""Label files of anybody: each known fault is logged, warned of, or refused, never absorbed.

The faults are numbered as in the list the package follows (merged cells are 1, unmapped
labels 27); each has at least one test here or, where the cell reader meets it, in
test_sheets.py.
"""

import datetime

import openpyxl
import pytest

from study.base.words import nearest
from study.read.codebook import Categories, Entry
from study.read.columns import Layout, read_map
from study.read.labels import read_labels
from study.read.labelwords import clean, fingerprint, item_key, lookalikes
from study.read.records import Rules
from study.read.sheet import SheetError

WIDE = Layout(item=("id",), wide=("Ann", "Ben"))
LONG = Layout(item=("id",), rater="who", label="label")
BOOK = {"": Categories((Entry("", "Hang"), Entry("", "Crash"),
                        Entry("", "Out of memory", aliases=("OOM",))))}


def text(tmp_path, content, name="a.csv"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def read(tmp_path, content, layout=WIDE, rules=None, book=None):
    return read_labels([text(tmp_path, content)], layout, rules, book)


def labels(found):
    return [r.state or r.label for r in found.ratings]


def kinds(found, severity):
    return [(p.kind, p.row) for p in found.problems if p.severity == severity]


def book_file(tmp_path, change, rows=(("id", "Ann", "Ben"), ("1", "Hang", "Hang"),
                                      ("2", "Crash", "Hang"))):
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    change(made.active)
    made.save(tmp_path / "a.xlsx")
    return tmp_path / "a.xlsx"


def test_01_merged_label_cells(tmp_path):
    path = book_file(tmp_path, lambda s: (s.__setitem__("B3", None), s.merge_cells("B2:B3")))
    found = read_labels([path], WIDE)
    assert [str(p) for p in found.errors()] == [
        "a.xlsx, sheet Sheet, row 2, column B: merged cells B2:B3: only the first has a value; "
        "unmerge them and fill in each"]


def test_01_merged_items_and_headers(tmp_path):
    path = book_file(tmp_path, lambda s: (s.__setitem__("A3", None), s.merge_cells("A2:A3")))
    assert kinds(read_labels([path], WIDE), "error") == [("merged", 2)]
    path = book_file(tmp_path, lambda s: s.merge_cells("A1:C1"),
                     [("raters", None, None), ("id", "Ann", "Ben"), ("1", "Hang", "Hang")])
    layout = Layout(item=("id",), wide=("Ann", "Ben"), header_row=2)
    assert labels(read_labels([path], layout)) == ["Hang", "Hang"]


def test_01_merged_with_a_blank_rater_beside_it_says_nothing(tmp_path):
    rows = [("id", "E1", "T1", "E2", "T2"), ("1", "Ann", "Hang", None, None)]
    path = book_file(tmp_path, lambda s: s.merge_cells("C2:E2"), rows)
    map_file = text(tmp_path, "item='id'\npairs={rater='E(.)',label='T(.)'}\n", "map.toml")
    found = read_labels([path], read_map(map_file))
    assert labels(found) == ["Hang"]
    assert not found.errors()


def test_02_16_case_blanks_and_invisible_characters(tmp_path):
    found = read(tmp_path, "id,Ann,Ben\n1,Hang\u200b,hang  \n2,out  of\u00a0memory,CRASH\n",
                 book=BOOK)
    assert labels(found) == ["Hang", "Hang", "Out of memory", "Crash"]
    assert sorted(k for k, _ in kinds(found, "note")) == [
        "blanks", "blanks", "case", "case", "case", "compatibility-characters",
        "invisible-characters"]
    assert found.problems[0].value == "Hang\u200b"


def test_02_without_a_codebook_the_most_frequent_spelling_wins(tmp_path):
    found = read(tmp_path, "id,Ann,Ben\n1,Hang,hang\n2,Hang,HANG\n3,x,Hang\n")
    assert labels(found) == ["Hang"] * 4 + ["x", "Hang"]
    assert kinds(found, "note") == [("case", 2), ("case", 3)]


def test_03_27_misspelt_labels_are_refused_with_a_proposal(tmp_path):
    found = read(tmp_path, "id,Ann,Ben\n1,Hnag,Crash\n2,zzz,Crash\n", book=BOOK)
    assert [str(p) for p in found.errors()] == [
        "a.csv, row 2, column B: 'Hnag' is not in the codebook; nearest: 'Hang'. Correct it or add "
        "an alias",
        "a.csv, row 3, column B: 'zzz' is not in the codebook. Correct it or add an alias"]


def test_04_aliases_are_logged(tmp_path):
    found = read(tmp_path, "id,Ann,Ben\n1,oom,Out of memory\n", book=BOOK)
    assert labels(found) == ["Out of memory"] * 2
    assert kinds(found, "note") == [("alias", 2)]


@pytest.mark.parametrize("word", ["PENDING", "?", "??", "maybe?", "TBD", "skip", "Hang?"])
def test_05_undecided_is_no_category(tmp_path, word):
    content = f"id,Ann,Ben\n1,{word},Hang\n2,Hang,Hang\n"
    for book in (BOOK, None):
        assert labels(read(tmp_path, content, book=book)) == ["undecided", "Hang", "Hang", "Hang"]
    final = read(tmp_path, content, rules=Rules(final=True), book=BOOK)
    assert kinds(final, "error") == [("undecided", 2)]


def test_05_a_category_of_that_name_is_a_category(tmp_path):
    book = {"": Categories.of(("Hang", "Pending"))}
    assert labels(read(tmp_path, "id,Ann,Ben\n1,pending,Hang\n", book=book)) == ["Pending", "Hang"]


def test_06_07_blanks_are_missing_and_words_are_words(tmp_path):
    content = "id,Ann,Ben\n1,,nan\n2,None,NA\n3,null, \n"
    assert labels(read(tmp_path, content)) == ["missing", "nan", "None", "NA", "null", "missing"]
    found = read(tmp_path, content, rules=Rules(missing=("NA", "null")))
    assert labels(found) == ["missing", "nan", "None", "missing", "missing", "missing"]


def test_08_shifted_rows(tmp_path):
    found = read(tmp_path, "id,Ann,Ben\n1,Hang,Crash,Hang\n2,Hang\n")
    assert {p.kind for p in found.errors()} >= {"row-length"}
    assert {p.row for p in found.errors()} == {2, 3}


def test_09_columns_without_title(tmp_path):
    assert not read(tmp_path, "id,Ann,Ben,,\n1,Hang,Crash,,\n").problems
    found = read(tmp_path, "id,Ann,Ben,,\n1,Hang,Crash,,x\n")
    assert kinds(found, "warning") == [("no-title", 2)]  # not read, so no error
    assert not found.errors()
    found = read(tmp_path, ",id,Ann,Ben\n0,1,Hang,Crash\n")  # a row index: seen, not read
    assert kinds(found, "warning") == [("no-title", 2)]


def test_10_doubled_titles(tmp_path):
    with pytest.raises(SheetError, match=r"2 columns are called 'Ann' \(B and D\)"):
        read(tmp_path, "id,Ann,Ben,Ann\n1,Hang,Crash,x\n")
    found = read(tmp_path, "id,Ann,Ben,note,note\n1,Hang,Crash,,\n")
    assert kinds(found, "warning") == [("doubled-title", 1)]
    layout = Layout(item=("id",), wide=("column:B", "column:D"))
    found = read(tmp_path, "id,Ann,Ben,Ann\n1,Hang,Crash,x\n", layout)
    assert [(r.rater, r.label) for r in found.ratings] == [("Ann (B)", "Hang"), ("Ann (D)", "x")]
    with pytest.raises(SheetError, match="the sheet ends at column 2"):
        read(tmp_path, "id,Ann\n1,Hang\n", layout)


def test_11_12_repeated_items(tmp_path):
    head = "id,who,label\n1,Ann,Hang\n"
    again = read(tmp_path, head + "1,Ann,hang\n", LONG, book=BOOK)
    assert kinds(again, "warning") == [("repeated", 3)]
    assert labels(again) == ["Hang"]
    other = read(tmp_path, head + "1,Ann,Crash\n", LONG)
    assert kinds(other, "error") == [("repeated", 3)]
    assert "'Hang' in row 2, 'Crash' here" in str(other.errors()[0])
    union = read(tmp_path, head + "1,Ann,Crash\n1,Ann,\n", LONG, Rules(split=True))
    assert labels(union) == [frozenset({"Hang", "Crash"})]
    assert not union.errors()


def test_13_several_labels_in_a_cell(tmp_path):
    content = "id,Ann,Ben\n1,Hang; Crash,Crash\n"
    found = read(tmp_path, content, book=BOOK)
    assert "several labels in one cell" in str(found.errors()[0])
    found = read(tmp_path, content, rules=Rules(sets=";"), book=BOOK)
    assert labels(found) == [frozenset({"Hang", "Crash"}), frozenset({"Crash"})]
    found = read(tmp_path, "id,Ann,Ben\n1,Hang; Crush,Crash\n", rules=Rules(sets=";"), book=BOOK)
    assert "'Crush' is not in the codebook; nearest: 'Crash'." in str(found.errors()[0])
    found = read(tmp_path, 'id,Ann,Ben\n1,"Hang\nCrash",Crash\n', rules=Rules(sets="\n"))
    assert labels(found)[0] == {"Hang", "Crash"}
    book = {"": Categories.of(("API/library", "Crash"))}
    assert labels(read(tmp_path, "id,Ann,Ben\n1,API/library,Crash\n", book=book))[0] == (
        "API/library")


@pytest.mark.parametrize("link", [
    "https://stackoverflow.com/questions/42", "http://www.stackoverflow.com/q/42/7",
    "stackoverflow.com/questions/42/how-to-do", "https://stackoverflow.com/questions/42?x=1#c"])
def test_14_links_to_a_question_are_one_item(link):
    assert item_key(link) == ("so:42", ("link",))


@pytest.mark.parametrize("link", [
    "https://github.com/Horovod/horovod/issues/7", "github.com/horovod/horovod/pull/7/files",
    "https://api.github.com/repos/horovod/horovod/issues/7",
    "http://www.github.com/horovod/Horovod/issues/7#top", "gh:Horovod/horovod#007"])
def test_14_links_to_an_issue_are_one_item(link):
    assert item_key(link)[0] == "gh:horovod/horovod#7"


@pytest.mark.parametrize(("link", "own", "thread"), [
    ("github.com/a/b/issues/7#issuecomment-12", "gh:a/b#7#issuecomment-12", "gh:a/b#7"),
    ("https://github.com/a/b/pull/7#discussion_r12", "gh:a/b#7#discussion_r12", "gh:a/b#7"),
    ("https://github.com/a/b/pull/7/files#r12", "gh:a/b#7#r12", "gh:a/b#7"),
    ("https://stackoverflow.com/questions/42/how#comment9_42", "so:42#comment9_42", "so:42"),
    ("https://stackoverflow.com/questions/42/how-to/77#77", "so-answer:77", "so:42"),
    ("https://stackoverflow.com/a/77/5", "so-answer:77", "so-answer:77")])
def test_14_links_to_comments_and_answers_are_items_of_their_own(link, own, thread):
    assert item_key(link)[0] == own
    assert item_key(link, comments=True)[0] == thread


def test_14_links_pair_across_raters_and_are_logged(tmp_path):
    found = read(tmp_path, "id,who,label\nhttps://stackoverflow.com/q/42,Ann,Hang\n"
                 "stackoverflow.com/questions/42/x ,Ben,Hang\n"
                 "https://stackoverflow.com/a/42,Ben,Crash\n", LONG)
    assert [r.item for r in found.ratings] == ["so:42", "so:42", "so-answer:42"]
    assert kinds(found, "note") == [("link", 2), ("blanks", 3), ("link", 3)]
    assert kinds(found, "warning") == [("answer-link", 4)]


@pytest.mark.parametrize("item", ["70123456.0", "1.23457E+15", "7e+5"])
def test_15_numbers_that_lost_digits(tmp_path, item):
    found = read(tmp_path, f"id,Ann,Ben\n{item},Hang,Hang\n")
    assert kinds(found, "error") == [("digits", 2)]
    found = read(tmp_path, f"id,Ann,Ben\n{item},Hang,Hang\n", rules=Rules(allow={"digits"}))
    assert [r.item for r in found.ratings] == [item] * 2
    assert kinds(found, "warning") == [("digits", 2)]


@pytest.mark.parametrize("item", ["7e47607", "5E98213", "0704a8586f", "1038e78410"])
def test_15_the_hash_of_a_commit_is_no_number(tmp_path, item):
    found = read(tmp_path, f"id,Ann,Ben\n{item},Hang,Hang\n")
    assert [r.item for r in found.ratings] == [item] * 2
    assert not found.problems


def test_15_numbers_and_their_text_are_one_label(tmp_path):
    path = book_file(tmp_path, lambda _: None, [("id", "Ann", "Ben"), (7, 3, "3")])
    assert labels(read_labels([path], WIDE)) == ["3", "3"]


def test_17_dates(tmp_path):
    rows = [("id", "Ann", "Ben", "when"), ("1", "Hang", "Hang", None)]

    def change(sheet):
        sheet["D2"] = datetime.datetime(2024, 3, 2)

    assert not read_labels([book_file(tmp_path, change, rows)], WIDE).problems
    path = book_file(tmp_path, lambda s: s.__setitem__("B3", datetime.datetime(2024, 3, 2)))
    found = read_labels([path], WIDE)
    assert kinds(found, "error") == [("date", 3)]


def test_18_19_encoding_and_separator_are_logged(tmp_path):
    found = read(tmp_path, "\ufeffid;Ann;Ben\n1;Hang;a, b\n")
    assert labels(found) == ["Hang", "a, b"]
    assert [k for k, _ in kinds(found, "note")] == ["byte-order-mark", "delimiter"]


def test_20_files_in_another_order_pair_by_item(tmp_path):
    one = text(tmp_path, "id,label\n1,Hang\n2,Crash\n", "ann.csv")
    two = text(tmp_path, "id,label\n2,Crash\n1,Hang\n", "ben.csv")
    found = read_labels([one, two], Layout(item=("id",), label="label"))
    assert {(r.item, r.rater): r.label for r in found.ratings} == {
        ("1", "ann"): "Hang", ("2", "ann"): "Crash", ("2", "ben"): "Crash", ("1", "ben"): "Hang"}


def test_20_one_sheet_a_rater(tmp_path):
    made = openpyxl.Workbook()
    made.active.title = "Ann"
    for sheet in (made.active, made.create_sheet("Ben")):
        for row in (("id", "label"), ("1", "Hang")):
            sheet.append(row)
    made.save(tmp_path / "a.xlsx")
    layout = Layout(item=("id",), label="label", sheets=("Ann", "Ben"))
    found = read_labels([tmp_path / "a.xlsx"], layout)
    assert [r.rater for r in found.ratings] == ["Ann", "Ben"]


def test_22_hidden_rows_columns_and_sheets(tmp_path):
    def hide(sheet):
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["C"].hidden = True
        sheet.parent.create_sheet("front")
        sheet.sheet_state = "hidden"

    found = read_labels([book_file(tmp_path, hide)], Layout(
        item=("id",), wide=("Ann", "Ben"), sheets=("Sheet",)))
    assert kinds(found, "error") == [("hidden-row", 3)]
    assert [k for k, _ in kinds(found, "warning")] == ["hidden-sheet", "hidden-column"]


def test_23_formulas_without_a_stored_value(tmp_path):
    path = book_file(tmp_path, lambda s: s.__setitem__("B3", '="Ha"&"ng"'))
    assert kinds(read_labels([path], WIDE), "error") == [("formula-without-value", 3)]


def test_25_resolved_labels_and_equal_files(tmp_path):
    layout = Layout(item=("id",), wide=("Ann", "Final tag"))
    found = read(tmp_path, "id,Ann,Final tag\n1,Hang,Hang\n", layout)
    assert kinds(found, "warning") == [("resolved", 1)]
    paths = [text(tmp_path, "id,label\n1,Hang\n", name) for name in ("ann.csv", "ben.csv")]
    found = read_labels(paths, Layout(item=("id",), label="label"))
    assert kinds(found, "warning") == [("same-file", None)]


def test_labels_without_item_or_rater_are_errors(tmp_path):
    found = read(tmp_path, "id,who,label\n,Ann,Hang\n1,,Hang\n2,,\n,Ann,\n", LONG)
    assert kinds(found, "error") == [("no-item", 2), ("no-rater", 3)]


def test_rows_are_items_where_no_column_names_them(tmp_path):
    found = read(tmp_path, "Ann,Ben\nHang,Crash\n,\nHang,\n,\n", Layout(wide=("Ann", "Ben")))
    assert sorted({r.item for r in found.ratings}) == ["blank row 1", "blank row 2", "row 2",
                                                       "row 4"]
    paths = [text(tmp_path, "Ann,Ben\nHang,Crash\n", n) for n in ("a.csv", "b.csv")]
    found = read_labels(paths, Layout(wide=("Ann", "Ben")))
    assert len({r.item for r in found.ratings}) == 2


def test_counts_facets_rounds_and_threads(tmp_path):
    layout = Layout(item=("id",), rater="who", label="label", facet="facet", round="round",
                    thread="thread", count="n")
    found = read(tmp_path, "id,who,label,facet,round,thread,n\n1,Ann,Hang,symptom,2,t,3\n"
                 "2,Ann,Hang,symptom,2,t,x\n", layout)
    first = found.ratings[0]
    assert (first.facet, first.round, first.thread, first.count) == ("symptom", "2", "t", 3)
    assert kinds(found, "error") == [("count", 3)]


def test_missing_column_names_those_there_are(tmp_path):
    with pytest.raises(SheetError, match=r"a\.csv, row 1: no column 'Ben'; the columns are: id"):
        read(tmp_path, "id,Ann\n1,Hang\n")
    assert kinds(read(tmp_path, "id,Ann,Ben\n"), "error") == [("empty", None)]


def test_map_file_follows_drifting_titles(tmp_path):
    map_file = text(tmp_path, """
item = ["Link", "URL"]
pairs = {rater = 'Evaluator *(\\d)', label = 'Tag *(\\d)'}
round_from = {file = 'round_(\\d)'}
""", "map.toml")
    one = text(tmp_path, "Link,Evaluator1,Tag1,Evaluator2,Tag2\n1,Ann,Hang,Ben,Crash\n",
               "round_1.csv")
    two = text(tmp_path, "url,EVALUATOR 1,tag 1,Evaluator 2\n2,Ann,Hang,Ben\n", "round_2.csv")
    found = read_labels([one, two], read_map(map_file))
    assert [(r.round, r.item, r.rater, r.label) for r in found.ratings] == [
        ("1", "1", "Ann", "Hang"), ("1", "1", "Ben", "Crash"), ("2", "2", "Ann", "Hang")]
    assert kinds(found, "warning") == [("no-label-column", 1)]


def test_map_file_for_wide_sheets_and_for_sheets_of_raters(tmp_path):
    wide = text(tmp_path, "wide = '(Rater \\d)'\nitem = 'id'\n", "wide.toml")
    found = read_labels([text(tmp_path, "id,Rater 1,Rater 2,note\n1,a,b,c\n")], read_map(wide))
    assert [r.rater for r in found.ratings] == ["Rater 1", "Rater 2"]
    each = text(tmp_path, "item='id'\nlabel='label|tag'\nrater_from={file='(.*)_labels'}\n",
                "e.toml")
    paths = [text(tmp_path, f"id,{t}\n1,a\n", f"{n}_labels.csv") for n, t in
             (("ann", "label"), ("ben", "tag"))]
    assert [r.rater for r in read_labels(paths, read_map(each)).ratings] == ["ann", "ben"]


@pytest.mark.parametrize(("content", "message"), [
    ("item = [", "not valid toml"), ("items = 'x'", "unknown key items; known are"),
    ("item = '('", "not a regular expression"), ("item = 3", "no pattern"),
    ("pairs = {rater = 'x'}", "pairs must be"), ("round_from = {name = 'x'}", "round_from must be"),
])
def test_wrong_map_files(tmp_path, content, message):
    with pytest.raises(SheetError, match=message):
        read_map(text(tmp_path, content, "map.toml"))


@pytest.mark.parametrize(("content", "message"), [
    ("item='x'\npairs={rater='a',label='b'}", "no column for label"),
    ("item='x'\nlabel='Ann|Ben'", "2 columns for label"),
    ("item='y'\nlabel='Ann'", "no column for item"),
    ("item='x'\nwide='Ann'", "at least two raters"),
    ("item='x'\nlabel='Ann'\nsheets='Round'", None)])
def test_maps_that_do_not_fit(tmp_path, content, message):
    path, layout = text(tmp_path, "x,Ann,Ben\n1,a,b\n"), read_map(text(tmp_path, content, "m.toml"))
    if message is None:
        assert len(read_labels([path], layout).ratings) == 1  # a text file has no sheet names
        return
    with pytest.raises(SheetError, match=message):
        read_labels([path], layout)


def test_map_names_no_sheet_of_the_workbook(tmp_path):
    layout = read_map(text(tmp_path, "item='id'\nwide='Ann|Ben'\nsheets='Round .'", "m.toml"))
    with pytest.raises(SheetError, match="no sheet is called"):
        read_labels([book_file(tmp_path, lambda _: None)], layout)


def test_text_helpers():
    assert clean("nan") == ("nan", ())
    assert nearest("envirionment", ["environment", "tool"]) == ["environment"]
    assert fingerprint("API / library") == fingerprint("library, API")
    assert lookalikes(["loss is nan", "loss is inf", "Out of memory (GPU)", "round 1", "round 2"]
                      ) == []
    assert lookalikes(["false positive", "false positve"]) == [("false positive", "false positve")]


def test_rows_short_beyond_the_columns_in_use_are_a_warning(tmp_path):
    found = read(tmp_path, "id,Ann,Ben,sure\n1,Hang,Hang\n2,Hang,Crash,yes\n")
    assert kinds(found, "warning") == [("row-length", 2)]
    assert found.errors() == []
    assert len(found.ratings) == 4


def test_a_commit_hash_is_no_number(tmp_path):
    found = read(tmp_path, "id,Ann,Ben\n7e47607,Hang,Hang\n1e5,Hang,Hang\n")
    assert found.errors() == []
    assert [r.item for r in found.ratings][::2] == ["7e47607", "1e5"]


OWN = ("Item", "Issue", "Symptom", "Note")


def test_sheets_of_the_package_number_the_issues_of_a_thread_as_label_check_does(tmp_path):
    """A further issue leaves its item blank; one without a label here keeps its place."""
    rows = ["so:1,1,hang,", ",,,a question", ",,slow,", "so:2,2,hang,", "so:2,1,slow,"]
    found = read(tmp_path, "\n".join([",".join(OWN), *rows]) + "\n",
                 Layout(item=("Item",), label="Symptom"))
    assert [(r.item, r.state or r.label) for r in found.ratings] == [
        ("so:1/1", "hang"), ("so:1/2", "missing"), ("so:1/3", "slow"), ("so:2/2", "hang"),
        ("so:2/1", "slow")]
    gap = read(tmp_path, "\n".join([",".join(OWN), rows[0], ",,,", rows[2]]) + "\n",
               Layout(item=("Item",), label="Symptom"))
    assert [r.item for r in gap.ratings] == ["so:1/1", "so:1/3"]
