"""The labeller of the notebooks: saved after each answer, taken up again, checked like any."""

import pytest

from study.extend.handed_in import check_file
from study.extend.labeller import Notebook, labeller


@pytest.fixture
def book(started):
    path = started.folder / "sheets" / "round1-R1.csv"
    return Notebook(path, started.tasks("1"), started.codebook("1"))


def test_an_answer_is_on_disk_at_once_and_found_again(book, started):
    book.answer("issue_type", "fault")
    book.answer("stage", "training & evaluation")
    book.answer("note", "=looks like a formula")
    again = Notebook(book.path, started.tasks("1"), started.codebook("1"))
    assert again.rows == book.rows
    assert again.rows[0]["note"] == "=looks like a formula"
    assert again.at == 1  # the first thread without an answer


def test_choices_follow_what_was_chosen(book):
    assert "not relevant" in book.choices("issue_type")
    book.answer("issue_type", "fault")
    assert book.choices("topic") == []
    book.answer("stage", "training & evaluation")
    book.answer("group", "program failure")
    assert "out of memory" in book.choices("symptom") and "hang" not in book.choices("symptom")
    book.answer("symptom", "out of memory")
    book.answer("stage", "communication setup")  # takes back what no longer goes with it
    assert (book.row["group"], book.row["symptom"]) == ("", "")
    book.answer("issue_type", "how-to question")
    assert book.row["stage"] == ""


def test_moving_stays_inside_and_issues_can_be_added(book, started):
    book.move(-5)
    assert book.at == 0
    for name, label in (("issue_type", "how-to question"), ("topic", "model")):
        book.answer(name, label)
    book.another()
    assert book.shown_task().thread == started.tasks("1")[0].thread
    book.answer("issue_type", "not relevant")
    book.move(10_000)
    assert book.at == len(book.rows) - 1 == len(started.tasks("1"))
    (started.sheets / "round1-R1.xlsx").unlink()
    checked, = check_file(book.path, started)
    assert [(item, labels["issue_type"]) for item, labels, *_ in checked.rows] == [
        (started.tasks("1")[0].thread + "/1", "how-to question"),
        (started.tasks("1")[0].thread + "/2", "not relevant")]


def test_a_sheet_of_other_threads_is_refused(book, started):
    with pytest.raises(ValueError, match="other threads"):
        Notebook(book.path, started.tasks("2"), started.codebook("1"))


def test_the_widget_answers_through_the_same_book(book, started):
    box = labeller(book.path, started.tasks("1"), started.codebook("1"))
    box.fields["issue_type"].value = "fault"
    assert box.book.row["issue_type"] == "fault"
    assert box.fields["topic"].disabled and not box.fields["stage"].disabled
    box.fields["stage"].value = "communication setup"
    assert "setup failure" in box.fields["symptom"].options
    box.fields["fix_pattern"].value = ("use docker", "use tmux")
    assert box.book.row["fix_pattern"] == "use docker; use tmux"
    box.buttons["next"].click()
    assert box.book.at == 1 and box.fields["issue_type"].value == ""
    box.buttons["back"].click()
    assert box.fields["fix_pattern"].value == ("use docker", "use tmux")
    box.buttons["another issue"].click()
    assert box.book.at == 1
    again = Notebook(book.path, started.tasks("1"), started.codebook("1"))
    assert again.rows[0]["stage"] == "communication setup"
