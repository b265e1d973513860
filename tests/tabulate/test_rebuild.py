"""The data stage end to end: on a synthetic release, and on the authors' files."""

import csv
import hashlib
import json
import shutil

import openpyxl
import pandas as pd
import pytest

from study import __main__ as commands
from study.base.errors import StudyError
from study.base.paths import STUDY
from study.read import codebook as codebooks
from study.read.upstream import PATH as UPSTREAM_LIST
from study.read.upstream import load_upstream
from study.tabulate import rebuild
from study.tabulate.tables import COLUMNS, read_table, to_csv
from syntheticrelease import Release


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A synthetic release whose counts are written; to be copied, not changed."""
    release = Release(tmp_path_factory.mktemp("written"))
    release.first = release.run(write_counts=True)
    return release


@pytest.fixture
def counted(written, tmp_path):
    """A copy of it that a test may change."""
    folder = tmp_path / "copy"
    shutil.copytree(written.upstream.parent, folder)
    copy = Release.__new__(Release)
    for name in ("mirror", "upstream", "codebook", "raw", "study"):
        setattr(copy, name, folder / getattr(written, name).name)
    return copy


def table(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes()
            for p in folder.rglob("*") if p.is_file()}


# --- from workbooks to counts ---


def test_write_and_find_equal(counted, written):
    code, lines = written.first
    assert (code, lines[-1].startswith("  wrote 14 tables to ")) == (0, True)
    assert {p.name for p in counted.study.iterdir()} == {
        *(f"{name}.csv" for name in COLUMNS), "manifest.json"}
    before = contents(counted.study)
    code, lines = counted.run()
    assert code == 0
    assert lines[-1].endswith("cell by cell")
    assert not any("differs" in line for line in lines)
    assert contents(counted.study) == before  # comparing writes nothing
    assert sum("verified" in line for line in lines) == 6


def test_the_counts_of_the_synthetic_release(written):
    faults = [tuple(r.values()) for r in table(written.study, "faults")]
    assert faults == [
        ("GitHub", "alpha", "0", "run", "crash", "slow", "move file/folder;set flag", "yes", "2",
         "1", "1"),
        ("GitHub", "alpha", "1", "run", "crash", "lost file", "fix API use", "no", "1", "pilot",
         "1"),
        ("GitHub", "alpha", "1", "start", "", "no start", "set flag", "yes", "2", "1", "1"),
        ("Stack Overflow", "beta", "1", "start", "", "no start", "other machine", "yes", "1",
         "none", "1")]
    filed = [r["symptom"] for r in table(written.study, "faults_as_filed")]
    assert "not starting" in filed
    rounds = {r["rater"]: (r["issues"], r["paired"], r["unpaired"], r["undecided"], r["changed"])
              for r in table(written.study, "rounds") if r["round"] == "1"}
    assert rounds == {"R1": ("4", "3", "1", "1", "0"), "R2": ("3", "3", "0", "0", "2"),
                      "adjudicated": ("4", "", "", "0", "")}
    assert [tuple(r.values()) for r in table(written.study, "repairs")] == [
        ("final.xlsx", "faults", "alias", "1"), ("final.xlsx", "faults", "split", "1"),
        ("round1.xlsx", "label1", "rename", "1"), ("round1.xlsx", "label1", "undecided", "1")]
    assert [tuple(r.values())[:4] for r in table(written.study, "exclusions")] == [
        ("round1.xlsx", "label1", "3", "agreement")]
    labels = table(written.raw, "labels")
    assert {"thread": "so:12", "issue": "1", "round": "final", "rater": "final",
            "facet": "symptom", "as_filed": "not starting", "repaired": "no start",
            "rule": "alias"} in labels
    assert len(table(written.raw, "issues")) == 6


def test_one_label_changed_names_the_cells_that_moved(counted):
    counted.edit("final.xlsx", "faults", "F5", "sluggish")  # row 5: the fault of so:12
    before = contents(counted.study)
    code, lines = counted.run()
    assert code == 1
    where = ("platform=Stack Overflow, frameworks=beta, distributed_specific=1, stage=start, "
             "symptom={}, fix_patterns=other machine, candidate=yes, issues_in_thread=1, "
             "round=none: n {}")
    moved = [line.removeprefix("  differs  ") for line in lines if "differs  " in line]
    assert moved == [
        "faults: " + where.format("no start", "1 → 0"), "faults: " + where.format("slow", "0 → 1"),
        "faults_as_filed: " + where.format("not starting", "1 → 0"),
        "faults_as_filed: " + where.format("sluggish", "0 → 1"),
        "repairs: file=final.xlsx, sheet=faults, rule=alias: n 1 → 0",
        "repairs: file=final.xlsx, sheet=faults, rule=rename: n 0 → 1"]
    assert f"{len(moved)} cells differ from" in lines[-1]
    assert contents(counted.study) == before
    assert counted.run(write_counts=True)[0] == 0
    assert counted.run()[0] == 0


def test_a_label_of_a_rater_moves_blank_counts_too(counted):
    """round 1: a row more for the second rater, so that nobody is without a partner."""
    path = counted.path("round1.xlsx")
    workbook = openpyxl.load_workbook(path)
    workbook["label2"].insert_rows(3)
    for column, value in (("B", "fault"), ("F", "run")):
        workbook["label2"][f"{column}3"] = value
    workbook.save(path)
    counted.pin()
    assert counted.run()[0] == 1
    tables, _ = rebuild.build(counted.raw / "upstream", load_upstream(counted.upstream),
                              codebooks.load_codebook(counted.codebook))
    lines = rebuild.compare(tables, counted.study)
    assert [line for line in lines if line.startswith(("rounds", "exclusions"))] == [
        "rounds: round=1, rater=R1: paired 3 → 4", "rounds: round=1, rater=R1: unpaired 1 → 0",
        "rounds: round=1, rater=R1: changed 0 → 1",
        "rounds: round=1, rater=R2: issues 3 → 4", "rounds: round=1, rater=R2: paired 3 → 4",
        "rounds: round=1, rater=R2: changed 2 → 3",
        "exclusions: file=round1.xlsx, sheet=label1, row=3, left_out_of=agreement, reason=the "
        "other rater's sheet has no issue in this place of the thread: n 1 → 0"]


def test_a_count_changed_by_hand_is_named(counted):
    path = counted.study / "collection.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("GitHub,alpha,3", "GitHub,alpha,4"), encoding="utf-8",
                    newline="\n")
    code, lines = counted.run()
    assert code == 1
    assert "  differs  collection: platform=GitHub, frameworks=alpha: candidates 4 → 3" in lines


def test_the_same_counts_in_another_order_are_named(counted):
    path = counted.study / "repairs.csv"
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([header, *rows[::-1]]) + "\n", encoding="utf-8", newline="\n")
    assert "  differs  repairs: the same counts, written otherwise" in counted.run()[1]


def test_a_missing_table_and_a_missing_manifest_are_named(counted):
    (counted.study / "rows.csv").unlink()
    code, lines = counted.run()
    assert code == 1
    assert any("rows: " in line and "rows.csv is missing" in line for line in lines)
    assert counted.run(write_counts=True)[0] == 0
    (counted.study / "manifest.json").unlink()
    assert "  differs  manifest.json: another upstream list, codebook or table" in counted.run()[1]


def test_another_codebook_with_the_same_counts_is_named(counted):
    text = counted.codebook.read_text(encoding="utf-8")
    counted.codebook.write_text(text + "# remark\n", encoding="utf-8", newline="\n")
    code, lines = counted.run()
    assert code == 1
    assert "  differs  manifest.json: another upstream list, codebook or table" in lines


def test_many_differences_are_cut_short(counted):
    path = counted.study / "agreement.csv"
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8",
                    newline="\n")
    lines = counted.run()[1]
    assert sum(line.startswith("  differs  agreement") for line in lines) == 40
    assert any(line.endswith("cells more") for line in lines)


# --- wrong input, through the whole stage ---


@pytest.mark.parametrize(("file", "sheet", "cell", "value", "message"), [
    ("final.xlsx", "faults", "F2", "no strat",
     "final.xlsx, sheet faults, row 2, symptom: unknown label 'no strat'; nearest: 'no start'"),
    ("round1.xlsx", "label2", "I2", "set flga", "round1.xlsx, sheet label2, row 2, fix_pattern: "
     "unknown label 'set flga'; nearest: 'set flag'"),
    ("round1.xlsx", "label1", "H1", "Symptom", "round1.xlsx, sheet label1, row 1: no column titled "
     "'Leaf Category'; found 'Link', 'Issue Type ', "),
    ("final.xlsx", "faults", "A2", "alpha", "final.xlsx, sheet faults, row 2, column Type: "
     "'alpha'; write GitHub-framework or SO-framework"),
    ("final.xlsx", "faults", "B2", None,
     "final.xlsx, sheet faults, row 2, column Link: blank, and no link above it"),
    ("pilot.xlsx", "pilot", "A2", "issue 3",
     "pilot.xlsx, sheet pilot, row 2, column Link: 'issue 3' is no link"),
])
def test_wrong_cells(counted, file, sheet, cell, value, message):
    before = contents(counted.study), contents(counted.raw)["labels.csv"]
    counted.edit(file, sheet, cell, value)
    with pytest.raises(StudyError) as error:
        counted.run(write_counts=True)
    assert message in str(error.value)
    assert (contents(counted.study), contents(counted.raw)["labels.csv"]) == before


def test_a_changed_label_without_another_sum_is_noticed_first(counted):
    expected = hashlib.sha256(counted.path("final.xlsx").read_bytes()).hexdigest()
    counted.edit("final.xlsx", "faults", "F2", "slow", pin=False)
    found = hashlib.sha256(counted.path("final.xlsx").read_bytes()).hexdigest()
    with pytest.raises(StudyError) as error:
        counted.run()
    assert str(error.value).startswith("final.xlsx is not the released file: ")
    assert expected in str(error.value) and found in str(error.value)


def test_a_renamed_sheet_and_a_truncated_workbook_with_adjusted_sums(counted):
    path = counted.path("round1.xlsx")
    workbook = openpyxl.load_workbook(path)
    workbook["Final"].title = "Agreed"
    workbook.save(path)
    counted.pin()
    with pytest.raises(StudyError, match=r"round1\.xlsx: no sheet 'Final'; the sheets are: label1"):
        counted.run()
    path.write_bytes(path.read_bytes()[:-400])
    counted.pin()
    with pytest.raises(StudyError, match=r"round1\.xlsx: a damaged workbook"):
        counted.run()


def test_messages_reach_the_user_without_a_traceback(monkeypatch, tmp_path):
    monkeypatch.setenv("STUDY_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(StudyError, match="nowhere is no folder"):
        commands.main(["data"])
    with pytest.raises(StudyError, match=r"no command 'nonsense'; python reproduce\.py --help"):
        commands.main(["nonsense"])


# --- writing and the manifest ---


def test_sums_ignore_the_line_ends_of_a_checkout(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a\nb\n")
    two.write_bytes(b"a\r\nb\r\n")
    assert rebuild.sha256(one) == rebuild.sha256(two) == hashlib.sha256(b"a\nb\n").hexdigest()


def test_the_committed_manifest_holds():
    rebuild.check_manifest()
    said = (STUDY / "manifest.json").read_text(encoding="utf-8")
    assert rebuild.manifest(load_upstream()) == said
    assert set(json.loads(said)["tables"]) == {f"{name}.csv" for name in COLUMNS}


def test_the_manifest_notices_each_change(counted):
    rebuild.check_manifest(counted.study, counted.codebook)
    path = counted.study / "rounds.csv"
    text = path.read_bytes()
    path.write_bytes(text.replace(b"\n", b"\r\n"))
    rebuild.check_manifest(counted.study, counted.codebook)  # line ends alone are no change
    path.write_bytes(text + b"2,R1,1,1,1,0,0,0\n")
    with pytest.raises(StudyError) as error:
        rebuild.check_manifest(counted.study, counted.codebook)
    assert "rounds.csv is not the file the counts were made with: SHA-256 " in str(error.value)
    assert hashlib.sha256(text).hexdigest() in str(error.value)
    path.unlink()
    with pytest.raises(StudyError, match=r"rounds\.csv is missing; restore it"):
        rebuild.check_manifest(counted.study, counted.codebook)
    path.write_bytes(text)
    with pytest.raises(StudyError, match=r"codebook\.toml is not the file the counts were made"):
        rebuild.check_manifest(counted.study, codebooks.PATH)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tables": {}, "codebook": {"sha256": ""}}'])
def test_a_manifest_that_says_nothing(counted, text):
    (counted.study / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=r"manifest\.json cannot be read; restore it"):
        rebuild.check_manifest(counted.study, counted.codebook)


# --- the released files ---


@pytest.mark.parametrize("name", COLUMNS)
def test_committed_counts_are_the_rebuilt_ones_byte_for_byte(rebuilt, name):
    assert to_csv(rebuilt[0][name]).encode() == (STUDY / f"{name}.csv").read_bytes()


def test_every_row_of_every_sheet_is_accounted_for(cells):
    """Rows with anything under a title, and the blank ones above the last of them."""
    fates = {}
    for r in table(STUDY, "rows"):
        fates[r["file"], r["sheet"]] = fates.get((r["file"], r["sheet"]), 0) + int(r["n"])
    for key, (_, *lines) in cells.items():
        while lines and not any(lines[-1]):
            lines.pop()
        assert fates.pop(key) == len(lines), key
    assert fates == {}


def test_excluded_rows_are_what_they_are_said_to_be(cells):
    for r in table(STUDY, "exclusions"):
        header, line = (cells[r["file"], r["sheet"]][i] for i in (0, int(r["row"]) - 1))
        link, labels = line[header.index("link")], [
            v for t, v in zip(header, line, strict=True) if t not in ("link", "memo", "") and v]
        expected = {"a row without any entry inside the thread above it": (False, False),
                    "a link with no label beside it": (True, False)}
        if r["left_out_of"] == "every count":
            assert (bool(link), bool(labels)) == expected[r["reason"]], r
        else:
            assert labels, r


@pytest.fixture(scope="module")
def real(released, tmp_path_factory):
    """Run the stage on the authors' files with other folders; optionally edit the final table."""
    def run(edit=None):
        folder = tmp_path_factory.mktemp("real")
        mirror, pins = folder / "mirror", UPSTREAM_LIST.read_text(encoding="utf-8")
        shutil.copytree(released, mirror, copy_function=shutil.copyfile)
        if edit:
            pin = next(p for p in load_upstream().pins if p.name == "final.xlsx")
            (mirror / pin.path).parent.chmod(0o755)
            workbook = openpyxl.load_workbook(mirror / pin.path)
            edit(workbook)
            workbook.save(mirror / pin.path)
            data = (mirror / pin.path).read_bytes()
            pins = pins.replace(f"bytes = {pin.bytes}", f"bytes = {len(data)}")
            pins = pins.replace(pin.sha256, hashlib.sha256(data).hexdigest())
        (folder / "upstream.toml").write_text(pins, encoding="utf-8", newline="\n")
        lines = []
        code = rebuild.run(False, lines.append, folder / "upstream.toml", raw=folder / "raw",
                           mirror=str(mirror))
        return code, lines
    return run


