"""What is committed, and a reader's own work beside it: synthetic notebooks in a synthetic git."""

import shutil
import subprocess

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from study.base.errors import StudyError
from study.run import committed, everything, notebooks

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


def text(*sources, outputs=None, **metadata):
    """A notebook as the package stores it: one heading, code cells that printed something."""
    outputs = outputs or [f"{s} printed\n" for s in sources]
    cells = [new_code_cell(s, outputs=[new_output("stream", text=o)], execution_count=i)
             for i, (s, o) in enumerate(zip(sources, outputs, strict=True), 1)]
    made = new_notebook(cells=[new_markdown_cell("# Synthetic"), *cells])
    made = notebooks.normalise(made, "synthetic")
    made.metadata.update(metadata)
    return notebooks.to_text(made)


OURS = text("a", "b")


@pytest.fixture
def folder(tmp_path):
    """A repository that holds one notebook and reproduce.py."""
    (tmp_path / "reproduce.py").touch()
    (tmp_path / "synthetic.ipynb").write_text(OURS, encoding="utf-8", newline="\n")
    for command in (["init", "-q"], ["add", "-A"],
                    ["-c", "user.name=Synthetic", "-c", "user.email=a@example.org",
                     "commit", "-qm", "Synthetic"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_what_git_holds(folder):
    path = folder / "synthetic.ipynb"
    assert committed.text(path, folder) == OURS
    assert committed.unlike(folder) == []
    path.write_text("mine", encoding="utf-8")
    (folder / "new.txt").touch()
    assert committed.text(path, folder) == OURS
    assert committed.unlike(folder) == ["synthetic.ipynb"]
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)  # staged is not committed
    assert committed.unlike(folder) == ["new.txt", "synthetic.ipynb"]


def test_a_folder_in_somebody_elses_repository_has_nothing_to_compare_with(folder):
    inner = folder / "inner"
    inner.mkdir()
    (inner / "reproduce.py").touch()
    assert committed.unlike(inner) is None
    assert committed.text(inner / "reproduce.py", inner) is None


def test_without_git(folder, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert committed.unlike(folder) is None
    assert committed.text(folder / "synthetic.ipynb", folder) is None


@pytest.mark.parametrize(("before", "ran", "ours", "stored", "file", "said"), [
    pytest.param(OURS, OURS, OURS, False, OURS, "", id="nothing"),
    pytest.param(text("a", "b", language_info={"name": "python", "version": "3.99"}), OURS, OURS,
                 False, OURS, "", id="saved in an editor"),
    pytest.param(text("a", "b", outputs=["old\n", "b printed\n"]), OURS, OURS, True, OURS, "",
                 id="other outputs"),
    pytest.param(text("a", "mine"), text("a", "mine", outputs=["a printed\n", "new\n"]), OURS,
                 False, text("a", "mine"), "cell 3 is not as committed; left as it is",
                 id="edited"),
    pytest.param(text("mine", "b", "c"), text("mine", "b", "c", outputs=["1", "2", "3"]), OURS,
                 False, text("mine", "b", "c"), "cells 2 and 4 are not as committed; left",
                 id="edited and longer"),
    pytest.param(text("a", "mine"), text("a", "mine"), OURS, False, text("a", "mine"),
                 "cell 3 is not as committed", id="edited and run in an editor"),
    pytest.param(text("a", "b", outputs=["old\n", "b printed\n"]), OURS, None, False,
                 text("a", "b", outputs=["old\n", "b printed\n"]),
                 "cell 2 is not as committed; left", id="other outputs without git"),
])
def test_what_is_stored_of_a_run(before, ran, ours, stored, file, said, tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(before, encoding="utf-8", newline="\n")
    found, line = committed.store(path, before, ran, ours)
    assert found == stored
    assert said in line and bool(said) == bool(line)
    assert path.read_text(encoding="utf-8") == file


def test_what_an_edited_notebook_gives_is_stored_on_request(tmp_path):
    path = tmp_path / "a.ipynb"
    before, ran = text("mine", "b"), text("mine", "b", outputs=["1", "2"])
    path.write_text(before, encoding="utf-8", newline="\n")
    assert committed.store(path, before, ran, OURS, write=True)[0]
    assert path.read_text(encoding="utf-8") == ran


def test_a_notebook_saved_while_it_ran_is_left_alone(tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(text("saved"), encoding="utf-8", newline="\n")
    stored, line = committed.store(path, OURS, OURS, OURS, write=True)
    assert not stored and "was saved while it ran; left as it is" in line
    assert path.read_text(encoding="utf-8") == text("saved")


def test_restoring(tmp_path):
    path = tmp_path / "a.ipynb"
    assert committed.restore(path, OURS)  # it was missing
    assert not committed.restore(path, OURS)
    path.write_text(text("mine"), encoding="utf-8", newline="\n")
    assert committed.restore(path, OURS)
    assert path.read_text(encoding="utf-8") == OURS
    with pytest.raises(StudyError, match="there is no git here that has it"):
        committed.restore(path, None)


@pytest.mark.parametrize(("unlike", "changed", "kept", "other", "code", "last"), [
    ([], [], [], False, 0, "Everything is as committed."),
    ([], ["figures/a.png"], [], False, 0, "Everything is as committed."),
    (["tests/a.py", "notebooks/study/a.py"], [], [], False, 0,
     "Every result is as committed; other files are not (git status)."),
    # A hand edit of what results are made from, or a picture exchanged with its checksum.
    (["data/claims.toml"], [], [], False, 1,
     "1 file is not as committed; git diff shows how."),
    (["figures/a.png", "figures/checksums.sha256"], [], [], False, 1,
     "2 files are not as committed; git diff shows how."),
    (["notebooks/01.ipynb"], [], ["notebooks/01.ipynb: cell 2 is ..."], False, 1,
     "1 file is not as committed; git diff shows how."),
    ([], [], [], True, 0, "Every number is as committed; figures and notebooks were not stored."),
    ([], ["figures/a.csv differs"], [], True, 1, "1 file is not as before."),
    (None, [], [], False, 0, "Every result is what it was in this folder; there is no git here to "
     "compare with what was released."),
    (None, ["figures/a.svg"], [], False, 1, "1 file is not as before."),
    (None, [], ["a.ipynb: cell 2 ..."], False, 1, "The rest is as it was."),
])
def test_the_verdict_says_committed_only_where_git_agrees(unlike, changed, kept, other, code, last,
                                                          monkeypatch):
    monkeypatch.setattr(committed, "unlike", lambda: unlike)
    lines = []
    assert everything._verdict(lines.append, changed, kept, other) == code
    assert lines[-1] == last
    for name in [*changed, *kept]:
        assert any(name in line for line in lines)


def test_every_notebook_of_the_package_is_run_and_no_other():
    said = subprocess.run(["git", "ls-files", "*.ipynb"], cwd=everything.NOTEBOOKS,
                          capture_output=True, text=True, check=False)
    if said.returncode or not said.stdout:
        pytest.skip("no git here, or no checkout")
    own = [f"{name}.ipynb" for name in notebooks.OWN]
    assert own == sorted(n for n in said.stdout.splitlines() if "/" not in n)
    for name in own:
        nbformat.read(everything.NOTEBOOKS / name, as_version=4)
