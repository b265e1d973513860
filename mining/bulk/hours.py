"""Hours of GH Archive to Parquet parts of issue events, one part a day.

A line is parsed as JSON only where its bytes say that it is an event of an issue. Three ages
of the archive are read: 2011 to 2014 (ids and an address), 2015 on, and since October 2025.
"""

import gzip
import json
import re
import zlib
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from mining.bulk import pool
from mining.bulk.parts import Parts, present, replace
from mining.bulk.progress import Meter
from mining.errors import MiningError

NAME = re.compile(r"(\d{4}-\d\d-\d\d)-(\d{1,2})\.json\.gz")
KINDS = ("IssuesEvent", "IssueCommentEvent")
COLUMNS = ("repository", "repository_key", "repository_id", "number", "at", "event", "kind",
           "action", "created_at", "issue", "comment")
WHOLE = ("repository_id", "number", "event")
ISSUE = ("html_url", "id", "number", "title", "body", "user", "labels", "state", "state_reason",
         "locked", "active_lock_reason", "comments", "created_at", "updated_at", "closed_at")
COMMENT = ("html_url", "id", "user", "body", "created_at", "updated_at")
BATCH = 4000
THIN = 0.1  # of the median hour

_MARKS = tuple(f'"type":"{kind}"'.encode() for kind in KINDS)
_NUMBER = re.compile(r"/issues/(\d+)")
_PLACE = re.compile(r"github\.com/([^/]+/[^/]+)/")
_HEAD = re.compile(rb'\{"id":"\d+","type":"')


def ingest(folder, out, workers=2, repositories=()):
    """Read a folder of hours; days whose files have not changed are not read again.

    Parameters
    ----------
    folder : path
        With files such as ``2020-05-01-9.json.gz``.
    out : path
        Gets ``events/`` with a part a day, ``manifest.jsonl`` and ``done.json``.
    workers : int
    repositories : iterable of str
        Keep these only, by any of their names; all where none is named.

    Returns
    -------
    dict
        Events read and kept, days, unreadable lines, cut hours.
    """
    days = {}
    for path in sorted(Path(folder).iterdir()):
        if match := NAME.fullmatch(path.name):
            days.setdefault(match[1], []).append(path)
    if not days:
        raise MiningError(f"{folder}: holds no hour of GH Archive, such as "
                          "2020-05-01-9.json.gz")
    wanted = sorted({r.lower() for r in repositories})
    out = Path(out)
    sizes = [sum(p.stat().st_size for p in paths) for paths in days.values()]
    meter, done = Meter(Path(folder).name), 0
    try:
        with Parts(out, {"kind": "events", "repositories": wanted}) as parts:
            (out / "events").mkdir(exist_ok=True)
            tasks = ((out, day, paths, wanted, parts.entries.get(day))
                     for day, paths in days.items())
            total = {"read": 0, "kept": 0, "days": 0, "unreadable": 0, "cut": 0}
            with closing(pool.run(write_day, tasks, workers)) as made:
                for size, entry in zip(sizes, made, strict=True):
                    if entry != parts.entries.get(entry["part"]):
                        parts.note(entry)
                    total["days"] += 1
                    for hour in entry["hours"].values():
                        for key in ("read", "kept", "unreadable", "cut"):
                            total[key] += hour[key]
                    done += size
                    meter.show(done, total["read"], done, sum(sizes))
            parts.finish(total)
            return total
    finally:
        meter.close()


