"""The quantities behind the claims: each takes a study and returns its readings.

Every function here may be named in ``data/claims.toml``. It returns a frame with the
columns reading, value, low, high, n (what the value rests on) and label (what it is the
value of, where the question is *which*); low and high are missing where there is no
interval.
"""

import pandas as pd

from study.base.words import JOIN
from study.measure import collection as collected
from study.measure.contrasts import comparison, independence
from study.measure.fixes import coverage, judge, system_level
from study.measure.intervals import shares, wilson
from study.measure.kappa import kappa_table
from study.measure.symptoms import categories as count_categories
from study.measure.symptoms import leaves
from study.measure.symptoms import shared_symptoms as share_symptoms

LEAVES = "repaired, by name, without others and without combinations of two names"
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


def categories(study):
    """Categories of symptoms under every way of counting them."""
    table = count_categories(study.faults, study.faults_as_filed)
    pairs = [(LEAVES, len(leaves(study.faults)))]
    for r in table.itertuples():
        what = (f"symptoms of {r.rare} faults or fewer {r.treatment}" if r.rare
                else "rare symptoms kept")
        what = what.replace("of 1 faults or fewer", "of one fault")
        pairs.append((f"{r.labels}, by {r.unit}, {what}", r.categories))
    return _counts(pairs)


def shared_symptoms(study):
    """Faults of one kind that carry a symptom of the other kind, in both directions."""
    rows = []
    for who, kind in (("other faults", 0), ("distributed-specific faults", 1)):
        for rest, without in (("", ""), (", without the symptom others", "others")):
            for same, level in (("by name", "symptom"), ("by path", "path")):
                faults = study.faults[study.faults["symptom"] != without] if without \
                    else study.faults
                if kind:
                    faults = faults.assign(distributed_specific=1 - faults["distributed_specific"])
                found = share_symptoms(faults, level)
                rows.append((f"{who}, {same}{rest}", found["share"], found["low"],
                             found["high"], found["others"]))
    return _readings(rows)


def frequent_fixes_readings():
    """The readings of *frequent*: patterns counted, share they must mend, unit, symptoms judged."""
    return [(top, threshold, unit, at_least)
            for top in (1, 2, 3) for threshold in (0.2, 0.3, 0.4, 0.5)
            for unit in ("symptom", "path") for at_least in (1, 5)]


def frequent_fixes_share(study):
    """Share of symptoms that have frequent fix patterns, under every reading of frequent."""
    rows, covered = [], {unit: coverage(study.faults, unit) for unit in ("symptom", "path")}
    for top, threshold, unit, at_least in frequent_fixes_readings():
        found = judge(covered[unit], [threshold], top, at_least).iloc[0]
        first = "first pattern mends" if top == 1 else f"first {top} patterns mend"
        judged = "all symptoms" if at_least == 1 else f"symptoms of {at_least} faults or more"
        rows.append((f"{first} {threshold:.0%} or more, by {'name' if unit == 'symptom' else unit}"
                     f", {judged}".replace("%", " %"),
                     found["share"], found["low"], found["high"], int(found["of"])))
    return _readings(rows)


def system_level_share(study):
    """Share of faults that concern system-level configuration, by reading."""
    parts = []
    for counting, words in (("any", "one pattern suffices"), ("all", "all patterns must"),
                            ("fractions", "by fractions")):
        table = system_level(study.faults, study.codebook, counting=counting)
        parts.append(_shares(table, lambda r, w=words: f"{r['reading']}, {w}"))
    return pd.concat(parts, ignore_index=True)


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


def symptom_kappa(study):
    """Cohen's kappa for the symptom, all rounds together and each, repaired and as filed."""
    rows = []
    for reading in ("repaired", "as filed"):
        for pooled in (True, False):
            table = kappa_table(study.agreement, ("symptom",), (reading,), pooled)
            if pooled and table.empty:
                rows.append((f"all rounds, {reading}", None, None, None, 0))
            rows += [(f"{'all rounds' if pooled else 'round ' + r['round']}, {reading}",
                      r["kappa"], r["low"], r["high"], int(r["n"])) for _, r in table.iterrows()]
    return _readings(rows)


def stage_by_platform(study):
    """Cramér's V (bias-corrected) of stage and platform."""
    found = independence(comparison(study, "stage by platform"), "stage by platform")
    return _readings([("stage by platform", found["v_corrected"], found["low"], found["high"],
                       found["n"])])


# Names as claims.toml uses them, where the function's own name is taken by an import.
QUANTITIES = {f.__name__: f for f in (
    issues, platforms, frameworks, categories, shared_symptoms, candidates, threads, fault_share,
    specific_share, stages, topics, pattern_coverage, symptom_kappa, stage_by_platform)}
QUANTITIES |= {"frequent_fixes": frequent_fixes_share, "system_level": system_level_share}
