"""Kappa from the table of pairs, against values from outside."""

import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from study.kappa import kappa_table
from study.tables import load_study


def pairs(rows, **more):
    table = pd.DataFrame(rows, columns=["label_1", "label_2", "n"])
    return table.assign(**{"round": "1", "facet": "stage", "reading": "repaired",
                           "scope": "agreed", **more})


def test_cohens_own_example():
    # Cohen (1960), table 1, in per cent of 200: kappa .492 (given as .49); Fleiss, Cohen &
    # Everitt's standard error makes the interval.
    square = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    rows = [("ABC"[i], "ABC"[j], n) for i, line in enumerate(square) for j, n in enumerate(line)]
    found = kappa_table(pairs(rows)).iloc[0]
    assert found["kappa"] == pytest.approx(0.492, abs=5e-4)
    assert found["n"] == 200
    assert found["low"] < 0.492 < found["high"]


def test_labels_only_one_rater_used_do_not_shift_the_table():
    # aabbcc against aabbdd: kappa 4/7; a crosstab of unequal label sets would give 1.
    found = kappa_table(pairs([("a", "a", 2), ("b", "b", 2), ("c", "d", 2)])).iloc[0]
    assert found["kappa"] == pytest.approx(4 / 7)


def test_missing_and_undecided_pairs_are_dropped_and_counted():
    rows = [("a", "a", 3), ("b", "b", 2), ("a", "b", 1)]
    extra = [("missing", "missing", 9), ("undecided", "a", 4)]
    plain, more = kappa_table(pairs(rows)).iloc[0], kappa_table(pairs(rows + extra)).iloc[0]
    assert (plain["n"], plain["dropped"], more["n"], more["dropped"]) == (6, 0, 6, 13)
    assert plain["kappa"] == more["kappa"]


@pytest.mark.parametrize(("rows", "reason"), [
    ([("a", "a", 5)], "both raters used one label only"),
    ([("missing", "a", 5)], "no pairs"),
])
def test_undefined_kappa_has_a_reason(rows, reason):
    found = kappa_table(pairs(rows)).iloc[0]
    assert pd.isna(found["kappa"])
    assert pd.isna(found["low"])
    assert found["reason"] == reason


def test_intervals_end_at_one():
    assert kappa_table(pairs([("a", "a", 9), ("b", "b", 9), ("a", "b", 1)]))["high"].max() == 1


def test_issue_type_is_measured_on_all_pairs():
    table = kappa_table(load_study().agreement)
    assert set(table.loc[table["facet"] == "issue_type", "scope"]) == {"all"}
    assert set(table.loc[table["facet"] != "issue_type", "scope"]) == {"agreed"}


def test_every_kappa_equals_scikit_learns():
    agreement = load_study().agreement
    for row in kappa_table(agreement).itertuples():
        own = agreement[(agreement["round"] == row.round) & (agreement["facet"] == row.facet)
                        & (agreement["reading"] == row.reading) & (agreement["scope"] == row.scope)]
        own = own[~own[["label_1", "label_2"]].isin(["missing", "undecided"]).any(axis=1)]
        expected = cohen_kappa_score(own["label_1"], own["label_2"], sample_weight=own["n"])
        assert row.kappa == pytest.approx(expected)
