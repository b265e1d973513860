"""Two raters: every coefficient against published tables and independent libraries.

Each row of WORKED names the publication its table and figures come from; figures are to
the digits printed there.
"""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.contingency_tables import SquareTable

from study.measure.agreement import COEFFICIENTS, coefficients, square_table, table_from_counts
from study.measure.per_category import confusions, indices, per_category, systematic
from study.measure.results import Result, change, clip, scale_word
from study.measure.weighted import step_distance, tree_distance, weighted_alpha, weighted_kappa

SHARED = Path(__file__).resolve().parents[3] / "shared"
REFERENCES = SHARED / "fixtures" / "reference_tables_2raters.json"
CODEBOOK = ["concurrency", "memory", "other", "semantic"]
ACCEPTANCE = [[18, 4, 0, 13], [0, 38, 0, 12], [0, 0, 16, 3], [2, 2, 4, 92]]

# R irr, data set anxiety, raters 2 and 3: twenty people on a scale of 1 to 6.
ANXIETY = ([3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4],
           [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2])


def by_name(table, **options):
    return {r.coefficient: r for r in coefficients(table, **options)}


def references():
    if not REFERENCES.exists():
        return [pytest.param(None, marks=pytest.mark.skip("../shared is absent"))]
    return [pytest.param(e, id=e["id"]) for e in json.loads(REFERENCES.read_text("utf-8"))]


@pytest.mark.parametrize("entry", references())
def test_reference_table(entry):
    """The 19 tables of the shared reference file: all published, all recomputed values."""
    found = by_name(entry["table"], interval="normal")
    kappa = found["kappa"]
    names = {"po": "po", "kappa": "kappa", "pi": "pi", "alpha": "alpha", "AC1": "AC1", "S": "S",
             "kmax": "kappa_max"}
    computed = entry["computed"]
    for name, ours in names.items():
        assert found[ours].value == pytest.approx(computed[name], abs=6e-7), name
    assert kappa.n_used == computed["n"]
    assert kappa.se == pytest.approx(computed["kappa_se"], abs=6e-8)
    low, high, clipped = clip(*computed["ci_z"])
    assert (kappa.ci_low, kappa.ci_high) == pytest.approx((low, high), abs=6e-6)
    assert kappa.clipped is clipped
    checked = 0
    for name, value in entry["published"].items():
        coefficient, _, what = name.partition("_")
        if name == "kappa_max":
            ours = found["kappa_max"].value
        elif name in ("ci", "ASE"):
            ours = kappa.se if name == "ASE" else (kappa.ci_low, kappa.ci_high)
        elif what == "se":
            ours = found[coefficient].se
        elif name in names:
            ours = found[name].value
        else:
            continue
        digits = len(str(np.atleast_1d(value)[0]).partition(".")[2])
        assert ours == pytest.approx(value, abs=0.6 * 10.0 ** -max(digits, 2)), name
        checked += 1
    assert checked or not entry["published"]


