"""Cohen's kappa from counted pairs, against published values and a second library."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from smallstudy import empty, few, table
from study.measure.kappa import (
    both_ways,
    by_pairing,
    coefficient_table,
    cohen,
    kappa_table,
    offered,
    paths,
    stricter,
    without,
    without_same,
)
from study.read.repair import RULES, repair
from study.tabulate.rounds import primary_scope


def pairs(square, names="abcdefgh"):
    """Counted pairs of labels from a square table."""
    return pd.DataFrame([(names[i], names[j], n) for i, row in enumerate(square)
                         for j, n in enumerate(row)], columns=["label_1", "label_2", "n"])


@pytest.mark.parametrize(("square", "po", "kappa", "se", "digits"), [
    # Cohen 1960, second example; standard error as R's psych has it
    ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.70, 0.492, 0.051, 3),
    # SAS FREQ, in statsmodels' tests
    ([[0, 4, 1], [0, 8, 0], [0, 1, 5]], 0.6842, 0.4842, 0.1380, 4),
    # R irrCAC README, cont3x3abstractors
    ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], 0.89, 0.7964094, None, 7),
    # irrCAC tests, cont4x4diagnosis
    ([[40, 6, 4, 15], [4, 25, 1, 5], [4, 2, 21, 9], [17, 13, 12, 45]], 0.587, 0.432, 0.046, 3),
    # Agresti 1992, after Landis & Koch 1977
    ([[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]], 0.636, 0.493, 0.057, 3),
    # Feinstein & Cicchetti 1990: same agreement, other kappa
    ([[40, 9], [6, 45]], 0.85, 0.70, None, 2),
    ([[80, 10], [5, 5]], 0.85, 0.32, None, 2),
    # Artstein & Poesio 2008
    ([[20, 10], [20, 50]], 0.70, 0.348, None, 3),
    # Brennan & Prediger 1981
    ([[50, 0, 0], [10, 10, 10], [20, 0, 0]], 0.6, 0.27, None, 2),
    # Zwick 1988, third table
    ([[20, 5, 5, 10], [0, 10, 5, 5], [0, 5, 10, 5], [0, 0, 0, 20]], 0.6, 0.474, None, 3),
])
def test_kappa_as_published(square, po, kappa, se, digits):
    found = cohen(pairs(square))
    assert found["n"] == np.sum(square)
    assert found["po"] == pytest.approx(po, abs=0.6 * 10**-min(digits, 3))
    assert round(found["kappa"], digits) == kappa
    if se is not None:
        assert round(found["se"], digits) == se


def test_interval_as_sas_prints_it():
    found = cohen(pairs([[0, 4, 1], [0, 8, 0], [0, 1, 5]]))
    assert [round(found["low"], 4), round(found["high"], 4)] == [0.2137, 0.7547]


def test_interval_is_clipped_at_one():
    # Gwet 2008's hand example: unclipped, the upper end would be 1.2755.
    found = cohen(pairs([[8, 1], [0, 1]]))
    assert round(found["kappa"], 4) == 0.6154
    assert found["high"] == 1
    assert found["low"] == pytest.approx(2 * 0.615385 - 1.2755, abs=1e-4)


def test_labels_of_the_same_number_but_not_the_same_name():
    # statsmodels given a crosstab of these would say 1; the value is 4/7.
    found = cohen(pd.DataFrame({"label_1": list("aabbcc"), "label_2": list("aabbdd"), "n": 1}))
    assert found["kappa"] == pytest.approx(4 / 7)


def test_missing_and_undecided_are_dropped_and_counted_and_no_category():
    extra = pd.DataFrame({"label_1": ["missing", "a", "undecided", "missing"],
                          "label_2": ["missing", "undecided", "b", "undecided"],
                          "n": [50, 3, 2, 1]})
    found = cohen(pd.concat([pairs([[20, 10], [20, 50]]), extra]))
    assert (found["n"], found["dropped"]) == (100, 56)
    assert round(found["kappa"], 3) == 0.348


@pytest.mark.filterwarnings("error")
def test_undefined_has_a_reason_and_is_no_number():
    one = cohen(pairs([[7]]))
    assert (one["kappa"], one["low"], one["po"]) == (None, None, 1)
    assert "one category" in one["reason"]
    none = cohen(pairs([[0]]).iloc[:0])
    assert (none["n"], none["po"], none["kappa"]) == (0, None, None)
    assert none["reason"]


@pytest.mark.filterwarnings("error")
def test_raters_who_never_agree_or_always_do():
    assert cohen(pairs([[0, 4], [0, 0]]))["kappa"] == 0
    assert cohen(pairs([[0, 2], [2, 0]]))["kappa"] == -1
    always = cohen(pairs([[3, 0], [0, 4]]))
    assert (always["kappa"], always["low"]) == (1, None)
    assert "standard error" in always["reason"]


SQUARES = st.integers(2, 5).flatmap(lambda q: st.lists(
    st.lists(st.integers(0, 9), min_size=q, max_size=q), min_size=q, max_size=q))


@few
@given(SQUARES)
def test_scikit_learn_finds_the_same(square):
    metrics = pytest.importorskip("sklearn.metrics")
    counted = pairs(square)
    counted = counted[counted["n"] > 0]
    assume(len({*counted["label_1"], *counted["label_2"]}) > 1)
    one, two = (np.repeat(counted[c], counted["n"]) for c in ("label_1", "label_2"))
    found = cohen(counted)
    assert found["kappa"] == pytest.approx(metrics.cohen_kappa_score(one, two), abs=1e-9)
    turned = cohen(counted.rename(columns={"label_1": "label_2", "label_2": "label_1"}))
    assert turned["kappa"] == pytest.approx(found["kappa"], abs=1e-12)
    assert cohen(counted.iloc[::-1])["kappa"] == found["kappa"]


def test_pairs_without_a_label_are_counted_by_word():
    # A pair of a missing and an undecided label counts once, as missing.
    counted = pd.DataFrame([("a", "b", 5), ("missing", "a", 1), ("a", "undecided", 2),
                            ("undecided", "undecided", 4), ("undecided", "missing", 8)],
                           columns=["label_1", "label_2", "n"])
    kept, dropped = without(counted)
    assert dropped == {"missing": 9, "undecided": 6}
    assert kept.values.tolist() == [["a", "b", 5]]


def test_every_coefficient_with_numbers(study):
    """Feinstein and Cicchetti's second table (1990): po .85, kappa .32, pi .31, by hand S .70."""
    stage = study.codebook.names("stage")
    counted = pairs([[80, 10], [5, 5]], stage).assign(facet="stage", round="1", scope="agreed",
                                                      reading="repaired")
    other = [counted.assign(facet="symptom", n=1), counted.assign(scope="all", n=1),
             counted.assign(reading="as filed", n=1),
             counted.iloc[:1].assign(label_1="undecided", n=3)]
    found = coefficient_table(pd.concat([counted, *other]), study.codebook, ["stage"])
    values = found.set_index("coefficient")
    assert found["coefficient"].is_unique
    assert values["value"][["po", "kappa", "pi", "S_seen"]].round(2).tolist() == [
        .85, .32, .31, .70]
    offers = len(offered("stage", study.codebook))
    assert values["value"]["S"] == pytest.approx((offers * .85 - 1) / (offers - 1))
    assert set(found["n_used"]) == {100}
    assert set(found["dropped"]) == {"3 undecided"}
    assert values["q_offered"]["S"] == offers
    assert values["q_offered"]["S_seen"] == 2
    assert found[found["primary"]]["coefficient"].tolist() == ["kappa"]


