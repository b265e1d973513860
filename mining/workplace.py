"""Where things lie: stores, waits, snapshots; and a store as the definition it began with."""

import os
from dataclasses import replace
from pathlib import Path

from mining.errors import MiningError
from mining.mine import miners, read_items
from mining.planning import wrap
from mining.selection.definition import STORES, load, names
from mining.selection.judge import Judge
from mining.store import drift as drifting
from mining.store import snapshot
from mining.store.store import BEGUN, Store
from mining.transport.wire import Wire

DATA = STORES


def folder_of(chosen):
    """The folder of the corpus: as given, else by the definition's name."""
    return Path(chosen.store).expanduser() if chosen.store else DATA / Path(chosen.name).stem


def existing(chosen, snapshot=False):
    """The folder of a corpus that was begun; MiningError where it was not.

    With ``snapshot``, one with a snapshot alone will do, as ``choose`` makes it.
    """
    folder = folder_of(chosen)
    if not any((folder / name).exists() for name in (*BEGUN, *["snapshot"] * snapshot)):
        raise MiningError(f"{folder}: nothing mined there yet; use "
                          f"`python -m mining run {chosen.name}` first")
    return folder


def open_store(folder, reading=False):
    """The store of a corpus. All corpora share their waits: a limit belongs to a token."""
    try:
        DATA.mkdir(parents=True, exist_ok=True)
        shared = os.access(DATA, os.W_OK)
    except OSError:
        shared = False
    return Store(folder, DATA / "waits.sqlite" if shared else None, reading)


def items_in(path):
    """Thread keys of a file of addresses or keys; None for no file."""
    if path is None:
        return None
    try:
        return read_items(Path(path).read_text(encoding="utf-8-sig").splitlines())
    except OSError as error:
        raise MiningError(f"--items {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise MiningError(f"--items {path}: not UTF-8; save the file as UTF-8") from None


def as_begun(store, definition):
    """The definition as this store mines it: listed threads only, or another way."""
    if store.get("items"):
        return drifting.for_items(definition, store.get("items"))
    if not (way := store.get("way")):
        return definition
    return replace(definition, github=tuple(replace(s, way=way) for s in definition.github))


def summaries(store, definition, credentials):
    """What the manifest says of every source, those of the other platform included."""
    return [m.summary() for m in miners(store, definition, Wire(credentials))]


def derive(store, definition, credentials, reading="intention", changes=None):
    """Rebuild the snapshot, put it in place only when it is finished, and return its manifest.

    In an update, ``changes`` is where to write what changed against the snapshot in place.
    """
    tags = {s.tag: d.name for d in map(load, names()) for s in d.stackoverflow}
    judge = Judge(definition, tags, reading, listed=bool(store.get("items")))
    n, new, old = store.count("answer"), store.folder / "snapshot.new", store.folder / "snapshot"
    tally = snapshot.replay(store, judge, lambda answers: wrap(answers, "replay", n))
    sources = summaries(store, definition, credentials)
    result = snapshot.build(store, definition, judge, tally, sources)
    snapshot.save(new / "manifest.json", result)
    if changes and not changes.exists():  # else killed after it was written
        found = drifting.compare(old, new, drifting.renamed(sources), update=True)
        drifting.write(changes, found)
    snapshot.publish(new, old)
    if changes:
        store.set("updating", False)
    snapshot.save(store.folder / "run.json", snapshot.run_report(store))
    return result
