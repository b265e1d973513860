"""Faults by script: what the server does instead of answering, at which request."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate


@dataclass
class Fault:
    """One scripted misbehaviour.

    Parameters
    ----------
    bucket : str
        Requests it looks at: search, core, graphql, or a Stack Exchange method; "" all.
    act : callable
        ``act(server, now)`` gives (status, headers, body bytes or dict), or "drop"; for a
        change of a good answer, ``act`` is None and ``change`` edits its data.
    first, times : int
        From the ``first`` matching request on (1 = the next), so often.
    """

    bucket: str = ""
    act: Callable | None = None
    change: Callable | None = None
    first: int = 1
    times: int = 1
    seen: int = 0
    done: int = 0

    def wants(self, bucket):
        if self.bucket not in ("", bucket) or self.done >= self.times:
            return False
        self.seen += 1
        if self.seen < self.first:
            return False
        self.done += 1
        return True


def throttled(status, form, seconds=90):
    """GitHub's ways to say *not now*; the referee learns how long the client must wait.

    ``form`` is seconds, date, reset, message, limited-by or bare.
    """
    def act(server, now):
        body = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes "
                "before you try again.", "documentation_url": "https://docs.example"}
        headers, until, scope = {}, now + 60, "github"
        if form == "seconds":
            headers["Retry-After"], until = str(seconds), now + seconds
        elif form == "date":
            headers["Retry-After"] = formatdate(now + seconds, usegmt=True)
            until = now + seconds - 1
        elif form == "reset":
            headers |= {"X-RateLimit-Remaining": "0", "X-RateLimit-Resource": server.bucket,
                        "X-RateLimit-Reset": str(int(now + seconds))}
            body["message"] = "API rate limit exceeded for user ID 1."
            until, scope = int(now + seconds), f"github:{server.bucket}"
        elif form == "limited-by":
            headers["gh-limited-by"] = "synthetic"
            body["message"] = "Slow down."
        elif form == "bare":
            body["message"] = "Too many requests."
        server.referee.impose(scope, until)
        return status, headers, body
    return act


def graphql_limited(form):
    """GraphQL's throttles come as 200 with errors."""
    def act(server, now):
        headers, until, scope = {}, now + 60, "github"
        if form == "primary":
            until, scope = int(now + 300), "github:graphql"
            headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(until),
                       "X-RateLimit-Resource": "graphql"}
        server.referee.impose(scope, until)
        return 200, headers, {"errors": [{"type": "RATE_LIMITED", "message":
                                          "API rate limit exceeded for user ID 1."}]}
    return act


def plain(status, data, headers=None):
    """A fixed answer."""
    def act(server, now):  # noqa: ARG001
        return status, headers or {}, data
    return act


def html(status=502):
    """An HTML page where JSON was due; Stack Exchange allows a repeat after a minute."""
    return plain(status, b"<html><body>Synthetic bad gateway</body></html>",
                 {"Content-Type": "text/html"})


def drop(server, now):  # noqa: ARG001
    """Close the connection without a word."""
    return "drop"


def truncated_gzip(server, now):  # noqa: ARG001
    """Half a compressed body with a matching length."""
    import gzip
    whole = gzip.compress(json.dumps({"items": [], "has_more": False}).encode())
    return 200, {"Content-Type": "application/json"}, whole[:len(whole) // 2]


def backoff(seconds):
    """Edit a good answer: ask for a pause of this method."""
    def change(server, now, data):
        data["backoff"] = seconds
        server.referee.impose(server.bucket, now + seconds)
    return change


def vanishing(each, most, seed=3):
    """After every good answer ``each`` random threads are deleted, ``most`` in all."""
    rng, left = random.Random(seed), [most]

    def change(server, now, data):  # noqa: ARG001
        live = [q for q in server.corpus.questions.values() if not q.deleted] + [
            i for r in server.corpus.repositories.values() for i in r.issues.values()
            if not i.fate]
        for row in rng.sample(live, min(each, left[0], len(live))):
            left[0] -= 1
            if hasattr(row, "fate"):
                row.fate = "deleted"
            else:
                row.deleted = True
        server.github.found.clear()
        server.stackexchange.sorted = None

    change.left = left
    return change


def lagging(github, numbers, searches):
    """The index learns of threads (by number) only after so many searches."""
    github.hidden_from_search, left = set(numbers), [searches]

    def change(server, now, data):  # noqa: ARG001
        left[0] -= 1
        if left[0] == 0:
            github.hidden_from_search = set()

    return change


def violation(message, scope_seconds, scope=None):
    """A Stack Exchange throttle_violation; both 400 and 502 are seen in the wild."""
    def act(server, now):
        server.referee.impose(scope or server.bucket, now + scope_seconds)
        return 400, {}, {"error_id": 502, "error_name": "throttle_violation",
                         "error_message": message}
    return act
