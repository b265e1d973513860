"""Tests of independence and effect sizes against values from outside."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats.contingency import association
from statsmodels.stats.multitest import multipletests

from smallstudy import empty, faults, few, study, table
from study.base.seeds import generator
from study.measure.contrasts import (
    COMPARISONS,
    comparison,
    comparisons,
    cramers_v,
    crosstab,
    holm,
    independence,
    issues,
    residuals,
)

# Agresti (2002), table 2.5 and its adjusted residuals: gender by party.
PARTY = pd.DataFrame([[762, 327, 468], [484, 239, 477]], index=["women", "men"],
                     columns=["democrat", "independent", "republican"])
# R, ?fisher.test: job satisfaction by income (Agresti 2002, p. 57).
JOB = pd.DataFrame([[1, 2, 1, 0], [3, 3, 6, 1], [10, 10, 14, 9], [6, 7, 12, 11]])


def test_crosstab_counted_by_hand_without_empty_rows_and_columns():
    found = crosstab(pd.DataFrame({"a": ["x", "y", "x", "x", "z"], "b": ["u", "v", "v", "u", "w"],
                                   "n": [2, 3, 1, 4, 0]}), "a", "b")
    assert found.to_numpy().tolist() == [[6, 1], [0, 3]]
    assert (found.index.tolist(), found.columns.tolist()) == (["x", "y"], ["u", "v"])


@pytest.mark.parametrize("blank", ["", None, float("nan")])
@pytest.mark.parametrize("column", ["a", "b"])
def test_crosstab_refuses_blanks(blank, column):
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "n": [2, 3]})
    frame.loc[1, column] = blank
    with pytest.raises(ValueError, match=f"column {column} has blank cells"):
        crosstab(frame, "a", "b")


def test_crosstab_of_nothing():
    assert crosstab(empty("faults"), "stage", "platform").shape == (0, 0)


@pytest.mark.parametrize(("counts", "v", "corrected"), [
    ([[53, 77], [65, 30]], 0.2734792, 0.2658),         # R DescTools, issue 18
    ([[20, 30], [35, 15]], 0.3015113, 0.285714),       # R rstatix, issue 293: .2814 is Yates
    ([[762, 327, 468], [484, 239, 477]], 0.1044358, 0.100920),  # R rstatix, issue 15
])
def test_cramers_v_as_r_prints_it(counts, v, corrected):
    plain, shrunk = cramers_v(np.array(counts))
    assert plain == pytest.approx(v, abs=5e-8)
    assert shrunk == pytest.approx(corrected, abs=2.5e-5)


def test_bergsma_2013_written_out():
    t = np.array([[12, 5, 0], [3, 9, 7], [1, 1, 4], [0, 2, 2]])
    n, (r, k) = t.sum(), t.shape
    expected = np.outer(t.sum(1), t.sum(0)) / n
    phi2 = ((t - expected) ** 2 / expected).sum() / n
    shrunk = max(0, phi2 - (r - 1) * (k - 1) / (n - 1))
    r2, k2 = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    assert cramers_v(t)[1] == pytest.approx((shrunk / min(r2 - 1, k2 - 1)) ** 0.5, abs=1e-12)


def test_a_stack_of_tables_is_each_of_them_and_empty_rows_add_nothing():
    one, two = np.array([[5, 1, 0], [2, 4, 0]]), np.array([[3, 3, 1], [0, 0, 0]])
    plain, corrected = cramers_v(np.stack([one, two]))
    assert plain.tolist() == [cramers_v(one[:, :2])[0], 0]
    assert corrected.tolist() == [cramers_v(one[:, :2])[1], 0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("counts", [np.zeros((2, 2)), [[1, 0], [0, 0]], [[1]], [[1, 0], [0, 1]]])
def test_tiny_tables_give_numbers(counts):
    plain, corrected = cramers_v(np.array(counts))
    assert 0 <= corrected <= plain <= 1


TABLES = st.tuples(st.integers(2, 5), st.integers(2, 5)).flatmap(lambda shape: st.lists(
    st.lists(st.integers(0, 30), min_size=shape[1], max_size=shape[1]),
    min_size=shape[0], max_size=shape[0])).map(np.array).filter(
        lambda t: (t.sum(0) > 0).all() and (t.sum(1) > 0).all())


@few
@given(TABLES)
def test_v_is_scipys_and_the_corrected_one_is_smaller(t):
    plain, corrected = cramers_v(t)
    assert plain == pytest.approx(association(t, method="cramer", correction=False), abs=1e-9)
    assert 0 <= corrected <= plain + 1e-12
    assert plain <= 1 + 1e-12
    turned = cramers_v(t[::-1].T)
    assert turned == pytest.approx((plain, corrected), abs=1e-9)


def test_chi_square_as_agresti_prints_it():
    found = independence(PARTY, "party")
    assert round(found["chi2"], 2) == 30.07
    assert (found["df"], found["method"], found["n"], found["small"]) == (2, "chi-square", 2757, 0)
    assert found["p"] == pytest.approx(np.exp(-30.0701 / 2), rel=1e-3)  # df 2: exp(-x/2)
    assert found["low"] < found["v_corrected"] < found["high"]


def test_residuals_as_agresti_prints_them():
    found = residuals(PARTY)
    by = found.set_index(["row", "column"])["residual"].round(2)
    assert by["women"].to_dict() == {"democrat": 4.50, "independent": 0.70, "republican": -5.32}
    assert (by["men"] == -by["women"]).all()
    assert found["residual"].abs().is_monotonic_decreasing
    assert found["p"].to_numpy() == pytest.approx(2 * norm.sf(found["residual"].abs()))


def test_residuals_keep_empty_cells_and_the_callers_table():
    # Haberman (1973) by hand: (5 - 4) / sqrt(4 * (1 - 5/10) * (1 - 8/10)), and so on.
    cells = pd.DataFrame([[5.0, 0.0], [3.0, 2.0]], index=["x", "y"], columns=["u", "v"])
    before = cells.copy()
    by = residuals(cells).set_index(["row", "column"])
    assert by.loc[("x", "u"), "residual"] == pytest.approx(1 / np.sqrt(0.4))
    assert by.loc[("x", "v"), ["n", "expected"]].tolist() == [0, 1]
    pd.testing.assert_frame_equal(cells, before)


def test_holm_as_r_p_adjust_prints_it():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx(
        [0.03, 0.06, 0.06, 0.02])
    found = residuals(PARTY)
    p = found["p"].sort_values().to_numpy()
    by_hand = np.minimum(1, np.maximum.accumulate(p * np.arange(len(p), 0, -1)))
    assert found["p_holm"].sort_values().to_numpy() == pytest.approx(by_hand)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("cells", [pd.DataFrame([[1, 2, 3]]), pd.DataFrame([[4], [1]]),
                                   pd.DataFrame(dtype=int)])
def test_fewer_than_two_rows_or_columns_is_a_reason_and_no_number(cells):
    found = independence(cells, "one")
    assert found["reason"] == "fewer than two rows or columns"
    assert found["p"] is found["v"] is found["low"] is None
    assert residuals(cells)[["residual", "p", "p_holm"]].isna().all(axis=None)


def test_monte_carlo_of_sparse_tables_lies_by_the_exact_p():
    # R prints p = .7827 for Fisher's exact test of this table; the chi-square one is .7434.
    found = independence(JOB, "job", resamples=9_999)
    assert found["method"] == "Monte Carlo"
    assert found["p"] == pytest.approx(0.7827, abs=0.03)
    # The same test another way: shuffle the columns of the 96 answers, see how often the
    # statistic is as large.
    rows = np.repeat(np.repeat(np.arange(4), 4), JOB.to_numpy().ravel())
    columns = np.repeat(np.tile(np.arange(4), 4), JOB.to_numpy().ravel())
    rng, expected = np.random.default_rng(0), np.outer(JOB.sum(axis=1), JOB.sum()) / 96
    drawn = np.array([np.bincount(rows * 4 + rng.permutation(columns), minlength=16)
                      for _ in range(4000)]).reshape(-1, 4, 4)
    larger = ((drawn - expected) ** 2 / expected).sum(axis=(1, 2)) >= found["chi2"] - 1e-9
    assert found["p"] == pytest.approx(larger.mean(), abs=0.03)
    # The eight expected counts of the first two rows are below 5.
    assert found["small"] == (expected < 5).mean() == 8 / 16
    assert independence(JOB, "job", resamples=9_999) == found
    assert independence(JOB, "another name", resamples=9_999)["p"] != found["p"]


def test_monte_carlo_p_is_never_nought():
    cells = pd.DataFrame([[30, 0, 0], [0, 2, 0], [0, 0, 2]])
    assert independence(cells, "clear", resamples=999)["p"] == 1 / 1000


def test_random_numbers_are_a_stream_a_name():
    draws = {name: tuple(generator(name).integers(2**62, size=4))
             for name in (*COMPARISONS, *(f"effect {n}" for n in COMPARISONS), "a", "b", "ab")}
    assert len(set(draws.values())) == len(draws)
    numbers = [x for draw in draws.values() for x in draw]
    assert len(set(numbers)) == len(numbers)
    assert tuple(generator("a").integers(2**62, size=4)) == draws["a"]
    assert tuple(generator("a", seed=2).integers(2**62, size=4)) != draws["a"]


SMALL = study(
    faults=faults("""
        platform       | frameworks    | distributed_specific | stage | symptom | n
        GitHub         | horovod       | 1                    | run   | hang    | 3
        GitHub         | keras;pytorch | 0                    | run   | leak    | 1
        Stack Overflow | keras         | 1                    | .     | hang    | 2
    """),
    questions=table("questions", """
        platform       | frameworks | topic | n
        Stack Overflow | keras      | usage | 5
    """))


def test_issues_name_their_blanks_and_several_frameworks():
    found = issues(SMALL)
    assert found["n"].sum() == 11
    assert found["framework"].tolist() == ["horovod", "several", "keras", "keras"]
    assert found["stage"].tolist()[:3] == ["run", "run", "(none)"]
    assert found["specific"].tolist()[:2] == ["distributed-specific", "not distributed-specific"]
    assert found["topic"].isna().tolist() == [True, True, True, False]


def test_comparison_counted_by_hand():
    found = comparison(SMALL, "issue type by platform")
    assert found.loc["fault"].to_dict() == {"GitHub": 4, "Stack Overflow": 2}
    assert found.loc["how-to question"].to_dict() == {"GitHub": 0, "Stack Overflow": 5}
    found = comparison(SMALL, "symptom by framework")
    assert found.to_numpy().tolist() == [[3, 2]], "the fault of two frameworks is left out"


def test_comparisons_of_a_study_with_one_of_everything_have_reasons():
    small = study(faults=faults("n\n4"))
    found = comparisons(small)
    assert found["comparison"].tolist() == list(COMPARISONS)
    assert (found["reason"] != "").all()
    assert found[["p", "p_holm", "v"]].isna().all(axis=None)


def test_the_committed_comparisons(study, lines):
    found = comparisons(study)
    pd.testing.assert_frame_equal(comparisons(study), found)
    row = found.set_index("comparison").loc["stage by platform"]
    cells = {}
    for r in lines("faults"):
        key = (r["stage"], r["platform"])
        cells[key] = cells.get(key, 0) + int(r["n"])
    stages, platforms = sorted({k[0] for k in cells}), sorted({k[1] for k in cells})
    total = sum(cells.values())
    chi2 = 0
    for s in stages:
        for p in platforms:
            e = (sum(v for k, v in cells.items() if k[0] == s)
                 * sum(v for k, v in cells.items() if k[1] == p) / total)
            chi2 += (cells.get((s, p), 0) - e) ** 2 / e
    assert row["chi2"] == pytest.approx(chi2)
    assert row["v"] == pytest.approx((chi2 / total) ** 0.5)
    assert round(row["v_corrected"], 4) == 0.1956
    known = found["p"].astype(float)
    assert found["p_holm"].to_numpy() == pytest.approx(multipletests(known, method="holm")[1])
    assert set(found["method"]) == {"chi-square", "Monte Carlo"}


def test_the_committed_comparisons_do_not_depend_on_the_order_of_rows(study):
    turned = dataclasses.replace(study, faults=study.faults.iloc[::-1],
                                 questions=study.questions.iloc[::-1])
    for name in COMPARISONS:
        pd.testing.assert_frame_equal(comparison(turned, name), comparison(study, name))


@few
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_that_of_statsmodels(p):
    assert holm(p).tolist() == pytest.approx(multipletests(p, method="holm")[1].tolist())
