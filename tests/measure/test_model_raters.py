"""Model raters beside people: against the package's own kappa, and on planted errors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from study.measure.model_raters import (
    Share,
    _kappas,
    agreement,
    beyond_people,
    biases,
    category_shares,
    frequent,
    sides,
)


def rated(**raters):
    """A table of one facet: rater → labels of thread 0, 1, 2 …"""
    parts = [pd.DataFrame({"kind": list(labels)}, index=pd.MultiIndex.from_tuples(
        [("1", rater, f"t{i}", 1) for i in range(len(labels))],
        names=["round", "rater", "thread", "issue"])) for rater, labels in raters.items()]
    return pd.concat(parts)


letters = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2,
                   max_size=40)


@settings(max_examples=60, deadline=None)
@given(letters)
def test_weighted_kappa_is_kappa_of_the_threads_as_often(pairs):
    frame = pd.DataFrame({"thread": [f"t{i}" for i in range(len(pairs))],
                          "label_1": [a for a, _ in pairs], "label_2": [b for _, b in pairs],
                          "n": 1})
    at = {t: i for i, t in enumerate(frame["thread"])}
    weights = np.vstack([np.ones(len(pairs)), np.arange(len(pairs)) % 3])
    for row, found in zip(weights, _kappas(frame, at, weights), strict=True):
        again = frame.loc[frame.index.repeat(row.astype(int))]
        if len({*again["label_1"], *again["label_2"]}) > 1:
            expected = cohen_kappa_score(again["label_1"], again["label_2"])
            assert found == pytest.approx(expected, abs=1e-9)
        else:
            assert np.isnan(found)


def test_a_model_like_a_person_is_within_and_a_guesser_is_not():
    random = np.random.default_rng(3)
    true = random.choice(list("abcd"), 200)

    def rater(error):
        return np.where(random.random(200) < error, random.choice(list("abcd"), 200), true)

    table = rated(R1=rater(0.15), R2=rater(0.15), M1=rater(0.15), M2=rater(0.9))
    verdict = beyond_people(table, ["kind"], 500).set_index("model")["verdict"]
    assert verdict["M1"] == "no difference shown"
    assert verdict["M2"] == "less than people"


def test_wide_intervals_claim_no_agreement():
    few = rated(R1="abab", R2="abab", M1="abba")
    assert set(beyond_people(few, ["kind"], 200)["verdict"]) <= {"no difference shown",
                                                                "not to be told"}


def test_who_is_compared_with_whom():
    table = rated(R1="ab", R2="ab", adjudicated="ab", M1="ab", M2="aa")
    assert sides(table) == (["R1", "R2"], ["M1", "M2"], "adjudicated")
    made = agreement(table, ["kind"])
    assert made[["raters", "who"]].to_numpy().tolist() == [
        ["R1-R2", "people"], ["M1-R1", "model and people"], ["M1-R2", "model and people"],
        ["M2-R1", "model and people"], ["M2-R2", "model and people"],
        ["M1-adjudicated", "model and adjudicated"], ["M2-adjudicated", "model and adjudicated"],
        ["M1-M2", "models"]]


def test_bias_beyond_people():
    # People differ in 4 of 100 either way; M1 calls 30 of the 50 b an a, M2 as few as people.
    one, two = ["a"] * 50 + ["b"] * 50, ["b"] * 2 + ["a"] * 48 + ["a"] * 2 + ["b"] * 48
    table = rated(R1=one, R2=two, M1=["a"] * 80 + ["b"] * 20, M2=two)
    made = biases(table, [Share("a", "kind", lambda x: x == "a")], 500).set_index("model")
    assert made.loc["M1", "bias"] == pytest.approx(0.3)
    assert made.loc["M1", "verdict"] == "beyond people"
    assert made.loc["M2", "bias"] == 0
    assert made["between_people"].tolist() == [0, 0]
    more = rated(R1="aabb", R2="abbb", M1="aaab")
    one = biases(more, [Share("a", "kind", lambda x: x == "a")], 99).iloc[0]
    assert (one["people"], one["model_share"], one["bias"]) == (0.5, 0.75, 0.25)
    assert one["between_people"] == -0.25
    assert made.loc["M2", "verdict"] == "no bias shown"


def test_undecided_is_no_category():
    table = rated(R1="aabb", M1=["a", "undecided", "b", "missing"])
    row = agreement(table, ["kind"]).iloc[0]
    assert (row["n"], row["dropped"], row["po"]) == (2, 2, 1)
    assert frequent(table["kind"]) == ["a", "b"]
    assert [s.name for s in category_shares(table)] == ["kind: a", "kind: b"]
