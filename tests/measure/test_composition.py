"""Shares by framework and platform: hand-computed post-stratification, and recomputed counts."""

import numpy as np
import pandas as pd
import pytest

from smallstudy import faults, table
from study.measure.composition import ALIKE, LISTED, composition, weights
from study.measure.intervals import weighted_share

SMALL = faults("""
    platform | frameworks | fix_patterns | n
    GitHub   | a          | x            | 3
    GitHub   | a          | y            | 1
    GitHub   | b          | x            | 1
    GitHub   | b          | y            | 1
""")


def test_post_stratification_by_hand():
    # 40 candidates of a for 4 threads, 60 of b for 2: weights 10 and 30.
    listed = table("collection", """
        platform | frameworks | candidates | threads
        GitHub   | a          | 40         | 4
        GitHub   | b          | 60         | 2
    """)
    weight = weights(SMALL, listed)
    assert weight.tolist() == [10, 10, 30, 30]
    hit = (SMALL["fix_patterns"] == "x").to_numpy(float)
    # (40 · 3/4 + 60 · 1/2) / 100
    found = weighted_share(hit, weight.to_numpy(), SMALL["n"].to_numpy())
    assert found["share"] == pytest.approx(0.6)


def test_frameworks_alike_is_the_mean_of_their_shares():
    hit = (SMALL["fix_patterns"] == "x").to_numpy(float)
    found = weighted_share(hit, weights(SMALL).to_numpy(), SMALL["n"].to_numpy())
    assert found["share"] == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_equal_weights_have_the_variance_of_a_binomial():
    found = weighted_share(np.array([1.0, 0.0]), np.ones(2), np.array([300, 700]))
    reach = 1.959964 * np.sqrt(0.3 * 0.7 / 1000) / (0.3 * 0.7)
    assert found["high"] == pytest.approx(1 / (1 + np.exp(-(np.log(3 / 7) + reach))), abs=1e-6)
    assert np.isnan(weighted_share(np.ones(1), np.ones(1), np.array([5]))["low"])


def test_an_issue_of_two_frameworks_counts_by_halves():
    both = pd.DataFrame({"frameworks": ["a;b", "a"], "n": [2, 1]})
    # a holds 1 + 1, b holds 1: the first row weighs 1/2 · 1/2 + 1/2 · 1.
    assert weights(both).tolist() == pytest.approx([0.75, 0.5])


# Counted apart from this package, on the authors' workbooks.
@pytest.mark.parametrize(("quantity", "sample", "n", "of"), [
    ("system-level", "all", 336, 637), ("system-level", "horovod", 234, 321),
    ("system-level", "without horovod", 102, 316), ("shared-symptoms", "all", 64, 68),
    ("frequent-fixes", "all", 25, 29), ("stage: package build & import", "horovod", 75, 321),
    ("stage: package build & import", "all", 82, 637),
    ("topic: communication", "without horovod", 57, 265),
    ("topic: parallelization", "without horovod", 57, 265)])
def test_reference_counts(every, quantity, sample, n, of):
    assert every.loc[(quantity, sample), ["n", "of"]].tolist() == [n, of]


def test_reference_shares(every):
    share = every["share"]["system-level"]
    assert round(share["horovod"], 3) == 0.729
    assert every.loc[("system-level", "without horovod"), ["low", "high"]].round(3).tolist() == [
        0.274, 0.376]
    four = [share[f] for f in ("horovod", "keras", "pytorch", "tensorflow")]
    assert share[ALIKE] == pytest.approx(np.mean(four), abs=0.01)  # three faults have two
    assert share["keras"] < share[LISTED] < share["horovod"]


@pytest.fixture(scope="module")
def every(study):
    return composition(study).set_index(["quantity", "sample"])
