"""Every planted fault is found, and none is invented."""

import random

import material
import plant
import pytest

from study.base.files import publish
from study.extend.grid import csv_sheet
from study.extend.handed_in import check_file, check_round
from study.extend.start import start
from study.extend.workbook import workbook
from study.read.codebook import load_codebook
from study.read.form import TITLES
from study.read.sheet import column_letter

RNG_SEEDS = range(8)
KINDS = set(range(1, 31))
CLEAN = {}  # the same for every test: made once


@pytest.fixture(scope="module")
def base(snapshot, tmp_path_factory):
    """An extension with one round of 60 threads, and one plain fault in each."""
    from study.extend.folder import Extension
    path = tmp_path_factory.mktemp("planted") / "moelib"
    start(str(path), snapshot, 60, rounds=1)
    own = Extension(path)
    return own, own.tasks("1"), material.truth(own.tasks("1"), plain=True)


def fresh(base, folder, rater="R1", answers=None):
    """A filled workbook without any fault; returns its path."""
    _, tasks, true = base
    path = folder / f"round1-{rater}.xlsx"
    if answers is not None or rater not in CLEAN:
        content = workbook(tasks, "1", rater, load_codebook(), answers or true)
        if answers is None:
            CLEAN[rater] = content
    publish(path, content if answers is not None else CLEAN[rater])
    return path


def found_in(base, path):
    return [p for c in check_file(path, base[0]) for p in c.problems]


def place(kind, severity, row, name):
    """A due finding as the check words it."""
    if name == "beyond":
        return (kind, severity, row, len(TITLES) + 1)
    if name == "doubled":
        return (kind, severity, row, len(TITLES) + 2)
    if name is None:
        return (kind, severity, row, None)
    return (kind, severity, row, f"{column_letter(plant.COLUMN[name])} ({TITLES[name]})")


def score(due, problems):
    """Findings that were missed, and findings that nobody planted."""
    due = sorted(map(str, (place(*d) for d in due)))
    found = sorted(str((p.kind, p.severity, p.row, p.column)) for p in problems)
    missed, invented = list(due), []
    for f in found:
        if f in missed:
            missed.remove(f)
        else:
            invented.append(f)
    return missed, invented


def test_a_clean_sheet_has_no_finding(base, tmp_path):
    assert found_in(base, fresh(base, tmp_path)) == []


def planted_books(base, folder):
    """Sheets with many faults each; yields planters' numbers, due findings, path."""
    for seed in RNG_SEEDS:
        rng = random.Random(seed)
        path = fresh(base, folder / f"many{seed}")
        book, numbers = plant.Book(path, rng), []
        planters = [*plant.CELLS, *plant.ROWS]
        rng.shuffle(planters)
        for one in planters[:30]:
            try:
                one(book)
            except StopIteration:  # no row left that fits
                continue
            numbers.append(one.number)
        book.save()
        yield numbers, book.due, path
    for one in [*plant.ALONE, *plant.ROWS]:
        path = fresh(base, folder / f"alone-{getattr(one, '__name__', 'x')}-{id(one)}")
        book = plant.Book(path, random.Random(3))
        one(book)
        book.save()
        yield [one.number], book.due, path


def test_precision_and_recall_are_one(base, tmp_path):
    planted, numbers, missed, invented = 0, set(), [], []
    for own, due, path in planted_books(base, tmp_path):
        lost, more = score(due, found_in(base, path))
        planted += len(due)
        numbers |= set(own)
        missed += [(path.parent.name, m) for m in lost]
        invented += [(path.parent.name, m) for m in more]
    for number, due, problems in whole_file_faults(base, tmp_path):
        lost, more = score(due, problems)
        planted += len(due)
        numbers.add(number)
        missed += [(number, m) for m in lost]
        invented += [(number, m) for m in more]
    assert (missed, invented) == ([], [])
    assert numbers == KINDS
    assert planted >= 200
    print(f"{planted} planted, {len(numbers)} kinds")


def whole_file_faults(base, folder):
    """Faults of text files, of whole sheets, and of two sheets together."""
    own, tasks, true = base
    text, rows = csv_sheet(tasks, true), plant.csv_rows(csv_sheet(tasks, true))

    def check_text(name, content):
        path = folder / name / "round1-R1.csv"
        publish(path, content)
        return found_in(base, path)
    assert check_text("clean", text) == []
    yield 8, [("row-length", "error", 5, "beyond")], check_text(
        "long", plant.csv_text([*rows[:4], [*rows[4], "more"], *rows[5:]]))
    # A missing cell shifts the row, so its labels are in the wrong columns as well.
    short = plant.csv_text([*rows[:4], rows[4][:-1], *rows[5:]])
    yield 8, [("row-length", "error", 5, "source")], check_text("short", short)
    yield 9, [], check_text(  # nothing stands in them, so nothing is lost
        "empty", plant.csv_text([[*r, "", ""] for r in rows]))
    yield 18, [("byte-order-mark", "note", 1, None)], check_text("bom", "\ufeff" + text)
    for name, encoding in (("cp1252", "cp1252"), ("utf16", "utf-16")):
        odd = text.replace("Synthetic body", "Synthétic body").encode(encoding, "replace")
        yield 18, [("unreadable", "error", None, None)], check_text(name, odd)
    for name, mark in (("semicolon", ";"), ("tab", "\t")):
        yield 19, [("delimiter", "note", None, None)], check_text(
            name, plant.csv_text(rows, mark))
    book = plant.Book(fresh(base, folder / "stored"), random.Random(1))
    row = book.row(plant.is_("group", "unexpected performance"))
    path = folder / "stored" / "round1-R1.xlsx"
    path.write_bytes(plant.stored_value(path.read_bytes(), row, "symptom"))
    yield 23, [("formula", "warning", row, "symptom")], found_in(base, path)
    book = plant.Book(fresh(base, folder / "hidden"), random.Random(1))
    book.book.active = book.book.index(book.book["codebook"])
    book.sheet.sheet_state = "hidden"
    book.save()
    yield 22, [("hidden-sheet", "warning", None, None)], found_in(base, book.path)

    one = fresh(base, folder / "same")
    two = fresh(base, folder / "same", "R2")
    yield 25, [("same-labels", "warning", None, None)], _together(own, one, two)
    copied = folder / "copied" / "round1-R2.xlsx"
    publish(copied, one.read_bytes())
    yield 25, [("other-sheet", "error", None, None)], found_in(base, copied)
    other = {t: [i | {"distributed_specific": "1"} for i in issues] for t, issues in true.items()}
    strange = {t: [i | {"distributed_specific": "0"} for i in issues]
               for t, issues in true.items()}
    yield 24, [("nothing-shared", "warning", None, None)], _together(
        own, fresh(base, folder / "own", "R1", other), fresh(base, folder / "own", "R2", strange))


def _together(own, *paths):
    return [p for c in check_round(own, "1", paths=paths) for p in c.problems]
