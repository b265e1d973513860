"""Time and memory of ``label check`` on a sheet of 100,000 rows.

Run by hand with the environment's Python: ``.venv/bin/python tests/bench_extend.py``. It ends
with 1 where a limit is broken.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "notebooks"), str(ROOT)]

ROWS, SECONDS, MEGABYTES = 100_000, 5.0, 300


def make(folder, form):
    """A filled sheet with ROWS rows and some hundred faults, and its plan."""
    from study.base.files import publish
    from study.extend.folder import TASKS, csv_text, json_text
    from study.extend.grid import csv_sheet
    from study.read.codebook import load_codebook
    from study.read.form import Task
    from study.tabulate.tables import load_study
    rng, study = random.Random(1), load_study()
    rows = study.faults.to_dict("records")
    weights = [r["n"] for r in rows]
    tasks = [Task(f"gh:example/moelib#{i}", "GitHub-moelib", f"Synthetic thread {i}",
                  f"Synthetic body of {i}. " * 4, "Synthetic comment") for i in
             range(1, ROWS + 1)]
    answers = {}
    for task, row in zip(tasks, rng.choices(rows, weights, k=ROWS), strict=True):
        answers[task.thread] = [{
            "issue_type": "fault", "distributed_specific": str(row["distributed_specific"]),
            "stage": row["stage"], "group": row["group"], "symptom": row["symptom"] if
            rng.random() > 0.002 else rng.choice(["hagn", "Hang", "OOM", "?"]),
            "fix_pattern": row["fix_patterns"], "note": "", "decided_at": ""}]
    plan = {"name": "bench", "title": "bench", "raters": ["R1", "R2"], "rounds": {"1": ROWS},
            "codebook": {"1": load_codebook().version}, "annotators": {}}
    publish(folder / "plan.json", json_text(plan))
    publish(folder / "sample.csv", csv_text(TASKS, [
        (i, t.thread, t.source, t.url, "1", t.title, t.excerpt, t.resolution)
        for i, t in enumerate(tasks, 1)]))
    path = folder / "sheets" / f"round1-R1.{form}"
    if form == "csv":
        publish(path, csv_sheet(tasks, answers))
    else:
        from study.extend.workbook import workbook
        publish(path, workbook(tasks, "1", "R1", load_codebook(), answers))
    return path


# In a process of its own: memory that made the sheet must not count.
MEASURE = """
import os, resource, sys, time
begin = time.perf_counter()
from study.extend.cli import main
code = main(["check", sys.argv[1], "--out", sys.argv[2]])
wall, used = time.perf_counter() - begin, os.times()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
if os.path.exists("/proc/self/status"):  # ru_maxrss of Linux counts the parent's, too
    line = next(x for x in open("/proc/self/status") if x.startswith("VmHWM"))
    peak = int(line.split()[1]) / 1024
print(f"{wall:.2f} {used.user + used.system:.2f} {peak:.0f} {code}")
"""


def main():
    broken = False
    for form in ("csv", "xlsx"):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder) / "bench"
            folder.mkdir()
            path = make(folder, form)
            done = subprocess.run(
                [sys.executable, "-c", MEASURE, str(folder), str(folder / "found.csv")],
                capture_output=True, text=True, check=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path[:2])})
            wall, seconds, megabytes, code = done.stdout.strip().splitlines()[-1].split()
            # Processor time: what else the machine does is no matter of ours.
            ok = float(seconds) <= SECONDS and float(megabytes) <= MEGABYTES and code == "2"
            broken |= not ok
            print(f"{form}: {ROWS:,} rows, {path.stat().st_size >> 20} MiB: {seconds} s "
                  f"({wall} s by the clock), {megabytes} MB{'' if ok else '  ← over the limit'}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
