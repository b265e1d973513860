"""Measure mining from whole dumps against its targets and print the table.

Usage: ``python tests/bench_scale.py [--quick] [--only MEASURE] [--lxml PYTHON]``, with the main
environment's Python. The dumps are synthetic, up to 2 GB of them; a full run takes a quarter of an
hour and 5 GB of disk, a quick one a tenth. PYTHON is one that has lxml and pyarrow; without it the
comparison with lxml is left out. Processor seconds of the whole group of processes count, because
what else a machine does changes the clock's. Linux only (it reads /proc).
"""

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SCALE = ROOT / ".venv-scale" / "bin" / "python"
sys.path[:0] = [str(ROOT)]

TAGS = ["keras", "tensorflow", "pytorch", "horovod", "python", "c#", "javascript", "pandas", "r"]
SENTENCE = ("the model trains on two workers with distributed strategy and parallel input but "
            "each step waits for gradients of an optimizer so loss stays at nan while memory of "
            "the device grows until an error about shape or a tensor ends it")
WORDS = re.findall(r"\w+", SENTENCE)
# What the text of a synthetic row holds, as its bytes in the file and as the value they mean.
ODD = [("&lt;p&gt;a &amp;amp; b&lt;/p&gt;", "<p>a &amp; b</p>"), ("&#xA;&#xD;", "\n\r"),
       ("&quot;&apos;", "\"'"), ("é ü 漢字", "é ü 漢字")]
# What XML 1.0 forbids but dumps hold, and surrogates: lenient parsers lose such values.
FORBIDDEN = [("&#x0E;", "\x0e"), ("&#x0;", "\x00"), ("&#xD83D;&#xDE42;", "🙂"),
             ("&#xD83D;", "\ufffd")]


def row(number):
    """One synthetic post: attribute → (its bytes in the file, the value)."""
    rng = random.Random(number)
    answer = number % 3 == 2
    text, value = [], []
    for _ in range(rng.randrange(8, 40)):
        line = " ".join(rng.choices(WORDS, k=14))
        raw, meant = rng.choice(FORBIDDEN if rng.random() < 0.0005 else ODD)
        text.append(f"&lt;p&gt;{line}{raw}&lt;/p&gt;&#xA;")
        value.append(f"<p>{line}{meant}</p>\n")
    day = f"{2012 + number % 10}-{1 + number % 12:02d}-{1 + number % 28:02d}T10:11:12.667"
    cells = {"Id": number, "PostTypeId": 2 if answer else 1, "CreationDate": day,
             "Score": rng.randrange(-5, 90), "OwnerUserId": rng.randrange(1, 10**7)}
    if answer:
        cells["ParentId"] = number - 2
    else:
        # Of a whole site's questions about one in a hundred is about deep learning.
        tags = rng.sample(TAGS[4:], 2) if rng.random() > 0.01 else rng.sample(TAGS[:4], 2)
        cells |= {"Tags": f"|{'|'.join(tags)}|", "AnswerCount": 1,
                  "Title": f"Synthetic: {' '.join(rng.choices(WORDS, k=6))}",
                  "AcceptedAnswerId": number + 2}
    found = {key: (str(cell), cell) for key, cell in cells.items()}
    return found | {"Body": ("".join(text), "".join(value))}


def dump(path, megabytes):
    """A synthetic Posts.xml of about that size; the number of its rows."""
    n = size = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n')
        while size < megabytes * 1e6:
            n += 1
            cells = " ".join(f'{key}="{raw}"' for key, (raw, _) in row(n).items())
            size += file.write(f"  <row {cells} />\n")
        file.write("</posts>\n")
    return n


