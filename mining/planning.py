"""Foretell requests, quota and time of a run before anything is sent, and show how far it is."""

import shutil
import sys
import time
from dataclasses import dataclass, field
from math import ceil

from tqdm import tqdm

from mining.sources.graphql import LARGEST
from mining.sources.stackoverflow import PAGE_SIZE

# Rough shares, for the estimate alone: how many threads have comments, how many comments
# they have, how many pull requests lie between a repository's issues, and how many of
# several terms find a thread.
COMMENTED, COMMENTS_EACH, PULLS_EACH, HITS_EACH = 0.8, 4, 1.5, 1.4
SECONDS = {"search": 1.0, "core": 0.6, "graphql": 2.5, "stackexchange": 0.7}
PER_MINUTE = {"search": (30, 10)}
PER_HOUR = {"core": (5000, 60), "graphql": (5000, 0)}
PER_DAY = {"stackexchange": (10000, 300)}


@dataclass
class Forecast:
    """What one source will take.

    Attributes
    ----------
    threads : int
        Known or estimated; ``basis`` says which.
    requests : dict
        Bucket -> number.
    """

    source: str
    way: str
    threads: int
    basis: str
    requests: dict = field(default_factory=dict)


def github(source, way, token, threads, terms, basis):
    """Forecast for a repository.

    >>> from mining.selection.definition import GitHubSource
    >>> github(GitHubSource("o/r"), "list", True, 1000, 0, "x").requests
    {'graphql': 20}
    """
    need = {}
    if way == "search":
        need["core"] = 1
        # Every term costs a request at least, and each request repeats the last hit of the
        # one before. A thread is found by more than one of several terms.
        hits = threads * (HITS_EACH if terms > 1 else 1)
        need["search"] = max(terms, 1) * (2 if hits > 100 * max(terms, 1) else 1) - 1 + max(
            1, ceil((hits - 1) / 99))
        if token:
            need["graphql"] = ceil(threads / LARGEST)
        else:
            need["core"] += ceil(threads * COMMENTED)
    elif token:
        need["graphql"] = ceil(threads / LARGEST)
    else:
        listed = threads * (1 + PULLS_EACH)
        if source.with_labels:
            need["core"] = 1 + ceil(threads / 100) + ceil(threads * COMMENTED)
        else:
            need["core"] = 1 + ceil(listed / 98) + ceil(listed * COMMENTS_EACH / 98)
    return Forecast(source.id, way, threads, basis, need)


def stackoverflow(source, threads, basis):
    """Forecast for a tag: each request repeats the last question of the one before.

    >>> from mining.selection.definition import StackOverflowSource
    >>> stackoverflow(StackOverflowSource("keras"), 1000, "x").requests
    {'stackexchange': 12}
    """
    pages = max(1, ceil((threads - 1) / (PAGE_SIZE - 1)))
    return Forecast(source.id, "list", threads, basis,
                    {"stackexchange": 1 + pages})


def total(forecasts):
    """Requests by bucket over all sources."""
    summed = {}
    for forecast in forecasts:
        for bucket, n in forecast.requests.items():
            summed[bucket] = summed.get(bucket, 0) + n
    return summed


def minutes(requests, github_token, stackexchange_key):
    """Minutes for the requests, quotas and their windows included.

    Parameters
    ----------
    requests : dict
        Bucket -> number.
    github_token, stackexchange_key : bool
        Whether there is one.

    Returns
    -------
    dict
        Bucket -> minutes. Within a quota the speed of the answers counts; beyond it, the
        wait for the next hour or day.

    Examples
    --------
    >>> minutes({"core": 150}, False, False)
    {'core': 121.5}
    """
    spent = {}
    for bucket, n in requests.items():
        keyed = stackexchange_key if bucket == "stackexchange" else github_token
        column = 0 if keyed else 1
        time = n * SECONDS[bucket] / 60
        if bucket in PER_MINUTE:
            time = max(time, (n - 1) / PER_MINUTE[bucket][column])
        for table, window in ((PER_HOUR, 60), (PER_DAY, 1440)):
            quota = table.get(bucket, (0, 0))[column]
            if quota:
                time += (max(n, 1) - 1) // quota * window
        spent[bucket] = round(time, 1)
    return spent


LINE_EVERY = 10.0
WAIT_LINE_EVERY = 60.0
COUNT_EVERY = 0.2


class Progress:
    """How many threads are read, of how many known.

    On a terminal this is a tqdm bar on stderr; in a log file it is one line every ten
    seconds, so that a nightly run leaves a readable trace.
    """

    def __init__(self, label, total=None, unit="thread"):
        self.label, self.unit = label, unit
        self.terminal = sys.stderr.isatty()
        # A terminal that tells no size (some recorders) would get a bar of no size.
        size = shutil.get_terminal_size((100, 24))
        self.bar = tqdm(total=total, desc=label, unit=f" {unit}s", file=sys.stderr,
                        disable=not self.terminal, ncols=size.columns,
                        nrows=size.lines)
        self.last_line, self.last_count = time.monotonic(), 0.0
        self.done, self.total = 0, total

    def due(self):
        """Whether it is time to count again: counting costs more than showing."""
        now = time.monotonic()
        if now - self.last_count < COUNT_EVERY:
            return False
        self.last_count = now
        return True

    def update(self, done, total=None, note=""):
        """Show ``done`` of ``total`` (None: nobody knows); ``note`` says what goes on."""
        self.done, self.total = done, total
        if self.terminal:
            self.bar.total = self.total
            self.bar.n = done
            self.bar.set_postfix_str(note, refresh=False)
            self.bar.refresh()
        elif time.monotonic() - self.last_line >= LINE_EVERY:
            self.last_line = time.monotonic()
            self._line(note)

    def note(self, text):
        """Show a wait without moving the bar; in a log file, once a minute."""
        if self.terminal or time.monotonic() - self.last_line >= WAIT_LINE_EVERY:
            self.update(self.done, self.total, text)

    def _line(self, note):
        of = f" of {self.total}" if self.total else ""
        tail = f" ({note})" if note else ""
        print(f"{self.label}: {self.done}{of} {self.unit}s{tail}", file=sys.stderr, flush=True)

    def close(self):
        self.bar.close()


def wrap(iterable, label, total):
    """An iterator with a bar that appears only where it takes longer than two seconds."""
    return tqdm(iterable, desc=label, total=total, delay=2, file=sys.stderr,
                disable=not sys.stderr.isatty(), leave=False)
