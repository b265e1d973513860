"""The REST client against backlot, an emulator built by others from dated live measurements.

It keeps the tests from agreeing with our own fake only. It knows no ``created:`` ranges,
no GraphQL and no secondary limits, so those stay with the fake.
"""

import time
from dataclasses import replace

import pytest
from fakeapi import FastClock

from mining.mine import mine
from mining.selection.definition import GitHubSource, KeywordList
from mining.selection.judge import Judge
from mining.sources.github import GitHubMiner
from mining.sources.rest import RestReader
from mining.store.replay import replay
from mining.store.store import Store
from mining.transport.client import Client
from mining.transport.credentials import Credentials
from mining.transport.policy import decide
from mining.transport.verdicts import Situation
from mining.transport.wire import GITHUB_VERSION, Request, Wire

N = 600


def records():
    """Synthetic issues; every third has comments, every seventh is a pull request."""
    for i in range(1, N + 1):
        yield {
            "source_type": "github", "doc_id": f"synthetic-{i}", "repo": "synthetic",
            "subtype": "pull_request" if i % 7 == 0 else "issue", "title": f"Synthetic {i}",
            "content": f"Synthetic body {i} about workers", "visibility": "public",
            "created": f"2020-01-{1 + i // 60:02d}T00:{i % 60:02d}:00Z",
            "state": "closed" if i % 2 else "open", "author_email": "a@example.org",
            "author_name": "Synthetic Author", "labels": ["synthetic label: x"] * (i % 5 == 0),
            "comments": [{"content": f"Synthetic comment {k}", "author_email": "a@example.org",
                          "author_name": "Synthetic Author",
                          "created_ts": f"2021-01-01T00:0{k}:00Z"} for k in range(i % 3)]}


@pytest.fixture(scope="module")
def emulator():
    backlot = pytest.importorskip("backlot")
    with backlot.serve(records=list(records()), telemetry=False) as server:
        yield Wire(Credentials(github_token=server.token,
                               github_url=f"{server.base_url}/github"))


@pytest.fixture(scope="module")
def repository(emulator):
    """Whatever owner the emulator gives the repository."""
    answer = emulator.send(Request("github", "/user/repos"))
    return next(r["full_name"] for r in answer.data if r["name"] == "synthetic")


def get(wire, path, **params):
    pairs = tuple((k, str(v)) for k, v in params.items())
    bucket = "search" if path.startswith("/search") else "core"
    return wire.send(Request("github", path, pairs, bucket=bucket))


def verdict(answer):
    return decide(answer, Situation(0.0))


def test_a_whole_repository_by_link(emulator, repository, tmp_path):
    source = GitHubSource(repository, state="all")
    with Store(tmp_path) as store:
        store.set("until", 2_000_000_000)
        miner = GitHubMiner(source, store, emulator)
        # There is a token, but the point here is the REST way.
        miner.token = False
        miner.reader = miner.rest = RestReader(miner)
        miner.begin(0)
        # One request a thread for comments: the emulator has no list of all of them.
        miner.reader._wholesale = lambda: False
        miner.source = replace(source, with_labels=("synthetic label: x",))
        mine([miner], Client(emulator, FastClock(), store), store)
        judge = Judge(type("D", (), {
            "github": (miner.source,), "stackoverflow": (), "name": "x",
            "keywords": KeywordList("x", 1, ("workers",), ())})(), {})
        tally = replay(store, judge)
    wanted = [i for i in range(1, N + 1) if i % 5 == 0]
    assert tally["threads"] == len(wanted)
    assert tally["candidates"] == sum(i % 7 != 0 for i in wanted)
    assert tally["comments"] == sum(i % 3 for i in wanted if i % 7)
    assert tally["not_candidates"] == {"pull request": sum(i % 7 == 0 for i in wanted)}


def test_the_page_past_the_cap_is_a_slice_verdict(emulator, repository):
    query = f"workers repo:{repository} is:issue"
    last = get(emulator, "/search/issues", q=query, per_page=100, page=10)
    past = get(emulator, "/search/issues", q=query, per_page=100, page=11)
    assert (last.status, verdict(last).verb) == (200, "proceed")
    assert (past.status, verdict(past).verb) == (422, "slice")


def test_the_search_is_lexical_and_counts_all(emulator, repository):
    answer = get(emulator, "/search/issues", q=f"workers repo:{repository} is:issue")
    assert answer.data["search_type"] == "lexical"
    assert answer.data["total_count"] == sum(i % 7 != 0 for i in range(1, N + 1))


def test_the_version_is_accepted_and_an_unknown_thread_is_skipped(emulator, repository):
    answer = get(emulator, f"/repos/{repository}/issues/99999999")
    assert verdict(answer).verb == "skip"
    assert answer.headers.get("x-github-api-version-selected", GITHUB_VERSION) == GITHUB_VERSION


def test_a_refused_token_stops(emulator, repository):
    wrong = Wire(Credentials(github_token="not-a-token",
                             github_url=emulator.credentials.github_url))
    assert verdict(get(wrong, f"/repos/{repository}")).case == "token refused"


def test_the_thirty_first_search_waits_for_the_reset(emulator, repository):
    begun = time.monotonic()
    for _ in range(90):
        answer = get(emulator, "/search/issues", q=f"nothing repo:{repository} is:issue")
        if answer.status != 200:
            break
    if answer.status == 200 and time.monotonic() - begun > 60:
        pytest.skip("this machine is too slow for 31 searches in a minute")
    decision = verdict(answer)
    assert answer.status == 403
    assert (decision.verb, decision.scope) == ("wait", "github:search")
    # The emulator names whole seconds, and the machine may have been slow in between.
    assert 0 < decision.seconds <= 65
