"""Kill a mining process with SIGKILL at random points, again and again."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from fakeapi import FakeAPIs, ScaledClock

from ctrlc import hears_ctrl_c

DRIVE = Path(__file__).with_name("drive.py")
FACTOR = 300.0


def start(fake, clock, store, *extra, act="run", until="2022-12-31"):
    """A process that mines horovod from the fake."""
    environment = {**os.environ, **fake.environment(GITHUB_TOKEN="not-a-token",
                                                    STACKEXCHANGE_KEY="not-a-key")}
    return subprocess.Popen(
        [sys.executable, str(DRIVE), repr(clock.origin), str(clock.factor), act, "horovod",
         "--store", str(store), "--until", until, *extra], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        preexec_fn=None if os.name == "nt" else hears_ctrl_c)


def finish(fake, clock, store, *extra, **act):
    process = start(fake, clock, store, *extra, **act)
    _, error = process.communicate()
    assert process.returncode in (0, 4), error.decode()


def kill_at_random(fake, clock, store, kills, seed=0, most=4, extra=(), **act):
    """Kill ``kills`` times, each a few requests and a part of one into the work.

    The part is random over two requests as long as they take here and now: after a fixed time
    a slow machine would always be in the middle of one. ``fake.caught`` counts the kills that
    find a request without its answer: nobody can know it, so it is sent again. Returns the
    number of kills made: fewer where the work ended before.
    """
    rng, pace = random.Random(seed), 0.015
    for made in range(kills):
        before, first = fake.sent(), None
        process = start(fake, clock, store, *extra, **act)
        goal = before + rng.randint(1, most)
        while (n := fake.sent()) < goal and process.poll() is None:
            if n > before and first is None:
                first = time.monotonic(), n
            time.sleep(0.001)
        if first and n > first[1]:
            pace = (time.monotonic() - first[0]) / (n - first[1])
        time.sleep(rng.random() * 2 * pace)
        if process.poll() is not None:
            return made
        fake.caught += fake.waiting()
        process.kill()
        process.wait()
        process.stderr.close()
    return kills


def experiment(corpus, folder, kills, seed=0, extra=()):
    """Mine once in peace and once under fire.

    Returns
    -------
    dict
        kills, how many of them caught a request without its answer, requests in peace and
        under fire, both snapshots (name -> bytes), breaches.
    """
    found = {}
    for name in ("peace", "fire"):
        clock = ScaledClock(time.time(), FACTOR)
        with FakeAPIs(corpus, clock) as fake:
            store = folder / name
            if name == "fire":
                found["kills"] = kill_at_random(fake, clock, store, kills, seed, extra=extra)
            finish(fake, clock, store, *extra)
            found[name], found["caught"] = fake.sent(), fake.caught
            found[f"{name}_snapshot"] = {
                p.name: p.read_bytes() for p in sorted((store / "snapshot").iterdir())}
            found[f"{name}_breaches"] = fake.referee.breaches
    return found
