"""The store: raw answers and the frontier, in one SQLite file, one transaction an answer.

An answer is there with all its consequences or not at all, so after a kill at most one
request is sent again. Nothing here cuts, deletes or repairs: a file that is not what it was
when it was closed is refused by name, and reading commands open it read-only.
"""

import json
import sqlite3
import zlib
from contextlib import AbstractContextManager, closing, contextmanager
from hashlib import file_digest, sha256
from pathlib import Path

from mining.errors import StoreError
from mining.transport.clock import Waits

FILE, SUM = "corpus.sqlite", "corpus.sha256"
# What a corpus that was begun holds at least one of, by this version or an earlier one.
BEGUN = (FILE, SUM, "frontier.sqlite")
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS answer(
    seq INTEGER PRIMARY KEY, kind TEXT, request TEXT, sha256 TEXT, record BLOB);
CREATE TABLE IF NOT EXISTS event(
    at REAL, api TEXT, bucket TEXT, path TEXT, status INTEGER, verb TEXT, rule TEXT,
    reason TEXT, seconds REAL);
CREATE TABLE IF NOT EXISTS source(
    id TEXT PRIMARY KEY, place INTEGER, platform TEXT, state TEXT, name TEXT,
    github_id INTEGER, cursor TEXT, total INTEGER, seen INTEGER DEFAULT 0, mark TEXT);
CREATE TABLE IF NOT EXISTS slice(
    id INTEGER PRIMARY KEY, source TEXT, term TEXT, since INTEGER, until INTEGER,
    reached INTEGER, page INTEGER DEFAULT 1, view INTEGER DEFAULT 0, counts TEXT DEFAULT '[]',
    attempt INTEGER DEFAULT 0, state TEXT DEFAULT 'open');