def write_day(out, day, paths, wanted, before):
    """The hours of a day to one part; returns the entry for the manifest."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    inputs = {p.name: p.stat().st_size for p in paths}
    if before and before["inputs"] == inputs and present(out, before):
        return before
    schema = pa.schema([(c, pa.int64() if c in WHOLE else pa.string()) for c in COLUMNS])
    hours = {p.name.removesuffix(".json.gz"):
             {"read": 0, "kept": 0, "unreadable": 0, "cut": 0} for p in paths}

    def write(path):
        with pq.ParquetWriter(str(path), schema, compression="zstd") as writer:
            for source, tally in zip(paths, hours.values(), strict=True):
                rows = []
                for row in _rows(source, tally, frozenset(wanted)):
                    rows.append(row)
                    if len(rows) == BATCH:
                        writer.write_table(pa.Table.from_pylist(rows, schema))
                        rows.clear()
                writer.write_table(pa.Table.from_pylist(rows, schema))

    place = f"events/{day}.parquet"
    size = replace(out / place, write)
    return {"part": day, "inputs": inputs, "hours": hours, "files": {place: size}}


def _rows(path, tally, wanted):
    """Rows of one hour; counts what it reads, what it cannot read, and a cut end."""
    try:
        with gzip.open(path, "rb") as file:
            for line in file:
                tally["read"] += 1
                if _MARKS[0] in line or _MARKS[1] in line:
                    event = _event(line, tally)
                    row = event and row_of(event)
                    if row and (not wanted or row["repository_key"] in wanted):
                        tally["kept"] += 1
                        yield row
                elif not line.rstrip().endswith(b"}"):
                    tally["unreadable"] += 1
    except (EOFError, zlib.error, gzip.BadGzipFile):
        tally["cut"] = 1


def _event(line, tally):
    try:
        return json.loads(line)
    except ValueError:
        tally["unreadable"] += 1
    # A broken event can run into the next one, which is whole (igrigorik/gharchive.org#271).
    starts = [m.start() for m in _HEAD.finditer(line)]
    try:
        return json.loads(line[starts[-1]:]) if len(starts) > 1 else None
    except ValueError:
        return None


def row_of(event):
    """The row of an event, or None where it is none of an issue.

    Issue and comment are cut to what a snapshot needs, as JSON that is all ASCII, so that
    lone surrogates live on; "" where the event has none.
    """
    kind, payload = event.get("type"), event.get("payload") or {}
    issue, comment = payload.get("issue"), payload.get("comment") or {}
    if kind not in KINDS or (isinstance(issue, dict) and issue.get("pull_request")):
        return None
    if "repo" in event:  # 2015 on; a few hours have an empty repo
        issue, repo = issue or {}, event["repo"]
        number, identity, name = issue.get("number"), repo.get("id"), repo.get("name")
        if not name:
            found = _PLACE.search(issue.get("html_url") or "")
            name = found[1] if found else ""
    else:
        repo = event.get("repository") or {}
        name, identity = f"{repo.get('owner')}/{repo.get('name')}", repo.get("id")
        found = _NUMBER.search(event.get("url") or "")
        number = payload.get("number") or (int(found[1]) if found else None)
        issue = issue if isinstance(issue, dict) else {}
    if not name or number is None:
        return None
    return {"repository": name, "repository_key": name.lower(), "repository_id": identity,
            "number": number, "at": when(event["created_at"]), "event": int(event.get("id") or 0),
            "kind": kind, "action": payload.get("action") or "",
            "created_at": issue.get("created_at"), "issue": _cut(issue, ISSUE),
            "comment": _cut(comment, COMMENT)}


def _cut(value, keys):
    kept = {k: value[k] for k in keys if k in value}
    if isinstance(kept.get("user"), dict):
        kept["user"] = {k: kept["user"].get(k) for k in ("login", "id", "type")}
    return json.dumps(kept, ensure_ascii=True, separators=(",", ":")) if kept else ""


def when(text):
    """UTC as the API writes it; the old archive has local times in three notations.

    >>> when("2012/03/10 22:36:55 -0800"), when("2012-05-01T09:00:00-07:00")
    ('2012-03-11T06:36:55Z', '2012-05-01T16:00:00Z')
    """
    if text.endswith("Z"):
        return text
    moment = datetime.fromisoformat(text.replace("/", "-").replace(" -", "-").replace(" +", "+"))
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def holes(hours, since="", until=""):
    """Hours that lack, and hours with hardly any event.

    Parameters
    ----------
    hours : dict
        Name of an hour -> events in it.
    since, until : str
        Window as ISO texts; else from the first hour to the last.

    Returns
    -------
    (list of str, list of str)
        Missing; and thin, with less than a tenth of the median.

    Examples
    --------
    >>> holes({"2020-01-01-0": 90, "2020-01-01-1": 1, "2020-01-01-3": 80})
    (['2020-01-01-2'], ['2020-01-01-1'])
    """
    times = {datetime.strptime(h, "%Y-%m-%d-%H").replace(tzinfo=UTC): n for h, n in hours.items()}

    def edge(text, other):
        return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else other

    at, end = edge(since, min(times)), edge(until, max(times) + timedelta(hours=1))
    at = at.replace(minute=0, second=0)
    middle = median(times.values())
    missing, thin = [], []
    while at < end:
        name = f"{at:%Y-%m-%d}-{at.hour}"
        if at not in times:
            missing.append(name)
        elif times[at] < THIN * middle:
            thin.append(name)
        at += timedelta(hours=1)
    return missing, thin