WORKED = [
    ("Cohen 1960, first table", [[88, 14, 18], [10, 40, 10], [2, 6, 12]],
     {"po": .70, "kappa": .492, "kappa_max": .831, "pi": .487179, "alpha": .488462,
      "AC1": .5760, "S": .55}),
    ("Cohen 1960, second table", [[25, 12, 3], [13, 2, 15], [12, 16, 2]],
     {"po": .29, "kappa": -.092308, "kappa_max": .846154, "alpha": -.095271, "AC1": -.0480}),
    ("Agresti 1992 after Landis & Koch 1977",
     [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]], {"kappa": .493}),
    ("R irrCAC, three abstractors' categories", [[13, 0, 0], [0, 20, 7], [0, 4, 56]],
     {"po": .89, "kappa": .7964094, "pi": .7962397, "AC1": .8493305, "S": .835, "alpha": .7972585}),
    ("Python irrCAC's tests, four diagnoses",
     [[40, 6, 4, 15], [4, 25, 1, 5], [4, 2, 21, 9], [17, 13, 12, 45]],
     {"po": .587, "kappa": .432, "S": .450, "pi": .430, "AC1": .456158, "alpha": .431618}),
    ("Feinstein & Cicchetti 1990, A", [[40, 9], [6, 45]],
     {"po": .85, "kappa": .699519, "S": .70, "AC1": .700748}),
    ("Feinstein & Cicchetti 1990, B", [[80, 10], [5, 5]],
     {"po": .85, "kappa": .318182, "S": .70, "AC1": .808}),
    ("Artstein & Poesio 2008, two categories", [[20, 10], [20, 50]],
     {"S": .400, "pi": .340659, "kappa": .347826}),
    ("Artstein & Poesio 2008, three categories", [[46, 0, 0], [6, 32, 6], [0, 0, 10]],
     {"po": .88, "S": .82, "pi": .79953, "kappa": .8013, "alpha": .800535}),
    ("Gwet 2008", [[8, 1], [0, 1]], {"po": .9, "AC1": .8658, "pi": .6078, "kappa": .615385}),
    ("Brennan & Prediger 1981, first", [[50, 0, 0], [10, 10, 10], [20, 0, 0]],
     {"kappa": .272727, "S": .40}),
    ("Brennan & Prediger 1981, second", [[50, 0, 10], [0, 10, 10], [10, 10, 0]],
     {"kappa": .285714, "S": .40}),
    ("Zwick 1988, 1", [[20, 0, 0, 5], [0, 10, 15, 0], [0, 15, 10, 0], [5, 0, 0, 20]],
     {"S": .466667, "pi": .466667, "kappa": .466667}),
    ("Zwick 1988, 2", [[20, 10, 10, 0], [10, 10, 0, 0], [10, 0, 10, 0], [0, 0, 0, 20]],
     {"S": .466667, "pi": .444444, "kappa": .444444}),
    ("Zwick 1988, 3", [[20, 5, 5, 10], [0, 10, 5, 5], [0, 5, 10, 5], [0, 0, 0, 20]],
     {"S": .466667, "pi": .459459, "kappa": .473684}),
    ("Gerstman, illustrative example 10.1", [[1467, 782], [1309, 16232]],
     {"po": .8943, "kappa": .524130}),
    ("Fleiss, Cohen & Everitt 1969", [[106, 10, 4], [22, 28, 10], [2, 12, 6]],
     {"kappa": .428571}),
    ("Stata's mammograms", [[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]],
     {"po": .635294, "kappa": .472789}),
    ("a double-labelled sample of 204 bugs", ACCEPTANCE,
     {"po": .804, "kappa": .690, "kappa_max": .837, "S": .739, "AC1": .752, "alpha": .689}),
    ("rare positives: AC1 high, kappa below 0", [[118, 5], [2, 0]], {"AC1": .941, "kappa": -.023}),
    ("Krippendorff 1980: 0100000010 / 1110010000", [[5, 3], [1, 1]],
     {"alpha": .0952, "kappa": .0909}),
]


@pytest.mark.parametrize(("table", "expected"), [pytest.param(t, e, id=i) for i, t, e in WORKED])
def test_worked_value(table, expected):
    found = by_name(table)
    for name, value in expected.items():
        digits = len(str(value).partition(".")[2])
        assert found[name].value == pytest.approx(value, abs=0.6 * 10.0 ** -max(digits, 2)), name


def test_standard_errors_of_r_irrcac():
    """R irrCAC README, cont3x3abstractors."""
    found = by_name([[13, 0, 0], [0, 20, 7], [0, 4, 56]], interval="normal")
    printed = {"kappa": .05891072, "pi": .05905473, "AC1": .04321747, "S": .04693346,
               "alpha": .05905473,
                   "po": .03128898}
    for name, value in printed.items():
        assert found[name].se == pytest.approx(value, abs=6e-9), name
    feinstein = by_name([[80, 10], [5, 5]], interval="normal")
    assert feinstein["AC1"].se == pytest.approx(.052129, abs=6e-7)
    diagnosis = [[40, 6, 4, 15], [4, 25, 1, 5], [4, 2, 21, 9], [17, 13, 12, 45]]
    found = by_name(diagnosis, interval="normal")
    assert found["AC1"].se == pytest.approx(.043450, abs=6e-7)
    assert found["S"].se == pytest.approx(.044, abs=6e-4)


