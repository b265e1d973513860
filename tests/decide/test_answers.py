"""Values under one combination of decisions, on a small study counted by hand."""

import numpy as np
import pandas as pd
import pytest

from smallstudy import faults, study, table
from study.decide.answers import ANSWERS, mended, share_of
from study.decide.multiverse import read_in_several_ways
from study.decide.samples import Samples

SMALL = study(
    faults=faults("""
        platform       | distributed_specific | stage | symptom | fix_patterns              | n
        GitHub         | 1                    | run   | hang    | fix dependency version    | 6
        GitHub         | 0                    | run   | hang    | change hardware           | 2
        Stack Overflow | 0                    | start | leak    | change hardware           | 2
    """),
    agreement=table("agreement", """
        round | label_1   | label_2   | n
        1     | hang      | hang      | 20
        1     | hang      | leak      | 10
        1     | leak      | hang      | 20
        1     | leak      | leak      | 50
        2     | undecided | undecided | 3
        2     | undecided | hang      | 2
        2     | missing   | hang      | 1
    """))
CLAIMS = read_in_several_ways()


def value(name, **switched):
    claim = CLAIMS[name]
    inputs, answer = ANSWERS[claim.quantity]
    found = answer(*inputs(Samples(SMALL), claim.stated | {k.replace("_", " "): v
                                                           for k, v in switched.items()}))
    return found["value"], found["n"]


@pytest.mark.parametrize(("name", "switched", "expected"), [
    ("categories", {}, (2, 10)), ("categories", {"rare_symptoms": "left out at 2"}, (1, 8)),
    ("shared-symptoms", {}, (2 / 4, 4)),
    ("shared-symptoms", {"kind": "specific faults"}, (1, 6)),
    # hang: 8 of 8 with two patterns, leak has two faults only
    ("frequent-fixes", {}, (1, 1)), ("frequent-fixes", {"symptoms_judged": "all"}, (1, 2)),
    ("system-level", {"system_level": "narrow"}, (0.6, 10)),
    ("system-level", {"system_level": "broad", "several_patterns": "all"}, (1, 10)),
])
def test_value_counted_by_hand(name, switched, expected):
    assert value(name, **switched) == pytest.approx(expected)


def test_kappa_with_undecided_and_missing_labels():
    kappa, n = value("agreement")
    assert (round(kappa, 3), n) == (0.348, 100)  # Artstein and Poesio 2008
    assert value("agreement", undecided="as a category")[1] == 105
    # What one left open or blank disagrees with everything: 36 of 106 pairs differ.
    low, n = value("agreement", undecided="as disagreement")
    po = 70 / 106
    pe = (30 * 43 + 70 * 60) / 106**2  # hang and leak; left open by one is never met
    assert n == 106
    assert low == pytest.approx((po - pe) / (1 - pe))


def test_a_share_of_whole_issues_has_wilsons_interval():
    # Newcombe (1998), table I: 81 of 263, .2553 to .3662
    found = share_of(np.array([1.0, 0.0]), np.ones(2), np.array([81, 182]))
    assert (round(found["low"], 4), round(found["high"], 4)) == (0.2553, 0.3662)


def test_equal_weights_change_no_share_and_hardly_its_interval():
    hit, n = np.array([1.0, 0.0]), np.array([81, 182])
    plain, weighted = (share_of(hit, np.full(2, w), n) for w in (1.0, 0.5))
    assert weighted["value"] == pytest.approx(plain["value"])
    assert weighted["low"] == pytest.approx(plain["low"], abs=0.005)


def test_where_all_are_hit_the_interval_is_that_of_the_effective_number():
    # Weights 1 and 3 of ten issues each: (10 + 30)² / (10 + 90) = 16 issues' worth.
    found = share_of(np.ones(2), np.array([1.0, 3.0]), np.array([10, 10]))
    assert found == pytest.approx(share_of(np.ones(1), np.ones(1), np.array([16])) | {"n": 20})


def test_nothing_is_no_share():
    found = share_of(np.ones(0), np.ones(0), np.ones(0, int))
    assert pd.isna(found["value"])
    assert found["n"] == 0


def test_patterns_tied_are_taken_by_name():
    fixes = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0]])
    # First pattern twice, second twice: the first is taken.
    assert mended(np.zeros(4, int), fixes, np.ones(4), 1).tolist() == [0.5]
    assert mended(np.zeros(4, int), fixes, np.ones(4), 2).tolist() == [1]
