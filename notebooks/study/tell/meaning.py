"""What the findings come to: which claims hold, what they hang on, how sure the labels are."""

from study.base.words import proper
from study.decide.claims import REPRODUCED, UNDER_READING, printed
from study.measure.composition import composition
from study.measure.intervals import MARGINS
from study.measure.kappa import stricter
from study.measure.label_error import headline_ranges
from study.measure.nulls import frequent_null, shared_null
from study.tell.sentences import Sentence, interval, listed, sample, share

# Shares that are also measured in every part of the sample, in words.
NAMES = {"shared-symptoms": "shared symptoms", "frequent-fixes": "frequent fix patterns",
         "system-level": "system-level configuration", "specific": "distributed-specific faults",
         "largest-stage": "faults in {label}", "largest-topic": "questions on {label}"}


def meaning(study, found):
    """The findings in a few paragraphs, every number computed.

    Parameters
    ----------
    study : Study
    found : list of dict
        As ``findings.findings`` returns it for the study.

    Returns
    -------
    Sentence
        A Markdown list.

    Examples
    --------
    >>> from study.decide.findings import load_findings
    >>> from study.tabulate.tables import load_study
    >>> str(meaning(load_study(), load_findings())).splitlines()[0]
    '- **Reproduced**, however read: 1,131 issues, 2 platforms and 4 frameworks.'
    """
    by_id = {record["id"]: record for record in found}
    parts = [_reproduced(found), *_words(study, by_id), _frameworks(study, by_id),
             _labels(study), f"**The sample**: {sample(study)}"]
    return Sentence("\n".join(f"- {part}" for part in parts if part))


def _reproduced(found):
    sure = [f"{printed(r['value'], r['unit'])} {r['id']}" for r in found
            if r["verdict"] == REPRODUCED]
    return f"**Reproduced**, however read: {listed(sure)}." if sure else ""


def _switched(record, option):
    """The value where one option is switched alone, as tables print it."""
    # An option that changes nothing has no row of its own.
    row = next((r for r in record["readings"] if r.get("option") == option), record)
    return printed(row["value"], record["unit"])


def _words(study, by_id):
    """What hangs on a word, and on which."""
    under = {name: r for name, r in by_id.items() if r["verdict"] == UNDER_READING}
    if r := under.get("categories"):
        yield (f"**{printed(r['published'], 'count')} categories** hangs on what a category is: "
               f"{printed(r['value'], 'count')} names of symptoms without the catch-all *others* "
               "and one combination of two names; with them "
               f"{_switched(r, 'name')}, counted by place in the taxonomy {_switched(r, 'path')}.")
    if r := under.get("shared-symptoms"):
        null = shared_null(study.faults)["others"]
        yield (f"**Shared symptoms** hangs on whose: {share(r['value'])} of the faults that are "
               "not distributed-specific carry a symptom of those that are, "
               f"{_switched(r, 'specific faults')} the other way round. Were the kinds dealt out "
               f"at random, it would be {share(null['mean'] / null['of'])} for the former, so "
               "they share less than chance gives.")
    if r := under.get("frequent-fixes"):
        null = frequent_null(study.faults)
        yield (f"**Frequent** hangs on how many patterns may count: three together mend half of "
               f"the faults of {share(r['value'])} of the symptoms, two of "
               f"{_switched(r, 'first 2')}, one of {_switched(r, 'first')}. With fix patterns "
               f"dealt out at random it would be {share(null['mean'] / null['of'])} for three.")
    if r := under.get("system-level"):
        near = [f"it {'lies' if m >= max(1 / 2 - r['low'], r['high'] - 1 / 2) else 'does not lie'} "
                f"within {100 * m:.0f} points of one half" for m in MARGINS]
        yield (f"**About half** hangs on *system-level* and on *about*: "
               f"{interval(r | {'share': r['value']})} with communication between processes, "
               f"{_switched(r, 'narrow')} without it, "
               f"{_switched(r, 'broad')} with devices and memory as well; {listed(near)}.")


def _frameworks(study, by_id):
    """What hangs on one framework, and what does not."""
    moved, table = [], composition(study)
    for name, record in by_id.items():
        if not (part := record.get("parts")):
            continue
        there, without = (share(part[k]) for k in ("there", "without"))
        text = (f"*{NAMES.get(name, '').format(label=record['label'])}* {there} in "
                f"{proper(part['framework'])}, {without} without it")
        if name == "largest-topic":
            rest = table[(table["sample"] == f"without {part['framework']}")
                         & table["quantity"].str.startswith("topic: ")]
            rest = rest.set_index(rest["quantity"].str.removeprefix("topic: "))["n"]
            rivals = [t for t in rest.index if t != record["label"]
                      and rest[t] >= rest[record["label"]]]
            text += f", where {listed(rivals)} is asked as often" if rivals else ""
        if alone := record.get("alone"):
            names = map(proper, alone["holds"] or ["none"])
            text += f" (by framework it holds for {listed(names)})"
        moved.append(text)
    still = [f"*{NAMES[name]}*" for name, record in by_id.items()
             if (record.get("alone") or {"of": 0})["of"] > 1 and not record["parts"]]
    return (("**Hangs on one framework**: " + "; ".join(moved) + ". " if moved else "")
            + (f"Whichever framework is left out, the interval of what is left holds the value of "
               f"{listed(still)}." if still else ""))


def _labels(study):
    """How sure the labels are."""
    error = headline_ranges(study)
    if study.agreement.empty or error.empty:
        return ""
    rows = stricter(study.agreement, study.codebook).set_index(["facet", "pairs"])
    decided, undecided, system = (rows.loc[key] for key in (
        ("symptom", "both decided"), ("symptom", "undecided disagrees"),
        ("system level", "both decided")))
    moved = error[["as_adjudicated", "as_raters"]].sub(error["share"], axis=0).abs().max(axis=1)
    once = int(study.faults.loc[study.faults["round"] == "pilot", "n"].sum())
    return (f"**How sure the labels are**: kappa of the two raters' symptoms is "
            f"{interval(decided, 'kappa')} over {decided['n']} pairs, and "
            f"{interval(undecided, 'kappa')} over {undecided['n']} where a label left undecided "
            f"counts as a disagreement; whether a fix is at system level they agree on with "
            f"{interval(system, 'kappa')}. What can be estimated of label error moves no headline "
            f"share by more than {100 * moved.max():.1f} points. But {once} of "
            f"{study.faults['n'].sum()} faults were labelled once, in the pilot: of them no kappa "
            "speaks.")
