"""Sample size, margins and saturation, against printed values and by simulation."""

import numpy as np
import pandas as pd
import pytest

from study.measure.precision import margin, margins, sample_size
from study.measure.saturation import new_categories, random_orders, rarefaction, saturation


@pytest.mark.parametrize(("population", "n"), [
    (None, 385), (500, 218), (1000, 278), (1131, 287), (2000, 323), (5000, 357), (10_000, 370),
    (100_000, 383)])
def test_sample_size_at_95_and_5_percent(population, n):
    """Cochran's formula with finite population correction; the usual printed table."""
    assert sample_size(population) == n
    assert margin(n, population) <= .05
    assert margin(n - 2, population) > .05


def test_small_populations_are_taken_whole():
    assert [sample_size(n) for n in (1, 2, 10)] == [1, 2, 10]
    assert margin(10, 10) == 0
    assert margin(1, 1) == 0


def test_no_item_has_no_margin_and_a_sample_fits_its_population():
    assert margin(0) is None
    # By hand: 1.95996 * sqrt(1/4 / 2 * (5 - 2) / (5 - 1)).
    assert margin(2, 5) == pytest.approx(0.60011, abs=1e-5)
    with pytest.raises(ValueError, match="a sample of 3 from a population of 2"):
        margin(3, 2)
    for wrong in ({"margin": 0}, {"conf": 1}, {"share": 0}):
        with pytest.raises(ValueError, match="between 0 and 1"):
            sample_size(**wrong)
    with pytest.raises(ValueError, match="at least 1"):
        sample_size(0)


@pytest.mark.parametrize(("k", "n", "low", "high"), [
    (81, 263, .2553, .3662), (15, 148, .0624, .1605), (0, 20, 0, .1611), (1, 29, .0061, .1718)])
def test_wilson_intervals(k, n, low, high):
    """Newcombe 1998, table I."""
    row = margins(pd.Series({"this": k, "rest": n - k})).iloc[0]
    assert (row["wilson_low"], row["wilson_high"]) == pytest.approx((low, high), abs=6e-5)
    assert row["margin"] == pytest.approx((high - low) / 2, abs=6e-5)


def test_goodman_intervals():
    """SAS, as quoted in DescTools issue 113."""
    frame = margins(pd.Series([91, 49, 37, 43], index=list("abcd")))
    assert frame["goodman_low"].tolist() == pytest.approx([.3342, .1609, .1146, .1375], abs=6e-5)
    assert frame["goodman_high"].tolist() == pytest.approx([.4978, .2999, .2401, .2702], abs=6e-5)
    assert (frame["goodman_high"] - frame["goodman_low"]
            > frame["wilson_high"] - frame["wilson_low"]).all()
    assert frame["share"].sum() == pytest.approx(1)


def test_margin_within_a_category_depends_on_its_items():
    frame = margins(pd.Series({"large": 400, "small": 12, "none": 0}))
    assert frame["within"].tolist()[:2] == pytest.approx([.049, .283], abs=6e-4)
    assert frame["within"].tolist()[2] is None
    assert len(margins(pd.Series({"only": 5}))) == 1
    for wrong in ({"a": -1, "b": 2}, {"a": 0}):
        with pytest.raises(ValueError, match="at least one item"):
            margins(pd.Series(wrong))


def test_new_categories_by_batch():
    frame = new_categories([["a", "b", "a"], ["b", "c"], [], ["a", "d"]])
    assert frame["new"].tolist() == [2, 1, 0, 1]
    assert frame["seen"].tolist() == [2, 3, 3, 4]
    assert frame["n"].tolist() == [3, 2, 0, 2]
    assert new_categories([]).empty


def test_saturation_by_base_run_and_threshold():
    batches = [["a", "b", "c", "d"], ["a", "e"], ["a"], ["f"], ["a"], ["b"]]
    assert saturation(batches) == 3
    assert saturation(batches, run=2) == 6
    assert saturation(batches, threshold=.25) == 2
    assert saturation(batches, run=2, threshold=0) == 6
    assert saturation(batches[:2]) is None
    assert saturation([["a"], ["b"], ["c"]]) is None
    assert saturation([]) is None
    with pytest.raises(ValueError, match="at least 1"):
        saturation(batches, base=0)


def test_rarefaction_is_what_random_orders_show():
    counts = [40, 20, 5, 3, 1, 1]
    labels = [str(i) for i, n in enumerate(counts) for _ in range(n)]
    exact = rarefaction(counts, range(1, 71))
    drawn = random_orders(labels, orders=4000, seed=3)
    assert (abs(exact["expected"] - drawn["mean"]) < 5 * exact["sd"] / np.sqrt(4000) + 1e-9).all()
    assert exact["expected"].is_monotonic_increasing
    assert exact["expected"].iloc[-1] == pytest.approx(6)
    assert exact["sd"].iloc[-1] == pytest.approx(0, abs=1e-6)
    assert ((drawn["low"] <= drawn["mean"]) & (drawn["mean"] <= drawn["high"])).all()


def test_standard_deviation_of_rarefaction():
    labels = list("aaaabbbccd")
    rng = np.random.default_rng(1)
    found = [len(set(rng.permutation(labels)[:4])) for _ in range(20_000)]
    exact = rarefaction([4, 3, 2, 1], [4]).iloc[0]
    assert exact["expected"] == pytest.approx(np.mean(found), abs=.02)
    assert exact["sd"] == pytest.approx(np.std(found), abs=.02)


def test_random_orders_have_a_seed():
    labels = list("aaabbc")
    assert random_orders(labels, 50, seed=1).equals(random_orders(labels, 50, seed=1))
    assert not random_orders(labels, 50, seed=1).equals(random_orders(labels, 50, seed=2))


def test_default_sizes_and_wrong_ones():
    assert rarefaction([200, 100])["n"].tolist()[::49] == [1, 300]
    assert rarefaction([2, 1])["n"].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="a part of 4 items out of 3"):
        rarefaction([2, 1], [4])
    with pytest.raises(ValueError, match="negative"):
        rarefaction([2, -1])
    with pytest.raises(ValueError, match="at least one label"):
        random_orders([])