def test_one_released_label_changed_names_the_cells_that_moved(real):
    """One setup failure of the final table becomes an unexpected protocol."""
    def edit(workbook):
        sheet = workbook["faults"]
        titles = [str(c.value).lower() for c in sheet[1]]
        row = next(r for r in sheet.iter_rows(min_row=2)
                   if r[titles.index("leaf category")].value == "setup failure")
        row[titles.index("leaf category")].value = "unexpected protocol"
    code, lines = real(edit)
    assert code == 1
    moved = [line for line in lines if line.startswith("  differs  faults: ")]
    assert len(moved) == 2
    for line, symptom, step in zip(sorted(moved), ("setup failure", "unexpected protocol"),
                                   (-1, 1), strict=True):
        assert f"stage=communication setup, symptom={symptom}, " in line
        before, after = map(int, line.rpartition(": n ")[2].split(" → "))
        assert after - before == step
    assert any(line.startswith("  differs  changes: ") for line in lines)


def test_counts_do_not_hang_on_the_order_of_the_rows(counted):
    """Threads of the final faults the other way round; only the workbook's sum is another."""
    path = counted.path("final.xlsx")
    workbook = openpyxl.load_workbook(path)
    sheet = workbook["faults"]
    lines = [[c.value for c in r] for r in sheet.iter_rows(min_row=2)]
    for number, line in enumerate([lines[3], lines[2], lines[0], lines[1]], 2):
        for column, value in enumerate(line, 1):
            sheet.cell(number, column).value = value
    workbook.save(path)
    counted.pin()
    lines = counted.run()[1]
    assert [line for line in lines if "differs  " in line] == [
        "  differs  manifest.json: another upstream list, codebook or table"]


def test_build_returns_declared_columns_in_order(rebuilt):
    tables, by_row = rebuilt
    assert {name: list(t) for name, t in tables.items()} == COLUMNS
    assert by_row["issues"].shape[0] == int(read_table(STUDY / "collection.csv")["issues"].sum())
    assert isinstance(by_row["labels"], pd.DataFrame)
