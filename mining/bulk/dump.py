"""Posts.xml to Parquet parts of questions and answers."""

import os
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from mining.bulk import pool, posts
from mining.bulk.parts import Parts, present, replace
from mining.bulk.progress import Meter
from mining.bulk.stream import Source, blocks
from mining.errors import MiningError

BLOCK = 16  # MiB of text a part


def ingest(path, out, workers=2, block=BLOCK):
    """Read a dump once.

    Parameters
    ----------
    path : str
        See :class:`mining.bulk.stream.Source`.
    out : path
        Gets ``questions/`` and ``answers/`` with a part a block, ``manifest.jsonl`` and, at
        the end, ``done.json``. The same bytes whatever the number of workers or of kills.
    workers : int
    block : int
        MiB of text a part.

    Returns
    -------
    dict
        Rows, questions, answers, parts, bytes, first and last day.
    """
    out = Path(out)
    source = Source(path)
    meter = Meter(Path(path).name)
    try:
        with Parts(out, {"kind": "posts", "block": block}) as parts:
            if (done := parts.done()) is not None:
                return done
            for kind in posts.KINDS.values():
                (out / kind).mkdir(exist_ok=True)
            cut = blocks(source, block * 2**20)
            tasks = ((out, n, start, length, text, source.name, parts.entries.get(n))
                     for n, (start, length, text) in enumerate(cut))
            total = {"rows": 0, "questions": 0, "answers": 0, "parts": 0, "bytes": 0}
            first, last, sums = "9", "", sha256()
            with closing(pool.run(write_part, tasks, workers)) as made:
                for entry in made:
                    if entry != parts.entries.get(entry["part"]):
                        parts.note(entry)
                    for key in ("rows", "questions", "answers"):
                        total[key] += entry[key]
                    total["parts"], total["bytes"] = entry["part"] + 1, entry["end"]
                    first, last = min(first, entry["first"] or "9"), max(last, entry["last"])
                    sums.update(entry["sum"].encode())
                    at = entry["end"] if source.seekable else source.position(entry["end"])
                    meter.show(entry["end"], total["rows"], at, source.total)
            facts = {**total, "first": first, "last": last, "source": Path(source.name).name,
                     "sha256_of_parts": sums.hexdigest()}
            parts.finish(facts)
            return facts
    finally:
        meter.close()
        source.close()


def write_part(out, number, start, length, text, name, before):
    """One block to a part of questions and one of answers.

    Parameters
    ----------
    out : Path
    number, start, length : int
    text : bytes or None
        The block; None where it is to be read from the file ``name``.
    name : str
    before : dict or None
        What the manifest notes of this part: made before, it is only checked.

    Returns
    -------
    dict
        The entry for the manifest.
    """
    if text is None:
        with Path(name).open("rb") as file:
            file.seek(start)
            text = file.read(length)
    total = sha256(text).hexdigest()
    if before:
        if before["sum"] != total:
            raise MiningError(f"{name}: differs from what part {number} in {out} was made of; "
                              "give the same file, or another --out")
        if present(out, before):
            return before
    tables, n = posts.parse(text, start, name)
    entry = {"part": number, "start": start, "end": start + length, "rows": n, "sum": total}
    files, days = {}, []
    for kind, table in tables.items():
        entry[kind] = table.num_rows
        place = f"{kind}/part-{number:05d}.parquet"
        files[place] = replace(out / place, lambda path, table=table: _write(table, path))
        days += _ends(table)
    return {**entry, "first": min(days, default="")[:10], "last": max(days, default="")[:10],
            "files": files}


def _write(table, path):
    import pyarrow.parquet as pq
    pq.write_table(table, os.fspath(path), compression="zstd", row_group_size=50_000,
                   use_dictionary=posts.FEW_VALUES, write_statistics=posts.SORTED_COLUMNS)


def _ends(table):
    import pyarrow.compute as pc
    ends = pc.min_max(table.filter(pc.field("id") < posts.SALT_FROM).column("created_at"))
    return [ends[k].as_py() for k in ("min", "max") if ends[k].as_py()]
