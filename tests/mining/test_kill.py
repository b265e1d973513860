"""SIGKILL and Ctrl-C: nothing lost, nothing doubled, at most one request sent again a kill."""

import os
import signal
import subprocess
import sys
import time

import pytest
from fakeapi import Corpus, FakeAPIs, ScaledClock
from killing import experiment, finish, start

from mining.store.store import Store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


@pytest.mark.parametrize("way", ["list", "search"])
def test_kill_nine_at_random_points(tmp_path, way):
    corpus = Corpus({"horovod/horovod": 1400}, {"horovod": 300}, comments=1)
    got = experiment(corpus, tmp_path, kills=5, extra=("--way", way))
    assert got["kills"] == 5
    assert got["fire_snapshot"] == got["peace_snapshot"]
    assert got["fire"] <= got["peace"] + got["kills"]
    assert got["fire_breaches"] == got["peace_breaches"] == []


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_closed_terminal_stop_cleanly_and_say_how_to_go_on(tmp_path, word):
    clock = ScaledClock(time.time(), 60.0)
    corpus = Corpus({"horovod/horovod": 3000}, {})
    with FakeAPIs(corpus, clock) as fake:
        process = start(fake, clock, tmp_path / "store")
        while fake.sent() < 5:
            time.sleep(0.002)
        process.send_signal(word)
        _, error = process.communicate(timeout=20)
        assert process.returncode == 130
        text = error.decode()
        assert "Traceback" not in text
        assert "what came is kept. Go on with: python -m mining run horovod" in text
        finish(fake, clock, tmp_path / "store")
        assert fake.sent() <= 3 + 60 + 2


def test_a_full_disk_is_one_line_and_loses_nothing(field, monkeypatch, capsys):
    mining = field()
    real = Store.__init__

    def small(store, *arguments, **options):
        real(store, *arguments, **options)
        store.db.execute("PRAGMA max_page_count=24")  # SQLite's own full disk

    monkeypatch.setattr(Store, "__init__", small)
    assert mining("run", "--until", "2022-12-31") == 2
    error = capsys.readouterr().err
    assert "disk is full" in error
    assert error.count("\n") == 1
    assert "Go on with" in error
    monkeypatch.setattr(Store, "__init__", real)
    mining.run()
    assert all(r["complete"] for r in mining.threads().values())


def test_the_module_runs_from_anywhere(tmp_path):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    done = subprocess.run([sys.executable, "-m", "mining", "plan", "horovod"], cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0
    assert "Nothing was sent" in done.stdout
