"""The referee: watches every request and writes down each breach of the APIs' rules."""

import re
from collections import deque


class Referee:
    """Knows the rules of both APIs and the waits the server has imposed.

    Attributes
    ----------
    breaches : list of str
        Empty after a fair run.
    """

    def __init__(self, secrets=()):
        self.breaches, self.waits = [], {}
        self.secrets = [s for s in secrets if s]
        self.recent = {"search": deque(), "stackexchange": deque(), "github": deque()}
        self.seen = {}
        self.budget = {}

    def breach(self, text):
        self.breaches.append(text)

    def impose(self, scope, until):
        """The server has told the client to keep ``scope`` still until then."""
        self.waits[scope] = max(self.waits.get(scope, 0), until)

    def watch(self, now, api, bucket, method, path, query, headers, body):
        """Judge one request as it comes in."""
        where = f"{method} {path}"
        if not headers.get("user-agent", "").startswith("ddl-training-study"):
            self.breach(f"no own User-Agent: {where}")
        if any(secret in path for secret in self.secrets):
            self.breach(f"secret in a path: {where}")
        for scope in (api, f"{api}:{bucket}", bucket):
            if now < self.waits.get(scope, 0) - 0.01:
                self.breach(f"inside a wait of {scope} "
                            f"({self.waits[scope] - now:.1f} s left): {where}")
        getattr(self, f"_{api}")(now, bucket, where, query, headers, body)

    def spent(self, scope, reset):
        """The budget of ``scope`` is used up until ``reset``."""
        self.waits[scope] = reset

    def _github(self, now, bucket, where, query, headers, body):
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", headers.get("x-github-api-version", "")):
            self.breach(f"no API version: {where}")
        if self._rate("github", now, 60) > 900:
            self.breach(f"more than 900 points a minute: {where}")
        if bucket == "search":
            authorised = "authorization" in headers
            if self._rate("search", now, 60) > (30 if authorised else 10):
                self.breach(f"search budget of a minute exceeded: {where}")
            if (int(query.get("page", 1)) - 1) * int(query.get("per_page", 30)) >= 1000:
                self.breach(f"page past the cap: {where}")
            if query.get("q", "").count("is:issue") != 1 or "is:pull-request" in query["q"]:
                self.breach(f"not exactly one is:issue: {where}")
            if query["q"].count("repo:") != 1:
                self.breach(f"not exactly one repo: {where}")
        if bucket == "graphql" and "authorization" not in headers:
            self.breach(f"GraphQL without a token: {where}")
        if bucket == "graphql" and body and len(re.findall(r"issue\(number", body)) > 100:
            self.breach(f"too many threads in a query: {where}")

    def _stackexchange(self, now, bucket, where, query, headers, body):  # noqa: ARG002
        if "authorization" in headers:
            self.breach(f"GitHub's token sent to Stack Exchange: {where}")
        if self._rate("stackexchange", now, 1) > 30:
            self.breach(f"more than 30 requests a second: {where}")
        public = {k: v for k, v in query.items() if k not in ("key", "access_token")}
        key = (where, tuple(sorted(public.items())))
        if now - self.seen.get(key, -1e9) < 60:
            self.breach(f"the same request twice in a minute: {where}")
        self.seen[key] = now
        if int(query.get("page", 1)) > 25 and "key" not in query:
            self.breach(f"page above 25 without a key: {where}")
        if ";" in query.get("tagged", ""):
            self.breach(f"several tags mean AND here: {where}")

    def _rate(self, name, now, window):
        times = self.recent[name]
        times.append(now)
        while times[0] <= now - window:
            times.popleft()
        return len(times)
