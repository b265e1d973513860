"""Time: a clock that can be replaced, times as text, and waits that outlive a process."""

import json
import sqlite3
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path


class Clock:
    """The machine's clock.

    Waits are cut into short sleeps, so that Ctrl-C is answered at once and a long wait
    can show how much of it is left.
    """

    slice_seconds = 1.0

    def now(self):
        """Seconds since the epoch, UTC."""
        return time.time()

    def monotonic(self):
        """Seconds that only ever grow, whatever is done to the clock: for pace and sleep."""
        return time.monotonic()

    def sleep(self, seconds, tick=None):
        """Sleep ``seconds``; call ``tick(seconds_left)`` about once a second."""
        end = self.monotonic() + seconds
        while (left := end - self.monotonic()) > 0:
            if tick:
                tick(left)
            time.sleep(min(left, self.slice_seconds))


def iso(seconds):
    """Seconds since the epoch as ``YYYY-MM-DDTHH:MM:SSZ``."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def from_iso(text):
    """ISO 8601 day or time (UTC where no offset is given) as seconds since the epoch.

    Raises ValueError for anything else.

    >>> from_iso("1970-01-02"), from_iso("1970-01-01T00:00:01Z"), iso(1)
    (86400, 1, '1970-01-01T00:00:01Z')
    """
    moment = datetime.fromisoformat(text.strip())
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def from_http_date(text):
    """An HTTP date (RFC 9110) as seconds since the epoch, or None where it is not one.

    >>> from_http_date("Thu, 01 Jan 1970 00:01:00 GMT")
    60.0
    """
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, AttributeError):
        return None


SCHEMA = """
CREATE TABLE IF NOT EXISTS pause(
    scope TEXT PRIMARY KEY, since REAL, until REAL, reason TEXT);
CREATE TABLE IF NOT EXISTS fact(key TEXT PRIMARY KEY, value TEXT);
"""
OLD = 2 * 86400


class Waits:
    """What must be kept still, until when, and why.

    A limit belongs to a token or an address, not to a framework: mining keras right after
    horovod must honour what the API said to horovod's run. Scopes begin with the API's base
    address, so that a test server's waits hold for that server alone. ``path`` is an SQLite
    file, made where absent; several processes may use it at once.
    """

    def __init__(self, path):
        self.path = path
        try:
            self._open()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            # It holds waits only, and an API repeats what it wants. Kept aside all the same.
            Path(path).replace(f"{path}.damaged")
            self._open()

    def _open(self):
        self.db = sqlite3.connect(self.path, isolation_level=None, timeout=30)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA journal_mode=WAL")
        # Safe against a killed process; only a power cut may lose the last wait.
        self.db.execute("PRAGMA synchronous=NORMAL")
        self.db.executescript(SCHEMA)

    def close(self):
        self.db.close()

    def hold(self, scope, now, seconds, reason):
        """Nothing of ``scope`` is sent for ``seconds``; the later of two waits stands."""
        self.db.execute("DELETE FROM pause WHERE until < ?", (now - OLD,))
        self.db.execute(
            "INSERT INTO pause VALUES(?,?,?,?) ON CONFLICT(scope) DO UPDATE SET "
            "since=excluded.since, until=excluded.until, reason=excluded.reason "
            "WHERE excluded.until>until", (scope, now, now + seconds, reason))

    def held(self, scopes, now):
        """The longest wait over ``scopes`` as (seconds left, reason).

        A wait that begins in the future was made under another clock: it is counted from
        now, so that no clock makes a wait longer than the API asked for.
        """
        self.db.execute("UPDATE pause SET until=?+until-since, since=? WHERE since>?",
                        (now, now, now + 1))
        marks = ",".join("?" * len(scopes))
        row = self.db.execute(
            f"SELECT until, reason FROM pause WHERE scope IN ({marks}) "
            "ORDER BY until DESC LIMIT 1", tuple(scopes)).fetchone()
        return (max(0.0, row["until"] - now), row["reason"]) if row else (0.0, "")

    def standing(self, now, addresses):
        """Waits of these APIs that still stand, as (until, reason), soonest first.

        The minute between equal requests is left out: it is pacing, not a limit.
        """
        rows = self.db.execute("SELECT * FROM pause WHERE until>? ORDER BY until", (now,))
        return [(row["until"], row["reason"]) for row in rows
                if row["scope"].split(" ")[0] in addresses and " request:" not in row["scope"]]

    def get(self, key):
        row = self.db.execute("SELECT value FROM fact WHERE key=?", (key,)).fetchone()
        return json.loads(row["value"]) if row else None

    def set(self, key, value):
        self.db.execute("INSERT OR REPLACE INTO fact VALUES(?,?)", (key, json.dumps(value)))
