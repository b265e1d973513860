"""What this package finds about each claim: values, readings, verdicts, and the tables of them."""

import json
from pathlib import Path

from study.base.errors import StudyError
from study.base.paths import STUDY, shown
from study.base.words import proper, suggestion
from study.decide.claims import (
    DERIVED,
    DIFFERS,
    NOT_DERIVABLE,
    REPRODUCED,
    UNDER_READING,
    fits,
    load_claims,
    printed,
)
from study.decide.claims import PATH as CLAIMS
from study.decide.multiverse import multiverse, one_at_a_time, summary
from study.decide.quantities import QUANTITIES

DIGITS = 6


def finding(claim, study, universes=None):
    """What the study's labels say about one claim.

    Parameters
    ----------
    claim : Claim
    study : Study
    universes : pandas.DataFrame, optional
        As ``multiverse.multiverse`` returns it; made here where it is missing.

    Returns
    -------
    dict
        The claim's keys; reading, value, low, high, n of the stated reading; verdict; readings:
        where the claim depends on decisions the stated one and those that switch one decision
        alone, each with decision, option, fits and defence; else every row of its quantity;
        universes: of (how many readings there are), holds (how many agree with the claim),
        combinations, duplicates, low, high (of the value), hangs_on, eta2, or None.
    """
    record = {"id": claim.id, "claim": claim.text, "stated_in": claim.stated_in,
              "source": claim.source, "margin": claim.margin,
              "published": claim.published, "published_as": claim.published_as,
              "unit": claim.unit, "notebook": claim.notebook,
              "figure": claim.figure, "why": claim.why, "reading": "", "label": "", "value": None,
              "low": None, "high": None, "n": None, "readings": [], "universes": None,
              "quantity": claim.quantity, "compare": claim.compare}
    if claim.compare == "none":
        return record | {"verdict": NOT_DERIVABLE}
    if claim.decisions:
        universes = multiverse(study, [claim]) if universes is None else universes
        rows = _switched(one_at_a_time(universes, claim))
        record["universes"] = _summary(universes, claim)
        every, primary = record["universes"]["of"], rows[0]
        fitting = record["universes"]["holds"]
    else:
        rows = [{"reading": r["reading"], "label": r["label"],
                 **{k: _number(r[k]) for k in ("value", "low", "high", "n")}}
                for r in QUANTITIES[claim.quantity](study).to_dict("records")]
        primary = next((r for r in rows if r["reading"] == claim.primary), None)
        if primary is None:
            near = suggestion(claim.primary, [r["reading"] for r in rows])
            raise StudyError(f"{shown(CLAIMS)}, claim {claim.id!r}: {claim.quantity} has no "
                             f"reading {claim.primary!r}{near}")
        if claim.compare != "derived":
            rows = [r | {"fits": fits(claim, r)} for r in rows]
        every, fitting = len(rows), sum(r.get("fits", False) for r in rows)
    record |= {k: primary[k] for k in ("reading", "label", "value", "low", "high", "n")}
    record["readings"] = rows
    if primary["value"] is None:
        return record | {"verdict": NOT_DERIVABLE}
    if claim.compare == "derived":
        return record | {"verdict": DERIVED}
    return record | {"verdict": REPRODUCED if fitting == every else
                     UNDER_READING if fits(claim, primary) else DIFFERS}


def _switched(table):
    return [{"reading": f"{r['decision']}: {r['option']}" if r["decision"] else "as stated",
             "label": "", **{k: _number(r[k]) for k in ("value", "low", "high", "n")},
             "fits": bool(r["holds"]),
             **{k: r[k] for k in ("decision", "option", "defence")}}
            for r in table.to_dict("records")]


def _summary(universes, claim):
    row = summary(universes, [claim]).iloc[0]
    return {"of": int(row["readings"]), "holds": int(row["holds"]),
            "combinations": int(row["combinations"]), "duplicates": int(row["duplicates"]),
            "low": _number(row["low"]), "high": _number(row["high"]),
            "hangs_on": row["hangs_on"], "eta2": _number(row["eta2"])}


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


def findings(study, claims=None, universes=None, composition=None):
    """Every claim's finding, in the order of ``data/claims.toml``.

    Parameters
    ----------
    study : Study
    claims : list of Claim, optional
    universes : pandas.DataFrame, optional
        As ``multiverse.multiverse`` returns it; made here where it is missing.
    composition : pandas.DataFrame, optional
        As ``composition.composition`` returns it; adds to the claims it knows ``parts`` (a
        framework without which the value leaves its own interval's reach, the value there
        and the value without it) and ``alone`` (the frameworks of which alone the claim
        holds, and of how many, where there is a line to hold).

    Returns
    -------
    list of dict
    """
    claims = load_claims() if claims is None else claims
    found = [finding(claim, study, universes) for claim in claims]
    for claim, record in zip(claims, found, strict=True):
        if composition is not None and record["id"] in MEASURED_AS:
            own = composition[composition["quantity"]
                              == MEASURED_AS[record["id"]].format(label=record["label"])]
            record["parts"] = _parts(own)
            record["alone"] = None if claim.compare == "derived" else _alone(own, claim)
    return found


def _alone(own, claim):
    """The frameworks that hold the claim by themselves."""
    own = own[(own["kind"] == "framework") & own["share"].notna()]
    return {"holds": [r["sample"] for r in own.to_dict("records")
                      if fits(claim, r | {"value": r["share"]})], "of": len(own)}


def _parts(own):
    """The framework whose absence moves the value beyond the interval of what is left."""
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
    """What a finding hangs on, in words: single decisions, a framework, or nothing that was tried.

    Examples
    --------
    >>> hangs_on({"universes": None, "unit": "share",
    ...           "parts": {"framework": "horovod", "there": 0.7, "without": 0.3}})
    'Horovod: 70.0 % there, 30.0 % without it'
    """
    said, unit = [], record["unit"]
    if every := record["universes"]:
        low, high = (printed(every[k], unit) for k in ("low", "high"))
        said.append(f"{low.removesuffix(' %')} to {high} over {every['of']:,} readings")
        turns = {}
        for r in record["readings"][1:]:
            if r["fits"] != record["readings"][0]["fits"]:
                turns.setdefault(r["decision"], []).append(
                    f"{r['option']}: {printed(r['value'], unit)}")
        if turns:
            said.append("turned by " + ", ".join(
                f"{decision} ({', '.join(options)})" for decision, options in turns.items()))
        elif 0 < every["holds"] < every["of"]:
            said.append("no decision turns it alone")
    if part := record.get("parts"):
        there, without = (printed(part[k], unit) for k in ("there", "without"))
        said.append(f"{proper(part['framework'])}: {there} there, {without} without it")
    if (alone := record.get("alone")) and len(alone["holds"]) < alone["of"]:
        said.append("by framework it holds for "
                    + (" and ".join(map(proper, alone["holds"])) or "none"))
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