def test_stricter_pairs_by_hand(study):
    system = sorted(study.codebook.system_level("middle"))[0]
    plain = sorted(set(study.codebook.names("fix_pattern"))
                   - set(study.codebook.system_level("middle")))[0]
    counted = pd.DataFrame([
        ("symptom", "a", "a", 6), ("symptom", "b", "b", 2),
        ("symptom", "undecided", "undecided", 1), ("symptom", "a", "undecided", 1),
        ("fix_pattern", system, f"{plain};{system}", 3),
        ("fix_pattern", plain, plain, 5)], columns=["facet", "label_1", "label_2", "n"]).assign(
            round="1", reading="repaired", scope="agreed")
    groups = pd.DataFrame([
        ("agreed", "g", "g", 4), ("agreed", "h", "h", 4), ("agreed", "g", "not applicable", 2),
        ("parent", "g", "g", 4), ("parent", "h", "h", 4)],
        columns=["scope", "label_1", "label_2", "n"]).assign(
            facet="group", round="1", reading="repaired")
    found = stricter(pd.concat([counted, groups]), study.codebook).set_index(["facet", "pairs"])
    assert found["n"].tolist() == [8, 10, 8, 8, 8, 10, 0, 0, 8]
    # po .8; chance .7*.6 + .2*.2 = .46; (.8 - .46) / .54
    assert found["kappa"]["symptom", "undecided disagrees"] == pytest.approx(.34 / .54)
    assert found["po"]["group", "any parent"] == .8
    assert found["kappa"]["group", "one parent"] == 1
    assert found["kappa"]["system level", "both decided"] == 1


