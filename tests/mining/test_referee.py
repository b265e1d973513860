"""The referee blows its whistle: each rule is broken once, on purpose."""

import pytest
from fakeapi.referee import Referee

FAIR = {"user-agent": "ddl-training-study-mining/1", "x-github-api-version": "2022-11-28"}
QUERY = {"q": "is:issue repo:a/b", "page": "1", "per_page": "100"}


def watch(referee, api="github", bucket="core", path="/x", query=None, headers=FAIR, now=1000.0,
          body=""):
    referee.watch(now, api, bucket, "GET", path, query or {}, headers, body)


def test_fair_play_is_silent():
    referee = Referee(["secret-word"])
    watch(referee)
    watch(referee, bucket="search", query=QUERY)
    watch(referee, "stackexchange", "/questions", query={"page": "1", "tagged": "a"})
    assert referee.breaches == []


@pytest.mark.parametrize(("words", "request_"), [
    ("User-Agent", {"headers": {**FAIR, "user-agent": "python-requests"}}),
    ("API version", {"headers": {"user-agent": FAIR["user-agent"]}}),
    ("secret in a path", {"path": "/x/secret-word"}),
    ("past the cap", {"bucket": "search", "query": {**QUERY, "page": "11"}}),
    ("exactly one is:issue", {"bucket": "search", "query": {
        **QUERY, "q": "is:issue is:pull-request repo:a/b"}}),
    ("exactly one is:issue", {"bucket": "search", "query": {**QUERY, "q": "repo:a/b"}}),
    ("exactly one repo", {"bucket": "search", "query": {
        **QUERY, "q": "is:issue repo:a/b repo:c/d"}}),
    ("without a token", {"bucket": "graphql"}),
    ("too many threads", {"bucket": "graphql", "body": "issue(number: 1)" * 101,
                          "headers": {**FAIR, "authorization": "x"}}),
    ("token sent to Stack Exchange", {"api": "stackexchange", "bucket": "/questions",
                                      "headers": {**FAIR, "authorization": "x"}}),
    ("page above 25", {"api": "stackexchange", "bucket": "/questions", "query": {"page": "26"}}),
    ("several tags", {"api": "stackexchange", "bucket": "/questions",
                      "query": {"tagged": "a;b"}}),
])
def test_a_breach_is_written_down(words, request_):
    referee = Referee(["secret-word"])
    watch(referee, **request_)
    assert [b for b in referee.breaches if words in b]


@pytest.mark.parametrize(("scope", "request_"), [
    ("github", {}), ("github:search", {"bucket": "search", "query": QUERY}),
    ("stackexchange", {"api": "stackexchange", "bucket": "/questions"}),
    ("/questions", {"api": "stackexchange", "bucket": "/questions"})])
def test_a_request_inside_a_wait_is_a_breach(scope, request_):
    referee = Referee()
    referee.impose(scope, 1060.0)
    watch(referee, now=1059.0, **request_)
    watch(referee, now=1060.0, path="/other", **request_)
    assert len([b for b in referee.breaches if "inside a wait" in b]) == 1


def test_budgets_are_counted():
    referee = Referee()
    for second in range(11):
        watch(referee, bucket="search", query=QUERY, now=1000.0 + second)
    assert len(referee.breaches) == 1
    referee = Referee()
    for k in range(31):
        watch(referee, "stackexchange", "/questions", path=f"/{k}", now=1000.0 + k / 100)
    assert len(referee.breaches) == 1


def test_the_same_stack_exchange_request_twice_in_a_minute():
    referee = Referee()
    for now in (1000.0, 1059.0, 1120.0):
        watch(referee, "stackexchange", "/questions", now=now)
    assert len(referee.breaches) == 1
