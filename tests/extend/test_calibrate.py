"""Calibration and correction: of an extension's sheets, and of a stranger's two files."""

import csv

import material
import pytest
from test_model_tasks import lines

from study.base.errors import StudyError
from study.base.files import publish
from study.extend import cli, model_tasks
from study.extend.adjudicate import disagreements, workbook
from study.extend.calibrate import calibrate, correct, from_extension, from_files
from study.extend.decided import decisions_file
from study.extend.folder import extension
from study.extend.handed_in import read_round
from study.extend.start import start
from study.extend.workbook import workbook as sheet
from study.measure.corrected import MINIMUM, ppi_share


def table(path, rows, columns):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])
    return path


@pytest.fixture
def stranger(tmp_path):
    """Two files of another study: 100 items of people, 400 of a model that misses a quarter.

    People: 40 bugs, 60 questions. The model takes 10 of the bugs and none of the questions for
    the other; of the 300 other items it calls 90 bugs.
    """
    people = [(f"thread {i}", "bug" if i < 40 else "question") for i in range(100)]
    model = [(item, "question" if i < 10 else label) for i, (item, label) in enumerate(people)]
    model += [(f"thread {i}", "bug" if i < 190 else "question") for i in range(100, 400)]
    return (table(tmp_path / "people.csv", people, ["item", "kind"]),
            table(tmp_path / "models.csv", model, ["item", "kind"]))


def test_a_strangers_files_by_hand(stranger):
    made = calibrate(from_files(*stranger))
    one = made["agreement"].iloc[0]
    # 90 of 100 agree; by chance .4 * .3 + .6 * .7 = .54: kappa .36 / .46.
    assert (one["raters"], one["n"], one["po"]) == ("M1-R1", 100, 0.9)
    assert one["kappa"] == pytest.approx(0.36 / 0.46)
    assert made["beyond"].empty  # one person only: nothing to compare with
    bias = made["bias"].set_index("share_of").loc["kind: bug"]
    assert (bias["people"], bias["model_share"]) == (0.4, 0.3)
    assert bias["bias"] == pytest.approx(-0.1)
    # The threads drawn anew: about 0.1 give or take 1.96 times the root of .1 * .9 / 100.
    assert bias["low"] == pytest.approx(-0.1588, abs=0.012)
    assert bias["verdict"] == "biased"
    confused = made["confusion"].iloc[0]
    assert tuple(confused) == ("kind", "M1", "bug", "question", 10, 40)


def test_a_strangers_corpus_is_corrected_by_hand(stranger):
    one = correct(from_files(*stranger)).set_index("share_of").loc["kind: bug"]
    assert one["as_labelled"] == pytest.approx(120 / 400)
    assert (one["n_model"], one["n"]) == (400, 100)
    # A quarter of the bugs is missed and no question taken for one: .3 / .75.
    assert one["matrix"] == pytest.approx(0.4)
    codes = [1] * 40 + [0] * 60, [0] * 10 + [1] * 30 + [0] * 60, [1] * 90 + [0] * 210
    own = ppi_share(*codes)
    assert (one["share"], one["low"], one["high"]) == pytest.approx(
        (own["share"], own["low"], own["high"]))
    assert one["low"] < 0.4 < one["high"]
    assert not one["note"]


def test_too_few_calibration_issues_are_refused_with_what_is_needed(stranger, tmp_path):
    rows = list(csv.reader(stranger[0].open(encoding="utf-8")))
    few = table(tmp_path / "few.csv", rows[21:61], ["item", "kind"])  # 40, of them 20 bugs
    with pytest.raises(StudyError, match=f"40 at most, and {MINIMUM} are needed") as error:
        correct(from_files(few, stranger[1]))
    # It says how many in all, and with as many it is done.
    n = int(str(error.value).partition("with about ")[2].split()[0])
    assert MINIMUM <= n <= 100
    enough = table(tmp_path / "enough.csv", rows[1:n + 1], ["item", "kind"])
    assert correct(from_files(enough, stranger[1]))["share"].notna().all()


def test_nothing_left_to_correct(stranger, tmp_path):
    rows = list(csv.reader(stranger[1].open(encoding="utf-8")))
    same = table(tmp_path / "models.csv", rows[1:101], ["item", "kind"])
    with pytest.raises(StudyError, match="nothing is left"):
        correct(from_files(stranger[0], same))


@pytest.mark.parametrize(("rows", "columns", "says"), [
    ([("a", "x"), ("a", "y")], ["item", "kind"], "twice"),
    ([("a", "x")], ["thread", "kind"], "no column 'item'"),
    ([("a", "x")], ["item", "type"], "no facet in common"),
    ([("a", "M1", "x")], ["item", "rater", "kind"], "file of people"),
    ([("zzz", "x")], ["item", "kind"], "no item in common"),
])
def test_faults_of_the_files_are_one_line(stranger, tmp_path, rows, columns, says):
    wrong = table(tmp_path / "wrong.csv", rows, columns)
    with pytest.raises(StudyError, match=says) as error:
        calibrate(from_files(wrong, stranger[1]))
    assert "\n" not in str(error.value)


def test_a_person_in_the_file_of_models_is_refused(stranger, tmp_path):
    wrong = table(tmp_path / "m.csv", [("thread 1", "R1", "bug")], ["item", "rater", "kind"])
    with pytest.raises(StudyError, match="models are M1"):
        from_files(stranger[0], wrong)


def test_a_label_outside_the_studys_codebook_is_an_error(tmp_path):
    rows = [("gh:a/b#1/1", "fault", "hangs")]
    paths = [table(tmp_path / f"{n}.csv", rows, ["item", "issue_type", "symptom"]) for n in "pm"]
    with pytest.raises(StudyError, match="symptom 'hangs' is not in the codebook"):
        from_files(*paths)


