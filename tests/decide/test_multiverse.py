"""Universes counted by hand, and a second computation of twenty of them by plain loops."""

import dataclasses
import itertools
import random

import pandas as pd
import pytest

from smallstudy import faults, study, table
from study.decide.claims import load_claims
from study.decide.multiverse import (
    CLAIMS,
    DECISIONS,
    decisions_of,
    explained,
    multiverse,
    stated,
    subsets,
    summary,
    to_text,
    universes,
)

# As filed, several patterns are never split, so counting them is no choice there.
SIZES = {"categories": 2 * 4 * 3, "shared-symptoms": 2 * 2 * 3 * 4 * 2,
         "frequent-fixes": (2 + 1) * 2 * 3 * 2 * 3 * 4 * 2, "system-level": (2 + 1) * 2 * 3 * 3,
         "agreement": 2 * 3}


@pytest.fixture(scope="module")
def every(study):
    return multiverse(study)


def test_every_combination_once(every):
    assert set(CLAIMS) == set(SIZES)
    for claim, size in SIZES.items():
        combinations = {tuple(u.values()) for u in universes(claim)}
        assert len(universes(claim)) == len(combinations) == size
        own = every[every["claim"] == claim]
        assert len(own) == size
        assert tuple(stated(claim).values()) in combinations
        used = [c for c in DECISIONS if own[c].notna().any()]
        assert sorted(used) == sorted(decisions_of(claim))
        assert set(map(tuple, own[list(decisions_of(claim))].to_numpy())) == combinations


def test_the_stated_universe_is_the_one_the_findings_table_takes(every, study):
    from study.decide.claims import findings
    claims = [c for c in load_claims() if c.id in CLAIMS]
    for record in findings(study, claims):
        own = every[every["claim"] == record["id"]]
        for name, option in stated(record["id"]).items():
            own = own[own[name] == option]
        assert own["value"].item() == pytest.approx(record["value"], abs=1e-6)


def test_subsets_hold_every_round_and_the_whole(study):
    found = subsets(study).set_index(["claim", "subset"])
    assert found.loc[("system-level", "all"), "value"] == pytest.approx(336 / 637)
    assert found.loc[("system-level", "pilot out"), "n"] == 637 - 319
    assert found.loc[("agreement", "round 3"), "n"] == 54


def loop_sample(lines, universe):
    """Faults of a universe as dicts with a weight, by plain loops."""
    rows = lines("faults" if universe["labels"] == "repaired" else "faults_as_filed")
    kept = []
    for r in rows:
        share = int(r["issues_in_thread"]) if universe.get("unit") == "thread" else 1
        kept.append({**r, "n": int(r["n"]), "w": int(r["n"]) / share})
    kept = composed(kept, universe.get("composition", "as labelled"), lines)
    rare = universe.get("rare symptoms", "kept")
    if rare != "kept":
        limit, sizes = int(rare.removeprefix("folded at ")), {}
        for r in kept:
            sizes[place(r)] = sizes.get(place(r), 0) + r["n"]
        for r, small in [(r, sizes[place(r)] <= limit) for r in kept]:
            r["symptom"] = "others" if small else r["symptom"]
    return kept


def composed(rows, how, lines):
    """Weights by framework, or by stratum of the candidates; to the effective number."""
    if how == "as labelled":
        return rows
    sums, listed = {}, {}
    for r in rows:
        names = r["frameworks"].split(";")
        for f in names:
            sums[f] = sums.get(f, 0) + r["n"] / len(names)
    for r in lines("collection"):
        names = r["frameworks"].split(";")
        for f in names:
            own = listed.setdefault((r["platform"], f), [0, 0])
            own[0] += int(r["candidates"]) / len(names)
            own[1] += int(r["threads"]) / len(names)

    def extra(r):
        names = r["frameworks"].split(";")
        one = {f: 1 / sums[f] for f in names}
        if how == "by candidate lists":
            one = {f: listed[r["platform"], f][0] / listed[r["platform"], f][1] for f in names}
        return sum(one.values()) / len(names)

    scale = (sum(extra(r) * r["n"] for r in rows)
             / sum(extra(r) ** 2 * r["n"] for r in rows))
    return [{**r, "w": r["w"] * extra(r) * scale} for r in rows]


def place(r):
    return r["stage"], r["group"], r["symptom"]


def shares_of(r, universe):
    """Pattern → weight within one fault."""
    names = r["fix_patterns"].split(";")
    return dict.fromkeys(names, 1 if universe["several patterns"] == "each" else 1 / len(names))


