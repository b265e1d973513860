"""Several raters, gaps and sets of labels, against published values and other libraries."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.measure.agreement import coefficients, square_table
from study.measure.alpha import alpha, count_matrix, distances, jaccard, masi
from study.measure.fleiss import fleiss

# Krippendorff 2011, data of section C: four observers, twelve units; "." is no rating.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
GAPS = [[None if r == "." else int(r) for r in unit] for unit in zip(*OBSERVERS, strict=True)]
# Fleiss 1971: thirty patients, six psychiatrists, five diagnoses.
DIAGNOSES = ["444444", "222555", "233335", "555555", "222444", "113333", "333355", "113334",
    "114444", "555555", "144444", "124444", "222333", "144444", "224445", "333335", "111455",
    "111112", "224444", "133555", "555555", "244444", "224555", "114444", "144445", "222224",
    "111155", "224444", "133333", "555555"]
# Hayes & Krippendorff 2007, page 84: forty units, five observers.
NEWS = ["112.2", "1101.", "2333.", ".00.0", "000.0", "000.0", "102.1", "1.20.", "222.2", "2111.",
    ".100.", "0000.", "1222.", "33223", "111.1", "111.1", "212.2", "1233.", "1101.", "000.0",
    "0011.", "00.00", "2333.", "0000.", "12.22", "0111.", "00010", "1212.", "1122.", "112.2",
    "110.0", "2121.", "22.22", "3222.", "222.2", "223.2", "222.2", "22.12", "2222.", "111.1"]
# Warrens 2010 after O'Malley et al. 2006: thirty cases, eight pathologists.
BREAST = (["NNNNNNNN"] * 14 + ["NNNANNNN", "NNNNNNNA"] + ["AAAAAAAA"] * 10
          + ["AANAAAAN"] * 2 + ["AANANAAN", "AANANANN"])
# R and Python irrCAC, distribution of six psychiatrists over fifteen patients.
SIX = np.array([[0, 0, 0, 0, 0, 2, 0, 2, 2, 0, 1, 1, 0, 1, 0],
                [0, 3, 1, 0, 3, 0, 0, 0, 0, 0, 0, 1, 3, 0, 2],
                [0, 0, 4, 0, 0, 4, 4, 3, 0, 0, 0, 0, 3, 0, 0],
                [6, 0, 0, 0, 3, 0, 0, 1, 4, 0, 5, 4, 0, 5, 3],
                [0, 3, 1, 6, 0, 0, 2, 0, 0, 6, 0, 0, 0, 0, 1]]).T
# Wikipedia's example of Fleiss' kappa: ten subjects, fourteen raters.
WIKIPEDIA = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
             [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
# dkpro-statistics, SetAnnotationsTest: nine pairs of sets of labels.
SETS = [("", ""), ("A", ""), ("A", "A"), ("A", "B"), ("AB", "A"), ("AB", "AC"), ("ABC", "ABC"),
        ("C", "AC"), ("C", "AC")]


def of(units, metric="nominal", values=None):
    return alpha(*count_matrix(units, values), metric=metric).value


def numbers(rows):
    return [[None if r == "." else int(r) for r in row] for row in rows]


@pytest.mark.parametrize(("units", "metric", "value", "digits"), [
    pytest.param(GAPS, "nominal", .743, 3, id="Krippendorff 2011 C nominal"),
    pytest.param(GAPS, "ordinal", .815, 3, id="Krippendorff 2011 C ordinal"),
    pytest.param(GAPS, "interval", .849, 3, id="Krippendorff 2011 C interval"),
    pytest.param(GAPS, "ratio", .797, 3, id="Krippendorff 2011 C ratio"),
    pytest.param(numbers(NEWS), "ordinal", .7598, 4, id="Hayes & Krippendorff 2007 ordinal"),
    pytest.param(numbers(NEWS), "nominal", .4765, 4, id="Hayes & Krippendorff 2007 nominal"),
    pytest.param(numbers(NEWS), "interval", .7574, 4, id="Hayes & Krippendorff 2007 interval"),
    pytest.param(numbers(NEWS), "ratio", .6621, 4, id="Hayes & Krippendorff 2007 ratio"),
    pytest.param(list(zip("0100000010", "1110010000", strict=True)), "nominal", .0952, 4,
                 id="Krippendorff 1980, two observers"),
    pytest.param(list(zip("aabbdcccedda", "babbbccceddd", strict=True)), "nominal", .692, 3,
                 id="Krippendorff 2011, twelve letters"),
    pytest.param(["111", "122", "222", "444", "144", "222", "123", "333", "222"],
                 "nominal", .642, 3,
                 id="Krippendorff 1980, three observers"),
    pytest.param(DIAGNOSES, "nominal", .433410, 6, id="Fleiss 1971"),
])
def test_published_alpha(units, metric, value, digits):
    assert of(units, metric) == pytest.approx(value, abs=.6 * 10.0**-digits)


def test_alpha_uses_what_kappa_must_drop():
    """Gwet's version of the twelve letters, with one rating of a unit missing."""
    units = [list(pair) for pair in zip("aabbdcccedda", "babbbccceddd", strict=True)]
    units[2][0] = None
    assert of(units) == pytest.approx(.664894, abs=6e-7)
    complete = [pair for pair in units if None not in pair]
    table = square_table(*zip(*complete, strict=True), "abcde")
    assert coefficients(table)[1].value == pytest.approx(.656250, abs=6e-7)


