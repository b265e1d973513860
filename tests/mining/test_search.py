"""Searches past the cap, against the fake."""

import pytest
from fakeapi import Corpus
from fakeapi.corpus import BURST_DAY

from mining.sources.search import CAP, query, quoted


def test_query_has_one_repository_and_one_is_issue():
    text = query("keras-team/keras", "multi-gpu", without_labels=["type:bug/performance"],
                 since=0, until=59)
    assert text == ('multi-gpu in:title,body repo:keras-team/keras is:issue state:closed '
                    '-label:"type:bug/performance" '
                    'created:1970-01-01T00:00:00Z..1970-01-01T00:00:59Z')


def test_a_quote_in_a_label_is_escaped():
    assert quoted('say "hi"') == '"say \\"hi\\""'


@pytest.mark.parametrize("seed", [1, 2])
def test_search_finds_every_thread_past_the_cap(field, seed):
    corpus = Corpus({"horovod/horovod": 4200}, burst=1500, seed=seed, comments=0)
    mining = field(corpus)
    # All state and label filters off, so that truth is every issue.
    mining.run("--way", "search", "--platform", "github")
    found = {r["number"] for r in mining.threads().values()}
    source = corpus.truth("horovod/horovod", without=(
        "bug", "enhancement", "wontfix", "awaiting response", "update docs"))
    assert found == source
    assert len(found) > CAP
    assert mining.manifest()["whole"]


def test_one_second_with_more_than_the_cap_is_read_in_several_orders(field):
    corpus = Corpus({"horovod/horovod": 1800}, comments=0, pulls=0, closed=1)
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.created, issue.labels = BURST_DAY, ()
    mining = field(corpus)
    mining.run("--way", "search", "--platform", "github")
    assert len(mining.threads()) == 1800
    assert mining.manifest()["whole"]


def test_what_no_order_shows_is_marked_capped(field):
    corpus = Corpus({"horovod/horovod": 3500}, comments=0, pulls=0, closed=1)
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.created, issue.labels = BURST_DAY, ()
    mining = field(corpus)
    mining.run("--way", "search", "--platform", "github")
    manifest = mining.manifest()
    assert not manifest["whole"]
    part, = manifest["sources"][0]["not_whole"]
    assert part["mark"] == "capped"
    assert part["counts"][0] == 3500
    assert part["seen"] == len(mining.threads()) < 3500
