"""Results are written whole or not at all, and only where they differ."""

from pathlib import Path

import pytest

from study.base import files as module
from study.base.errors import StudyError
from study.base.files import SHAPING, locked_versions, other_versions, publish, replace_block


def test_a_new_file_is_written_in_a_new_folder_as_utf8_with_lf(tmp_path):
    path = tmp_path / "a" / "b.txt"
    assert publish(path, "é\n") is True
    assert path.read_bytes() == b"\xc3\xa9\n"
    assert publish(path, "é\n") is False
    assert publish(path, b"\x00\x01") is True
    assert path.read_bytes() == b"\x00\x01"


def test_an_equal_file_is_left_alone(tmp_path):
    path = tmp_path / "a.txt"
    publish(path, "x\n")
    before = path.stat()
    assert publish(path, "x\n") is False
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_checkout_with_crlf_is_no_change_for_text_but_one_for_bytes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,n\r\nx,1\r\n")
    assert publish(path, "a,n\nx,1\n") is False
    assert path.read_bytes() == b"a,n\r\nx,1\r\n"
    assert publish(path, b"a,n\nx,1\n") is True
    path.write_bytes(b"a,n\r\nx,2\r\n")
    assert publish(path, "a,n\nx,1\n") is True
    assert path.read_bytes() == b"a,n\nx,1\n"


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_a_failure_in_between_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "a.txt"
    publish(path, "old\n")

    def half(self, data):
        if step == "write_bytes":
            with self.open("wb") as stream:
                stream.write(data[:2])
        raise OSError("No space left on device")
    monkeypatch.setattr(Path, step, half)
    with pytest.raises(OSError, match="No space left"):
        publish(path, "new and longer\n")
    monkeypatch.undo()
    assert path.read_bytes() == b"old\n"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_locked_versions_are_read_by_name(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text("a[b,c]==1 \\\nnumpy==2.4.6 \\\n    --hash=sha256:ab\nPandas==3.1.1\n"
                    "colorama==0.4.6 ; sys_platform == 'win32' \\\n    --hash=sha256:cd\n# via\n",
                    encoding="utf-8")
    assert locked_versions(lock) == {"a": "1", "numpy": "2.4.6", "pandas": "3.1.1",
                                     "colorama": "0.4.6"}


def test_this_environment_is_the_locked_one():
    assert other_versions() == {}
    assert set(SHAPING) <= set(locked_versions())


def test_another_lock_names_the_installed_version(tmp_path):
    import numpy
    text = module.LOCK.read_text(encoding="utf-8")
    lock = tmp_path / "lock"
    lock.write_text(text.replace(f"numpy=={numpy.__version__}", "numpy==0.1"), encoding="utf-8")
    assert other_versions(lock) == {"numpy": numpy.__version__}
    lock.write_text("", encoding="utf-8")
    assert set(other_versions(lock)) == set(SHAPING)


def test_a_package_that_is_not_there_is_said():
    found = other_versions(names=("no-such-package-at-all",))
    assert found == {"no-such-package-at-all": "not installed"}


PAGE = "# Title\n<!-- t -->\nold\n<!-- /t -->\nend <!-- other -->\n"


def test_replace_block_changes_what_is_between_and_nothing_else(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8", newline="\n")
    assert replace_block(path, "t", "| a |\n| b |") is True
    assert path.read_text(encoding="utf-8") == PAGE.replace("old", "| a |\n| b |")
    assert replace_block(path, "t", "| a |\n| b |") is False
    assert replace_block(path, "t", "") is True
    assert path.read_text(encoding="utf-8") == PAGE.replace("old", "")


def test_replace_block_of_a_crlf_checkout(tmp_path):
    path = tmp_path / "page.md"
    crlf = PAGE.replace("\n", "\r\n").encode()
    path.write_bytes(crlf)
    assert replace_block(path, "t", "old") is False
    assert path.read_bytes() == crlf


@pytest.mark.parametrize("page", [
    "no marks\n", "<!-- t -->\n", "<!-- /t -->\n", PAGE + "<!-- t -->\n",
    "<!-- /t -->\nold\n<!-- t -->\n"])
def test_replace_block_without_its_marks_names_them_and_leaves_the_page(tmp_path, page):
    path = tmp_path / "page.md"
    path.write_text(page, encoding="utf-8", newline="\n")
    with pytest.raises(StudyError, match=r"page\.md needs the marks <!-- t --> and <!-- /t -->"):
        replace_block(path, "t", "new")
    assert path.read_text(encoding="utf-8") == page


def test_replace_block_of_a_missing_page(tmp_path):
    with pytest.raises(StudyError, match=r"page\.md is missing"):
        replace_block(tmp_path / "page.md", "t", "new")
