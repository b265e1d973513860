"""The test of a curve against a version by brute force, and on data without any relation."""

import dataclasses

import numpy as np
import pytest

from smallstudy import faults, study
from study.decide.curve_test import (
    NOT_TESTED,
    SHUFFLED,
    VALUES,
    curve_test,
    features,
    linked,
)
from study.decide.multiverse import multiverse, read_in_several_ways
from study.decide.samples import Samples

CLAIMS = read_in_several_ways()
FILED = faults("""
    frameworks | distributed_specific | stage | symptom | fix_patterns | issues_in_thread | n
    horovod    | 1                    | run   | hang    | b            | 2                | 4
    horovod    | 1                    | run   | hang    | a & b        | 1                | 2
    keras      | 0                    | run   | hang    | a            | 1                | 1
    keras      | 0                    | run   | leek    | c            | 1                | 1
    horovod    | 0                    | run   | leak    | c            | 1                | 3
    keras      | 1                    | start | crash   | a            | 3                | 2
    keras      | 0                    | start | crash   | d            | 1                | 5
    horovod    | 1                    | start | others  | d            | 1                | 1
""")
MENDED = FILED.assign(symptom=FILED["symptom"].replace("leek", "leak"),
                      fix_patterns=FILED["fix_patterns"].str.replace(" & ", ";"))
SMALL = study(faults=MENDED, faults_as_filed=FILED)


def shuffled_study(claim, order):
    """The small study one row a fault, with kinds or fix patterns dealt out anew."""
    column = "distributed_specific" if claim == "shared-symptoms" else "fix_patterns"
    tables = {}
    for name, rows in zip(("faults", "faults_as_filed"), linked(SMALL), strict=True):
        table = getattr(SMALL, name).iloc[rows].reset_index(drop=True).assign(n=1)
        table[column] = table[column].to_numpy()[order]
        tables[name] = table
    return study(**tables)


@pytest.mark.parametrize("claim", SHUFFLED)
def test_values_of_shuffles_are_those_of_a_study_whose_rows_are_shuffled(claim):
    own = multiverse(SMALL, [CLAIMS[claim]])
    readings = own[list(CLAIMS[claim].decisions)].to_dict("records")
    n = linked(SMALL).shape[1]
    rng = np.random.default_rng(7)
    orders = np.array([np.arange(n), *(rng.permutation(n) for _ in range(3))])
    kinds = SMALL.faults["distributed_specific"].to_numpy()[linked(SMALL)[0]] == 1
    found = VALUES[claim](Samples(SMALL), readings,
                          kinds[orders] if claim == "shared-symptoms" else orders)
    assert found[0] == pytest.approx(own["value"].to_numpy(), abs=1e-6, nan_ok=True)
    decisions = list(CLAIMS[claim].decisions)
    for order, values in zip(orders[1:], found[1:], strict=True):
        brute = multiverse(shuffled_study(claim, order), [CLAIMS[claim]])
        brute = dict(zip(brute[decisions].itertuples(index=False, name=None), brute["value"],
                         strict=True))
        known = [(v, brute[key]) for v, r in zip(values, readings, strict=True)
                 if (key := tuple(r.values())) in brute]
        assert len(known) > len(values) / 2  # a shuffle may make two readings one
        assert [v for v, _ in known] == pytest.approx([b for _, b in known], abs=1e-6,
                                                       nan_ok=True)


@pytest.mark.parametrize("claim", SHUFFLED)
def test_unshuffled_the_curve_is_the_committed_one(study, claim):
    own = multiverse(study, [CLAIMS[claim]])
    readings = own[list(CLAIMS[claim].decisions)].to_dict("records")
    rows = linked(study)
    kinds = study.faults["distributed_specific"].to_numpy()[rows[0]] == 1
    found = VALUES[claim](Samples(study), readings, kinds[None] if claim == "shared-symptoms"
                          else np.arange(len(kinds))[None])
    assert found[0] == pytest.approx(own["value"].to_numpy(), abs=1e-6)


def test_rows_are_linked_by_what_repairing_leaves_alone(study):
    one, two = linked(study)
    for table, rows in ((study.faults, one), (study.faults_as_filed, two)):
        assert np.bincount(rows).tolist() == table["n"].tolist()
    for column in ("platform", "frameworks", "distributed_specific", "stage", "round"):
        assert (study.faults[column].to_numpy()[one]
                == study.faults_as_filed[column].to_numpy()[two]).all()


def test_the_three_features_by_hand():
    values = np.array([[3.0, 1.0, 4.0], [0.0, 2.0, 1.0]])
    found = features(values, np.array([1.0, 1.0, 1.0]), np.array([0.5, 1.0, 0.0]))
    # z: 4, 0 and, where no shuffle moves anything, 0; then -2, 1, 0, of which neither sign leads.
    assert found["median"].tolist() == [2.0, 0.0]
    assert found["significant"].tolist() == pytest.approx([1 / 3, 0])
    assert found["mean z"].tolist() == pytest.approx([4 / 3, -1 / 3])


def test_a_relation_that_is_none_has_a_curve_like_any_other(study):
    rng = np.random.default_rng(3)
    rows = study.faults.iloc[linked(study)[0]].reset_index(drop=True).assign(n=1)
    for column in ("distributed_specific", "fix_patterns"):
        rows[column] = rng.permutation(rows[column].to_numpy())
    none = dataclasses.replace(study, faults=rows, faults_as_filed=rows)
    found = curve_test(none, multiverse(none, [CLAIMS[c] for c in SHUFFLED]), shuffles=99)
    assert (found["p"] > 0.05).all()
    assert found["p"].between(1 / 100, 1).all()


def test_each_claim_of_several_readings_is_tested_or_says_why_not():
    assert set(SHUFFLED) | set(NOT_TESTED) == set(CLAIMS)
    assert not set(SHUFFLED) & set(NOT_TESTED)


def test_nothing_to_shuffle():
    assert curve_test(study(), multiverse(study())).empty
