"""Fetching: whole and verified, or not at all. No test reaches the network."""

import dataclasses
import hashlib
from pathlib import Path

import pooch
import pytest
import requests

from study.base.errors import StudyError
from study.base.paths import ROOT
from study.read import upstream as module
from study.read.upstream import Pin, fetch, load_upstream, verify


def names(folder):
    return sorted(p.name for p in folder.iterdir()) if folder.exists() else []


# --- the list of files ---


def test_the_committed_list_pins_every_file_it_uses():
    upstream = load_upstream()
    pinned = [pin.name for pin in upstream.pins]
    assert len(set(pinned)) == len(pinned)
    used = {s["file"] for s in upstream.sheets} | {c["file"] for c in upstream.candidates}
    assert used == set(pinned)
    for pin in upstream.pins:
        assert len(pin.sha256) == 64 and int(pin.sha256, 16) and pin.bytes > 0
    assert len(upstream.commit) == 40 and int(upstream.commit, 16)
    for declared in upstream.sheets:
        assert set(declared["columns"]) <= set(upstream.columns)


def test_the_pins_are_the_sums_of_the_released_files(released):
    for pin in load_upstream().pins:
        data = (released / pin.path).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (pin.bytes, pin.sha256), pin.name


@pytest.mark.parametrize(("old", "new", "message"), [
    ("sha256 =", "sha =", r"upstream\.toml: the key 'sha256' is missing; restore it"),
    ("[columns]", "[titles]", r"upstream\.toml: the key 'columns' is missing; restore it"),
    ("[[file]]", "[[file]", r"upstream\.toml: .*; mend the TOML there"),
])
def test_a_wrong_list(release, old, new, message):
    text = release.upstream.read_text(encoding="utf-8")
    release.upstream.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(StudyError, match=message):
        load_upstream(release.upstream)


def test_a_missing_list(tmp_path):
    with pytest.raises(StudyError, match=r"upstream\.toml is missing; restore it"):
        load_upstream(tmp_path / "upstream.toml")


# --- verifying ---


def test_verify_names_both_sums_and_sizes(tmp_path):
    good, bad = b"synthetic", b"synthetiC"
    pin = Pin("a.txt", "there/a.txt", len(good), hashlib.sha256(good).hexdigest())
    path = tmp_path / "a.txt"
    with pytest.raises(StudyError, match=r"a\.txt is missing; run `python reproduce.py data`"):
        verify(pin, path)
    path.write_bytes(good)
    verify(pin, path)
    path.write_bytes(bad)
    with pytest.raises(StudyError) as error:
        verify(pin, path)
    assert str(error.value) == (
        f"a.txt is not the released file: 9 bytes, SHA-256 {hashlib.sha256(bad).hexdigest()}; "
        f"expected 9 bytes, SHA-256 {pin.sha256} (there/a.txt); fetch an unchanged copy")


# --- from a folder ---


def test_from_a_folder_under_plain_names(release, tmp_path):
    upstream, seen = load_upstream(release.upstream), []
    folder = fetch(upstream, tmp_path / "kept", str(release.mirror), lambda pin: seen.append(pin))
    assert names(folder) == sorted(p.name for p in upstream.pins)
    assert tuple(seen) == upstream.pins
    assert (folder / "pilot.xlsx").read_bytes() == release.path("pilot.xlsx").read_bytes()


def test_the_folder_may_be_named_in_the_environment(release, tmp_path, monkeypatch):
    monkeypatch.setenv("STUDY_MIRROR", str(release.mirror))
    assert "pilot.xlsx" in names(fetch(load_upstream(release.upstream), tmp_path / "kept"))


def test_no_such_folder(release, tmp_path, monkeypatch):
    monkeypatch.setenv("STUDY_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(StudyError, match=r"STUDY_MIRROR=.*nowhere is no folder; name one that "
                                         "holds the authors' files under their own paths"):
        fetch(load_upstream(release.upstream), tmp_path / "kept")
    assert names(tmp_path / "kept") == []