def test_stricter_pairs_of_the_release(study):
    """Counted apart from this package in the authors' workbooks."""
    found = stricter(study.agreement, study.codebook).set_index(["facet", "pairs"])
    assert found["dropped"]["symptom", "both decided"] == 35
    beside = found.loc[("symptom", "undecided disagrees")]
    assert [round(beside[k], 3) for k in ("kappa", "po")] == [.839, .848]
    first = study.agreement[study.agreement["round"] == "1"]
    group = stricter(first, study.codebook).set_index(["facet", "pairs"]).loc["group"]
    assert round(group["kappa"]["any parent"], 3) == .516
    assert group.loc["one parent", ["n", "po"]].tolist() == [18, 1]


@pytest.mark.parametrize(("rule_left_out", "n", "kappa"), [
    ("", 243, .992), ("issue type", 239, .991)])
def test_agreement_on_the_system_level_by_a_plain_loop(rows, book, rule_left_out, n, kappa):
    """One pair differs of all to which both gave fix patterns.

    An independent count has .991 over 240 pairs: it fills in fewer of the four issue types
    that are blank beside labels of a fault. Without them the value is the same.
    """
    system, said = set(book.system_level("middle")), {"R1": {}, "R2": {}}
    rules = [r for r in RULES if r != rule_left_out]
    for row in rows[0]:
        labels, _ = repair(row.cells, book, row.titles, rules)
        patterns = labels["fix_pattern"].split(";")
        if row.rater in said and labels["issue_type"] == "fault" and not {"", "undecided"} & {
                *patterns}:
            said[row.rater][row.round, row.thread, row.issue] = bool(system & {*patterns})
    both = [(yes, said["R2"][key]) for key, yes in said["R1"].items() if key in said["R2"]]
    po = sum(a == b for a, b in both) / n
    one, two = (sum(p[i] for p in both) / n for i in (0, 1))
    assert (len(both), round(n * (1 - po))) == (n, 1)
    pe = one * two + (1 - one) * (1 - two)
    assert round((po - pe) / (1 - pe), 3) == kappa


def test_the_pairings_of_the_release(study):
    """By place and by order: counted apart from this package in the authors' workbooks."""
    found = by_pairing(study.agreement).set_index("pairing")
    assert found["kappa"].round(3).to_dict() == {"place": .959, "order": .947, "best match": .959}
    assert found["n"].to_dict() == {"place": 261, "order": 262, "best match": 262}


def test_without_what_both_sheets_write_alike(study, lines):
    found = without_same(study.agreement).set_index("without")
    every = [r for r in lines("agreement") if r["facet"] == "symptom" and r["scope"] == "all"]
    for what, row in found.iterrows():
        reading = "repaired" if what == "–" else f"repaired, without {what}"
        assert row["issues"] == sum(int(r["n"]) for r in every if r["reading"] == reading)
    assert found["issues"].tolist() == [549, 516, 189]
    assert found["kappa"].round(3).tolist() == [.959, .959, .877]
    assert without_same(empty("agreement")).empty


def test_both_ways_differ_by_what_is_open():
    more = pd.concat([AGREEMENT, table("agreement", """
        round | facet   | label_1   | label_2   | n
        2     | symptom | undecided | undecided | 1
        2     | symptom | hang      | missing   | 1
    """)])
    found = both_ways(more, ["symptom"]).set_index(["pairs", "round"])
    assert found["n"].tolist() == [4, 2, 4, 4]
    assert found["dropped"].tolist() == [0, 2, 0, 0]
    assert found["po"]["undecided disagrees", "2"] == .5


