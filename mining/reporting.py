"""What the commands print for people."""

from mining import planning
from mining.transport.clock import iso
from mining.transport.credentials import GITHUB_URL, STACKEXCHANGE_URL

QUOTAS = {"search": ("30 a minute", "10 a minute"), "core": ("5,000 an hour", "60 an hour"),
          "graphql": ("5,000 points an hour, one each", "needs a token"),
          "stackexchange": ("10,000 a day", "300 a day")}


def tokens(credentials):
    """Say what is slower for want of a token, and where not the public APIs are asked."""
    if not credentials.github_token:
        print("No GITHUB_TOKEN: 60 requests an hour instead of 5,000, and 10 searches a "
              "minute instead of 30.")
    if not (credentials.stackexchange_key or credentials.stackexchange_token):
        print("No STACKEXCHANGE_KEY: 300 requests a day instead of 10,000.")
    for name, url, public in (("GitHub", credentials.github_url, GITHUB_URL),
                              ("Stack Exchange", credentials.stackexchange_url,
                               STACKEXCHANGE_URL)):
        if url != public:
            print(f"Not the public {name} API: {url}")


def forecast(title, forecasts, credentials):
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
        has = keyed if bucket == "stackexchange" else token
        print(f"  {bucket:14} {n:>6} requests, about {duration(spent[bucket])} "
              f"(quota {QUOTAS[bucket][not has]})")
    print(f"About {duration(sum(spent.values()))} in all. Nothing was sent.")


def result(manifest, folder, chosen):
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


def window(store):
    """The window of a store in words."""
    since = store.get("since")
    return f"{iso(since) if since is not None else 'the first thread'} to {iso(store.get('until'))}"
