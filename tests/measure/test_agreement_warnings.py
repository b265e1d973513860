"""What a reader is told before believing a number: each warning where it is due, and only there."""

from study.measure.agreement_warnings import about_labels
from study.read.records import Rating


def told(**raters):
    """Warnings about the labels of items 0, 1, 2 …, one list a rater."""
    ratings = [Rating(str(i), rater, label) for rater, labels in raters.items()
               for i, label in enumerate(labels)]
    items = {}
    for r in ratings:
        items.setdefault(r.item, {})[r.rater] = r
    return "\n".join(about_labels(ratings, list(raters), items,
                                  sorted({r.label for r in ratings}), None))


def test_categories_of_one_rater_only_are_named_with_their_number_most_frequent_first():
    said = told(Ann=["hang", "stall", "stall", "crash"], Ben=["hang", "freeze", "hang", "crash"])
    assert "categories that one rater only uses: Ann: 'stall' (2); Ben: 'freeze' (1)" in said
    said = told(Ann=[*"dabbcxyzz", "k"], Ben=["k"] * 10)
    assert "Ann: 'b' (2), 'z' (2), 'a' (1), 'c' (1), 'd' (1) and 2 more" in said
    assert "one rater only" not in told(Ann=["hang", "crash"], Ben=["crash", "hang"])


def test_rows_of_one_sum_may_be_counts_of_raters_from_two_rows_on():
    assert "each row adds up to 5" in told(a=["1", "5"], b=["2", "0"], c=["2", "0"])
    assert "adds up" not in told(a=["1"], b=["2"], c=["2"])
    assert "adds up" not in told(a=["1", "5"], b=["2", "0"], c=["2", "1"])
    assert "adds up" not in told(a=["1", "5"], b=["4", "0"])  # two raters are no row of counts
    assert "adds up" not in told(a=["1", "x"], b=["2", "0"], c=["2", "0"])
