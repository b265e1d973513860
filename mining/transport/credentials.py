"""Tokens and keys: read from the environment, sent, and never shown or stored."""

import logging
import os
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus

from mining.errors import MiningError

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

        Examples
        --------
        >>> Credentials.from_environment({"GITHUB_TOKEN": "ghp_123456"})
        Credentials(github_url='https://api.github.com', \
stackexchange_url='https://api.stackexchange.com')
        """
        env = os.environ if environment is None else environment

        def value(name, default=""):
            return (env.get(name) or default).strip()

        secrets = {name: value(name) for name in SECRETS}
        for name, secret in secrets.items():
            # Masking a word of a few letters would tear holes into the mined texts.
            if secret and (len(secret) < SHORTEST or not secret.isprintable() or " " in secret):
                raise MiningError(f"{name} is set, but to nothing that can be a token or key; "
                                  "correct it, or unset it to mine without")
        return cls(
            github_token=secrets["GITHUB_TOKEN"],
            stackexchange_key=secrets["STACKEXCHANGE_KEY"],
            stackexchange_token=secrets["STACKEXCHANGE_TOKEN"],
            github_url=value("GITHUB_API_URL", GITHUB_URL).rstrip("/"),
            stackexchange_url=value("STACKEXCHANGE_API_URL", STACKEXCHANGE_URL).rstrip("/"),
        )

    @property
    def are_public(self):
        """Whether both addresses are those of the public APIs."""
        return (self.github_url, self.stackexchange_url) == (GITHUB_URL, STACKEXCHANGE_URL)

    @property
    def secrets(self):
        """Every spelling of a secret that could turn up in text, longest first."""
        plain = [s for s in (self.github_token, self.stackexchange_key,
                             self.stackexchange_token) if s]
        spellings = {f(s) for s in plain for f in (str, quote, quote_plus, _quote_all)}
        return sorted(spellings, key=len, reverse=True)

    def scrub(self, text):
        """The text with every secret masked.

        >>> Credentials(stackexchange_key="k((").scrub("key=k%28%28 or k((")
        'key=[secret] or [secret]'
        """
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text


def _quote_all(text):
    return quote(text, safe="")


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
