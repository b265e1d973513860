"""Claims: when a value agrees, and every way to write a claim down wrongly."""

import json

import pytest

from study.base.errors import StudyError
from study.base.paths import NOTEBOOKS
from study.decide.answers import ANSWERS
from study.decide.claims import COMPARISONS, Claim, fits, load_claims, printed
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


def test_only_the_abstract_has_published_values():
    for claim in load_claims():
        assert claim.stated_in in ("abstract", "not stated there")
        assert (claim.published is None) or claim.stated_in == "abstract"
        assert claim.compare in COMPARISONS
        assert claim.notebook in {p.stem for p in NOTEBOOKS.glob("*.ipynb")}


def test_every_quantity_answers_a_claim():
    assert set(QUANTITIES) | set(ANSWERS) == {c.quantity for c in load_claims()} - {""}


@pytest.mark.parametrize(("value", "unit", "text"), [
    (2683, "count", "2,683"), (0.5, "share", "50.0 %"), (1, "share", "100.0 %"),
    (-0.0923, "kappa", "-.092"), (1, "kappa", "1.000"), (0.9999, "kappa", "1.000"),
    (0, "effect", ".000"), (None, "count", ""), (float("nan"), "share", "")])
def test_printed(value, unit, text):
    assert printed(value, unit) == text