def test_alpha_of_the_distribution_of_six_raters():
    """R irrCAC, distrib.6raters."""
    assert alpha(SIX).value == pytest.approx(.4204384, abs=6e-8)


def test_set_valued_labels():
    """Distances of Passonneau 2006; dkpro's nine pairs with Jaccard and with 1 - J*M."""
    assert [round(masi(a, b), 4) for a, b in (("A", "AB"), ("AB", "BC"), ("AB", "ABCD"))] == [
        .6667, .8889, .6667]
    units = [(frozenset(a), frozenset(b)) for a, b in SETS]
    assert of(units, masi) == pytest.approx(.2731, abs=6e-5)
    assert of(units, "masi") == of(units, masi)
    assert of(units, "jaccard") == pytest.approx(.3156, abs=6e-5)


@pytest.mark.parametrize("distance", [jaccard, masi])
def test_empty_sets_are_defined(distance):
    assert distance(set(), set()) == 0
    assert distance(set(), {"a"}) == distance({"a"}, set()) == distance({"a"}, {"b"}) == 1


def test_fleiss_1971():
    """R irr: .4302445; kappa by category as recomputed, the paper's own within .005."""
    counts, _ = count_matrix(DIAGNOSES)
    whole, free, *single = fleiss(counts)
    assert whole.value == pytest.approx(.4302445, abs=6e-8)
    assert whole.po == pytest.approx(.5556, abs=6e-5)
    assert free.value == pytest.approx(.444444, abs=6e-7)
    assert [r.value for r in single] == pytest.approx([.245, .245, .520, .471, .566], abs=6e-4)
    assert [r.value for r in single] == pytest.approx([.248, .248, .517, .470, .565], abs=5e-3)


@pytest.mark.parametrize(("counts", "kappa", "free"), [
    pytest.param(WIKIPEDIA, .209931, .222527, id="Wikipedia"),
    pytest.param(SIX, .4139265, .4388889, id="R irrCAC distrib.6raters"),
    pytest.param([[3, 0], [2, 1], [1, 2], [0, 3]], .3333, .3333, id="Randolph 2005, 1"),
    pytest.param([[3, 0], [2, 1], [2, 1], [3, 0]], -.2, .3333, id="Randolph 2005, 2"),
    pytest.param([[7, 1], [3, 5]], .161905, .214286, id="Randolph's site, 1"),
    pytest.param([[6, 1, 0], [0, 7, 0]], .708333, .785714, id="Randolph's site, 2"),
    pytest.param(count_matrix(BREAST)[0], .8323, .8357, id="Warrens 2010"),
])
def test_published_fleiss_and_randolph(counts, kappa, free):
    whole, randolph = fleiss(counts)[:2]
    tight = 6e-5 if len(str(kappa)) < 8 else 6e-7
    assert whole.value == pytest.approx(kappa, abs=tight)
    assert randolph.value == pytest.approx(free, abs=tight)


