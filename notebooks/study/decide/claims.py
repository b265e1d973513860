"""The study's claims, and what this package finds about each."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from study.base.errors import StudyError
from study.base.paths import DATA, STUDY, shown
from study.base.words import suggestion
from study.decide.quantities import QUANTITIES

PATH = DATA / "claims.toml"
DIGITS = 6

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
    quantity: str = ""
    primary: str = ""
    figure: str = ""
    why: str = ""


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
    if claim.quantity not in QUANTITIES:
        raise StudyError(f"{where}: no function {claim.quantity!r} in notebooks/study/decide/"
                         f"quantities.py{suggestion(claim.quantity, QUANTITIES)}")
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
    value, low, high = (reading[k] for k in ("value", "low", "high"))
    if value is None or (claim.compare in ("within", "majority") and None in (low, high)):
        return False
    if claim.compare == "equal":
        return bool(value == claim.published)
    if claim.compare == "within":
        # Equivalence: the whole interval lies in the margin, not just the margin's middle in it.
        return bool(claim.published - claim.margin <= low
                    and high <= claim.published + claim.margin)
    if claim.compare == "majority":
        return bool(low > 1 / 2)
    return bool(value > 1 / 2)  # majority value: of all the symptoms there are, not a sample


def finding(claim, study):
    """What the study's labels say about one claim.

    Parameters
    ----------
    claim : Claim
    study : Study

    Returns
    -------
    dict
        The claim's keys; reading, value, low, high, n of the primary reading; verdict;
        readings (every reading with ``fits``), fitting (how many of them fit).
    """
    record = {"id": claim.id, "claim": claim.text, "stated_in": claim.stated_in,
              "source": claim.source, "margin": claim.margin,
              "published": claim.published, "published_as": claim.published_as,
              "unit": claim.unit, "notebook": claim.notebook,
              "figure": claim.figure, "why": claim.why, "reading": "", "label": "", "value": None,
              "low": None, "high": None, "n": None, "readings": [], "fitting": None,
              "quantity": claim.quantity, "compare": claim.compare}
    if claim.compare == "none":
        return record | {"verdict": NOT_DERIVABLE}
    table = QUANTITIES[claim.quantity](study)
    rows = [{"reading": r["reading"], "label": r["label"],
             **{k: _number(r[k]) for k in ("value", "low", "high", "n")}}
            for r in table.to_dict("records")]
    primary = next((r for r in rows if r["reading"] == claim.primary), None)
    if primary is None:
        near = suggestion(claim.primary, [r["reading"] for r in rows])
        raise StudyError(f"{shown(PATH)}, claim {claim.id!r}: {claim.quantity} has no reading "
                         f"{claim.primary!r}{near}")
    record |= primary
    if primary["value"] is None:
        return record | {"readings": rows, "verdict": NOT_DERIVABLE}
    if claim.compare == "derived":
        return record | {"readings": rows, "verdict": DERIVED}
    rows = [r | {"fits": fits(claim, r)} for r in rows]
    fitting = sum(r["fits"] for r in rows)
    verdict = (REPRODUCED if fitting == len(rows) else
               UNDER_READING if fits(claim, primary) else DIFFERS)
    return record | {"readings": rows, "fitting": fitting, "verdict": verdict}


def _number(value):
    """A count as int, a measure rounded, a missing value as None."""
    if value is None or value != value:
        return None
    return int(value) if float(value).is_integer() and abs(value) > 1 else round(float(value),
                                                                                  DIGITS)


# Claims whose quantity is also measured in every part of the sample.
MEASURED_AS = {"system-level": "system-level", "shared-symptoms": "shared-symptoms",
               "frequent-fixes": "frequent-fixes", "specific": "specific",
               "largest-stage": "stage: {label}", "largest-topic": "topic: {label}"}


def findings(study, claims=None, robustness=None, composition=None):
    """Every claim's finding, in the order of ``data/claims.toml``.

    Parameters
    ----------
    study : Study
    claims : list of Claim, optional
    robustness : pandas.DataFrame, optional
        As ``multiverse.summary`` returns it; adds ``universes`` to the claims it knows:
        how many there are, in how many the claim holds, the range of the value, and the
        decision it hangs on most.
    composition : pandas.DataFrame, optional
        As ``composition.composition`` returns it; adds ``parts`` to the claims it knows: a
        framework without which the value leaves its own interval's reach, the value there
        and the value without it.

    Returns
    -------
    list of dict
    """
    found = [finding(claim, study) for claim in (load_claims() if claims is None else claims)]
    known = {} if robustness is None else robustness.set_index("claim").to_dict("index")
    for record in found:
        if row := known.get(record["id"]):
            record["universes"] = {
                "of": int(row["universes"]), "holds": int(row["holds"]),
                "low": _number(row["low"]), "high": _number(row["high"]),
                "hangs_on": row["hangs_on"], "eta2": _number(row["eta2"])}
        if composition is not None and record["id"] in MEASURED_AS:
            record["parts"] = _parts(composition, record)
    return found


def _parts(composition, record):
    """The framework whose absence moves the value beyond the interval of what is left."""
    own = composition[composition["quantity"]
                      == MEASURED_AS[record["id"]].format(label=record["label"])]
    whole = own[own["kind"] == "all"]
    rest = own[(own["kind"] == "without") & own["share"].notna()]
    if whole.empty or rest.empty:
        return None
    share = whole["share"].iloc[0]
    far = rest[(rest["low"] > share) | (rest["high"] < share)]
    if far.empty:
        return None
    without = far.loc[(far["share"] - share).abs().idxmax()]
    name = without["sample"].removeprefix("without ")
    there = own.loc[(own["kind"] == "framework") & (own["sample"] == name), "share"]
    return {"framework": name, "there": _number(there.iloc[0]),
            "without": _number(without["share"]), "low": _number(without["low"]),
            "high": _number(without["high"])}


def load_findings(path=STUDY / "findings.json"):
    """The findings as the last run of ``reproduce.py`` stored them.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    list of dict

    Examples
    --------
    >>> load_findings()[0]["verdict"]
    'reproduced'
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))["findings"]
    except (OSError, ValueError, KeyError, TypeError):
        raise StudyError(f"{shown(path)} cannot be read; run python reproduce.py") from None


