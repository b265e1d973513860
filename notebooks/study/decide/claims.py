"""The study's claims, and when a value agrees with one."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from study.base.errors import StudyError
from study.base.paths import DATA, shown
from study.base.words import suggestion
from study.decide.answers import ANSWERS
from study.decide.decisions import load_decisions
from study.decide.quantities import QUANTITIES

PATH = DATA / "claims.toml"

REPRODUCED = "reproduced"
UNDER_READING = "reproduced under a stated reading"
DIFFERS = "differs"
NOT_DERIVABLE = "not derivable from the released data"
DERIVED = "derived"
VERDICTS = (REPRODUCED, UNDER_READING, DIFFERS, NOT_DERIVABLE, DERIVED)
COMPARISONS = ("equal", "within", "majority", "majority value", "derived", "none")
UNITS = ("count", "share", "kappa", "effect")


@dataclass(frozen=True)
class Claim:
    """One claim; the keys are explained in ``data/claims.toml``."""

    id: str
    text: str
    stated_in: str
    compare: str
    unit: str
    notebook: str
    published: float | None = None
    published_as: str = ""
    source: str = ""
    margin: float | None = None
    at_least: float | None = None
    quantity: str = ""
    primary: str = ""
    figure: str = ""
    why: str = ""
    decisions: dict = field(default_factory=dict)

    @property
    def stated(self):
        """The reading that the findings table takes: the first option of each decision."""
        return {name: options[0] for name, options in self.decisions.items()}

    @property
    def line(self):
        """The value the claim is measured against."""
        return next((v for v in (self.at_least, self.published) if v is not None), 1 / 2)


def load_claims(path=PATH):
    """Read and check the claims.

    Parameters
    ----------
    path : path-like, default ``data/claims.toml``

    Returns
    -------
    list of Claim

    Raises
    ------
    StudyError
        An unknown key, comparison or unit, a published value that is no number, two
        claims of one id, or a quantity that does not exist.

    Examples
    --------
    >>> load_claims()[0].published
    1131
    """
    path = Path(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("claim", [])
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; restore it from version control") from None
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{shown(path)}: {error}; mend the TOML there") from None
    except UnicodeDecodeError as error:
        raise StudyError(f"{shown(path)}: {error.reason} at byte {error.start}; "
                         "save it as UTF-8") from None
    if not isinstance(tables, list):
        raise StudyError(f"{shown(path)}: a claim starts with [[claim]], in two brackets")
    claims = []
    for number, table in enumerate(tables, 1):
        where = f"{shown(path)}, claim {table.get('id', number)!r}"
        try:
            claim = Claim(**table)
        except TypeError as error:
            raise StudyError(f"{where}: {str(error).split(') ', 1)[-1]}; allowed keys: "
                             f"{', '.join(Claim.__dataclass_fields__)}") from None
        _check(where, claim)
        if claim.id in (other.id for other in claims):
            raise StudyError(f"{where}: another claim has this id; rename one of them")
        claims.append(claim)
    return claims


def _check(where, claim):
    for key, allowed in (("compare", COMPARISONS), ("unit", UNITS)):
        if (value := getattr(claim, key)) not in allowed:
            raise StudyError(f"{where}: {key} = {value!r}; use one of {', '.join(allowed)}")
    if claim.published is not None and type(claim.published) not in (int, float):
        raise StudyError(f"{where}: published = {claim.published!r} is no number; "
                         "write it without quotes and commas")
    if claim.compare == "none":
        return
    known, module = ((ANSWERS, "answers") if claim.decisions else (QUANTITIES, "quantities"))
    if claim.quantity not in known:
        raise StudyError(f"{where}: no function {claim.quantity!r} in notebooks/study/decide/"
                         f"{module}.py{suggestion(claim.quantity, known)}")
    decisions = load_decisions() if claim.decisions else {}
    for name, options in claim.decisions.items():
        if name not in decisions:
            raise StudyError(f"{where}: no decision {name!r} in data/decisions.toml"
                             f"{suggestion(name, decisions)}")
        if not options:
            raise StudyError(f"{where}: the decision {name!r} has no options")
        for option in options:
            if option not in decisions[name].options:
                raise StudyError(f"{where}: {name!r} has no option {option!r} in "
                                 "data/decisions.toml"
                                 f"{suggestion(option, decisions[name].options)}")
    for key, needed in (("published", ("equal", "within")), ("margin", ("within",))):
        if claim.compare in needed and getattr(claim, key) is None:
            raise StudyError(f"{where}: compare = {claim.compare!r} needs the key {key!r}")


def fits(claim, reading):
    """Whether one reading agrees with the claim.

    Parameters
    ----------
    claim : Claim
    reading : mapping
        With value, low and high.

    Returns
    -------
    bool
        False where there is nothing to compare.
    """
    value, low, high = (None if reading[k] != reading[k] else reading[k]
                        for k in ("value", "low", "high"))
    if value is None or (claim.compare in ("within", "majority") and None in (low, high)):
        return False
    if claim.at_least is not None:
        # Raters who never differ have a kappa of 1 without an interval.
        return bool((value if low is None else low) > claim.at_least)
    if claim.compare == "equal":
        return bool(value == claim.published)
    if claim.compare == "within":
        # Equivalence: the whole interval lies in the margin, not just the margin's middle in it.
        return bool(claim.published - claim.margin <= low
                    and high <= claim.published + claim.margin)
    if claim.compare == "majority":
        return bool(low > 1 / 2)
    # Of all the symptoms there are, not of a sample; and what is derived fits nothing.
    return bool(claim.compare == "majority value" and value > 1 / 2)


def printed(value, unit):
    """A value as tables print it.

    Examples
    --------
    >>> printed(1131, "count"), printed(0.5275, "share"), printed(0.8041, "kappa")
    ('1,131', '52.8 %', '.804')
    """
    if value is None or value != value:
        return ""
    if unit == "count":
        return f"{value:,.0f}"
    if unit == "share":
        return f"{100 * value:.1f} %"
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text
