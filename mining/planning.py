"""Foretell requests, quota and time of a run, before it and while it goes on."""

import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass
from math import ceil

from tqdm import tqdm

from mining.sources.github import Shares
from mining.sources.graphql import LARGEST, TALK_AT_ONCE
from mining.sources.stackoverflow import PAGE_SIZE

SECONDS = {"search": 1.0, "core": 0.6, "graphql": 2.5, "stackexchange": 0.7}
# Minutes, and requests in them with and without a token or key.
QUOTAS = {"search": (1, 30, 10), "core": (60, 5000, 60), "graphql": (60, 5000, 0),
          "stackexchange": (1440, 10_000, 300)}


@dataclass
class Forecast:
    """What one source will still take: ``requests`` by bucket, for ``threads`` in all.

    ``basis`` says where the number of threads comes from.
    """

    source: str
    way: str
    threads: int
    basis: str
    requests: dict


def ahead(miner):
    """The :class:`Forecast` of what a miner has still to send."""
    known = miner.count() - miner.count("pr")
    look = _github_ahead if miner.platform == "github" else _questions_ahead
    more, need = look(miner, miner.row())
    basis = "rough guess" if not known else "counted" if not more else "counted so far and guessed"
    return Forecast(miner.id, miner.way(), round(known + more), basis,
                    {bucket: n for bucket, n in need.items() if n})


def _github_ahead(miner, row):
    """Threads still to be found, and the requests for them and for those that are unread."""
    state = row["state"] if row else "new"
    shares, way = miner.shares(), miner.way()
    whole = miner.limit is None and not miner.source.with_labels
    if state == "refused":
        return 0, {}
    need, more = {"search": 0, "core": 0, "graphql": 0}, 0
    count = {name: miner.count(name) for name in miner.unread}
    if way == "ids":
        count["todo"] = count["todo"] if row else len(miner.numbers)
    elif state == "new":
        more = min(miner.source.estimate, miner.room(found=True))
        need = github(way, miner.token, more, len(miner.terms) or 1, shares, whole)
    elif state == "search":
        hits, terms = miner.search.left(miner.source.estimate * shares.hits)
        more = min(hits / shares.hits, miner.room(found=True))
        need = github(way, miner.token, more, terms, shares)
        need.update(search=searches(hits, terms), core=need["core"] - 1)
    elif state in ("list", "changed"):
        rough = miner.source.estimate * (1 if miner.token else 1 + shares.pulls)
        total = row["total"] or (1 if state == "changed" else rough)
        more = max(total - row["seen"], 1) / (1 if miner.token else 1 + shares.pulls)
        more = min(more, miner.room(found=True))
        need = github(way, miner.token, more, 1, shares, whole)
    if miner.token:
        need["graphql"] += _batches(count["todo"], shares) + ceil(count["talk"] / TALK_AT_ONCE)
        need["core"] += count["look"]
    elif way == "list" and whole:
        need["core"] += count["todo"] + ceil(miner.comments_left() / 99)
    else:
        need["core"] += ceil(count["todo"] * (1 + shares.commented)) + count["talk"]
    return more, need


def github(way, token, threads, terms=1, shares=Shares(), whole=True):  # noqa: B008
    """Requests to find and to read threads of a repository, by bucket.

    >>> github("list", True, 1000, shares=Shares(long=0))["graphql"]
    20
    """
    need = {"search": 0, "core": 0, "graphql": 0}
    if way == "search":
        need["core"] = 1
        need["search"] = searches(threads * (shares.hits if terms > 1 else 1), terms)
        if not token:
            need["core"] += ceil(threads * shares.commented)
    elif not token:
        rows = threads * (1 + shares.pulls)
        comments = rows * shares.comments / 99 if whole else threads * shares.commented
        need["core"] = 1 + ceil(rows / 99) + ceil(comments)
    if token:
        need["graphql"] = _batches(threads, shares)
    return need


def searches(hits, terms):
    """Searches for so many hits of so many terms.

    A term costs one at least. Each request repeats the last hit of the one before, and where
    one is not enough, a last one counts again.

    >>> searches(50_000, 1), searches(140, 14)
    (507, 14)
    """
    each = hits / max(terms, 1)
    return round(terms * (max(1, ceil((each - 1) / 99)) + (each > 100)))


