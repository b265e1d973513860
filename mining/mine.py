"""Run a definition to its end: sources in order, one committed answer after the other."""

import re

from mining import VERSION
from mining.errors import MiningError, Stopped, StoreError
from mining.sources.github import GitHubMiner
from mining.sources.stackoverflow import StackOverflowMiner
from mining.transport.client import take
from mining.transport.clock import from_iso, iso

PLATFORMS = ("github", "stackoverflow")
# One key of a thread, as in notebooks/study: tests/thread_links.csv holds both to it.
_GITHUB = re.compile(
    r"(?:https?://)?(?:www\.|api\.)?github\.com/(?:repos/)?(?P<repo>[\w.-]+/[\w.-]+)/"
    r"(?P<kind>issues|pull|pulls)/(?P<n>\d+)(?:[/?#].*)?", re.I)
_STACK_OVERFLOW = re.compile(
    r"(?:https?://)?(?:www\.)?stackoverflow\.com/(?:questions|q)/(?P<n>\d+)(?:[/?#].*)?", re.I)
_KEY = re.compile(r"gh:(?P<repo>[\w.-]+/[\w.-]+)#(?P<n>\d+)|so:(?P<so>\d+)", re.I)
_ANSWER = re.compile(r"(?:https?://)?(?:www\.)?stackoverflow\.com/a/\d+.*", re.I)


def thread_key(link):
    """The key of a thread; MiningError says why a link names none.

    >>> thread_key("https://www.github.com/Horovod/horovod/issues/007#issuecomment-1")
    'gh:horovod/horovod#7'
    """
    text = link.strip().rstrip(".")
    if match := _KEY.fullmatch(text):
        so, n = match["so"], match["n"]
        return f"so:{int(so)}" if so else f"gh:{match['repo'].lower()}#{int(n)}"
    if match := _GITHUB.fullmatch(text):
        return f"gh:{match['repo'].lower()}#{int(match['n'])}"
    if match := _STACK_OVERFLOW.fullmatch(text):
        return f"so:{int(match['n'])}"
    if _ANSWER.fullmatch(text):
        raise MiningError("links to an answer; give the question's address")
    raise MiningError("names no GitHub issue or Stack Overflow question")


def open_window(store, definition, clock, credentials, since=None, until=None, items=None,
                way=None):
    """Freeze what a store holds at its first run, and compare at every later one.

    ``since`` and ``until`` are from :func:`window`; ``until`` defaults to the first run's time,
    so that a resumed run asks for the same threads. With ``items`` (thread keys) these and
    nothing else are mined; ``way`` is how threads are found on GitHub, where not as defined. A
    test server's threads must not mix with real ones, hence the ``credentials``.

    Raises StoreError where the store was begun with another definition or window.
    """
    if store.get("name") is None:
        begun = {"name": definition.name, "since": since,
                 "until": int(clock.now()) if until is None else until, "begun": clock.now(),
                 "fingerprint": definition.fingerprint, "version": VERSION, "items": items,
                 "way": way, "public": credentials.are_public}
        with store.transaction():
            for key, value in begun.items():
                store.set(key, value)
        return
    if store.get("public") != credentials.are_public:
        raise StoreError(f"{store.folder}: mined from {_whose(store.get('public'))}, and the "
                         f"addresses now name {_whose(credentials.are_public)}; delete the "
                         "folder, or give another --store")
    if store.get("fingerprint") != definition.fingerprint:
        raise StoreError(f"{definition.path}: the sources differ from those {store.folder} "
                         "was begun with; give another --store, or undo the change")
    for key, value in (("since", since), ("until", until), ("way", way), ("items", items)):
        stored = store.get(key)
        if value is not None and value != stored:
            begun = {"way": stored or "the definition's", "items": "other threads"}.get(key) or (
                "open" if stored is None else iso(stored))
            raise StoreError(f"--{key}: {store.folder} was begun with {begun}; leave the option "
                             "out to go on, or give another --store")


# A search learns what changed some minutes late.
LATE = 900


def begin_update(store, all_miners, clock, until=None):
    """Move the end of a finished corpus' window, and look for what changed since it was read.

    ``until`` is the new end, now where not given. Raises StoreError where the corpus is not
    finished, holds listed threads, or reaches as far already.
    """
    end, now = store.get("until"), int(clock.now())
    if store.get("updating"):
        if until not in (None, end):
            raise StoreError(f"--until: this update was begun with {iso(end)}; leave it out")
        return
    if store.get("items"):
        raise StoreError(f"{store.folder}: holds listed threads, not a window; `drift` tells what "
                         "changed in them")
    if any(s["left"] or s["state"] not in ("found", "refused")
           for s in (m.summary() for m in all_miners)):
        raise StoreError(f"{store.folder}: not finished; `python -m mining run {store.get('name')}"
                         "` first")
    if (until or now) <= end:
        raise StoreError(f"--until: {store.folder} reaches to {iso(end)}; give a later day")
    changed = max(int(min(store.get("begun", 0), end)) - LATE, 0)
    begun = {"updating": True, "round": store.get("round", 0) + 1, "until": until or now,
             "begun": now, "ends": [*store.get("ends", []), end]}
    with store.transaction():
        for key, value in begun.items():
            store.set(key, value)
        for miner in all_miners:
            miner.begin_update(changed)