def test_alpha_of_the_twelve_letters():
    """Krippendorff 2011: aabbdcccedda / babbbccceddd."""
    found = by_name(square_table("aabbdcccedda", "babbbccceddd", "abcde"))
    assert found["alpha"].value == pytest.approx(.692, abs=6e-4)
    assert found["kappa"].value == pytest.approx(.6842, abs=6e-5)


@pytest.mark.parametrize(("table", "distance", "value", "error"), [
    pytest.param([[0, 4, 1], [0, 8, 0], [0, 1, 5]], step_distance(3), .4701, .1457, id="SAS"),
    pytest.param(np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]]),
                 [[0, 1, 3], [1, 0, 6], [3, 6, 0]], .348, .0755, id="Cohen 1968, symmetric"),
    pytest.param(np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]]),
                 [[0, 1, 4], [1, 0, 6], [2, 2, 0]], .353, None, id="Cohen 1968, asymmetric"),
    pytest.param([[106, 10, 4], [22, 28, 10], [2, 12, 6]],
                 1 - np.array([[1, 0, .4444], [0, 1, .6667], [.4444, .6667, 1]]), .5071,
                 math.sqrt(.003248), id="Fleiss, Cohen & Everitt 1969"),
    pytest.param([[46, 0, 0], [6, 32, 6], [0, 0, 10]],
                 [[0, 1, .5], [1, 0, .5], [.5, .5, 0]], .8163, None, id="Artstein & Poesio"),
])
def test_weighted_kappa(table, distance, value, error):
    result = weighted_kappa(table, distance)
    assert result.value == pytest.approx(value, abs=6e-4 if value < .4 else 6e-5)
    if error:
        assert result.se == pytest.approx(error, abs=6e-5)


def test_cohen_1968_table_is_the_one_of_1960_in_shares():
    shares = np.array([[.44, .07, .09], [.05, .20, .05], [.01, .03, .06]])
    table = np.rint(200 * shares)
    assert weighted_kappa(table, [[0, 1, 3], [1, 0, 6], [3, 6, 0]]).value == pytest.approx(
        .3478, abs=6e-5)
    assert weighted_kappa(table, [[0, 1, 4], [1, 0, 6], [2, 2, 0]]).value == pytest.approx(
        .3534, abs=6e-5)


def test_anxiety_ratings_with_and_without_the_unused_level():
    """R irr, anxiety, raters 2 and 3: its weighted kappa drops the unused level 5 first."""
    table = square_table(*ANXIETY, [1, 2, 3, 4, 6])
    assert by_name(table)["kappa"].value == pytest.approx(-.006289308, abs=6e-10)
    assert weighted_kappa(table, step_distance(5)).value == pytest.approx(.1459075, abs=6e-8)
    assert weighted_kappa(table, step_distance(5, 2)).value == pytest.approx(.2520325, abs=6e-8)
    whole = square_table(*ANXIETY, [1, 2, 3, 4, 5, 6])
    assert by_name(whole)["kappa"].value == pytest.approx(-.006289308, abs=6e-10)
    assert weighted_kappa(whole, step_distance(6)).value == pytest.approx(.1262136, abs=6e-8)


def test_weighted_alpha_of_artstein_and_poesio():
    result = weighted_alpha([[46, 0, 0], [6, 32, 6], [0, 0, 10]],
                            [[0, 1, .5], [1, 0, .5], [.5, .5, 0]])
    assert result.value == pytest.approx(.8156, abs=6e-5)


def test_tree_weights_lie_between_leaf_and_group():
    table = np.array([[10, 5, 1], [4, 8, 1], [1, 0, 9]])
    distance = tree_distance(["a", "b", "c"], {"a": "x", "b": "x", "c": "y"})
    half = weighted_kappa(table, distance).value
    leaf = by_name(table)["kappa"].value
    group = by_name([[27, 2], [1, 9]])["kappa"].value
    assert leaf < half < group
    assert weighted_kappa(table, tree_distance(["a", "b", "c"], {})).value == pytest.approx(leaf)
    full = tree_distance(["a", "b", "c"], {"a": "x", "b": "x", "c": "y"}, credit=1)
    assert weighted_kappa(table, full).value == pytest.approx(group)


