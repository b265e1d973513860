"""Rows an engine found, through the package's own judge, to a snapshot as ``run`` makes it."""

import html
import json
import sqlite3
from pathlib import Path

from mining import VERSION
from mining.bulk import engines, hours, query
from mining.bulk.parts import MANIFEST, found_in
from mining.errors import MiningError
from mining.selection.definition import load, names
from mining.selection.judge import Judge, matched
from mining.sources import rows as normalise
from mining.store.snapshot import dump, publish, write_snapshot
from mining.store.store import BEGUN
from mining.transport.clock import from_iso, iso

TABLES = {"posts": ("questions", "answers"), "events": ("events",)}
SCHEMA = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE thread(item TEXT PRIMARY KEY, platform TEXT, place TEXT, number INTEGER,
                    at TEXT, event INTEGER, row TEXT);
CREATE TABLE comment(comment TEXT PRIMARY KEY, item TEXT, created TEXT, at TEXT, event INTEGER,
                     row TEXT);
CREATE TABLE found(item TEXT, term TEXT);
CREATE TABLE gone(item TEXT PRIMARY KEY, row TEXT);
CREATE TABLE known(item TEXT PRIMARY KEY);
"""


class BulkJudge(Judge):
    """The judge where no search engine was asked.

    Where a definition leaves it to GitHub's search which threads have a keyword, the keyword
    filter on the prose stands in for it.
    """

    def _why_not(self, row, source, searched):
        if searched:
            row = {**row, "found_by": matched(row["title"], row["body"],
                                              self.definition.keywords, reading=self.reading)}
        return super()._why_not(row, source, searched)


def window(since, until):
    """Days or times, both included, as ISO texts of which the second is not included.

    >>> window("2019-01-01", "2019-12-31")
    ('2019-01-01T00:00:00', '2020-01-01T00:00:00')
    """
    ends = []
    for text, option, day in ((since, "--since", 0), (until, "--until", 86400)):
        try:
            whole = text and len(text.strip()) == 10
            seconds = text and from_iso(text) + (day if whole else bool(day))
        except ValueError:
            raise MiningError(f"{option} {text}: not a day (2021-06-30) or a time "
                              "(2021-06-30T12:00:00Z)") from None
        ends.append(iso(seconds)[:-1] if text else "")
    if all(ends) and ends[0] >= ends[1]:
        raise MiningError("--since is later than --until; correct them")
    return tuple(ends)


def statements(definition, since="", until=""):
    """The SQL of a definition, by table."""
    made = {}
    if definition.stackoverflow:
        made["questions"] = query.questions(definition, since, until)
        made["answers"] = query.answers(definition, since, until)
    if definition.github:
        made["events"] = query.events(definition, since, until)
    return made


def choose(name, bulk, folder, engine="duckdb", since="", until="", reading="intention"):
    """Select from what was ingested and write ``folder/snapshot``.

    Parameters
    ----------
    name : str
        A definition.
    bulk : path
        What ``ingest`` filled: a folder, or one that holds several.
    folder : path
        Gets ``snapshot/`` and ``items.txt``: the keys of all candidates, and of threads of
        which the archive knows the number only.
    engine : str
        See :func:`mining.bulk.engines.opened`.
    since, until : str
        From :func:`window`.
    reading : {"intention", "script"}
        Of the keyword filter.

    Returns
    -------
    dict
        The manifest; with ``missing`` and ``thin`` hours where GH Archive was read.
    """
    definition, folder = load(name), Path(folder)
    if any((folder / x).exists() for x in BEGUN):
        raise MiningError(f"{folder}: was mined through the APIs; give another --store")
    sources = found_in(bulk)
    made = statements(definition, since, until)
    tables = {t: sources[kind][0] / t for kind, ts in TABLES.items() if kind in sources
              for t in ts if t in made}
    if not tables:
        raise MiningError(f"{bulk}: holds {' and '.join(sources)}; {definition.name} has no "
                          "source there")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "derived.sqlite"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    try:
        db.executescript(SCHEMA)
        with engines.opened(engine, tables) as ask:
            if "questions" in tables:
                _posts(db, ask, made)
            if "events" in tables:
                _events(db, ask, definition, made["events"])
        db.commit()
        db.execute("CREATE INDEX comment_by_item ON comment(item, created, comment)")
        tags = {s.tag: d.name for d in map(load, names()) for s in d.stackoverflow}
        judge = BulkJudge(definition, tags, reading)
        new = folder / "snapshot.new"
        tally = write_snapshot(db, new, judge)
        _items(db, new / "threads.jsonl", folder / "items.txt")
    finally:
        db.close()
        path.unlink(missing_ok=True)
    result = _manifest(definition, sources, tables, (since, until), judge, made, tally)
    (new / "manifest.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n",
                                       encoding="utf-8", newline="\n")
    publish(new, folder / "snapshot")
    return result


def _posts(db, ask, made):
    for q in ask(made["questions"]):
        row = normalise.question_thread(question(q))
        row |= {"body": row["body_html"], "body_format": "html"}
        _thread(db, row)
    for a in ask(made["answers"]):
        row = next(normalise.answer_rows(answer(a), f"so:{a['parent_id']}"))
        row |= {"body": normalise.clean(a["body"]), "body_format": "html"}
        _comment(db, row)


def question(q):
    """A question of the dump in the shape of the API, which escapes once more."""
    names_ = [t for t in (q["tags"] or "").split("|") if t]
    return {"question_id": q["id"], "title": html.escape(q["title"] or ""),
            "body": q["body"], "tags": names_, "answer_count": q["n_answers"],
            "comment_count": q["n_comments"], "view_count": q["views"],
            "accepted_answer_id": q["accepted_answer_id"],
            "closed_date": _seconds(q["closed_at"]), **_post(q)}


def answer(a):
    """An answer of the dump in the shape of the API."""
    return {"answer_id": a["id"], "is_accepted": a["id"] == a["accepted"], **_post(a)}


def _post(p):
    owner = {"display_name": html.escape(p["owner_name"] or "")}
    if (p["owner_id"] or 0) > 0:
        owner |= {"user_id": p["owner_id"],
                  "link": f"https://stackoverflow.com/users/{p['owner_id']}"}
    return {"owner": owner, "score": p["score"], "content_license": p["licence"],
            "creation_date": _seconds(p["created_at"]),
            "last_edit_date": _seconds(p["edited_at"]),
            "last_activity_date": _seconds(p["updated_at"])}


def _seconds(text):
    return from_iso(text[:19]) if text else None


def _events(db, ask, definition, sql):
    """The newest state of every thread that its events carry, and all comments once."""
    newest = {}
    for r in ask(query.names(definition)):
        key = r["repository_id"] or r["repository"].lower()
        newest[key] = max(newest.get(key, ("", "")), (r["at"], r["repository"]))
    for r in ask(sql):
        place = newest[r["repository_id"] or r["repository_key"]][1]
        if not r["issue"]:
            db.execute("INSERT OR IGNORE INTO known VALUES(?)",
                       (normalise.github_item(place, r["number"]),))
            continue
        rank = r["at"], r["event"]
        _thread(db, normalise.github_thread(json.loads(r["issue"]), place), *rank)
        if r["comment"]:
            _comment(db, normalise.github_comment(json.loads(r["comment"]), place, r["number"]),
                     *rank)


def _thread(db, row, at="", event=0):
    db.execute("INSERT INTO thread VALUES(?,?,?,?,?,?,?) ON CONFLICT(item) DO UPDATE SET "
               "at=excluded.at, event=excluded.event, row=excluded.row "
               "WHERE (excluded.at, excluded.event) > (at, event)",
               (row["item"], row["platform"], row["place"], row["number"], at, event, dump(row)))


def _comment(db, row, at="", event=0):
    db.execute("INSERT INTO comment VALUES(?,?,?,?,?,?) ON CONFLICT(comment) DO UPDATE SET "
               "at=excluded.at, event=excluded.event, row=excluded.row "
               "WHERE (excluded.at, excluded.event) > (at, event)",
               (row["comment"], row["item"], row["created_at"], at, event, dump(row)))


def _items(db, threads, path):
    """Keys for ``run NAME --items``, which fetches the present text."""
    with threads.open(encoding="utf-8") as file, path.open("w", encoding="utf-8",
                                                           newline="\n") as out:
        for line in file:
            row = json.loads(line)
            if row["candidate"]:
                out.write(row["item"] + "\n")
        for (item,) in db.execute("SELECT item FROM known WHERE item NOT IN "
                                  "(SELECT item FROM thread) ORDER BY item"):
            out.write(item + "\n")


def _manifest(definition, sources, tables, ends, judge, made, tally):
    bulk = {}
    for kind, (folder, facts) in sources.items():
        if not set(TABLES[kind]) & set(tables):
            continue
        bulk[kind] = {k: v for k, v in facts.items() if k != "format"}
        if kind == "events":
            read = {}
            with (folder / MANIFEST).open(encoding="utf-8") as file:
                for line in list(file)[1:]:
                    entry = json.loads(line)
                    read |= {hour: n["read"] for hour, n in entry["hours"].items()}
            # A thread lives on after the window it began in: look on to the last hour.
            bulk[kind]["missing"], bulk[kind]["thin"] = hours.holes(read, ends[0], "")
    return {"name": definition.name, "title": definition.title, "tool_version": VERSION,
            "from_public_apis": None, "definition_sha256": definition.fingerprint,
            "window": {"since": ends[0] or None, "before": ends[1] or None},
            "listed_threads": None, "keywords": judge.version(), "bulk": bulk,
            "sql": {t: made[t] for t in tables}, **tally}
