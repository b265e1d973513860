"""Wilson and Goodman intervals against published values, and what they must always be."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from smallstudy import few
from study.measure.intervals import goodman, shares, wilson


@pytest.mark.parametrize(("count", "nobs", "low", "high"), [
    (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)])
def test_wilson_as_newcombe_1998_table_1(count, nobs, low, high):
    row = wilson([count], [nobs]).iloc[0]
    assert [row["n"], row["of"]] == [count, nobs]
    assert row["share"] == pytest.approx(count / nobs, abs=1e-15)
    assert [round(row["low"], 4), round(row["high"], 4)] == [low, high]


def test_bounds_that_are_exact_are_exact():
    table = wilson([0, 20], [20, 20])
    assert table["low"].iloc[0] == 0
    assert table["high"].iloc[1] == 1


def test_wilson_without_trials_is_missing_and_spoils_no_other_row():
    table = wilson([0, 5], [0, 10])
    assert table.loc[0, ["share", "low", "high"]].isna().all()
    assert table.loc[1, ["share", "low", "high"]].round(4).tolist() == [0.5, 0.2366, 0.7634]


def test_wilson_of_nothing_has_its_columns():
    table = wilson([], [])
    assert table.columns.tolist() == ["n", "of", "share", "low", "high"]
    assert table.empty


def test_another_confidence_widens_wilson():
    # Wilson (1927) for 5 of 10: the half width is z / 2 / sqrt(n + z**2).
    row = wilson([5], [10], confidence=0.99).iloc[0]
    half = 2.5758293 / 2 / (10 + 2.5758293**2) ** 0.5
    assert [row["low"], row["high"]] == pytest.approx([0.5 - half, 0.5 + half], abs=1e-7)


@few
@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_contains_the_share_and_scipy_agrees(case):
    count, nobs = case
    row = wilson([count], [nobs]).iloc[0]
    assert 0 <= row["low"] <= row["share"] + 1e-12
    assert row["share"] - 1e-12 <= row["high"] <= 1
    other = binomtest(count, nobs).proportion_ci(method="wilson")
    assert [row["low"], row["high"]] == pytest.approx([other.low, other.high], abs=1e-9)


def test_goodman_as_sas_prints_it():
    # SAS values of issue 113 of R's DescTools.
    table = goodman(pd.Series([91, 49, 37, 43], index=list("abcd")))
    assert table["low"].round(4).tolist() == [0.3342, 0.1609, 0.1146, 0.1375]
    assert table["high"].round(4).tolist() == [0.4978, 0.2999, 0.2401, 0.2702]
    assert table["of"].tolist() == [220] * 4
    assert table["share"].sum() == pytest.approx(1)


def test_goodman_is_wider_than_wilson_which_is_for_one_share_only():
    counts = pd.Series([91, 49, 37, 43])
    one, every = wilson(counts.to_numpy(), 220), goodman(counts)
    assert (every["low"] < one["low"]).all()
    assert (every["high"] > one["high"]).all()


def test_goodman_of_nothing_is_missing():
    table = goodman(pd.Series([0, 0], index=["a", "b"]))
    assert table["n"].tolist() == [0, 0]
    assert table[["share", "low", "high"]].isna().all(axis=None)


def test_shares_counted_by_hand_most_frequent_first_ties_by_name():
    table = pd.DataFrame({"x": ["b", "a", "c", "b", "a"], "y": ["u"] * 4 + ["v"],
                          "n": [1, 2, 6, 3, 2]})
    found = shares(table, "x")
    assert found[["x", "n", "of"]].to_numpy().tolist() == [["c", 6, 14], ["a", 4, 14],
                                                           ["b", 4, 14]]
    assert shares(table, ["x", "y"])[["x", "y", "n"]].to_numpy().tolist() == [
        ["c", "u", 6], ["b", "u", 4], ["a", "u", 2], ["a", "v", 2]]


def test_shares_of_nothing():
    found = shares(pd.DataFrame({"x": pd.Series(dtype="str"), "n": pd.Series(dtype=int)}), "x")
    assert found.empty
    assert found.columns.tolist() == ["x", "n", "of", "share", "low", "high"]


@few
@given(st.lists(st.tuples(st.sampled_from("abcde"), st.integers(1, 99)), min_size=1))
def test_shares_sum_to_one_in_any_order_of_rows(rows):
    table = pd.DataFrame(rows, columns=["x", "n"])
    found = shares(table, "x")
    assert found["share"].sum() == pytest.approx(1)
    assert found["n"].sum() == table["n"].sum()
    shuffled = table.iloc[np.random.default_rng(1).permutation(len(table))]
    pd.testing.assert_frame_equal(shares(shuffled, "x"), found)