CREATE TABLE IF NOT EXISTS hit(
    source TEXT, term TEXT, number INTEGER, created INTEGER,
    PRIMARY KEY(source, term, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS thread(
    item TEXT PRIMARY KEY, source TEXT, number INTEGER, state TEXT, cursor TEXT);
CREATE INDEX IF NOT EXISTS answer_by_request ON answer(request);
CREATE INDEX IF NOT EXISTS hit_by_time ON hit(source, term, created);
CREATE INDEX IF NOT EXISTS thread_by_state ON thread(source, state, number);
"""


class Store(AbstractContextManager):
    """One mined corpus on disk.

    ``folder`` is made where absent, unless it is opened for ``reading``: then nothing in the
    file can change. ``waits`` is the file of the waits, where corpora share one.

    Raises StoreError where another process has it open, an earlier version made it, or a file
    of it is missing, damaged or not as it was when it was closed.
    """

    def __init__(self, folder, waits=None, reading=False):
        self.folder, self.reading = Path(folder), reading
        self.path, self.sum = self.folder / FILE, self.folder / SUM
        self.earlier = None  # a store whose answers may still hold, if one is given
        self._look()
        if not reading:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(f"{self.folder}: cannot be made ({error.strerror}); "
                                 "choose another --store") from None
        self._lock()
        try:
            self._check()
            self.db = self._connect("?mode=ro" if reading else "")
            self.db.row_factory = sqlite3.Row
            if not reading:
                self.db.execute("PRAGMA journal_mode=WAL")
                # Safe against a killed process; what a power cut takes is asked for again.
                self.db.execute("PRAGMA synchronous=NORMAL")
                self.db.executescript(SCHEMA)
                self.sum.unlink(missing_ok=True)  # until it is closed again
            self.waits = Waits(waits or self.folder / "waits.sqlite")
        except sqlite3.DatabaseError as error:
            self.guard.close()
            raise StoreError(f"{self.path}: {error}; restore the file from a copy, or move the "
                             "folder away and mine again") from None
        except BaseException:
            self.guard.close()
            raise

    def _look(self):
        """Refuse by name what must not be begun anew or misread."""
        old = [p.name for p in (*self.folder.glob("frontier.sqlite"),
                                *self.folder.glob("raw-*.jsonl.gz"))]
        if old:
            raise StoreError(f"{self.folder}: made by an earlier version ({old[0]}), which this "
                             "one does not read and leaves as it is; give another --store")
        if (not self.reading and not self.path.exists()
                and (self.folder / "snapshot" / "manifest.json").exists()):
            raise StoreError(f"{self.folder}: holds a snapshot that was not mined there (`choose` "
                             "makes such), and mining would replace it; give another --store")
        if not self.path.exists() and self.sum.exists():
            raise StoreError(f"{self.path}: missing, though {SUM} says that it was there; "
                             "restore it from a copy, or move the folder away and mine again")

    def _lock(self):
        # SQLite's lock works on every system and is gone when the process is, even killed.
        path = self.folder / "lock.sqlite"
        if self.reading and not path.exists():
            self.guard = sqlite3.connect(":memory:")
            return
        for _ in range(2):
            self.guard = sqlite3.connect(path, isolation_level=None, timeout=1)
            try:
                self.guard.execute("BEGIN EXCLUSIVE")
                return
            except sqlite3.OperationalError:
                self.guard.close()
                raise StoreError(f"{self.folder}: in use by another mining process; wait for it "
                                 "or choose another --store") from None
            except sqlite3.DatabaseError:
                # It holds nothing, so a damaged one is made anew.
                self.guard.close()
                path.unlink()

    def _connect(self, mode):
        address = f"{self.path.resolve().as_uri()}{mode}"
        return sqlite3.connect(address, uri=True, isolation_level=None)

    def _check(self):
        """Compare the file with its sum; without one (after a kill) ask SQLite."""
        wrong = ""
        if self.sum.exists():
            if self.sum.read_bytes().strip() != _file_sum(self.path).encode():
                wrong = f"not as it was when it was closed (its sum is not that of {SUM})"
        elif self.path.exists():
            with closing(self._connect("?mode=ro")) as db:
                found = " ".join(db.execute("PRAGMA quick_check(1)").fetchone()[0].split())
            wrong = "" if found == "ok" else f"damaged ({found[:120]})"
        if wrong:
            raise StoreError(f"{self.path}: {wrong}; restore it from a copy. Nothing was changed")

    def close(self):
        self.waits.close()
        self.db.close()
        if not self.reading and not Path(f"{self.path}-wal").exists():
            self.sum.write_text(f"{_file_sum(self.path)}\n", encoding="ascii")
        self.guard.close()

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
            if self.db.in_transaction:  # a full disk has rolled back already
                self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def get(self, key, default=None):
        row = self.db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return json.loads(row[0]) if row else default

    def set(self, key, value):
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (key, json.dumps(value)))

    # Raw answers --------------------------------------------------------------------

    def record(self, kind, answer, context=None, apply=None):
        """Store an answer and commit it with its consequences.

        ``kind`` and ``context`` are what replay needs beside the answer (the search term, the
        repository); ``apply`` is called without arguments inside the transaction.
        """
        record = json.dumps({
            "context": context or {}, "request": answer.request.public(),
            "status": answer.status, "headers": answer.kept_headers(), "body": answer.text},
            separators=(",", ":"))
        with self.transaction() as db:
            db.execute("INSERT INTO answer(kind, request, sha256, record) VALUES(?,?,?,?)", (
                kind, answer.request.key, _sum(answer.text), zlib.compress(record.encode())))
            if apply:
                apply()

    def answers(self):
        """Yield the stored records in order, each checked against its sum.

        Raises StoreError where a record is missing or altered.
        """
        for seq in range(1, self.count("answer") + 1):
            yield self.answer(seq)

    def answer(self, seq):
        """One stored record by its running number, checked against its sum."""
        row = self.db.execute("SELECT * FROM answer WHERE seq=?", (seq,)).fetchone()
        try:
            record = json.loads(zlib.decompress(row["record"]))
            if _sum(record["body"]) != row["sha256"]:
                raise ValueError("altered")
        except (ValueError, TypeError, KeyError, zlib.error):
            raise StoreError(f"{self.path}: answer {seq} is missing or was altered after it was "
                             "stored; restore the file from a copy") from None
        return {"seq": seq, "kind": row["kind"], "sha256": row["sha256"], **record}

    def find(self, key):
        """The newest stored answer to the request of that key, or None."""
        row = self.db.execute("SELECT max(seq) AS seq FROM answer WHERE request=?",
                              (key,)).fetchone()
        return self.answer(row["seq"]) if row["seq"] else None

    def count(self, table, where="1", *values):
        """Number of rows; ``where`` is ours, ``values`` are bound."""
        return self.db.execute(f"SELECT count(*) FROM {table} WHERE {where}", values).fetchone()[0]

    def note(self, at, request, answer, decision):
        """Log an answer that was not simply good."""
        with self.transaction() as db:
            db.execute("INSERT INTO event VALUES(?,?,?,?,?,?,?,?,?)", (
                at, request.api, request.bucket, request.path.split("?")[0], answer.status,
                decision.verb, decision.case, decision.reason, decision.seconds))


def _sum(text):
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _file_sum(path):
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
