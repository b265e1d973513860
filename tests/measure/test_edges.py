"""Where measures begin, end and are undefined: published values, and counts done by hand."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smallstudy import few, table
from study.measure.agreement import NO_SPREAD, coefficients
from study.measure.agreement_report import Options
from study.measure.bootstrap import bootstrap
from study.measure.fleiss import fleiss
from study.measure.gwet import generalised
from study.measure.intervals import wilson
from study.measure.nulls import auc_error
from study.measure.results import Result, change
from study.measure.rounds_agreement import confused, squares
from study.measure.saturation import random_orders
from study.measure.weighted import step_distance, weighted_kappa
from study.read.codebook import load_codebook


@given(st.lists(st.integers(0, 60), min_size=2, max_size=14).filter(
    lambda d: sum(map(bool, d)) > 1))
@few
def test_raters_who_never_differ_have_no_interval(diagonal):
    """Their standard error is 0; what rounding leaves of it is no interval from 1 to 1."""
    found = [*coefficients(np.diag(diagonal)), *generalised(
        [[2 * (i == j) for j in range(len(diagonal))] for i, n in enumerate(diagonal)
         for _ in range(n)])]
    for r in found:
        if r.coefficient not in ("po", "kappa_max"):
            assert (r.value, r.se, r.ci_low, r.reason) == (pytest.approx(1), 0, None, NO_SPREAD)


def test_rounding_left_these_standard_errors():
    for r in coefficients(np.diag([25, 20, 10, 12, 1, 3, 0, 7, 32, 25, 36, 20])):
        if r.coefficient in ("pi", "AC1"):
            assert (r.se, r.reason) == (0, NO_SPREAD)


def test_fleiss_of_one_value_is_undefined_and_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for counts in ([[3, 0]] * 7, [[0, 3, 0]] * 49, [[3]] * 7):
            whole, free, *each = fleiss(counts)
            assert (whole.value, free.value) == (None, None)
            assert {r.value for r in each} == {None}


@pytest.mark.parametrize("n", range(1, 60))
def test_wilson_ends_within_0_and_1(n):
    """Newcombe 1998: the score interval of 0 of n begins at 0, that of n of n ends at 1."""
    found = wilson([0, n], [n, n])
    assert found["low"].iloc[0] == 0
    assert found["high"].iloc[1] == 1
    assert (found["low"] <= found["high"]).all()
    # By hand: the other end is z² / (n + z²).
    z2 = 1.959964**2
    assert found["high"].iloc[0] == pytest.approx(z2 / (n + z2), abs=1e-6)


def test_the_error_of_an_auc_as_published():
    """Hanley and McNeil (1982): area .893, 51 diseased and 58 normal cases, error .032."""
    assert auc_error(.893, 51, 58) == pytest.approx(.032, abs=.0006)
    # By hand: a coin has Q1 = Q2 = 1/3, so (1/4 + (yes + no - 2) / 12) / (yes * no).
    assert auc_error(.5, 10, 20) == pytest.approx(np.sqrt((1 / 4 + 28 / 12) / 200))
    assert auc_error(1, 10, 20) == 0


def test_two_units_have_an_interval_and_one_has_none():
    # S by hand: one unit agrees (1), one does not (-1): error sqrt((1 + 1) / 2).
    *_, s = generalised([[2, 0], [1, 1]])
    assert (s.value, s.se) == (0, pytest.approx(1))
    for r in generalised([[1, 1]]):
        assert (r.se, r.ci_low, r.reason) == (None, None, "no interval: one unit only")


def test_weighted_kappa_gives_the_observed_agreement():
    found = weighted_kappa([[0, 4, 1], [0, 8, 0], [0, 1, 5]], step_distance(3))
    assert found.po == pytest.approx(13 / 19)
    assert found.n_used == 19


def test_one_resample_is_enough_and_none_is_refused():
    assert "kappa" in {r.coefficient for r in bootstrap([[5, 2], [1, 7]], 1)}
    with pytest.raises(ValueError, match="at least 1"):
        bootstrap([[5, 2], [1, 7]], 0)


def test_a_change_of_kappa_by_hand():
    one, two = Result("kappa", -.9, se=.3), Result("kappa", .95, se=.4)
    found = change(one, two)
    assert found["difference"] == pytest.approx(1.85)
    assert found["z"] == pytest.approx(1.85 / .5)  # 3, 4, 5
    assert found["ci_low"] == pytest.approx(1.85 - 1.959964 * .5)
    assert found["ci_high"] == 2
    assert change(two, one)["ci_low"] == -2
    assert change(two, one)["z"] == pytest.approx(-3.7)


def test_squares_are_of_the_scope_that_counts_and_the_readings_asked_for():
    agreement = table("agreement", """
        facet  | reading  | scope  | label_1 | label_2 | n
        stage  | repaired | agreed | a       | a       | 3
        stage  | repaired | all    | a       | a       | 5
        stage  | as filed | agreed | a       | b       | 7
        group  | repaired | agreed | g       | h       | 9
        group  | repaired | parent | g       | g       | 2
    """)
    found = {(w["facet"], w["reading"]): int(t.sum())
             for w, t, _ in squares(agreement, load_codebook(), ["stage", "group"])}
    assert found == {("stage", "repaired"): 3, ("stage", "as filed"): 7, ("group", "repaired"): 2}
    assert [int(t.sum()) for _, t, _ in squares(agreement, load_codebook(), ["stage"],
                                                ["as filed"])] == [7]


def test_what_raters_confuse_most_stands_first_and_ties_follow_the_alphabet():
    pairs = table("adjudication", """
        facet | label_1 | label_2 | adjudicated | n
        kind  | b       | a       | a           | 2
        kind  | a       | c       | a           | 2
        kind  | a       | b       | c           | 1
        kind  | a       | b       | b           | 1
        kind  | c       | a       | c           | 7
        kind  | a       | a       | a           | 9
        kind  | missing | a       | a           | 5
        other | a       | b       | a           | 8""")
    made = confused(SimpleNamespace(adjudication=pairs), "kind")
    assert made.to_numpy().tolist() == [
        ["c", "a", 7, 7, 0, 0], ["a", "b", 2, 0, 1, 1], ["a", "c", 2, 2, 0, 0],
        ["b", "a", 2, 0, 2, 0]]


@pytest.mark.parametrize(("labels", "orders"), [([], 5), (["a"], 0), ([], 0)])
def test_orders_of_nothing_are_refused(labels, orders):
    with pytest.raises(ValueError, match="one label and one order"):
        random_orders(labels, orders, seed=1)


def test_one_order_of_one_label():
    assert random_orders(["a"], 1, seed=1)[["n", "mean"]].to_numpy().tolist() == [[1, 1]]


def test_labels_are_single_and_intervals_asymptotic_unless_asked_otherwise():
    assert (Options().sets, Options().bootstrap, Options().primary) == (False, None, "")