def _batches(threads, shares):
    return ceil(threads / LARGEST) + ceil(threads * shares.long / TALK_AT_ONCE)


def _questions_ahead(miner, row):
    """Each request repeats the last question of the one before; one makes the filter."""
    listed, todo, more = miner.numbers is not None, miner.count(*miner.unread), 0
    if listed and row is None:
        todo = len(miner.numbers)
    elif not listed and (row is None or row["state"] == "list"):
        more = min(max(miner.source.estimate - miner.count(), 1), miner.room())
    elif row["state"] == "changed":
        more = 1
    pages = max(1, ceil((more - 1) / (PAGE_SIZE - 1))) if more else 0
    made = bool(miner.store.waits.get(miner.filter_key)) or not (pages or todo)
    return more, {"stackexchange": (not made) + pages + ceil(todo / PAGE_SIZE)}


def total(forecasts):
    """Requests by bucket over all sources."""
    return dict(sum((Counter(f.requests) for f in forecasts), Counter()))


def quota(bucket, github_token, stackexchange_key):
    """(Minutes, requests in them) with a token and a key, or without."""
    window, keyed, keyless = QUOTAS[bucket]
    has = stackexchange_key if bucket == "stackexchange" else github_token
    return window, keyed if has else keyless


def minutes(requests, github_token, stackexchange_key):
    """Minutes for the requests (bucket -> number), quotas and their windows included.

    Within a quota the speed of the answers counts; beyond it, the wait for the next hour or
    day. Whether there is a token or a key decides which quota it is.

    >>> minutes({"core": 150}, False, False)
    {'core': 121.5}
    """
    spent = {}
    for bucket, n in requests.items():
        window, most = quota(bucket, github_token, stackexchange_key)
        time = n * SECONDS[bucket] / 60
        if window == 1:
            time = max(time, (n - 1) / most)
        elif most:
            time += (max(n, 1) - 1) // most * window
        spent[bucket] = round(time, 1)
    return spent


COUNT_EVERY, LINE_EVERY, WAIT_LINE_EVERY = 1.0, 10.0, 60.0


class Progress:
    """How many requests are done, of how many planned.

    On a terminal this is a tqdm bar on stderr; in a log file it is one line every ten
    seconds, so that a nightly run leaves a readable trace.
    """

    def __init__(self, label):
        self.label, self.terminal = label, sys.stderr.isatty()
        # A terminal that tells no size (some recorders) would get a bar of no size.
        size = shutil.get_terminal_size((100, 24))
        self.bar = tqdm(desc=label, unit=" requests", file=sys.stderr, ncols=size.columns,
                        nrows=size.lines, disable=not self.terminal)
        self.last_line, self.last_count = time.monotonic(), 0.0
        self.done = self.planned = 0

    def due(self):
        """Whether it is time to count again: counting costs more than showing."""
        now = time.monotonic()
        if now - self.last_count < COUNT_EVERY:
            return False
        self.last_count = now
        return True

    def update(self, done, planned, note):
        """Show ``done`` of ``planned`` requests; ``note`` says what goes on."""
        self.done, self.planned = done, planned
        if self.terminal:
            self.bar.total, self.bar.n = planned, done
            self.bar.set_postfix_str(note, refresh=False)
            self.bar.refresh()
        elif time.monotonic() - self.last_line >= LINE_EVERY:
            self.last_line = time.monotonic()
            print(f"{self.label}: {done} of about {planned} requests ({note})", file=sys.stderr,
                  flush=True)

    def note(self, text):
        """Show a wait without moving the bar; in a log file, once a minute."""
        if self.terminal or time.monotonic() - self.last_line >= WAIT_LINE_EVERY:
            self.update(self.done, self.planned, text)

    def close(self):
        self.bar.close()


def wrap(iterable, label, total=None):
    """An iterator with a bar that appears only where it takes longer than two seconds."""
    return tqdm(iterable, desc=label, total=total, delay=2, file=sys.stderr,
                disable=not sys.stderr.isatty(), leave=False)
