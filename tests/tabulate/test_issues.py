"""From sheets to labelled rows: links, blanks, titles; and the one long table."""

import openpyxl
import pytest

from study.base.errors import StudyError
from study.read.codebook import FAULT
from study.read.sheets import read_sheet
from study.read.upstream import load_upstream
from study.tabulate.issues import Row, label_table, read_declared, reader, sheet_rows, source, wide

TITLES = {"link": ["Link"], "type": ["Type"], "stage": ["Stage"], "symptom": ["Leaf Category"],
          "memo": ["Memo"]}
DECLARED = {"round": "1", "rater": "R1", "columns": ["link", "stage", "symptom"]}
HEADER = ["Link", "Stage", "Leaf Category"]
ONE, TWO = "https://github.com/synthetic/repo/issues/1", "stackoverflow.com/q/2"


@pytest.fixture
def read(tmp_path, write_book):
    """Rows of a synthetic sheet: (row, thread, issue, stage), or (row, reason)."""
    def read(*lines, declared=DECLARED, issues=None):
        sheet = read_sheet(write_book(tmp_path / "synthetic.xlsx", {"label1": lines}))
        return [(r.number, r.thread, r.issue, r.cells["stage"]) if isinstance(r, Row) else r[2:]
                for r in sheet_rows(sheet, declared, TITLES, issues)]
    return read


def test_a_blank_link_belongs_to_the_thread_above_and_labels_are_not_filled_down(read):
    assert read(HEADER, [ONE, "start"], [None, "run"], [" ", None, "slow"], [TWO, "run"]) == [
        (2, "gh:synthetic/repo#1", 1, "start"), (3, "gh:synthetic/repo#1", 2, "run"),
        (4, "gh:synthetic/repo#1", 3, ""), (5, "so:2", 1, "run")]


def test_a_merged_link_cell_is_read_as_its_rows(tmp_path, write_book):
    path = write_book(tmp_path / "synthetic.xlsx",
                      {"label1": [HEADER, [ONE, "start"], [None, "run"], [TWO, "run"]]})
    workbook = openpyxl.load_workbook(path)
    workbook["label1"].merge_cells("A2:A3")
    workbook.save(path)
    rows = list(sheet_rows(read_sheet(path), DECLARED, TITLES))
    assert [(r.thread, r.issue) for r in rows] == [
        ("gh:synthetic/repo#1", 1), ("gh:synthetic/repo#1", 2), ("so:2", 1)]


@pytest.mark.parametrize(("lines", "places"), [
    ([[ONE, "start"], [], [None, "run"]], [1, 3]),
    ([[ONE, "start"], [], [], [None, "run"], [], [None, "slow"]], [1, 4, 6]),
    ([[ONE], [None, "run"]], [2]),                       # the first row has no label
    ([[ONE, "start"], [None, " "], [ONE, "run"]], [1, 3]),
    ([[ONE, "start"], [], [TWO, "run"]], [1, 1]),        # below the thread, not inside it
    ([[ONE, "start"], [], [TWO, "run"], [ONE, "slow"]], [1, 1, 2]),
])
def test_a_blank_row_inside_a_thread_keeps_its_place(read, lines, places):
    assert [found[2] for found in read(HEADER, *lines) if len(found) == 4] == places


def test_rows_without_labels_are_left_out_and_listed(read):
    assert read(HEADER, [ONE, "start"], [], [TWO], [None, " "], [ONE, "run"]) == [
        (2, "gh:synthetic/repo#1", 1, "start"), (3, "blank"), (4, "no label"), (5, "blank"),
        (6, "gh:synthetic/repo#1", 2, "run")]


def test_a_memo_alone_is_no_label(read):
    declared = {**DECLARED, "columns": ["link", "stage", "memo"]}
    assert read([*HEADER, "Memo"], [ONE, None, None, "see later"], declared=declared) == [
        (2, "no label")]


def test_issues_are_numbered_on_where_a_rater_has_several_sheets(read):
    issues = {}
    read(HEADER, [ONE, "start"], [None, "run"], issues=issues)
    assert read(HEADER, [TWO, "run"], [ONE, "run"], issues=issues) == [
        (2, "so:2", 1, "run"), (3, "gh:synthetic/repo#1", 3, "run")]
    other = {**DECLARED, "rater": "R2"}
    assert read(HEADER, [ONE, "run"], declared=other, issues=issues)[0][2] == 1


