"""The command line: ``python -m mining COMMAND NAME``."""

import argparse
import contextlib
import signal
import sqlite3
import sys
import tempfile
from pathlib import Path

from mining import planning
from mining import workplace as place
from mining.errors import MiningError, Stopped, StoreError
from mining.mine import PLATFORMS, begin_update, mine, miners, open_window, progress_of, window
from mining.planning import Progress, wrap
from mining.selection import sampling
from mining.selection.definition import load, names
from mining.store import drift as drifting
from mining.store import export as exporting
from mining.store import snapshot
from mining.store.store import FILE, Store
from mining.transport.client import Client
from mining.transport.clock import Clock, iso
from mining.transport.wire import GITHUB_URL, STACKEXCHANGE_URL, Credentials, Wire

EPILOG = """\
From whole dumps instead of the APIs: ingest and choose (mining/bulk/README.md).

Tokens are read from the environment only: GITHUB_TOKEN, STACKEXCHANGE_KEY,
STACKEXCHANGE_TOKEN. Without them everything works, slower. mining/README.md says how to
get them, what they cost, and what the licences of the mined text allow."""


def parser():
    """The argument parser, one sub-command an act."""
    top = argparse.ArgumentParser(prog="python -m mining", epilog=EPILOG,
                                  formatter_class=argparse.RawDescriptionHelpFormatter,
                                  description="Mine issue threads of a framework.")
    acts = top.add_subparsers(dest="act", required=True, metavar="COMMAND")

    def act(name, text):
        sub = acts.add_parser(name, help=text, description=text)
        sub.add_argument("name", metavar="NAME",
                         help=f"a definition: {', '.join(names())}; or a .toml file")
        sub.add_argument("--store", metavar="DIR",
                         help="folder of the corpus (default: data/raw/mining/NAME)")
        return sub

    sub = act("plan", "requests, quota and minutes a run will take; sends nothing")
    _scope(sub)
    sub = act("run", "mine; the same command goes on where an earlier one stopped")
    _scope(sub)
    sub.add_argument("--items", metavar="FILE",
                     help="mine these threads only: one address or key a line")
    _patience(sub)
    sub = act("update", "bring a finished corpus up to a later day by what changed since")
    sub.add_argument("--until", metavar="DAY", help="created on or before (default: now)")
    _patience(sub)
    act("status", "what is there, what is left, and which waits stand")
    sub = act("export", "the snapshot as tables: threads and comments")
    sub.add_argument("--format", choices=exporting.FORMATS, default="csv")
    sub.add_argument("--out", metavar="DIR", help="default: export below the store")
    sub.add_argument("--all", action="store_true", help="threads that are no candidates too")
    sub.add_argument("--raw", action="store_true",
                     help="the stored answers as they came, as JSON lines, instead")
    _long(sub)
    sub = act("replay", "rebuild the snapshot from the stored answers; sends nothing")
    sub.add_argument("--reading", choices=("intention", "script"), default="intention",
                     help="of the keyword filter: what the study describes, or what its "
                          "script does (default: %(default)s)")
    sub = act("drift", "what changed since: edited, deleted, transferred, relabelled")
    sub.add_argument("--all", action="store_true", help="threads that are no candidates too")
    _patience(sub)
    sub = act("sample", "a seeded sample of the candidates, for labelling")
    size = sub.add_mutually_exclusive_group(required=True)
    size.add_argument("--n", type=int, help="size of the sample")
    size.add_argument("--margin", type=float, help="margin of error at 95 %%, such as 0.05")
    sub.add_argument("--seed", type=int, default=0)
    sub.add_argument("--by", choices=sampling.BY, help="stratify in proportion")
    sub.add_argument("--out", metavar="FILE", help="default: sample.csv below the store")
    _long(sub)
    return top


def _long(sub):
    sub.add_argument("--long", choices=exporting.LONG, default="keep",
                     help=f"what csv does with cells of more than {exporting.CELL:,} characters, "
                          "which a spreadsheet cannot hold (default: %(default)s)")


def _patience(sub):
    sub.add_argument("--patience", type=float, default=65, metavar="MINUTES",
                     help="longest wait that is slept through (default: %(default)s); a longer "
                          "one stops, to be resumed by the same command")


