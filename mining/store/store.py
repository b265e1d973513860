"""The store: raw answers, append-only, and the frontier, one transaction an answer.

``raw-NNN.jsonl.gz`` holds one gzip member a record. A record is written first and then
committed in ``frontier.sqlite`` together with everything that follows from it. If the
process dies in between, the next start cuts the uncommitted tail off, so an answer is
there with all its consequences or not at all: at most one request is sent again.
"""

import gzip
import json
import os
import sqlite3
import zlib
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from mining.errors import StoreError
from mining.transport.waits import Waits

RAW_FILE_BYTES = 64 * 2**20
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS answer(
    seq INTEGER PRIMARY KEY, file TEXT, start INTEGER, size INTEGER, kind TEXT,
    request TEXT, sha256 TEXT);
CREATE TABLE IF NOT EXISTS event(
    at REAL, api TEXT, bucket TEXT, path TEXT, status INTEGER, verb TEXT, rule TEXT,
    reason TEXT, seconds REAL);
CREATE TABLE IF NOT EXISTS source(
    id TEXT PRIMARY KEY, place INTEGER, platform TEXT, state TEXT, name TEXT,
    github_id INTEGER, cursor TEXT, total INTEGER, seen INTEGER DEFAULT 0, mark TEXT);
CREATE TABLE IF NOT EXISTS slice(
    id INTEGER PRIMARY KEY, source TEXT, term TEXT, since INTEGER, until INTEGER,
    extra TEXT, sorts TEXT, page INTEGER, totals TEXT, incomplete INTEGER,
    attempt INTEGER, state TEXT);
CREATE TABLE IF NOT EXISTS hit(
    slice INTEGER, number INTEGER, PRIMARY KEY(slice, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS thread(
    item TEXT PRIMARY KEY, source TEXT, number INTEGER, state TEXT, cursor TEXT);
CREATE INDEX IF NOT EXISTS answer_by_request ON answer(request);
CREATE INDEX IF NOT EXISTS thread_by_state ON thread(source, state, number);
"""


class Store:
    """One mined corpus on disk.

    Parameters
    ----------
    folder : path-like
        Made where absent.
    waits : path-like, optional
        File of the waits, where corpora share one; see :mod:`mining.transport.waits`.

    Raises
    ------
    StoreError
        Where another process has it open, or it is damaged.
    """

    def __init__(self, folder, waits=None):
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be made ({error.strerror}); "
                             "choose another --store") from None
        self._lock()
        try:
            self.db = sqlite3.connect(self.folder / "frontier.sqlite", isolation_level=None)
            self.db.row_factory = sqlite3.Row
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")
            self.db.executescript(SCHEMA)
            self.earlier = None  # a store whose answers may still hold, if one is given
            self.waits = Waits(waits or self.folder / "waits.sqlite")
            self._cut_tail()
        except sqlite3.DatabaseError as error:
            self.guard.close()
            raise StoreError(f"{self.folder}/frontier.sqlite: {error}; move the folder away "
                             "and mine again") from None

    def _lock(self):
        # SQLite's lock works on every system and is gone when the process is, even killed.
        self.guard = sqlite3.connect(self.folder / "lock.sqlite", isolation_level=None, timeout=1)
        try:
            self.guard.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            self.guard.close()
            raise StoreError(f"{self.folder}: in use by another mining process; wait for it "
                             "or choose another --store") from None

    def close(self):
        self.waits.close()
        self.db.close()
        self.guard.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @contextmanager
    def transaction(self):
        """All or nothing; nested use joins the outer one."""
        if self.db.in_transaction:
            yield self.db
            return
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield self.db
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    # Meta ---------------------------------------------------------------------------

    def get(self, key, default=None):
        row = self.db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return json.loads(row[0]) if row else default

    def set(self, key, value):
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (key, json.dumps(value)))

    # Raw answers --------------------------------------------------------------------

    def record(self, kind, answer, context=None, apply=None):
        """Append an answer and commit it with its consequences.

        Parameters
        ----------
        kind : str
            What the answer is, for replay.
        answer : mining.transport.wire.Answer
        context : dict, optional
            What replay needs beside the answer (the search term, the repository).
        apply : callable, optional
            Called without arguments inside the transaction.
        """
        name, start, seq = self._end()
        line = json.dumps({
            "seq": seq, "kind": kind, "context": context or {},
            "request": answer.request.public(), "status": answer.status,
            "headers": answer.kept_headers(), "sha256": _sum(answer.text),
            "body": answer.text}, ensure_ascii=True, separators=(",", ":"))
        member = gzip.compress(f"{line}\n".encode(), compresslevel=5, mtime=0)
        path = self.folder / name
        try:
            with path.open("ab") as file:
                file.write(member)
                file.flush()
                os.fsync(file.fileno())
            with self.transaction() as db:
                db.execute("INSERT INTO answer VALUES(?,?,?,?,?,?,?)", (
                    seq, name, start, len(member), kind, answer.request.key,
                    _sum(answer.text)))
                if apply:
                    apply()
        except BaseException:
            self._cut_tail()
            raise

    def _end(self):
        row = self.db.execute(
            "SELECT file, start+size AS stop, seq FROM answer ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return "raw-001.jsonl.gz", 0, 1
        if row["stop"] < RAW_FILE_BYTES:
            return row["file"], row["stop"], row["seq"] + 1
        return f"raw-{int(row['file'][4:7]) + 1:03d}.jsonl.gz", 0, row["seq"] + 1

    def _cut_tail(self):
        """Drop raw bytes that no committed answer owns."""
        name, stop, _ = self._end()
        for path in sorted(self.folder.glob("raw-*.jsonl.gz")):
            if path.name > name:
                path.unlink()
            elif path.name == name and path.stat().st_size > stop:
                os.truncate(path, stop)

    def answers(self):
        """Yield the stored records in order, each checked against its sum.

        Raises StoreError where a record is missing or altered.
        """
        for seq in range(1, self.count("answer") + 1):
            yield self.answer(seq)

    def answer(self, seq):
        """One stored record by its running number, checked against its sum."""
        row = self.db.execute("SELECT * FROM answer WHERE seq=?", (seq,)).fetchone()
        path = self.folder / row["file"]
        try:
            with path.open("rb") as file:
                file.seek(row["start"])
                record = json.loads(gzip.decompress(file.read(row["size"])))
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise StoreError(f"{path}: answer {seq} cannot be read ({type(error).__name__}); "
                             "restore the file from a copy") from None
        if _sum(record["body"]) != row["sha256"]:
            raise StoreError(f"{path}: answer {seq} was altered after it was stored; "
                             "restore the file from a copy")
        return record

    def find(self, key):
        """The newest stored answer to the request of that key, or None."""
        row = self.db.execute("SELECT max(seq) AS seq FROM answer WHERE request=?",
                              (key,)).fetchone()
        return self.answer(row["seq"]) if row["seq"] else None

    def count(self, table, where="1", *values):
        """Number of rows; ``where`` is ours, ``values`` are bound."""
        return self.db.execute(f"SELECT count(*) FROM {table} WHERE {where}", values).fetchone()[0]

    # Events -------------------------------------------------------------------------

    def note(self, at, request, answer, decision):
        """Log an answer that was not simply good."""
        with self.transaction() as db:
            db.execute("INSERT INTO event VALUES(?,?,?,?,?,?,?,?,?)", (
                at, request.api, request.bucket, request.path.split("?")[0], answer.status,
                decision.verb, decision.case, decision.reason, decision.seconds))


def _sum(text):
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
