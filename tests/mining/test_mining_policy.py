"""One test for every row of the policy's table.

The expected verdicts come from docs.github.com (rate limits for the REST API and for the
GraphQL API, best practices) and api.stackexchange.com/docs (throttle, error-handling,
paging); the texts of the errors are those reported from the live APIs.
"""

import pytest

from mining.transport import policy
from mining.transport.policy import Situation, decide
from mining.transport.wire import Answer, Request

NOW = 1_000_000.0
DATE = {"date": "Mon, 12 Jan 1970 13:46:40 GMT"}  # NOW
SEARCH = Request("github", "/search/issues", bucket="search")
CORE = Request("github", "/repos/o/r/issues")
GRAPHQL = Request("github", "/graphql", body="{}", bucket="graphql")
QUESTIONS = Request("stackexchange", "/questions", bucket="/questions")
SECONDARY = {"message": "You have exceeded a secondary rate limit."}
GOOD_PAGE = {"items": [], "has_more": False, "quota_remaining": 5}


def violation(message, status=400):
    return Answer(QUESTIONS, status, data={
        "error_id": 502, "error_name": "throttle_violation", "error_message": message})


def refused(name, message="x", status=400):
    return Answer(QUESTIONS, status, data={"error_id": 1, "error_name": name,
                                           "error_message": message})


def limited(status, headers=None, message="x", request=CORE):
    return Answer(request, status, {**DATE, **(headers or {})}, data={"message": message})


