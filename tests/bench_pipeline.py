"""How long counting and analysing takes, and how much memory, for up to a million issues.

Run it by hand; it is no part of the tests: ``python tests/bench_pipeline.py [ROWS …]``.
The issues are synthetic: labels of the codebook, drawn at random with a seed.
"""

import dataclasses
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "notebooks"))

import numpy as np
import pandas as pd
import psutil

from study.base.seeds import generator
from study.measure.contrasts import comparisons
from study.measure.fixes import coverage, system_level
from study.measure.symptoms import taxonomy
from study.read.codebook import FAULT, QUESTION, load_codebook
from study.tabulate.counts import collection_counts, fault_counts, question_counts
from study.tabulate.tables import load_study

SIZES = (10_000, 100_000, 1_000_000)
FRAMEWORKS = ("horovod", "keras", "pytorch", "tensorflow", "keras;tensorflow")


def synthetic_issues(rows, codebook):
    """Issues as ``tabulate.final_issues`` returns them, and a list of candidates.

    Parameters
    ----------
    rows : int
    codebook : Codebook

    Returns
    -------
    tuple of two pandas.DataFrame
    """
    rng = generator(f"synthetic issues {rows}")

    def draw(options, skew=True):
        weight = 1 / np.arange(1, len(options) + 1) if skew else np.ones(len(options))
        return rng.choice(len(options), size=rows, p=weight / weight.sum())

    def pick(options, skew=True):
        return np.array(options, dtype=object)[draw(options, skew)]

    places = [(*(*parent.split("/"), "")[:2], entry.name)
              for entry in codebook.entries["symptom"] for parent in entry.parents]
    topics = [(topic, "") for topic in codebook.names("topic")]
    fault = rng.random(rows) < 0.56
    place, topic = draw(places), draw(topics)
    first, second = pick(codebook.names("fix_pattern")), pick(codebook.names("fix_pattern"))
    both = (rng.random(rows) < 0.05) & (first != second)
    pairs = np.where(first < second, first + ";" + second, second + ";" + first)
    github = rng.random(rows) < 0.7
    number = rng.integers(0, max(1, int(rows * 0.95)), size=rows)
    table = pd.DataFrame({
        "thread": "synthetic#" + pd.Series(number).astype(str),
        "platform": np.where(github, "GitHub", "Stack Overflow"),
        "frameworks": pick(FRAMEWORKS),
        "issue_type": np.where(fault, FAULT, QUESTION),
        "topic": np.where(fault, "", np.array([t[0] for t in topics], object)[topic]),
        "subtopic": "",
        "distributed_specific": np.where(fault, pick(["1", "0"]), ""),
        **{name: np.where(fault, np.array([p[i] for p in places], object)[place], "")
           for i, name in enumerate(("stage", "group", "symptom"))},
        "fix_patterns": np.where(fault, np.where(both, pairs, first), ""),
        "candidate": pick(["yes", "no"]), "round": pick(["1", "2", "3", "4", "5", "pilot"]),
    })
    table["issues_in_thread"] = table.groupby("thread")["thread"].transform("size")
    candidates = table.drop_duplicates("thread")[["thread", "platform", "frameworks"]]
    return table, candidates


def count(issues, candidates):
    """The three count tables."""
    faults = fault_counts(issues)
    faults["distributed_specific"] = faults["distributed_specific"].astype(int)
    return {"faults": faults, "questions": question_counts(issues),
            "collection": collection_counts(candidates, issues)}


def analyse(study):
    """What the notebooks ask of the counts."""
    for level in ("stage", "group", "symptom"):
        taxonomy(study.faults, level, study.codebook)
    for by in ("symptom", "path", "stage", "all"):
        coverage(study.faults, by, codebook=study.codebook)
    for counting in ("any", "all", "fractions"):
        system_level(study.faults, study.codebook, counting=counting)
    comparisons(study)


class Peak:
    """Highest resident memory of this process while a block runs, above where it began."""

    def __enter__(self):
        self.process, self.over = psutil.Process(), threading.Event()
        self.start = self.top = self.process.memory_info().rss
        self.watch = threading.Thread(target=self._watch, daemon=True)
        self.watch.start()
        return self

    def _watch(self):
        while not self.over.wait(0.005):
            self.top = max(self.top, self.process.memory_info().rss)

    def __exit__(self, *error):
        self.over.set()
        self.watch.join()
        self.bytes = self.top - self.start


def measure(rows):
    """Seconds and bytes of one size, in this process."""
    codebook = load_codebook()
    study = load_study(codebook=codebook)
    analyse(study)  # imports and first calls are no part of the measure
    issues, candidates = synthetic_issues(rows, codebook)
    with Peak() as counting:
        start = time.perf_counter()
        tables = count(issues, candidates)
        counted = time.perf_counter() - start
    assert tables["faults"]["n"].sum() + tables["questions"]["n"].sum() == rows
    with Peak() as analysing:
        start = time.perf_counter()
        analyse(dataclasses.replace(study, **tables))
        analysed = time.perf_counter() - start
    return {"rows": rows, "lines": len(tables["faults"]) + len(tables["questions"]),
            "counted": counted, "analysed": analysed,
            "counting": counting.bytes, "analysing": analysing.bytes}


def main(arguments):
    """Print a table; each size is measured in a process of its own."""
    if arguments[:1] == ["--one"]:
        print(json.dumps(measure(int(arguments[1]))))
        return 0
    head = ("rows", "lines counted", "tabulate: s", "peak, MB", "bytes a row", "analyse: s",
            "peak, MB", "bytes a row")
    print("Synthetic issues; peak: resident memory above what was there before, issues included.\n"
          "Sparse tables (few rows) cost a fixed amount more: Monte Carlo instead of chi-square.")
    print("  ".join(f"{h:>13}" for h in head))
    for rows in map(int, arguments or SIZES):
        done = subprocess.run([sys.executable, __file__, "--one", str(rows)], check=True,
                              capture_output=True, text=True)
        r = json.loads(done.stdout)
        cells = [f"{r['rows']:,}", f"{r['lines']:,}"]
        for seconds, peak in (("counted", "counting"), ("analysed", "analysing")):
            cells += [f"{r[seconds]:.2f}", f"{r[peak] / 1e6:.1f}", f"{r[peak] / rows:.0f}"]
        print("  ".join(f"{c:>13}" for c in cells), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
