"""The HTTP server around the two fakes: limits, quotas, faults, and the referee."""

import gzip
import json
import sys
import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from fakeapi.github import GitHub
from fakeapi.referee import Referee
from fakeapi.stackexchange import StackExchange


class FakeAPIs:
    """Both APIs on one loopback port: GitHub under ``/gh``, Stack Exchange under ``/se``.

    Parameters
    ----------
    corpus : fakeapi.corpus.Corpus
    clock : mining.transport.clock.Clock
        Shared with the client under test.
    faults : list of fakeapi.faults.Fault
    secrets : list of str
        What the referee looks for in paths.
    """

    def __init__(self, corpus, clock, faults=(), secrets=(), quota=10_000, search_limit=None):
        self.clock, self.faults = clock, list(faults)
        self.referee = Referee(secrets)
        self.search_limit = search_limit
        self.log, self.bucket, self.statuses = [], "", []
        self.answered = self.caught = 0
        self.windows, self.quota, self.quota_max = {}, quota, quota
        self.se_encoding = True
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                fake.answer(self)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                # A killed client hangs up in the middle; anything else is our own mistake.
                if not isinstance(sys.exc_info()[1], ConnectionError | ValueError):
                    super().handle_error(request, client_address)

        self.http = Server(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.github = GitHub(corpus, f"{self.url}/gh")
        self.stackexchange = StackExchange(corpus)
        self.corpus, self.lock = corpus, threading.Lock()

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def environment(self, **extra):
        """The variables that point the miner here."""
        return {"GITHUB_API_URL": f"{self.url}/gh", "STACKEXCHANGE_API_URL": f"{self.url}/se",
                **extra}

    def sent(self, bucket=None):
        """Requests received, of one bucket or in all."""
        return sum(1 for b, _ in self.log if bucket in (None, b))

    def waiting(self):
        """Whether a client waits for an answer that is not sent yet."""
        return len(self.log) > self.answered

    # One request --------------------------------------------------------------------

    def answer(self, handler):
        length = int(handler.headers.get("content-length") or 0)
        body = handler.rfile.read(length).decode() if length else ""
        try:
            with self.lock:
                reply = self._reply(handler, body)
            self._send(handler, reply)
        finally:
            self.answered += 1

    @staticmethod
    def _send(handler, reply):
        if reply == "drop":
            handler.close_connection = True
            handler.connection.close()
            return
        status, headers, raw = reply
        handler.send_response_only(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)

    def _reply(self, handler, body):
        now = self.clock.now()
        parts = urlsplit(handler.path)
        api = {"gh": "github", "se": "stackexchange"}.get(parts.path.split("/")[1], "")
        path = parts.path[3:].removeprefix("/2.3") if api == "stackexchange" else parts.path[3:]
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        headers = {k.lower(): v for k, v in handler.headers.items()}
        bucket = self.bucket = self._bucket(api, path)
        self.log.append((bucket, handler.path + body))
        self.referee.watch(now, api, bucket, handler.command, path, query, headers, body)
        for fault in self.faults:
            if fault.act and fault.wants(bucket):
                reply = fault.act(self, now)
                return reply if reply == "drop" else self._encode(*reply, {}, api, now)
        if api == "github":
            status, extra, data = self._github(path, query, headers, body, bucket, now)
        else:
            status, extra, data = self._stackexchange(path, query, bucket, now)
        for fault in self.faults:
            if fault.change and isinstance(data, dict | list) and fault.wants(bucket):
                fault.change(self, now, data)
        self.statuses.append(status)
        return self._encode(status, {}, data, extra, api, now)

    @staticmethod
    def _bucket(api, path):
        if api == "github":
            return {"/search/issues": "search", "/graphql": "graphql"}.get(path, "core")
        parts = path.strip("/").split("/")
        if parts[0] == "questions" and len(parts) == 3:
            return f"/questions/{parts[2]}"
        return "/questions" if parts[0] == "questions" else path

    def _github(self, path, query, headers, body, bucket, now):
        authorised = "authorization" in headers
        limits = {"search": (self.search_limit or (30 if authorised else 10), 60),
                  "core": (5000 if authorised else 60, 3600), "graphql": (5000, 3600)}
        limit, window = limits[bucket]
        asked = headers.get("if-none-match")
        if asked:
            status, more, _ = self.github.rest(path, query)
            if more.get("ETag") == asked:
                return 304, more, b""  # costs nothing
        reset, used = self.windows.get(bucket, (0, 0))
        if now >= reset:
            reset, used = int(now) + window, 0
        used += 1
        self.windows[bucket] = (reset, used)
        extra = {"X-RateLimit-Limit": limit, "X-RateLimit-Remaining": max(0, limit - used),
                 "X-RateLimit-Reset": reset, "X-RateLimit-Used": used,
                 "X-RateLimit-Resource": bucket,
                 "X-GitHub-Api-Version-Selected": headers.get("x-github-api-version", "none")}
        if used >= limit:
            self.referee.spent(f"github:{bucket}", reset)
        if used > limit:
            return 403, extra, {"message": "API rate limit exceeded for user ID 1.",
                                "documentation_url": "https://docs.example"}
        if bucket == "graphql":
            if not authorised:
                return 401, extra, {"message": "Requires authentication"}
            told = {"remaining": limit - used, "resetAt": "2030-01-01T00:00:00Z"}
            status, more, data = self.github.graphql(json.loads(body), told)
        else:
            status, more, data = self.github.rest(path, query)
        return status, {**extra, **more}, data

    def _stackexchange(self, path, query, bucket, now):  # noqa: ARG002
        if self.quota <= 0:
            self.referee.impose("stackexchange", now + 84907)
            return 400, {}, {"error_id": 502, "error_name": "throttle_violation", "error_message":
                             "too many requests from this IP, more requests available in "
                             "84907 seconds"}
        self.quota -= 1
        status, extra, data = self.stackexchange.get(path, query, "key" in query)
        data |= {"quota_max": self.quota_max, "quota_remaining": self.quota}
        return status, extra, data

    def _encode(self, status, headers, data, extra, api, now):
        headers = {"Date": formatdate(now, usegmt=True), "Content-Type": "application/json",
                   **headers, **{k: str(v) for k, v in extra.items()}}
        raw = data if isinstance(data, bytes) else json.dumps(data).encode()
        if api == "stackexchange" and not isinstance(data, bytes):
            raw = gzip.compress(raw, compresslevel=1)
            if self.se_encoding:
                headers["Content-Encoding"] = "gzip"
        return status, headers, raw
