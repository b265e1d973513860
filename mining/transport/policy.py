"""What to do with an answer: a table of cases for both APIs, first match wins.

The functions here are pure: time comes in with a :class:`Situation`, and what to do goes out
as a :class:`Decision`. Nothing is sent, slept or stored. One row of :data:`CASES` is one rule,
and ``tests/mining/test_mining_policy.py`` has at least one test a row.

Sources: docs.github.com "Rate limits for the REST API", "Rate limits and query limits for
the GraphQL API", "Best practices for using the REST API"; api.stackexchange.com/docs
"throttle", "error-handling", "paging".
"""

import re
from dataclasses import dataclass, replace

from mining.transport.clock import from_http_date

PROCEED, WAIT, SHRINK, SLICE, SKIP, STOP, FOLLOW = (
    "proceed", "wait", "shrink", "slice", "skip", "stop", "follow")


@dataclass(frozen=True)
class Situation:
    """What the answer alone does not say.

    ``now`` in seconds since the epoch; ``attempt``, the failures of this request so far, in a
    row; ``size``, the threads asked for at once, where that can be made smaller; ``patience``,
    the longest wait in seconds that is slept through (a longer one stops the run);
    ``last_backoff``, the seconds of the last back-off this Stack Exchange method gave.
    """

    now: float
    attempt: int = 0
    size: int | None = None
    patience: float = 3900
    last_backoff: float = 0


@dataclass(frozen=True)
class Decision:
    """The verdict on one answer.

    ``verb`` is one of the seven above, ``reason`` for the log and, with *stop*, for the user.
    ``scope`` waits ``seconds`` (with *proceed*, before its next request): ``github`` (the
    token), ``github:search``, ``stackexchange`` (the address), a Stack Exchange method, or ""
    for this request alone. With *stop*, ``keep`` says that the answer itself is good and is
    stored first, and ``resumable`` that the same command goes on later, rather than the user
    having to correct something. ``location`` is where to *follow*, ``case`` the row of
    :data:`CASES` that applied.
    """

    verb: str
    reason: str = ""
    seconds: float = 0
    scope: str = ""
    keep: bool = False
    resumable: bool = False
    location: str = ""
    case: str = ""


GH, SE = "github", "stackexchange"
GIVE_UP_AFTER = 6          # failures of one request in a row, where no wait is stated
SAME_REQUEST_PAUSE = 61    # Stack Exchange: the same request twice a minute is abuse
LONGEST_PAUSE = 64         # seconds, between attempts at a failing request
MOST_WAITS = 12            # one request told "not now" so often in a row: leave it for today


def decide(answer, situation):
    """The :class:`Decision` of the first row of :data:`CASES` that applies to an answer.

    A wait beyond ``situation.patience`` comes back as a resumable stop that still carries its
    seconds, so that it can be stored.

    >>> from mining.transport.wire import Answer, Request
    >>> answer = Answer(Request("github", "/x"), 429, {"retry-after": "30"})
    >>> decide(answer, Situation(now=0)).seconds
    30.0
    """
    for name, api, applies, rule in CASES:
        if api in ("", answer.request.api) and applies(answer):
            decision = replace(rule(answer, situation), case=name)
            return _bounded(decision, situation)
    return Decision(STOP, f"unexpected answer: {answer.message}", case="unexpected")


def _bounded(decision, situation):
    if decision.verb == WAIT and situation.attempt >= MOST_WAITS:
        return replace(decision, verb=STOP, resumable=True,
                       reason=f"{decision.reason}, {situation.attempt + 1} times in a row")
    long = decision.verb == WAIT and decision.seconds > situation.patience
    return replace(decision, verb=STOP, resumable=True) if long else decision


# What an answer looks like ----------------------------------------------------------


def graphql_errors(answer):
    """Errors inside a GraphQL answer, whatever its HTTP status."""
    data = answer.data if isinstance(answer.data, dict) else {}
    errors = data.get("errors") if answer.request.bucket == "graphql" else None
    return [e for e in errors or [] if isinstance(e, dict)]


def says(answer, pattern):
    """Whether the server's own words match a pattern."""
    words = f"{answer.message} {answer.text[:2000] if answer.status >= 400 else ''}"
    return re.search(pattern, words, re.IGNORECASE) is not None


def is_throttle_status(answer):
    """A status that may mean *not now*; GraphQL says it with a 200."""
    return answer.status in (403, 429) or (answer.status == 200 and bool(graphql_errors(answer)))


