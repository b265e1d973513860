"""A folder of Parquet parts: written whole or not at all, noted in a manifest, resumable.

A part is written beside its place, synced, renamed, and only then noted. So after a kill at
any moment the folder holds whole parts, and the same command makes the missing ones.
"""

import json
import os
import sqlite3
from pathlib import Path

from mining.errors import MiningError

MANIFEST, DONE, LOCK = "manifest.jsonl", "done.json", "lock.sqlite"
FORMAT = 1


class Parts:
    """The folder of one source; a context manager that holds its lock.

    Parameters
    ----------
    folder : path
    head : dict
        What all parts depend on, such as the size of blocks: a resume with another is
        refused.

    Attributes
    ----------
    entries : dict
        Part -> what the manifest notes about it.
    """

    def __init__(self, folder, head):
        self.folder, self.head = Path(folder), {"format": FORMAT, **head}
        self.entries = {}

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        # SQLite's lock works on every system and is gone when the process is, even killed.
        self.guard = sqlite3.connect(self.folder / LOCK, isolation_level=None, timeout=0)
        try:
            self.guard.execute("PRAGMA locking_mode=EXCLUSIVE")
            self.guard.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self.guard.close()
            if "lock" not in str(error):
                raise MiningError(f"{self.folder}: {error}; make room and use the same command "
                                  "again") from None
            raise MiningError(f"{self.folder}: another ingest is at work there; wait for it, or "
                              "give another --out") from None
        try:
            self._read()
            self.notes = (self.folder / MANIFEST).open("ab")
            if not self.entries and not self.notes.tell():
                self._note(self.head)
        except BaseException:
            self.guard.close()
            raise
        return self

    def __exit__(self, kind, *_):
        self.notes.close()
        if kind is not None:  # workers that were ended in the middle of a part
            self._sweep()
        self.guard.close()
        if kind is None:
            (self.folder / LOCK).unlink(missing_ok=True)

    def _sweep(self):
        """Drop parts that were not finished; the lock says that nobody else is at work."""
        for left in self.folder.rglob("*.tmp"):
            left.unlink(missing_ok=True)

    def _read(self):
        path = self.folder / MANIFEST
        self._sweep()
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        whole = [x for x in lines if x.endswith(b"\n")]
        if len(whole) < len(lines):  # a half line is a part that was not noted
            path.write_bytes(b"".join(whole))
        if not whole:
            return
        head, *entries = map(json.loads, whole)
        for key, value in self.head.items():
            if head.get(key) != value:
                raise MiningError(f"{path}: begun with {key} {head.get(key)}, and this is "
                                  f"{value}; give the same, or another --out")
        for entry in entries:
            self.entries[entry["part"]] = entry

    def done(self):
        """What ``done.json`` says, or None."""
        path = self.folder / DONE
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def note(self, entry):
        """Note a part that is written."""
        self.entries[entry["part"]] = entry
        self._note(entry)

    def _note(self, entry):
        self.notes.write(json.dumps(entry).encode() + b"\n")
        self.notes.flush()
        os.fsync(self.notes.fileno())

    def finish(self, facts):
        """Write ``done.json``: from now on :func:`found_in` sees the folder."""
        replace(self.folder / DONE, lambda path: path.write_text(
            json.dumps(facts, indent=1) + "\n", encoding="utf-8", newline="\n"))


def replace(path, write):
    """Write a file beside its place, sync it, and rename it; returns its size."""
    new = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        write(new)
        with new.open("rb") as file:
            os.fsync(file.fileno())
            size = os.fstat(file.fileno()).st_size
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return size


def present(folder, entry):
    """Whether the files an entry notes are there, in their sizes."""
    return all((Path(folder) / name).is_file() and (Path(folder) / name).stat().st_size == size
               for name, size in entry["files"].items())


def found_in(bulk):
    """Finished folders at or right below ``bulk``: kind -> folder and what is known of it.

    Raises
    ------
    MiningError
        Nothing there, something unfinished, or two of one kind.
    """
    bulk, found = Path(bulk), {}
    for path in sorted((*bulk.glob(MANIFEST), *bulk.glob(f"*/{MANIFEST}"))):
        folder = path.parent
        with path.open(encoding="utf-8") as file:
            line = file.readline()
        if not line.endswith("\n") or not (folder / DONE).exists():
            raise MiningError(f"{folder}: not finished; use the same `ingest` command again")
        head = json.loads(line)
        if head["kind"] in found:
            raise MiningError(f"{folder} and {found[head['kind']][0]} both hold {head['kind']}; "
                              "give the folder of one of them")
        facts = json.loads((folder / DONE).read_text(encoding="utf-8"))
        found[head["kind"]] = folder, {**head, **facts}
    if not found:
        raise MiningError(f"{bulk}: nothing ingested there; `python -m mining ingest SOURCE "
                          f"--out {bulk}/so` comes first")
    return found
