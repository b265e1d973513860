"""Model-labelled shares beside the study's."""

import pandas as pd
import pytest

from study.draw.newer import newer_frameworks
from study.measure import newer
from study.tabulate.tables import load_study

STUDY = load_study()


def corrected(low, high, share_of="issues that are faults"):
    return pd.DataFrame([{"share_of": share_of, "model": m, "n_model": 9, "as_labelled": 0.5,
                          "share": (low + high) / 2, "low": low, "high": high}
                         for m in ("M1", "M2")])


def test_the_studys_share_is_that_of_its_own_tables():
    made = newer.of_study(STUDY, ["issues that are faults", "faults with hang",
                                  "questions on performance"]).set_index("share_of")
    faults, questions = (t[t["platform"] == "GitHub"] for t in (STUDY.faults, STUDY.questions))
    n, q = faults["n"].sum(), questions["n"].sum()
    assert tuple(made.loc["issues that are faults", ["n_study", "of_study"]]) == (n, n + q)
    hang = faults.loc[faults["symptom"] == "hang", "n"].sum()
    assert tuple(made.loc["faults with hang", ["n_study", "of_study"]]) == (hang, n)
    slow = questions.loc[questions["topic"] == "performance", "n"].sum()
    assert tuple(made.loc["questions on performance", ["n_study", "of_study"]]) == (slow, q)


@pytest.mark.parametrize(("low", "high", "verdict"), [
    (0.0, 0.1, "less"), (0.9, 1.0, "more"), (0.1, 0.9, "not shown"),
    (float("nan"), float("nan"), "refused")])
def test_a_difference_is_told_only_where_intervals_lie_apart(low, high, verdict):
    assert set(newer.beside(STUDY, corrected(low, high))["verdict"]) == {verdict}


def test_one_model_alone_shows_no_difference():
    both = corrected(0.9, 1.0)
    both.loc[1, ["low", "high"]] = (0.1, 1.0)
    assert set(newer.beside(STUDY, both)["verdict"]) == {"not shown"}


def test_picture_and_its_files_say_model_labelled():
    picture = newer_frameworks(newer.beside(STUDY))
    assert picture.name.startswith("model_labelled")
    for text in (picture.title, picture.caption, picture.alt):
        assert "model-labelled" in text.lower()
    assert "no estimates of a population" in picture.caption
    assert len(picture.data) == 2 * picture.data["share_of"].nunique()
    assert not picture.data["share"].isna().any()


def test_shares_by_framework_add_up_to_those_of_the_corpus():
    whole = newer.read("corrected", newer.NEWER).set_index(["share_of", "model"])
    own = newer.by_framework("faults with hang").groupby("model")[["n", "of"]].sum()
    assert own.loc["M1", "of"] == whole.loc[("faults with hang", "M1"), "n_model"]
    assert own.loc["M1", "n"] / own.loc["M1", "of"] == pytest.approx(
        whole.loc[("faults with hang", "M1"), "as_labelled"], abs=1e-6)


def test_kappa_of_people_stands_beside_that_of_the_models():
    table = newer.agreement_beside_people()
    assert set(table["pair"]) == set(newer.PAIRS.values())