def is_transient(answer):
    """No usable answer, and no reason given: worth another try."""
    if answer.problem == "connection" or answer.status >= 500:
        return not se_error(answer)
    # A Stack Exchange ban may come as HTML of any status; a GitHub 403 or 429 has rows of
    # its own.
    throttle = answer.request.api == GH and answer.status in (403, 429)
    return answer.problem == "unreadable" and not throttle


def is_secondary(answer):
    """A secondary limit, in any of the forms GitHub gives it."""
    if any(e.get("type") == "RATE_LIMITED" for e in graphql_errors(answer)):
        return True
    named = "gh-limited-by" in answer.headers or says(
        answer, r"secondary rate|abuse detection|rate limit exceeded")
    return answer.status == 429 or (is_throttle_status(answer) and named)


def is_partial(answer):
    """A GraphQL answer with a hole in it: nothing of it may be stored."""
    missing = {tuple(map(str, e.get("path") or ())) for e in graphql_errors(answer)
               if e.get("type") == "NOT_FOUND"}
    return (bool(graphql_errors(answer)) and not only_missing(answer)) or (
        answer.request.bucket == "graphql" and answer.status == 200
        and holes(answer.data, missing))


def only_missing(answer):
    """Every error says that one named thing does not exist: a fact, not a failure."""
    return all(e.get("type") == "NOT_FOUND" for e in graphql_errors(answer))


def holes(data, known=()):
    """A thread asked for is null, or a list of nodes holds a null, unexplained."""
    def walk(value, path):
        if isinstance(value, list):
            return any(v is None or walk(v, path) for v in value)
        if not isinstance(value, dict):
            return False
        return any((v is None and re.fullmatch(r"i\d+", k) and (*path, k) not in known)
                   or walk(v, (*path, k)) for k, v in value.items())

    return walk((data or {}).get("data"), ())


def se_error(answer):
    """Name of the error in a Stack Exchange answer, "" for none; the status says nothing."""
    data = answer.data
    if answer.request.api != SE or not isinstance(data, dict):
        return ""
    return data.get("error_name") or ("unnamed" if data.get("error_id") else "")


def promised_seconds(answer):
    """Seconds until there is quota again, which stand in prose only; or None."""
    found = re.search(r"available in (\d+) second", answer.message)
    return float(found.group(1)) if found else None


# What to do about it ---------------------------------------------------------------


def _server_now(answer, situation):
    """The server's clock where it tells it, so that a skewed clock here does no harm."""
    return from_http_date(answer.headers.get("date")) or situation.now


def _transient(answer, situation):
    reason = f"no usable answer ({answer.message})"
    if answer.request.bucket == "graphql" and answer.status >= 500 and (situation.size or 0) > 1:
        return Decision(SHRINK, reason, 2.0, "github:graphql")
    seconds = min(2.0 ** situation.attempt, LONGEST_PAUSE)
    if answer.request.api == SE:
        seconds = max(seconds, SAME_REQUEST_PAUSE)
    return _try_again(situation, reason, seconds, "")


def _try_again(situation, reason, seconds, scope):
    if situation.attempt >= GIVE_UP_AFTER:
        return Decision(STOP, f"{reason}, {situation.attempt + 1} times in a row",
                        resumable=True)
    return Decision(WAIT, reason, seconds, scope)


def _retry_after(answer, situation):
    value = answer.headers["retry-after"].strip()
    if value.isdigit():
        seconds = float(value)
    else:
        until = from_http_date(value)
        seconds = 60.0 if until is None else max(until - _server_now(answer, situation), 0) + 1
    # A server that says 0 for ever is asked ever more slowly.
    seconds = max(seconds, min(2.0 ** situation.attempt, LONGEST_PAUSE))
    return Decision(WAIT, f"throttled ({answer.message})", seconds, "github")


def until_reset(answer, situation):
    """Wait for the budget of the answer's resource: to its reset, plus a second."""
    reset = float(answer.headers.get("x-ratelimit-reset") or 0)
    seconds = max(reset - _server_now(answer, situation), 0) + 1 if reset else 60.0
    resource = answer.headers.get("x-ratelimit-resource") or answer.request.bucket
    return Decision(WAIT, f"{resource} budget spent", seconds, f"github:{resource}")


def _secondary(answer, situation):
    return _try_again(situation, f"secondary rate limit ({answer.message})",
                      60.0 * 2 ** situation.attempt, "github")


