"""The data stage: from the authors' files to data/study/, and the comparison with it."""

import json
from pathlib import Path

import pandas as pd

from study.base.errors import StudyError
from study.base.files import sha256, write_whole
from study.base.paths import RAW, STUDY, UPSTREAM, shown
from study.read import codebook as codebooks
from study.read.codebook import FACETS, UNDECIDED, load_codebook
from study.read.repair import as_filed, repair
from study.read.upstream import PATH as UPSTREAM_LIST
from study.read.upstream import fetch, load_upstream
from study.tabulate.counts import (
    collection_counts,
    fault_counts,
    final_issues,
    oddities,
    question_counts,
    read_candidates,
)
from study.tabulate.issues import LEFT_OUT, label_table, read_declared, reader, wide
from study.tabulate.rounds import (
    RATERS,
    adjudication_counts,
    agreement_counts,
    applied,
    change_counts,
    comparable_threads,
    differently_paired,
    round_counts,
)
from study.tabulate.spellings import spelling_counts, written
from study.tabulate.tables import COLUMNS, differences, read_table, to_csv


def build(folder, upstream, codebook):
    """Every table, from the verified files of a folder.

    Parameters
    ----------
    folder : pathlib.Path
    upstream : Upstream
    codebook : Codebook

    Returns
    -------
    tuple of (dict of str to pandas.DataFrame, dict of str to pandas.DataFrame)
        The count tables (``tables.COLUMNS``), and the row tables ``labels`` and
        ``issues`` that stay in ``data/raw``.
    """
    rows, left_out = read_declared(folder, upstream)
    labels, candidates = label_table(rows, codebook), read_candidates(folder, upstream)
    return (count_tables(rows, candidates, codebook, left_out),
            {"labels": labels, "issues": final_issues(rows, codebook, candidates)})


def count_tables(rows, candidates, codebook, left_out=None, final=(), excluded=()):
    """Every count table, of the study and of an extension.

    Parameters
    ----------
    rows : list of Row
        Of every sheet.
    candidates : pandas.DataFrame
        Columns thread, platform, frameworks.
    codebook : Codebook
    left_out : pandas.DataFrame, optional
        As ``issues.read_declared`` returns it.
    final : list of Row
        Final labels where no sheet has them: an extension's come from what was decided.
    excluded : list of tuple
        Further rows of the table ``exclusions``.

    Returns
    -------
    dict of str to pandas.DataFrame
        By name and with the columns of ``tables.COLUMNS``.
    """
    if left_out is None:
        left_out = pd.DataFrame(columns=["file", "sheet", "row", "reason"])
    every = [*rows, *final]
    issues = final_issues(every, codebook, candidates)
    filed = final_issues(every, codebook, candidates, rules=())
    table = applied(wide(every, reader(codebook)), codebook)
    without = exclusions(rows, left_out, table, excluded)
    made = {
        "collection": collection_counts(candidates, issues),
        "faults": fault_counts(issues), "faults_as_filed": fault_counts(filed),
        "questions": question_counts(issues), "questions_as_filed": question_counts(filed),
        "agreement": agreement_counts(rows, codebook),
        "spellings": spelling_counts(written(rows, codebook)),
        "adjudication": adjudication_counts(table), "changes": change_counts(table),
        "rounds": round_counts(table), "repairs": repair_counts(rows, codebook),
        "exclusions": without, "rows": fates(rows, left_out, without),
        "oddities": oddities(every, issues, candidates, _comparable(table),
                             differently_paired(table)),
    }
    return {name: made[name][COLUMNS[name]] for name in COLUMNS}


def _comparable(table):
    before = table[table.index.get_level_values("rater").isin(["adjudicated", "pilot"])]
    final = table.xs("final", level="rater").droplevel("round")
    return comparable_threads(before.droplevel("rater").reset_index("round"), final)


def repair_counts(rows, codebook):
    """How many labels each rule changed, by file and sheet.

    Parameters
    ----------
    rows : list of Row
    codebook : Codebook

    Returns
    -------
    pandas.DataFrame
        Columns file, sheet, rule, n; one label may take two rules. Undecided labels
        are counted as rule ``undecided``: nothing is changed, but they are set apart.
    """
    found = []
    for row in rows:
        filed, fired = as_filed(row.cells, codebook), repair(row.cells, codebook, row.titles)[1]
        found += [(row.file, row.sheet, rule) for facet in FACETS
                  for rule in (*fired.get(facet, ()), *(UNDECIDED,) * (filed[facet] == UNDECIDED))]
    table = pd.DataFrame(found, columns=["file", "sheet", "rule"])
    return table.groupby(["file", "sheet", "rule"]).size().rename("n").reset_index()


def exclusions(rows, left_out, table, more=()):
    """Every row that is left out of something, with the reason.

    Parameters
    ----------
    rows : list of Row
    left_out : pandas.DataFrame
        As ``labels.read_declared`` returns it.
    table : pandas.DataFrame
        As ``rounds.applied`` returns it.
    more : iterable of tuple
        Further rows.

    Returns
    -------
    pandas.DataFrame
        Columns file, sheet, row, left_out_of (``every count`` or ``agreement``), reason.
    """
    records = [(r.file, r.sheet, r.row, "every count", LEFT_OUT[r.reason])
               for r in left_out.itertuples()]
    has = set(table.index)
    for row in rows:
        if row.rater in RATERS:
            other = RATERS[row.rater == "R1"]
            if (row.round, other, row.thread, row.issue) not in has:
                records.append((row.file, row.sheet, row.number, "agreement",
                                "the other rater's sheet has no issue in this place of the thread"))
    return pd.DataFrame([*records, *more], columns=COLUMNS["exclusions"])