def test_the_sheet_may_say_the_issue_type_and_the_type_cell_the_source(tmp_path, write_book):
    path = write_book(tmp_path / "synthetic.xlsx", {"faults": [
        ["Type", *HEADER], ["SO-beta", TWO, "start"], [None, None, "run"],
        ["GitHub-alpha", ONE, "run"]]})
    declared = {**DECLARED, "columns": ["type", "link", "stage"], "issue_type": FAULT}
    rows = list(sheet_rows(read_sheet(path), declared, TITLES))
    assert [(r.source, r.cells["issue_type"]) for r in rows] == [
        ("SO-beta", FAULT), ("SO-beta", FAULT), ("GitHub-alpha", FAULT)]


def test_titles_are_found_whatever_their_case_blanks_and_place(read):
    assert read([" leaf category", "x", "STAGE ", "link"], [None, "y", "run", ONE]) == [
        (2, "gh:synthetic/repo#1", 1, "run")]


def test_a_sheet_may_have_titles_of_its_own(read):
    declared = {**DECLARED, "titles": {"stage": ["Phase"]}}
    assert read(["Link", "Phase", "Leaf Category"], [ONE, "run"], declared=declared)[0][3] == "run"


@pytest.mark.parametrize(("lines", "message"), [
    ([["Link", "Phase", "Leaf Category"], [ONE, "run"]],
     "synthetic.xlsx, sheet label1, row 1: no column titled 'Stage'; found 'Link', 'Phase', "
     "'Leaf Category'. Rename it, or add the title to [columns] stage in data/upstream.toml"),
    ([[*HEADER, "stage"], [ONE, "run"]],
     "synthetic.xlsx, sheet label1, row 1: 2 columns titled 'Stage'; found "),
    ([HEADER, [None, "run"]],
     "synthetic.xlsx, sheet label1, row 2, column Link: blank, and no link above it; fill in"),
    ([HEADER, [ONE, "run"], ["github.com/synthetic", "run"]],
     "synthetic.xlsx, sheet label1, row 3, column Link: 'github.com/synthetic' is no link"),
    ([HEADER, ["https://stackoverflow.com/a/5", "run"]],
     "row 2, column Link: 'https://stackoverflow.com/a/5' links to an answer; give the question"),
    ([HEADER, [ONE, "run"], ["=HYPERLINK(B1)", "run"]],
     "synthetic.xlsx, sheet label1, row 3, column A: a formula without a stored value"),
])
def test_a_wrong_sheet_ends_with_one_line(read, lines, message):
    with pytest.raises(StudyError) as error:
        read(*lines)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_formula_outside_the_declared_columns_harms_nothing(read):
    assert read([*HEADER, "sum"], [ONE, "run", None, "=1+1"])[0][3] == "run"


@pytest.mark.parametrize(("spoil", "message"), [
    (lambda p: p.unlink(), "pilot.xlsx: no such file"),
    (lambda p: p.write_bytes(p.read_bytes()[:2000]), "pilot.xlsx: a damaged workbook"),
    (lambda p: p.write_bytes(b""), "pilot.xlsx: an empty file"),
    (lambda p: p.write_text("Link,Stage\n", encoding="utf-8"), "pilot.xlsx: not a workbook"),
])
def test_a_workbook_that_cannot_be_read(release, spoil, message):
    spoil(release.path("pilot.xlsx"))
    with pytest.raises(StudyError, match=message):
        read_declared(release.path(""), load_upstream(release.upstream))


def test_a_renamed_sheet(release):
    path = release.path("round1.xlsx")
    workbook = openpyxl.load_workbook(path)
    workbook["label2"].title = "second"
    workbook.save(path)
    with pytest.raises(StudyError, match=r"round1\.xlsx: no sheet 'label2'; the sheets are: "
                                         "label1, second, Final"):
        read_declared(release.path(""), load_upstream(release.upstream))


# --- the long table ---


def labelled(number=2, issue=1, titles=(), **cells):
    return Row("synthetic.xlsx", "label1", number, "so:2", issue, "1", "R1", cells,
               frozenset(titles))


