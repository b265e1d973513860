"""A synthetic release: a small codebook, workbooks, pins, and the commands on them."""

import hashlib

import openpyxl

from study.read.codebook import FACETS
from study.tabulate import rebuild

SMALL_CODEBOOK = """
version = "synthetic"
undecided = ["pending", "pendign"]

[[issue_type]]
name = "fault"
[[issue_type]]
name = "how-to question"

[[distributed_specific]]
name = "1"
[[distributed_specific]]
name = "0"

[[topic]]
name = "usage"
aliases = ["use"]
[[topic]]
name = "API tour"

[[subtopic]]
name = "first steps"
parents = ["usage"]

[[stage]]
name = "start"
[[stage]]
name = "run"

[[group]]
name = "crash"
parents = ["run"]

[[symptom]]
name = "no start"
parents = ["start"]
aliases = ["not starting"]
[[symptom]]
name = "slow"
parents = ["run/crash"]
renamed_from = ["sluggish"]
[[symptom]]
name = "lost file"
parents = ["start", "run/crash"]

[[fix_pattern]]
name = "set flag"
aliases = ["set the flag"]
system_level = "narrow"
[[fix_pattern]]
name = "fix API use"
renamed_from = ["correct call"]
[[fix_pattern]]
name = "move file/folder"
system_level = "middle"
[[fix_pattern]]
name = "other machine"
system_level = "broad"
[[fix_pattern]]
name = "restart"
status = "raters only"

[[combination]]
filed = "set flag/call"
means = ["set flag", "fix API use"]
"""


def write_book(path, sheets):
    """Write a workbook: rows of cells (None: blank) by the name of their sheet."""
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, lines in sheets.items():
        sheet = workbook.create_sheet(name)
        for line in lines:
            sheet.append(line)
    path.parent.mkdir(parents=True, exist_ok=True)
    workbook.save(path)
    return path


LABELS = ["Link", "Issue Type ", "How-to topic", "Sub-topic", "Distributed-specified", "Stage",
          "Inner Symptom", "Leaf Category", "Fix Pattern", "Memo"]
GITHUB = "https://github.com/synthetic/repo/issues/"
ASKED = "https://stackoverflow.com/questions/"
_FAULT, _QUESTION = "fault", "how-to question"

# Two raters, what they settled, an earlier pilot, and the final table.
SYNTHETIC = {
    "final.xlsx": {
        "how-to questions": [
            ["Type", "Link", "how-to topic", "sub-topic"],
            ["GitHub-alpha", GITHUB + "2", "usage", "first steps"],
            ["SO-beta & SO-alpha", ASKED + "11", "API tour", None]],
        "faults": [
            ["Type", "Link", "distributed-specific", "stage", "inner-category",
             "leaf category", "fix pattern"],
            ["GitHub-alpha", GITHUB + "1", 1, "start", None, "no start", "set flag"],
            [None, None, 0, "run", "crash", "slow", "set flag & move file/folder"],
            ["GitHub-alpha", GITHUB + "3", 1, "run", "crash", "lost file", "fix API use"],
            ["SO-beta", ASKED + "12", 1, "start", None, "not starting", "other machine"]]},
    "pilot.xlsx": {
        "pilot": [
            LABELS,
            [GITHUB + "3", _FAULT, None, None, 1, "run", "crash", "lost file", "set flag"]]},
    "round1.xlsx": {
        "label1": [
            LABELS,
            [GITHUB + "1", _FAULT, None, None, 1, "start", None, "no start", "set flag"],
            [None, _FAULT, None, None, 0, "run", "crash", "sluggish", "pending"],
            [GITHUB + "2", _QUESTION, "usage", "first steps"],
            [ASKED + "11", _QUESTION, "API tour"]],
        "label2": [
            LABELS,
            [GITHUB + "1", _FAULT, None, None, 1, "start", None, "lost file", "set flag"],
            [GITHUB + "2", _QUESTION, "usage", "first steps"],
            [ASKED + "11", _FAULT, None, None, 1, "run", "crash", "slow", "restart"]],
        "Final": [
            LABELS,
            [GITHUB + "1", _FAULT, None, None, 1, "start", None, "no start", "set flag"],
            [None, _FAULT, None, None, 0, "run", "crash", "slow", "set flag"],
            [GITHUB + "2", _QUESTION, "usage", "first steps"],
            [ASKED + "11", _QUESTION, "API tour"]]},
}
_RATED = ["link", *FACETS, "memo"]
SHEETS = [
    ("final.xlsx", "how-to questions", "final", "final", _QUESTION,
     ["type", "link", "topic", "subtopic"]),
    ("final.xlsx", "faults", "final", "final", _FAULT,
     ["type", "link", "distributed_specific", "stage", "group", "symptom", "fix_pattern"]),
    ("pilot.xlsx", "pilot", "pilot", "pilot", None, _RATED),
    ("round1.xlsx", "label1", "1", "R1", None, _RATED),
    ("round1.xlsx", "label2", "1", "R2", None, _RATED),
    ("round1.xlsx", "Final", "1", "adjudicated", None, _RATED),
]
TITLES = {
    "link": ["Link"], "type": ["Type"], "issue_type": ["Issue Type"], "topic": ["How-to topic"],
    "subtopic": ["Sub-topic"], "memo": ["Memo"], "stage": ["Stage"],
    "distributed_specific": ["Distributed-specified", "distributed-specific"],
    "group": ["Inner Symptom", "inner-category"], "symptom": ["Leaf Category"],
    "fix_pattern": ["Fix Pattern"],
}


