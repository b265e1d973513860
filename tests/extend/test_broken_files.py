"""What is no sheet of labels ends in one clear line, never in a traceback."""

import io
import subprocess
import sys
import zipfile

import pytest

from study.base.errors import StudyError
from study.base.paths import ROOT
from study.extend.cli import main

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
NEEDED = ("[Content_Types].xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels")


def bomb(original):
    """A workbook whose sheet unpacks to more than a gigabyte."""
    out, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(original))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for info in old.infolist():
            if info.filename == "xl/worksheets/sheet1.xml":
                with new.open(info.filename, "w", force_zip64=True) as stream:
                    for _ in range(1100):
                        stream.write(bytes(1 << 20))
            else:
                new.writestr(info, old.read(info))
    return out.getvalue()


BROKEN = {
    "not a workbook": (".xlsx", lambda _: b"this is no workbook", "not a workbook"),
    "csv renamed to xlsx": (".xlsx", lambda _: b"Item,Issue\nso:1,1\n", "not a workbook"),
    "password": (".xlsx", lambda _: OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
    "xls": (".xls", lambda _: OLE + b"\0" * 600, "old Excel format"),
    "cut off": (".xlsx", lambda made: made[:3000], "damaged workbook"),
    "another zip": (".xlsx", lambda _: zipped({"a.txt": b"a"}), "workbook"),
    "zip bomb": (".xlsx", bomb, "zip bomb"),
    "empty": (".xlsx", lambda _: b"", "empty file"),
    "xlsx renamed to csv": (".csv", lambda made: made, "workbook"),
    "no JSON": (".json", lambda _: b"[{]", "no JSON"),
    "no tasks": (".json", lambda _: b"[1]", "the record is not an object"),
    "no lines": (".jsonl", lambda _: b"{\"a\": 1}\n", "neither \"label\""),
    "no text": (".csv", lambda _: b"\0\1\2", "not a text file"),
}


def zipped(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("name", BROKEN)
def test_one_clear_line(name, started, capsys):
    suffix, make, says = BROKEN[name]
    original = (started.sheets / "round1-R1.xlsx").read_bytes()
    path = started.folder / f"round1-R1{suffix}"
    path.write_bytes(make(original))
    try:
        code = main(["check", str(started.folder), str(path)])
        said = capsys.readouterr().out
        lines = [line for line in said.splitlines() if "round1-R1" in line]
    except ValueError as error:  # what the commands print as one line, with exit 2
        code, lines = 2, str(error).splitlines()
    assert code == 2
    assert len(lines) == 1
    assert says in lines[0]
    assert "Traceback" not in lines[0]


WRONG = (["check", "no-such-one"], ["new", "Bad Name"], ["agree", "FOLDER"],
         ["counts", "nothing"], ["new", "fresh", "--from", "nowhere"], ["frobnicate"])


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_uses_end_in_what_the_command_prints_as_one_line(arguments, started):
    arguments = [a.replace("FOLDER", str(started.folder)) for a in arguments]
    with pytest.raises((StudyError, SystemExit)) as ended:
        sys.exit(main(arguments))
    if ended.type is SystemExit:
        assert ended.value.code == 2
    else:
        assert "\n" not in str(ended.value)


def test_the_command_itself_prints_no_traceback(started):
    path = started.folder / "round1-R1.json"
    path.write_text("[{]", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "study", "label", "check", str(started.folder),
                           str(path)], capture_output=True, text=True, check=False,
                          cwd=ROOT / "notebooks")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr + done.stdout


def test_a_sheet_of_strangers_is_refused(started, tmp_path):
    path = tmp_path / "labels.xlsx"
    path.write_bytes((started.sheets / "round1-R1.xlsx").read_bytes())
    for name, says in (("labels.xlsx", "whose sheet"), ("round9-R1.xlsx", "no round 9"),
                       ("round1-R7.xlsx", "no rater R7")):
        copy = tmp_path / name
        copy.write_bytes(path.read_bytes())
        with pytest.raises(ValueError, match=says):
            main(["check", str(started.folder), str(copy)])
