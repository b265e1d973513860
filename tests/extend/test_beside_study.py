"""Models held against the study's own labels: what is joined, and what is counted of it."""

import json

import material
import pandas as pd
import pytest
from test_model_tasks import lines

from study.base.errors import StudyError
from study.base.files import publish
from study.base.paths import DATA
from study.extend import beside_study, cli, model_tasks
from study.extend.beside_study import Counted, from_study, joined, pair_counts
from study.extend.calibrate import INDEX, Rated, calibrate
from study.extend.folder import extension
from study.extend.start import start
from study.measure.kappa import cohen
from study.measure.model_raters import Share

OURS = DATA / "extensions" / "calibration"
BUG = Share("bugs", "kind", lambda x: x == "bug")


def labelled(*rows):
    index = pd.MultiIndex.from_tuples([(r, who, t, i) for r, who, t, i, _ in rows], names=INDEX)
    return pd.DataFrame({"issue_type": [k for *_, k in rows]}, index=index)


def test_a_thread_with_other_numbers_of_issues_is_left_out_and_listed():
    models = labelled(("1", "M1", "gh:a/b#1", 1, "fault"), ("1", "M1", "gh:a/b#2", 1, "fault"),
                      ("1", "M1", "gh:a/b#3", 1, "fault"), ("1", "M1", "gh:a/b#4", 1, "fault"))
    study = labelled(("1", "adjudicated", "gh:A/b#1", 1, "fault"), ("3", "R1", "gh:A/b#1", 1, "x"),
                     ("1", "adjudicated", "gh:a/b#2", 1, "y"),
                     ("1", "adjudicated", "gh:a/b#2", 2, "z"),
                     ("2", "R1", "gh:a/b#3", 1, "v"), ("2", "R1", "gh:a/b#3", 2, "w"),
                     ("2", "R2", "gh:a/b#3", 1, "v"), ("1", "adjudicated", "gh:a/b#3", 1, "u"))
    table, out = joined(models, study)
    # 1 joins whatever its case and round; 2 has two issues in the study, 4 none; of 3 R1 has two.
    assert set(table.index) == {
        ("1", "M1", "gh:a/b#1", 1), ("1", "adjudicated", "gh:a/b#1", 1), ("1", "R1", "gh:a/b#1", 1),
        ("1", "M1", "gh:a/b#3", 1), ("1", "adjudicated", "gh:a/b#3", 1)}
    assert [tuple(r)[:4] for r in out.itertuples(index=False)] == [
        ("gh:a/b#2", "M1", 1, 2), ("gh:a/b#3", "R1", 2, 1), ("gh:a/b#4", "M1", 1, 0)]
    assert out["what"].iloc[-1] == "not in the study's final table"


def by_hand():
    people = ["bug"] * 40 + ["question"] * 60
    said = ["question"] * 10 + people[10:]
    rows = [("1", who, f"t{i}", 1, label) for who, labels in (("adjudicated", people), ("M1", said))
            for i, label in enumerate(labels)]
    table = labelled(*rows).assign(kind=lambda t: t["issue_type"])
    return Rated(table, ("kind",), None, "final")


def test_counts_of_pairs_give_the_same_codes_as_the_labels(tmp_path):
    rated = by_hand()
    publish(tmp_path / "p.csv", pair_counts(rated).to_csv(index=False))
    counted = Counted.read(tmp_path / "p.csv")
    assert counted.models() == ["M1"]
    found = [sorted(zip(*of.codes(BUG, "M1"), strict=True)) for of in (rated, counted)]
    assert found[0] == found[1] == [(0, 0)] * 60 + [(1, 0)] * 10 + [(1, 1)] * 30


def test_the_reference_is_called_final():
    assert list(calibrate(by_hand())["agreement"]["raters"]) == ["M1-final"]


def test_without_the_studys_labels_it_says_how_to_get_them(snapshot, extensions):  # noqa: ARG001
    with pytest.raises(StudyError, match="reproduce"):
        from_study(extension("x"), extensions / "labels.csv")


def test_the_command_writes_the_counts(snapshot, extensions, monkeypatch, capsys):
    start("again", snapshot, 20, raters=("M1", "M2"), rounds=1)
    own = extension("again")
    model_tasks.hand_out(own)
    path = own.path(model_tasks.PROTOCOL)
    path.write_text(path.read_text(encoding="utf-8").replace('= ""', '= "synthetic"'),
                    encoding="utf-8")
    true = material.truth(own.tasks("1"), seed=4)
    for model in ("M1", "M2"):
        publish(own.path(f"sheets/round1-{model}.jsonl"),
                lines(material.rated(true, model, slip=0.4)))
    rows = [(t, i, "final", "final", f, label) for t, issues in true.items()
            for i, issue in enumerate(issues, 1) for f, label in issue.items()
            if label and f not in ("note", "decided_at")]
    columns = ["thread", "issue", "round", "rater", "facet", "repaired"]
    publish(extensions / "labels.csv", pd.DataFrame(rows, columns=columns).to_csv(index=False))
    monkeypatch.setattr(beside_study.from_study, "__defaults__", (extensions / "labels.csv",))
    assert cli.main(["calibrate", "again", "--people", "study"]) == 0
    assert "people are final" in capsys.readouterr().out
    made = own.path(beside_study.PAIRS)
    assert Counted.read(made).models() == ["M1", "M2"]
    with pytest.raises(StudyError, match="too few calibration issues"):
        cli.main(["correct", "again", "--with", "again"])


def test_committed_kappas_are_those_of_the_committed_counts():
    pairs = Counted.read(OURS / beside_study.PAIRS).pairs
    found = pd.read_csv(OURS / "model-labelled-agreement.csv")
    row = found[(found["facet"] == "stage") & (found["raters"] == "M1-final")].iloc[0]
    own = pairs[(pairs["facet"] == "stage") & (pairs["rater_1"] == "final")
                & (pairs["rater_2"] == "M1") & (pairs["type_1"] == pairs["type_2"])
                & (pairs["type_1"] == "fault")]
    made = cohen(own.assign(thread=range(len(own))))
    assert made["kappa"] == pytest.approx(row["kappa"], abs=1e-6)
    assert made["n"] == row["n"]


def test_no_task_and_no_list_of_addresses_holds_a_label():
    for name in ("calibration", "modern"):
        folder = DATA / "extensions" / name
        header = (folder / "found.csv").read_text(encoding="utf-8").splitlines()[0]
        assert header == "item,url,query,corpus,rank,portion"
        keys = {"item", "round", "codebook_version", "prompt", "codebook", "thread", "schema"}
        text = model_tasks.tasks_text(extension(folder).tasks("1"), extension(folder).codebook(
            "1"), False)
        for line in text.splitlines():
            task = json.loads(line)
            assert set(task) == keys
            assert set(task["thread"]) == {"address", "title", "query"}
        title = json.loads((folder / "plan.json").read_text(encoding="utf-8"))["title"]
        assert "model-labelled" in title
