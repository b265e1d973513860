"""Hours of GH Archive in the forms of its three ages, and what befalls its files."""

import gzip
import json

import pytest
from bulkrun import bulk, scale

from mining.bulk.hours import holes, row_of, when

BODY = {"number": 7, "title": "Synthetic", "body": "workers hang", "user": {"login": "somebody"},
        "labels": [], "state": "open", "comments": 0, "created_at": "2020-05-01T09:00:00Z",
        "html_url": "https://github.com/horovod/horovod/issues/7", "id": 70}
# What each age wrote, after the archive's issue tracker (igrigorik/gharchive.org #59, #145, #312).
NEW = {"id": "11", "type": "IssuesEvent", "repo": {"id": 5, "name": "horovod/horovod"},
       "payload": {"action": "opened", "issue": BODY}, "created_at": "2020-05-01T09:00:01Z"}
OLD = {"type": "IssuesEvent", "repository": {"owner": "horovod", "name": "horovod", "id": 5},
       "payload": {"action": "opened", "number": 7, "issue": 70}, "actor": "somebody",
       "url": "https://github.com/horovod/horovod/issues/7",
       "created_at": "2012/03/10 22:36:55 -0800"}
OLDER = OLD | {"payload": {"action": "closed", "issue": 70},
               "created_at": "2011-05-01T09:00:00-07:00"}


@pytest.mark.parametrize(("event", "at", "has_text"), [
    (NEW, "2020-05-01T09:00:01Z", True),
    (NEW | {"repo": {}}, "2020-05-01T09:00:01Z", True),  # the name is in the address
    (OLD, "2012-03-11T06:36:55Z", False),
    (OLDER, "2011-05-01T16:00:00Z", False),
], ids=["2015 on", "an empty repo", "2012", "2011, the number in the address only"])
def test_every_age_gives_the_thread(event, at, has_text):
    row = row_of(event)
    assert (row["repository_key"], row["number"], row["at"]) == ("horovod/horovod", 7, at)
    assert bool(row["issue"]) == has_text
    if has_text:
        assert json.loads(row["issue"])["body"] == "workers hang"


@pytest.mark.parametrize("event", [
    NEW | {"type": "PushEvent"},
    NEW | {"payload": {"action": "opened", "issue": BODY | {"pull_request": {"url": "x"}}}},
    NEW | {"payload": {"action": "opened", "issue": {}}},
], ids=["another kind", "a pull request", "no number"])
def test_what_is_no_issue_is_left_out(event):
    assert row_of(event) is None


def test_times_of_every_age_are_utc():
    # 22:36:55 eight hours behind UTC is 06:36:55 of the next day, by hand.
    assert when("2012/03/10 22:36:55 -0800") == "2012-03-11T06:36:55Z"
    assert when("2020-05-01T09:00:01Z") == "2020-05-01T09:00:01Z"


def test_holes_look_on_to_the_end_of_a_window():
    hours = dict.fromkeys((f"2020-01-01-{h}" for h in range(6) if h != 3), 100) | {
        "2020-01-01-4": 9}
    assert holes(hours) == (["2020-01-01-3"], ["2020-01-01-4"])
    assert holes(hours, "2020-01-01T05:00:00", "2020-01-01T08:00:00") == (
        ["2020-01-01-6", "2020-01-01-7"], [])


@pytest.fixture
def hours(tmp_path):
    """Three hours of a day: one whole, one with two events run into one line, one cut short."""
    folder = tmp_path / "hours"
    folder.mkdir()

    def hour(number, *lines, cut=0):
        data = gzip.compress(b"\n".join(lines) + b"\n")
        (folder / f"2020-05-01-{number}.json.gz").write_bytes(data[:len(data) - cut])

    def line(number):
        return json.dumps(NEW | {"id": str(number), "payload": {
            "action": "opened", "issue": BODY | {"number": number}}},
            separators=(",", ":")).encode()
    other = json.dumps({"id": "1", "type": "PushEvent", "repo": {}}, separators=(",", ":")).encode()
    hour(9, line(1), other, line(2))
    hour(10, line(3)[:90] + line(4), other[:20])
    hour(13, *(line(n) for n in range(100, 400)), cut=20)
    return folder


@scale
def test_unreadable_lines_and_cut_hours_are_counted_and_told(hours, tmp_path):
    said = bulk("ingest", hours, "--out", tmp_path / "bulk")
    assert "unreadable lines: 2, hours cut short: 1" in said
    told = bulk("choose", "horovod", "--bulk", tmp_path / "bulk", "--store", tmp_path / "store")
    assert "GH Archive, missing hours (2): 2020-05-01-11, 2020-05-01-12" in told
    threads = (tmp_path / "store" / "snapshot" / "threads.jsonl").read_text(encoding="utf-8")
    numbers = {json.loads(row)["number"] for row in threads.splitlines()}
    assert {1, 2, 4} <= numbers
    assert 3 not in numbers


@scale
def test_an_empty_folder_is_told(tmp_path):
    (tmp_path / "none").mkdir()
    said = bulk("ingest", tmp_path / "none", "--out", tmp_path / "out", code=2)
    assert "holds no hour of GH Archive, such as 2020-05-01-9.json.gz" in said
