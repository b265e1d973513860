"""Bootstrap: the fast way is the slow way, and says what it resampled."""

import numpy as np
import pytest

from study.measure.agreement import coefficients, square_table
from study.measure.bootstrap import bootstrap, bootstrap_threads, resampled_sums

TABLE = [[18, 4, 0, 13], [0, 38, 0, 12], [0, 0, 16, 3], [2, 2, 4, 92]]


def by_name(results):
    return {r.coefficient: r for r in results}


def interval(result):
    return result.ci_low, result.ci_high


def test_same_values_as_a_loop_over_rows():
    """Each resample's kappa is that of scikit-learn on the rows drawn."""
    metrics = pytest.importorskip("sklearn.metrics")
    table = np.array([[9, 2, 1], [1, 8, 0], [2, 0, 7]])
    sides = np.indices(table.shape).reshape(2, -1)
    first, second = (np.repeat(side, table.ravel()) for side in sides)
    rng = np.random.default_rng(5)
    picked = rng.integers(0, len(first), (400, len(first)))
    kappas = [metrics.cohen_kappa_score(first[i], second[i]) for i in picked]
    kappa = by_name(bootstrap(table, resamples=400, seed=5))["kappa"]
    assert interval(kappa) == pytest.approx(np.quantile(kappas, [.025, .975]), abs=1e-12)
    assert kappa.se == pytest.approx(np.std(kappas, ddof=1), abs=1e-12)


def test_interval_is_near_the_asymptotic_one():
    drawn, normal = by_name(bootstrap(TABLE, seed=3)), by_name(coefficients(TABLE))
    for name in ("po", "kappa", "pi", "S", "AC1", "alpha"):
        assert drawn[name].value == normal[name].value
        assert interval(drawn[name]) == pytest.approx(interval(normal[name]), abs=.015), name
        assert drawn[name].ci_method == "percentile bootstrap over issues (10000 resamples, seed 3)"
    assert drawn["kappa_max"].ci_low is None


def test_same_seed_same_interval_and_other_seed_another():
    assert bootstrap(TABLE, 500, seed=1) == bootstrap(TABLE, 500, seed=1)
    assert bootstrap(TABLE, 500, seed=1) != bootstrap(TABLE, 500, seed=2)


@pytest.mark.parametrize("counts", [[1, 1, 1], [5, 0, 3], [4000, 3000]])
def test_draws_sum_to_n_and_have_the_right_mean(counts):
    counts = np.array(counts)
    drawn = resampled_sums(counts, np.eye(len(counts)), 4000, seed=2)
    assert drawn.shape == (4000, len(counts))
    assert (drawn.sum(1) == counts.sum()).all()
    error = np.sqrt(counts / 4000)
    assert (abs(drawn.mean(0) - counts) <= 5 * error).all()


def test_large_table_takes_the_multinomial_way():
    small = by_name(bootstrap(TABLE, 4000, seed=1))["kappa"]
    large = by_name(bootstrap(1000 * np.array(TABLE), 4000, seed=1))["kappa"]
    ratio = (small.ci_high - small.ci_low) / (large.ci_high - large.ci_low)
    assert ratio == pytest.approx(np.sqrt(1000), rel=.1)


def test_categories_seen_are_resampled_too():
    table = np.zeros((6, 6), int)
    table[:2, :2] = [[40, 9], [6, 45]]
    found = by_name(bootstrap(table, 1000, seed=1))
    narrow = by_name(bootstrap([[40, 9], [6, 45]], 1000, seed=1))
    assert interval(found["S_seen"]) == interval(narrow["S"])
    assert interval(found["kappa"]) == interval(narrow["kappa"])
    assert interval(found["S"]) != interval(narrow["S"])


def test_undefined_resamples_are_counted_or_forbid_the_interval():
    rare = by_name(bootstrap([[28, 1], [1, 0]], 2000, seed=1))["kappa"]
    assert rare.value is not None
    assert (rare.ci_low, rare.se, rare.ci_method) == (None, None, "")
    assert rare.reason.startswith("no interval: undefined in")
    few = by_name(bootstrap([[30, 2], [1, 1]], 2000, seed=1))["kappa"]
    assert few.ci_low is not None
    assert few.ci_method.endswith("undefined ones left out")
    one = by_name(bootstrap([[30, 0], [0, 0]], 100, seed=1))["kappa"]
    assert one.value is None
    assert "one category" in one.reason


def test_threads_of_one_issue_are_issues():
    first, second = "aabbabab" * 10, "abbbabaa" * 10
    rows = by_name(bootstrap_threads(first, second, range(80), "ab", 4000, seed=4))["kappa"]
    counts = by_name(bootstrap(square_table(first, second, "ab"), 4000, seed=4))["kappa"]
    assert rows.value == counts.value
    assert interval(rows) == pytest.approx(interval(counts), abs=.03)
    assert rows.ci_method.startswith("percentile bootstrap over threads (80 threads, 4000")


def test_repeated_issues_of_a_thread_widen_the_interval():
    first, second = "aabbabab" * 10, "abbbabaa" * 10
    once = by_name(bootstrap_threads(first, second, range(80), "ab", 4000, seed=4))["kappa"]
    fourfold = by_name(bootstrap_threads(first * 4, second * 4, list(range(80)) * 4, "ab", 4000,
                                         seed=4))["kappa"]
    assert fourfold.value == pytest.approx(once.value)
    assert interval(fourfold) == pytest.approx(interval(once))
    wrong = by_name(bootstrap(square_table(first * 4, second * 4, "ab"), 4000, seed=4))["kappa"]
    assert wrong.ci_high - wrong.ci_low < .6 * (once.ci_high - once.ci_low)


def test_wrong_input_and_nothing_to_draw():
    with pytest.raises(ValueError, match="at least 1"):
        bootstrap(TABLE, 0)
    with pytest.raises(ValueError, match="1 threads for 2 issues"):
        bootstrap_threads("ab", "ab", [1], "ab")
    assert {r.value for r in bootstrap([[0, 0], [0, 0]], 10)} == {None}
    assert {r.value for r in bootstrap_threads("", "", [], "ab", 10)} == {None}
