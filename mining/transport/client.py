"""The polite client: waits where a wait stands, sends, asks the policy, and repeats."""

from dataclasses import dataclass, replace

from mining.errors import MiningError, Stopped
from mining.transport import policy, verdicts
from mining.transport.clock import iso

# GitHub: at most 900 points a minute over REST, a GET being one. Stack Exchange: more
# than 30 requests a second from one address are dropped.
PACE = {"github": 60 / 900, "stackexchange": 1 / 20}
# Where an answer tells no budget (a proxy may strip the headers), search is paced by the
# documented one: 30 a minute with a token, 10 without.
SEARCH_PACE = {True: 2.0, False: 6.0}
MOST_HOPS = 3


@dataclass
class Outcome:
    """A usable answer with the verdict on it."""

    answer: object
    decision: verdicts.Decision


class Client:
    """Sends requests one at a time, never inside a wait.

    Parameters
    ----------
    wire : mining.transport.wire.Wire
    clock : mining.transport.clock.Clock
    memory : mining.store.store.Store
        Keeps waits, so that a restart honours them too.
    patience : float
        Longest single wait in seconds that is slept through.
    report : callable, optional
        ``report(text)`` while a wait goes on.
    """

    def __init__(self, wire, clock, memory, patience=3900, report=None):
        self.wire, self.clock, self.memory = wire, clock, memory
        self.patience = patience
        self.report = report or _silent
        self.requests = 0
        self.last_sent = {}
        self.last_backoff = {}

    def fetch(self, request, size=None):
        """Send until the policy reaches a verdict other than *wait*.

        Parameters
        ----------
        request : mining.transport.wire.Request
        size : int, optional
            Threads asked for, where fewer could be.

        Returns
        -------
        Outcome
            With verb proceed, shrink, slice or skip; or stop with ``keep``.

        Raises
        ------
        Stopped
            Where going on must wait longer than ``patience``.
        MiningError
            Where the request itself is wrong.
        """
        attempt = hops = 0
        while True:
            self._hold_until_free(request)
            answer = self._send(request)
            situation = verdicts.Situation(
                self.clock.now(), attempt, size, self.patience,
                self.last_backoff.get(request.bucket, 0))
            decision = policy.decide(answer, situation)
            self._remember(request, answer, decision, situation)
            if decision.verb == verdicts.WAIT:
                attempt += 1
            elif decision.verb == verdicts.FOLLOW:
                hops += 1
                request = self._moved(request, decision, hops)
            elif decision.verb == verdicts.STOP and not decision.keep:
                raise self._stop(request, decision, situation)
            else:
                return Outcome(answer, decision)

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

    def scopes(self, request):
        """Everything whose wait this request must respect."""
        names = (request.api, f"{request.api}:{request.bucket}", request.bucket, _own(request))
        return [self._scope(request, name) for name in names]

    def _scope(self, request, name):
        return f"{self.wire.base(request.api)} {name}"

    def _hold(self, request, name, seconds, reason):
        self.memory.waits.hold(self._scope(request, name), self.clock.now(), seconds, reason)

    def _hold_until_free(self, request):
        seconds, reason = self.memory.waits.held(self.scopes(request), self.clock.now())
        if seconds <= 0:
            return
        if seconds > self.patience:
            until = self.clock.now() + seconds
            raise Stopped(f"{reason}; the same command goes on from {iso(until)} on", until)
        self.clock.sleep(seconds, lambda left: self.report(f"{reason}: {left:.0f} s"))

    def _remember(self, request, answer, decision, situation):
        """Store the waits an answer asks for, before anything is slept."""
        now = situation.now
        if decision.seconds:
            scope = decision.scope or _own(request)
            self._hold(request, scope, decision.seconds, decision.reason)
            if request.api == "stackexchange" and decision.scope == request.bucket:
                self.last_backoff[request.bucket] = decision.seconds
        if decision.verb != verdicts.PROCEED:
            self.memory.note(now, request, answer, decision)
        if request.api == "github" and answer.status and decision.verb != verdicts.WAIT:
            self._remember_budget(request, answer, situation)

    def _remember_budget(self, request, answer, situation):
        remaining = answer.headers.get("x-ratelimit-remaining")
        if answer.status == 304:
            return  # costs nothing
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
        if decision.resumable:
            hint = verdicts.resume_hint(decision, situation)
            return Stopped(f"{where}: {decision.reason}; the same command goes on{hint}",
                           situation.now + decision.seconds if decision.seconds else None)
        return MiningError(f"{where}: {decision.reason}")


def _own(request):
    return f"request:{request.key}"


def _silent(_):
    pass