def test_tree_with_several_parents_and_a_parent_as_label():
    distance = tree_distance(["x", "a", "b"], {"a": ["x", "y"], "b": ["y"]})
    assert distance.tolist() == [[0, .5, 1], [.5, 0, .5], [1, .5, 0]]
    with pytest.raises(ValueError, match="from 0 to 1"):
        tree_distance(["a"], {}, credit=2)


@pytest.mark.parametrize(("distance", "message"), [
    ([[0, 1]], "one distance for each pair"), ([[0, -1], [1, 0]], "nowhere negative"),
    ([[1, 1], [1, 0]], "0 on the diagonal"), ([[0, np.nan], [1, 0]], "nowhere negative")])
def test_distances_are_checked(distance, message):
    with pytest.raises(ValueError, match=message):
        weighted_kappa([[1, 1], [1, 1]], distance)


def test_weighted_undefined_has_a_reason():
    for result in (weighted_kappa([[5, 0], [0, 0]], step_distance(2)),
                   weighted_alpha([[5, 0], [0, 0]], step_distance(2)),
                   weighted_kappa([[0, 0], [0, 0]], step_distance(2)),
                   weighted_kappa([[5, 1], [1, 2]], np.zeros((2, 2)))):
        assert result.value is None
        assert result.reason


def test_acceptance_table_by_category():
    frame = per_category(ACCEPTANCE, CODEBOOK)
    assert frame["kappa"].tolist() == pytest.approx([.605, .751, .802, .648], abs=6e-4)
    assert frame.loc[0, ["ci_low", "ci_high"]].tolist() == pytest.approx([.448, .763], abs=6e-4)
    assert frame["positive_agreement"].tolist() == pytest.approx([.655, .809, .821, .836],
                                                                 abs=6e-4)
    found = by_name(ACCEPTANCE)["kappa"]
    assert (found.ci_low, found.ci_high) == pytest.approx((.605, .776), abs=6e-4)


def test_category_that_nobody_used_has_a_reason():
    table = np.zeros((3, 3), int)
    table[:2, :2] = [[4, 1], [2, 3]]
    row = per_category(table, ["a", "b", "c"]).iloc[2]
    assert row["kappa"] is None
    assert row["positive_agreement"] is None
    assert row["reason"] == "category not used"


def test_systematic_differences_of_published_tables():
    """Section 4's table, and the vision grades of Stuart 1953."""
    bowker, margins = systematic(ACCEPTANCE)
    assert (round(bowker.statistic, 2), bowker.df, round(bowker.p, 4)) == (19.35, 6, .0036)
    assert (round(margins.statistic, 2), margins.df, round(margins.p, 5)) == (16.87, 3, .00075)
    vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205],
              [36, 82, 179, 492]]
    bowker, margins = systematic(vision)
    assert bowker.statistic == pytest.approx(19.107, abs=6e-4)
    assert margins.statistic == pytest.approx(11.957, abs=6e-4)


def test_stuart_maxwell_where_the_covariance_is_singular():
    dense = np.array([[5, 3, 1], [1, 9, 2], [4, 2, 8]])
    wanted = SquareTable(dense.astype(float), shift_zeros=False).homogeneity()
    assert systematic(dense)[1].statistic == pytest.approx(wanted.statistic, rel=1e-9)
    wider = np.zeros((5, 5))
    wider[:3, :3] = dense
    wider[3, 3] = 7  # a category without any disagreement adds no degree of freedom
    for table in (wider, wider[::-1, ::-1]):
        test = systematic(table)[1]
        assert test.statistic == pytest.approx(wanted.statistic, rel=1e-9)
        assert test.df == 2
    assert [t.reason for t in systematic(np.diag([3, 4]))] == ["no disagreement"] * 2
    assert systematic(np.zeros((2, 2)))[0].reason == "no item has a label from both raters"


