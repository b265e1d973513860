"""The commands behind the command line, one function each."""

import contextlib
import csv
from pathlib import Path

from mining import planning, reporting
from mining import workplace as place
from mining.errors import MiningError, Stopped
from mining.mine import mine, miners, open_window, progress_of, progress_of_source, window
from mining.progress import Progress, wrap
from mining.selection import sampling
from mining.selection.definition import load
from mining.store import drift as drifting
from mining.store import export as exporting
from mining.store import manifest
from mining.store.store import Store
from mining.transport.client import Client
from mining.transport.clock import iso
from mining.transport.credentials import Credentials
from mining.transport.wire import Wire


def plan(chosen, clock, environment):  # noqa: ARG001
    """Print what a run will take; nothing is sent."""
    definition = place.with_way(load(chosen.name), chosen.way)
    credentials = Credentials.from_environment(environment)
    forecasts = list(_forecasts(definition, chosen, bool(credentials.github_token)))
    reporting.forecast(definition.title, forecasts, credentials)
    reporting.tokens(credentials)


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
        reporting.tokens(credentials)
        stopped = None
        try:
            _mine(store, definition, clock, credentials, chosen)
        except Stopped as stop:
            # What came so far is worth a snapshot; the reason is told after it.
            stopped = stop
        sources = place.summaries(store, definition, credentials)
        result = place.derive(store, definition, sources)
        reporting.result(result, folder, chosen)
        if stopped:
            raise stopped
    wrong = list(reporting.troubles(result, definition))
    for sentence in wrong:
        print(f"Not whole: {sentence}.")
    return 4 if wrong else 0


def status(chosen, clock, environment):
    """Print what is there, what is left, and the waits that stand."""
    folder = place.existing(chosen)
    credentials = Credentials.from_environment(environment)
    with place.open_store(folder, reading=True) as store:
        definition = place.as_begun(store, load(chosen.name))
        print(f"{definition.title}: {folder}")
        print(f"  window {reporting.window(store)}; {store.count('answer')} answers stored")
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
    """Write the snapshot as tables."""
    folder = place.existing(chosen, snapshot=True)
    target = Path(chosen.out) if chosen.out else folder / "export"
    written = exporting.export(
        folder / "snapshot", target, chosen.format, chosen.all,
        lambda source, name: wrap(source, f"export {name}", None))
    for name, n in written.items():
        print(f"{target / name}: {n} rows")


def replay(chosen, clock, environment):  # noqa: ARG001
    """Rebuild the snapshot; nothing is sent, so the environment is not even read."""
    folder = place.existing(chosen)
    with place.open_store(folder, reading=True) as store:
        definition = place.as_begun(store, load(chosen.name))
        sources = place.summaries(store, definition, Credentials())
        result = place.derive(store, definition, sources, chosen.reading)
        reporting.result(result, folder, chosen)


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
        sources = place.summaries(store, now, credentials)
        place.derive(store, now, sources)
        renamed = {s["asked"].lower(): s["name"] for s in sources if s["id"][:3] == "gh:"}
        changes = drifting.compare(folder / "snapshot", target / "snapshot", renamed)
        tally = drifting.write(target / drifting.DONE, changes)
    print(f"{len(items)} threads compared: "
          + (", ".join(f"{n} {kind}" for kind, n in tally.items()) or "no change"))
    for asked, name in renamed.items():
        if asked != name.lower():
            print(f"  repository {asked} is now {name}")
    print(target / drifting.DONE)


def sample(chosen, clock, environment):  # noqa: ARG001
    """Draw a seeded sample of the candidates."""
    folder = place.existing(chosen, snapshot=True)
    drifting.items_of(folder / "snapshot")  # says so where there is no snapshot yet
    path = folder / "snapshot" / "threads.jsonl"
    drawn, report = sampling.draw(exporting.rows(path), chosen.n, chosen.margin, chosen.seed,
                                  chosen.by)
    order = {item: i for i, item in enumerate(drawn, 1)}
    picked = sorted((r for r in exporting.rows(path) if r["item"] in order),
                    key=lambda r: order[r["item"]])
    target = Path(chosen.out) if chosen.out else folder / "sample.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    with exporting.aside(target) as new, new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("order", "stratum", *exporting.THREAD_COLUMNS))
        for row in picked:
            cells = (exporting.flat(row[c]) for c in exporting.THREAD_COLUMNS)
            writer.writerow([order[row["item"]], sampling.stratum_of(row, chosen.by),
                             *map(exporting.neutral, cells)])
    report["snapshot_sha256"] = exporting.sums(path.parent)  # compared while reading
    manifest.save(target.with_suffix(".json"), report)
    print(f"{report['n']} of {report['population']} candidates, seed {report['seed']}; "
          f"margin ±{100 * report['margin_95']:.1f} % at 95 % (p = 0.5)")
    for name, part in report["strata"].items():
        print(f"  {name}: {part['n']} of {part['population']}")
    print(target)


def _mine(store, definition, clock, credentials, chosen):
    """Take steps with a progress bar until nothing is left or something stops it."""
    limit = getattr(chosen, "limit", None)
    bar = Progress(definition.name)
    client = Client(Wire(credentials), clock, store, chosen.patience * 60,
                    lambda note: bar.note(note))

    def tick(miner):
        nonlocal bar
        if bar.label != miner.id:
            bar.close()
            bar = Progress(miner.id)
        elif bar.due():
            read, total, found = progress_of_source(store, miner)
            note = f", {found} found so far" if found > read else ""
            bar.update(read, limit or total, f"{client.requests} requests{note}")

    try:
        todo = miners(store, definition, client.wire, getattr(chosen, "platform", None), limit)
        for number, miner in enumerate(todo):
            miner.begin(number)
        mine(todo, client, store, tick)
    finally:
        bar.close()


def _forecasts(definition, chosen, token):
    known = place.known_counts(place.folder_of(chosen))
    limit = chosen.limit or 10**9
    for source in definition.github if chosen.platform in (None, "github") else ():
        way = source.way
        if way == "auto":
            way = "search" if source.keywords or chosen.since else "list"
        threads, basis = _expected(source, known)
        terms = len(definition.keywords.terms) if source.keywords else 1
        yield planning.github(source, way, token, min(threads, limit), terms, basis)
    for source in definition.stackoverflow if chosen.platform in (None, "stackoverflow") else ():
        threads, basis = _expected(source, known)
        yield planning.stackoverflow(source, min(threads, limit), basis)


def _expected(source, known):
    if source.id in known:
        return known[source.id], "counted earlier"
    return source.estimate, "rough guess"