def test_label_table_holds_both_readings_and_the_rules(small):
    table = label_table([labelled(stage="run", symptom="Sluggish",
                                  fix_pattern="set the flag & other machine"),
                         labelled(3, 2, {"stage"}, stage="Stage", topic="usage")], small)
    assert list(table.itertuples(index=False, name=None)) == [
        ("so:2", 1, "1", "R1", "issue_type", "", FAULT, "issue type"),
        ("so:2", 1, "1", "R1", "stage", "run", "run", ""),
        ("so:2", 1, "1", "R1", "symptom", "sluggish", "slow", "rename"),
        ("so:2", 1, "1", "R1", "fix_pattern", "set the flag & other machine",
         "other machine;set flag", "alias+split"),
        ("so:2", 2, "1", "R1", "issue_type", "", "how-to question", "issue type"),
        ("so:2", 2, "1", "R1", "topic", "usage", "usage", ""),
        ("so:2", 2, "1", "R1", "stage", "stage", "", "title")]


def test_unknown_labels_are_all_listed_with_their_place_and_what_is_like_them(small):
    with pytest.raises(StudyError) as error:
        label_table([labelled(7, stage="runn"), labelled(8, symptom="zzz"),
                     labelled(9, fix_pattern="set flag & set flog")], small)
    assert str(error.value).splitlines() == [
        "synthetic.xlsx, sheet label1, row 7, stage: unknown label 'runn'; nearest: 'run'",
        "synthetic.xlsx, sheet label1, row 8, symptom: unknown label 'zzz'",
        "synthetic.xlsx, sheet label1, row 9, fix_pattern: unknown label 'set flag & set flog'; "
        "nearest: 'set flag'",
        "3 unknown labels; correct them in the sheet, or add an entry or alias to "
        "data/codebook.toml"]


def test_wide_by_reading(small):
    rows = [labelled(stage="run", symptom="sluggish", fix_pattern="set the flag"),
            labelled(3, 2, topic="use")]
    one, two = ("1", "R1", "so:2", 1), ("1", "R1", "so:2", 2)
    repaired = wide(rows, reader(small))
    assert repaired.index.tolist() == [one, two]
    assert repaired.loc[one, ["issue_type", "symptom", "fix_pattern"]].tolist() == [
        FAULT, "slow", "set flag"]
    assert repaired.loc[two, ["topic", "stage"]].tolist() == ["usage", ""]
    filed = wide(rows, reader(small, ()))
    assert filed.loc[one, ["issue_type", "symptom", "fix_pattern"]].tolist() == [
        "", "sluggish", "set the flag"]
    alias = wide(rows, reader(small, ("alias",)))
    assert alias.loc[one, ["issue_type", "symptom", "fix_pattern"]].tolist() == [
        "", "sluggish", "set flag"]


@pytest.mark.parametrize(("text", "found"), [
    ("GitHub-alpha", ("GitHub", ["alpha"])),
    ("SO-beta & SO-alpha", ("Stack Overflow", ["alpha", "beta"])),
    ("SO-beta&SO-beta", ("Stack Overflow", ["beta"])),
])
def test_source(text, found):
    assert source(Row("synthetic.xlsx", "faults", 2, "so:2", 1, "1", "R1", {}, frozenset(),
                      text)) == found


@pytest.mark.parametrize("text", ["", "GitHub", "github alpha", "SO-", "SO-alpha & GitHub-alpha",
                                  "SO-alpha, SO-beta", "SO-alpha &"])
def test_a_type_cell_of_another_form(text):
    with pytest.raises(StudyError) as error:
        source(Row("synthetic.xlsx", "faults", 4, "so:2", 1, "1", "R1", {}, frozenset(), text))
    assert str(error.value) == (
        f"synthetic.xlsx, sheet faults, row 4, column Type: {text!r}; write GitHub-framework or "
        "SO-framework, several joined with &")


# --- the released sheets ---


def test_every_sheet_of_the_released_files_is_declared(cells):
    declared = [(s["file"], s["sheet"]) for s in load_upstream().sheets]
    assert sorted(declared) == sorted(cells)


def test_labels_of_the_released_sheets(rebuilt, rows):
    labels = rebuilt[1]["labels"]
    assert not labels.duplicated(["thread", "issue", "round", "rater", "facet"]).any()
    assert ((labels["as_filed"] != "") | (labels["repaired"] != "")).all()
    assert (labels["rule"] == "")[labels["as_filed"] == labels["repaired"]].all()
    assert (labels["rule"] != "")[labels["as_filed"] != labels["repaired"]].all()
    assert len(labels.drop_duplicates(["thread", "issue", "round", "rater"])) == len(rows[0])