def _scope(sub):
    sub.add_argument("--since", metavar="DAY", help="created on or after (default: the first)")
    sub.add_argument("--until", metavar="DAY", help="created on or before (default: now)")
    sub.add_argument("--platform", choices=PLATFORMS, help="one of the two only")
    sub.add_argument("--limit", type=_positive, metavar="N",
                     help="stop after about N threads a platform, oldest first; a later run "
                          "without it goes on from there")
    sub.add_argument("--way", choices=("search", "list"),
                     help="how threads are found on GitHub (default: as defined)")


def main(arguments, clock=None, environment=None):
    """Run one command.

    Returns
    -------
    int
        0 done, 2 something to correct, 3 stopped by a limit and resumable, 4 done but not
        whole (the sentences say what is missing and what helps), 130 Ctrl-C.
    """
    chosen = parser().parse_args(arguments)
    again = " ".join(["python -m mining", *(f'"{a}"' if " " in a else a for a in arguments)])
    with contextlib.suppress(ValueError):  # not in the main thread, as in the tests
        # A batch system's polite kill and a closed terminal are answered like Ctrl-C.
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        return COMMANDS[chosen.act](chosen, clock or Clock(), environment) or 0
    except KeyboardInterrupt:
        _say(f"mining: stopped; what came is kept. Go on with: {again}")
        return 130
    except Stopped as stop:
        _say(f"mining: {stop}. Go on with: {again}")
        return stop.exit_code
    except MiningError as error:
        _say(f"mining: {error}")
        return error.exit_code
    except sqlite3.Error as error:
        _say(f"mining: the store: {error}; what came is kept. Make room, or restore the file "
             f"from a copy where it is damaged. Go on with: {again}")
    except OSError as error:
        _say(f"mining: {error.filename or 'system'}: {error.strerror or error}; what came is "
             f"kept. Put it right. Go on with: {again}")
    return 2


def _positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _say(text):
    print(text, file=sys.stderr, flush=True)


# What the commands do ---------------------------------------------------------------


def plan(chosen, clock, environment):
    """Print what a run will still take; nothing is sent."""
    definition, folder = load(chosen.name), place.folder_of(chosen)
    credentials = Credentials.from_environment(environment)
    span = window(chosen.since, chosen.until, clock)
    with tempfile.TemporaryDirectory() as empty:
        begun = (folder / FILE).exists()
        with place.open_store(folder) if begun else Store(empty) as store:
            open_window(store, definition, clock, credentials, *span, way=chosen.way)
            definition = place.as_begun(store, definition)
            forecasts = [planning.ahead(miner) for miner in miners(
                store, definition, Wire(credentials), chosen.platform, chosen.limit)]
    say_forecast(definition.title, forecasts, credentials)
    say_tokens(credentials)


def run(chosen, clock, environment):
    """Mine, then derive the snapshot and print a summary."""
    definition, folder = load(chosen.name), place.folder_of(chosen)
    # Everything that can be wrong with the command is looked at before a file is made.
    items = place.items_in(chosen.items)
    since, until = window(chosen.since, chosen.until, clock)
    credentials = Credentials.from_environment(environment)
    with place.open_store(folder) as store:
        open_window(store, definition, clock, credentials, since, until, items, chosen.way)
        definition = place.as_begun(store, definition)
        no_update(store, chosen)
        say_tokens(credentials)
        stopped = None
        try:
            _mine(store, definition, clock, credentials, chosen)
        except Stopped as stop:
            # What came so far is worth a snapshot; the reason is told after it.
            stopped = stop
        result = place.derive(store, definition, credentials)
        say_result(result, folder, chosen)
        if stopped:
            raise stopped
    return say_troubles(result, definition)


def update(chosen, clock, environment):
    """Bring a finished corpus up to a later day by what changed since, and report that."""
    definition, folder = load(chosen.name), place.existing(chosen)
    _, until = window(None, chosen.until, clock)
    credentials = Credentials.from_environment(environment)
    with place.open_store(folder) as store:
        open_window(store, definition, clock, credentials)
        definition = place.as_begun(store, definition)
        next(drifting.items_of(folder / "snapshot"), "")  # says so where it is missing or damaged
        begun = [m for m in miners(store, definition, Wire(credentials)) if m.row()]
        begin_update(store, begun, clock, until)
        say_tokens(credentials)
        _mine(store, definition, clock, credentials, chosen, {m.id for m in begun})
        report = folder / "changes" / f"{store.get('round'):03d}.csv"
        result = place.derive(store, definition, credentials, changes=report)
        say_result(result, folder, chosen)
        since = iso(store.get("ends")[-1])
    say_changes(f"Since {since}", report)
    return say_troubles(result, definition)