def loop_frequent(lines, universe):
    symptoms = {}
    for r in loop_sample(lines, universe):
        key = place(r) if universe["same symptom"] == "by path" else r["symptom"]
        symptoms.setdefault(key, []).append(r)
    least = 5 if universe["symptoms judged"].startswith("5") else 1
    top = {"first": 1, "first 2": 2, "first 3": 3}[universe["patterns counted"]]
    needed = int(universe["frequent from"].removesuffix(" %")) / 100
    judged = having = 0
    for own in symptoms.values():
        if sum(r["n"] for r in own) < least:
            continue
        judged += 1
        totals = {}
        for r in own:
            for name, part in shares_of(r, universe).items():
                totals[name] = totals.get(name, 0) + r["w"] * part
        first = sorted(totals, key=lambda name, t=totals: (-round(t[name], 9), name))[:top]
        mended = sum(r["w"] * min(1, sum(shares_of(r, universe).get(name, 0) for name in first))
                     for r in own)
        having += mended / sum(r["w"] for r in own) >= needed - 1e-9
    return having / judged, judged


def loop_system(lines, universe, codebook):
    counted = codebook.system_level(universe["system level"])
    hit = of = 0
    for r in loop_sample(lines, universe):
        of += r["w"]
        parts = shares_of(r, universe)
        if universe["labels"] == "repaired":
            hit += r["w"] * min(1, sum(w for name, w in parts.items() if name in counted))
        else:
            (name,) = parts
            split = codebook.split(name)
            hit += r["w"] * bool(split and counted & set(split[0]))
    return hit / of, round(of)


def loop_shared(lines, universe):
    rows = loop_sample(lines, universe)
    def key(r):
        return place(r) if universe["same symptom"] == "by path" else r["symptom"]
    specific = {key(r) for r in rows if r["distributed_specific"] == "1"}
    other = [r for r in rows if r["distributed_specific"] == "0"]
    total = sum(r["w"] for r in other)
    return sum(r["w"] for r in other if key(r) in specific) / total, round(total)


def loop_categories(lines, universe):
    rows, sizes = loop_sample(lines, {"labels": universe["labels"]}), {}
    for r in rows:
        sizes[place(r)] = sizes.get(place(r), 0) + r["n"]
    rare = universe["rare symptoms"]
    limit = 0 if rare == "kept" else int(rare.removeprefix("folded at "))
    kept = {p: n for p, n in sizes.items() if n > limit}
    if universe["category"] == "by path":
        return len(kept), sum(kept.values())
    names = {p[2] for p in kept}
    if universe["category"] == "leaf by name":
        both = "unexpected parallelization & device"  # of two names in the released table
        names -= {"others"} | ({both} if "unexpected parallelization" in names
                               and "unexpected device" in names else set())
    return len(names), sum(kept.values())


@pytest.mark.parametrize("claim", ["categories", "shared-symptoms", "frequent-fixes",
                                   "system-level"])
def test_twenty_universes_by_plain_loops(every, study, lines, claim):
    how = {"categories": loop_categories, "shared-symptoms": loop_shared,
           "frequent-fixes": loop_frequent,
           "system-level": lambda rows, u: loop_system(rows, u, study.codebook)}[claim]
    own = every[every["claim"] == claim].to_dict("records")
    for row in random.Random(f"twenty of {claim}").sample(own, 20):
        value, n = how(lines, {name: row[name] for name in decisions_of(claim)})
        assert row["value"] == pytest.approx(value, abs=1e-9), row
        assert row["n"] == n, row


def test_kappa_universes_by_plain_loops(every, lines):
    rows = [r for r in lines("agreement") if r["facet"] == "symptom" and r["scope"] == "agreed"]
    readings = {"all": "repaired", "none": "as filed"}
    own = every[every["claim"] == "agreement"].to_dict("records")
    for row in random.Random("twenty kappas").sample(own, len(own)):
        reading = readings.get(row["repairs"], row["repairs"])
        pairs = []
        for r in rows:
            two = [r["label_1"], r["label_2"]]
            if (r["reading"] != reading or "missing" in two
                    or (row["undecided"] == "excluded" and "undecided" in two)):
                continue
            if row["undecided"] == "as disagreement":
                two = [f"{label} {i}" if label == "undecided" else label
                       for i, label in enumerate(two)]
            pairs.append((*two, int(r["n"])))
        n = sum(p[2] for p in pairs)
        po = sum(k for a, b, k in pairs if a == b) / n
        pe = sum(k * other for (a, _, k), (_, b, other) in itertools.product(pairs, pairs)
                 if a == b) / n**2
        assert row["n"] == n
        assert row["value"] == pytest.approx((po - pe) / (1 - pe), abs=1e-9)


