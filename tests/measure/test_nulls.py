"""Permutations against brute force on small tables, and against an independent computation."""

import itertools

import numpy as np
import pytest

from smallstudy import faults
from study.measure.contested import every_combination, one_at_a_time
from study.measure.nulls import covered_shares, frequent_null, shared_null, symptom_auc

SMALL = faults("""
    symptom | distributed_specific | n
    hang    | 1                    | 2
    hang    | 0                    | 1
    leak    | 1                    | 2
    crash   | 0                    | 1
""")


def brute(symptoms, k):
    """Others that share, for every way to choose which k faults are specific."""
    for chosen in itertools.combinations(range(len(symptoms)), k):
        mine = {symptoms[i] for i in chosen}
        yield sum(s in mine for i, s in enumerate(symptoms) if i not in chosen)


def test_shared_null_against_every_permutation():
    values = list(brute(["hang"] * 3 + ["leak"] * 2 + ["crash"], 4))
    found = shared_null(SMALL)["others"]
    assert (found["observed"], found["of"]) == (1, 2)
    assert found["mean"] == pytest.approx(np.mean(values), abs=0.03)
    assert found["p_fewer"] == pytest.approx(np.mean(np.array(values) <= 1), abs=0.02)


def test_shared_null_of_the_study(study):
    # An own script on the authors' workbooks: mean 67.5, p about .002; 21 of 32 symptoms.
    found = shared_null(study.faults)
    assert (found["others"]["observed"], found["specific"]["observed"]) == (64, 246)
    assert found["others"]["mean"] == pytest.approx(67.5, abs=0.05)
    assert 0.001 < found["others"]["p_fewer"] < 0.004
    assert found["symptoms"]["observed"] == 16
    assert found["symptoms"]["mean"] == pytest.approx(21, abs=0.5)


def test_frequent_null_of_the_study(study):
    # The same: 13 of 29 symptoms, 95 % 9.5 to 17, observed 25.
    found = frequent_null(study.faults, shuffles=300)
    assert (found["observed"], found["of"]) == (25, 29)
    assert found["mean"] == pytest.approx(13, abs=0.5)
    assert 9 <= found["null_low"] < found["null_high"] <= 17
    assert frequent_null(study.faults, shuffles=20) == frequent_null(study.faults, shuffles=20)


def test_covered_shares_by_hand():
    codes = np.array([0, 0, 0, 1, 1])
    matrix = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]], dtype=bool)
    assert covered_shares(codes, matrix, 1).tolist() == [2 / 3, 1.0]
    assert covered_shares(codes, matrix, 2).tolist() == [1.0, 1.0]


def test_auc(study):
    assert symptom_auc(study.faults)["auc"] == pytest.approx(0.86, abs=0.01)
    # Twenty times tenfold, as the sentence about it says.
    assert symptom_auc(study.faults) == symptom_auc(study.faults, repeats=20, folds=10)
    told = faults("symptom | distributed_specific | n\nhang | 1 | 50\nleak | 0 | 50")
    assert symptom_auc(told)["auc"] == 1
    same = faults("symptom | distributed_specific | n\nhang | 1 | 500\nhang | 0 | 500")
    assert symptom_auc(same)["auc"] == pytest.approx(0.5, abs=0.05)


def test_single_levels(study):
    table = one_at_a_time(study.faults, study.codebook)
    assert (~table["holds_half"]).sum() == 11  # counted apart from this package
    own = table[~table["in_margin"]]
    assert ((own["low"] < 0.4) | (own["high"] > 0.6)).all()
    names, every = every_combination(study.faults, study.codebook)
    assert every.shape == (2 ** len(names),)
    assert every.min() == pytest.approx(204 / 637)
    assert every.max() == pytest.approx(409 / 637)