def _shrink(answer, situation):
    if (situation.size or 0) > 1:
        return Decision(SHRINK, f"partial answer ({answer.message})")
    return Decision(SKIP, f"unreadable even alone ({answer.message})")


def _says(verb, before=""):
    """A rule that gives the server's own words as its reason."""
    return lambda answer, _: Decision(verb, f"{before}{answer.message}")


def _throttle_promise(answer, _):
    return Decision(WAIT, f"quota of this address spent ({answer.message})",
                    promised_seconds(answer) + 1, "stackexchange")


def _backoff_violated(answer, situation):
    return Decision(WAIT, answer.message, max(2 * situation.last_backoff, 30,
                                              SAME_REQUEST_PAUSE), answer.request.bucket)


def _throttle_plain(answer, situation):
    return _try_again(situation, answer.message, 60.0 * 2 ** situation.attempt + 1,
                      "stackexchange")


def _se_proceed(answer, _):
    backoff = float(answer.data.get("backoff") or 0)
    if answer.data.get("quota_remaining") == 0 and answer.data.get("has_more"):
        return Decision(STOP, "the day's Stack Exchange quota is spent", backoff,
                        answer.request.bucket, keep=True, resumable=True)
    return Decision(PROCEED, "back-off" if backoff else "", backoff, answer.request.bucket)


BAD_TOKEN = ("GITHUB_TOKEN was refused (expired or mistyped?); correct it or unset it and run the "
             "same command again: ")
_skip, _slice = _says(SKIP), _says(SLICE)
_correct = _says(STOP, "the API refused the request: ")
CASES = (
    # name, API, does it apply, what to do
    ("transient", "", is_transient, _transient),
    ("moved", "", lambda a: a.status in (301, 302, 307, 308) and "location" in a.headers,
     lambda a, _: Decision(FOLLOW, "moved", location=a.headers["location"])),
    ("not modified", GH, lambda a: a.status == 304, lambda *_: Decision(PROCEED)),
    ("token refused", GH, lambda a: a.status == 401, _says(STOP, BAD_TOKEN)),
    ("retry-after", GH, lambda a: is_throttle_status(a) and "retry-after" in a.headers,
     _retry_after),
    ("budget spent", GH, lambda a: is_throttle_status(a)
     and a.headers.get("x-ratelimit-remaining") == "0"
     and not (graphql_errors(a) and only_missing(a)), until_reset),
    ("secondary limit", GH, is_secondary, _secondary),
    ("forbidden", GH, lambda a: a.status == 403, _skip),
    ("version refused", GH, lambda a: a.status in (400, 410) and says(a, r"api.?version"),
     _correct),
    ("gone", GH, lambda a: a.status in (404, 410, 451), _skip),
    ("past the cap", GH, lambda a: a.status == 422 and says(
        a, r"only the first 1,?000|page parameter|large dataset"), _slice),
    ("query refused", GH, lambda a: a.status in (400, 422), _correct),
    ("graphql query refused", GH, lambda a: any(
        str((e.get("extensions") or {}).get("code", "")).startswith(("undefined", "argument"))
        for e in graphql_errors(a)), _correct),
    ("graphql partial", GH, is_partial, _shrink),
    ("not lexical", GH, lambda a: isinstance(a.data, dict) and a.data.get(
        "search_type", "lexical") != "lexical", lambda a, _: Decision(
            STOP, f"the search was not lexical but {a.data['search_type']}; its hits cannot be "
            "reproduced")),
    ("github answer", GH, lambda a: a.status == 200, lambda *_: Decision(PROCEED)),
    ("throttled, seconds promised", SE, lambda a: se_error(a) == "throttle_violation"
     and promised_seconds(a) is not None, _throttle_promise),
    ("back-off violated", SE, lambda a: se_error(a) == "throttle_violation"
     and says(a, r"back-?off"), _backoff_violated),
    ("throttled", SE, lambda a: se_error(a) == "throttle_violation" or a.status == 429,
     _throttle_plain),
    ("page too deep", SE, lambda a: se_error(a) == "access_denied"
     and says(a, r"page above"), _slice),
    ("server trouble", SE, lambda a: se_error(a) in ("internal_error", "temporarily_unavailable"),
     _transient),
    ("stackexchange refused", SE, lambda a: bool(se_error(a)), _correct),
    ("stackexchange answer", SE, lambda a: a.status == 200 and isinstance(a.data, dict),
     _se_proceed),
)