def window(since, until, clock):
    """The two ends of a window as seconds since the epoch, both included; None for open.

    They come as ISO days or times, UTC. Raises MiningError where one cannot be read, or they
    are the wrong way round.
    """
    since, until = _time(since, "--since"), _time(until, "--until", last=True)
    if since is not None and since > (clock.now() if until is None else until):
        raise MiningError("--since is later than --until (or than now); correct them")
    return since, until


def _whose(public):
    return "the public APIs" if public else "other servers (GITHUB_API_URL and the like)"


def _time(text, option, last=False):
    if text is None:
        return None
    try:
        seconds = from_iso(text)
    except ValueError:
        raise MiningError(f"{option} {text}: not a day (2021-06-30) or a time "
                          "(2021-06-30T12:00:00Z)") from None
    return seconds + 86399 if last and len(text.strip()) == 10 else seconds


def read_items(lines):
    """Thread keys of a list of addresses or keys, sorted, without doubles.

    Anything after a comma is left alone, so the study's own csv works as it is. A first line
    without a digit, a colon or a slash is a heading. Raises MiningError with the lines that
    name no thread, or a pull request, and why.

    >>> read_items(["question,tags", "https://stackoverflow.com/questions/7,<keras>",
    ...             "https://github.com/horovod/horovod/issues/5"])
    ['gh:horovod/horovod#5', 'so:7']
    """
    found, wrong = set(), []
    for number, line in enumerate(lines, 1):
        link = line.strip().split(",")[0].strip().strip('"')
        if not link or (number == 1 and not re.search(r"[\d:/]", link)):
            continue
        match = _GITHUB.fullmatch(link)
        try:
            if match and match["kind"].lower() != "issues":
                raise MiningError("is a pull request, no issue")
            found.add(thread_key(link))
        except MiningError as error:
            wrong.append(f"line {number}: {link[:60]!r} {error}")
    if wrong:
        more = f"; and {len(wrong) - 3} more lines" if len(wrong) > 3 else ""
        raise MiningError(f"--items, {'; '.join(wrong[:3])}{more}")
    if not found:
        raise MiningError("--items: the file names no thread")
    return sorted(found)


def miners(store, definition, wire, platform=None, limit=None):
    """The miners of a definition, GitHub first; :meth:`begin` enters them into the frontier."""
    items, made = store.get("items"), []
    if platform in (None, "github"):
        for source in definition.github:
            terms = definition.keywords.terms if source.keywords and source.way != "list" else ()
            prefix = f"gh:{source.repository}#".lower()
            numbers = None if items is None else [
                int(i.split("#")[1]) for i in items if i.lower().startswith(prefix)]
            made.append(GitHubMiner(source, store, wire, terms, limit, numbers))
    if platform in (None, "stackoverflow"):
        for place, source in enumerate(definition.stackoverflow):
            # A list of questions is mined once, not once for every tag.
            numbers = None if items is None else [
                int(i[3:]) for i in items if i.startswith("so:") and place == 0]
            made.append(StackOverflowMiner(
                source, store, wire.base("stackexchange"), limit, numbers))
    return made


def mine(all_miners, client, store, tick):
    """Take steps until no miner has one left; ``tick(miner)`` after every committed answer.

    Where one platform must wait too long, the other is still mined to its end. Raises Stopped
    and MiningError with everything received so far already stored.
    """
    stopped = {}
    for miner in all_miners:
        if miner.platform in stopped:
            continue
        try:
            while (step := miner.next_step()) is not None:
                take(step, client, store)
                tick(miner)
        except Stopped as stop:
            stopped[miner.platform] = stop
    if stopped:
        raise Stopped("; ".join(map(str, stopped.values())))


def progress_of(store):
    """Threads known and read so far, by platform."""
    counts = {}
    for miner in (GitHubMiner, StackOverflowMiner):
        # GLOB, unlike LIKE, is answered from the index.
        states = dict(store.db.execute("SELECT state, count(*) FROM thread WHERE source GLOB ? "
                                       "AND state<>'pr' GROUP BY state", (f"{miner.key}:*",)))
        known = sum(states.values())
        left = sum(states.get(state, 0) for state in miner.unread)
        counts[miner.platform] = {"read": known - left, "known": known}
    return counts