class Release:
    """A synthetic release in a folder: files, their pins, a codebook, and the commands."""

    def __init__(self, folder):
        self.mirror = folder / "mirror"
        self.upstream, self.codebook = folder / "upstream.toml", folder / "codebook.toml"
        self.raw, self.study = folder / "raw", folder / "study"
        self.codebook.write_text(SMALL_CODEBOOK, encoding="utf-8", newline="\n")
        for name, sheets in SYNTHETIC.items():
            write_book(self.path(name), sheets)
        self.path("candidates-alpha.txt").write_text(
            "".join(f"{GITHUB}{n}\n" for n in (1, 2, 4)), encoding="utf-8", newline="\n")
        self.path("candidates-beta.txt").write_text("\n", encoding="utf-8", newline="\n")
        self.path("candidates-asked.csv").write_text(
            "question,tags\n" + "".join(f"{ASKED}{n},<beta><python>\n" for n in (11, 12, 13)),
            encoding="utf-8", newline="\n")
        self.pin()

    def path(self, name):
        return self.mirror / "released here" / name

    def pin(self):
        """Write upstream.toml with the sums of the files as they are now."""
        lines = ['repository = "synthetic/release"', 'commit = "0"', 'licence = "none"',
                 'address = "https://synthetic.invalid/{repository}/{commit}/{path}"', ""]
        for path in sorted(self.path("").iterdir()):
            data = path.read_bytes()
            lines += ["[[file]]", f'name = "{path.name}"', f'path = "released here/{path.name}"',
                      f"bytes = {len(data)}", f'sha256 = "{hashlib.sha256(data).hexdigest()}"']
        lines += ["[[candidates]]", 'file = "candidates-alpha.txt"', 'framework = "alpha"',
                  "[[candidates]]", 'file = "candidates-beta.txt"', 'framework = "beta"',
                  "[[candidates]]", 'file = "candidates-asked.csv"', 'link = "question"',
                  'tags = "tags"', "[columns]"]
        lines += [f"{name} = {titles}" for name, titles in TITLES.items()]
        for file, sheet, number, rater, kind, columns in SHEETS:
            lines += ["[[sheet]]", f'file = "{file}"', f'sheet = "{sheet}"',
                      f'round = "{number}"', f'rater = "{rater}"', f"columns = {columns}"]
            lines += [f'issue_type = "{kind}"'] if kind else []
        self.upstream.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")

    def edit(self, file, sheet, cell, value, pin=True):
        """Set one cell of a workbook, and by default adjust its sum."""
        workbook = openpyxl.load_workbook(self.path(file))
        workbook[sheet][cell] = value
        workbook.save(self.path(file))
        if pin:
            self.pin()

    def run(self, write_counts=False):
        """Exit code and lines of ``data`` on this release."""
        lines = []
        code = rebuild.run(write_counts, lines.append, self.upstream, self.codebook, self.raw,
                           self.study, str(self.mirror))
        return code, lines
