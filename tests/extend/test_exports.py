"""Exports that the tools' own packages wrote (make_exports.py) are read whole."""

import json
import shutil
from pathlib import Path

import pytest
from make_exports import SESSIONS, USERS

from study.extend import folder
from study.extend.canonical import from_file
from study.extend.cli import main
from study.extend.handed_in import canonical_rows, check_file

EXPORTS = Path(__file__).resolve().parent / "exports"
# File → the name it is handed in under, raters in it, and who its annotators are.
READ = {
    "labelstudio-json.json": ("round1-raters.json", ("R1", "R2"), []),
    "labelstudio-json-min.json": ("round1-raters.json", ("R1", "R2"), []),
    "argilla.json": ("round1-raters.json", ("R1", "R2"), [f"{u}={r}" for r, u in USERS.items()]),
    "doccano.json": ("round1-R1.json", ("R1",), []),
    "doccano.jsonl": ("round1-R1.jsonl", ("R1",), []),
    "prodigy-as-documented.jsonl": ("round1-R1.jsonl", ("R1",), [f"{s}=R1" for s in SESSIONS]),
}


@pytest.fixture
def own(tmp_path):
    """A copy of the example without the sheets of its raters."""
    made = tmp_path / "moelib"
    shutil.copytree(folder.extension("example").folder, made)
    for path in (made / "sheets").glob("round*"):
        path.unlink()
    return folder.Extension(made)


def hand_in(own, export, name):
    path = own.sheets / name
    shutil.copyfile(EXPORTS / export, path)
    return path


@pytest.mark.parametrize("export", READ)
def test_every_label_and_note_is_read(export, own, capsys):
    name, raters, who = READ[export]
    path = hand_in(own, export, name)
    arguments = ["check", str(own.folder), "--round", "1", "--partial"]
    if who:  # a tool's own numbers: the message says what to give, and it is remembered
        with pytest.raises(ValueError, match=who[0].partition("=")[0]) as stop:
            main(arguments)
        assert all(w.partition("=")[0] in str(stop.value) for w in who)
        assert main([*arguments, "--annotator", *who]) == 0
    assert main(arguments) == 0
    capsys.readouterr()
    checked = check_file(path, own)
    labelled = {row[0] for row in canonical_rows(own, checked)}
    due = [r for r in from_file(own.path("labels.csv"))
           if r[3] == "1" and r[4] in raters and (len(READ[export][2]) != 2 or r[0] in labelled)]
    assert [r[:8] for r in canonical_rows(own, checked)] == [r[:8] for r in due]
    assert len(labelled) >= 8


def test_a_teams_own_control_is_named_once_a_rater(own):
    checked = check_file(hand_in(own, "labelstudio-json-min.json", "round1-raters.json"), own)
    assert [p.value for c in checked for p in c.problems if p.kind == "ignored"] == ["sure"] * 2


@pytest.mark.parametrize("export,name", [("labelstudio-csv.csv", "round1-raters.csv"),
                                         ("labelstudio-csv.csv", "round1-R1.csv"),
                                         ("doccano.csv", "round1-R1.csv")])
def test_the_tools_tables_are_refused_with_the_form_to_take(export, name, own):
    (one,) = check_file(hand_in(own, export, name), own)
    assert [p.kind for p in one.problems] == ["unreadable"]
    assert "as JSON" in one.problems[0].message


def test_the_files_are_synthetic_and_none_is_missing():
    assert {p.name for p in EXPORTS.iterdir()} == {
        *READ, "labelstudio-csv.csv", "doccano.csv", "requirements.txt"}
    content = json.loads((EXPORTS / "argilla.json").read_text(encoding="utf-8"))
    assert all("ynthetic" in record["fields"]["text"] for record in content)
