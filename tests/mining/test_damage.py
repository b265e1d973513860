"""Two hundred damages to the files of a store: healed, refused by name, or read right."""

import random
import shutil

from fakeapi import Corpus

COMMANDS = (("status",), ("export", "--all"), ("sample", "--n", "5"), ("replay",))


def damage(path, older, rng):
    """Cut, flip, delete, or swap with an older copy; says what was done."""
    raw, kind = bytearray(path.read_bytes()), rng.choice(("cut", "flip", "delete", "swap"))
    if kind == "cut":
        path.write_bytes(raw[:rng.randrange(len(raw) or 1)])
    elif kind == "flip" and raw:
        raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        path.write_bytes(raw)
    elif kind == "swap" and (older / path.name).exists():
        shutil.copy(older / path.name, path)
    else:
        path.unlink()
    return kind


def test_200_damages(field, tmp_path, capsys):
    mining = field(Corpus({"horovod/horovod": 60}, {"horovod": 30}))
    mining.run("--limit", "20")
    older = tmp_path / "older"
    shutil.copytree(mining.store, older)
    mining.run()
    whole, snapshot = tmp_path / "whole", mining.snapshot()
    assert mining("export", "--all") == 0
    table = (mining.store / "export" / "threads.csv").read_bytes()
    shutil.copytree(mining.store, whole)
    files = sorted(p.relative_to(whole) for p in whole.rglob("*") if p.is_file()
                   and "export" not in p.parts)
    rng, refused = random.Random(5), 0
    for round_ in range(200):
        shutil.rmtree(mining.store)
        shutil.copytree(whole, mining.store)
        name = files[round_ % len(files)]
        done = f"{name}, {damage(mining.store / name, older / name.parent, rng)}"
        corpus = mining.store / "corpus.sqlite"
        before = corpus.read_bytes() if corpus.exists() else None
        shutil.rmtree(mining.store / "export")
        capsys.readouterr()
        for command in COMMANDS:
            code = mining(*command)
            error = capsys.readouterr().err
            assert code in (0, 2), done
            assert code == 0 or (str(mining.store) in error and error.count("\n") == 1), done
            assert "Traceback" not in error, done
            refused += code == 2
            if code == 0 and command[0] == "export" and name.name != "manifest.json":
                assert (mining.store / "export" / "threads.csv").read_bytes() == table, done
            if code == 0 and command[0] == "replay":
                assert mining.snapshot() == snapshot, done
        # No byte of what is stored is changed by looking at it.
        assert (corpus.read_bytes() if corpus.exists() else None) == before, done
    assert refused > 50


def test_an_export_of_a_cut_snapshot_is_refused_and_leaves_nothing(field, capsys):
    mining = field(Corpus({"horovod/horovod": 60}, {}))
    mining.run("--platform", "github")
    path = mining.store / "snapshot" / "comments.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))  # at a line: well-formed, and short
    capsys.readouterr()
    assert mining("export", "--all") == 2
    assert "comments.jsonl: its sum is not that of manifest.json" in capsys.readouterr().err
    assert not (mining.store / "export" / "comments.csv").exists()
    assert not list((mining.store / "export").glob(".*"))
    threads = mining.store / "snapshot" / "threads.jsonl"
    threads.write_bytes(threads.read_bytes()[:-9])
    for command in (("export",), ("sample", "--n", "5"), ("drift",)):
        assert mining(*command) == 2
        assert "threads.jsonl: its sum is not that of manifest.json" in capsys.readouterr().err