def no_update(store, chosen):
    """StoreError while an update is under way: it alone knows what changed."""
    if store.get("updating"):
        raise StoreError(f"{store.folder}: an update is under way; go on with "
                         f"`python -m mining update {chosen.name}`")


def status(chosen, clock, environment):
    """Print what is there, what is left, and the waits that stand."""
    folder = place.existing(chosen)
    credentials = Credentials.from_environment(environment)
    with place.open_store(folder, reading=True) as store:
        definition = place.as_begun(store, load(chosen.name))
        since, until = store.get("since"), iso(store.get("until"))
        print(f"{definition.title}: {folder}\n  window "
              f"{'the first thread' if since is None else iso(since)} to {until}; "
              f"{store.count('answer')} answers stored")
        for summary in place.summaries(store, definition, credentials):
            mark = f"; {summary['mark']}" if summary["mark"] else ""
            slices = "".join(f", {n} slices {state}" for state, n in
                             summary.get("slices", {}).items())
            print(f"  {summary['id']}: {summary['state']}, {summary['left']} threads left"
                  f"{slices}{mark}")
        for platform, counts in progress_of(store).items():
            print(f"  {platform}: {counts['read']} of {counts['known']} known threads read")
        addresses = (credentials.github_url, credentials.stackexchange_url)
        for until, reason in store.waits.standing(clock.now(), addresses):
            print(f"  waiting until {iso(until)}: {reason}")
        for row in store.db.execute("SELECT rule, count(*) AS n FROM event GROUP BY rule"):
            print(f"  {row['n']} x {row['rule']}")


def export(chosen, clock, environment):  # noqa: ARG001
    """Write the snapshot as tables, or the stored answers."""
    folder = place.existing(chosen, snapshot=not chosen.raw)
    target = Path(chosen.out or folder / "export")
    if chosen.raw:
        with place.open_store(folder, reading=True) as store:
            n = exporting.raw(store, target, wrap)
        print(f"{target / 'raw.jsonl'}: {n} answers")
        return
    written, found = exporting.export(folder / "snapshot", target, chosen.format, chosen.all,
                                      wrap, chosen.long)
    for name, n in written.items():
        print(f"{target / name}: {n} rows")
    say_long(found, chosen.long)


def replay(chosen, clock, environment):  # noqa: ARG001
    """Rebuild the snapshot; nothing is sent, so the environment is not even read."""
    folder = place.existing(chosen)
    with place.open_store(folder, reading=True) as store:
        no_update(store, chosen)
        definition = place.as_begun(store, load(chosen.name))
        result = place.derive(store, definition, Credentials(), chosen.reading)
        say_result(result, folder, chosen)


def drift(chosen, clock, environment):
    """Ask for the snapshot's threads again and list what changed."""
    definition, folder = load(chosen.name), place.existing(chosen)
    items = sorted(drifting.items_of(folder / "snapshot", chosen.all))
    if not items:
        raise MiningError(f"{folder}: no thread to compare; use --all for those that are no "
                          "candidates")
    target = drifting.folder_of(folder)
    credentials = Credentials.from_environment(environment)
    now = drifting.for_items(definition, items)
    with place.open_store(target) as store, contextlib.ExitStack() as stack:
        open_window(store, definition, clock, credentials, items=items)
        before = target.with_name(f"{int(target.name) - 1:03d}")
        if before.is_dir():
            # What did not change since the last comparison costs no budget.
            store.earlier = stack.enter_context(Store(before, reading=True))
        _mine(store, now, clock, credentials, chosen)
        renamed = drifting.renamed(place.derive(store, now, credentials)["sources"])
        changes = drifting.compare(folder / "snapshot", target / "snapshot", renamed)
        drifting.write(target / drifting.DONE, changes)
    for asked, name in renamed.items():
        if asked != name.lower():
            print(f"  repository {asked} is now {name}")
    say_changes(f"{len(items)} threads compared", target / drifting.DONE)


