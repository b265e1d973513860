"""AC1, AC2 and generalised Fleiss against irrCAC's published and recorded values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.test_alpha import DIAGNOSES
from study.measure.agreement import coefficients
from study.measure.alpha import count_matrix
from study.measure.gwet import generalised
from study.measure.weighted import agreement_weights, step_distance

# Krippendorff's "C" data as irrCAC's raw4raters has it (unit 12 rated 3 by rater 3).
FOUR = [[1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
        [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1],
        [None, None, 3, None]]


def by_name(results):
    return {r.coefficient: r for r in results}


def test_four_raters_with_missing_ratings():
    """R irrCAC, raw4raters: AC1 .77544 (.14295; .461, 1), Fleiss .76117 (.15302), BP .77273
    (.14472)."""
    found = by_name(generalised(count_matrix(FOUR, [1, 2, 3, 4, 5])[0]))
    for name, value, error in (("AC1", .77544, .14295), ("S", .77273, .14472),
                               ("Fleiss kappa (generalised)", .76117, .15302)):
        assert found[name].value == pytest.approx(value, abs=6e-6), name
        assert found[name].se == pytest.approx(error, abs=6e-6), name
    assert found["AC1"].ci_low == pytest.approx(.461, abs=6e-4)
    assert (found["AC1"].ci_high, found["AC1"].clipped) == (1, True)
    assert found["AC1"].ci_method == "asymptotic (t, 11 df)"
    assert (found["AC1"].n_used, found["AC1"].dropped) == (11, {"one rating only": 1})


@pytest.mark.parametrize(("weights", "expected"), [
    ("linear", {"AC2": (.85874, .11733, .6005), "weighted Fleiss kappa": (.81794, .1485, .49109),
                "weighted S": (.84848, .12336, .57698)}),
    ("quadratic", {"AC2": (.914, .10396, .68518), "weighted Fleiss kappa": (.86494, .14603, .54352),
                   "weighted S": (.90152, .11089, .65744)})])
def test_weighted_coefficients_of_four_raters(weights, expected):
    """Value, standard error and lower limit by irrCAC 0.4.4 (CAC(ratings, weights=...))."""
    w = agreement_weights(weights, ["1", "2", "3", "4", "5"])
    found = by_name(generalised(count_matrix(FOUR, [1, 2, 3, 4, 5])[0], w))
    for name, (value, error, low) in expected.items():
        assert found[name].value == pytest.approx(value, abs=6e-6), name
        assert found[name].se == pytest.approx(error, abs=6e-6), name
        assert found[name].ci_low == pytest.approx(low, abs=2e-5), name


def test_fleiss_1971():
    """30 x 6: AC1 .447885, Fleiss .4302445 with irrCAC's error .054199, Randolph .444444."""
    found = by_name(generalised(count_matrix(DIAGNOSES)[0]))
    assert found["AC1"].value == pytest.approx(.447885, abs=6e-7)
    assert found["Fleiss kappa (generalised)"].value == pytest.approx(.4302445, abs=6e-8)
    assert found["Fleiss kappa (generalised)"].se == pytest.approx(.054199, abs=6e-7)
    assert found["S"].value == pytest.approx(4 / 9)


TABLES = st.integers(2, 5).flatmap(lambda q: st.lists(
    st.lists(st.integers(0, 9), min_size=q, max_size=q), min_size=q, max_size=q)).map(np.array)


def as_units(table):
    row, col = np.nonzero(table)
    counts = np.zeros((len(row), len(table)))
    np.add.at(counts, (np.arange(len(row)), row), 1)
    np.add.at(counts, (np.arange(len(row)), col), 1)
    return counts, table[row, col]


@settings(deadline=None)
@given(TABLES)
def test_two_raters_have_the_values_and_intervals_of_a_square_table(table):
    counts, times = as_units(table)
    ours, square = by_name(generalised(counts, times=times)), by_name(coefficients(table))
    for name, other in (("AC1", "AC1"), ("S", "S"), ("Fleiss kappa (generalised)", "pi")):
        mine, theirs = ours[name], square[other]
        assert (mine.value is None) == (theirs.value is None)
        if mine.value is not None:
            assert mine.value == pytest.approx(theirs.value, abs=1e-9)
            assert mine.ci_low == (None if theirs.ci_low is None else
                                   pytest.approx(theirs.ci_low, abs=1e-7))
            assert mine.ci_method == theirs.ci_method


@settings(deadline=None)
@given(TABLES)
def test_repeated_rows_count_as_often_as_they_are(table):
    counts, times = as_units(table)
    w = 1 - step_distance(len(table), 2)
    short, long = generalised(counts, w, times), generalised(np.repeat(counts, times, axis=0), w)
    for one, other in zip(short, long, strict=True):
        assert one.n_used == other.n_used
        assert one.value == (None if other.value is None else pytest.approx(other.value))
        assert one.se == (None if other.se is None else pytest.approx(other.se, abs=1e-9))


def test_identity_weights_are_no_weights():
    counts = count_matrix(FOUR, [1, 2, 3, 4, 5])[0]
    plain, weighted = generalised(counts), generalised(counts, np.eye(5))
    assert [r.coefficient for r in weighted] == ["AC2", "weighted Fleiss kappa", "weighted S"]
    assert [r.value for r in weighted] == [r.value for r in plain]


def test_ac2_by_hand():
    """Two units, categories 1 to 3, quadratic weights 1, .75, 0: po (.75 + 1)/2, shares 1/4, 1/4,
    1/2; chance 4.5... (sum of weights 6) * (3/16 + 3/16 + 4/16) / 6 = .625."""
    found = by_name(generalised([[1, 1, 0], [0, 0, 2]], 1 - step_distance(3, 2)))
    assert found["AC2"].value == pytest.approx((.875 - .625) / .375)
    assert found["AC2"].po == .5


def test_undefined_is_a_reason():
    assert {(r.reason, r.po) for r in generalised([[1, 0], [0, 1]])} == {
        ("no unit has two ratings", None)}
    assert all("only one value" in r.reason and r.po == 1 for r in generalised([[2, 0], [3, 0]]))
    assert {r.reason for r in generalised([[1, 1]])} == {"no interval: one unit only"}


def test_bootstrap_surrounds_the_value():
    diagnoses = count_matrix(DIAGNOSES)[0]
    for r, asymptotic in zip(generalised(diagnoses, resamples=2000, seed=1),
                             generalised(diagnoses), strict=True):
        assert r.ci_low < r.value < r.ci_high
        assert r.se == pytest.approx(asymptotic.se, rel=.15)


@pytest.mark.parametrize("weights", [np.eye(3), [[0, 1], [1, 0]], [[1, .5], [.2, 1]],
                                     [[1, 2], [2, 1]]])
def test_wrong_weights(weights):
    with pytest.raises(ValueError, match="weights of"):
        generalised([[1, 1], [2, 0]], weights)
