"""Measure the mining package against its targets and print the table.

Usage: ``python tests/bench_mining.py [--quick]``. Everything runs on loopback over
synthetic corpora; a full run takes some minutes, a quick one uses a tenth of the sizes.
Linux only (it reads /proc and kills with SIGKILL).
"""

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
from math import ceil
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "mining"), str(HERE.parent)]

import mining_field  # noqa: E402
import test_faults  # noqa: E402
import test_secrets  # noqa: E402
from fakeapi import Corpus, FakeAPIs, FastClock, ScaledClock  # noqa: E402
from fakeapi.corpus import BURST_DAY  # noqa: E402
from fakeapi.faults import Fault, drop, throttled  # noqa: E402
from killing import DRIVE, experiment  # noqa: E402

from mining import workplace  # noqa: E402
from mining.cli import main  # noqa: E402
from mining.transport.clock import from_iso  # noqa: E402

PATIENT = ("--until", "2022-12-31", "--patience", "100000")


def quiet(act, *arguments):
    """Run something without its printing; returns (result, text)."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        result = act(*arguments)
    return result, out.getvalue()


def mine(corpus, folder, *arguments, faults=(), token=True):
    """One run of horovod; returns the stopped fake, after checking that it ended well."""
    clock = FastClock()
    workplace.DATA = folder / "data"
    with FakeAPIs(corpus, clock, faults, secrets=(mining_field.TOKEN, mining_field.KEY)) as fake:
        environment = fake.environment(GITHUB_TOKEN=mining_field.TOKEN if token else "",
                                       STACKEXCHANGE_KEY=mining_field.KEY)
        code, text = quiet(main, ["run", "horovod", "--store", str(folder / "store"),
                                  *PATIENT, *arguments], clock, environment)
    assert code in (0, 4), text  # 4: the corpus has one of the two sources only
    fake.printed = text
    return fake


def manifest(folder):
    return json.loads((folder / "store" / "snapshot" / "manifest.json").read_text("utf-8"))


def requests_github(folder, size):
    n = 1000
    corpus = Corpus({"horovod/horovod": n}, {}, closed=1)
    issues = list(corpus.repositories["horovod/horovod"].issues.values())
    issues[5].n_comments, issues[5].is_pr = 150, False
    real = len(corpus.truth("horovod/horovod"))
    least = ceil(real / 50) + 1  # the overflowing thread has 50 more
    listed = mine(corpus, folder / "list", "--platform", "github")
    searched = mine(corpus, folder / "search", "--platform", "github", "--way", "search")
    got, other = listed.sent(), searched.sent("graphql")
    yield ("requests per 1,000 GitHub issues with all comments, token",
           "<= 21, the minimum", f"{got} = {got / least:.2f} x {least} "
           f"(of {real} issues, one with 150 comments; nothing but these requests)",
           got <= least == 21)
    yield ("  the same by search: requests for threads + pages searched", "-",
           f"{other} + {searched.sent('search')} + {searched.sent('core')} to resolve", True)
    del size


def requests_questions(folder, size):
    fake = mine(Corpus({}, {"horovod": 1000}), folder, "--platform", "stackoverflow")
    got, once = fake.sent("/questions"), fake.sent("/filters/create")
    yield ("requests per 1,000 questions with answers and comments", "<= 11 + overflow",
           f"{got} (and {once} for the filter, once for ever)", got <= 11)
    del size


def recall(folder, size):
    n = 50_000 // size
    corpus = Corpus({"horovod/horovod": n}, {}, burst=n // 10, pulls=0, comments=0, closed=1)
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.labels = ()
    fake = mine(corpus, folder, "--platform", "github", "--way", "search")
    found = manifest(folder)
    pages = fake.sent("search")
    wasted = pages - ceil((n - 1) / 99)  # each request repeats the last hit of the one before
    yield (f"recall on a {n:,}-hit query with a {n // 10:,}-hit day", "100 %",
           f"{found['threads'] / n:.2%} ({found['threads']:,}), whole: {found['whole']}",
           found["threads"] == n and found["whole"])
    yield ("  wasted probes per 1,000 hits", "<= 0.2",
           f"{wasted / n * 1000:.2f} ({wasted} of {pages} searches)", wasted / n * 1000 <= 0.2)


def burst(folder, size):
    corpus = Corpus({"horovod/horovod": 1800}, {}, burst=1500, pulls=0, comments=0, closed=1)
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.labels = ()
        if BURST_DAY <= issue.created < BURST_DAY + 86400:
            issue.created = BURST_DAY
    fake = mine(corpus, folder, "--platform", "github", "--way", "search")
    wasted = fake.sent("search") - ceil(1800 / 100)
    yield ("wasted searches where one second holds 1,500 of 1,800 hits", "<= 5",
           f"{wasted} of {fake.sent('search')}; {manifest(folder)['threads']:,} found",
           wasted <= 5 and manifest(folder)["threads"] == 1800)
    del size


def kills(folder, size):
    wanted = 100 // size
    corpus = Corpus({"horovod/horovod": 12_000 // size}, {"horovod": 5000 // size}, comments=1)
    got = experiment(corpus, folder, wanted, seed=7)
    same = got["fire_snapshot"] == got["peace_snapshot"]
    again, late = got["fire"] - got["peace"], got["fire"] - got["peace"] - got["caught"]
    text = f"identical snapshot: {same}; {again} requests repeated over {got['kills']} kills"
    yield (f"kill -9 at {wanted} random points",
           "0 lost, 0 doubled, <= 0.6 repeated each, same bytes", text,
           same and again <= 0.6 * wanted and got["kills"] == wanted)
    yield ("  of them in flight, which no client can spare; answered, but not stored yet", "-",
           f"{got['caught']}; {late}", True)
    yield ("  referee breaches under fire", "0", str(len(got["fire_breaches"])),
           not got["fire_breaches"])


def faults(folder, size):
    breaches, handled = 0, 0
    runs = 0
    for name, fault in test_faults.FAULTS.items():
        fault.seen = fault.done = 0
        fake = mine(Corpus(*test_faults.CORPUS), folder / name, faults=[fault])
        runs += 1
        breaches += len(fake.referee.breaches)
        handled += name in test_faults.THROTTLES and fault.done > 0
    for status in (403, 429):
        for form in ("seconds", "date", "reset", "message"):
            script = [Fault(b, throttled(status, form)) for b in ("search", "core")]
            fake = mine(Corpus({"horovod/horovod": 60}, {}), folder / f"{status}{form}",
                        "--way", "search", "--platform", "github", faults=script, token=False)
            runs += 1
            breaches += len(fake.referee.breaches)
    yield (f"referee breaches over {runs} fault scripts", "0", str(breaches), breaches == 0)
    yield ("forms of throttling handled", "12 of 12", f"{handled} of {len(test_faults.THROTTLES)}",
           handled == 12)
    del size


def secrets(folder, size):
    found, scripts = 0, [[], [Fault("core", test_secrets.echo)], [Fault("", drop, times=3)]]
    for place, script in enumerate(scripts):
        clock = FastClock()
        workplace.DATA = folder / "data"
        with FakeAPIs(Corpus({"horovod/horovod": 300}, {"horovod": 300}), clock, script) as fake:
            environment = fake.environment(GITHUB_TOKEN=mining_field.TOKEN,
                                           STACKEXCHANGE_KEY=mining_field.KEY)
            for act in (["run", "--until", "2022-12-31", "--way", "search"], ["export"],
                        ["status"]):
                name = [act[0], "horovod", "--store", str(folder / str(place)), *act[1:]]
                _, text = quiet(main, name, clock, environment)
                found += sum(s.decode() in text for s in test_secrets.SPELLINGS)
    found += len(test_secrets.leaks(folder))
    yield ("secrets found in store, logs, output, errors", "0", str(found), found == 0)
    del size


def driven(fake, clock, store, act, *arguments):
    """One command in a process of its own: (requests, seconds, peak memory in MB)."""
    environment = fake.environment(GITHUB_TOKEN="not-a-token", STACKEXCHANGE_KEY="not-a-key")
    before, begun = fake.sent(), time.time()
    done = subprocess.run(
        [sys.executable, str(DRIVE), repr(clock.origin), str(clock.factor), act, "horovod",
         "--store", str(store), *arguments], env={**environment, "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stderr
    peak = int(done.stdout.rsplit("VmHWM:", 1)[1].split()[0]) / 1024
    return fake.sent() - before, time.time() - begun, peak


def large(folder, size):
    """A run, and the update of its corpus, at 1,000 threads and at 100,000."""
    peaks = {}
    for n in (1000, 100_000 // size):
        corpus = Corpus({"horovod/horovod": n}, {"horovod": n // 20}, pulls=0, closed=1)
        clock, store = ScaledClock(time.time(), 1000.0), folder / str(n) / "store"
        with FakeAPIs(corpus, clock) as fake:
            whole, took, peaks[n] = driven(fake, clock, store, "run", *PATIENT)
            issues = list(corpus.repositories["horovod/horovod"].issues.values())
            for row in [*issues[:40], *list(corpus.questions.values())[:10]]:
                row.touch(from_iso("2023-06-01"))
            fake.github.found.clear()
            fake.stackexchange.sorted = None
            spent, seconds, peak = driven(fake, clock, store, "update")
    text = ", ".join(f"{n:,}: {peak:.0f} MB" for n, peak in peaks.items())
    yield ("peak memory of a whole run, by threads", "flat, <= 60 MB", text,
           max(peaks.values()) <= 60)
    yield (f"requests to bring {n + n // 20:,} threads up to a later day, 50 of them changed",
           "a handful", f"{spent} in {seconds:.0f} s, {peak:.0f} MB (mined anew: {whole} in "
           f"{took:.0f} s)", spent <= 5 and peak <= 60)


def table(measures, size):
    failed = 0
    print("| measure | to reach | measured | |\n|---|---|---|---|")
    for measure in measures:
        with tempfile.TemporaryDirectory() as name:
            for what, goal, got, good in measure(Path(name), size):
                failed += not good
                print(f"| {what} | {goal} | {got} | {'ok' if good else 'MISSED'} |", flush=True)
    return failed


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    options.add_argument("--only", help="one measure by its function's name")
    chosen = options.parse_args()
    every = (requests_github, requests_questions, recall, burst, kills, faults, secrets, large)
    begun = time.time()
    missed = table([m for m in every if chosen.only in (None, m.__name__)],
                   10 if chosen.quick else 1)
    print(f"\n{time.time() - begun:.0f} s; {missed} missed")
    sys.exit(1 if missed else 0)
