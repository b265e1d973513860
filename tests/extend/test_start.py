"""What ``label new`` leaves behind."""

import shutil
import subprocess

import pytest

from study.extend.folder import extension
from study.extend.start import start

PRIVATE = ("sample.csv", "sheets/round1-R1.xlsx", "tools/labelstudio-config.xml",
           "handed_in/round1-R1.xlsx", "snapshot/threads.jsonl")
PUBLIC = ("plan.json", "labels.csv", "codebook.qdc", "agreement.csv", "faults.csv", ".gitignore")


@pytest.mark.skipif(not shutil.which("git"), reason="no git here")
def test_git_ignores_texts_and_sheets_until_the_owner_says_otherwise(started):
    folder = started.folder
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    ignored = subprocess.run(["git", "-C", str(folder), "check-ignore", *PRIVATE, *PUBLIC],
                             capture_output=True, text=True, check=False).stdout.split()
    assert ignored == list(PRIVATE)


def test_an_ignore_file_that_was_deleted_stays_so(snapshot, started):
    path = started.path(".gitignore")
    path.unlink()
    start("moelib", snapshot, 60, rounds=2, force=True)
    assert not path.exists() and extension("moelib").plan["n"] == 60
