"""Snapshots that were cut, and cells longer than Python's csv module reads."""

import csv
import hashlib
import json

import pytest

from study.base.errors import StudyError
from study.extend import snapshot
from study.extend.start import start

ROW = {"item": "so:1", "platform": "stackoverflow", "place": "stackoverflow.com",
       "frameworks": ["keras"], "created_at": "2020-01-01T00:00:00Z", "state": "open",
       "candidate": True, "title": "Synthetic", "body": "b", "resolution": ""}


def made(folder, rows):
    """A snapshot with the sum of its threads."""
    path = folder / "threads.jsonl"
    path.write_text("".join(f"{json.dumps(r)}\n" for r in rows), "utf-8")
    total = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps({"sha256": {path.name: total}}), "utf-8")
    return path


def test_a_snapshot_cut_at_a_line_is_refused_with_one_line(tmp_path):
    path = made(tmp_path, [ROW, {**ROW, "item": "so:2"}])
    assert len(snapshot.read_threads(path)) == 2
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])  # well-formed, and short
    with pytest.raises(StudyError, match=r"not as manifest.json .* mining replay") as refused:
        start(str(tmp_path / "own"), tmp_path, 1)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize("manifest", ["", "[]", '{"sha256": {}}'])
def test_a_damaged_manifest_describes_nothing(tmp_path, manifest):
    path = made(tmp_path, [ROW])
    (tmp_path / "manifest.json").write_text(manifest, "utf-8")
    with pytest.raises(StudyError, match=r"not as manifest.json"):
        snapshot.read_threads(path)


def test_a_cell_beyond_the_limit_of_csv_is_read_and_one_beyond_reason_explained(tmp_path,
                                                                              monkeypatch):
    path = tmp_path / "threads.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ROW)
        writer.writeheader()
        writer.writerow({**ROW, "frameworks": "keras", "body": "x" * 262_144})
    assert csv.field_size_limit() == 131_072
    assert len(snapshot.read_threads(path)[0]["body"]) == 262_144
    assert csv.field_size_limit() == 131_072
    monkeypatch.setattr(snapshot, "MOST", 200_000)
    with pytest.raises(StudyError, match=r"more than 200,000 characters: a quotation mark"):
        snapshot.read_threads(path)
