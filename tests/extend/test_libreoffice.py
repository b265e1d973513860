"""LibreOffice opens every workbook as it is, and hands it back with the same labels."""

import shutil
import subprocess

import material
import pytest

from study.base.files import publish
from study.extend.canonical import to_text
from study.extend.handed_in import canonical_rows, check_file
from study.extend.workbook import workbook
from study.read.codebook import load_codebook

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")


@pytest.mark.skipif(not OFFICE, reason="LibreOffice (soffice) is not installed")
def test_opened_and_saved_by_libreoffice(started, tmp_path):
    tasks = started.tasks("1")
    said = material.truth(tasks)
    path = tmp_path / "given" / "round1-R1.xlsx"
    publish(path, workbook(tasks, "1", "R1", load_codebook(), said))
    home = tmp_path / "profile"
    for form, name in (("xlsx:Calc MS Excel 2007 XML", "round1-R1.xlsx"), ("fods", "f.fods")):
        done = subprocess.run(
            [OFFICE, f"-env:UserInstallation={home.as_uri()}", "--headless", "--convert-to", form,
             "--outdir", str(tmp_path / "back"), str(path)],
            capture_output=True, text=True, timeout=180, check=True)
        assert "repair" not in done.stdout.lower() + done.stderr.lower(), name
    checked, = check_file(tmp_path / "back" / "round1-R1.xlsx", started)
    assert checked.errors() == []
    assert to_text(canonical_rows(started, [checked])) == to_text(
        material.canonical(said, tasks, "1", "R1"))
    text = (tmp_path / "back" / "round1-R1.fods").read_text(encoding="utf-8")
    assert text.count("cell-content-is-in-list") >= 8
    assert "#REF!" not in text and "#NAME?" not in text
