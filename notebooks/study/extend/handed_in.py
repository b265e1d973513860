"""Sheets as raters hand them in: one way in for every form."""

from dataclasses import replace
from pathlib import Path

from study.base.errors import StudyError
from study.base.numbers import plural
from study.base.paths import shown
from study.base.words import unguarded
from study.extend import jsonl, labelstudio, model_answers
from study.extend.canonical import decisions
from study.extend.check import check_sheet, columns_needed
from study.extend.records import parsed
from study.extend.workbook import SHEET
from study.read.form import by_models, whose
from study.read.policy import FINAL, PARTIAL, STRICT, Policy
from study.read.sheet import Problem, SheetError
from study.read.sheets import BOOKS, read_sheet
from study.read.xlsx import Workbook

# The last three are read by nobody: the reader says so, instead of passing them over.
FORMS = (".xlsx", ".xlsm", ".csv", ".tsv", ".json", ".jsonl", ".xls", ".ods", ".numbers")

# Tools' own tables, by columns that no sheet has.
TABLES = {"Label Studio": {"annotation_id", "annotator", "lead_time"},
          "doccano": {"id", "text", "label", "item"}}


def check_file(path, extension, policy: Policy = STRICT):
    """Read and check one file of labels.

    Parameters
    ----------
    path : path-like
        xlsx, csv, tsv; Label Studio's JSON or JSON-MIN; JSON lines of doccano, Argilla or
        Prodigy. Its name says round and rater: ``round1-R1.xlsx``, or, where a file holds all
        raters, ``round1-raters.json``.
    extension : Extension
    policy : Policy

    Returns
    -------
    list of Checked
        One a rater. A file that cannot be read at all is one error.

    Raises
    ------
    StudyError
        The file's name says no round or rater of the plan.
    """
    from study.extend.check import Checked
    path = Path(path)
    number, rater = whose(path.name)
    plan = extension.plan
    if number not in plan["rounds"]:
        raise StudyError(f"{path.name}: no round {number} in the plan of {extension.name}; rounds "
                         f"are {', '.join(sorted(plan['rounds']))}")
    known = (*plan["raters"], *plan.get("models", ()))
    if rater not in (*known, "raters"):
        raise StudyError(f"{path.name}: no rater {rater} in the plan of {extension.name}; raters "
                         f"are {', '.join(known)}")
    codebook, given = extension.codebook(number), extension.given(number)
    threads = {thread: cells.pop("link") for thread, cells in given.items()}
    try:
        found = list(_sheets(path, rater, plan, codebook))
    except SheetError as error:
        return [Checked(number, rater, [], [Problem(
            path.name, "", None, None, "", str(error).removeprefix(f"{path.name}: "), "error",
            "unreadable")])]
    made = []
    for sheet, who, more in found:
        checked = check_sheet(sheet, number, who, codebook, threads, policy, given)
        checked.problems[:0] = more
        made.append(checked)
    return made


def _sheets(path, rater, plan, codebook):
    """Sheet, rater, and what is to be said about the file as a whole."""
    suffix = path.suffix.lower()
    if suffix in (".json", ".jsonl"):
        try:
            text = path.read_text(encoding="utf-8-sig")
            if by_models([rater]):
                yield model_answers.read(path, text, codebook), rater, []
                return
            sheets = _exported(path, text, codebook)
        except OSError as error:
            raise SheetError(f"{path.name}: {error.strerror}; check the name") from None
        except UnicodeDecodeError:
            raise SheetError(f"{path.name}: not in UTF-8; export it again") from None
        except StudyError as error:
            raise SheetError(str(error)) from None
        joined, strange = {}, []
        for who, sheet in sorted(sheets.items()):
            found = _rater(who, rater, plan)
            if found is None:
                strange.append(who)
            else:  # sessions of one rater are one sheet
                joined[found] = _after(joined[found], sheet) if found in joined else sheet
        if strange:
            meant = rater if rater != "raters" else plan["raters"][0]
            raise StudyError(
                f"{path.name}: annotator {', '.join(w or 'without a name' for w in strange)} is "
                "no rater of the plan; say who it is: --annotator "
                + " ".join(f"{who or 'NUMBER'}={meant}" for who in strange))
        for who, sheet in joined.items():
            yield sheet, who, []
        return
    sheet, more = read_sheet(path, None if suffix not in BOOKS else _name(path),
                             expected=columns_needed()), []
    if suffix in BOOKS:
        more = list(_about(path, rater, plan))
    elif tool := next((tool for tool, titles in TABLES.items() if titles <= {*sheet.header}), ""):
        raise SheetError(f"{path.name}: a table of {tool}, which does not keep the labels apart; "
                         "export it as JSON")
    else:
        sheet = replace(sheet, rows=[(n, tuple(map(unguarded, cells))) for n, cells in sheet.rows])
    yield sheet, rater, more


def _exported(path, text, codebook):
    """By content, not by ending: Argilla and doccano write arrays as well as lines."""
    if text.lstrip().startswith("["):
        content = parsed(text, path.name)
        if not content:
            raise StudyError(f"{path.name}: an empty list, no labels; export it again")
        if any(isinstance(r, dict) and ("annotations" in r or "annotator" in r)
               for r in content):
            return labelstudio.read(path, content, codebook)
    return jsonl.read(path, text)


