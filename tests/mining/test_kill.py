"""SIGKILL and Ctrl-C: nothing lost, nothing doubled, at most one request sent again a kill."""

import os
import signal
import subprocess
import sys
import time

import pytest
from fakeapi import Corpus, FakeAPIs, ScaledClock
from killing import experiment, finish, start

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


@pytest.mark.parametrize("way", ["list", "search"])
def test_kill_nine_at_random_points(tmp_path, way):
    corpus = Corpus({"horovod/horovod": 1400}, {"horovod": 300}, comments=1)
    got = experiment(corpus, tmp_path, kills=5, extra=("--way", way))
    assert got["kills"] == 5
    assert got["fire_snapshot"] == got["peace_snapshot"]
    assert got["fire"] <= got["peace"] + got["kills"]
    assert got["fire_breaches"] == got["peace_breaches"] == []


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path):
    clock = ScaledClock(time.time(), 60.0)
    corpus = Corpus({"horovod/horovod": 3000}, {})
    with FakeAPIs(corpus, clock) as fake:
        process = start(fake, clock, tmp_path / "store")
        while fake.sent() < 5:
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=20)
        assert process.returncode == 130
        text = error.decode()
        assert "Traceback" not in text
        assert "what came is kept. Go on with: python -m mining run horovod" in text
        finish(fake, clock, tmp_path / "store")
        assert fake.sent() <= 3 + 60 + 2


def test_a_full_disk_is_one_line_and_loses_nothing(field, monkeypatch, capsys):
    mining = field()
    real, calls = os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    assert mining("run", "--until", "2022-12-31") == 2
    error = capsys.readouterr().err
    assert "No space left on device" in error
    assert "Go on with" in error
    monkeypatch.setattr(os, "fsync", real)
    mining.run()
    assert all(r["complete"] for r in mining.threads().values())


def test_the_module_runs_from_anywhere(tmp_path):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    done = subprocess.run([sys.executable, "-m", "mining", "plan", "horovod"], cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0
    assert "Nothing was sent" in done.stdout