ROWS = [
    # what it is, the answer, verb, seconds, scope
    ("no connection", Answer(CORE, problem="connection"), "wait", 1, ""),
    ("bad gateway", Answer(CORE, 502, problem="unreadable"), "wait", 1, ""),
    ("HTML instead of JSON", Answer(CORE, 200, problem="unreadable"), "wait", 1, ""),
    ("Stack Exchange sends HTML", Answer(QUESTIONS, 500, problem="unreadable"), "wait", 61, ""),
    ("Stack Exchange bans in HTML", Answer(QUESTIONS, 403, problem="unreadable"), "wait", 61, ""),
    ("moved", Answer(CORE, 301, {"location": "/repositories/1"}), "follow", 0, ""),
    ("moved for now", Answer(CORE, 307, {"location": "/repositories/1"}), "follow", 0, ""),
    ("not modified", Answer(CORE, 304), "proceed", 0, ""),
    ("token refused", Answer(CORE, 401, data={"message": "Bad credentials"}), "stop", 0, ""),
    # The throttling forms.
    ("403 with seconds", limited(403, {"retry-after": "30"}), "wait", 30, "github"),
    ("429 with seconds", limited(429, {"retry-after": "30"}), "wait", 30, "github"),
    ("403 with a date", limited(403, {"retry-after": "Mon, 12 Jan 1970 13:48:10 GMT"}),
     "wait", 91, "github"),
    ("429 with a date", limited(429, {"retry-after": "Mon, 12 Jan 1970 13:48:10 GMT"}),
     "wait", 91, "github"),
    ("403 until reset", limited(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset":
                                      str(int(NOW) + 50), "x-ratelimit-resource": "core"}),
     "wait", 51, "github:core"),
    ("429 until reset", limited(429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset":
                                      str(int(NOW) + 50), "x-ratelimit-resource": "search"}),
     "wait", 51, "github:search"),
    ("403 secondary, no header", limited(403, message=SECONDARY["message"]), "wait", 60, "github"),
    ("403 secondary, budget left", limited(403, {"x-ratelimit-remaining": "29"},
                                           "You have triggered an abuse detection mechanism"),
     "wait", 60, "github"),
    ("429 bare", limited(429), "wait", 60, "github"),
    ("403 gh-limited-by", limited(403, {"gh-limited-by": "x"}), "wait", 60, "github"),
    ("GraphQL 200 primary", Answer(GRAPHQL, 200, {
        **DATE, "x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 9)},
        data={"errors": [{"type": "RATE_LIMITED", "message": "x"}]}), "wait", 10,
     "github:graphql"),
    ("GraphQL 200 secondary", Answer(GRAPHQL, 200, data={
        "errors": [{"type": "RATE_LIMITED", "message": "x"}]}), "wait", 60, "github"),
    ("seconds only in prose", violation("too many requests from this IP, more requests "
                                        "available in 847 seconds"), "wait", 848,
     "stackexchange"),
    ("the same as 502", violation("too many requests from this IP, more requests available in "
                                  "847 seconds", 502), "wait", 848, "stackexchange"),
    ("back-off violated", violation("Violation of backoff parameter"), "wait", 61, "/questions"),
    ("throttled without seconds", violation("slow down"), "wait", 61, "stackexchange"),
    ("back-off in a good answer", Answer(QUESTIONS, 200, data={**GOOD_PAGE, "backoff": 10}),
     "proceed", 10, "/questions"),
    # The rest of GitHub.
    ("forbidden for another reason", limited(403, message="Repository access blocked"), "skip",
     0, ""),
    ("version retired", limited(410, message="API version 2022-11-28 is no longer supported"),
     "stop", 0, ""),
    ("version unknown", limited(400, message="Invalid API version"), "stop", 0, ""),
    ("not found", limited(404, message="Not Found"), "skip", 0, ""),
    ("deleted", limited(410, message="This issue was deleted"), "skip", 0, ""),
    ("withheld", limited(451, message="Repository access blocked"), "skip", 0, ""),
    ("past the cap", limited(422, message="Only the first 1000 search results are available"),
     "slice", 0, ""),
    ("page parameter refused", limited(422, message="Pagination with the page parameter is not "
                                       "supported for large datasets"), "slice", 0, ""),
    ("repository cannot be searched", Answer(SEARCH, 422, data={
        "message": "Validation Failed", "errors": [{"message": "The listed users and "
                                                    "repositories cannot be searched"}]}),
     "stop", 0, ""),
    ("is: missing", Answer(SEARCH, 422, data={"message": "Query must include 'is:issue' or "
                                              "'is:pull-request'"}), "stop", 0, ""),
    ("GraphQL over its limits", Answer(GRAPHQL, 200, data={
        "data": {}, "errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "x"}]}),
     "shrink", 0, ""),
    ("GraphQL null nodes", Answer(GRAPHQL, 200, data={
        "data": {"repository": {"issues": {"nodes": [{"number": 1}, None]}}}}), "shrink", 0, ""),
    ("GraphQL null thread", Answer(GRAPHQL, 200, data={"data": {"repository": {"i7": None}}}),
     "shrink", 0, ""),
    ("GraphQL time-out", Answer(GRAPHQL, 502, problem="unreadable"), "shrink", 2,
     "github:graphql"),
    ("GraphQL missing thread", Answer(GRAPHQL, 200, data={
        "data": {"repository": {"i7": None}}, "errors": [
            {"type": "NOT_FOUND", "path": ["repository", "i7"], "message": "x"}]}),
     "proceed", 0, ""),
    ("GraphQL query wrong", Answer(GRAPHQL, 200, data={"errors": [
        {"message": "x", "extensions": {"code": "undefinedField"}}]}), "stop", 0, ""),
    ("search not lexical", Answer(SEARCH, 200, data={"search_type": "hybrid", "items": []}),
     "stop", 0, ""),
    ("search lexical", Answer(SEARCH, 200, data={"search_type": "lexical", "items": []}),
     "proceed", 0, ""),
    ("good REST answer", Answer(CORE, 200, data=[]), "proceed", 0, ""),
    # The rest of Stack Exchange.
    ("page too deep", refused("access_denied", "page above 25 requires access token or app key"),
     "slice", 0, ""),
    ("bad parameter", refused("bad_parameter"), "stop", 0, ""),
    ("no such method", refused("no_method"), "stop", 0, ""),
    ("bad key", refused("key_required"), "stop", 0, ""),
    ("internal error", refused("internal_error", status=500), "wait", 61, ""),
    ("unavailable", refused("temporarily_unavailable", status=503), "wait", 61, ""),
    ("good page", Answer(QUESTIONS, 200, data=GOOD_PAGE), "proceed", 0, "/questions"),
]


@pytest.mark.parametrize(("answer", "verb", "seconds", "scope"), [r[1:] for r in ROWS],
                         ids=[r[0] for r in ROWS])
def test_row(answer, verb, seconds, scope):
    decision = decide(answer, Situation(NOW, size=50))
    assert (decision.verb, decision.seconds, decision.scope) == (verb, seconds, scope)


def test_every_rule_of_the_table_has_a_row():
    used = {decide(row[1], Situation(NOW, size=50)).case for row in ROWS}
    assert {case[0] for case in policy.CASES} == used


def test_secondary_limit_doubles_then_gives_up():
    answer = limited(403, message=SECONDARY["message"])
    waits = [decide(answer, Situation(NOW, attempt=k)).seconds for k in range(6)]
    assert waits == [60, 120, 240, 480, 960, 1920]
    last = decide(answer, Situation(NOW, attempt=6))
    assert (last.verb, last.resumable) == ("stop", True)


def test_transient_failure_doubles_then_gives_up():
    answer = Answer(CORE, problem="connection")
    assert [decide(answer, Situation(NOW, attempt=k)).seconds for k in range(6)] == [
        1, 2, 4, 8, 16, 32]
    assert decide(answer, Situation(NOW, attempt=6)).verb == "stop"


def test_wait_beyond_patience_is_a_resumable_stop_with_its_seconds():
    answer = violation("too many requests from this IP, more requests available in 84907 seconds")
    decision = decide(answer, Situation(NOW, patience=3600))
    assert (decision.verb, decision.resumable, decision.seconds) == ("stop", True, 84908)


def test_quota_spent_keeps_the_answer():
    answer = Answer(QUESTIONS, 200, data={"items": [], "has_more": True, "quota_remaining": 0})
    decision = decide(answer, Situation(NOW))
    assert (decision.verb, decision.keep, decision.resumable) == ("stop", True, True)


def test_quota_spent_on_the_last_page_is_the_end_of_nothing():
    answer = Answer(QUESTIONS, 200, data={"items": [], "has_more": False, "quota_remaining": 0})
    assert decide(answer, Situation(NOW)).verb == "proceed"


def test_reset_is_read_by_the_servers_clock():
    # Five minutes of skew, as in recorded clock-skew answers; the wait stays 51 s.
    answer = limited(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 50)})
    for skew in (-300, 300):
        assert decide(answer, Situation(NOW + skew)).seconds == 51


def test_violated_backoff_waits_twice_the_last_one():
    decision = decide(violation("Violation of backoff parameter"),
                      Situation(NOW, last_backoff=40))
    assert decision.seconds == 80


def test_a_thread_unreadable_even_alone_is_skipped():
    answer = Answer(GRAPHQL, 200, data={"errors": [{"message": "Something went wrong"}]})
    assert decide(answer, Situation(NOW, size=1)).verb == "skip"
