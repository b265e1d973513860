"""``label agree``: one report, and the numbers of the study's own functions."""

import json

import pandas as pd
import pytest

from study.base.errors import StudyError
from study.extend.agree import agree, agreement, summary
from study.extend.check import Checked
from study.extend.cli import main
from study.extend.folder import extension
from study.measure.agreement_report import Options
from study.measure.kappa import coefficient_table, kappa_table, offered
from study.read.codebook import FACETS, load_codebook
from study.tabulate.issues import Row
from study.tabulate.rounds import MEASURED
from study.tabulate.tables import load_study


@pytest.fixture(scope="module")
def groups():
    return agree(extension("example"))


def test_every_door_leads_to_the_same_numbers(groups):
    """Sheets as handed in; the count tables that notebook 02's functions read."""
    study = load_study("example")
    sheets = summary(groups).set_index(["facet", "round"])
    assert len(sheets) == 2 * len(MEASURED)
    tables = coefficient_table(study.agreement, study.codebook).set_index(
        ["coefficient", "facet", "round"])
    for (facet, number), row in sheets.iterrows():
        for name in ("po", "kappa", "S", "AC1", "alpha"):
            other = tables.loc[name, facet, number]
            assert row[name] == pytest.approx(other["value"], abs=1e-12), (facet, number, name)
            assert row["n"] == other["n_used"]
    kappas = kappa_table(study.agreement, readings=["repaired"]).set_index(["facet", "round"])
    # Where no pair differs nothing varies, so neither way has an interval: the same cells, and
    # no others.
    assert sheets["low"].to_dict() == pytest.approx(kappas["low"].to_dict(), nan_ok=True)
    assert (sheets.index[sheets["low"].isna()] == sheets.index[sheets["po"] == 1]).all()


def test_two_categories_were_offered_not_three(groups):
    """Round 1, distributed-specific: 23 of 30 pairs agree, so S = 2 * 23/30 - 1."""
    [group] = [g for g in groups if g["round"] == "1" and g["facet"] == "distributed_specific"]
    by = {r["coefficient"]: r for r in group["results"]}
    assert group["q_offered"] == 2
    assert by["S"]["value"] == pytest.approx(2 * 23 / 30 - 1)
    assert round(by["AC1"]["value"], 2) == .69


