"""A snapshot: rebuilt from the stored raw answers without a request, written, and described.

The tables are built in ``derived.sqlite``, which can be thrown away at any time, so that
memory stays flat however large the corpus is. The snapshot is written from it in a fixed
order, three files of sorted JSON lines: the same answers give the same bytes.

``manifest.json`` says what a snapshot is, and depends on the corpus, the definition and the
window alone. What differs from run to run (times, quota, faults) stands in ``run.json``.
"""

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import AbstractContextManager
from hashlib import sha256

from mining import GITHUB_VERSION, STACKEXCHANGE_VERSION, VERSION
from mining.sources import rows as normalise
from mining.transport.clock import iso

SCHEMA = """
CREATE TABLE thread(item TEXT PRIMARY KEY, platform TEXT, place TEXT, number INTEGER,
                    rank INTEGER, row TEXT);
CREATE TABLE comment(comment TEXT PRIMARY KEY, item TEXT, created TEXT, row TEXT);
CREATE TABLE found(
    item TEXT, term TEXT, round INTEGER, PRIMARY KEY(item, term)) WITHOUT ROWID;
CREATE TABLE gone(item TEXT PRIMARY KEY, row TEXT);
"""
BY_ITEM = "CREATE INDEX IF NOT EXISTS comment_by_item ON comment(item, created, comment)"
# A search hit is a thread too, but the thread's own answer knows more.
RANK = {"search": 0, "rest-list": 1, "rest-thread": 2, "so-questions": 2,
        "graphql-list": 2, "graphql-threads": 2}


