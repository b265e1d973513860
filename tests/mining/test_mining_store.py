"""The store: an answer is there with all its consequences, or not at all."""

import gzip

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


def test_raw_file_is_plain_gzip_json_lines(tmp_path):
    with Store(tmp_path) as store:
        store.record("kind", answer("[]"))
        store.record("kind", answer("{}"))
    with gzip.open(tmp_path / "raw-001.jsonl.gz", "rt", encoding="utf-8") as file:
        assert len(file.readlines()) == 2


def test_bytes_after_the_last_commit_are_cut_off(tmp_path):
    with Store(tmp_path) as store:
        store.record("kind", answer("[1]"))
        size = (tmp_path / "raw-001.jsonl.gz").stat().st_size
    with (tmp_path / "raw-001.jsonl.gz").open("ab") as file:
        file.write(b"half a record of a killed process")
    with Store(tmp_path) as store:
        assert (tmp_path / "raw-001.jsonl.gz").stat().st_size == size
        store.record("kind", answer("[2]"))
        assert [r["body"] for r in store.answers()] == ["[1]", "[2]"]


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
        path = tmp_path / "raw-001.jsonl.gz"
        line = gzip.decompress(path.read_bytes()).replace(b"[1]", b"[7]")
        member = gzip.compress(line, compresslevel=5, mtime=0)
        path.write_bytes(member)
        store.db.execute("UPDATE answer SET size=?", (len(member),))
        with pytest.raises(StoreError, match=r"raw-001.*answer 1 was altered"):
            list(store.answers())


def test_two_processes_cannot_write_one_store(tmp_path):
    with Store(tmp_path), pytest.raises(StoreError, match="in use by another"):
        Store(tmp_path)


def test_a_damaged_frontier_is_one_clear_line(tmp_path):
    (tmp_path / "frontier.sqlite").write_bytes(b"this is no database, only text" * 100)
    with pytest.raises(StoreError, match=r"frontier\.sqlite"):
        Store(tmp_path)


def test_the_later_of_two_waits_stands(tmp_path):
    with Store(tmp_path) as store:
        store.waits.hold("github", 100, "long")
        store.waits.hold("github", 50, "short")
        assert store.waits.held_until(("github", "other")) == (100, "long")
    with Store(tmp_path) as store:
        assert store.waits.held_until(("github",)) == (100, "long")


def test_a_new_raw_file_is_begun_when_one_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr("mining.store.store.RAW_FILE_BYTES", 600)
    with Store(tmp_path) as store:
        for k in range(9):
            store.record("kind", answer(f"[{k}]"))
    names = sorted(p.name for p in tmp_path.glob("raw-*.jsonl.gz"))
    assert len(names) > 2
    assert names[:2] == ["raw-001.jsonl.gz", "raw-002.jsonl.gz"]
    # A file that no committed answer owns is what a kill left behind.
    (tmp_path / "raw-099.jsonl.gz").write_bytes(b"x")
    with Store(tmp_path) as store:
        assert [r["body"] for r in store.answers()] == [f"[{k}]" for k in range(9)]
    assert not (tmp_path / "raw-099.jsonl.gz").exists()