def test_the_report_says_what_a_stranger_is_told(groups, capsys):
    [group] = [g for g in groups if g["round"] == "1" and g["facet"] == "stage"]
    assert {c["category"] for c in group["categories"]} == set(offered("stage", load_codebook()))
    assert group["confusions"] and group["systematic"]
    assert group["missing"] == {"R1": 0, "R2": 0}
    assert main(["agree", "example", "--round", "1", "--details"]) == 0
    said = capsys.readouterr().out
    assert "most confused:" in said and "Stuart-Maxwell" in said
    assert main(["agree", "example", "--round", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["groups"]
    assert [g["facet"] for g in found] == list(MEASURED)
    assert main(["agree", "example", "--round", "1", "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(MEASURED)


def test_intervals_are_drawn_by_thread(groups):
    drawn = agree(extension("example"), "1", options=Options(bootstrap=200))
    assert "27 threads" in next(g for g in drawn if g["facet"] == "stage")["results"][1][
        "ci_method"]
    kappa = [next(r["value"] for r in g["results"] if r["coefficient"] == "kappa") for g in drawn]
    assert kappa == [next(r["value"] for r in g["results"] if r["coefficient"] == "kappa")
                     for g in groups if g["round"] == "1"]


def sheet(rater, *labels):
    """A sheet with one issue a thread: (type, stage), the other facets blank."""
    rows = []
    for i, (kind, stage) in enumerate(labels, 1):
        cells = dict.fromkeys(FACETS, "") | {"issue_type": kind, "stage": stage}
        rows.append((f"so:{i}/1", cells, "", "", Row("s.csv", "", i, f"so:{i}", 1, "1", rater,
                                                      dict(cells), frozenset())))
    return Checked("1", rater, rows)


def test_three_raters_pair_by_pair_and_together():
    build, train = "package build & import", "training & evaluation"
    checked = [sheet("R1", ("fault", build), ("fault", train), ("fault", train)),
               sheet("R2", ("fault", build), ("fault", build), ("how-to question", "")),
               sheet("R3", ("fault", build), ("fault", train), ("fault", train))]
    made = [g for g in agreement(checked, load_codebook(), {}) if g["facet"] == "stage"]
    assert [g["raters"] for g in made] == [["R1", "R2"], ["R1", "R3"], ["R2", "R3"],
                                           ["R1", "R2", "R3"]]
    # R2 takes the third issue for a question: no pair with R2, and not one of all three.
    assert [g["n_used"] for g in made] == [2, 3, 2, 2]
    assert [g["results"][0]["po"] for g in made[:3]] == [.5, 1, .5]


def test_a_facet_without_a_pair_has_a_reason():
    made = agreement([sheet("R1", ("fault", "")), sheet("R2", ("how-to question", ""))],
                     load_codebook(), {})
    row = summary(made).set_index("facet").loc["stage"]
    assert row["n"] == 0 and pd.isna(row["kappa"]) and row["note"]


def test_one_rater_is_no_agreement():
    own = extension("example")
    with pytest.raises(StudyError, match="two raters"):
        agree(own, paths=[own.sheets / "round1-R1.xlsx"])


def test_nothing_measured_is_exit_3(monkeypatch, capsys):
    nothing = agreement([sheet("R1", ("fault", "")), sheet("R2", ("how-to question", ""))],
                        load_codebook(), {})
    stage = [g for g in nothing if g["facet"] == "stage"]
    monkeypatch.setattr("study.extend.agree.agree", lambda *_, **__: stage)
    assert main(["agree", "example"]) == 3
    assert main(["agree", "example", "--sentence"]) == 3
    assert "Agreement is undefined" in capsys.readouterr().out


def test_options_of_agree(tmp_path, monkeypatch, capsys):
    """The coefficients that `agree` computes, by the same options, of one facet."""
    monkeypatch.chdir(tmp_path)
    same = ["agree", "example", "--round", "1", "--facet", "stage"]
    assert main([*same, "--primary", "S", "--conf", "0.9", "--interval", "normal",
                 "--format", "csv"]) == 0
    _, row = capsys.readouterr().out.splitlines()
    assert "Brennan-Prediger" in row and ",0.9," in row
    assert main([*same, "--metric", "ordinal"]) == 0
    assert "* alpha (ordinal)" in " ".join(capsys.readouterr().out.split())
    assert main([*same, "--pairs", "pairs.csv", "--figure", "who.svg", "--json"]) == 0
    assert capsys.readouterr().err.split() == ["wrote", "pairs.csv", "wrote", "who.svg"]
    [found] = (tmp_path / "pairs.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert found.startswith("1,stage,R1,R2,")
    assert "<svg" in (tmp_path / "who.svg").read_text(encoding="utf-8")
    for wrong in (["--pairs", "pairs.csv"], ["--figure", "who.gif"], ["--conf", "2"],
                  ["--primary", "fleiss"], ["--metric", "interval"]):
        with pytest.raises(StudyError):
            main([*same, *wrong])


def test_weights_of_a_facet(tmp_path, capsys):
    """Weights of 1 on the diagonal and 0 beside it are those of plain kappa."""
    names = list(offered("distributed_specific", load_codebook()))
    table = tmp_path / "weights.csv"
    table.write_text("\n".join([",".join(["", *names]), *(
        ",".join([one, *(str(int(one == other)) for other in names)]) for one in names)]),
        encoding="utf-8")
    same = ["agree", "example", "--round", "1", "--weights", str(table)]
    assert main([*same, "--facet", "distributed_specific", "--json"]) == 0
    [group] = json.loads(capsys.readouterr().out)["groups"]
    by = {r["coefficient"]: r for r in group["results"]}
    [weighted] = [r for name, r in by.items() if name.startswith("weighted kappa")]
    assert weighted["primary"] and weighted["value"] == pytest.approx(by["kappa"]["value"])
    with pytest.raises(StudyError, match="the weights have none for"):
        main([*same, "--facet", "stage"])


def test_the_same_slip_in_both_sheets():
    """A spelling of one cell that stands in the other sheet, too; and one that stands in one."""
    train = "training & evaluation"
    sheets = [sheet(rater, *[("fault", train)] * 6) for rater in ("R1", "R2")]
    sheets[0].rows[2][-1].cells["stage"] = "trainning & evaluation"
    alone = next(g for g in agreement(sheets, load_codebook(), {}) if g["facet"] == "stage")
    assert not any("same slip" in w for w in alone["warnings"])
    sheets[1].rows[2][-1].cells["stage"] = "trainning & evaluation"
    groups = {g["facet"]: g["warnings"] for g in agreement(sheets, load_codebook(), {})}
    [said] = [w for w in groups["stage"] if "same slip" in w]
    assert said.startswith("same slip in both files: 1 of R1's 1 and of R2's 1 odd spellings "
                           "(trainning & evaluation)")
    assert not any("same slip" in w for facet in ("issue_type", "group") for w in groups[facet])


def test_no_remedy_that_the_command_lacks(capsys):
    """A word for undecided is one of the codebook: there is no option to take it for a label."""
    assert main(["agree", "example", "--round", "1"]) == 0
    [said] = [x for x in capsys.readouterr().out.splitlines() if "undecided" in x]
    assert said.endswith("fix_pattern: undecided: R1 2")
    assert main(["agree"]) == 2
    assert "required: NAME\n" in capsys.readouterr().err
