"""Waits that outlive a process, shared by all corpora of one folder.

A limit belongs to a token or an address, not to a framework: mining keras right after
horovod must honour what the API said to horovod's run. Scopes begin with the API's base
address, so that a test server's waits hold for that server alone.
"""

import json
import sqlite3

SCHEMA = """
CREATE TABLE IF NOT EXISTS wait(scope TEXT PRIMARY KEY, until REAL, reason TEXT);
CREATE TABLE IF NOT EXISTS fact(key TEXT PRIMARY KEY, value TEXT);
"""
OLD = 2 * 86400


class Waits:
    """What must be kept still, until when, and why.

    Parameters
    ----------
    path : path-like
        An SQLite file, made where absent; several processes may use it at once.
    """

    def __init__(self, path):
        self.db = sqlite3.connect(path, isolation_level=None, timeout=30)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA journal_mode=WAL")
        # Safe against a killed process; only a power cut may lose the last wait.
        self.db.execute("PRAGMA synchronous=NORMAL")
        self.db.executescript(SCHEMA)

    def close(self):
        self.db.close()

    def hold(self, scope, until, reason):
        """Nothing of ``scope`` is sent before ``until``; the later of two waits stands."""
        self.db.execute("DELETE FROM wait WHERE until < ?", (until - OLD,))
        self.db.execute(
            "INSERT INTO wait VALUES(?,?,?) ON CONFLICT(scope) DO UPDATE SET "
            "until=excluded.until, reason=excluded.reason WHERE excluded.until>until",
            (scope, until, reason))

    def held_until(self, scopes):
        """The latest wait over ``scopes`` as (seconds since the epoch, reason)."""
        marks = ",".join("?" * len(scopes))
        row = self.db.execute(
            f"SELECT until, reason FROM wait WHERE scope IN ({marks}) "
            "ORDER BY until DESC LIMIT 1", tuple(scopes)).fetchone()
        return (row["until"], row["reason"]) if row else (0.0, "")

    def standing(self, now, addresses):
        """Waits of these APIs that still stand, as (until, reason), soonest first.

        The minute between equal requests is left out: it is pacing, not a limit.
        """
        rows = self.db.execute("SELECT * FROM wait WHERE until>? ORDER BY until", (now,))
        return [(row["until"], row["reason"]) for row in rows
                if row["scope"].split(" ")[0] in addresses and " request:" not in row["scope"]]

    def get(self, key):
        row = self.db.execute("SELECT value FROM fact WHERE key=?", (key,)).fetchone()
        return json.loads(row["value"]) if row else None

    def set(self, key, value):
        self.db.execute("INSERT OR REPLACE INTO fact VALUES(?,?)", (key, json.dumps(value)))
