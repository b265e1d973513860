"""One request out, one answer in. No retry, no waiting, no opinion: see ``policy``.

Tokens and keys are read from the environment, sent, and never shown or stored.
"""

import gzip
import json
import logging
import os
import zlib
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import quote, quote_plus, urljoin, urlsplit

import requests

from mining import GITHUB_VERSION, STACKEXCHANGE_VERSION, VERSION
from mining.errors import MiningError

USER_AGENT = f"ddl-training-study-mining/{VERSION} (research; requests/{requests.__version__})"
TIMEOUT = (10, 90)
KEPT_HEADERS = (
    "date", "etag", "last-modified", "link", "location", "retry-after", "content-type",
    "x-github-request-id", "x-github-api-version-selected", "x-ratelimit-limit",
    "x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-used",
    "x-ratelimit-resource", "gh-limited-by", "deprecation", "sunset",
)
GITHUB_URL = "https://api.github.com"
STACKEXCHANGE_URL = "https://api.stackexchange.com"
MASK = "[secret]"
SECRETS = ("GITHUB_TOKEN", "STACKEXCHANGE_KEY", "STACKEXCHANGE_TOKEN")
SHORTEST = 8


@dataclass(frozen=True)
class Credentials:
    """What the environment allows us to use.

    The secrets have no ``repr``, so a traceback or a debug print cannot show them.
    """

    github_token: str = field(default="", repr=False)
    stackexchange_key: str = field(default="", repr=False)
    stackexchange_token: str = field(default="", repr=False)
    github_url: str = GITHUB_URL
    stackexchange_url: str = STACKEXCHANGE_URL

    @classmethod
    def from_environment(cls, environment=None):
        """Read the five variables the README names; unset or empty means absent.

        Raises MiningError where a secret is too short or holds blanks.

        >>> Credentials.from_environment({"GITHUB_TOKEN": "ghp_123456"}).github_url
        'https://api.github.com'
        """
        env = os.environ if environment is None else environment
        secrets = {name: (env.get(name) or "").strip() for name in SECRETS}
        for name, secret in secrets.items():
            # Masking a word of a few letters would tear holes into the mined texts.
            if secret and (len(secret) < SHORTEST or not secret.isprintable() or " " in secret):
                raise MiningError(f"{name} is set, but to nothing that can be a token or key; "
                                  "correct it, or unset it to mine without")
        addresses = [(env.get(name) or public).strip().rstrip("/") for name, public in (
            ("GITHUB_API_URL", GITHUB_URL), ("STACKEXCHANGE_API_URL", STACKEXCHANGE_URL))]
        return cls(*secrets.values(), *addresses)

    @property
    def are_public(self):
        """Whether both addresses are those of the public APIs."""
        return (self.github_url, self.stackexchange_url) == (GITHUB_URL, STACKEXCHANGE_URL)

    @property
    def secrets(self):
        """Every spelling of a secret that could turn up in text, longest first."""
        plain = (self.github_token, self.stackexchange_key, self.stackexchange_token)
        spellings = {f(s) for s in plain if s for f in (
            str, quote, quote_plus, lambda text: quote(text, safe=""))}
        return sorted(spellings, key=len, reverse=True)

    def scrub(self, text):
        """The text with every secret masked.

        >>> Credentials(stackexchange_key="k((").scrub("key=k%28%28 or k((")
        'key=[secret] or [secret]'
        """
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text


class ScrubFilter(logging.Filter):
    """Masks secrets in log records: urllib3 logs whole request lines at DEBUG."""

    def __init__(self, credentials):
        super().__init__()
        self.credentials = credentials

    def filter(self, record):
        record.msg = self.credentials.scrub(record.getMessage())
        record.args = ()
        return True


def guard_logs(credentials):
    """Put a :class:`ScrubFilter` on the loggers of the HTTP library."""
    for name in ("urllib3", "urllib3.connectionpool", "requests"):
        logger = logging.getLogger(name)
        logger.filters = [f for f in logger.filters if not isinstance(f, ScrubFilter)]
        logger.addFilter(ScrubFilter(credentials))


@dataclass(frozen=True)
class Request:
    """A request without its secrets.

    ``api`` is github or stackexchange; ``path`` is relative to its base address, and keeps the
    query string of a followed link; ``params`` are (name, value) in sending order; a ``body``
    (JSON text) makes it a POST. It counts against ``bucket``: search, core or graphql for
    GitHub, the method for Stack Exchange (whose back-off is per method). With the ``etag`` of an
    earlier answer to the same request, "nothing new" costs no budget.
    """

    api: str
    path: str
    params: tuple = ()
    body: str = ""
    bucket: str = "core"
    etag: str = ""

    @property
    def method(self):
        return "POST" if self.body else "GET"

    @property
    def key(self):
        """A fixed name of this very request (hex)."""
        text = json.dumps([self.api, self.path, list(map(list, self.params)), self.body])
        return sha256(text.encode()).hexdigest()[:32]

    def public(self):
        """The request as it may be stored and printed."""
        plain = {"api": self.api, "method": self.method, "path": self.path}
        if self.params:
            plain["params"] = dict(self.params)
        if self.body:
            plain["body"] = self.body
        return plain