def fates(rows, left_out, excluded):
    """What became of every row of every sheet; the numbers add up to the rows there are.

    Returns
    -------
    pandas.DataFrame
        Columns file, sheet, fate, n.
    """
    alone = {(r.file, r.sheet, r.row) for r in excluded.itertuples()
             if r.left_out_of == "agreement"}
    fate = {"final": "counted as an issue", "pilot": "counted in the pilot",
            "adjudicated": "counted as adjudicated"}
    records = [(r.file, r.sheet, "left out: no partner" if (r.file, r.sheet, r.number) in alone
                else fate.get(r.rater, "counted as one of a pair")) for r in rows]
    records += [(r.file, r.sheet, f"left out: {r.reason}") for r in left_out.itertuples()]
    table = pd.DataFrame(records, columns=["file", "sheet", "fate"])
    return table.groupby(["file", "sheet", "fate"]).size().rename("n").reset_index()


def compare(tables, folder=STUDY):
    """Differences between rebuilt tables and the committed ones, one line a cell.

    Parameters
    ----------
    tables : dict of str to pandas.DataFrame
    folder : path-like

    Returns
    -------
    list of str
        Empty where every file would be the same, byte for byte.
    """
    lines = []
    for name, table in tables.items():
        path, text = Path(folder) / f"{name}.csv", to_csv(table)
        if not path.exists():
            lines.append(f"{name}: {shown(path)} is missing")
        elif path.read_bytes() != text.encode():
            cells = differences(read_table(path), table, name)
            lines += cells or [f"{name}: the same counts, written otherwise"]
    return lines


def write(tables, folder):
    """Write tables as csv, each complete or not at all."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        write_whole(folder / f"{name}.csv", to_csv(table))


def manifest(upstream, folder=STUDY, codebook=codebooks.PATH):
    """Text of ``manifest.json``: what the counts were made from, and their sums.

    Parameters
    ----------
    upstream : Upstream
    folder : path-like
        Of the count tables.
    codebook : path-like

    Returns
    -------
    str
    """
    content = {
        "upstream": {"repository": upstream.repository, "commit": upstream.commit,
                     "licence": upstream.licence,
                     "files": {p.path: {"bytes": p.bytes, "sha256": p.sha256}
                               for p in upstream.pins}},
        "codebook": {"version": load_codebook(codebook).version, "sha256": sha256(codebook)},
        "tables": {f"{name}.csv": sha256(Path(folder) / f"{name}.csv") for name in COLUMNS},
    }
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def check_manifest(folder=STUDY, codebook=codebooks.PATH):
    """Raise StudyError where a count table or the codebook is not what the manifest says.

    Parameters
    ----------
    folder, codebook : path-like
    """
    path = Path(folder) / "manifest.json"
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        pairs = [(Path(folder) / f"{name}.csv", said["tables"][f"{name}.csv"])
                 for name in COLUMNS]
        pairs.append((Path(codebook), said["codebook"]["sha256"]))
    except (OSError, ValueError, KeyError, TypeError):
        raise StudyError(f"{shown(path)} cannot be read; restore it from version control"
                         ) from None
    for table, expected in pairs:
        if not table.exists():
            raise StudyError(f"{shown(table)} is missing; restore it from version control")
        if (found := sha256(table)) != expected:
            raise StudyError(
                f"{shown(table)} is not the file the counts were made with: SHA-256 {found}, "
                f"expected {expected}. Undo the change, or rebuild the counts from the labels: "
                "python reproduce.py data --write")


def run(write_counts=False, say=print, upstream=UPSTREAM_LIST, codebook=codebooks.PATH,
        raw=RAW, study=STUDY, mirror=None):
    """``reproduce.py data``: fetch, verify, rebuild, compare.

    Parameters
    ----------
    write_counts : bool, default False
        Replace ``data/study`` where it differs instead of only reporting it.
    say : callable
        Receives one line at a time.
    upstream, codebook : path-like
        The list of released files and the codebook.
    raw, study : path-like
        Folders of the row tables (the released files lie in ``upstream`` there) and of
        the count tables.
    mirror : str, optional
        As :func:`study.read.upstream.fetch` takes it.

    Returns
    -------
    int
        0 where everything is equal (or was written), 1 where something differs.
    """
    released, book = load_upstream(upstream), load_codebook(codebook)
    raw, study = Path(raw), Path(study)
    folder = fetch(released, raw / UPSTREAM.name, mirror,
                   report=lambda pin: say(f"  verified {pin.name}"))
    tables, by_row = build(folder, released, book)
    write(by_row, raw)
    say(f"  {len(by_row['labels']):,} labels in {len(FACETS)} facets, "
        f"{len(by_row['issues']):,} issues → {shown(raw)}/labels.csv, issues.csv")
    moved = compare(tables, study)
    path = study / "manifest.json"
    if write_counts:
        write(tables, study)
        write_whole(path, manifest(released, study, codebook))
    elif not moved and (not path.exists() or path.read_bytes().replace(b"\r\n", b"\n")
                        != manifest(released, study, codebook).encode()):
        moved = ["manifest.json: another upstream list, codebook or table"]
    for line in moved[:40]:
        say(f"  differs  {line}")
    if len(moved) > 40:
        say(f"  differs  … and {len(moved) - 40} cells more")
    if write_counts:
        say(f"  wrote {len(tables)} tables to {shown(study)}")
        return 0
    say(f"  {len(tables)} tables rebuilt; " + (f"{len(moved)} cells differ from {shown(study)}"
        if moved else f"all equal to {shown(study)}, cell by cell"))
    return 1 if moved else 0