def test_holds_is_the_criterion_of_each_claim(every):
    own = dict(list(every.groupby("claim")))
    assert (own["categories"]["holds"] == (own["categories"]["value"] == 30)).all()
    system = own["system-level"]
    assert (system["holds"] == ((system["low"] >= 0.4) & (system["high"] <= 0.6))).all()
    assert (own["shared-symptoms"]["holds"] == (own["shared-symptoms"]["low"] > 0.5)).all()
    assert (own["frequent-fixes"]["holds"] == (own["frequent-fixes"]["value"] > 0.5)).all()
    kappa = own["agreement"]
    assert (kappa["holds"] == (kappa["low"] > 0.8)).all()


def test_summary_of_the_committed_counts(every):
    found = summary(every).set_index("claim")
    assert found["universes"].to_dict() == SIZES
    assert found["holds"].to_dict() == {"categories": 3, "shared-symptoms": 96,
                                        "frequent-fixes": 657, "system-level": 18,
                                        "agreement": 4}
    assert found["hangs_on"].to_dict() == {
        "categories": "rare symptoms", "shared-symptoms": "rare symptoms",
        "frequent-fixes": "patterns counted", "system-level": "system level",
        "agreement": "repairs"}
    assert found["eta2"].between(0, 1).all()
    own = every[every["claim"] == "system-level"]["value"]
    assert found.loc["system-level", ["low", "high"]].tolist() == [own.min(), own.max()]


def test_explained_by_hand():
    group = pd.DataFrame({"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"],
                          "value": [1.0, 2.0, 5.0, 6.0]})
    # mean 3.5; total 2.5² + 1.5² + 1.5² + 2.5² = 17; a: 4 · 2² = 16; b: 4 · 0.5² = 1
    assert explained(group, "a") == pytest.approx(16 / 17)
    assert explained(group, "b") == pytest.approx(1 / 17)
    assert explained(group.assign(value=3.0), "a") == 0
    assert explained(group.assign(value=float("nan")), "a") == 0
    assert explained(group.assign(value=[1.0, float("nan"), 5.0, 5.0]), "a") == pytest.approx(1)


def test_the_order_of_rows_means_nothing(every, study):
    turned = dataclasses.replace(study, faults=study.faults.iloc[::-1],
                                 faults_as_filed=study.faults_as_filed.iloc[::-1],
                                 agreement=study.agreement.iloc[::-1])
    claims = ["categories", "shared-symptoms", "system-level"]
    pd.testing.assert_frame_equal(
        multiverse(turned, claims),
        every[every["claim"].isin(claims)].reset_index(drop=True), rtol=1e-12,
        check_dtype=False)


SMALL = study(faults=faults("""
    distributed_specific | symptom | fix_patterns                         | issues_in_thread | n
    1                    | hang    | change hardware;fix dependency version | 2              | 4
    1                    | hang    | fix dependency version                | 1               | 3
    0                    | leak    | .                                     | 1               | 1
"""))


def test_universes_of_a_small_study_by_hand():
    found = multiverse(SMALL, ["system-level"])
    own = found[(found["labels"] == "repaired") & (found["composition"] == "as labelled")]
    own = own.set_index(["unit", "several patterns", "system level"])
    values = own["value"].to_dict()
    assert values["issue", "each", "narrow"] == 7 / 8
    assert values["issue", "fractions", "narrow"] == 5 / 8
    assert values["thread", "each", "narrow"] == 5 / 6
    assert values["thread", "fractions", "narrow"] == 4 / 6
    assert own["n"].to_dict()["thread", "each", "narrow"] == 6


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("small", [study(), SMALL, study(questions=table("questions", "n\n3"))])
def test_a_study_without_much_has_universes_without_values(small):
    found = multiverse(small, [c for c in CLAIMS if c != "frequent-fixes"])
    assert found.loc[found["value"].isna(), "holds"].eq(0).all()
    assert found.loc[found["claim"] == "agreement", "value"].isna().all()
    assert len(summary(found)) == len(CLAIMS) - 1
    lines = to_text(found).splitlines()
    assert len(lines) == len(found) + 1
    assert "nan" not in to_text(found)


@pytest.mark.filterwarnings("error")
def test_frequent_fixes_of_no_fault():
    found = multiverse(study(), ["frequent-fixes"])
    assert found["value"].isna().all()
    assert found["n"].eq(0).all()


def test_no_claims_no_universes():
    assert multiverse(study(), []).empty


def test_text_is_the_same_every_time(every, study):
    assert to_text(multiverse(study, ["agreement"])) == to_text(
        every[every["claim"] == "agreement"])
    head, first = to_text(every).splitlines()[:2]
    assert head.startswith("claim,labels,unit,composition")
    assert first.startswith("categories,repaired,,,kept,")
