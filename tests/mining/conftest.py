"""Fixtures of the mining tests; what they are made of lies in ``mining_field``."""

import pytest
from fakeapi import Corpus
from mining_field import SHARED, Field

from mining import workplace


@pytest.fixture
def shared():
    """The folder of recorded and official material beside the checkout."""
    if not (SHARED / "fixtures").is_dir():
        pytest.skip("the folder shared/fixtures beside the checkout is absent")
    return SHARED / "fixtures"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Keep waits out of the project's own data folder."""
    monkeypatch.setattr(workplace, "DATA", tmp_path / "data")


@pytest.fixture
def field(tmp_path):
    """``field(corpus, faults)`` starts a fake; all are stopped at the end."""
    started = []

    def start(corpus=None, faults=(), **options):
        corpus = corpus or Corpus({"horovod/horovod": 230}, {"horovod": 130})
        made = Field(tmp_path, corpus, faults, **options)
        made.fake.__enter__()
        started.append(made.fake)
        return made

    yield start
    for fake in started:
        fake.__exit__()
