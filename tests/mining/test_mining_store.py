"""The store: an answer is there with all its consequences, or not at all."""

import sqlite3
import zlib

import pytest

from mining.errors import StoreError
from mining.store.store import Store
from mining.transport.wire import Answer, Request

REQUEST = Request("github", "/x")


def answer(text):
    return Answer(REQUEST, 200, {"date": "x", "set-cookie": "secret"}, text)


def test_records_come_back_in_order_and_unchanged(tmp_path):
    with Store(tmp_path) as store:
        for text in ('{"a": "é🙂"}', "[]"):
            store.record("kind", answer(text), {"k": 1})
        got = list(store.answers())
    assert [r["body"] for r in got] == ['{"a": "é🙂"}', "[]"]
    assert got[0]["headers"] == {"date": "x"}
    assert got[1]["seq"] == 2


def test_a_failing_consequence_takes_the_answer_back(tmp_path):
    def fail():
        raise RuntimeError("no")

    with Store(tmp_path) as store:
        with pytest.raises(RuntimeError):
            store.record("kind", answer("[1]"), apply=fail)
        assert list(store.answers()) == []
        store.record("kind", answer("[2]"))
        assert [r["body"] for r in store.answers()] == ["[2]"]


def test_an_altered_answer_is_noticed(tmp_path):
    with Store(tmp_path) as store:
        store.record("kind", answer("[1]"))
        record, = store.db.execute("SELECT record FROM answer").fetchone()
        changed = zlib.compress(zlib.decompress(record).replace(b"[1]", b"[7]"))
        store.db.execute("UPDATE answer SET record=?", (changed,))
        with pytest.raises(StoreError, match=r"corpus\.sqlite: answer 1 .*altered"):
            list(store.answers())


def test_two_processes_cannot_write_one_store(tmp_path):
    with Store(tmp_path), pytest.raises(StoreError, match="in use by another"):
        Store(tmp_path)


def test_a_file_that_is_no_database_is_one_clear_line_and_stays(tmp_path):
    text = b"this is no database, only text" * 100
    (tmp_path / "corpus.sqlite").write_bytes(text)
    with pytest.raises(StoreError, match=r"corpus\.sqlite"):
        Store(tmp_path)
    assert (tmp_path / "corpus.sqlite").read_bytes() == text


def test_a_store_of_an_earlier_version_is_refused_by_name_and_kept(tmp_path):
    # Its index was once trusted over its data: 652,638 bytes of answers became 46,543.
    raw = tmp_path / "raw-001.jsonl.gz"
    raw.write_bytes(b"answers" * 1000)
    for reading in (True, False):
        with pytest.raises(StoreError, match=r"earlier version \(raw-001.jsonl.gz\)"):
            Store(tmp_path, reading=reading)
    assert raw.read_bytes() == b"answers" * 1000


def test_reading_cannot_change_the_file(tmp_path):
    with Store(tmp_path) as store:
        store.record("kind", answer("[1]"))
    before = (tmp_path / "corpus.sqlite").read_bytes()
    with Store(tmp_path, reading=True) as store:
        assert [r["body"] for r in store.answers()] == ["[1]"]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store.set("key", 1)
    assert (tmp_path / "corpus.sqlite").read_bytes() == before


def test_the_later_of_two_waits_stands(tmp_path):
    with Store(tmp_path) as store:
        store.waits.hold("github", 0, 100, "long")
        store.waits.hold("github", 0, 50, "short")
        assert store.waits.held(("github", "other"), 0) == (100, "long")
    with Store(tmp_path) as store:
        assert store.waits.held(("github",), 40) == (60, "long")


def test_a_wait_made_under_another_clock_is_no_longer_than_when_it_was_made(tmp_path):
    with Store(tmp_path) as store:
        store.waits.hold("github", 86_400, 60, "made a day ahead")
        assert store.waits.held(("github",), 0) == (60, "made a day ahead")
        assert store.waits.held(("github",), 60) == (0, "made a day ahead")
