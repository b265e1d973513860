"""Cut a search whose hits exceed what the API hands out into slices of creation time.

GitHub serves the first 1,000 results of a search, whatever ``total_count`` says. Creation
times have a resolution of one second, so closed ranges ``[a, b]`` and ``[b+1, c]`` share
nothing and leave nothing out. Pure functions; what is stored lies in ``github_search``.
"""

from itertools import pairwise
from math import ceil

from mining.transport.clock import iso

CAP = 1000
PER_PAGE = 100
# A slice is aimed below the cap, because threads are not spread evenly within it.
AIM = 800
MOST_PARTS = 64
# Orders that together show more of a second that holds more than the cap.
SORTS = ("created-asc", "created-desc", "updated-asc", "updated-desc",
         "comments-asc", "comments-desc")


def split(since, until, total, first=None):
    """Divide a range that holds ``total`` hits.

    Parameters
    ----------
    since, until : int
        Seconds since the epoch, both included.
    total : int
        Hits the API counts in the range.
    first : int, optional
        Creation time of the earliest hit; the empty stretch before it is not cut up.

    Returns
    -------
    list of (int, int)
        Disjoint closed ranges that cover ``since`` to ``until``, in order. A range of
        one second comes back whole.

    Examples
    --------
    >>> split(0, 99, 1600)
    [(0, 49), (50, 99)]
    >>> split(7, 7, 5000)
    [(7, 7)]
    """
    start = since if first is None else min(max(since, first), until)
    span = until - start + 1
    parts = min(max(2, ceil(total / AIM)), MOST_PARTS, span)
    edges = [since] + [start + span * k // parts for k in range(1, parts)] + [until + 1]
    edges = sorted(set(edges))
    if len(edges) == 2 and since < until:
        edges.insert(1, (since + until) // 2 + 1)
    return [(a, b - 1) for a, b in pairwise(edges)]


def pages(total):
    """Pages of 100 the API will serve for ``total`` hits.

    >>> pages(0), pages(100), pages(101), pages(5000)
    (0, 1, 2, 10)
    """
    return ceil(min(total, CAP) / PER_PAGE)


def agrees(seen, totals):
    """Every count the API gave equals the number of different threads seen.

    >>> agrees(7, [7, 7]), agrees(105, [105, 117])
    (True, False)
    """
    return all(total == seen for total in totals)


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