def _name(path):
    """The sheet of labels: the one that was handed out, else the only one there is."""
    with path.open("rb") as stream:
        if not stream.read(4).startswith(b"PK"):
            return None  # not a workbook: the reader says so
    with Workbook(path) as book:
        return SHEET if SHEET in book.parts else None


def _rater(who, rater, plan):
    """The rater that an annotator is; None where nobody said so."""
    if rater != "raters" and who in ("", rater):
        return rater
    found = plan.get("annotators", {}).get(who, who)
    return found if found in plan["raters"] else None


def _after(sheet, other):
    """One sheet of two, the rows of the second numbered on."""
    last = sheet.rows[-1][0] if sheet.rows else 0
    return replace(sheet, name=f"{sheet.name}, {other.name}",
                   rows=[*sheet.rows, *((last + n, cells) for n, cells in other.rows)],
                   problems=[*sheet.problems, *other.problems])


def _about(path, rater, plan):
    """What the sheet *about* says against the name of the file and the plan."""
    with Workbook(path) as book:
        if "about" not in book.parts:
            return
        about = book.sheet("about", 1)
    facts = {about.header[0]: about.header[1], **{c[0]: c[1] for _, c in about.rows}}
    number = whose(path.name)[0]
    expected = {"round": number, "rater": rater, "codebook": plan["codebook"][number]}
    says = {"codebook": "its labels may have other meanings; label in the workbook of this "
                        "round's version"}
    for name, value in expected.items():
        if name in facts and facts[name] != value and value != "raters":
            yield Problem(path.name, "about", None, None, facts[name],
                          f"the workbook was made for {name} {facts[name]}, not {value}; "
                          + says.get(name, "a copy of another sheet? Rename it, or hand in the "
                                     "right one"), "error",
                          "codebook" if name == "codebook" else "other-sheet")


def check_round(extension, number, policy=STRICT, paths=None):
    """All sheets of a round, and what shows only when they lie side by side.

    Parameters
    ----------
    extension : Extension
    number : str
    policy : Policy
    paths : list of path-like, optional
        By default those in the folder ``sheets``.

    Returns
    -------
    list of Checked
    """
    paths = sheet_files(extension, number) if paths is None else [Path(p) for p in paths]
    made = [c for path in paths for c in check_file(path, extension, policy)]
    from study.extend.together import together
    together(paths, made)
    return made


def sheet_files(extension, number=None):
    """Files of the raters' sheets of a round (or all), in the order of their names.

    Parameters
    ----------
    extension : Extension
    number : str, optional

    Returns
    -------
    list of pathlib.Path
        Kept older ones and adjudication workbooks are none of them.
    """
    found = []
    for path in sorted(extension.sheets.glob("round*")):
        if path.suffix.lower() in FORMS and ".old" not in path.name and "~" not in path.name:
            its, rater = whose(path.name)
            if rater != "adjudicated" and number in (None, its):
                found.append(path)
    if not found:
        raise StudyError(f"{shown(extension.sheets)}: no sheet"
                         + (f" of round {number}" if number else "") + " there; `label new` "
                         "writes them")
    return found


def rounds_there(extension):
    """Rounds of which a sheet is there, in their order.

    Parameters
    ----------
    extension : Extension

    Returns
    -------
    list of str
        Model raters hand in one round after another; people's sheets are all there from the start.
    """
    return sorted({whose(p.name)[0] for p in sheet_files(extension)}, key=int)


def read_round(extension, number, raters=None):
    """Checked sheets of a round for the steps after the check: errors end it.

    Parameters
    ----------
    extension : Extension
    number : str
    raters : sequence of str, optional
        By default those of the plan.

    Returns
    -------
    list of Checked
        In the order of the raters.

    Raises
    ------
    StudyError
        Some sheet has errors, or a rater's sheet is missing or there twice.
    """
    wanted = list(raters or extension.plan["raters"])
    made = check_round(extension, number, paths=[
        p for p in sheet_files(extension, number) if whose(p.name)[1] in (*wanted, "raters")])
    errors = [p for c in made for p in c.errors()]
    if errors:
        raise StudyError(f"round {number}: {plural(len(errors), 'error')} in the sheets, the "
                         f"first: {errors[0]}. `python reproduce.py label check "
                         f"{extension.name}` lists them all")
    by = {}
    for checked in made:
        if checked.rater in by:
            raise StudyError(f"round {number}: two sheets of {checked.rater}; keep one in "
                             f"{shown(extension.sheets)}")
        by[checked.rater] = checked
    missing = [r for r in wanted if r not in by]
    if missing:
        raise StudyError(f"round {number}: no sheet of {', '.join(missing)} in "
                         f"{shown(extension.sheets)}; it must be handed in first")
    return [by[r] for r in wanted]


def canonical_rows(extension, checked):
    """Decisions of checked sheets in canonical form.

    Parameters
    ----------
    extension : Extension
    checked : list of Checked

    Returns
    -------
    list of tuple
    """
    sources = {t.thread: t.source for t in extension.tasks()}
    return [row for c in checked for row in decisions(c, sources)]


__all__ = ["FINAL", "PARTIAL", "STRICT", "canonical_rows", "check_file", "check_round",
           "read_round", "sheet_files"]
