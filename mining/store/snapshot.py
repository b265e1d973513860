"""Write a snapshot: three files of sorted JSON lines, replaced as a whole, and counted."""

import json
from hashlib import sha256


def write_snapshot(db, new, judge):
    """Write threads, comments and gone as sorted JSON lines into the folder ``new``.

    Returns
    -------
    dict
        Counts, and the SHA-256 of each file.
    """
    _empty(new)
    tally = {"threads": 0, "candidates": 0, "comments": 0, "gone": 0, "by_platform": {},
             "licences": {}, "not_candidates": {}, "incomplete_threads": 0,
             "search_hits_without_keyword": 0}
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
            _count(tally, row, talk)
    with _Lines(new / "gone.jsonl") as gone:
        for (text,) in db.execute("SELECT row FROM gone ORDER BY item"):
            gone.write(json.loads(text))
    tally["gone"] = gone.n
    tally["sha256"] = {f.path.name: f.sum.hexdigest() for f in (threads, comments, gone)}
    for key in ("by_platform", "licences", "not_candidates"):
        tally[key] = dict(sorted(tally[key].items()))
    return tally


def _count(tally, row, talk):
    tally["threads"] += 1
    tally["candidates"] += row["candidate"]
    tally["comments"] += len(talk)
    tally["incomplete_threads"] += not row["complete"]
    tally["search_hits_without_keyword"] += bool(row["found_by"] and not row["matched_keywords"])
    _add(tally["by_platform"], row["platform"])
    if not row["candidate"]:
        _add(tally["not_candidates"], row["why_not"])
    for post in (row, *talk):
        _add(tally["licences"], post["licence"] or "none stated")


def _add(counts, key):
    counts[key] = counts.get(key, 0) + 1


class _Lines:
    """A JSON-lines file that counts and sums what it writes."""

    def __init__(self, path):
        self.path, self.sum, self.n = path, sha256(), 0

    def __enter__(self):
        self.file = self.path.open("wb")
        return self

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


def _empty(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()


def publish(new, folder):
    """Put a finished snapshot in place of the old one, as a whole."""
    old = folder.with_name("snapshot.old")
    if folder.exists():
        if old.exists():
            _empty(old)
            old.rmdir()
        folder.replace(old)
    new.replace(folder)
    if old.exists():
        _empty(old)
        old.rmdir()
