"""The same slip in two sheets, by hand, by drawing, and where nothing can be said."""

import random

import pytest

from study.measure.agreement_report import Options, report
from study.measure.agreement_warnings import about_slips
from study.measure.slips import same_slips, warning
from study.read.records import Labels, Rating
from study.read.sheet import Problem, shown

# Label "run" in ten cells of both: rater 1 writes Run three times, rater 2 twice, together once.
CELLS = [("stage", "run", "Run", "run", "Run", 1), ("stage", "run", "Run", "run", "run", 2),
         ("stage", "run", "run", "run", "Run", 1), ("stage", "run", "run", "run", "run", 6),
         ("stage", "run", "Run", "end", "End", 1), ("stage", "", "", "end", "End", 1)]


def test_by_hand():
    found = same_slips(CELLS)
    assert {k: found[k] for k in ("odd_1", "odd_2", "same")} == {"odd_1": 4, "odd_2": 4, "same": 1}
    assert found["expected"] == pytest.approx(3 * 2 / 10)
    assert found["texts"] == {"Run": 1}
    found = same_slips([("stage", "run", "Run", "run", "run", 3), *CELLS[3:4]])
    assert (found["odd_1"], found["odd_2"]) == (3, 0)


def test_the_expected_number_is_the_mean_over_shuffles():
    texts = [(c[2], c[4]) for c in CELLS[:4] for _ in range(c[5])]
    draw, total = random.Random(1), 0
    for _ in range(20_000):
        second = [two for _, two in texts]
        draw.shuffle(second)
        total += sum(one == two == "Run" for (one, _), two in zip(texts, second, strict=True))
    assert same_slips(CELLS)["expected"] == pytest.approx(total / 20_000, abs=0.02)


def test_what_says_nothing():
    # A label that both gave once; the usual spelling; the same text for two facets; no label.
    assert same_slips([("stage", "run", "Runn", "run", "Runn", 1)])["expected"] == 1
    found = same_slips([("stage", "run", "run", "run", "run", 5),
                        ("stage", "", "PENDING", "", "PENDING", 2)])
    assert (found["odd_1"], found["odd_2"], found["same"], found["expected"]) == (0, 0, 0, 0)
    found = same_slips([("stage", "run", "R", "run", "run", 1),
                        ("group", "run", "run", "run", "R", 1)])
    assert (found["same"], found["expected"]) == (0, 0)
    assert same_slips([])["same"] == 0


TYPED = [("", "hang", "hangg", "hang", "hangg", 2), ("", "hang", "hang", "hang", "hang", 8)]


def test_the_warning_is_one_line_with_the_slips():
    assert warning(TYPED, ["Ann", "Ben"]).startswith(
        "same slip in both files: 2 of Ann's 2 and of Ben's 2 odd spellings (hangg (2 times)); "
        "dealt out at random over the same labels they would meet 0.4 times")
    many = [(c, c, c.upper(), c, c.upper(), n) for n, c in enumerate("abcdefg", 1)]
    many += [(c, c, c, c, c, 9) for c in "abcdefg"]
    assert "(G (7 times), F (6 times), E (5 times), D (4 times), C (3 times) …)" in warning(
        many, ["Ann", "Ben"])


@pytest.mark.parametrize("cells", [
    [], TYPED[1:], [("", "out of memory", "OOM", "out of memory", "OOM", 9)],  # both write so
    [("", "hang", "hangg", "hang", "hang", 3), *TYPED[1:]]])
def test_no_warning_where_chance_gives_as_many(cells):
    assert warning(cells, ["Ann", "Ben"]) == ""


def files(second):
    rows = ["Hang", "hang", "hang", "leak", "hang", "hang"], second
    return Labels([Rating(str(i), who, text.casefold(), row=i, file=who)
                    for who, texts in zip(("Ann", "Ben"), rows, strict=True)
                    for i, text in enumerate(texts)],
                   [Problem(who, "", i, 2, text, f"read as {shown(text.casefold())}", "note",
                            "case")
                    for who, texts in zip(("Ann", "Ben"), rows, strict=True)
                    for i, text in enumerate(texts) if text != text.casefold()])


@pytest.mark.parametrize(("second", "warned"), [
    (["Hang", "hang", "hang", "hang", "hang", "leak"], True),
    (["hang", "Hang", "hang", "leak", "hang", "hang"], False)])
def test_the_agreement_report_warns_of_them(second, warned):
    labels = files(second)
    [group] = report(labels, Options(), {})
    said = [w for w in group["warnings"] if w.startswith("same slip in both files: 1 of Ann's 1")]
    assert bool(said) == warned
    assert about_slips(labels.ratings, ["Ann", "Ben"], labels.problems) == said
