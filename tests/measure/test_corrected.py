"""Corrected shares: against ppi-python, by hand, and what must hold for any labels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.measure.corrected import (
    MINIMUM,
    confusion,
    items_needed,
    matrix_share,
    ppi_share,
    true_counts,
)

# ppi-python 0.2.3 (the package of the method's authors, PyPI): ppi_mean_pointestimate and
# ppi_mean_ci with alpha=0.05, lam=1 and lam=None. The calibration as [[both 1, people 1], [model
# 1, both 0]], the corpus as 1s of so many; computed once, in an environment of its own.
REFERENCE = [
    ([[31, 3], [6, 40]], 212, 400, (0.4925, 0.404597814, 0.580402186),
     (0.4679318084, 0.3913270458, 0.544536571)),
    ([[11, 3], [1, 105]], 29, 240, (0.1375, 0.0849781229, 0.1900218771),
     (0.1276460993, 0.0843775579, 0.1709146408)),
    ([[24, 19], [6, 11]], 504, 1000, (0.7206666667, 0.563722362, 0.8776109713),
     (0.7172950399, 0.6051297829, 0.829460297))]


def spread(table):
    """Codes of people and model of a table of counts."""
    cells = [(i, j) for i in (0, 1) for j in (0, 1) for _ in range(table[i][j])]
    return [1 - i for i, _ in cells], [1 - j for _, j in cells]


def corpus(ones, size):
    return [1] * ones + [0] * (size - ones)


@pytest.mark.parametrize(("table", "ones", "size", "plain", "tuned"), REFERENCE)
def test_the_authors_package_says_the_same(table, ones, size, plain, tuned):
    people, model = spread(table)
    for tune, expected in ((False, plain), (True, tuned)):
        found = ppi_share(people, model, corpus(ones, size), tune, half=0)
        assert [found[k] for k in ("share", "low", "high")] == pytest.approx(expected, abs=1e-9)


def test_by_hand():
    # 100 calibrated: 40 and 30 agreed, 20 missed, 10 added; the model counts 60 of 200 others.
    # Untuned: 0.3 + (60 - 50) / 100 = 0.4. Rectifier: 20 times 1, 10 times -1, mean 0.1,
    # variance 0.3 - 0.01 = 0.29; the model's 0.21.
    people, model = spread([[40, 20], [10, 30]])
    found = ppi_share(people, model, corpus(60, 200), tuned=False, half=0)
    assert found["share"] == pytest.approx(0.4)
    assert found["se"] == pytest.approx(math.sqrt(0.29 / 100 + 0.21 / 200))
    # With half an issue in each cell, 102 in all: mean 10/102, variance 31/102 - (10/102)^2.
    found = ppi_share(people, model, corpus(60, 200), tuned=False)
    own = 31 / 102 - (10 / 102) ** 2
    assert found["share"] == pytest.approx(0.4)
    assert found["se"] == pytest.approx(math.sqrt(own / 102 + 0.21 / 200))


def test_rogan_and_gladen_by_hand():
    # Sensitivity 0.8, specificity 0.9: (0.45 - 0.1) / (0.8 + 0.9 - 1) = 0.5.
    people, model = spread([[80, 20], [10, 90]])
    found = matrix_share(people, model, corpus(450, 1000))
    assert found["share"] == pytest.approx(0.5)
    # Their variance: q(1-q)/N + p^2 se(1-se)/n1 + (1-p)^2 sp(1-sp)/n0, over (se+sp-1)^2. The
    # bootstrap lets the calibration's own share vary too, which hardly matters.
    se = math.sqrt(0.45 * 0.55 / 1000 + 0.25 * 0.16 / 100 + 0.25 * 0.09 / 100) / 0.7
    assert found["high"] - found["low"] == pytest.approx(2 * 1.96 * se, rel=0.08)


def test_several_categories_by_hand():
    rates = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.0, 0.1, 0.9]])
    true = np.array([0.5, 0.3, 0.2])
    assert true_counts(rates * 100, true @ rates).tolist() == pytest.approx(true.tolist())


def test_a_model_that_says_the_same_of_everything_cannot_be_turned_round():
    people, model = spread([[50, 0], [50, 0]])
    found = matrix_share(people, model, corpus(100, 100))
    assert math.isnan(found["share"])
    # Prediction-powered inference then rests on the people's labels alone.
    found = ppi_share(people, model, corpus(100, 100), half=0)
    assert found["share"] == pytest.approx(0.5)
    assert found["weight"] == 0


def test_a_share_of_the_faults_only_leaves_the_others_out():
    people, model = spread([[31, 3], [6, 40]])
    alone = ppi_share(people, model, corpus(212, 400), half=0)
    among = ppi_share([*people, *[-1] * 50], [*model, *[-1] * 50],
                      [*corpus(212, 400), *[-1] * 250], half=0)
    assert among["n"] == 80
    assert among["rest"] == 400
    # The corpus has as many outside as the calibration: 250 of 650, 50 of 130.
    assert among["share"] == pytest.approx(alone["share"], abs=0.002)
    assert among["se"] == pytest.approx(alone["se"], rel=0.02)


def test_nothing_inside_is_undefined():
    assert math.isnan(ppi_share([-1], [-1], [1, 0])["share"])
    assert math.isnan(ppi_share([1, 0], [1, 0], [-1, -1])["share"])
    assert items_needed([-1], [-1], [1]) == MINIMUM


def test_how_many_are_needed_is_what_brings_the_interval_there():
    people, model = spread([[30, 6], [3, 41]])
    rest = corpus(2100, 5000)
    n = items_needed(people, model, rest, 0.03)
    times = n / len(people)
    many = [p for p in people for _ in range(round(times * 10))]
    there = [m for m in model for _ in range(round(times * 10))]
    # Ten times what is needed leaves, of the calibration's part of the variance, a tenth.
    found, now = (ppi_share(p, m, rest, half=0) for p, m in ((many, there), (people, model)))
    assert found["high"] - found["low"] < 0.06 < now["high"] - now["low"]
    exact = [p for p in people for _ in range(math.ceil(times))]
    same = [m for m in model for _ in range(math.ceil(times))]
    reached = ppi_share(exact, same, rest)
    assert reached["high"] - reached["low"] <= 0.0601
    assert items_needed(people, model, corpus(40, 80), 0.005) is None
    # Tuned unless asked otherwise, which needs no more than the plain way.
    assert n == items_needed(people, model, rest, 0.03, tuned=True)
    assert n < items_needed(people, model, rest, 0.03, tuned=False)


labels = st.lists(st.tuples(st.sampled_from([1, 0]), st.sampled_from([1, 0])), min_size=5,
                  max_size=80)


@settings(max_examples=100, deadline=None)
@given(labels, st.lists(st.sampled_from([1, 0]), min_size=5, max_size=80))
def test_what_holds_for_any_labels(pairs, rest):
    people, model = map(list, zip(*pairs, strict=True))
    for tuned in (True, False):
        found = ppi_share(people, model, rest, tuned)
        assert 0 <= found["low"] <= found["share"] <= found["high"] <= 1
        assert 0 <= found["weight"] <= 1
        # The opposite share has the opposite interval.
        other = ppi_share(*([1 - c for c in codes] for codes in (people, model, rest)), tuned)
        assert other["share"] == pytest.approx(1 - found["share"], abs=1e-9)
        assert other["low"] == pytest.approx(1 - found["high"], abs=1e-9)
    # A model that never errs: the corpus's own share stands.
    perfect = ppi_share(people, people, rest, tuned=False, half=0)
    assert perfect["share"] == pytest.approx(np.mean(rest))
    assert confusion(people, model).sum() == len(pairs)


def test_a_corpus_of_a_few_dozen_is_not_taken_for_certain():
    """Known truth: 5 of 100 count, the model makes no error, 31 issues of the corpus."""
    random, held = np.random.default_rng(3), {True: 0, False: 0}
    for _ in range(300):
        people, rest = ((random.random(n) < p).astype(int) for n, p in ((65, 0.1), (31, 0.05)))
        for small in held:
            found = ppi_share(people, people, rest, tuned=False, small=small)
            held[small] += found["low"] <= 0.05 <= found["high"]
    assert held[True] / 300 >= 0.95
    assert held[False] / 300 < 0.9
