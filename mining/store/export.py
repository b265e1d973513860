"""Export a snapshot as tables: one row a thread, one row a comment or answer."""

import csv
import json
from contextlib import contextmanager
from datetime import datetime
from hashlib import file_digest

from mining.errors import MiningError

FORMATS = ("csv", "jsonl", "parquet")
# Characters (of UTF-16) that a spreadsheet's cell holds: more are cut off, or spill over rows.
CELL, LONG = 32_767, ("keep", "cut", "leave-out")
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
RAW_COLUMNS = ("seq", "kind", "context", "request", "status", "headers", "sha256", "body")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export(folder, target, file_format, everything, tick, long):
    """Write ``threads`` and ``comments`` of a snapshot ``folder`` into ``target``.

    csv joins lists with ``;`` and neutralises cells a spreadsheet would run; ``long`` is what it
    does with cells of more than :data:`CELL` characters. With ``everything``, threads that are
    no candidates are written too; ``tick(rows, name)`` wraps the rows of a table.

    Returns
    -------
    written : dict
        File name -> number of rows.
    found : list of (str, str, int)
        Key, column and characters of those cells.

    Raises MiningError where there is no snapshot yet, or no pyarrow for parquet.
    """
    known, found = sums(folder), []
    write = {"csv": lambda *table: write_csv(*table, long, found), "jsonl": _write_jsonl,
             "parquet": _write_parquet}[file_format]
    target.mkdir(parents=True, exist_ok=True)
    wanted = None if everything else {
        row["item"] for row in rows(folder / "threads.jsonl", known) if row["candidate"]}
    written = {}
    for name, columns in (("threads", THREAD_COLUMNS), ("comments", COMMENT_COLUMNS)):
        source = (row for row in rows(folder / f"{name}.jsonl", known)
                  if wanted is None or row["item"] in wanted)
        path = target / f"{name}.{file_format}"
        with aside(path) as new:
            written[path.name] = write(new, columns, tick(source, name))
    return written, found


def raw(store, target, tick):
    """Write the stored answers as they came, one line of JSON each; return how many."""
    target.mkdir(parents=True, exist_ok=True)
    with aside(target / "raw.jsonl") as new:
        return _write_jsonl(new, RAW_COLUMNS, tick(store.answers(), "raw answers"))


@contextmanager
def aside(path):
    """A path to write to; put in place as a whole, or not at all."""
    new = path.with_name(f".{path.name}.part")
    try:
        yield new
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def sums(snapshot):
    """File name -> SHA-256, as the manifest of a snapshot states them."""
    path = snapshot / "manifest.json"
    if not (snapshot / "threads.jsonl").exists():
        raise MiningError(f"{snapshot}: no snapshot yet; use `python -m mining run` first")
    try:
        return json.loads(path.read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        raise _altered(path, "missing or damaged") from None


def rows(path, known=None):
    """Yield the rows of a JSON-lines file of a snapshot.

    Raises MiningError, before the first row, where the file is not the one that the
    manifest describes (``known``: from :func:`sums`; read where it is not given).
    """
    known = sums(path.parent) if known is None else known
    if not path.exists():
        raise _altered(path, "missing")
    with path.open("rb") as file:
        if file_digest(file, "sha256").hexdigest() != known.get(path.name):
            raise _altered(path, "its sum is not that of manifest.json")
        file.seek(0)
        yield from map(json.loads, file)


def _altered(path, why):
    return MiningError(f"{path}: {why}; `python -m mining replay` writes the snapshot anew "
                       "from the stored answers")


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


def neutral(cell):
    """A cell that no spreadsheet runs as a formula: a risky first character gets an ``'``.

    >>> neutral("=1+1"), neutral("a=b"), neutral(-5)
    ("'=1+1", 'a=b', -5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def fitting(cell, long):
    """A cell, and how many characters it has where a spreadsheet's cell cannot hold it.

    >>> fitting("short", "cut"), fitting("x" * 40_000, "leave-out")
    (('short', 0), ('[left out: 40,000 characters]', 40000))
    """
    units = cell.encode("utf-16-le", "surrogatepass") if isinstance(cell, str) else b""
    size = len(units) // 2
    if size <= CELL:
        return cell, 0
    mark = f" [cut: {size:,} characters in all]"
    short = units[:2 * (CELL - len(mark))].decode("utf-16-le", "ignore") + mark
    return {"keep": cell, "cut": short, "leave-out": f"[left out: {size:,} characters]"}[long], size


def write_csv(path, columns, source, long, found):
    """Write rows for a spreadsheet; ``found`` gets the cells that are too long for one."""
    n = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for n, row in enumerate(source, 1):  # noqa: B007
            fitted = [fitting(neutral(flat(row[c])), long) for c in columns]
            writer.writerow([cell for cell, _ in fitted])
            found += [(row.get("comment") or row["item"], column, size)
                      for column, (_, size) in zip(columns, fitted, strict=True) if size]
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
            frame[column] = [datetime.fromisoformat(v) if v else None for v in frame[column]]
    frame.to_parquet(path, index=False)
    return len(frame)
