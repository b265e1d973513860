"""How both raters wrote a cell: by hand, and the released sheets counted another way."""

import pytest

from study.base.words import fold
from study.measure.slips import same_slips
from study.read.codebook import FACETS, FAULT
from study.tabulate.issues import Row
from study.tabulate.spellings import NO_NAME, alike, cell, spelling_counts, written


def row(rater, place=1, titles=(), **cells):
    return Row("synthetic.xlsx", rater, 2, "so:1", place, "1", rater, cells, frozenset(titles))


@pytest.mark.parametrize(("facet", "text", "label"), [
    ("symptom", " Slow ", "slow"), ("symptom", "not starting", "no start"), ("symptom", "  ", ""),
    ("symptom", "pending", ""), ("symptom", "Symptom", ""), ("stage", "Slow", NO_NAME + "slow"),
    ("symptom", "no  such   name", NO_NAME + "no such name")])
def test_the_label_that_a_cell_stands_for(small, facet, text, label):
    assert cell(row("R1", titles=["symptom"], **{facet: text}), facet, small) == (
        label, text.strip())


def test_two_sheets_by_hand(small):
    rows = [row("R1", 1, issue_type=FAULT, symptom="Slow", stage="run"),
            row("R2", 1, issue_type=FAULT, symptom="Slow ", stage="start"),
            row("R1", 2, issue_type="Fault", symptom="slow"),
            row("R2", 2, issue_type="Fault", symptom="slow"),
            row("R1", 3, symptom="slow"), row("R2", 3, symptom="slow"),
            row("R1", 4, symptom="Slow")]  # the other rater has no such place
    cells = written(rows, small)
    assert alike(cells).to_numpy().tolist() == [[True, False], [True, True], [False, True]]
    found = spelling_counts(cells).to_numpy().tolist()
    assert found == [
        ["1", "issue_type", FAULT, "Fault", FAULT, "Fault", 1],
        ["1", "issue_type", FAULT, FAULT, FAULT, FAULT, 1],
        ["1", "stage", "run", "run", "start", "start", 1],
        ["1", "symptom", "slow", "Slow", "slow", "Slow", 1],
        ["1", "symptom", "slow", "slow", "slow", "slow", 2]]


def test_no_pair_is_a_table_without_rows(small):
    assert spelling_counts(written([row("R1", symptom="slow")], small)).empty


@pytest.mark.parametrize(("number", "same", "odd"), [
    ("1", 15, 20), ("2", 14, 18), ("3", 17, 17), ("4", 13, 53), ("5", 2, 2)])
def test_odd_cells_of_rater_2_as_counted_apart(study, rows, book, number, same, odd):
    """The values are another count's, made in the authors' workbooks without this package.

    It takes a cell for odd whose text, but for outer blanks, is no name of the codebook to the
    letter. Undecided cells and a column title (one, in round 2) are no spellings.
    """
    own = study.spellings[study.spellings["round"] == number].drop(columns="round")
    found = same_slips(own.itertuples(index=False, name=None))
    assert (found["same"], found["odd_2"]) == (same, odd)
    one, two = ({(r.thread, r.issue): r.cells for r in rows[0]
                 if (r.round, r.rater) == (number, rater)} for rater in ("R1", "R2"))
    plain = [(cells[f].strip() == one.get(key, {}).get(f, "").strip())
             for key, cells in two.items() for f in FACETS
             if f in cells and cells[f].strip() and cells[f].strip() not in book.names(f)
             and fold(cells[f]) not in {*book.undecided, "how-to topic"}]
    assert (sum(plain), len(plain)) == (same, odd)
