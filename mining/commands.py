"""The commands behind the command line, one function each; they print for people."""

import csv
import json
from dataclasses import replace
from pathlib import Path

from mining import drift as drifting
from mining import export as exporting
from mining import manifest, planning, sampling
from mining.client import Client
from mining.clock import iso
from mining.credentials import Credentials
from mining.definition import ROOT, load, names
from mining.errors import MiningError, Stopped
from mining.mine import mine, miners, open_window, progress_of, read_items
from mining.progress import Progress, wrap
from mining.replay import replay as rebuild
from mining.selection import Judge
from mining.store import Store
from mining.wire import Wire

DATA = ROOT / "data" / "raw" / "mining"


def plan(chosen, clock, environment):  # noqa: ARG001
    """Print what a run will take; nothing is sent."""
    definition, folder = _with_way(load(chosen.name), chosen.way), _folder(chosen)
    credentials = Credentials.from_environment(environment)
    forecasts = list(_forecasts(definition, chosen, folder, bool(credentials.github_token)))
    print(f"{definition.title}: {len(forecasts)} source(s)")
    for f in forecasts:
        needs = ", ".join(f"{n} {bucket}" for bucket, n in f.requests.items())
        print(f"  {f.source:32} {f.way:7} {f.threads:>7} threads ({f.basis}): {needs}")
    requests = planning.total(forecasts)
    keyed = bool(credentials.stackexchange_key or credentials.stackexchange_token)
    spent = planning.minutes(requests, bool(credentials.github_token), keyed)
    for bucket, n in requests.items():
        print(f"  {bucket:14} {n:>6} requests, about {_duration(spent[bucket])}"
              f"{_quota(bucket, bool(credentials.github_token), keyed)}")
    print(f"About {_duration(sum(spent.values()))} in all. Nothing was sent.")
    _say_tokens(credentials)


def run(chosen, clock, environment):
    """Mine, then derive the snapshot and print a summary."""
    definition, folder = load(chosen.name), _folder(chosen)
    items = _items(chosen.items)
    credentials = Credentials.from_environment(environment)
    with Store(folder, _waits(chosen, folder)) as store:
        open_window(store, definition, clock, chosen.since, chosen.until, items, chosen.way)
        definition = _as_begun(store, definition)
        _say_tokens(credentials)
        stopped = None
        try:
            summaries = _mine(store, definition, clock, credentials, chosen)
        except Stopped as stop:
            # What came so far is worth a snapshot; the reason is told after it.
            stopped = stop
            summaries = _summaries(store, definition, credentials, chosen)
        result = _derive(store, definition, summaries)
        _print_result(result, folder, chosen)
        if stopped:
            raise stopped


def status(chosen, clock, environment):
    """Print what is there, what is left, and the waits that stand."""
    definition, folder = load(chosen.name), _existing(chosen)
    credentials = Credentials.from_environment(environment)
    with Store(folder, _waits(chosen, folder)) as store:
        definition = _as_begun(store, definition)
        print(f"{definition.title}: {folder}")
        print(f"  window {_window(store)}; {store.count('answer')} answers stored")
        for summary in _summaries(store, definition, credentials, chosen):
            mark = f"; {summary['mark']}" if summary["mark"] else ""
            slices = "".join(f", {n} slices {state}" for state, n in
                             summary.get("slices", {}).items())
            print(f"  {summary['id']}: {summary['state']}, {summary['left']} threads left"
                  f"{slices}{mark}")
        for platform, counts in progress_of(store).items():
            print(f"  {platform}: {counts['read']} of {counts['known']} known threads read")
        for until, reason in store.waits.standing(clock.now()):
            print(f"  waiting until {iso(until)}: {reason}")
        for row in store.db.execute("SELECT rule, count(*) AS n FROM event GROUP BY rule"):
            print(f"  {row['n']} x {row['rule']}")


def export(chosen, clock, environment):  # noqa: ARG001
    """Write the snapshot as tables."""
    folder = _existing(chosen)
    target = Path(chosen.out) if chosen.out else folder / "export"
    written = exporting.export(
        folder / "snapshot", target, chosen.format, chosen.all,
        lambda source, name: wrap(source, f"export {name}", None))
    for name, n in written.items():
        print(f"{target / name}: {n} rows")


def replay(chosen, clock, environment):  # noqa: ARG001
    """Rebuild the snapshot; nothing is sent."""
    definition, folder = load(chosen.name), _existing(chosen)
    # Whether there is a token decides nothing here, so the environment is not read.
    with Store(folder, _waits(chosen, folder)) as store:
        definition = _as_begun(store, definition)
        summaries = _summaries(store, definition, Credentials(), chosen)
        result = _derive(store, definition, summaries, chosen.reading)
        _print_result(result, folder, chosen)


