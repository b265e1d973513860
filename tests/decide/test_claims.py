"""Claims: what each verdict rests on, and every way to write a claim down wrongly."""

import json

import pytest

from smallstudy import faults, study, table
from study.base.errors import StudyError
from study.base.paths import NOTEBOOKS
from study.decide.claims import (
    COMPARISONS,
    DERIVED,
    DIFFERS,
    NOT_DERIVABLE,
    REPRODUCED,
    UNDER_READING,
    VERDICTS,
    Claim,
    finding,
    findings,
    findings_table,
    fits,
    found_text,
    load_claims,
    load_findings,
    markdown,
    printed,
    to_json,
)
from study.decide.quantities import QUANTITIES

GOOD = {"id": "x", "text": "Something.", "stated_in": "abstract", "compare": "equal",
        "unit": "count", "notebook": "01_collection", "published": 3, "quantity": "issues",
        "primary": "rows of the final table"}


def written(path, **changes):
    """A claims file with one claim; a change to None takes the key away."""
    keys = {k: v for k, v in (GOOD | changes).items() if v is not None}
    path.write_text("[[claim]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in keys.items()),
                    encoding="utf-8", newline="\n")
    return path


def message(path):
    with pytest.raises(StudyError) as caught:
        load_claims(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "claims.toml"


def test_a_claim_is_read(path):
    assert load_claims(written(path)) == [Claim(**GOOD)]


def test_a_function_that_does_not_exist_is_named_with_its_nearest(path):
    said = message(written(path, quantity="isues"))
    assert "claims.toml, claim 'x'" in said
    assert "no function 'isues' in notebooks/study/decide/quantities.py" in said
    assert "nearest: 'issues'" in said


@pytest.mark.parametrize(("changes", "says"), [
    ({"publishd": 3}, "unexpected keyword argument 'publishd'; allowed keys: id, text"),
    ({"unit": None}, "missing 1 required positional argument: 'unit'"),
    ({"compare": "equals"}, "compare = 'equals'; use one of equal, within"),
    ({"unit": "percent"}, "unit = 'percent'; use one of count, share, kappa, effect"),
    ({"published": None}, "compare = 'equal' needs the key 'published'"),
    ({"published": None, "compare": "within"}, "compare = 'within' needs the key 'published'"),
    ({"compare": "within"}, "compare = 'within' needs the key 'margin'"),
    ({"published": "1,131"}, "published = '1,131' is no number"),
    ({"published": True}, "published = True is no number"),
    ({"quantity": None}, "no function ''"),
])
def test_a_wrong_key_or_value_is_named(path, changes, says):
    said = message(written(path, **changes))
    assert says in said
    assert "claim 'x'" in said


def test_two_claims_of_one_id(path):
    text = written(path).read_text(encoding="utf-8")
    path.write_text(text + text, encoding="utf-8", newline="\n")
    assert "another claim has this id" in message(path)


def test_a_claim_without_an_id_is_named_by_its_number(path):
    assert "claim 1: " in message(written(path, id=None))


@pytest.mark.parametrize(("content", "says"), [
    (b"[[claim]\n", "mend the TOML"), (b"[claim]\nid = 'x'\n", "two brackets"),
    (b"[[claim]]\nid = '\xe9'\n", "save it as UTF-8")])
def test_no_claims_file(path, content, says):
    path.write_bytes(content)
    assert says in message(path)


def test_a_missing_claims_file(path):
    assert "claims.toml is missing" in message(path)


def test_a_primary_reading_that_does_not_exist_is_named_with_its_nearest():
    claim = Claim(**GOOD | {"primary": "rows of the final tabel"})
    with pytest.raises(StudyError, match="claim 'x': issues has no reading 'rows of the final "
                                         "tabel'; nearest: 'rows of the final table'"):
        finding(claim, study())


@pytest.mark.parametrize(("compare", "reading", "expected"), [
    ("equal", (3, None, None), True), ("equal", (4, None, None), False),
    ("within", (3, 2.5, 3.5), True), ("within", (3, 2.4, 3.2), False),
    ("within", (3.1, 2.9, 3.6), False), ("within", (3, None, None), False),
    ("majority", (0.7, 0.51, 0.9), True), ("majority", (0.7, 0.5, 0.9), False),
    ("majority", (0.7, None, None), False),
    ("majority value", (0.51, 0.1, 0.9), True), ("majority value", (0.5, 0.5, 0.5), False),
    ("equal", (None, None, None), False), ("majority value", (None, None, None), False)])
def test_fits(compare, reading, expected):
    claim = Claim(**GOOD | {"compare": compare, "margin": 0.5})
    assert fits(claim, dict(zip(("value", "low", "high"), reading, strict=True))) is expected


SMALL = study(faults=faults("""
    symptom | fix_patterns           | n
    hang    | fix dependency version | 12
    leak    | change hardware        | 10
"""), collection=table("collection", """
    platform | issues
    GitHub   | 22
    Other    | 3
"""))


@pytest.mark.parametrize(("changes", "verdict", "fitting"), [
    ({"published": 22}, REPRODUCED, 1),
    ({"published": 21}, DIFFERS, 0),
    ({"quantity": "categories", "primary": "repaired, by path, rare symptoms kept",
      "published": 2}, REPRODUCED, 45),
    ({"quantity": "system_level", "primary": "narrow, one pattern suffices", "published": 0.5,
      "compare": "within", "margin": 0.25, "unit": "share"}, UNDER_READING, 6),
    ({"quantity": "system_level", "primary": "broad, one pattern suffices", "published": 0.5,
      "compare": "within", "margin": 0.25, "unit": "share"}, DIFFERS, 6),
    ({"quantity": "threads", "primary": "both platforms", "compare": "derived"}, DERIVED, None),
    ({"compare": "none"}, NOT_DERIVABLE, None),
    ({"quantity": "topics", "primary": "most frequent", "compare": "majority"}, NOT_DERIVABLE,
     None),
])
def test_verdict(changes, verdict, fitting):
    found = finding(Claim(**GOOD | changes), SMALL)
    assert found["verdict"] == verdict
    assert found["fitting"] == fitting


def test_a_verdict_says_on_which_reading_it_rests():
    found = finding(Claim(**GOOD | {"quantity": "system_level", "published": 0.5, "unit": "share",
                                    "primary": "narrow, one pattern suffices",
                                    "compare": "within", "margin": 0.25}), SMALL)
    assert found["value"] == round(12 / 22, 6)
    assert (found["reading"], found["n"]) == ("narrow, one pattern suffices", 22)
    assert [r["reading"] for r in found["readings"] if not r["fits"]] == [
        f"broad, {how}" for how in ("one pattern suffices", "all patterns must", "by fractions")]


def test_one_reading_that_does_not_fit_is_enough_for_a_stated_reading():
    small = study(faults=faults("""
        distributed_specific | stage | symptom | n
        1                    | run   | hang    | 3
        0                    | start | hang    | 20
    """))
    claim = Claim(**GOOD | {"quantity": "shared_symptoms", "primary": "other faults, by name",
                            "compare": "majority", "unit": "share"})
    found = finding(claim, small)
    # By name 20 of 20 others fit, with `others` and without; 3 of 3 specific ones are too few.
    assert (found["verdict"], found["fitting"], len(found["readings"])) == (UNDER_READING, 2, 8)


def test_no_claims_are_no_findings():
    assert findings(SMALL, []) == []
    assert json.loads(to_json([])) == {"findings": []}


# Checked by hand against the tables: verdict, value, low, high, n, name, readings that fit.
COMMITTED = {
    "issues": (REPRODUCED, 1131, None, None, 1131, "", 1),
    "platforms": (REPRODUCED, 2, None, None, 2, "", 1),
    "frameworks": (REPRODUCED, 4, None, None, 4, "", 1),
    "categories": (UNDER_READING, 30, None, None, 30, "", 5),
    "shared-symptoms": (UNDER_READING, 64 / 68, 0.858283, 0.976889, 68, "", 4),
    "frequent-fixes": (UNDER_READING, 25 / 29, 0.69441, 0.945026, 29, "", 36),
    "system-level": (UNDER_READING, 336 / 637, 0.488654, 0.565961, 637, "", 3),
    "candidates": (DERIVED, 2683, None, None, 2683, "", None),
    "threads": (DERIVED, 1070, None, None, 1070, "", None),
    "faults": (DERIVED, 637 / 1131, 0.534147, 0.591862, 1131, "", None),
    "specific": (DERIVED, 569 / 637, 0.866868, 0.914916, 637, "", None),
    "largest-stage": (DERIVED, 365 / 637, 0.534261, 0.61086, 637, "training & evaluation", None),
    "largest-topic": (DERIVED, 140 / 494, 0.245451, 0.324693, 494, "communication", None),
    "first-patterns": (DERIVED, 204 / 637, 0.285189, 0.357468, 637, "", None),
    "agreement": (DERIVED, 0.958936, 0.933965, 0.983908, 261, "", None),
    "platform-difference": (DERIVED, 0.195596, 0.123927, 0.267777, 637, "", None),
}


@pytest.fixture(scope="module")
def found(study):
    return {record["id"]: record for record in findings(study)}


def test_every_claim_is_checked_here(found):
    assert list(found) == list(COMMITTED)


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_claim(found, name):
    record, (verdict, value, low, high, n, label, fitting) = found[name], COMMITTED[name]
    assert record["verdict"] == verdict
    assert record["verdict"] in VERDICTS
    assert record["value"] == (None if value is None else pytest.approx(value, abs=1e-6))
    assert (record["low"], record["high"]) == (low, high)
    assert (record["n"], record["label"], record["fitting"]) == (n, label, fitting)


def test_committed_claims_agree_with_plain_loops(found, lines):
    faults, questions = lines("faults"), lines("questions")
    total = sum(int(r["n"]) for r in faults + questions)
    assert found["issues"]["value"] == total
    sources = [r for r in lines("collection") if int(r["issues"])]
    assert found["platforms"]["value"] == len({r["platform"] for r in sources})
    assert found["frameworks"]["value"] == len(
        {f for r in sources for f in r["frameworks"].split(";")})
    assert found["specific"]["value"] * 637 == pytest.approx(
        sum(int(r["n"]) for r in faults if r["distributed_specific"] == "1"), abs=1e-3)
    wins = {}
    for r in faults:
        for pattern in r["fix_patterns"].split(";"):
            path = (r["stage"], r["group"], r["symptom"])
            wins.setdefault(path, {}).setdefault(pattern, []).append(r)
    judged = having = 0
    for path, patterns in wins.items():
        own = [r for r in faults if (r["stage"], r["group"], r["symptom"]) == path]
        size = sum(int(r["n"]) for r in own)
        if size < 5:
            continue
        judged += 1
        first = sorted(patterns, key=lambda p, w=patterns: (-sum(int(r["n"]) for r in w[p]), p))
        mended = sum(int(r["n"]) for r in own if set(first[:3]) & set(r["fix_patterns"].split(";")))
        having += mended >= size / 2
    assert (having, judged) == (25, 29)
    assert found["frequent-fixes"]["value"] == round(having / judged, 6)


def test_only_the_abstract_has_published_values():
    for claim in load_claims():
        assert claim.stated_in in ("abstract", "not stated there")
        assert (claim.published is None) or claim.stated_in == "abstract"
        assert claim.compare in COMPARISONS
        assert claim.notebook in {p.stem for p in NOTEBOOKS.glob("*.ipynb")}


def test_every_quantity_answers_a_claim():
    assert set(QUANTITIES) == {c.quantity for c in load_claims()} - {""}


def test_findings_are_the_same_text_every_time(study, found):
    text = to_json(list(found.values()))
    assert to_json(findings(study)) == text
    assert text.endswith("}\n")
    assert "NaN" not in text
    assert "universes" not in text
    assert json.loads(text)["findings"][0]["value"] == 1131


def test_stored_findings_are_read(tmp_path, found):
    path = tmp_path / "findings.json"
    path.write_text(to_json(list(found.values())), encoding="utf-8")
    assert load_findings(path) == list(found.values())
    for content in ("{", "[]", "{}"):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(StudyError, match=r"findings\.json cannot be read; run python"):
            load_findings(path)
    with pytest.raises(StudyError, match="cannot be read"):
        load_findings(tmp_path / "none.json")


@pytest.mark.parametrize(("value", "unit", "text"), [
    (2683, "count", "2,683"), (0.5, "share", "50.0 %"), (1, "share", "100.0 %"),
    (-0.0923, "kappa", "-.092"), (1, "kappa", "1.000"), (0.9999, "kappa", "1.000"),
    (0, "effect", ".000"), (None, "count", ""), (float("nan"), "share", "")])
def test_printed(value, unit, text):
    assert printed(value, unit) == text


@pytest.mark.parametrize(("record", "text"), [
    ({"value": 0.5, "low": 0.4, "high": 0.6}, "50.0 % (40.0–60.0)"),
    ({"value": 0.5, "low": None, "high": None}, "50.0 %"),
    ({"value": 0.5, "low": 0.4, "high": 0.6, "label": "run"}, "run: 50.0 % (40.0–60.0)"),
    ({"value": None, "low": None, "high": None}, "–"),
    ({"value": 0.5, "low": 0.4, "high": 0.6, "unit": "kappa"}, ".500 (.400–.600)")])
def test_found_text(record, text):
    assert found_text({"unit": "share", "label": ""} | record) == text


def test_the_tables_print_what_was_found(found):
    rows = {r["claim"]: r for r in findings_table(list(found.values()))}
    row = rows[found["system-level"]["claim"]]
    assert (row["published"], row["found"]) == ("about half", "52.7 % (48.9–56.6)")
    assert row["robust"] == ""
    known = found["system-level"] | {
        "universes": {}, "parts": {"framework": "horovod", "there": 0.728972, "without": 0.322785}}
    assert findings_table([known])[0]["robust"] == (
        "Horovod: 72.9 % there, 32.3 % without it")
    known["universes"] = {"of": 54}
    assert findings_table([known])[0]["robust"].startswith("30.5 to 64.2 % over 9 readings, 3 of")
    page = markdown([known, found["candidates"]]).splitlines()
    assert len(page) == 4
    assert {line.count("|") for line in page} == {7}
    assert "[04_fixes](notebooks/04_fixes.ipynb)" in page[2]
    assert rows[found["agreement"]["claim"]]["found"].startswith("κ .9")
    assert rows[found["platform-difference"]["claim"]]["found"].startswith("V .1")