@pytest.fixture
def both(started):
    """Models have answered both rounds, people the first, and met."""
    model_tasks.hand_out(started)
    path = started.path(model_tasks.PROTOCOL)
    path.write_text(path.read_text(encoding="utf-8").replace('= ""', '= "synthetic"'),
                    encoding="utf-8")
    for number in ("1", "2"):
        true = material.truth(started.tasks(number), seed=int(number))
        for model in ("M1", "M2"):
            publish(started.path(f"sheets/round{number}-{model}.jsonl"),
                    lines(material.rated(true, model, slip=0.4)))
        for rater in ("R1", "R2"):
            labels = true if number == "1" else None
            publish(started.path(f"sheets/round{number}-{rater}.xlsx"), sheet(
                started.tasks(number), number, rater, started.codebook(number), labels))
            if number == "2":
                started.path(f"sheets/round2-{rater}.xlsx").unlink()
    return started


def test_an_extension_calibrates_where_people_and_models_have_labelled(both):
    rated = from_extension(both)
    made = calibrate(rated)
    own = made["agreement"].set_index(["facet", "raters"])
    assert own.loc[("symptom", "R1-R2"), "po"] == 1
    assert own.loc[("symptom", "M1-R1"), "po"] < 0.9
    verdicts = made["beyond"].set_index(["facet", "model"])["verdict"]
    assert verdicts["symptom", "M1"] == "less than people"
    assert set(made["bias"]["model"]) == {"M1", "M2"}
    # Round 2 is corrected by round 1, which has too few issues.
    with pytest.raises(StudyError, match="too few calibration issues"):
        correct(rated)


def test_what_people_decided_is_what_models_are_held_against(both):
    true = material.truth(both.tasks("1"), seed=1)
    publish(both.path("sheets/round1-R2.xlsx"), sheet(
        both.tasks("1"), "1", "R2", both.codebook("1"), material.rated(true, "R2", slip=0.5)))
    table = from_extension(both).table
    assert "adjudicated" not in table.index.get_level_values("rater")
    checked = read_round(both, "1")
    path = decisions_file(both, "1")
    publish(path, workbook(disagreements(checked), ["R1", "R2"], "1", both.tasks("1"),
                           both.codebook("1")))
    with pytest.raises(StudyError, match=r"errors? in the decisions"):  # handed out, not filled in
        from_extension(both)


def test_a_blank_protocol_is_refused(both):
    path = both.path(model_tasks.PROTOCOL)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('passes = "synthetic"', 'passes = " "', 1), encoding="utf-8")
    with pytest.raises(StudyError, match=r"M1\.passes is blank"):
        from_extension(both)
    path.unlink()
    with pytest.raises(StudyError, match="is missing"):
        from_extension(both)


def test_the_command_says_model_labelled_everywhere(both, capsys):
    assert cli.main(["calibrate", both.name]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Model-labelled: moelib, models against people")
    made = sorted(p.name for p in both.folder.glob("*.csv") if "agreement" in p.name
                  or "bias" in p.name or "confusion" in p.name or "beyond" in p.name)
    assert made
    assert all(name.startswith("model-labelled-") for name in made)


def test_two_files_on_the_command_line(stranger, capsys, tmp_path):
    people, models = map(str, stranger)
    for step in ("calibrate", "correct"):
        assert cli.main([step, "--people", people, "--models", models]) == 0
        assert capsys.readouterr().out.startswith("Model-labelled: models.csv beside people.csv")
    assert cli.main(["correct", "--people", people, "--models", models, "--out",
                     str(tmp_path / "out")]) == 0
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["model-labelled-corrected.csv"]
    with pytest.raises(StudyError, match="--people FILE and --models FILE"):
        cli.main(["correct", "--people", people])


def test_another_corpus_as_calibration(both, snapshot, capsys):
    """What people and the same models labelled elsewhere; the models must be the same."""
    start("modern", snapshot, 60, raters=("M1", "M2"), rounds=1)
    modern = extension("modern")
    model_tasks.hand_out(modern)
    told = both.path(model_tasks.PROTOCOL).read_text(encoding="utf-8")
    true = material.truth(modern.tasks("1"), seed=9)
    for model in ("M1", "M2"):
        publish(modern.path(f"sheets/round1-{model}.jsonl"),
                lines(material.rated(true, model, slip=0.4)))
    publish(modern.path(model_tasks.PROTOCOL),
            told.replace('model = "synthetic"', 'model = "another"', 1))
    with pytest.raises(StudyError, match="M1 is not the same"):
        cli.main(["correct", "modern", "--with", both.name])
    publish(modern.path(model_tasks.PROTOCOL), told)
    with pytest.raises(StudyError, match="too few"):
        cli.main(["correct", "modern", "--with", both.name])
    assert "error" not in capsys.readouterr().err


def test_with_another_corpus_the_models_labels_weigh_one(stranger, tmp_path):
    rows = list(csv.reader(stranger[1].open(encoding="utf-8")))
    new = table(tmp_path / "new.csv", [(f"new {i}", x) for i, (_, x) in enumerate(rows[101:])],
                ["item", "kind"])
    known = from_files(*stranger)
    corpus = from_files(stranger[0], new)
    made = correct(corpus.of(["M1"]), known).set_index("share_of").loc["kind: bug"]
    # 90 of 300, and a tenth of the calibration missed: nothing of the calibration's own share.
    assert made["share"] == pytest.approx(0.4)
    assert made["weight"] == 1
