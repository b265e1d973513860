"""Killed, cut, of another kind, twice at once: whole parts stay, and one line says why."""

import os
import random
import shutil
import signal
import subprocess
import time

import pytest
from bulkrun import bulk, files, scale, start
from bulkworld import posts_xml
from fakeapi import Corpus

pytestmark = scale
SMALL = ("--block", "1", "--workers", "2")


@pytest.fixture(scope="module")
def posts(tmp_path_factory):
    """About 15 MB of dump, and its parts as a run in peace makes them."""
    folder = tmp_path_factory.mktemp("posts")
    path = posts_xml(Corpus({}, {"horovod": 10_000}), folder / "Posts.xml")
    bulk("ingest", path, "--out", folder / "peace", *SMALL)
    return path, files(folder / "peace")


def killed(posts, folder, kills, seed):
    """Kill the group or the parent alone at random moments, then let it end."""
    rng, made = random.Random(seed), 0
    while made < kills:
        process = start("ingest", posts, "--out", folder, *SMALL)
        time.sleep(rng.uniform(0.1, 1.2))
        if process.poll() is not None:  # ended before: the rest is killed at a fresh start
            process.communicate()
            shutil.rmtree(folder)
            continue
        if made % 2:
            os.kill(process.pid, signal.SIGKILL)
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        made += 1
    bulk("ingest", posts, "--out", folder, *SMALL)
    return process.pid


def test_kills_of_group_and_parent_leave_the_same_files(posts, tmp_path):
    path, peace = posts
    killed(path, tmp_path / "fire", 6, seed=3)
    assert files(tmp_path / "fire") == peace
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert str(tmp_path) not in listed


BAD = {
    "no end tag": (lambda d: d.removesuffix(b"</posts>"), "without </posts>"),
    "cut": (lambda d: d[:len(d) * 2 // 3], "cut short"),
    "Users.xml": (lambda _: b'<?xml version="1.0"?>\n<users>\n  <row Id="1" />\n</users>',
                  "holds <users>"),
    "UTF-16": (lambda d: d[:9000].decode("utf-8-sig").encode("utf-16"), "UTF-16"),
    "Latin-1": (lambda d: d.replace(b"Synthetic question", b"Synth\xe9tique", 1), "not"),
    "empty": (lambda _: b"", "is empty"),
    "text": (lambda _: b"hello\n", "Posts.xml"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_line(posts, tmp_path, case, packed):
    spoil, word = BAD[case]
    data = spoil(posts[0].read_bytes())
    path = tmp_path / ("Posts.xml.zst" if packed else "Posts.xml")
    if packed:
        if not shutil.which("zstd"):
            pytest.skip("no zstd to pack with")
        data = subprocess.run(["zstd", "-1q"], input=data, capture_output=True).stdout
    path.write_bytes(data)
    said = bulk("ingest", path, "--out", tmp_path / "out", *SMALL, code=2)
    assert word in said and "Traceback" not in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "out" / "done.json").exists()
    assert not list((tmp_path / "out").rglob("*.tmp"))


def _parts(folder):
    return {k: v for k, v in files(folder).items() if k.endswith("parquet")}


@pytest.mark.parametrize("form", ["-", "zst", "bsdtar"])
def test_however_the_dump_arrives_the_parts_are_the_same(posts, tmp_path, form):
    path, peace = posts
    wanted = {k: v for k, v in peace.items() if k.endswith("parquet")}
    if form == "-":
        with path.open("rb") as file:
            process = start("ingest", "-", "--out", tmp_path / "so", *SMALL, stdin=file)
            said = "".join(process.communicate(timeout=300))
        assert process.returncode == 0, said
        assert _parts(tmp_path / "so") == wanted
        return
    if form == "zst":
        if not shutil.which("zstd"):
            pytest.skip("no zstd to pack with")
        packed = tmp_path / "Posts.xml.zst"
        subprocess.run(["zstd", "-q", "-1", path, "-o", packed], check=True)
        bulk("ingest", packed, "--out", tmp_path / "so", *SMALL)
        assert _parts(tmp_path / "so") == wanted
        return
    tool, tar = shutil.which("7zz") or shutil.which("7z"), shutil.which("bsdtar")
    if not tool or not tar:
        pytest.skip("no 7zz to pack with, or no bsdtar to unpack with")
    packed, only = tmp_path / "Posts.7z", tmp_path / "bin"
    subprocess.run([tool, "a", "-bd", "-mx1", packed, path], check=True, capture_output=True)
    only.mkdir()
    (only / "bsdtar").symlink_to(tar)
    process = start("ingest", packed, "--out", tmp_path / "so", *SMALL,
                    env={**os.environ, "PATH": str(only)})  # where 7zz is not installed
    said = "".join(process.communicate(timeout=300))
    assert process.returncode == 0, said
    assert _parts(tmp_path / "so") == wanted


def test_a_cut_7z_is_called_damaged_and_a_whole_one_gives_the_same_parts(posts, tmp_path):
    tool = shutil.which("7zz") or shutil.which("7z")
    if not tool:
        pytest.skip("no 7zz to pack with")
    path, peace = posts
    packed = tmp_path / "Posts.7z"
    subprocess.run([tool, "a", "-bd", "-mx1", packed, path], check=True, capture_output=True)
    bulk("ingest", packed, "--out", tmp_path / "whole", *SMALL)
    assert _parts(tmp_path / "whole") == {k: v for k, v in peace.items()
                                          if k.endswith("parquet")}
    packed.write_bytes(packed.read_bytes()[:-5000])
    said = bulk("ingest", packed, "--out", tmp_path / "cut", *SMALL, code=2)
    assert "damaged or cut short" in said and len(said.splitlines()) == 1


def test_another_block_size_and_another_file_are_refused(posts, tmp_path):
    path, _ = posts
    out = tmp_path / "out"
    half = tmp_path / "Posts.xml"
    data = path.read_bytes()
    half.write_bytes(data[:len(data) // 2])
    bulk("ingest", half, "--out", out, *SMALL, code=2)
    assert list(out.rglob("*.parquet"))
    assert "block" in bulk("ingest", path, "--out", out, "--block", "2", code=2)
    half.write_bytes(data.replace(b"Synthetic", b"synthetic"))
    assert "differs" in bulk("ingest", half, "--out", out, *SMALL, code=2)
    bulk("ingest", path, "--out", out, *SMALL)


def test_two_at_once(posts, tmp_path):
    path, peace = posts
    first = start("ingest", path, "--out", tmp_path / "out", *SMALL)
    while not (tmp_path / "out" / "manifest.jsonl").exists():
        time.sleep(0.01)
    said = bulk("ingest", path, "--out", tmp_path / "out", *SMALL, code=2)
    assert "another ingest" in said and len(said.splitlines()) == 1
    first.communicate()
    assert files(tmp_path / "out") == peace


def test_a_full_disk(posts, tmp_path):
    if os.geteuid() or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", disk],
                      capture_output=True).returncode:
        pytest.skip("no mount here")
    try:
        said = bulk("ingest", posts[0], "--out", disk / "out", *SMALL, code=2)
        assert "No space" in said or "full" in said
        assert len(said.splitlines()) == 1
        assert not list(disk.rglob("*.tmp"))
    finally:
        subprocess.run(["umount", disk])
