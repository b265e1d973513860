"""Tables for spreadsheets, and the stored answers as they came."""

import csv
import json
from hashlib import sha256
from types import SimpleNamespace

import pytest
from fakeapi import Corpus
from fakeapi.faults import Fault

from mining.store.export import CELL, fitting

GH = ("--platform", "github")


def long_body(size, number=1):
    """A fault that gives one thread a body of so many characters."""
    def change(server, now, data):  # noqa: ARG001
        for row in data if isinstance(data, list) else []:
            if row.get("number") == number:
                row["body"] = "🙂" + "x" * (size - 1)
    return Fault("core", change=change, times=99)


@pytest.mark.parametrize("act", [("export", "--all"), ("sample", "--n", "2")])
def test_cells_no_spreadsheet_holds_are_named_and_cut_or_left_out_by_choice(field, capsys, act):
    # Excel's specification: 32,767 characters a cell, of UTF-16, where this smile is two.
    mining = field(Corpus({"horovod/horovod": 3}, {}, pulls=0, closed=1), [long_body(CELL)])
    whole = mining.run(*GH, token=False)["gh:horovod/horovod#1"]["body"]
    name = "sample.csv" if act[0] == "sample" else "export/threads.csv"

    def cell(*how):
        capsys.readouterr()
        assert mining(*act, *how) == 0
        with (mining.store / name).open(encoding="utf-8", newline="") as file:
            rows = {r["item"]: r["body"] for r in csv.DictReader(file)}
        return rows["gh:horovod/horovod#1"], capsys.readouterr().out

    body, said = cell()
    assert body == whole
    assert "1 cell of more than 32,767 characters" in said
    assert "gh:horovod/horovod#1 body (32,768); kept whole; --long cut" in said
    body, said = cell("--long", "cut")
    assert body.endswith("x [cut: 32,768 characters in all]")
    assert len(body.encode("utf-16-le")) == 2 * CELL
    assert "cut with a mark" in said
    body, said = cell("--long", "leave-out")
    assert (body, "left out with a mark" in said) == ("[left out: 32,768 characters]", True)


def test_what_just_fits_is_left_alone():
    assert fitting("x" * CELL, "cut") == ("x" * CELL, 0)
    assert fitting("🙂" * (CELL // 2), "cut")[1] == 0
    assert fitting("🙂" * (CELL // 2 + 1), "cut")[1] == CELL + 1


def test_a_cell_beyond_the_limit_of_pythons_csv_module_is_explained(field, capsys):
    mining = field(Corpus({"horovod/horovod": 3}, {}, pulls=0, closed=1), [long_body(200_000)])
    mining.run(*GH, token=False)
    capsys.readouterr()
    assert mining("export", "--all") == 0
    assert '"field larger than field limit"' in capsys.readouterr().out
    with (mining.store / "export" / "threads.csv").open(encoding="utf-8", newline="") as file:
        with pytest.raises(csv.Error, match="field larger than field limit"):
            list(csv.reader(file))
        file.seek(0)
        before = csv.field_size_limit(2**21)  # as the sentence says
        try:
            assert len(list(csv.reader(file))) == 4
        finally:
            csv.field_size_limit(before)


def test_raw_answers_as_json_lines(field, capsys):
    mining = field(Corpus({"horovod/horovod": 120}, {"horovod": 30}))
    mining.run()
    capsys.readouterr()
    assert mining("export", "--raw") == 0
    path = mining.store / "export" / "raw.jsonl"
    with path.open(encoding="utf-8") as file:
        answers = [json.loads(line) for line in file]
    # The filter of Stack Exchange is an answer, too.
    assert len(answers) == mining.fake.sent() == 5
    assert capsys.readouterr().out == f"{path}: 5 answers\n"
    assert [a["seq"] for a in answers] == [1, 2, 3, 4, 5]
    numbers = {node["number"] for a in answers if a["kind"] == "graphql-list"
               for node in json.loads(a["body"])["data"]["repository"]["issues"]["nodes"]}
    assert numbers == mining.corpus.truth("horovod/horovod")
    assert all(sha256(a["body"].encode()).hexdigest() == a["sha256"] for a in answers)


def test_an_export_that_breaks_off_leaves_the_one_before(field, monkeypatch, capsys):
    # It was written in place: a full disk left a short, well-formed file under its name.
    mining = field(Corpus({"horovod/horovod": 60}, {}))
    mining.run(*GH)
    assert mining("export", "--all") == 0
    path = mining.store / "export" / "threads.csv"
    before = path.read_bytes()

    real = csv.writer

    def on_a_full_disk(file, **options):
        writer, rows = real(file, **options), iter(range(3))

        def writerow(row):
            if next(rows, None) is None:
                raise OSError(28, "No space left on device", str(path))
            return writer.writerow(row)

        return SimpleNamespace(writerow=writerow)

    monkeypatch.setattr(csv, "writer", on_a_full_disk)
    capsys.readouterr()
    assert mining("export") == 2
    assert "No space left on device" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert sorted(p.name for p in path.parent.iterdir()) == ["comments.csv", "threads.csv"]
