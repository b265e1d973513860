"""What changed since a snapshot was taken: its threads are asked for again, and compared.

The answers go into a store of their own below ``drift/``, so the snapshot stays as it is
and an interrupted comparison goes on where it stopped.
"""

import csv
import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from itertools import groupby

from mining.selection.definition import GitHubSource, StackOverflowSource
from mining.store.export import aside, neutral, rows

COLUMNS = ("item", "url", "change", "before", "after")
DONE = "drift.csv"


def for_items(definition, items):
    """The definition with the sources that a list of thread keys needs, and no others.

    >>> from mining.selection.definition import load
    >>> [s.id for s in for_items(load("keras"), ["gh:a/b#1", "gh:a/b#2"]).github]
    ['gh:a/b']
    """
    places = {}
    for item in items:
        if item.startswith("gh:"):
            name = item[3:].split("#")[0]
            places.setdefault(name.lower(), name)
    questions = any(item.startswith("so:") for item in items)
    tag = definition.stackoverflow[0].tag if definition.stackoverflow else definition.name
    return replace(
        definition, github=tuple(GitHubSource(n, state="all") for n in places.values()),
        stackoverflow=(StackOverflowSource(tag),) if questions else ())


def items_of(snapshot, everything=False):
    """Yield the keys of a snapshot's candidates (or of all its threads)."""
    yield from (r["item"] for r in rows(snapshot / "threads.jsonl")
                if everything or r["candidate"])


def folder_of(store_folder):
    """The unfinished comparison, or a new one: ``drift/001``, ``drift/002`` and so on."""
    parent = store_folder / "drift"
    known = sorted(p for p in parent.glob("[0-9][0-9][0-9]") if p.is_dir())
    if known and not (known[-1] / DONE).exists():
        return known[-1]
    return parent / f"{len(known) + 1:03d}"


def renamed(sources):
    """Repository as asked for, in lower case -> its name now, of a manifest's sources."""
    return {s["asked"].lower(): s["name"] for s in sources if s["id"][:3] == "gh:" and "name" in s}


def compare(before, after, names, update=False):
    """Yield the changes between two snapshot folders, as dicts with :data:`COLUMNS`.

    ``after`` holds the threads asked for; or, in an ``update``, the whole corpus at a later
    time: what is a candidate in one of the two is compared, and what became one, or is one no
    more, is told. ``names`` has the lower-case repository name then -> the name now.

    ``change`` is edited, relabelled, reopened, closed, closed for another reason, locked,
    unlocked, accepted another answer, answered (a comment or answer more or less), talk edited
    (of as many comments and answers), resolved otherwise, transferred or deleted; in an update
    candidate now or no candidate any more, too.
    """
    known = {r["item"] for r in rows(before / "gone.jsonl")} if update else ()
    gone = {r["item"]: r for r in rows(after / "gone.jsonl") if r["item"] not in known}
    # A database without a name lies on disk and goes when it is closed: memory stays flat.
    with closing(sqlite3.connect("")) as shelf:
        shelf.execute("CREATE TABLE now(item TEXT PRIMARY KEY, url, wanted, why, digest, was)")
        shelf.executemany("INSERT INTO now VALUES(?,?,?,?,?,0)", (
            (row["item"], row["url"], row["candidate"], row["why_not"],
             json.dumps(_digest(row, words))) for row, words in _threads(after)))
        for old, words in _threads(before):
            item = _renamed(old["item"], names)
            shelf.execute("UPDATE now SET was=? WHERE item=?", (old["candidate"], item))
            now = shelf.execute("SELECT digest FROM now WHERE item=? AND (wanted OR was OR ?)",
                                (item, not update)).fetchone()
            if item in gone:
                lost = gone[item]
                kind = "transferred" if lost["why"] == "transferred" else "deleted"
                yield _change(old, kind, "there", lost["moved_to"] or lost["why"])
            elif now:
                yield from _differences(old, _digest(old, words), json.loads(now[0]))
        for item, url, wanted, why in shelf.execute(
                "SELECT item, url, wanted, why FROM now WHERE ? AND wanted != was", (update,)):
            yield _change({"item": item, "url": url}, "candidate now" if wanted
                          else "no candidate any more", "", why)


def _differences(old, then, now):
    def same(*keys):
        return all(then[key] == now[key] for key in keys)

    for kind, key, shown, told in (
            ("edited", "text", "edited_at", True), ("relabelled", "labels", "labels", True),
            ("closed" if now["state"] == "closed" else "reopened", "state", "state", True),
            ("closed for another reason", "reason", "reason", same("state")),
            ("locked" if now["locked"] else "unlocked", "locked", "locked", True),
            ("accepted another answer", "accepted", "accepted", True),
            ("answered", "talk", "talk", True), ("talk edited", "words", "words", same("talk")),
            ("resolved otherwise", "resolution", "resolution", same("state", "talk", "words"))):
        if told and not same(key):
            yield _change(old, kind, then[shown], now[shown])


def _threads(snapshot):
    """Threads, each with a SHA-256 over its comments and answers, which stand in its order."""
    talks = groupby(rows(snapshot / "comments.jsonl"), lambda row: row["item"])
    item, talk = next(talks, ("", ()))
    for row in rows(snapshot / "threads.jsonl"):
        if item != row["item"]:
            yield row, ""
            continue
        digest = sha256()
        for remark in talk:
            number = remark["comment"].rpartition("/")[2]  # a renamed repository changes the rest
            digest.update(f"{number}\0{remark['body']}\0".encode())
        yield row, digest.hexdigest()[:16]
        item, talk = next(talks, ("", ()))


def _digest(row, words):
    text = f"{row['title']}\0{row['body']}".encode()
    return {"text": sha256(text).hexdigest(), "labels": ";".join(row["labels"] + row["tags"]),
            "state": row["state"], "reason": row["state_reason"], "edited_at": row["edited_at"],
            "locked": row["lock_reason"] or "locked" if row["locked"] else "",
            "accepted": str(row["accepted_answer_id"] or ""), "words": words,
            "resolution": row["resolution_url"].rpartition("/")[2],
            "talk": f"{row['n_comments']} comments, {row['n_answers'] or 0} answers"}


def _renamed(item, names):
    if not item.startswith("gh:"):
        return item
    repository, number = item[3:].split("#")
    return f"gh:{names.get(repository.lower(), repository)}#{number}"


def _change(old, kind, before, after):
    return {"item": old["item"], "url": old["url"], "change": kind, "before": before,
            "after": after}


def write(path, changes):
    """Write the changes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with aside(path) as new, new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([neutral(change[c]) for c in COLUMNS] for change in changes)


def tally(path):
    """How many changes of each kind were written."""
    with path.open(encoding="utf-8", newline="") as file:
        return dict(sorted(Counter(row["change"] for row in csv.DictReader(file)).items()))