def measured(command, **options):
    """Run a command: (processor seconds of its group, peak megabytes of its group)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(list(map(str, command)), cwd=ROOT, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    peak = 0
    while process.poll() is None:
        peak = max(peak, resident(process.pid))
        time.sleep(0.2)  # oftener would cost the measured processes time
    assert process.returncode == 0, process.stderr.read().decode()
    process.stderr.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), peak / 1e6


def resident(group):
    """Bytes in memory of a group of processes; what they share counts once (Pss)."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[2]) == group:
                text = (stat.parent / "smaps_rollup").read_text()
                total += 1024 * int(re.search(r"^Pss:\s+(\d+)", text, re.M)[1])
        except OSError:
            continue
    return total


def ingest(source, out, *options):
    return [SCALE, "-m", "mining", "ingest", source, "--out", out, "--workers", "2", *options]


def speed(folder, size, chosen):
    """Processor seconds beside lxml, and each row beside what the generator meant."""
    source = folder / "Posts.xml"
    n = dump(source, 1000 / size)
    ours, _ = measured(ingest(source, folder / "so"))
    done = json.loads((folder / "so" / "done.json").read_text("utf-8"))
    wrong = different(folder / "so", n)
    yield (f"rows that differ from the generator's, of {n:,}", "0", f"{wrong}",
           wrong == 0 and done["rows"] == n)
    if not chosen.lxml:
        return
    theirs, _ = measured([chosen.lxml, HERE / "bench_scale.py", "--as-lxml", source,
                          folder / "lxml.parquet"])
    yield ("processor seconds of ingest ÷ lxml iterparse on the same file", "≤ 1.5",
           f"{ours:.1f} ÷ {theirs:.1f} = {ours / theirs:.2f}", ours / theirs <= 1.5)


