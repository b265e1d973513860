"""Export a snapshot as tables: one row a thread, one row a comment or answer."""

import csv
import json
from datetime import datetime

from mining.cleaning import neutral
from mining.errors import MiningError

FORMATS = ("csv", "jsonl", "parquet")
THREAD_COLUMNS = (
    "item", "url", "platform", "place", "frameworks", "candidate", "why_not", "title", "body",
    "body_format", "created_at", "closed_at", "updated_at", "edited_at", "state",
    "state_reason", "labels", "tags", "matched_keywords", "found_by", "resolution",
    "resolution_url", "n_comments", "n_answers", "accepted_answer_id", "score", "views",
    "author", "author_kind", "attribution", "attribution_url", "licence", "locked",
    "lock_reason", "is_pull_request", "complete")
COMMENT_COLUMNS = (
    "comment", "item", "kind", "parent", "url", "created_at", "edited_at", "body",
    "body_format", "author", "author_kind", "attribution", "attribution_url", "licence",
    "score", "is_accepted", "is_hidden")


def export(folder, target, file_format="csv", everything=False, tick=None):
    """Write ``threads`` and ``comments`` in ``file_format``.

    Parameters
    ----------
    folder : pathlib.Path
        The snapshot.
    target : pathlib.Path
        Made where absent.
    file_format : {"csv", "jsonl", "parquet"}
        csv joins lists with ``;`` and neutralises cells a spreadsheet would run.
    everything : bool
        Threads that are no candidates too.

    Returns
    -------
    dict
        File name -> number of rows.

    Raises
    ------
    MiningError
        No snapshot yet, or pyarrow missing for parquet.
    """
    if not (folder / "threads.jsonl").exists():
        raise MiningError(f"{folder}: no snapshot yet; use `python -m mining run` first")
    write = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}[file_format]
    target.mkdir(parents=True, exist_ok=True)
    wanted = None if everything else {
        row["item"] for row in rows(folder / "threads.jsonl") if row["candidate"]}
    written = {}
    for name, columns in (("threads", THREAD_COLUMNS), ("comments", COMMENT_COLUMNS)):
        source = (row for row in rows(folder / f"{name}.jsonl")
                  if wanted is None or row["item"] in wanted)
        path = target / f"{name}.{file_format}"
        written[path.name] = write(path, columns, tick(source, name) if tick else source)
    return written


def rows(path):
    """Yield the rows of a JSON-lines file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def flat(value):
    """A cell: lists joined with ``;``, None and False as a csv reader expects them.

    >>> flat(["a", "b"]), flat(None), flat(True)
    ('a;b', '', 'true')
    """
    if isinstance(value, list):
        return ";".join(map(str, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _write_csv(path, columns, source):
    n = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for n, row in enumerate(source, 1):  # noqa: B007
            writer.writerow([neutral(flat(row[c])) for c in columns])
    return n


def _write_jsonl(path, columns, source):
    n = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for n, row in enumerate(source, 1):  # noqa: B007
            file.write(json.dumps({c: row[c] for c in columns}, ensure_ascii=False) + "\n")
    return n


def _write_parquet(path, columns, source):
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MiningError("parquet needs pyarrow: pip install pyarrow (or use --format csv)"
                          ) from None
    import pandas
    frame = pandas.DataFrame([{c: row[c] for c in columns} for row in source],
                             columns=list(columns))
    for column in ("created_at", "closed_at", "updated_at", "edited_at"):
        if column in frame:
            frame[column] = [datetime.fromisoformat(v.replace("Z", "+00:00")) if v else None
                             for v in frame[column]]
    frame.to_parquet(path, index=False)
    return len(frame)
