"""The polite client: waits where a wait stands, sends, asks the policy, and repeats.

A step is one request and what each verdict on its answer means for the frontier.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mining.errors import MiningError, Stopped
from mining.transport import policy
from mining.transport.clock import iso
from mining.transport.wire import Request

# GitHub: at most 900 points a minute over REST, a GET being one. Stack Exchange: more
# than 30 requests a second from one address are dropped.
PACE = {"github": 60 / 900, "stackexchange": 1 / 20}
# Where an answer tells no budget (a proxy may strip the headers), search is paced by the
# documented one: 30 a minute with a token, 10 without.
SEARCH_PACE = {True: 2.0, False: 6.0}
MOST_HOPS = 3


class Client:
    """Sends requests one at a time, never inside a wait.

    The store ``memory`` keeps waits, so that a restart honours them too. A wait of up to
    ``patience`` seconds is slept through, while ``report(text)`` is called.
    """

    def __init__(self, wire, clock, memory, patience, report):
        self.wire, self.clock, self.memory = wire, clock, memory
        self.patience, self.report = patience, report
        self.requests, self.last_sent, self.last_backoff = 0, {}, {}

    def fetch(self, request, size=None):
        """Send until the policy reaches a verdict other than *wait*: the answer and the verdict.

        ``size`` is the number of threads asked for, where fewer could be. Raises Stopped where
        going on must wait longer than ``patience``, MiningError where the request is wrong.
        """
        attempt = hops = 0
        while True:
            self._hold_until_free(request)
            answer = self._send(request)
            situation = policy.Situation(
                self.clock.now(), attempt, size, self.patience,
                self.last_backoff.get(request.bucket, 0))
            decision = policy.decide(answer, situation)
            self._remember(request, answer, decision, situation)
            if decision.verb == policy.WAIT:
                attempt += 1
            elif decision.verb == policy.FOLLOW:
                hops += 1
                request = self._moved(request, decision, hops)
            elif decision.verb == policy.STOP and not decision.keep:
                raise self._stop(request, decision, situation)
            else:
                return answer, decision

    def _send(self, request):
        api = request.api
        pause = self.last_sent.get(api, -1e9) + PACE[api] - self.clock.monotonic()
        if pause > 0:
            self.clock.sleep(pause)
        if api == "stackexchange":
            # Written before sending: after a kill the same request must not go out again
            # within the minute.
            self._hold(request, _own(request), policy.SAME_REQUEST_PAUSE,
                       "the same request once a minute")
        self.last_sent[api] = self.clock.monotonic()
        self.requests += 1
        return self.wire.send(request)

    def _hold(self, request, name, seconds, reason):
        scope = f"{self.wire.base(request.api)} {name}"
        self.memory.waits.hold(scope, self.clock.now(), seconds, reason)

    def _hold_until_free(self, request):
        names = (request.api, f"{request.api}:{request.bucket}", request.bucket, _own(request))
        scopes = [f"{self.wire.base(request.api)} {name}" for name in names]
        seconds, reason = self.memory.waits.held(scopes, self.clock.now())
        if seconds <= 0:
            return
        if seconds > self.patience:
            raise Stopped(f"{reason}; the same command goes on from "
                          f"{iso(self.clock.now() + seconds)} on")
        self.clock.sleep(seconds, lambda left: self.report(f"{reason}: {left:.0f} s"))

    def _remember(self, request, answer, decision, situation):
        """Store the waits an answer asks for, before anything is slept."""
        if decision.seconds:
            scope = decision.scope or _own(request)
            self._hold(request, scope, decision.seconds, decision.reason)
            if request.api == "stackexchange" and decision.scope == request.bucket:
                self.last_backoff[request.bucket] = decision.seconds
        if decision.verb != policy.PROCEED:
            self.memory.note(situation.now, request, answer, decision)
        # What was not modified costs nothing.
        if (request.api == "github" and answer.status not in (0, 304)
                and decision.verb != policy.WAIT):
            self._remember_budget(request, answer, situation)

    def _remember_budget(self, request, answer, situation):
        remaining = answer.headers.get("x-ratelimit-remaining")
        if remaining == "0":
            spent = policy.until_reset(answer, situation)
            self._hold(request, spent.scope, spent.seconds, spent.reason)
        elif remaining is None and request.bucket == "search":
            pace = SEARCH_PACE[bool(self.wire.credentials.github_token)]
            self._hold(request, "github:search", pace, "pace of searches")

    def _moved(self, request, decision, hops):
        if hops > MOST_HOPS:
            raise MiningError(f"{request.path}: more than {MOST_HOPS} redirects in a row")
        path = self.wire.relative(request.api, decision.location)
        if request.api == "stackexchange":
            # The version is put before every path again when it is sent.
            path = path.removeprefix("/2.3")
        params = () if "?" in path else request.params
        return replace(request, path=path, params=params)

    def _stop(self, request, decision, situation):
        where = f"{request.api} {request.path}"
        if not decision.resumable:
            return MiningError(f"{where}: {decision.reason}")
        when = f" from {iso(situation.now + decision.seconds)} on" if decision.seconds else ""
        return Stopped(f"{where}: {decision.reason}; the same command goes on{when}")


def _own(request):
    return f"request:{request.key}"


@dataclass
class Step:
    """One unit of mining: a request, and what to enter into the frontier for each verdict.

    ``accept(answer)`` enters a good answer, ``skip(why)``, ``slice()`` and ``shrink()`` what
    follows from those verdicts; one without its function is an error, as nobody foresaw it here.
    ``kind`` names the answer for replay, ``context`` is stored beside it, and ``size`` is the
    number of threads asked for, where a smaller request is possible.
    """

    kind: str
    request: Request
    accept: Callable
    context: dict = field(default_factory=dict)
    size: int | None = None
    skip: Callable | None = None
    slice: Callable | None = None
    shrink: Callable | None = None


def take(step, client, store):
    """Send a step's request and commit the answer with what follows from it.

    Raises
    ------
    Stopped
        After the answer was stored, where it was the last the quota allows.
    MiningError
        Where the verdict has no meaning for this step.
    """
    known = store.earlier.find(step.request.key) if store.earlier else None
    etag = known["headers"].get("etag", "") if known else ""
    # What an update brings stands above what was read before it.
    context = {**step.context, **({"round": n} if (n := store.get("round")) else {})}
    answer, decision = client.fetch(replace(step.request, etag=etag), step.size)
    if answer.status == 304 and known:
        answer = replace(answer, status=200, text=known["body"], data=json.loads(known["body"]),
                         headers={**known["headers"], **answer.headers})
    if decision.verb == policy.PROCEED or decision.keep:
        store.record(step.kind, answer, context, lambda: _accept(step, answer))
    elif decision.verb == policy.SKIP and step.skip:
        context |= {"of": step.kind, "reason": decision.reason}
        store.record("refused", answer, context,
                     lambda: step.skip(f"{answer.status}: {decision.reason}"))
    elif smaller := {policy.SLICE: step.slice, policy.SHRINK: step.shrink}.get(decision.verb):
        with store.transaction():
            smaller()
    else:
        raise MiningError(f"{step.request.api} {step.request.path}: {decision.reason}")
    if decision.verb == policy.STOP:
        raise Stopped(f"{decision.reason}; what came is kept, and the same command goes on "
                      "when there is quota again (at most 24 hours)")


def _accept(step, answer):
    """Enter an answer; one of another shape than documented is told, not a traceback."""
    try:
        step.accept(answer)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise MiningError(
            f"{step.request.api} {step.request.path}: the answer is not as documented "
            f"({type(error).__name__}: {error}; it begins {answer.text[:120]!r}); it was not "
            "stored. Is the API address right?") from error
