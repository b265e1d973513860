"""Provenance: ``manifest.json`` says what a snapshot is, ``run.json`` how it was got.

The manifest depends on the corpus, the definition and the window alone, so the same
corpus mined twice gives the same bytes. What differs from run to run (times, quota,
waits, request ids) stands in ``run.json``.
"""

import json
from collections import Counter

from mining import VERSION
from mining.transport.clock import iso
from mining.transport.wire import GITHUB_VERSION, STACKEXCHANGE_VERSION


def build(store, definition, judge, tally, summaries):
    """The manifest as a dict.

    Parameters
    ----------
    store : mining.store.store.Store
    definition : mining.selection.definition.Definition
    judge : mining.selection.judge.Judge
    tally : dict
        From :func:`mining.store.replay.replay`.
    summaries : list of dict
        One a source, from the miners.
    """
    since, until = store.get("since"), store.get("until")
    begun = [s for s in summaries if s["state"] != "not begun"]
    whole = all(s["state"] in ("found", "refused") and not s["left"] for s in begun)
    marks = [s for s in summaries if s["mark"] or s.get("not_whole")]
    return {
        "name": definition.name, "title": definition.title, "tool_version": VERSION,
        "from_public_apis": store.get("public"), "definition_sha256": definition.fingerprint,
        "window": {"since": None if since is None else iso(since), "until": iso(until)},
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
    kinds, dates, versions = Counter(), [], set()
    types, raw = set(), {}
    for row in store.db.execute("SELECT kind, count(*) AS n FROM answer GROUP BY kind"):
        kinds[row["kind"]] = row["n"]
    for row in store.db.execute(
            "SELECT verb, rule, count(*) AS n FROM event GROUP BY verb, rule"):
        raw[f"{row['verb']}: {row['rule']}"] = row["n"]
    quota = None
    for record in _ends(store):
        dates.append(record["headers"].get("date", ""))
        versions.add(record["headers"].get("x-github-api-version-selected", ""))
        if record["kind"] == "search":
            types.add(json.loads(record["body"]).get("search_type", "not stated"))
        if record["kind"].startswith("so-"):
            quota = json.loads(record["body"]).get("quota_remaining", quota)
    return {"requests_stored": dict(sorted(kinds.items())), "events": raw,
            "first_answer": dates[0] if dates else "", "last_answer": dates[-1] if dates else "",
            "github_api_version_served": sorted(versions - {""}),
            "search_type": sorted(types), "stackexchange_quota_left": quota}


def _ends(store):
    """The first and the last answer of every kind, in order: enough for a report."""
    rows = store.db.execute("SELECT min(seq) AS a, max(seq) AS b FROM answer GROUP BY kind")
    wanted = sorted({seq for row in rows for seq in (row["a"], row["b"])})
    for seq in wanted:
        yield store.answer(seq)


def save(path, data):
    """Write JSON for people: indented, sorted only where order says nothing."""
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n",
                    encoding="utf-8", newline="\n")