def sample(chosen, clock, environment):  # noqa: ARG001
    """Draw a seeded sample of the candidates."""
    folder = place.existing(chosen, snapshot=True)
    path = folder / "snapshot" / "threads.jsonl"
    drawn, report = sampling.draw(exporting.rows(path), chosen.n, chosen.margin, chosen.seed,
                                  chosen.by)
    order = {item: i for i, item in enumerate(drawn, 1)}
    picked = [{"order": order[r["item"]], "stratum": sampling.stratum_of(r, chosen.by), **r}
              for r in exporting.rows(path) if r["item"] in order]
    picked.sort(key=lambda r: r["order"])
    target = Path(chosen.out or folder / "sample.csv")
    target.parent.mkdir(parents=True, exist_ok=True)
    found = []
    with exporting.aside(target) as new:
        exporting.write_csv(new, ("order", "stratum", *exporting.THREAD_COLUMNS), picked,
                            chosen.long, found)
    report["snapshot_sha256"] = exporting.sums(path.parent)  # compared while reading
    snapshot.save(target.with_suffix(".json"), report)
    print(f"{report['n']} of {report['population']} candidates, seed {report['seed']}; "
          f"margin ±{100 * report['margin_95']:.1f} % at 95 % (p = 0.5)")
    for name, part in report["strata"].items():
        print(f"  {name}: {part['n']} of {part['population']}")
    print(target)
    say_long(found, chosen.long)


def _mine(store, definition, clock, credentials, chosen, only=None):
    """Take steps with a progress bar until nothing is left or something stops it."""
    bar = Progress(definition.name)
    client = Client(Wire(credentials), clock, store, chosen.patience * 60, bar.note)
    todo = [m for m in miners(store, definition, client.wire, getattr(chosen, "platform", None),
                              getattr(chosen, "limit", None)) if only is None or m.id in only]

    def tick(miner):
        if bar.due():
            left = sum(planning.total(map(planning.ahead, todo)).values())
            read, known = progress_of(store)[miner.platform].values()
            bar.update(client.requests, client.requests + left,
                       f"{miner.id}, {read} of {known} known threads read")

    with contextlib.closing(bar):
        for number, miner in enumerate(todo):
            miner.begin(number)
        mine(todo, client, store, tick)


COMMANDS = {c.__name__: c for c in (plan, run, update, status, export, replay, drift, sample)}


# What they print for people ---------------------------------------------------------


def say_tokens(credentials):
    """Say what is slower for want of a token, and where not the public APIs are asked."""
    if not credentials.github_token:
        print("No GITHUB_TOKEN: 60 requests an hour instead of 5,000, and 10 searches a "
              "minute instead of 30.")
    if not (credentials.stackexchange_key or credentials.stackexchange_token):
        print("No STACKEXCHANGE_KEY: 300 requests a day instead of 10,000.")
    for name, url, public in (
            ("GitHub", credentials.github_url, GITHUB_URL),
            ("Stack Exchange", credentials.stackexchange_url, STACKEXCHANGE_URL)):
        if url != public:
            print(f"Not the public {name} API: {url}")


def say_forecast(title, forecasts, credentials):
    """The plan: a line a source, a line a quota, and the time in all."""
    print(f"{title}: {len(forecasts)} source(s)")
    for f in forecasts:
        needs = ", ".join(f"{n} {bucket}" for bucket, n in f.requests.items())
        print(f"  {f.source:32} {f.way:7} {f.threads:>7} threads ({f.basis}): {needs}")
    token = bool(credentials.github_token)
    keyed = bool(credentials.stackexchange_key or credentials.stackexchange_token)
    requests = planning.total(forecasts)
    spent = planning.minutes(requests, token, keyed)
    for bucket, n in requests.items():
        window, quota = planning.quota(bucket, token, keyed)
        per = {1: "a minute", 60: "an hour", 1440: "a day"}[window]
        print(f"  {bucket:14} {n:>6} requests, about {duration(spent[bucket])} "
              f"(quota {quota:,} {per})")
    print(f"About {duration(sum(spent.values()))} in all. Nothing was sent.")