def to_json(found):
    """Text of ``findings.json``.

    Parameters
    ----------
    found : list of dict

    Returns
    -------
    str
    """
    return json.dumps({"findings": found}, indent=1, ensure_ascii=False) + "\n"


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


def found_text(record):
    """Value and interval of a finding in one phrase.

    Examples
    --------
    >>> found_text({"value": 0.5, "low": 0.4, "high": 0.6, "unit": "share", "label": ""})
    '50.0 % (40.0–60.0)'
    """
    if record["label"]:
        return f"{record['label']}: {found_text({**record, 'label': ''})}"
    value, unit = printed(record["value"], record["unit"]), record["unit"]
    if record["value"] is None or record["low"] is None:
        return value or "–"
    low, high = (printed(record[k], unit).removesuffix(" %") for k in ("low", "high"))
    return f"{value} ({low}–{high})"


def hangs_on(record):
    """What a finding hangs on, in words: the reading, a framework, or nothing that was tried.

    Examples
    --------
    >>> hangs_on({"readings": [], "unit": "share",
    ...           "parts": {"framework": "horovod", "there": 0.7, "without": 0.3}})
    'Horovod: 70.0 % there, 30.0 % without it'
    """
    said, unit = [], record["unit"]
    values = [r["value"] for r in record["readings"] if r["value"] is not None]
    if record.get("universes") and len(set(values)) > 1:
        low, high = (printed(v, unit) for v in (min(values), max(values)))
        fits = ("" if record["fitting"] is None
                else f", {record['fitting']} of which agree")
        said.append(f"{low.removesuffix(' %')} to {high} over {len(values)} readings{fits}")
    if part := record.get("parts"):
        there, without = (printed(part[k], unit) for k in ("there", "without"))
        said.append(f"{part['framework'].capitalize()}: {there} there, {without} without it")
    return "; ".join(said)


COEFFICIENTS = {"kappa": "κ ", "effect": "V "}


def findings_table(found):
    """The findings as rows of text.

    Parameters
    ----------
    found : list of dict

    Returns
    -------
    list of dict
        Keys claim, published, found, verdict, robust (what it hangs on), where.
    """
    rows = []
    for record in found:
        published = record["published"]
        rows.append({
            "claim": record["claim"],
            "published": record["published_as"] or (
                "–" if published is None else printed(published, record["unit"])),
            "found": COEFFICIENTS.get(record["unit"], "") + found_text(record),
            "verdict": record["verdict"], "robust": hangs_on(record),
            "where": record["notebook"]})
    return rows


def markdown(found):
    """The findings table of the README.

    Returns
    -------
    str
        A Markdown table, without a final line break.
    """
    head = ["What the study says, or leaves open", "Published", "Found here (95 % interval)",
            "Verdict", "What it hangs on", "Notebook"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in findings_table(found):
        link = f"[{row['where']}](notebooks/{row['where']}.ipynb)"
        lines.append("| " + " | ".join([row["claim"], row["published"], row["found"],
                                        row["verdict"], row["robust"] or "–", link]) + " |")
    return "\n".join(lines)
