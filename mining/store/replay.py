"""Rebuild every derived table from the stored raw answers, without a request.

The tables are built in ``derived.sqlite``, which can be thrown away at any time, so that
memory stays flat however large the corpus is. The snapshot is written from it in a fixed
order: the same answers give the same bytes.
"""

import json
import sqlite3

from mining.sources import rows as normalise
from mining.store.snapshot import dump, write_snapshot
from mining.transport.clock import iso

SCHEMA = """
CREATE TABLE thread(item TEXT PRIMARY KEY, platform TEXT, place TEXT, number INTEGER,
                    rank INTEGER, row TEXT);
CREATE TABLE comment(comment TEXT PRIMARY KEY, item TEXT, created TEXT, row TEXT);
CREATE TABLE found(item TEXT, term TEXT, PRIMARY KEY(item, term)) WITHOUT ROWID;
CREATE TABLE gone(item TEXT PRIMARY KEY, row TEXT);
"""
# A search hit is a thread too, but the thread's own answer knows more.
RANK = {"search": 0, "rest-list": 1, "rest-thread": 2, "so-questions": 2,
        "graphql-list": 2, "graphql-threads": 2}


def replay(store, judge, progress=None):
    """Derive the snapshot and write it to ``snapshot.new`` below the store.

    Parameters
    ----------
    store : mining.store.store.Store
    judge : mining.selection.judge.Judge
        With the definition as it is now: a changed keyword list needs no new request.
    progress : callable, optional
        Wraps the iterator of answers.

    Returns
    -------
    dict
        Counts and SHA-256 of the files written: see :func:`mining.store.snapshot.write_snapshot`.
    """
    path = store.folder / "derived.sqlite"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=OFF")
        db.execute("PRAGMA synchronous=OFF")
        db.executescript(SCHEMA)
        reader = _Reader(db, store)
        db.execute("BEGIN")
        answers = store.answers()
        for record in progress(answers) if progress else answers:
            reader.read(record)
        db.execute("COMMIT")
        db.execute("CREATE INDEX comment_by_item ON comment(item, created, comment)")
        return write_snapshot(db, store.folder / "snapshot.new", judge)
    finally:
        db.close()
        path.unlink(missing_ok=True)


class _Reader:
    """Enters one stored answer after the other into the derived tables."""

    def __init__(self, db, store):
        self.db, self.store = db, store
        # Which name a repository has now; a rename in between changes no key.
        self.names = {}
        since, until = store.get("since"), store.get("until")
        self.since = iso(since) if since is not None else ""
        self.until = "9" if store.get("items") or until is None else iso(until)
        for row in store.db.execute("SELECT id, name FROM source WHERE platform='github'"):
            self.names[row["id"].removeprefix("gh:").split(" ")[0]] = row["name"]
            for alias in store.get(f"names:{row['id']}", []):
                self.names[alias.lower()] = row["name"]

    def read(self, record):
        kind, context = record["kind"], record["context"]
        method = getattr(self, "_" + kind.replace("-", "_"), None)
        if method and (record["status"] == 200 or kind == "refused"):
            method(json.loads(record["body"]) if record["status"] == 200 else None, context, record)

    def name(self, name):
        return self.names.get(name.lower(), name)

    # GitHub -------------------------------------------------------------------------

    def _search(self, data, context, _):
        for item in data["items"]:
            row = self._issue("search", item, context)
            if context["term"]:
                self.db.execute("INSERT OR IGNORE INTO found VALUES(?,?)",
                                (row["item"], context["term"]))

    def _rest_list(self, data, context, _):
        for item in data:
            self._issue("rest-list", item, context)

    def _rest_thread(self, data, context, record):
        place = "/".join(data["html_url"].split("/")[3:5])
        if self.name(place).lower() != self.name(context["repository"]).lower():
            self._tombstone(context, record, "transferred",
                            normalise.github_item(place, data["number"]))
        else:
            self._issue("rest-thread", data, context)

    def _rest_comments(self, data, context, _):
        repository = self.name(context["repository"])
        for node in data:
            # Of a whole repository, comments of pull requests come too; /pull/ names them.
            number = int(node["issue_url"].rsplit("/", 1)[1])
            self._comment(normalise.github_comment(node, repository, number))

    def _graphql_threads(self, data, context, _):
        for node in _issues(data):
            self._issue("graphql-threads", node, context)
            self._talk(node, context)

    def _graphql_list(self, data, context, _):
        repository = (data.get("data") or {}).get("repository") or {"issues": {"nodes": []}}
        for node in repository["issues"]["nodes"]:
            self._issue("graphql-list", node, context)
            self._talk(node, context)

    def _graphql_comments(self, data, context, _):
        for node in _issues(data):
            self._talk(node, context)

    def _talk(self, node, context):
        repository = self.name(context["repository"])
        for remark in node["comments"]["nodes"]:
            self._comment(normalise.github_comment(remark, repository, node["number"]))

    def _issue(self, kind, node, context):
        row = normalise.github_thread(node, self.name(context["repository"]))
        self._thread(kind, row)
        return row

    def _refused(self, _, context, record):
        if "number" in context:
            self._tombstone(context, record, {404: "deleted or hidden", 410: "deleted",
                                              451: "withheld"}.get(record["status"], "refused"))

    def _tombstone(self, context, record, why, moved_to=""):
        item = normalise.github_item(self.name(context["repository"]), context["number"])
        self._gone({"item": item, "status": record["status"], "why": why,
                    "reason": context.get("reason", ""), "moved_to": moved_to})

    # Stack Overflow -----------------------------------------------------------------

    def _so_questions(self, data, context, record):
        came = set()
        for question in data["items"]:
            came.add(question["question_id"])
            if normalise.is_salt(question["question_id"]):
                continue
            self._thread("so-questions", normalise.question_thread(question))
            for row in normalise.question_comments(question):
                self._comment(row)
        for number in sorted(set(context.get("ids", ())) - came):
            self._gone({"item": f"so:{number}", "status": record["status"],
                        "why": "deleted or hidden", "reason": "", "moved_to": ""})

    def _so_answers(self, data, *_):
        for answer in data["items"]:
            for row in normalise.answer_rows(answer, f"so:{answer['question_id']}"):
                self._comment(row)

    def _so_comments(self, data, *_):
        for remark in data["items"]:
            item = f"so:{remark['post_id']}"
            self._comment(normalise.so_comment(remark, item, item))

    # Tables -------------------------------------------------------------------------

    def _thread(self, kind, row):
        if not self.since <= row["created_at"] <= self.until:
            return  # the last page of a list may reach past the window
        self.db.execute(
            "INSERT INTO thread VALUES(?,?,?,?,?,?) ON CONFLICT(item) DO UPDATE SET "
            "rank=excluded.rank, row=excluded.row WHERE excluded.rank>=rank",
            (row["item"], row["platform"], row["place"], row["number"], RANK[kind], dump(row)))

    def _comment(self, row):
        self.db.execute("INSERT OR REPLACE INTO comment VALUES(?,?,?,?)",
                        (row["comment"], row["item"], row["created_at"], dump(row)))

    def _gone(self, row):
        self.db.execute("INSERT OR REPLACE INTO gone VALUES(?,?)", (row["item"], dump(row)))


def _issues(data):
    """Threads of a batch that came under the number they were asked for."""
    repository = (data.get("data") or {}).get("repository") or {}
    return [v for k, v in repository.items()
            if k[:1] == "i" and k[1:].isdigit() and v and v["number"] == int(k[1:])]