def test_the_system_level_of_the_committed_counts(study):
    found = stricter(study.agreement, study.codebook).iloc[-1]
    assert (found["n"], round(found["kappa"], 3)) == (243, .992)


AGREEMENT = table("agreement", """
    round | facet      | reading  | scope  | label_1  | label_2 | n
    1     | symptom    | repaired | agreed | hang     | hang    | 2
    1     | symptom    | repaired | agreed | leak     | leak    | 1
    1     | symptom    | repaired | agreed | hang     | leak    | 1
    1     | symptom    | repaired | all    | hang     | leak    | 9
    1     | symptom    | as filed | agreed | hang     | hang    | 4
    2     | symptom    | repaired | agreed | hang     | hang    | 1
    2     | symptom    | repaired | agreed | leak     | leak    | 1
    1     | issue_type | repaired | all    | fault    | fault   | 3
    1     | issue_type | repaired | agreed | fault    | fault   | 9
""")


def test_kappa_table_takes_the_scope_that_counts():
    assert (primary_scope("symptom"), primary_scope("issue_type")) == ("agreed", "all")
    found = kappa_table(AGREEMENT)
    assert found[["facet", "reading", "round", "n"]].to_numpy().tolist() == [
        ["issue_type", "repaired", "1", 3], ["symptom", "as filed", "1", 4],
        ["symptom", "repaired", "1", 4], ["symptom", "repaired", "2", 2]]
    # po 3/4; margins 3/4, 1/4 and 1/2, 1/2: pe 1/2, kappa 1/2
    assert found["kappa"].iloc[2] == pytest.approx(0.5)
    assert found["kappa"].isna().tolist() == [True, True, False, False]
    assert (found["reason"].iloc[:2] != "").all()


def test_kappa_table_pooled_adds_the_counts_of_the_rounds():
    found = kappa_table(AGREEMENT, ["symptom"], ["repaired"], pooled=True)
    assert found[["round", "n"]].to_numpy().tolist() == [["all", 6]]
    # po 5/6; margins 4/6, 2/6 and 3/6, 3/6: pe 1/2
    assert found["kappa"].iloc[0] == pytest.approx((5 / 6 - 1 / 2) / (1 / 2))


def test_kappa_of_no_round_is_a_table_without_rows(study):
    found = kappa_table(empty("agreement"))
    assert found.empty
    assert {"round", "facet", "kappa", "reason"} <= set(found.columns)
    found = coefficient_table(empty("agreement"), study.codebook)
    assert found.empty
    assert {"coefficient", "value", "primary"} <= set(found.columns)


def test_what_was_offered_comes_from_the_codebook(study):
    every = paths(study.codebook)
    assert len(set(every)) == len(every)
    assert offered("symptom", study.codebook, ["zzz"])[-1] == "zzz"
    assert offered("issue_type", study.codebook) == [
        *study.codebook.names("issue_type"), "not relevant"]
    # Both raters chose a fault, so *not applicable* is no answer to how it was mended.
    for facet in ("stage", "symptom", "fix_pattern", "distributed_specific", "path"):
        assert "not applicable" not in offered(facet, study.codebook)
    # Labels of the early sheets only are offered to nobody, and count where they occur.
    assert "timeline" not in offered("topic", study.codebook)
    assert "timeline" in offered("topic", study.codebook, ["timeline"])


def test_the_committed_rounds_by_a_plain_loop(study, lines):
    found = kappa_table(study.agreement, ["symptom"], ["repaired"]).set_index("round")
    assert found["kappa"].round(3).to_dict() == {"1": 0.804, "2": 0.98, "3": 1.0, "4": 0.981,
                                                 "5": 1.0}
    for number, row in found.iterrows():
        own = [r for r in lines("agreement") if r["facet"] == "symptom" and r["scope"] == "agreed"
               and r["reading"] == "repaired" and r["round"] == number
               and not {r["label_1"], r["label_2"]} & {"missing", "undecided"}]
        n = sum(int(r["n"]) for r in own)
        po = sum(int(r["n"]) for r in own if r["label_1"] == r["label_2"]) / n
        pe = sum(int(a["n"]) * int(b["n"]) for a in own for b in own
                 if a["label_1"] == b["label_2"]) / n**2
        assert row["n"] == n
        assert row["po"] == pytest.approx(po)
        assert row["kappa"] == pytest.approx((po - pe) / (1 - pe))