def test_confusions_are_counted_both_ways():
    frame = confusions(ACCEPTANCE, CODEBOOK)
    assert frame.iloc[0].tolist()[:5] == ["concurrency", "semantic", 13, 2, 15]
    assert frame["n"].sum() == 40
    assert frame["share"].sum() == pytest.approx(1)


def test_prevalence_and_bias_index():
    assert indices([[80, 10], [5, 5]]) == {"prevalence": .75, "bias": .05}
    with pytest.raises(ValueError, match="two categories"):
        indices(np.ones((3, 3)))


def test_same_counts_of_different_labels_are_not_perfect_agreement():
    """aabbcc against aabbdd: a crosstab without the codebook would give 1."""
    table = square_table("aabbcc", "aabbdd", "abcd")
    assert by_name(table)["kappa"].value == pytest.approx(0.571, abs=6e-4)


@pytest.mark.parametrize("table", [[[7, 0], [0, 0]], [[0, 0, 0], [0, 7, 0], [0, 0, 0]]])
def test_one_category_is_undefined_with_a_reason(table):
    found = by_name(table)
    assert found["po"].value == 1
    for name in COEFFICIENTS[1:]:
        assert found[name].value is None
        assert "one category used" in found[name].reason
        assert found[name].po == 1


def test_no_pair_and_one_category_in_the_codebook():
    assert {r.reason for r in coefficients(np.zeros((3, 3)))} == {
        "no item has a label from both raters"}
    assert by_name([[4]])["S"].reason == "the codebook has one category only"


def test_every_result_says_what_it_rests_on():
    table = np.zeros((5, 5))
    table[:2, :2] = [[40, 9], [6, 45]]
    found = by_name(table, primary="AC1", dropped={"blank": 3})
    for result in found.values():
        assert (result.n_used, result.dropped) == (100, {"blank": 3})
        assert result.q_used == 2
        assert result.primary == (result.coefficient == "AC1")
        assert result.ci_method or result.reason
    assert found["S"].q_offered == 5
    assert found["S_seen"].value == pytest.approx(.70)
    assert found["AC1_seen"].value == pytest.approx(.700748, abs=6e-7)
    assert found["S"].value > found["S_seen"].value
    assert {k: type(v) for k, v in found["kappa"].as_dict().items() if k == "value"} == {
        "value": float}
    assert json.loads(json.dumps([r.as_dict() for r in found.values()]))


def test_interval_is_clipped_and_marked():
    result = by_name([[8, 1], [0, 1]])["kappa"]  # unclipped: 1.2755
    assert (result.ci_high, result.clipped) == (1.0, True)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: square_table(["a"], ["a", "b"], ["a", "b"]), "pair them by item"),
    (lambda: square_table(["a"], ["c"], ["a", "b"]), "label 'c' is not in the codebook"),
    (lambda: square_table(["a"], ["a"], ["a", "a"]), "'a' stands twice"),
    (lambda: square_table([], [], []), "no category"),
    (lambda: coefficients([[1, 2]]), "a square one"),
    (lambda: coefficients([[1, -2], [1, 1]]), "negative or missing"),
    (lambda: coefficients([[1, 2], [1, 1]], primary="rho"), "no coefficient 'rho'"),
    (lambda: per_category([[1]], ["a", "b"]), "2 categories, a table of 1"),
    (lambda: table_from_counts(pd.DataFrame({"label_1": ["a"], "label_2": ["b"], "n": [-1]}),
                               "ab"), "negative"),
    (lambda: table_from_counts(pd.DataFrame({"label_1": ["a"], "label_2": ["z"], "n": [1]}),
                               "ab"), "'z' is not in the codebook"),
])
def test_wrong_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_counts_and_rows_make_the_same_table():
    counts = pd.DataFrame({"label_1": list("aab"), "label_2": list("abb"), "n": [2, 1, 3]})
    assert (table_from_counts(counts, "ab") == square_table("aaabbb", "aabbbb", "ab")).all()


