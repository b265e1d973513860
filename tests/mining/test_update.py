"""A finished corpus brought up to a later day by what changed since."""

import csv
import os
import time
from collections import Counter

import killing
import pytest
from fakeapi import Corpus, FakeAPIs, ScaledClock
from fakeapi.corpus import Question
from fakeapi.faults import Fault, plain
from mining_field import rows

from mining.selection.definition import load
from mining.store import snapshot
from mining.store.snapshot import publish
from mining.transport.clock import from_iso

MODES = [("list", True), ("list", False), ("search", True), ("search", False)]


@pytest.fixture
def own(tmp_path):
    """A definition whose searches decide by keyword, beside a tag."""
    def write(way):
        path = tmp_path / "own.toml"
        words, judge = ("true", "search") if way == "search" else ("false", "text")
        path.write_text('name = "own"\ntitle = "Own"\nschema = 1\n[[github]]\nrepository = '
                        f'"horovod/horovod"\nway = "{way}"\nkeywords = {words}\n'
                        f'judge = "{judge}"\n'
                        'without_labels = ["wontfix"]\n'
                        '[[stackoverflow]]\ntag = "horovod"\nkeywords = false\n', "utf-8")
        return str(path)
    return write


def age(corpus):
    """A month passes: what changes, by kind, as the report must tell it."""
    now = from_iso("2023-11-20")
    issues = corpus.repositories["horovod/horovod"].issues
    plain = [i for i in issues.values() if i.closed and not i.is_pr and i.words
             and "wontfix" not in i.labels and i.n_comments and not i.fate]
    edited, relabelled, reopened, answered, reworded, silenced = plain[5:35:5]
    edited.touch(now)
    relabelled.labels = ("wontfix",)
    relabelled.touch(now + 1)
    reopened.closed = None
    reopened.touch(now + 2)
    answered.n_comments += 2
    answered.touch(now + 3)
    silenced.n_comments -= 1
    silenced.touch(now + 4)
    reworded.words = ()
    reworded.touch(now + 5)
    waiting = [i for i in issues.values() if not i.closed and not i.is_pr and i.words
               and "wontfix" not in i.labels and i is not reopened][:3]
    for issue in waiting:
        issue.closed, issue.revision = now + 10, 0
    top = max(issues)
    for number in range(top + 1, top + 4):
        issues[number] = type(edited)(number, now, now + 60, (), ("distributed",), 2)
    asked = [q for q in corpus.questions.values() if q.accepted]
    asked[3].touch(now)
    asked[4].n_answers += 1
    asked[4].touch(now)
    asked[7].accepted = False
    asked[7].touch(now)
    corpus.questions[59_000_001] = Question(59_000_001, now, ("horovod",), True, (), 2, 1)


@pytest.mark.parametrize(("way", "token"), MODES)
def test_an_updated_corpus_is_what_a_new_one_would_be_for_a_handful_of_requests(
        field, own, tmp_path, capsys, way, token):
    corpus = Corpus({"horovod/horovod": 900}, {"horovod": 500})
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        if issue.words:
            issue.words = tuple(sorted({*issue.words, "distributed"}))
    mining = field(corpus)
    mining.run(name=own(way), token=token)
    before = mining.threads()
    mining.clock.sleep(10**6)  # to 2023-11-26
    age(corpus)
    mining.fake.github.found.clear()
    mining.fake.stackexchange.sorted = None
    sent = mining.fake.sent()
    capsys.readouterr()
    code = mining("update", "--until", "2023-11-26", "--patience", "100000", token=token)
    assert code == 0, capsys.readouterr()
    said = capsys.readouterr().out
    spent = mining.fake.sent() - sent
    assert mining.fake.referee.breaches == []
    after, talk = mining.threads(), mining.comments()
    assert mining.manifest()["whole"]
    assert mining.manifest()["window"]["earlier_ends"] == ["2022-12-31T23:59:59Z"]

    fresh = tmp_path / "fresh"
    sent = mining.fake.sent()
    mining("run", "--until", "2023-11-26", "--patience", "100000", token=token, store=fresh)
    anew = mining.fake.sent() - sent
    truth = {r["item"]: r for r in rows(fresh / "snapshot" / "threads.jsonl") if r["candidate"]}
    assert {i: r for i, r in after.items() if r["candidate"]} == truth
    assert [r for r in talk.values() if r["item"] in truth] == [
        r for r in rows(fresh / "snapshot" / "comments.jsonl") if r["item"] in truth]
    assert len(truth) > 100
    searches = len(load("horovod").keywords.terms) if way == "search" else 0
    assert spent <= 4 + searches + (0 if token else 16) < anew

    with (mining.store / "changes" / "001.csv").open(encoding="utf-8", newline="") as file:
        told = list(csv.DictReader(file))
    kinds = Counter(r["change"] for r in told)
    lost = {i for i, r in before.items() if r["candidate"]} - set(truth)
    assert {r["item"] for r in told if r["change"] == "no candidate any more"} == lost
    assert {r["item"] for r in told if r["change"] == "candidate now"} == set(truth) - {
        i for i, r in before.items() if r["candidate"]}
    assert kinds["candidate now"] == 7
    assert kinds["relabelled"] == 1
    assert kinds["answered"] == 3
    assert f"{kinds['edited']} edited" in said
    assert "Since 2022-12-31T23:59:59Z: " in said


