"""A running fake with the command line pointed at it."""

import json
from pathlib import Path

from fakeapi import FakeAPIs, FastClock

from mining.cli import main

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
TOKEN, KEY = "ghp_SyntheticToken0123456789", "SyntheticKey((42"
UNTIL = "2022-12-31"


def rows(path):
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Field:
    """A fake with a corpus, and the command line pointed at it."""

    def __init__(self, folder, corpus, faults=(), **options):
        self.clock = FastClock()
        self.fake = FakeAPIs(corpus, self.clock, faults, secrets=(TOKEN, KEY), **options)
        self.folder, self.corpus, self.name = folder, corpus, "horovod"

    @property
    def store(self):
        return self.folder / "store"

    def __call__(self, act, *arguments, name=None, token=True, key=True, store=None):
        """Run one command; returns its exit code."""
        environment = self.fake.environment(GITHUB_TOKEN=TOKEN if token else "",
                                            STACKEXCHANGE_KEY=KEY if key else "")
        self.name = name or self.name
        return main([act, self.name, "--store", str(store or self.store), *arguments],
                    self.clock, environment)

    def run(self, *arguments, **options):
        """``run`` with a fixed window and all patience; must end well and fairly.

        A source may bring nothing (4), as many of these small corpora have one only.
        """
        code = self("run", "--until", UNTIL, "--patience", "100000", *arguments, **options)
        assert code in (0, 4)
        assert self.fake.referee.breaches == []
        return self.threads(options.get("store"))

    def threads(self, store=None):
        found = rows((store or self.store) / "snapshot" / "threads.jsonl")
        assert len({r["item"] for r in found}) == len(found)
        return {r["item"]: r for r in found}

    def comments(self):
        found = rows(self.store / "snapshot" / "comments.jsonl")
        assert len({r["comment"] for r in found}) == len(found)
        return {r["comment"]: r for r in found}

    def gone(self):
        return {r["item"]: r for r in rows(self.store / "snapshot" / "gone.jsonl")}

    def manifest(self):
        return json.loads((self.store / "snapshot" / "manifest.json").read_text("utf-8"))

    def snapshot(self, store=None):
        """Name -> bytes of every file of the snapshot."""
        folder = (store or self.store) / "snapshot"
        return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}
