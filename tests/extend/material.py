"""Synthetic material: a framework, its threads, what two raters say of them.

Every text here is made up and says so; nothing comes from a real thread.
"""

import functools
import random
from pathlib import Path

from study.extend.canonical import ordered
from study.read.codebook import FAULT, QUESTION
from study.read.form import NOT_RELEVANT, item_of
from study.tabulate import tables

load_study = functools.cache(tables.load_study)  # read once for every test

FRAMEWORK = """\
name = "moelib"
title = "MoELib (synthetic)"
schema = 1
keywords = "study"
note = "A framework that exists in the tests only."

[[github]]
repository = "example/moelib"
state = "closed"
estimate = 100

[[stackoverflow]]
tag = "moelib"
keywords = false
estimate = 30
"""
SECRETS = ("ghp_SyntheticToken0123456789", "SyntheticKey((42")


def mined(folder, issues=120, questions=40, framework=FRAMEWORK):
    """Mine a synthetic corpus through the fake API; returns the snapshot's folder."""
    from fakeapi import Corpus, FakeAPIs, FastClock

    from mining.cli import main
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    definition = folder / "moelib.toml"
    definition.write_text(framework, encoding="utf-8", newline="\n")
    clock = FastClock()
    corpus = Corpus({"example/moelib": issues}, {"moelib": questions})
    with FakeAPIs(corpus, clock, (), secrets=SECRETS) as fake:
        environment = fake.environment(GITHUB_TOKEN=SECRETS[0], STACKEXCHANGE_KEY=SECRETS[1])
        for step in (["plan"], ["run", "--until", "2022-12-31", "--patience", "100000"]):
            code = main([step[0], str(definition), "--store", str(folder / "store"), *step[1:]],
                        clock, environment)
            if code:
                raise RuntimeError(f"mining {step[0]} ended with {code}")
    return folder / "store" / "snapshot"


def truth(tasks, seed=7, plain=False):
    """Labels for every thread: thread → issues, drawn from the study's own combinations.

    With ``plain`` every thread is one fault with one fix pattern.
    """
    rng, study = random.Random(seed), load_study()
    faults = study.faults[~study.faults["symptom"].isin(["others"])]
    if plain:
        faults = faults[~faults["fix_patterns"].str.contains(";")]
    questions = study.questions
    f_rows, q_rows = (t.to_dict("records") for t in (faults, questions))
    made = {}
    for task in tasks:
        n = 1 if plain or rng.random() < 0.9 else 2
        issues = []
        for _ in range(n):
            dice = rng.random()
            if plain or dice < 0.62:
                issues.append(fault(rng.choices(f_rows, [r["n"] for r in f_rows])[0]))
            elif dice < 0.95:
                row = rng.choices(q_rows, [r["n"] for r in q_rows])[0]
                issues.append({"issue_type": QUESTION, "topic": row["topic"],
                               "subtopic": row["subtopic"]})
            else:
                issues.append({"issue_type": NOT_RELEVANT})
        made[task.thread] = [{"note": "", "decided_at": ""} | i for i in issues]
    return made


def fault(row):
    """One fault's labels from a row of the study's table."""
    return {"issue_type": FAULT, "distributed_specific": str(row["distributed_specific"]),
            "stage": row["stage"], "group": row["group"], "symptom": row["symptom"],
            "fix_pattern": row["fix_patterns"]}


def rated(true, rater, seed=1, slip=0.12, missed=0.02):
    """What a rater says: the truth, but for slips."""
    rng = random.Random(f"{seed} {rater}")
    study = load_study()
    rows = study.faults[~study.faults["fix_patterns"].str.contains(";")].to_dict("records")
    asked, made = study.questions.to_dict("records"), {}
    for thread, issues in true.items():
        own = [dict(i) for i in issues]
        if len(own) > 1 and rng.random() < missed * 10:
            own = own[:1]
        for issue in own:
            if issue["issue_type"] == QUESTION and rng.random() < slip:
                row = rng.choice(asked)
                issue |= {"topic": row["topic"], "subtopic": row["subtopic"]}
            if rng.random() < slip / 3:
                row, kept = rng.choice(asked), {k: issue[k] for k in ("note", "decided_at")}
                issue.clear()
                issue |= kept | {"issue_type": QUESTION, "topic": row["topic"],
                                 "subtopic": row["subtopic"]}
            if issue["issue_type"] == FAULT:
                if rng.random() < slip:
                    other = fault(rng.choices(rows, [r["n"] for r in rows])[0])
                    issue |= {k: other[k] for k in ("stage", "group", "symptom")}
                if rng.random() < slip:
                    issue["fix_pattern"] = rng.choice(rows)["fix_patterns"]
                if rng.random() < slip:
                    issue["distributed_specific"] = "01"[issue["distributed_specific"] == "0"]
        made[thread] = own
    return made


def canonical(answers, tasks, number, rater):
    """Answers as canonical rows, written without the package's reader."""
    sources, rows = {t.thread: t for t in tasks}, []
    for thread, issues in answers.items():
        for n, issue in enumerate(issues, 1):
            note = issue.get("note", "")
            for facet, label in issue.items():
                if facet not in ("note", "decided_at") and label:
                    rows.append((item_of(thread, n), sources[thread].source, sources[thread].url,
                                 number, rater, facet, label, "", issue.get("decided_at", "")))
            if note:
                first = ordered([r for r in rows if r[0] == item_of(thread, n)])[0]
                rows[rows.index(first)] = (*first[:7], note, first[8])
    return ordered(rows)