def as_lxml(source, target):
    """The same columns of every row to one Parquet file, by lxml's iterparse."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from lxml import etree

    from mining.bulk.posts import INTEGERS, TEXTS, schema
    names, rows = {**INTEGERS, **TEXTS}, []
    with pq.ParquetWriter(target, schema(), compression="zstd",
                          use_dictionary=["tags", "licence"]) as writer:
        def flush():
            writer.write_table(pa.Table.from_pylist(rows, schema()))
            rows.clear()
        for _, element in etree.iterparse(source, tag="row", huge_tree=True, recover=True):
            try:
                cells = dict(element.attrib)
            except UnicodeDecodeError:  # a pair of surrogates: it loses the row
                cells = {}
            rows.append({names[k]: int(v) if k in INTEGERS else v for k, v in cells.items()
                         if k in names})
            if len(rows) == 20_000:
                flush()
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
        flush()


def different(folder, n):
    """Rows of the parts that are not what the generator meant."""
    code = ("import sys, pyarrow.parquet as pq\n"
            f"sys.path[:0] = [{str(HERE)!r}]\n"
            "from pathlib import Path\nfrom bench_scale import row\n"
            "from mining.bulk.posts import INTEGERS, TEXTS\n"
            "names, seen, wrong = {**INTEGERS, **TEXTS}, 0, 0\n"
            f"for path in Path({str(folder)!r}).rglob('*.parquet'):\n"
            "    for found in pq.read_table(path).to_pylist():\n"
            "        meant = {names[k]: v for k, (_, v) in row(found['id']).items()}\n"
            "        seen += 1\n"
            "        wrong += {k: v for k, v in found.items() if v is not None} != meant\n"
            f"print(wrong + abs(seen - {n}))")
    done = subprocess.run([SCALE, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return int(done.stdout)


def growth(folder, size, _):
    """Processor seconds and memory from small to large."""
    cost = {}
    for megabytes in (250, 500, 2000):
        source = folder / "Posts.xml"
        dump(source, megabytes / size)
        cost[megabytes] = measured(ingest(source, folder / "so"))
        shutil.rmtree(folder / "so")
    seconds = cost[2000][0] / cost[500][0]
    yield ("processor seconds at 2 GB ÷ 0.5 GB", "≤ 4.2",
           f"{cost[2000][0]:.1f} ÷ {cost[500][0]:.1f} = {seconds:.2f}", seconds <= 4.2)
    ratio, peak = cost[2000][1] / cost[250][1], cost[2000][1]
    yield ("peak memory at 2 GB ÷ 0.25 GB, and at 2 GB", "≤ 1.2, < 1,000 MB",
           f"{ratio:.2f}, {peak:.0f} MB", (ratio <= 1.2 or size > 1) and peak < 1000)


def further(folder, size, _):
    """A further definition beside the script that reads the dump again."""
    source = folder / "Posts.xml"
    dump(source, 1000 / size)
    measured(ingest(source, folder / "bulk" / "so"))
    ours, peak = measured([SCALE, "-m", "mining", "choose", "keras", "--bulk", folder / "bulk",
                           "--store", folder / "store"])
    theirs, _ = measured([sys.executable, HERE / "bench_scale.py", "--as-loop", source, "keras"])
    yield ("processor seconds of one pass of a line loop ÷ a further definition", "≥ 8",
           f"{theirs:.1f} ÷ {ours:.1f} = {theirs / ours:.1f}, {peak:.0f} MB", theirs / ours >= 8)


def as_loop(source, tag):
    """What a script usually does: every line as XML, the tag looked for, the words in its text."""
    import xml.etree.ElementTree as ET
    forbidden = re.compile(r"&#x(0?[0-8bceBCE]|1[0-9a-fA-F]|[dD][89a-fA-F]..);")
    found = 0
    with Path(source).open(encoding="utf-8") as file:
        for line in file:
            if "<row " in line:
                cells = ET.fromstring(forbidden.sub(" ", line)).attrib
                found += (f"|{tag}|" in cells.get("Tags", "") and "AcceptedAnswerId" in cells
                          and any(w in cells["Body"] for w in ("distributed", "parallel")))
    print(found)


def kills(folder, size, _):
    """SIGKILL of the group and of the parent alone, at random moments."""
    source, rng, wanted = folder / "Posts.xml", random.Random(1), 50 // min(size, 5)
    dump(source, 100)
    measured(ingest(source, folder / "peace", "--block", "1"))
    peace, made, same, rounds = sums(folder / "peace"), 0, 0, 0
    while made < wanted:
        fire = folder / f"fire{rounds}"
        rounds += 1
        for _ in range(5):
            process = subprocess.Popen(list(map(str, ingest(source, fire, "--block", "1"))),
                                       cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.3, 2.5))
            if process.poll() is None:
                made += 1
                (os.kill if made % 2 else os.killpg)(process.pid, signal.SIGKILL)
            process.wait()
        measured(ingest(source, fire, "--block", "1"))
        same += sums(fire) == peace
        shutil.rmtree(fire)
    time.sleep(1)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    left = listed.stdout.count(str(folder))
    yield (f"{made} kills of group and of parent, in {rounds} ingests: same files; processes left",
           "all; 0", f"{same} of {rounds}; {left}", same == rounds and not left)


def sums(folder):
    """Name → SHA-256 of every file that stays."""
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in folder.rglob("*") if p.is_file() and not p.name.startswith("lock")}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    options.add_argument("--only", help="one measure by its function's name")
    options.add_argument("--lxml", metavar="PYTHON", help="a Python with lxml and pyarrow")
    chosen = options.parse_args()
    size, missed, begun = 10 if chosen.quick else 1, 0, time.monotonic()
    print("| measure | to reach | measured | |\n|---|---|---|---|")
    for measure in (speed, growth, further, kills):
        if chosen.only in (None, measure.__name__):
            with tempfile.TemporaryDirectory() as name:
                for what, goal, got, good in measure(Path(name), size, chosen):
                    missed += not good
                    print(f"| {what} | {goal} | {got} | {'ok' if good else 'MISSED'} |", flush=True)
    print(f"\n{time.monotonic() - begun:.0f} s; {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-lxml"]:
        as_lxml(*sys.argv[2:])
    elif sys.argv[1:2] == ["--as-loop"]:
        as_loop(*sys.argv[2:])
    else:
        sys.exit(main())
