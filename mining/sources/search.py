"""Find thread numbers by search, slice by slice, with a count check for each slice."""

import json

from mining.sources.slicer import CAP, PER_PAGE, SORTS, agrees, pages, query, split
from mining.transport.clock import from_iso
from mining.transport.step import Step
from mining.transport.wire import Request

MOST_ATTEMPTS = 3


class Search:
    """The search part of one GitHub source.

    A slice is one closed range of creation time for one term. Its state goes
    ``new`` -> ``open`` -> ``done``; or ``split`` into smaller ones; or ``again`` where the
    API's counts do not agree with what it handed out, up to three times, then
    ``unstable``; or ``capped`` where a single second holds more than all orders show.
    """

    def __init__(self, source, store, found):
        self.source, self.store, self.found = source, store, found

    def begin(self, terms, since, until):
        """Enter the first slice of every term ("" for none)."""
        for term in terms:
            self._insert(term, since, until, "")

    def next_step(self, name):
        """The step for the next unread page, None where all slices are finished."""
        row = self.store.db.execute(
            "SELECT * FROM slice WHERE source=? AND state IN ('new','open','again') "
            "ORDER BY attempt, id LIMIT 1", (self.source.id,)).fetchone()
        if row is None:
            return None
        sort, order = json.loads(row["sorts"])[0].split("-")
        text = query(name, row["term"], self.source.state, self.source.with_labels,
                     self.source.without_labels, row["since"], row["until"], row["extra"])
        request = Request("github", "/search/issues", (
            ("q", text), ("sort", sort), ("order", order), ("per_page", str(PER_PAGE)),
            ("page", str(row["page"]))), bucket="search")
        return Step(
            "search", request, lambda answer: self._accept(row, answer),
            {"repository": name, "term": row["term"], "slice": row["id"]},
            slice=lambda: self._refused(row))

    def summary(self):
        """Counts of slices by state, and the ones that are not whole, for the manifest."""
        rows = self.store.db.execute(
            "SELECT *, (SELECT count(*) FROM hit WHERE slice=slice.id) AS seen FROM slice "
            "WHERE source=? ORDER BY term, since, until, extra", (self.source.id,)).fetchall()
        states = {}
        for row in rows:
            states[row["state"]] = states.get(row["state"], 0) + 1
        flawed = [{"term": r["term"], "since": r["since"], "until": r["until"],
                   "extra": r["extra"], "mark": r["state"], "seen": r["seen"],
                   "counts": sorted(set(json.loads(r["totals"])))}
                  for r in rows if r["state"] in ("unstable", "capped")]
        return {"slices": dict(sorted(states.items())), "not_whole": flawed,
                "terms": self._terms()}

    def _terms(self):
        """For each term, what the API counted at first and how many were found.

        The two may differ without a fault: threads are closed or relabelled while we read.
        """
        rows = self.store.db.execute(
            "SELECT term, min(id) AS root, (SELECT count(DISTINCT number) FROM hit JOIN slice s "
            "ON hit.slice=s.id WHERE s.source=slice.source AND s.term=slice.term) AS found "
            "FROM slice WHERE source=? GROUP BY term ORDER BY term", (self.source.id,)).fetchall()
        counted = {}
        for row in rows:
            root = self.store.db.execute("SELECT totals FROM slice WHERE id=?",
                                         (row["root"],)).fetchone()
            counted[row["root"]] = (json.loads(root["totals"]) or [None])[0]
        return [{"term": r["term"], "counted": counted[r["root"]], "found": r["found"]}
                for r in rows]

    # What an answer means -----------------------------------------------------------

    def _accept(self, row, answer):
        data = answer.data
        total, items = data["total_count"], data["items"]
        for item in items:
            self.store.db.execute("INSERT OR IGNORE INTO hit VALUES(?,?)",
                                  (row["id"], item["number"]))
            self.found(item)
        if row["page"] == 1 and total > CAP and row["state"] == "new":
            first = items[0]["created_at"] if items else None
            if self._too_many(row, total, first):
                return
        totals = [*json.loads(row["totals"]), total]
        incomplete = row["incomplete"] or int(bool(data.get("incomplete_results")))
        if items and row["page"] < pages(total):
            self._update(row, page=row["page"] + 1, totals=json.dumps(totals), state="open",
                         incomplete=incomplete)
        else:
            self._finish(row, totals, incomplete)

    def _finish(self, row, totals, incomplete):
        seen = self.store.count("hit", "slice=?", row["id"])
        keep = {"totals": json.dumps(totals), "incomplete": incomplete}
        sorts = json.loads(row["sorts"])
        if agrees(seen, totals):
            # incomplete_results with every hit present was a time-out without a loss.
            self._update(row, state="done", **keep)
        elif max(totals) > CAP and len(sorts) > 1:
            self._update(row, sorts=json.dumps(sorts[1:]), page=1, state="open", **keep)
        elif max(totals) > CAP:
            self._update(row, state="capped", **keep)
        elif row["attempt"] + 1 < MOST_ATTEMPTS:
            self._update(row, attempt=row["attempt"] + 1, page=1, state="again", totals="[]",
                         incomplete=0)
        else:
            self._update(row, state="unstable", **keep)

    def _refused(self, row):
        """The server hands out no further page: divide, or leave it at what there is."""
        if not self._too_many(row, 2 * CAP, None):
            self._update(row, state="capped")

    def _too_many(self, row, total, first):
        """Divide an oversized slice; False where its one second must be read as it is."""
        from_first = None if first is None else from_iso(first)
        parts = split(row["since"], row["until"], total, from_first)
        if len(parts) > 1:
            children = [(a, b, row["extra"]) for a, b in parts]
        elif self.source.state == "all" and not row["extra"]:
            children = [(row["since"], row["until"], f"state:{s}") for s in ("open", "closed")]
        else:
            self._update(row, sorts=json.dumps(SORTS))
            return False
        self._update(row, state="split", totals=json.dumps([total]))
        for since, until, extra in children:
            self._insert(row["term"], since, until, extra)
        return True

    def _insert(self, term, since, until, extra):
        self.store.db.execute(
            "INSERT INTO slice(source, term, since, until, extra, sorts, page, totals, "
            "incomplete, attempt, state) VALUES(?,?,?,?,?,?,1,'[]',0,0,'new')",
            (self.source.id, term, since, until, extra, json.dumps(SORTS[:1])))

    def _update(self, row, **values):
        sets = ", ".join(f"{key}=?" for key in values)
        self.store.db.execute(f"UPDATE slice SET {sets} WHERE id=?", (*values.values(), row["id"]))