def drift(chosen, clock, environment):
    """Ask for the snapshot's threads again and list what changed."""
    definition, folder = load(chosen.name), _existing(chosen)
    items = sorted(drifting.items_of(folder / "snapshot", chosen.all))
    if not items:
        raise MiningError(f"{folder}: no thread to compare; use --all for those that are no "
                          "candidates")
    target = drifting.folder_of(folder)
    credentials = Credentials.from_environment(environment)
    now = drifting.for_items(definition, items)
    with Store(target, _waits(chosen, folder)) as store:
        open_window(store, definition, clock, items=items)
        summaries = _mine(store, now, clock, credentials, chosen)
        _derive(store, now, summaries)
        renamed = {s["asked"].lower(): s["name"] for s in summaries if s["id"][:3] == "gh:"}
        changes = drifting.compare(folder / "snapshot", target / "snapshot", renamed)
        tally = drifting.write(target / drifting.DONE, changes)
    print(f"{len(items)} threads compared: "
          + (", ".join(f"{n} {kind}" for kind, n in tally.items()) or "no change"))
    for asked, name in renamed.items():
        if asked != name.lower():
            print(f"  repository {asked} is now {name}")
    print(f"{target / drifting.DONE}")


def sample(chosen, clock, environment):  # noqa: ARG001
    """Draw a seeded sample of the candidates."""
    folder = _existing(chosen)
    drifting.items_of(folder / "snapshot")
    path = folder / "snapshot" / "threads.jsonl"
    drawn, report = sampling.draw(exporting.rows(path), chosen.n, chosen.margin, chosen.seed,
                                  chosen.by)
    place = {item: i for i, item in enumerate(drawn)}
    picked = sorted((r for r in exporting.rows(path) if r["item"] in place),
                    key=lambda r: place[r["item"]])
    target = Path(chosen.out) if chosen.out else folder / "sample.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("order", "stratum", *exporting.THREAD_COLUMNS))
        for row in picked:
            cells = (exporting.flat(row[c]) for c in exporting.THREAD_COLUMNS)
            writer.writerow([place[row["item"]] + 1, sampling.stratum_of(row, chosen.by),
                             *map(exporting.neutral, cells)])
    report["snapshot_sha256"] = _sums(folder)
    manifest.save(target.with_suffix(".json"), report)
    print(f"{report['n']} of {report['population']} candidates, seed {report['seed']}; "
          f"margin ±{100 * report['margin_95']:.1f} % at 95 % (p = 0.5)")
    for name, part in report["strata"].items():
        print(f"  {name}: {part['n']} of {part['population']}")
    print(target)


# Shared ----------------------------------------------------------------------------


def _with_way(definition, way):
    """The definition with another way of finding threads on GitHub, where one is asked for."""
    if not way:
        return definition
    return replace(definition, github=tuple(replace(s, way=way) for s in definition.github))


def _as_begun(store, definition):
    """The definition as this store mines it: listed threads only, or another way."""
    if store.get("items"):
        return drifting.for_items(definition, store.get("items"))
    return _with_way(definition, store.get("way"))


def _folder(chosen):
    name = Path(chosen.name).stem
    return Path(chosen.store).expanduser() if chosen.store else DATA / name


def _waits(chosen, folder):
    """Corpora in the usual place share their waits; one elsewhere keeps its own."""
    return folder / "waits.sqlite" if chosen.store else DATA / "waits.sqlite"


def _existing(chosen):
    folder = _folder(chosen)
    if not (folder / "frontier.sqlite").exists():
        raise MiningError(f"{folder}: nothing mined there yet; use "
                          f"`python -m mining run {chosen.name}` first")
    return folder


def _items(path):
    if path is None:
        return None
    try:
        return read_items(Path(path).read_text(encoding="utf-8-sig").splitlines())
    except OSError as error:
        raise MiningError(f"--items {path}: {error.strerror}") from None


def _miners(store, definition, credentials, chosen):
    return miners(store, definition, Wire(credentials), getattr(chosen, "platform", None),
                  getattr(chosen, "limit", None))


def _summaries(store, definition, credentials, chosen):
    return [m.summary() for m in _miners(store, definition, credentials, chosen)]