def test_mean_of_pairwise_kappas():
    """Warrens 2010: Light's kappa of the same thirty cases."""
    columns = list(zip(*BREAST, strict=True))
    kappas = [coefficients(square_table(a, b, "AN"))[1].value
              for i, a in enumerate(columns) for b in columns[i + 1:]]
    assert np.mean(kappas) == pytest.approx(.8325, abs=1.1e-4)


def test_fleiss_leaves_incomplete_units_out_and_says_so():
    counts, _ = count_matrix(GAPS)
    whole = fleiss(counts)[0]
    assert (whole.n_used, whole.dropped) == (8, {"fewer than 4 ratings": 4})
    with pytest.raises(ValueError, match="4 ratings of 3 raters"):
        fleiss(counts, raters=3)


def test_alpha_counts_what_it_cannot_use():
    result = alpha(*count_matrix([*GAPS, [None] * 4]))
    assert (result.n_used, result.dropped) == (11, {"no rating": 1, "one rating only": 1})
    assert result.reason == "no interval asked for"


@pytest.mark.parametrize("units", [["aa", "aa"], [], [["a", None]], [[None]]])
def test_undefined_has_a_reason(units):
    result = alpha(*count_matrix(units, ["a", "b"]))
    assert result.value is None
    assert result.reason
    for result in fleiss(count_matrix(["aa", "aa"], ["a", "b"])[0]):
        assert result.value is None
        assert result.reason
    for counts in (np.zeros((0, 2)), [[1, 0], [0, 1]]):  # nothing, and one rating a unit
        assert fleiss(counts)[0].reason == "no unit was rated by all raters"


def test_a_category_at_distance_zero_is_not_agreement():
    result = alpha(*count_matrix(["ab", "aa"]), metric=np.zeros((2, 2)))
    assert result.value is None
    assert "distance 0" in result.reason


def test_labels_that_look_like_missing_values_are_labels():
    """krippendorff takes the string nan for a missing value; None alone is one here."""
    counts, values = count_matrix([["nan", "NA"], ["None", None], ["nan", "nan"]])
    assert values == ["NA", "None", "nan"]
    assert counts.sum() == 5


@pytest.mark.parametrize(("call", "message"), [
    (lambda: distances("ab", "euclid"), "unknown metric"),
    (lambda: distances("ab", [[0, 1]]), "shape"),
    (lambda: distances("ab", [[0, 1], [2, 0]]), "symmetric"),
    (lambda: distances("ab", lambda *_: 1.0), "0 on the diagonal"),
    (lambda: count_matrix(["ab"], ["a"]), "'b' is not among the values"),
    (lambda: alpha([[1, -1]]), "without negative"),
    (lambda: fleiss([[1, -1]]), "without negative"),
    (lambda: fleiss([[1, 0]], raters=1), "two raters"),
])
def test_wrong_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bootstrap_over_units():
    counts, values = count_matrix(DIAGNOSES)
    result = alpha(counts, values, resamples=2000, seed=1)
    assert result == alpha(counts, values, resamples=2000, seed=1)
    assert result.ci_low < result.value < result.ci_high
    # The standard error of an independent library for the same data (irrCAC: .0542).
    whole = fleiss(counts, resamples=4000, seed=1)[0]
    assert whole.se == pytest.approx(.0542, abs=.006)
    assert whole.ci_method == "percentile bootstrap over units (4000 resamples, seed 1)"


