"""``python -m mining ingest`` and ``choose``: they run in ``.venv-scale``, found by itself."""

import argparse
import os
import signal
import sqlite3
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from mining.errors import MiningError
from mining.selection.definition import ROOT, STORES, load, names

VENV = ROOT / ".venv-scale"
NEEDED = ("duckdb", "pyarrow")


def parser():
    """The argument parser of the two commands."""
    top = argparse.ArgumentParser(prog="python -m mining", description="Mine whole dumps: see "
                                  "mining/bulk/README.md.")
    acts = top.add_subparsers(dest="act", required=True, metavar="COMMAND")
    sub = acts.add_parser("ingest", help="a dump or hours of GH Archive to Parquet, once")
    sub.add_argument("source", metavar="SOURCE", help="Posts.xml, also as .7z, .gz or .zst; - "
                     "for standard input; or a folder of GH Archive hours")
    sub.add_argument("--out", metavar="DIR", required=True,
                     help="a folder for this source; the same command goes on after a stop")
    sub.add_argument("--workers", type=_positive, default=min(4, os.cpu_count() or 1))
    sub.add_argument("--block", type=_positive, default=16, metavar="MIB",
                     help="text a part holds (default: %(default)s)")
    sub.add_argument("--repository", action="append", default=[], metavar="OWNER/NAME",
                     help="GH Archive: keep these only; name former names too")
    sub = acts.add_parser("choose", help="select by a definition from what was ingested")
    sub.add_argument("name", metavar="NAME", help=f"a definition: {', '.join(names())}; or a "
                     ".toml file")
    sub.add_argument("--bulk", metavar="DIR", help="what ingest has filled, or its parent")
    sub.add_argument("--engine", default="duckdb", metavar="ENGINE",
                     help="duckdb, spark or spark://HOST:PORT (default: %(default)s)")
    sub.add_argument("--sql", action="store_true", help="print the query and do nothing else")
    sub.add_argument("--store", metavar="DIR", help="default: data/raw/mining/NAME")
    sub.add_argument("--since", metavar="DAY", help="created on or after")
    sub.add_argument("--until", metavar="DAY", help="created on or before")
    sub.add_argument("--reading", choices=("intention", "script"), default="intention")
    return top


def main(arguments):
    """Run one command; 0 done, 2 something to correct, 130 Ctrl-C."""
    chosen = parser().parse_args(arguments)
    try:
        if not getattr(chosen, "sql", False) and not all(map(find_spec, NEEDED)):
            return _elsewhere(arguments)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        {"ingest": _ingest, "choose": _choose}[chosen.act](chosen)
    except KeyboardInterrupt:
        return _say("stopped; whole parts are kept; the same command goes on", 130)
    except MiningError as error:
        return _say(str(error), error.exit_code)
    except sqlite3.Error as error:
        return _say(f"{error}; put it right and use the same command again", 2)
    except OSError as error:
        return _say(f"{error.filename or 'system'}: {error.strerror or error}; whole parts are "
                    "kept; put it right and use the same command again", 2)
    return 0


def _elsewhere(arguments):
    """The same command in the environment that has what it needs."""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists() or Path(sys.prefix).resolve() == VENV.resolve():
        raise MiningError("this needs a second environment; once: python reproduce.py scale")
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    command = [str(python), "-m", "mining", *arguments]
    if os.name == "nt":
        return subprocess.call(command, env=settings)
    os.execve(str(python), command, settings)
    return None


def _ingest(chosen):
    if Path(chosen.source).is_dir():
        from mining.bulk.hours import ingest
        done = ingest(chosen.source, chosen.out, chosen.workers, chosen.repository)
        print(f"{chosen.out}: {done['days']} days, {done['read']:,} events, {done['kept']:,} of "
              f"issues kept; unreadable lines: {done['unreadable']}, hours cut short: "
              f"{done['cut']}")
    else:
        from mining.bulk.dump import ingest
        done = ingest(chosen.source, chosen.out, chosen.workers, chosen.block)
        print(f"{chosen.out}: {done['rows']:,} rows of {done['bytes'] / 1e6:,.0f} MB, "
              f"{done['questions']:,} questions and {done['answers']:,} answers of "
              f"{done['first']} to {done['last']}")


def _choose(chosen):
    from mining.bulk.choose import choose, statements, window
    since, until = window(chosen.since, chosen.until)
    if chosen.sql:
        print(";\n\n".join(statements(load(chosen.name), since, until).values()) + ";")
        return
    if not chosen.bulk:
        raise MiningError("choose: --bulk DIR says where ingest has put its parts")
    folder = Path(chosen.store).expanduser() if chosen.store else STORES / Path(chosen.name).stem
    made = choose(chosen.name, chosen.bulk, folder, chosen.engine, since, until, chosen.reading)
    print(f"{made['title']}: {made['threads']} threads, {made['candidates']} of them candidates, "
          f"{made['comments']} comments and answers")
    for reason, n in made["not_candidates"].items():
        print(f"  {n} no candidates: {reason}")
    if "events" in made["bulk"]:
        for word in ("missing", "thin"):
            hours = made["bulk"]["events"][word]
            if hours:
                print(f"  GH Archive, {word} hours ({len(hours)}): {', '.join(hours[:12])}"
                      + (" ... (all in manifest.json)" if len(hours) > 12 else ""))
    print(f"Snapshot: {folder / 'snapshot'}\nPresent text: python -m mining run {chosen.name} "
          f"--items {folder / 'items.txt'} --store ANOTHER")


def _positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _say(text, code):
    print(f"mining: {text}", file=sys.stderr, flush=True)
    return code