def say_result(manifest, folder, chosen):
    """The summary after a run or a replay."""
    print(f"{manifest['title']}: {manifest['threads']} threads, {manifest['candidates']} of them "
          f"candidates, {manifest['comments']} comments and answers, {manifest['gone']} gone")
    for reason, n in manifest["not_candidates"].items():
        print(f"  {n} no candidates: {reason}")
    if manifest["incomplete_threads"]:
        print(f"  {manifest['incomplete_threads']} with fewer comments or answers than stated")
    for source in manifest["sources"]:
        if source["state"] == "not begun":
            print(f"  {source['id']}: not begun (the other platform was asked for)")
        elif source["mark"]:
            print(f"  {source['id']}: {source['mark']}")
        for part in source.get("not_whole", []):
            print(f"  {source['id']}: {part['mark']} slice {iso(part['since'])}.."
                  f"{iso(part['until'])}: {part['seen']} seen, counts {part['counts']}")
    if not manifest["finished"]:
        print("  Not finished: the same command without --limit goes on from here.")
    elif not manifest["whole"]:
        print("  Finished, but an API did not agree with itself; see the marks above.")
    print(f"Snapshot: {folder / 'snapshot'}")
    print(f"As tables: python -m mining export {chosen.name}"
          + (f' --store "{chosen.store}"' if chosen.store else ""))


def say_changes(what, report):
    """How many changes of each kind a report holds, and where it is."""
    kinds = ", ".join(f"{n} {kind}" for kind, n in drifting.tally(report).items())
    print(f"{what}: {kinds or 'no change'}\n{report}")


def say_long(found, long):
    """Name the cells that no spreadsheet can hold, and what became of them."""
    if not found:
        return
    done = {"keep": "kept whole; --long cut or --long leave-out fits them in", "cut":
            "cut with a mark at the end", "leave-out": "left out with a mark"}[long]
    cells = ", ".join(f"{key} {column} ({size:,})" for key, column, size in found[:3])
    print(f"{len(found)} cell{'s' * (len(found) > 1)} of more than {exporting.CELL:,} characters, "
          f"which no spreadsheet can hold: {cells}{', ...' * (len(found) > 3)}; {done}")
    if long == "keep" and max(size for *_, size in found) > 131_072:
        print("Python's csv module reads them after csv.field_size_limit(2**21); without, it says "
              "\"field larger than field limit\". pandas reads them as they are.")


def say_troubles(manifest, definition):
    """Say what is missing and what helps; the exit code."""
    wrong = list(troubles(manifest, definition))
    for sentence in wrong:
        print(f"Not whole: {sentence}.")
    return 4 if wrong else 0


def troubles(manifest, definition):
    """A sentence with its remedy for each source that did not bring what was asked for."""
    tables = {s.id: s for s in (*definition.github, *definition.stackoverflow)}
    for source in manifest["sources"]:
        name, table = source["id"], tables.get(source["id"])
        if source["state"] == "refused" and source["mark"].startswith("404"):
            yield (f"{name}: no such repository, or a hidden one; correct `repository` in the "
                   "definition, or use a token that may read it")
        elif source["state"] == "refused":
            yield (f"{name}: refused ({source['mark']}); what is read so far is kept. Put it "
                   "right with the owner or the token, and run the same command again")
        elif source["mark"]:
            yield f"{name}: {source['mark']}"
        if source.get("not_whole"):
            yield (f"{name}: a search could not show all; `--way list` with another --store "
                   "gets what a search could not")
        if source["state"] == "found" and source.get("threads") == 0 and source["way"] != "ids":
            labels = getattr(table, "with_labels", ())
            if labels:
                yield (f"{name}: no thread bears {' and '.join(map(repr, labels))} in this "
                       "window; look how the repository spells the label")
            elif name.startswith("so:"):
                yield (f"{name}: no question bears this tag in this window; look how Stack "
                       "Overflow spells the tag")


def duration(minutes):
    """Minutes as people say them.

    >>> duration(0.2), duration(7), duration(130), duration(7200)
    ('1 minute', '7 minutes', '2.2 hours', '5.0 days')
    """
    if minutes < 90:
        n = max(1, round(minutes))
        return f"{n} minute{'s' * (n > 1)}"
    return f"{minutes / 60:.1f} hours" if minutes < 2880 else f"{minutes / 1440:.1f} days"