def test_bootstrap_of_alpha_is_alpha_of_the_resample():
    counts, values = count_matrix(GAPS)
    kept = counts[counts.sum(1) > 1]
    rng = np.random.default_rng(7)
    picked = rng.integers(0, len(kept), (300, len(kept)))
    slow = [alpha(kept[i], values).value for i in picked]
    slow = [v for v in slow if v is not None]
    fast = alpha(counts, values, resamples=300, seed=7)
    assert (fast.ci_low, fast.ci_high) == pytest.approx(np.quantile(slow, [.025, .975]))


def test_too_many_undefined_resamples_forbid_the_interval():
    result = alpha(*count_matrix(["aa"] * 20 + ["ab"]), resamples=500, seed=1)
    assert result.ci_low is None
    assert result.reason.startswith("no interval: undefined in")


def random_units(seed):
    rng = np.random.default_rng(seed)
    raters, units, q = rng.integers(2, 6), rng.integers(4, 40), rng.integers(2, 7)
    truth = rng.integers(0, q, units)
    ratings = np.where(rng.random((units, raters)) < .6, truth[:, None],
                       rng.integers(0, q, (units, raters))).astype(float)
    ratings[rng.random((units, raters)) < .15] = np.nan
    ratings[0, :2], ratings[1, :2] = [0, 1], [1, 1]  # at least two values in pairable units
    return ratings


@pytest.mark.parametrize("seed", range(200))
def test_same_as_krippendorff(seed):
    other = pytest.importorskip("krippendorff")
    ratings = random_units(seed)
    units = [[None if math.isnan(r) else int(r) for r in unit] for unit in ratings]
    for metric in ("nominal", "ordinal", "interval", "ratio"):
        assert of(units, metric) == pytest.approx(
            other.alpha(ratings.T, level_of_measurement=metric), abs=1e-9), metric


@pytest.mark.parametrize("seed", range(200))
def test_same_as_nltk_on_sets(seed):
    nltk = pytest.importorskip("nltk.metrics")
    task = pytest.importorskip("nltk.metrics.agreement").AnnotationTask
    ratings = random_units(seed)
    names = [frozenset("a"), frozenset("ab"), frozenset("bc"), frozenset("abd"), frozenset("d"),
             frozenset("abcd"), frozenset("c")]
    units = [[None if math.isnan(r) else names[int(r)] for r in unit] for unit in ratings]
    triples = [(str(rater), str(i), label) for i, unit in enumerate(units)
               for rater, label in enumerate(unit) if label is not None]
    for metric in ("jaccard", "masi"):
        theirs = task(triples, distance=getattr(nltk, metric + "_distance")).alpha()
        assert of(units, metric) == pytest.approx(theirs, abs=1e-9), metric


@settings(deadline=None, max_examples=100)
@given(st.lists(st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=2, max_size=4),
                min_size=1, max_size=20))
def test_properties(units):
    counts, values = count_matrix(units, ["a", "b", "c"])
    result = alpha(counts, values)
    assert (result.value is None) <= bool(result.reason)
    if result.value is not None:
        assert math.isfinite(result.value)
        assert result.value <= 1 + 1e-12
        # Order of units, of raters and of categories, and an unused category, mean nothing.
        turned = [list(reversed(unit)) for unit in reversed(units)]
        assert of(turned, values=list("zcab")) == pytest.approx(result.value, abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=20), st.integers(2, 5))
def test_perfect_agreement_is_one(labels, raters):
    counts, values = count_matrix([[label] * raters for label in labels])
    if len(values) > 1:
        assert alpha(counts, values).value == pytest.approx(1)
        assert fleiss(counts)[0].value == pytest.approx(1)
    else:
        assert alpha(counts, values).value is None


def test_alpha_of_two_complete_raters_is_the_one_of_the_table():
    first, second = "aabbdcccedda", "babbbccceddd"
    table = {r.coefficient: r for r in coefficients(square_table(first, second, "abcde"))}
    assert of(list(zip(first, second, strict=True))) == pytest.approx(table["alpha"].value)