def test_change_between_rounds():
    """Two rounds of a published labelling: .645 (.051) to .755 (.065) shows no change."""
    found = change(Result("kappa", .645, se=.051), Result("kappa", .755, se=.065))
    assert (round(found["z"], 2), round(found["p"], 2)) == (1.33, .18)
    assert found["ci_low"] < 0 < found["ci_high"]
    missing = change(Result("kappa", None, "one category"), Result("kappa", .5, se=.1))
    assert missing["z"] is None
    assert missing["reason"] == "first round: one category"
    assert change(Result("kappa", 1.0, se=0.0), Result("kappa", 1.0, se=0.0))["reason"]


def test_words_name_their_scale():
    assert [scale_word(.7, s) for s in ("Landis-Koch", "Altman", "Fleiss")] == [
        "substantial", "good", "intermediate to good"]
    assert scale_word(None) == ""


@pytest.mark.parametrize("seed", range(200))
def test_same_as_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    q, n = rng.integers(2, 8), rng.integers(5, 200)
    first = rng.integers(0, q, n)
    second = np.where(rng.random(n) < .6, first, rng.integers(0, q, n))
    if len(set(first) | set(second)) < 2:
        second[0] = (first[0] + 1) % q
    names = [f"c{i}" for i in range(q)]
    table = square_table([names[i] for i in first], [names[i] for i in second], names)
    assert by_name(table)["kappa"].value == pytest.approx(
        metrics.cohen_kappa_score(first, second), abs=1e-9)
    for power, word in ((1, "linear"), (2, "quadratic")):
        assert weighted_kappa(table, step_distance(q, power)).value == pytest.approx(
            metrics.cohen_kappa_score(first, second, weights=word, labels=range(q)), abs=1e-9)


TABLES = st.integers(2, 6).flatmap(
    lambda q: arrays(np.int64, (q, q), elements=st.integers(0, 30))).filter(lambda t: t.sum() > 1)
NOMINAL = ("po", "kappa", "kappa_max", "pi", "S", "AC1", "alpha")


def values(table):
    return [r.value for r in coefficients(table) if r.coefficient in NOMINAL]


def same(one, other):
    return all(a is b is None or a == pytest.approx(b, abs=1e-9)
               for a, b in zip(one, other, strict=True))


@settings(deadline=None, max_examples=100)
@given(TABLES, st.randoms())
def test_relabelling_changes_nothing(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    assert same(values(table), values(table[np.ix_(order, order)]))


@settings(deadline=None, max_examples=100)
@given(TABLES)
def test_swapping_the_raters_transposes(table):
    names = [str(i) for i in range(len(table))]
    pairs = [(names[i], names[j]) for i, j in np.ndindex(table.shape) for _ in range(table[i, j])]
    first, second = map(list, zip(*pairs, strict=True))
    assert (square_table(second, first, names) == square_table(first, second, names).T).all()
    assert same(values(table), values(table.T))


@settings(deadline=None, max_examples=100)
@given(TABLES)
def test_an_unused_category_changes_s_and_ac1_only(table):
    wider = np.zeros((len(table) + 1,) * 2, int)
    wider[:-1, :-1] = table
    before, after = by_name(table), by_name(wider)
    for name in ("po", "kappa", "kappa_max", "pi", "alpha"):
        assert same([before[name].value], [after[name].value])
    if before["S"].value is not None and before["po"].value < 1:
        assert after["S"].value > before["S"].value
        assert after["AC1"].value > before["AC1"].value


@settings(deadline=None, max_examples=100)
@given(TABLES)
def test_kappa_is_at_most_its_maximum_and_nothing_is_nan(table):
    found = by_name(table)
    if found["kappa"].value is not None:
        assert found["kappa"].value <= found["kappa_max"].value + 1e-12
    for result in found.values():
        for number in (result.value, result.se, result.ci_low, result.ci_high):
            assert number is None or math.isfinite(number)
        assert (result.value is None) <= bool(result.reason)
        if result.ci_low is not None:
            assert -1 <= result.ci_low <= result.ci_high <= 1


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(1, 30), min_size=2, max_size=6))
def test_perfect_agreement_over_two_or_more_categories_is_one(diagonal):
    assert values(np.diag(diagonal)) == pytest.approx([1] * 7)