def _mine(store, definition, clock, credentials, chosen):
    total = sum(s.estimate for s in (*definition.github, *definition.stackoverflow))
    bar = Progress(definition.name, chosen.limit if getattr(chosen, "limit", None) else total)
    client = Client(Wire(credentials), clock, store, chosen.patience * 60,
                    lambda note: bar.note(note or f"{client.requests} requests"))

    def tick(miner):
        counts = progress_of(store)[miner.platform]
        bar.update(counts["read"], counts["known"],
                   f"{miner.id}, {client.requests} requests")

    try:
        todo = _miners(store, definition, credentials, chosen)
        mine(todo, client, store, tick)
    finally:
        bar.close()
    return [m.summary() for m in todo]


def _derive(store, definition, summaries, reading=None):
    if reading is None:
        reading = "intention"
    tags = {s.tag: d.name for d in map(load, names()) for s in d.stackoverflow}
    judge = Judge(definition, tags, reading, listed=bool(store.get("items")))
    n = store.count("answer")
    tally = rebuild(store, judge, lambda answers: wrap(answers, "replay", n))
    result = manifest.build(store, definition, judge, tally, summaries)
    manifest.save(store.folder / "snapshot" / "manifest.json", result)
    manifest.save(store.folder / "run.json", manifest.run_report(store))
    return result


def _print_result(result, folder, chosen):
    print(f"{result['title']}: {result['threads']} threads, {result['candidates']} of them "
          f"candidates, {result['comments']} comments and answers, {result['gone']} gone")
    for reason, n in result["not_candidates"].items():
        print(f"  {n} no candidates: {reason}")
    for source in result["sources"]:
        if source["state"] == "refused" or source["mark"]:
            print(f"  {source['id']}: {source['mark']}")
        for part in source.get("not_whole", []):
            print(f"  {source['id']}: {part['mark']} slice {iso(part['since'])}.."
                  f"{iso(part['until'])}: {part['seen']} seen, counts {part['counts']}")
    if not result["finished"]:
        print("  Not finished: the same command without --limit goes on from here.")
    elif not result["whole"]:
        print("  Finished, but an API did not agree with itself; see the marks above.")
    print(f"Snapshot: {folder / 'snapshot'}")
    print(f"As tables: python -m mining export {chosen.name}"
          + (f' --store "{chosen.store}"' if chosen.store else ""))


def _forecasts(definition, chosen, folder, token):
    known = _known(chosen, folder)
    limit = chosen.limit or 10**9
    if chosen.platform in (None, "github"):
        for source in definition.github:
            way = source.way
            if way == "auto":
                way = "search" if source.keywords or chosen.since else "list"
            threads, basis = known.get(source.id, (source.estimate, "rough guess"))
            terms = len(definition.keywords.terms) if source.keywords else 1
            yield planning.github(source, way, token, min(threads, limit), terms, basis)
    if chosen.platform in (None, "stackoverflow"):
        for source in definition.stackoverflow:
            threads, basis = known.get(source.id, (source.estimate, "rough guess"))
            yield planning.stackoverflow(source, min(threads, limit), basis)


def _known(chosen, folder):
    """Counts an earlier run has learnt, where there is one."""
    if not (folder / "frontier.sqlite").exists():
        return {}
    with Store(folder, _waits(chosen, folder)) as store:
        counts = {}
        for row in store.db.execute("SELECT id, total, state FROM source"):
            n = store.count("thread", "source=? AND state<>'pr'", row["id"])
            if row["total"] or row["state"] == "found":
                counts[row["id"]] = (max(n, row["total"] or 0), "counted earlier")
        return counts


def _say_tokens(credentials):
    if not credentials.github_token:
        print("No GITHUB_TOKEN: 60 requests an hour instead of 5,000, and 10 searches a "
              "minute instead of 30.")
    if not (credentials.stackexchange_key or credentials.stackexchange_token):
        print("No STACKEXCHANGE_KEY: 300 requests a day instead of 10,000.")


def _quota(bucket, token, keyed):
    texts = {"search": ("30 a minute", "10 a minute"), "core": ("5,000 an hour", "60 an hour"),
             "graphql": ("5,000 points an hour, one each", "needs a token"),
             "stackexchange": ("10,000 a day", "300 a day")}
    return f" (quota {texts[bucket][0 if (keyed if bucket == 'stackexchange' else token) else 1]})"


def _duration(minutes):
    if minutes < 90:
        return f"{max(1, round(minutes))} minutes"
    return f"{minutes / 60:.1f} hours" if minutes < 2880 else f"{minutes / 1440:.1f} days"


def _window(store):
    since = store.get("since")
    return f"{iso(since) if since is not None else 'the first thread'} to {iso(store.get('until'))}"


def _sums(folder):

    path = folder / "snapshot" / "manifest.json"
    return json.loads(path.read_text(encoding="utf-8"))["sha256"]


