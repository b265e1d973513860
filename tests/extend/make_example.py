"""Make ``data/extensions/example``: synthetic threads, synthetic labels, real-life faults.

``python tests/extend/make_example.py`` writes it anew; a test compares it with what is
committed. Nothing in it comes from a real thread, and every text says so.
"""

# ruff: noqa: E402
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "mining"), str(HERE.parents[2]),
                str(HERE.parents[2] / "notebooks")]

import material
import plant

from study.base.files import publish
from study.extend import folder, versions
from study.extend.adjudicate import disagreements
from study.extend.adjudicate import workbook as decisions_book
from study.extend.counts import counts, write
from study.extend.decided import decisions_file
from study.extend.handed_in import read_round
from study.extend.packed import repacked
from study.extend.start import start
from study.extend.workbook import workbook
from study.read.codebook import UNDECIDED

NAME, TITLE = "example", "MoELib (synthetic)"
NEW = "expert imbalance"
# What a real rater hands in: a few faults of many kinds in each sheet.
SLIPS = {"R1": ("put", (2, 3, 4, 5, 6, 7, 13, 16)), "R2": ("put", (3, 5, 6, 26, 27))}
ROWS = {"R1": [plant.merged, plant.a_date, plant.hidden_row, plant.doubled_other],
        "R2": [plant.shifted_right, plant.formula, plant.split_item, plant.link_for_item]}


def make(target, scratch):
    """Make the example in a folder called ``example``.

    Parameters
    ----------
    target : path-like
    scratch : path-like
        For the mining store.
    """
    target = Path(target)
    snapshot = material.mined(scratch, issues=110, questions=36)
    publish(target / "framework.toml", material.FRAMEWORK.replace("in the tests", "here"))
    publish(target / "snapshot" / "threads.jsonl", (snapshot / "threads.jsonl").read_bytes())
    start(str(target), target / "snapshot", 80, rounds=2, title=TITLE,
          forms=("xlsx", "labelstudio"))
    (target / ".gitignore").unlink()  # all of it is synthetic, and published
    own = folder.Extension(target)
    true = labels(own.tasks())
    said = {r: propose(material.rated(true, r, seed=11), true, r) for r in ("R1", "R2")}
    for number in own.plan["rounds"]:
        tasks = own.tasks(number)
        for rater in own.plan["raters"]:
            publish(own.sheets / f"round{number}-{rater}.xlsx", workbook(
                tasks, number, rater, own.codebook(number),
                {t.thread: said[rater][t.thread] for t in tasks}, TITLE))
    for rater in own.plan["raters"]:
        hand_in(own, rater)
    accept(own)
    for number in own.plan["rounds"]:
        decide(own, number, true)
    tables, texts = counts(own)
    write(own, tables, texts)


def labels(tasks):
    """The synthetic truth: like the study's, with more out of memory, and a new symptom."""
    rng, true = random.Random(4), material.truth(tasks, seed=21)
    for issues in true.values():
        for issue in issues:
            if issue["issue_type"] == "fault":
                dice = rng.random()
                if dice < 0.2:
                    issue |= {"distributed_specific": "1", "stage": "training & evaluation",
                              "group": "program failure", "symptom": "out of memory",
                              "fix_pattern": "fix memory/core setting"}
                elif dice < 0.3:
                    issue |= {"distributed_specific": "1", "stage": "training & evaluation",
                              "group": "unexpected performance", "symptom": NEW,
                              "fix_pattern": "fix communication configuration"}
    return true


def propose(said, true, rater):
    """Raters write the new symptom as theirs; some cells they leave undecided."""
    rng = random.Random(f"doubts of {rater}")
    for thread, issues in said.items():
        for n, issue in enumerate(issues):
            if issue.get("symptom") == NEW:
                issue |= {"symptom": f"new: {NEW}", "note": "synthetic: a few experts get most "
                          "tokens" if rater == "R1" and not n else ""}
            elif issue["issue_type"] == "fault" and rng.random() < 0.03:
                issue["fix_pattern"] = UNDECIDED
            if true[thread][0]["issue_type"] == "fault" and rng.random() < 0.04:
                issue["note"] = "synthetic: not sure"
    return said


def hand_in(own, rater):
    """The first round as first handed in, before the check sent it back."""
    source = own.sheets / f"round1-{rater}.xlsx"
    path = own.path("handed_in") / source.name
    publish(path, source.read_bytes())
    book = plant.Book(path, random.Random(f"slips of {rater}"))
    chosen = [p for n in SLIPS[rater][1] for p in plant.CELLS if p.number == n][::2]
    for planter in [*ROWS[rater], *chosen]:
        try:
            planter(book)
        except StopIteration:
            continue  # no row is left that fits
    book.save()
    path.write_bytes(repacked(path.read_bytes()))


def accept(own):
    """The proposed symptom becomes one of the second codebook version."""
    made = versions.propose(own)
    rows = [p | {"decision": "add", "name": NEW, "why": "synthetic: no symptom covers it",
                 "parents": "training & evaluation/unexpected performance",
                 "definition": "A few experts of a mixture get most of the tokens, so that some "
                               "devices wait for others.",
                 "when": "Use when the routing is named; use 'low efficiency' instead when only "
                         "the speed is."} for p in made]
    publish(own.path("proposals.csv"), folder.csv_text(versions.PROPOSALS,
                                                       [list(r.values()) for r in rows]))
    versions.accept(own)


def decide(own, number, true):
    """Every disagreement settled by the truth."""
    checked, decisions = read_round(own, number), {}
    found = disagreements(checked)
    for entry in found:
        thread, _, n = entry["item"].rpartition("/")
        issues = true[thread]
        if entry["facet"] == "counted":
            label = "yes" if int(n) <= len(issues) else "no"
        else:
            label = issues[min(int(n), len(issues)) - 1].get(entry["facet"], "")
            label = f"new: {NEW}" if label == NEW else label
        decisions[entry["item"], entry["facet"]] = (
            (label, "R1 and R2", "synthetic: read again together") if label else ("", "", ""))
    publish(decisions_file(own, number), decisions_book(
        found, own.plan["raters"], number, own.tasks(number), own.codebook(number), decisions,
        TITLE))


if __name__ == "__main__":
    import shutil
    import tempfile

    from study.base.paths import DATA
    place = DATA / "extensions" / NAME
    shutil.rmtree(place, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        make(place, Path(scratch))
    print(f"made {place.relative_to(DATA.parent).as_posix()}")
