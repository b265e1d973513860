"""One key of a thread, and what a list of threads is told."""

import csv
from pathlib import Path

import pytest
from fakeapi import Corpus
from fakeapi.faults import Fault, plain

from mining.errors import MiningError
from mining.mine import read_items, thread_key

with (Path(__file__).parents[1] / "thread_links.csv").open(encoding="utf-8", newline="") as file:
    LINKS = list(csv.DictReader(file))


@pytest.mark.parametrize("row", LINKS, ids=lambda row: row["link"])
def test_a_link_has_one_key_or_none(row):
    if row["key"]:
        assert thread_key(row["link"]) == row["key"]
    else:
        words = {"answer": "links to an answer", "no": "names no GitHub issue"}[row["reason"]]
        with pytest.raises(MiningError, match=words):
            thread_key(row["link"])


@pytest.mark.parametrize(("lines", "words"), [
    # Both lines were lost or told an untrue reason.
    (["https://github.com/o/r/pull/5", "https://github.com/o/r/pull/6"],
     "line 1: 'https://github.com/o/r/pull/5' is a pull request, no issue; line 2: "),
    (["https://example.org/7", "so:1"], "line 1: 'https://example.org/7' names no GitHub issue"),
    (["a heading"], "names no thread")])
def test_no_line_is_dropped_without_a_word(lines, words):
    with pytest.raises(MiningError) as error:
        read_items(lines)
    assert words in str(error.value)


def test_www_on_the_first_line_is_a_question():
    assert read_items(["https://www.stackoverflow.com/questions/46519919"] * 2) == ["so:46519919"]


DEFINITION = 'name = "own"\ntitle = "Own"\nschema = 1\n'


@pytest.mark.parametrize("token", [True, False])
@pytest.mark.parametrize("way", ["list", "search"])
@pytest.mark.parametrize("message", ["Resource protected by organization SAML enforcement",
                                     "Repository access blocked"])
def test_a_403_marks_the_source_and_the_others_are_read(field, capsys, token, way, message):
    # Through GraphQL and search it stopped the whole run for ever, without a snapshot.
    bucket = "search" if way == "search" else "graphql" if token else "core"
    mining = field(Corpus({"horovod/horovod": 30}, {"horovod": 20}),
                   [Fault(bucket, plain(403, {"message": message}), times=99)])
    assert mining("run", "--until", "2022-12-31", "--way", way, token=token) == 4
    assert f"gh:horovod/horovod: refused (403: {message})" in capsys.readouterr().out
    assert sum(r["platform"] == "stackoverflow" for r in mining.threads().values()) == 20


@pytest.mark.parametrize(("table", "words"), [
    ('[[github]]\nrepository = "a/b"\n', "no such repository"),
    ('[[github]]\nrepository = "horovod/horovod"\nwith_labels = ["bugg"]\n',
     "no thread bears 'bugg'"),
    ('[[stackoverflow]]\ntag = "horovodd"\n', "no question bears this tag")])
def test_what_brings_nothing_is_a_sentence_and_a_code(field, tmp_path, capsys, table, words):
    own = tmp_path / "own.toml"
    own.write_text(DEFINITION + table, "utf-8")
    mining = field(Corpus({"horovod/horovod": 30}, {"horovod": 20}))
    assert mining("run", "--until", "2022-12-31", name=str(own)) == 4
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("jump", [-3600, 86_400])
def test_a_clock_that_jumps_makes_no_long_pause(field, jump):
    # Set back by an hour, it made one pause of an hour.
    def change(server, now, data):  # noqa: ARG001
        mining.clock.time += jump

    mining = field(Corpus({"horovod/horovod": 300}, {}),
                   [Fault("graphql", change=change, first=2)])
    mining.run("--platform", "github")
    assert mining.clock.slept < 200


def test_a_wait_made_while_the_clock_was_a_day_ahead_is_as_long_as_was_asked(field):
    # It refused until the next day.
    later = plain(429, {"message": "Too many requests"}, {"Retry-After": "30"})
    mining = field(Corpus({"horovod/horovod": 300}, {}), [Fault("graphql", later)])
    mining.clock.time += 86_400
    assert mining("run", "--until", "2022-12-31", "--platform", "github",
                  "--patience", "0.1") == 3
    mining.clock.time -= 86_400
    mining.run("--platform", "github")
    assert 30 <= mining.clock.slept < 200


def test_retry_after_0_for_ever_ends_and_is_asked_ever_more_slowly(field, capsys):
    zero = plain(429, {"message": "Too many requests"}, {"Retry-After": "0"})
    mining = field(Corpus({"horovod/horovod": 30}, {}), [Fault("graphql", zero, times=10**6)])
    assert mining("run", "--until", "2022-12-31", "--platform", "github") == 3
    assert mining.fake.sent("graphql") < 20
    assert mining.clock.slept > 100
    assert "times in a row" in capsys.readouterr().err
