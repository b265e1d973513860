"""Find thread numbers by search, from one creation time to the next, with a count check.

GitHub serves the first 1,000 results of a search, whatever ``total_count`` says, and a page
number is a position: what is deleted between two pages moves live threads past the reader.
So each request asks for page 1 from the creation time of the last hit on (that second
included, doubles dropped). Only where a page holds one second alone is the second page asked
for, and where that second holds more than the cap, it is read in further orders.
"""

import json
from collections import Counter

from mining.transport.client import Step
from mining.transport.clock import from_iso, iso
from mining.transport.wire import Request

CAP = 1000
OLDEST = from_iso("2008-01-01")  # no thread is older than GitHub
PER_PAGE = 100
MOST_ATTEMPTS = 3
# Orders, and qualifiers, that together show more of a second that holds more than the cap.
VIEWS = (("created-asc", ""), ("created-desc", ""), ("updated-asc", ""), ("updated-desc", ""),
         ("comments-asc", ""), ("comments-desc", ""))
BY_STATE = tuple((order, f"state:{state}") for state in ("open", "closed")
                 for order in ("created-asc", "created-desc"))


class Search:
    """The search part of one GitHub source.

    A slice is a range of creation time for one term: one for each term, and one for each
    second that holds more than the cap. Its state goes ``open`` -> ``done``; or
    ``unstable`` where the API's counts do not agree with what it handed out, three times;
    or ``capped`` where a single second holds more than all orders show.
    """

    def __init__(self, source, store, found, refuse):
        self.source, self.store, self.found, self.refuse = source, store, found, refuse
        self.views = VIEWS if source.state != "all" else VIEWS[:2] + BY_STATE + VIEWS[2:]

    def begin(self, terms):
        """Enter the slice of every term ("" for none)."""
        for term in terms:
            self._insert(term, self.store.get("since") or OLDEST, self.store.get("until"))

    def forget(self):
        """Before what changed is searched; a slice that was not whole is told of further on."""
        with self.store.transaction() as db:
            db.execute("DELETE FROM slice WHERE source=? AND state='done'", (self.source.id,))
            db.execute("DELETE FROM hit WHERE source=?", (self.source.id,))

    def next_step(self, name):
        """The step for the next request, None where all slices are finished."""
        row = self.store.db.execute(
            "SELECT * FROM slice WHERE source=? AND state IN ('open','check') ORDER BY id LIMIT 1",
            (self.source.id,)).fetchone()
        if row is None:
            return None
        view, extra = self.views[row["view"]]
        sort, order = view.split("-")
        if changed := self.store.get(f"changed:{self.source.id}"):
            extra = f"{extra} updated:>={iso(changed)}".strip()
        text = query(name, row["term"], self.source.state, self.source.with_labels,
                     self.source.without_labels, row["reached"], row["until"], extra)
        size = 1 if row["state"] == "check" else PER_PAGE
        request = Request("github", "/search/issues", (
            ("q", text), ("sort", sort), ("order", order), ("per_page", str(size)),
            ("page", str(row["page"]))), bucket="search")
        return Step("search", request, lambda answer: self._accept(row, answer),
                    {"repository": name, "term": row["term"], "slice": row["id"]},
                    skip=self.refuse, slice=lambda: self._deep(row, None))

    def left(self, expected):
        """(hits, terms) still to be read, where ``expected`` hits were reckoned with."""
        rows = self._roots()
        counts = [(json.loads(r["counts"]) or [None])[0] for r in rows]
        begun = [n for n in counts if n is not None]
        each = sum(begun) / len(begun) if begun else expected / max(len(rows), 1)
        hits = sum(max((each if n is None else n) - self._seen(r), 0)
                   for r, n in zip(rows, counts, strict=True))
        return hits, self.store.count("slice", "source=? AND state IN ('open','check')",
                                      self.source.id)

    def summary(self):
        """Slices by state, the ones that are not whole, and what each term brought."""
        rows = self.store.db.execute("SELECT * FROM slice WHERE source=? ORDER BY term, since, "
                                     "until", (self.source.id,)).fetchall()
        states = Counter(row["state"] for row in rows)
        flawed = [{"term": r["term"], "since": r["since"], "until": r["until"],
                   "mark": r["state"], "seen": self._seen(r),
                   "counts": [max(json.loads(r["counts"]), default=0)]}
                  for r in rows if r["state"] in ("unstable", "capped")]
        # The two may differ without a fault: threads are closed or deleted while we read.
        terms = [{"term": r["term"], "counted": (json.loads(r["counts"]) or [None])[0],
                  "found": self._seen(r)} for r in self._roots()]
        return {"slices": dict(sorted(states.items())), "not_whole": flawed, "terms": terms}

    def _roots(self):
        return self.store.db.execute(
            "SELECT *, min(id) FROM slice WHERE source=? GROUP BY term ORDER BY term",
            (self.source.id,)).fetchall()

    def _seen(self, row, since=None):
        return self.store.count(
            "hit", "source=? AND term=? AND created BETWEEN ? AND ?", self.source.id,
            row["term"], row["since"] if since is None else since, row["until"])

    # What an answer means -----------------------------------------------------------

    def _accept(self, row, answer):
        items, total = answer.data["items"], answer.data["total_count"]
        for item in items:
            self.store.db.execute("INSERT OR IGNORE INTO hit VALUES(?,?,?,?)", (
                self.source.id, row["term"], item["number"], from_iso(item["created_at"])))
            self.found(item)
        counts = [*json.loads(row["counts"]), total]
        newest = max((from_iso(i["created_at"]) for i in items), default=row["reached"])
        if row["state"] == "check":
            self._end(row, counts)
        elif row["since"] == row["until"] and row["view"]:
            self._second(row, len(items), counts)
        elif len(items) == PER_PAGE and newest > row["reached"]:
            self._update(row, counts, reached=newest, page=1)
        elif len(items) == PER_PAGE and row["page"] < CAP // PER_PAGE:
            self._update(row, counts, page=row["page"] + 1)
        elif len(items) == PER_PAGE:
            self._deep(row, counts)
        else:
            self._end(row, counts)

    def _end(self, row, counts):
        """The last page: what was counted from here on, and in all, was it seen?"""
        if counts[-1] > self._seen(row, row["reached"]):
            # An index older than its data, or a time-out: read the slice again.
            again = row["attempt"] + 1 < MOST_ATTEMPTS
            self._update(row, counts, **({"attempt": row["attempt"] + 1, "state": "open", "page": 1,
                                          "reached": row["since"]} if again
                                         else {"state": "unstable"}))
        elif row["reached"] == row["since"] or self.store.count(
                "slice", "source=? AND term=? AND id>? AND view>0", self.source.id,
                row["term"], row["id"]):
            self._update(row, counts, state="done")
        else:
            # What an index learns late stands before the time reached: one more count of
            # the whole tells. Fewer than seen is no loss: threads were deleted meanwhile.
            self._update(row, counts, state="check", reached=row["since"], page=1)

    def _deep(self, row, counts):
        """A second that holds more than the API hands out, or a page it refuses."""
        second = row["reached"]
        counts = counts or json.loads(row["counts"])
        if row["since"] == row["until"] == second:
            self._second(row, 0, counts)
            return
        self._insert(row["term"], second, second, view=1)
        self._update(row, counts, reached=second + 1, page=1,
                     state="done" if second >= row["until"] else row["state"])

    def _second(self, row, n, counts):
        """The next page, order or qualifier of one overfull second."""
        if self._seen(row) >= max(counts, default=0) and n:
            self._update(row, counts, state="done")
        elif n == PER_PAGE and row["page"] < CAP // PER_PAGE:
            self._update(row, counts, page=row["page"] + 1)
        elif row["view"] + 1 < len(self.views):
            self._update(row, counts, view=row["view"] + 1, page=1)
        else:
            self._update(row, counts, state="capped")

    def _insert(self, term, since, until, view=0):
        self.store.db.execute(
            "INSERT INTO slice(source, term, since, until, reached, view) VALUES(?,?,?,?,?,?)",
            (self.source.id, term, since, until, since, view))

    def _update(self, row, counts, **values):
        # The first count and the last two are kept: fifty thousand hits are 500 of them.
        few = counts if len(counts) < 4 else [counts[0], *counts[-2:]]
        sets = "".join(f", {key}=?" for key in values)
        self.store.db.execute(f"UPDATE slice SET counts=?{sets} WHERE id=?",
                              (json.dumps(few), *values.values(), row["id"]))


def query(repository, term="", state="closed", with_labels=(), without_labels=(),
          since=None, until=None, extra=""):
    """The text of one search: one repository, one term, exactly ``is:issue``.

    Both ``is:issue`` and ``is:pull-request`` in one query silently drop all issues;
    several ``repo:`` silently drop unreadable ones. So there is one of each.

    >>> query("o/r", "multiple gpus", with_labels=["module: ddp"])
    '"multiple gpus" in:title,body repo:o/r is:issue state:closed label:"module: ddp"'
    """
    words = []
    if term:
        words += [f'"{term}"' if " " in term else term, "in:title,body"]
    words += [f"repo:{repository}", "is:issue"]
    if state in ("open", "closed"):
        words.append(f"state:{state}")
    words += [f"label:{quoted(label)}" for label in with_labels]
    words += [f"-label:{quoted(label)}" for label in without_labels]
    if extra:
        words.append(extra)
    if since is not None:
        words.append(f"created:{iso(since)}..{iso(until)}")
    return " ".join(words)


def quoted(label):
    """A label as the query language wants it; an inner quote is escaped.

    >>> quoted("stat:awaiting response")
    '"stat:awaiting response"'
    """
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'