def test_nothing_changed_costs_a_request_a_source(field, capsys):
    mining = field(Corpus({"horovod/horovod": 300}, {"horovod": 200}))
    mining.run()
    before, sent = mining.snapshot(), mining.fake.sent()
    mining.clock.sleep(10**6)
    capsys.readouterr()
    assert mining("update") == 0
    assert mining.fake.sent() - sent == 2
    assert ": no change" in capsys.readouterr().out
    after = mining.snapshot()
    assert before.pop("manifest.json") != after.pop("manifest.json")
    assert before == after


def test_what_came_after_the_window_and_before_the_run_is_not_passed_over(field):
    # Mined on 2023-11-14 to the end of 2021: what changed in between counts as changed, too.
    corpus = Corpus({"horovod/horovod": 300}, {}, pulls=0, closed=1)
    mining = field(corpus)
    mining("run", "--until", "2019-06-30", "--platform", "github")
    assert mining("update", "--until", "2022-12-31") == 0
    assert {r["number"] for r in mining.threads().values()} == corpus.truth("horovod/horovod")


def test_an_update_that_stops_goes_on_and_the_snapshot_stands_until_it_is_whole(field, capsys):
    corpus = Corpus({"horovod/horovod": 300}, {"horovod": 250})
    mining = field(corpus)
    mining.run()
    before = mining.snapshot()
    mining.clock.sleep(10**6)
    for question in corpus.questions.values():
        question.touch(from_iso("2023-11-20"))
    mining.fake.stackexchange.sorted = None
    mining.fake.quota = 1
    assert mining("update") == 3
    assert mining.snapshot() == before
    capsys.readouterr()
    for act in ("run", "replay"):
        assert mining(act) == 2
        assert "an update is under way" in capsys.readouterr().err
    assert mining("update", "--until", "2023-11-20") == 2
    assert "--until: this update was begun with" in capsys.readouterr().err
    mining.fake.quota = 100
    mining.clock.sleep(10**5)
    assert mining("update") == 0
    assert f"{len([r for r in mining.threads().values() if r['candidate'] and r['tags']])} edited" \
        in capsys.readouterr().out
    assert mining("run") in (0, 4)


@pytest.mark.parametrize(("begin", "arguments", "words"), [
    (("--limit", "20"), (), "not finished; `python -m mining run horovod` first"),
    ((), ("--until", "2020-01-01"), "reaches to 2022-12-31T23:59:59Z; give a later day")])
def test_what_cannot_be_updated_is_refused_by_name(field, capsys, begin, arguments, words):
    mining = field(Corpus({"horovod/horovod": 120}, {"horovod": 120}))
    mining.run(*begin)
    before = (mining.store / "corpus.sha256").read_bytes()
    capsys.readouterr()
    assert mining("update", *arguments) == 2
    assert words in capsys.readouterr().err
    assert (mining.store / "corpus.sha256").read_bytes() == before


@pytest.mark.parametrize("way", ["list", "search"])
def test_a_source_refused_before_is_read_whole_by_the_update(field, own, way):
    corpus = Corpus({"horovod/horovod": 300}, {"horovod": 50})
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.words = ("distributed",)
    blocked = Fault("core" if way == "search" else "graphql",
                    plain(403, {"message": "Resource protected by organization SAML"}))
    mining = field(corpus, [blocked])
    assert mining("run", "--until", "2022-12-31", name=own(way)) == 4
    assert {r["platform"] for r in mining.threads().values()} == {"stackoverflow"}
    mining.clock.sleep(10**6)
    assert mining("update", "--until", "2023-11-26") == 0
    truth = corpus.truth("horovod/horovod", without=("wontfix",))
    assert {r["number"] for r in mining.threads().values()
            if r["candidate"] and r["platform"] == "github"} == truth


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL on Windows")
def test_an_update_killed_at_random_points_finds_the_same(tmp_path):
    later = {"act": "update", "until": "2023-10-31"}
    found = []
    for kills in (0, 4):
        corpus = Corpus({"horovod/horovod": 700}, {"horovod": 500})
        clock = ScaledClock(time.time(), killing.FACTOR)
        store = tmp_path / str(kills) / "store"
        with FakeAPIs(corpus, clock) as fake:
            killing.finish(fake, clock, store)
            for row in [*list(corpus.repositories["horovod/horovod"].issues.values())[:600],
                        *list(corpus.questions.values())[:400]]:
                row.touch(from_iso("2023-06-01"))
            fake.stackexchange.sorted = None
            assert killing.kill_at_random(fake, clock, store, kills, most=2, **later) == kills
            killing.finish(fake, clock, store, **later)
            assert fake.referee.breaches == []
        found.append({p.name: p.read_bytes() for f in ("snapshot", "changes")
                      for p in sorted((store / f).iterdir())})
    assert found[0] == found[1]
    assert found[0]["001.csv"].count(b"edited") > 300


def test_an_update_killed_while_its_snapshot_is_put_in_place_tells_the_same(field, monkeypatch,
                                                                           capsys):
    corpus = Corpus({"horovod/horovod": 200}, {"horovod": 50})
    mining = field(corpus)
    mining.run()
    mining.clock.sleep(10**6)
    for question in corpus.questions.values():
        question.touch(from_iso("2023-11-20"))
    mining.fake.stackexchange.sorted = None
    monkeypatch.setattr(snapshot, "publish", lambda new, folder: publish(new, folder) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        mining("update")
    monkeypatch.setattr(snapshot, "publish", publish)
    report = mining.store / "changes" / "001.csv"
    before = report.read_bytes()
    assert before.count(b"edited") > 10
    capsys.readouterr()
    assert mining("update") == 0
    assert f"{before.count(b'edited')} edited" in capsys.readouterr().out
    assert report.read_bytes() == before
    assert not list((mining.store / "changes").glob("002*"))
