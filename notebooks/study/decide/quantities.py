"""The quantities behind claims of one reading: each takes a study and returns its rows.

Every function here may be named in ``data/claims.toml``; those behind claims of several readings
are in :mod:`study.decide.answers`. It returns a frame with the
columns reading, value, low, high, n (what the value rests on) and label (what it is the
value of, where the question is *which*); low and high are missing where there is no
interval.
"""

import pandas as pd

from study.base.words import JOIN
from study.measure import collection as collected
from study.measure.contrasts import comparison, independence
from study.measure.fixes import coverage
from study.measure.intervals import shares, wilson

COLUMNS = ["reading", "value", "low", "high", "n", "label"]


def _readings(rows):
    return pd.DataFrame([(*row, "") for row in rows], columns=COLUMNS)


def _counts(pairs):
    return _readings([(reading, int(n), None, None, int(n)) for reading, n in pairs])


def _shares(table, label):
    return _readings([(label(r), r["share"], r["low"], r["high"], int(r["of"]))
                      for r in table.to_dict("records")])


def issues(study):
    """Issues of the final table."""
    return _counts([("rows of the final table",
                     study.faults["n"].sum() + study.questions["n"].sum())])


def platforms(study):
    """Platforms that issues come from."""
    used = study.collection[study.collection["issues"] > 0]
    return _counts([("platforms of the final table", used["platform"].nunique())])


def frameworks(study):
    """Frameworks that issues concern."""
    used = study.collection[study.collection["issues"] > 0]
    names = {f for cell in used["frameworks"] for f in cell.split(JOIN)}
    return _counts([("frameworks the authors named", len(names))])


def _by_platform(study, column):
    table = collected.funnel(study.collection)
    return _counts([("both platforms" if r["platform"] == "all" else r["platform"], r[column])
                    for _, r in table.iterrows()])


def candidates(study):
    """Candidate threads, by platform."""
    return _by_platform(study, "candidates")


def threads(study):
    """Labelled threads, by platform."""
    return _by_platform(study, "threads")


def fault_share(study):
    """Share of issues that are faults, by platform."""
    table = collected.kinds(study.collection)
    total = wilson([table["n"].sum()], [table["of"].sum()]).assign(platform="both platforms")
    return _shares(pd.concat([total, table], ignore_index=True), lambda r: r["platform"])


def specific_share(study):
    """Share of faults that are distributed-specific, by stage."""
    own = study.faults.assign(hit=study.faults["n"] * study.faults["distributed_specific"])
    sums = own.groupby("stage")[["hit", "n"]].sum().reset_index()
    sums = pd.concat([pd.DataFrame([{"stage": "all stages", "hit": sums["hit"].sum(),
                                     "n": sums["n"].sum()}]), sums], ignore_index=True)
    table = pd.concat([sums[["stage"]], wilson(sums["hit"], sums["n"])], axis=1)
    return _shares(table, lambda r: r["stage"])


def stages(study):
    """Share of faults in each stage; the most frequent one first."""
    return _ranked(shares(study.faults, "stage"), "stage")


def topics(study):
    """Share of questions on each topic; the most frequent one first."""
    return _ranked(collected.topics(study.questions), "topic")


def _ranked(table, name):
    readings = _shares(table, lambda r: r[name])
    if table.empty:
        return _readings([("most frequent", None, None, None, 0)])
    first = readings.iloc[:1].assign(reading="most frequent", label=table[name].iloc[0])
    return pd.concat([first, readings], ignore_index=True)


def pattern_coverage(study):
    """Faults that the first, first two, first three patterns of their symptom mend."""
    table = coverage(study.faults, "symptom")
    rows = []
    for k, reading in ((1, "first pattern"), (2, "first two"), (3, "first three")):
        found = wilson([table[f"top_{k}"].sum()], [table["n"].sum()]).iloc[0]
        rows.append((reading, found["share"], found["low"], found["high"], int(found["of"])))
    return _readings(rows)


def stage_by_platform(study):
    """Cramér's V (bias-corrected) of stage and platform."""
    found = independence(comparison(study, "stage by platform"), "stage by platform")
    return _readings([("stage by platform", found["v_corrected"], found["low"], found["high"],
                       found["n"])])


QUANTITIES = {f.__name__: f for f in (
    issues, platforms, frameworks, candidates, threads, fault_share, specific_share, stages, topics,
    pattern_coverage, stage_by_platform)}