def replay(store, judge, progress):
    """Derive the snapshot and write it to ``snapshot.new`` below the store.

    ``judge`` (:class:`mining.selection.judge.Judge`) has the definition as it is now: a changed
    keyword list needs no new request. ``progress`` wraps the iterator of answers. Returns counts
    and the SHA-256 of the files written.
    """
    path = store.folder / "derived.sqlite"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    try:
        db.executescript(f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; {SCHEMA}")
        reader = _Reader(db, store)
        db.execute("BEGIN")
        for record in progress(store.answers()):
            reader.read(record)
        db.execute("COMMIT")
        db.execute(BY_ITEM)
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
        method = getattr(self, "_" + record["kind"].replace("-", "_"), None)
        self.kind, self.round = record["kind"], record["context"].get("round", 0)
        good = record["status"] == 200
        if method and (good or self.kind == "refused"):
            method(json.loads(record["body"]) if good else None, record["context"], record)

    def name(self, name):
        return self.names.get(name.lower(), name)

    # GitHub -------------------------------------------------------------------------

    def _search(self, data, context, _):
        for item in data["items"]:
            row = self._issue(item, context)
            if context["term"]:
                self.db.execute("INSERT OR REPLACE INTO found VALUES(?,?,?)",
                                (row["item"], context["term"], self.round))

    def _rest_list(self, data, context, _):
        for item in data:
            self._issue(item, context)

    def _rest_thread(self, data, context, record):
        place = "/".join(data["html_url"].split("/")[3:5])
        if self.name(place).lower() == self.name(context["repository"]).lower():
            self._issue(data, context)
        else:
            self._lost(context, record, "transferred",
                       normalise.github_item(place, data["number"]))

    def _rest_comments(self, data, context, record):
        repository = self.name(context["repository"])
        if "number" in context and "?" not in record["request"]["path"]:
            self._anew(normalise.github_item(repository, context["number"]))
        for node in data:
            # Of a whole repository, comments of pull requests come too; /pull/ names them.
            number = int(node["issue_url"].rsplit("/", 1)[1])
            self._comment(normalise.github_comment(node, repository, number))

    def _graphql_threads(self, data, context, _):
        for node in _issues(data):
            if row := self._issue(node, context):
                self._anew(row["item"])
                self._talk(node, context)

    _graphql_list = _graphql_threads

    def _graphql_comments(self, data, context, _):
        for node in _issues(data):
            self._talk(node, context)

    def _talk(self, node, context):
        repository = self.name(context["repository"])
        for remark in node["comments"]["nodes"]:
            self._comment(normalise.github_comment(remark, repository, node["number"]))

    def _issue(self, node, context):
        row = normalise.github_thread(node, self.name(context["repository"]))
        if "news" in context:  # a list of changes: threads that are known, or asked for
            if context["news"] not in ("all", row["state"]) and not self.db.execute(
                    "SELECT 1 FROM thread WHERE item=?", (row["item"],)).fetchone():
                return None
            # The searches of the same round tell anew which terms find it.
            self.db.execute("DELETE FROM found WHERE item=? AND round<?",
                            (row["item"], self.round))
        self._thread(row)
        return row

    def _refused(self, _, context, record):
        if "number" in context:
            self._lost(context, record, {404: "deleted or hidden", 410: "deleted",
                                         451: "withheld"}.get(record["status"], "refused"))

    def _lost(self, context, record, why, moved_to=""):
        item = normalise.github_item(self.name(context["repository"]), context["number"])
        self._gone(item, record, why, context.get("reason", ""), moved_to)

    # Stack Overflow -----------------------------------------------------------------

    def _so_questions(self, data, context, record):
        came = set()
        for question in data["items"]:
            came.add(question["question_id"])
            if normalise.is_salt(question["question_id"]):
                continue
            row = normalise.question_thread(question)
            self._thread(row)
            self._anew(row["item"])
            for row in normalise.question_comments(question):
                self._comment(row)
        for number in sorted(set(context.get("ids", ())) - came):
            self._gone(f"so:{number}", record, "deleted or hidden")

    def _so_answers(self, data, *_):
        for answer in data["items"]:
            for row in normalise.answer_rows(answer, f"so:{answer['question_id']}"):
                self._comment(row)

    def _so_comments(self, data, *_):
        for remark in data["items"]:
            item = f"so:{remark['post_id']}"
            self._comment(normalise.so_comment(remark, item, item))

    # Tables -------------------------------------------------------------------------

    def _thread(self, row):
        if not self.since <= row["created_at"] <= self.until:
            return  # the last page of a list may reach past the window
        self.db.execute(
            "INSERT INTO thread VALUES(?,?,?,?,?,?) ON CONFLICT(item) DO UPDATE SET "
            "rank=excluded.rank, row=excluded.row WHERE excluded.rank>=rank",
            (row["item"], row["platform"], row["place"], row["number"],
             RANK[self.kind] + 10 * self.round, dump(row)))

    def _comment(self, row):
        self.db.execute("INSERT OR REPLACE INTO comment VALUES(?,?,?,?)",
                        (row["comment"], row["item"], row["created_at"], dump(row)))

    def _anew(self, item):
        """All comments come again from here on: one that was deleted meanwhile does not."""
        if self.round:
            self.db.execute(BY_ITEM)
            self.db.execute("DELETE FROM comment WHERE item=?", (item,))

    def _gone(self, item, record, why, reason="", moved_to=""):
        row = {"item": item, "status": record["status"], "why": why, "reason": reason,
               "moved_to": moved_to}
        self.db.execute("INSERT OR REPLACE INTO gone VALUES(?,?)", (item, dump(row)))


def _issues(data):
    """Threads of a GraphQL list, or those of a batch that came under the number asked for."""
    repository = (data.get("data") or {}).get("repository") or {}
    if "issues" in repository:
        return repository["issues"]["nodes"]
    return [v for k, v in repository.items()
            if k[:1] == "i" and k[1:].isdigit() and v and v["number"] == int(k[1:])]


def write_snapshot(db, new, judge):
    """Write threads, comments and gone as sorted JSON lines into ``new``; counts and sums."""
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    n, reasons, platforms, licences = Counter(), Counter(), Counter(), Counter()
    with _Lines(new / "threads.jsonl") as threads, _Lines(new / "comments.jsonl") as comments:
        for (text,) in db.execute("SELECT row FROM thread ORDER BY platform, place, number"):
            row = json.loads(text)
            talk = [json.loads(t) for (t,) in db.execute(
                "SELECT row FROM comment WHERE item=? ORDER BY created, comment", (row["item"],))]
            terms = [t for (t,) in db.execute(
                "SELECT term FROM found WHERE item=? ORDER BY term", (row["item"],))]
            row = judge.judge(row, talk, terms)
            threads.write(row)
            for remark in talk:
                comments.write(remark)
            n["candidates"] += row["candidate"]
            n["incomplete"] += not row["complete"]
            n["wordless"] += bool(row["found_by"] and not row["matched_keywords"])
            platforms[row["platform"]] += 1
            reasons.update([row["why_not"]] * (not row["candidate"]))
            licences.update(post["licence"] or "none stated" for post in (row, *talk))
    with _Lines(new / "gone.jsonl") as gone:
        for (text,) in db.execute("SELECT row FROM gone ORDER BY item"):
            gone.write(json.loads(text))
    return {"threads": threads.n, "candidates": n["candidates"], "comments": comments.n,
            "gone": gone.n, "by_platform": dict(sorted(platforms.items())),
            "licences": dict(sorted(licences.items())),
            "not_candidates": dict(sorted(reasons.items())),
            "incomplete_threads": n["incomplete"], "search_hits_without_keyword": n["wordless"],
            "sha256": {f.path.name: f.sum.hexdigest() for f in (threads, comments, gone)}}


class _Lines(AbstractContextManager):
    """A JSON-lines file that counts and sums what it writes."""

    def __init__(self, path):
        self.path, self.file, self.sum, self.n = path, path.open("wb"), sha256(), 0

    def __exit__(self, *_):
        self.file.close()

    def write(self, row):
        line = f"{dump(row)}\n".encode()
        self.file.write(line)
        self.sum.update(line)
        self.n += 1


def dump(row):
    """A row as one line of JSON, always the same for the same row."""
    return json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def publish(new, folder):
    """Put a finished snapshot in place of the old one, as a whole."""
    old = folder.with_name("snapshot.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.replace(old)
    new.replace(folder)
    shutil.rmtree(old, ignore_errors=True)


def build(store, definition, judge, tally, summaries):
    """The manifest: ``tally`` is from :func:`replay`, ``summaries`` from the miners."""
    since, until, ends = store.get("since"), store.get("until"), store.get("ends", [])
    begun = [s for s in summaries if s["state"] != "not begun"]
    whole = all(s["state"] in ("found", "refused") and not s["left"] for s in begun)
    marks = [s for s in summaries if s["mark"] or s.get("not_whole")]
    return {
        "name": definition.name, "title": definition.title, "tool_version": VERSION,
        "from_public_apis": store.get("public"), "definition_sha256": definition.fingerprint,
        "window": {"since": None if since is None else iso(since), "until": iso(until),
                   **({"earlier_ends": list(map(iso, ends))} if ends else {})},
        "listed_threads": len(store.get("items") or []) or None,
        "api_versions": {"github": GITHUB_VERSION, "stackexchange": STACKEXCHANGE_VERSION},
        "keywords": judge.version(), "sources": summaries,
        # Of the sources begun. finished: nothing is left to ask. whole: and the APIs' own
        # counts agree.
        "finished": whole, "whole": whole and not marks, **tally}


def run_report(store):
    """What this store's runs took, as a dict.

    ``requests_stored`` counts good and refused answers; throttled ones are in ``events``.
    """
    def tally(name, table):
        return {row[0]: row[1] for row in store.db.execute(
            f"SELECT {name} AS name, count(*) FROM {table} GROUP BY name ORDER BY name")}

    dates, versions, types, quota = [], set(), set(), None
    # The first and the last answer of every kind, in order, are enough.
    rows = store.db.execute("SELECT min(seq) AS a, max(seq) AS b FROM answer GROUP BY kind")
    for seq in sorted({seq for row in rows for seq in (row["a"], row["b"])}):
        record = store.answer(seq)
        dates.append(record["headers"].get("date", ""))
        versions.add(record["headers"].get("x-github-api-version-selected", ""))
        if record["kind"] == "search":
            types.add(json.loads(record["body"]).get("search_type", "not stated"))
        if record["kind"].startswith("so-"):
            quota = json.loads(record["body"]).get("quota_remaining", quota)
    return {"requests_stored": tally("kind", "answer"),
            "events": tally("verb || ': ' || rule", "event"),
            "first_answer": dates[0] if dates else "", "last_answer": dates[-1] if dates else "",
            "github_api_version_served": sorted(versions - {""}),
            "search_type": sorted(types), "stackexchange_quota_left": quota}


def save(path, data):
    """Write JSON for people."""
    path.write_text(f"{json.dumps(data, indent=2, ensure_ascii=False)}\n", "utf-8", newline="\n")
