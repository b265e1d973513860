"""The fake as one starts it by hand: any definition, and a world that misbehaves."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakeapi.__main__ import made, parser
from mining_field import Field

FOLDER = Path(__file__).with_name("fakeapi")
TABLES = ('name = "own"\ntitle = "Own"\nschema = 1\n'
          '[[github]]\nrepository = "someone/library"\nwith_labels = ["area: nccl"]\n'
          '[[github]]\nrepository = "someone/library"\nwith_labels = ["area: mpi"]\n'
          '[[stackoverflow]]\ntag = "library"\n')


@pytest.fixture
def served(tmp_path):
    """``served(*arguments)``: the fake of these arguments, and the command line at it."""
    started = []

    def start(*arguments):
        fake = made(parser().parse_args(arguments))
        mining = Field(tmp_path, fake.corpus)
        fake.clock, mining.fake = mining.clock, fake
        started.append(fake.__enter__())
        return mining

    yield start
    for fake in started:
        fake.__exit__()


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(TABLES, "utf-8")
    return str(path)


def test_help_and_a_definition_that_is_none():
    def run(*arguments):
        return subprocess.run([sys.executable, FOLDER, *arguments], capture_output=True,
                              encoding="utf-8", check=False,
                              env={**os.environ, "PYTHONUTF8": "1"})

    told = run("--help")
    assert told.returncode == 0
    assert all(o in told.stdout for o in ("--threads", "--vanish", "--lag", "--jump", "horovod"))
    wrong = run("nothing")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("fakeapi: no definition 'nothing'")
    assert wrong.stderr.count("\n") == 1


def test_any_definition_is_served_and_two_tables_of_one_repository(served, own):
    mining = served(own, "--threads", "300")
    threads = mining.run(name=own)
    truth = {i.number for i in mining.corpus.find("someone/library").visible()
             if i.closed and {"area: nccl", "area: mpi"} & set(i.labels)}
    assert {r["number"] for r in threads.values()
            if r["candidate"] and r["platform"] == "github"} == truth
    assert len(truth) > 20
    assert sum(r["platform"] == "stackoverflow" for r in threads.values()) == 150


@pytest.mark.parametrize("way", ["list", "search"])
def test_rows_that_vanish_between_pages(served, own, way):
    mining = served(own, "--threads", "600", "--vanish", "7")
    threads = mining.run("--way", way, name=own)
    live = {i.number for i in mining.corpus.find("someone/library").visible()
            if i.closed and {"area: nccl", "area: mpi"} & set(i.labels)}
    gone = sum(bool(i.fate) for i in mining.corpus.find("someone/library").issues.values())
    assert gone > 20
    assert live <= {r["number"] for r in threads.values() if r["candidate"]}


def test_an_index_that_learns_late_of_the_newest_threads(served, tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\ntitle = "Own"\nschema = 1\n'
                    '[[github]]\nrepository = "someone/library"\nway = "search"\n', "utf-8")
    mining = served(str(path), "--threads", "3000", "--lag", "30")
    hidden = set(mining.fake.github.hidden_from_search)
    assert hidden == set(sorted(mining.corpus.find("someone/library").issues)[-30:])
    threads = mining.run(name=str(path))
    assert mining.fake.sent("search") > 20
    assert {r["number"] for r in threads.values()} == mining.corpus.truth("someone/library")


@pytest.mark.parametrize("seconds", [-3600, 86_400])
def test_a_clock_that_jumps(own, seconds):
    fake = made(parser().parse_args([own, "--jump", str(seconds)]))
    before = [fake.clock.now() - time.time() for _ in range(20)]
    assert max(map(abs, before)) < 60
    assert abs(fake.clock.now() - time.time() - seconds) < 60
    fake.http.server_close()