@dataclass
class Answer:
    """What came back.

    ``status`` is HTTP's, 0 where there was no answer; ``headers`` have lower-case names;
    ``text`` is the body, decompressed, decoded and with secrets masked, and ``data`` its JSON
    (None where it is empty or no JSON). ``problem`` says why there is no usable body:
    ``connection`` or ``unreadable``, else "".
    """

    request: Request
    status: int = 0
    headers: dict = field(default_factory=dict)
    text: str = ""
    data: object = None
    problem: str = ""
    detail: str = ""

    @property
    def message(self):
        """The server's own words, short, for a log or an error."""
        data = self.data if isinstance(self.data, dict) else {}
        errors = data.get("errors") or []
        words = data.get("message") or data.get("error_message") or self.detail
        if errors and isinstance(errors[0], dict) and errors[0].get("message"):
            words = f"{words}: {errors[0]['message']}" if words else errors[0]["message"]
        # Their words reach a terminal: no control characters, one line.
        words = " ".join(str(words or f"HTTP {self.status}").split())
        return "".join(filter(str.isprintable, words))[:300]

    def kept_headers(self):
        return {k: self.headers[k] for k in KEPT_HEADERS if k in self.headers}


class Wire:
    """Sends requests to the two APIs through one ``requests`` session."""

    def __init__(self, credentials):
        self.credentials = credentials
        self.session = requests.Session()
        # A .netrc or a proxy variable with a password must not add an Authorization
        # header behind our back; proxies themselves still work.
        self.session.auth = lambda prepared: prepared
        guard_logs(credentials)

    def base(self, api):
        return getattr(self.credentials, f"{api}_url")

    def url(self, request):
        """Full address without secrets."""
        base = self.base(request.api)
        if request.bucket == "graphql" and base.endswith("/api/v3"):
            return f"{base[:-3]}/graphql"  # GitHub Enterprise keeps GraphQL beside REST
        prefix = f"/{STACKEXCHANGE_VERSION}" if request.api == "stackexchange" else ""
        return base + prefix + request.path

    def relative(self, api, url):
        """A followed address as a path of ours; refuses to leave the API's host.

        Raises MiningError where scheme, host or port differ, because the token would go
        along.
        """
        base = self.base(api)
        here, there = urlsplit(base), urlsplit(urljoin(f"{base}/", url))
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise MiningError(f"{api}: an answer points to another host ({there.netloc}); "
                              "not followed, because the token would go there")
        path = there.path.removeprefix(here.path)
        return f"{path}?{there.query}" if there.query else path

    def send(self, request):
        """Send once and return an :class:`Answer`; never raises for the network."""
        try:
            response = self.session.request(
                request.method, self.url(request), params=self._params(request),
                data=request.body.encode() or None, headers=self._headers(request),
                timeout=TIMEOUT, allow_redirects=False)
            raw = response.content
        except (requests.RequestException, OSError) as error:
            # The text of these exceptions holds the whole URL, the key included.
            return Answer(request, problem="connection", detail=type(error).__name__)
        headers = {k.lower(): self.credentials.scrub(v) for k, v in response.headers.items()}
        return read(request, response.status_code, headers, raw, self.credentials.scrub)

    def _params(self, request):
        params = list(request.params)
        if request.api == "stackexchange":
            secret = {"key": self.credentials.stackexchange_key,
                      "access_token": self.credentials.stackexchange_token}
            params += [(k, v) for k, v in secret.items() if v]
        return params

    def _headers(self, request):
        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip"}
        if request.api == "github":
            headers["Accept"] = "application/vnd.github+json"
            headers["X-GitHub-Api-Version"] = GITHUB_VERSION
            if request.etag:
                headers["If-None-Match"] = request.etag
            if self.credentials.github_token:
                headers["Authorization"] = f"Bearer {self.credentials.github_token}"
        if request.body:
            headers["Content-Type"] = "application/json"
        return headers


def read(request, status, headers, raw, scrub=str):
    """Make an :class:`Answer` of raw bytes; pure.

    Some proxies strip Content-Encoding from the always-compressed Stack Exchange
    answers, so gzip is recognised by its first two bytes.
    """
    if raw[:2] == b"\x1f\x8b":
        try:
            raw = gzip.decompress(raw)
        except (EOFError, OSError, zlib.error):
            return Answer(request, status, headers, problem="unreadable",
                          detail="truncated gzip")
    text = scrub(raw.decode("utf-8", "replace"))
    answer = Answer(request, status, headers, text)
    try:
        answer.data = json.loads(text) if text.strip() else None
    except ValueError:
        answer.problem, answer.detail = "unreadable", "not JSON"
    if answer.data is None and status in (200, 204) and not answer.problem:
        answer.problem, answer.detail = "unreadable", "empty body"
    return answer
