"""What the miners of both platforms share: their rows of the frontier."""


class Miner:
    """Steps for one source of a definition.

    After ``limit`` threads of the platform no more are looked for; with ``numbers``, these
    threads are read and no others looked for.
    """

    platform, key, unread = "", "", ()

    def __init__(self, source, store, limit=None, numbers=None):
        self.source, self.store = source, store
        self.limit, self.numbers = limit, numbers

    @property
    def id(self):
        return self.source.id

    def row(self):
        return self.store.db.execute("SELECT * FROM source WHERE id=?", (self.id,)).fetchone()

    def update(self, **values):
        sets = ", ".join(f"{key}=?" for key in values)
        with self.store.transaction() as db:
            db.execute(f"UPDATE source SET {sets} WHERE id=?", (*values.values(), self.id))

    def enter(self, place, state, name, cursor=None):
        """Enter the source, and the threads asked for, into the frontier."""
        with self.store.transaction() as db:
            db.execute("INSERT INTO source(id, place, platform, state, name, cursor) "
                       "VALUES(?,?,?,?,?,?)", (self.id, place, self.platform, state, name, cursor))
            for number in self.numbers or ():
                self.add(number, "todo")

    def add(self, number, state, cursor=None):
        """Enter a thread; one that is known keeps its state."""
        self.store.db.execute("INSERT OR IGNORE INTO thread VALUES(?,?,?,?,?)",
                              (f"{self.id}#{number}", self.id, number, state, cursor))

    def set_thread(self, number, state, cursor=None):
        self.store.db.execute("UPDATE thread SET state=?, cursor=? WHERE item=?",
                              (state, cursor, f"{self.id}#{number}"))

    def state(self, number):
        """What is known of a thread, or None."""
        row = self.store.db.execute("SELECT state FROM thread WHERE item=?",
                                    (f"{self.id}#{number}",)).fetchone()
        return row and row["state"]

    def count(self, *states):
        """Threads of the source, in these states or in all."""
        where = f" AND state IN ({','.join('?' * len(states))})" if states else ""
        return self.store.count("thread", f"source=?{where}", self.id, *states)

    @property
    def changed(self):
        """In an update, the time (epoch seconds) since when changes are asked for; else None."""
        return self.store.get(f"changed:{self.id}")

    def within(self, created):
        """Whether a creation time lies in the window of the store."""
        return (self.store.get("since") or 0) <= created <= self.store.get("until")

    def summary(self):
        """What the manifest says about this source."""
        row, asked = self.row(), getattr(self.source, "repository", None) or self.source.tag
        if row is None:
            return {"id": self.id, "asked": asked, "way": self.way(), "state": "not begun",
                    "mark": "", "left": 0}
        return {"id": self.id, "asked": asked, "name": row["name"], "way": self.way(),
                "state": row["state"], "mark": row["mark"] or "", "threads": self.count(),
                "left": self.count(*self.unread)}