def spoil(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def test_one_byte_changed_keeps_nothing_and_names_both_sums(release, tmp_path):
    upstream = load_upstream(release.upstream)
    found = spoil(release.path("candidates-alpha.txt"))  # the first file
    with pytest.raises(StudyError) as error:
        fetch(upstream, tmp_path / "kept", str(release.mirror))
    assert found in str(error.value) and upstream.pins[0].sha256 in str(error.value)
    assert "candidates-alpha.txt is not the released file" in str(error.value)
    assert names(tmp_path / "kept") == []


def test_a_changed_mirror_is_noticed_though_good_files_are_there(release, tmp_path):
    upstream = load_upstream(release.upstream)
    folder = fetch(upstream, tmp_path / "kept", str(release.mirror))
    good = (folder / "final.xlsx").read_bytes()
    spoil(release.path("final.xlsx"))
    with pytest.raises(StudyError, match=r"final\.xlsx is not the released file"):
        fetch(upstream, tmp_path / "kept", str(release.mirror))
    assert (folder / "final.xlsx").read_bytes() == good


def test_a_damaged_copy_is_replaced_from_a_good_folder(release, tmp_path):
    upstream = load_upstream(release.upstream)
    folder = fetch(upstream, tmp_path / "kept", str(release.mirror))
    spoil(folder / "final.xlsx")
    fetch(upstream, folder, str(release.mirror))
    assert (folder / "final.xlsx").read_bytes() == release.path("final.xlsx").read_bytes()


def test_a_missing_workbook(release, tmp_path):
    release.path("candidates-alpha.txt").unlink()
    with pytest.raises(StudyError, match=r"candidates-alpha\.txt is missing; .*STUDY_MIRROR to a "
                                         "folder that has it"):
        fetch(load_upstream(release.upstream), tmp_path / "kept", str(release.mirror))
    assert names(tmp_path / "kept") == []


def test_a_copy_that_breaks_off_leaves_no_half_file(release, tmp_path, monkeypatch):
    def copy(_source, output):
        Path(output).write_bytes(b"half")
        raise KeyboardInterrupt
    monkeypatch.setattr(module.shutil, "copyfile", copy)
    with pytest.raises(KeyboardInterrupt):
        fetch(load_upstream(release.upstream), tmp_path / "kept", str(release.mirror))
    assert names(tmp_path / "kept") == []


# --- from an address ---


@pytest.fixture
def downloads(release, monkeypatch):
    """Replace the downloader: it serves the synthetic release, or does what a test says."""
    class Served:
        urls, fail = [], None

        def __init__(self, **kwargs):
            assert kwargs["timeout"]

        def __call__(self, url, output, _pooch):
            Served.urls.append(url)
            name = url.rpartition("/")[2]
            data = release.path(name).read_bytes()
            Path(output).write_bytes(data[:5] if Served.fail else data)
            if Served.fail:
                raise Served.fail
    Served.urls, Served.fail = [], None
    monkeypatch.setattr(pooch, "HTTPDownloader", Served)
    return Served


def test_addresses_are_quoted_and_files_fetched_once(release, tmp_path, downloads):
    upstream = load_upstream(release.upstream)
    folder = fetch(upstream, tmp_path / "kept")
    assert downloads.urls[0] == ("https://synthetic.invalid/synthetic/release/0/"
                                 "released%20here/candidates-alpha.txt")
    assert len(downloads.urls) == len(upstream.pins)
    fetch(upstream, folder)
    assert len(downloads.urls) == len(upstream.pins)  # nothing fetched twice
    assert names(folder) == sorted(p.name for p in upstream.pins)


def test_a_mirror_may_be_an_address(release, tmp_path, downloads):
    fetch(load_upstream(release.upstream), tmp_path / "kept", "https://mirror.invalid/copy/")
    assert downloads.urls[0] == ("https://mirror.invalid/copy/released%20here/"
                                 "candidates-alpha.txt")


@pytest.mark.parametrize("error", [
    requests.ConnectionError("no route"), requests.Timeout(), requests.HTTPError("404"),
    requests.exceptions.ChunkedEncodingError("broke off")])
def test_without_network_one_line_says_what_helps(release, tmp_path, downloads, error):
    downloads.fail = error
    with pytest.raises(StudyError) as raised:
        fetch(load_upstream(release.upstream), tmp_path / "kept")
    assert str(raised.value) == (
        f"candidates-alpha.txt cannot be fetched ({type(error).__name__}); check the network, or "
        "set STUDY_MIRROR to a copy. The committed counts in data/study need no network: "
        "python reproduce.py")
    assert names(tmp_path / "kept") == []


def test_a_download_that_is_stopped_leaves_no_half_file(release, tmp_path, downloads):
    downloads.fail = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        fetch(load_upstream(release.upstream), tmp_path / "kept")
    assert names(tmp_path / "kept") == []


@pytest.mark.usefixtures("downloads")
def test_a_server_with_another_file(release, tmp_path):
    found = spoil(release.path("candidates-alpha.txt"))
    with pytest.raises(StudyError, match=f"alpha.txt is not the released file: .*{found}"):
        fetch(load_upstream(release.upstream), tmp_path / "kept")
    assert names(tmp_path / "kept") == []


@pytest.mark.usefixtures("downloads")
def test_a_copy_damaged_later_is_not_used(release, tmp_path):
    upstream = load_upstream(release.upstream)
    folder = fetch(upstream, tmp_path / "kept")
    spoil(folder / "pilot.xlsx")
    with pytest.raises(StudyError, match=r"pilot\.xlsx is not the released file.*; delete .*"
                                         r"pilot\.xlsx and run this again to fetch it anew"):
        fetch(upstream, folder)


def test_what_is_fetched_is_ignored_by_version_control():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "data/raw/" in ignored


def test_pins_cannot_be_changed():
    """What a file must be is declared in one place only."""
    upstream = load_upstream()
    for thing, name in ((upstream.pins[0], "sha256"), (upstream, "commit")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, "")
