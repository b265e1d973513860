"""The exercises: solutions pass, stubs fail with a message that teaches, releases leak nothing."""

import ast
import contextlib
import os
import re
import shutil
import subprocess
import sys
import warnings

import matplotlib
import matplotlib.pyplot as plt
import nbformat
import pytest

from study.base.errors import StudyError
from study.base.paths import NOTEBOOKS
from study.run import course
from study.run.notebooks import read

SOURCES = course.sources()
NAMES = [p.stem for p in SOURCES]
MARK = re.compile(r"(?:BEGIN|END) (?:SOLUTION|HIDDEN)")

# Each automatic check, and what it says to somebody who has not begun.
UNTOUCHED = {
    "e1-funnel-check": "Group study.collection by platform",
    "e1-wider-check": "Compare the columns threads and candidates",
    "e1-size-check": "bring n to one side, and round up",
    "e1-margins-check": "Keep the rows of one framework",
    "e1-coverage-check": "Draw, compute the intervals",
    "e2-tree-check": "collect the symptoms one of whose parents begins with it",
    "e2-paths-check": "Group by stage, group and symptom",
    "e2-labels-check": "Label every report; missing",
    "e2-pair-check": "sort the two names, sum n",
    "e2-merge-check": "Rename in both columns",
    "e3-square-check": "reindex both sides",
    "e3-hand-check": "the agreeing pairs are on the diagonal",
    "e3-library-check": "make them square",
    "e3-paradox-check": "move pairs along the diagonal",
    "e3-lift-check": "pairs takes the scope as its third argument",
    "e4-doubled-check": "Map the links to keys first",
    "e4-strange-check": "keep the cells whose folded text is no folded name",
    "e4-repaired-check": "Take the four rules one after the other",
    "e4-log-check": "for each kind of PLANTED",
    "e4-agreement-check": "the share of True in a comparison is its mean",
    "e5-cells-check": "Group by stage and platform",
    "e5-chi-check": "np.outer of the row totals",
    "e5-residuals-check": "keepdims=True",
    "e5-v-check": "It uses chi_square",
    "e5-holm-check": "np.argsort gives the order",
    "e6-data-check": "wilson(count, of) does the rest",
    "e6-draw-check": "make that first",
    "e6-texts-check": "two strings",
    "e7-universes-check": "itertools.product",
    "e7-holds-check": "Compare low and high with 0.5 - MARGIN",
    "e7-eta-check": "Group by the decision first",
    "e7-step-check": "two row numbers of every",
    "e7-curve-check": "Sort the table by value",
    "e8-labels-check": "Label the file, then read it",
    "e8-agreement-check": "Merge on thread",
    "e8-needed-check": "threads_needed returns None",
    "e8-final-check": "go through what differs",
    "e8-counts-check": "Group final by platform and labels",
    "e9-labelled-check": "labelled returns None",
    "e9-right-check": "equal to share and solve",
    "e9-turned-check": "Solve the formula of 9.1",
    "e9-rectified-check": "the mean of the differences",
    "e9-coverage-check": "One row a true share",
}

# Slips that students make: the solution cell, what it becomes, and what catches it. A blank
# message stands for a hidden test, which need not explain itself.
SLIPS = [
    ("e1-funnel", 'funnel["threads"] / f', 'funnel["issues"] / f', "You divided issues"),
    ("e1-funnel", '/ funnel["candidates"]', '/ funnel["candidates"] * 100', "not a percentage"),
    ("e1-wider", '"threads"] > ', '"threads"] < ', "no more threads than candidates"),
    ("e1-size", "math.ceil(", "round(", ""),
    ("e1-size", " / (1 + (infinite - 1) / population)", "", "hardly: the size is bounded"),
    ("e1-margins", "0.25", "0.5", ""),
    ("e1-coverage", "[size] * draws", "[2 * size] * draws", "always contain the truth"),
    ("e2-tree", 'e.status == "final"', "e.status", "Entries for raters only"),
    ("e2-tree", 'p.split("/")[0] == stage', "p == stage", "A stage without symptoms?"),
    ("e2-paths", '["n"].sum()', '["n"].size()', "A row is not a fault"),
    ("e2-paths", "sizes > rare", "sizes >= rare", ""),
    ("e2-labels", '"V3": ("training & evaluation", "hang")',
     '"V3": ("communication setup", "hang")', "cannot stand in"),
    ("e2-labels", '"low efficiency"', '"low eficiency"', "nearest: 'low efficiency'"),
    ("e2-pair", "tuple(sorted(two))", "tuple(two)", "one order only|Sort the two names"),
    ("e2-merge", 'label_2=met["label_2"].replace(list(pair), "merged")', 'label_2=met["label_2"]',
     "merging must raise"),
    ("e3-square", "reindex(index=names, columns=names, fill_value=0)",
     "reindex(index=names, fill_value=0)", "both need row and column"),
    ("e3-hand", "counts.sum(axis=0) * counts.sum(axis=1)",
     "counts.sum(axis=0) * counts.sum(axis=0)", "get 0|which rater"),
    ("e3-hand", "np.trace(counts) / counts.sum()", "np.trace(counts)", "A share, not a count"),
    ("e3-library", "square(table).to_numpy()", "pd.crosstab(pd.Series(one), pd.Series(two))",
     "align rows and columns first"),
    ("e3-paradox", "[[92, 4], [4, 0]]", "[[45, 5], [5, 45]]", "still .2 or more"),
    ("e3-lift", '"all"))) - kappa(square(pairs("stage", "1")))',
     '"agreed"))) - kappa(square(pairs("stage", "1", "all")))', "Is the sign right"),
    ("e4-doubled", 'sheet["link"].map(thread_key)', 'sheet["link"]', "compare thread_key"),
    ("e4-strange", "if text and fold(text) not in", "if fold(text) not in", "A blank cell"),
    ("e4-repaired", "shifted = ((", "shifted = False & ((", "Rule 3"),
    ("e4-repaired", '.mask(title, "")', '.mask(title, "others")', "Rule 4"),
    ("e4-log", "int(shifted.sum())", "3 * int(shifted.sum())", "counts once"),
    ("e4-agreement", '[raw != ""]', "", ""),
    ("e5-cells", '["n"].sum()', '["n"].size()', "do not count rows"),
    ("e5-chi", "/ expected(counts)).sum()", "/ counts).sum()", ""),
    ("e5-chi", "chi2_distribution.sf(", "chi2_distribution.cdf(", "upper"),
    ("e5-residuals", " * (1 - rows) * (1 - columns)", "", "two by two"),
    ("e5-v", " / counts.sum()", "", "must be 1"),
    ("e5-holm", "np.arange(len(p), 0, -1)", "len(p)", "That is Bonferroni|not be smaller"),
    ("e6-data", ".loc[stages]", "", "not the alphabet"),
    ("e6-draw", "axes.set_xlim(0, 1)", "axes.set_xlim(0.7, 1)", "from 0 to 1"),
    ("e6-draw", "axes.invert_yaxis()", "", ""),
    ("e6-draw", "(n = {n})", "", "number of faults"),
    ("e6-texts", "{data['n'].sum()} faults", "many faults", "how many faults"),
    ("e7-universes", 'if u["labels"] != "as filed" or u["several patterns"] == "each"', "",
     "is no choice"),
    ("e7-holds", '(every["low"] >= 0.5 - MARGIN) & (every["high"] <= 0.5 + MARGIN)',
     '(every["low"] <= 0.5) & (every["high"] >= 0.5)', "contains one half"),
    ("e7-holds", '(every["low"] >= 0.5 - MARGIN) & (every["high"] <= 0.5 + MARGIN)',
     'every["value"] >= 0.5',
     "whether the interval lies within MARGIN of it"),
    ("e7-eta", 'groups["size"] * ', "", "must get 1"),
    ("e7-step", "if differ == 1", "if differ == 2", "it must be one"),
    ("e7-curve", '.sort_values("value", kind="stable")', "", "Sort the universes"),
    ("e8-labels", "partner = mine.copy()", "partner = mine.head(8).copy()", "none left out"),
    ("e8-agreement", '.assign(n=1)', ".assign(n=2)", "number of threads"),
    ("e8-needed", " / 2 / half", " / half", "narrow already"),
    ("e8-final", "if differs.at[i, facet]) for", "if False) for", "reason must be written"),
    ("e8-counts", '["platform", "stage", "symptom", "fix_patterns"]).size()',
     '["platform", "stage", "symptom", "fix_patterns"]).size().head(3)', "add up to the threads"),
    ("e9-labelled", "share * hits + (1 - share) * alarms", "share * hits", "false alarm"),
    ("e9-right", "alarms / (1 - hits + alarms)", "alarms / (hits + alarms)", "at one half"),
    ("e9-turned", "(hits - alarms)", "hits", "must undo labelled"),
    ("e9-turned", "min(max((seen - alarms) / (hits - alarms), 0), 1)",
     "(seen - alarms) / (hits - alarms)", "not below 0"),
    ("e9-rectified", "np.asarray(people) - np.asarray(model)",
     "np.asarray(model) - np.asarray(people)", "not taken away"),
    ("e9-rectified", "np.var(rest) / len(rest) + ", "", "own error is left"),
    ("e9-coverage", "1.96 * error", "1.96 * error ** 2", "not its square"),
    ("e9-coverage", "n / 200", "n", "not their number"),
]


def graded(notebook):
    return {c.metadata["nbgrader"]["grade_id"]: c for c in notebook.cells
            if "nbgrader" in c.metadata}


@contextlib.contextmanager
def placed(folder=NOTEBOOKS / "exercises"):
    """Work in the folder of the exercises; what they do to the path of imports is undone."""
    here, path = os.getcwd(), list(sys.path)  # noqa: PTH109
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        sys.path[:] = path


def run(cells, space):
    """Run code cells as a kernel would; grade id → exception of the cells that raised."""
    raised = {}
    for cell in cells:
        if cell.cell_type == "code":
            name = cell.metadata["nbgrader"]["grade_id"]
            try:
                exec(compile(ast.parse(cell.source), name, "exec"), space)
            except Exception as error:
                raised[name] = error
    return raised


@pytest.fixture(scope="module")
def worked():
    """Each exercise run once; before a cell with slips goes on, each slip of it is tried.

    Exercise → what its solution raised, and number of a slip → what the check said.
    """
    solved, caught = {}, {}
    with placed(), warnings.catch_warnings(), matplotlib.rc_context():
        matplotlib.use("agg")
        warnings.filterwarnings("ignore", "divide by zero")  # one slip divides by an empty cell
        for path in SOURCES:
            notebook, space = read(path), {"__name__": "__main__"}
            ids = [c.metadata.get("nbgrader", {}).get("grade_id") for c in notebook.cells]
            solved[path] = {}
            for i, cell in enumerate(notebook.cells):
                until = ids.index(f"{ids[i]}-check") + 1 if f"{ids[i]}-check" in ids else 0
                for number, (name, right, wrong, _) in enumerate(SLIPS):
                    if name == ids[i]:
                        assert right in cell.source, name
                        slip = nbformat.from_dict(
                            dict(cell, source=cell.source.replace(right, wrong)))
                        before = dict(space)
                        caught[number] = run([slip, *notebook.cells[i + 1:until]], space).get(
                            f"{name}-check")
                        space.clear()
                        space.update(before)
                solved[path] |= run([cell], space)
        plt.close("all")
    return solved, caught


@pytest.mark.parametrize("path", SOURCES, ids=NAMES)
def test_the_solution_passes_its_own_checks(path, worked):
    assert worked[0][path] == {}


@pytest.mark.parametrize("path", SOURCES, ids=NAMES)
def test_an_untouched_exercise_fails_each_check_with_a_message_that_teaches(path):
    with placed(), matplotlib.rc_context():
        matplotlib.use("agg")
        raised = run(course.student(read(path)).cells, {"__name__": "__main__"})
    plt.close("all")
    checks = {name for name, cell in graded(read(path)).items()
              if cell.metadata.nbgrader.grade and not cell.metadata.nbgrader.solution}
    assert set(raised) == checks
    for name in checks:
        assert isinstance(raised[name], AssertionError)
        assert UNTOUCHED[name] in str(raised[name])


def test_every_check_has_an_expected_message():
    checks = {name for path in SOURCES for name, cell in graded(read(path)).items()
              if cell.metadata.nbgrader.grade and cell.cell_type == "code"}
    assert checks == set(UNTOUCHED)


@pytest.mark.parametrize("number", range(len(SLIPS)),
                         ids=[f"{s[0]}-{i}" for i, s in enumerate(SLIPS)])
def test_a_common_slip_is_caught(number, worked):
    error = worked[1][number]
    assert isinstance(error, AssertionError)
    assert re.search(SLIPS[number][3], str(error))


@pytest.mark.parametrize("path", SOURCES, ids=NAMES)
def test_a_released_notebook_holds_no_solution_no_hidden_test_and_no_output(path):
    source, released = read(path), course.student(read(path))
    given = "\n".join(c.source for c in released.cells)
    assert not MARK.search(given)
    for cell in source.cells:
        for region in re.findall(r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)\n\s*### END",
                                 cell.source, re.S):
            for line in region.split("\n"):
                # Lines that the visible part has too (imports, brackets) give nothing away.
                if len(line.strip()) > 25 and line not in re.sub(
                        r"### BEGIN.*?### END", "", "\n".join(c.source for c in source.cells),
                        flags=re.S):
                    assert line.strip() not in given
    for cell in released.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
        if cell.metadata.get("nbgrader", {}).get("solution"):
            assert (course.CODE_STUB in cell.source) or cell.source == course.TEXT_STUB


@pytest.mark.parametrize("path", SOURCES, ids=NAMES)
def test_the_source_is_a_valid_nbgrader_source_without_outputs(path):
    notebook = read(path)
    nbformat.validate(notebook)
    allowed = {(False, False, True), (False, True, False), (True, False, True), (True, True, False)}
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
        if cell.cell_type == "code" or "nbgrader" in cell.metadata:
            grading = cell.metadata["nbgrader"]
            assert grading["schema_version"] == 3 and grading["task"] is False
            assert (grading["grade"], grading["solution"], grading["locked"]) in allowed
            assert re.fullmatch(r"[A-Za-z0-9_\-.]+", grading["grade_id"])
            assert grading["grade"] == ("points" in grading)
            assert not grading["grade"] or grading["points"] > 0
            regions = "### BEGIN SOLUTION" in cell.source
            assert regions == grading["solution"]
            hidden = "### BEGIN HIDDEN TESTS" in cell.source
            assert not hidden or (grading["grade"] and not grading["solution"])


def test_grade_ids_are_unique_over_all_exercises():
    names = [name for path in SOURCES for name in
             [c.metadata["nbgrader"]["grade_id"] for c in read(path).cells
              if "nbgrader" in c.metadata]]
    assert len(names) == len(set(names)) > 8 * 8


@pytest.mark.parametrize("path", SOURCES, ids=NAMES)
def test_each_exercise_says_what_is_learnt_how_long_it_takes_and_what_is_handed_in(path):
    first = read(path).cells[0].source
    for word in ("**You learn**", "**Time**", "**Hand in**", "**Needs**"):
        assert word in first
    assert 30 <= int(re.search(r"\*\*Time\*\* (\d+) minutes", first)[1]) <= 60


@pytest.mark.parametrize("path", SOURCES, ids=NAMES)
def test_the_points_in_the_headings_are_the_points_of_the_cells(path):
    notebook = read(path)
    headings = [c.source for c in notebook.cells if c.cell_type == "markdown"]
    said = sum(sum(map(int, m.split("+"))) for text in headings
               for m in re.findall(r"^## .*\((\d+(?: \+ \d+)*) points?\)$", text, re.M))
    assert said == sum(course.points(notebook))


def test_there_are_nine_exercises():
    assert [n[:2] for n in NAMES] == [f"0{i}" for i in range(1, 10)]


def test_no_count_of_the_study_is_typed_in(study_numbers):
    for path in SOURCES:
        for cell in read(path).cells:
            assert not study_numbers & set(re.findall(r"\b\d{3,4}\b", cell.source)), path.stem


@pytest.fixture(scope="module")
def study_numbers(study):
    numbers = {study.faults["n"].sum(), study.questions["n"].sum(),
               study.faults["n"].sum() + study.questions["n"].sum()}
    for by in ("platform", "frameworks"):
        numbers |= set(study.collection.groupby(by)[["candidates", "threads", "issues"]].sum()
                       .to_numpy().ravel())
    # 200 and 400 are sizes of simulated samples, wherever a count should come to equal them.
    return {str(n) for n in numbers if n >= 100} - {"100", "200", "400"}


def test_releasing_twice_gives_the_same_bytes(tmp_path):
    one, two = (course.release(tmp_path / name) for name in ("one", "two"))
    assert [p.name for p in one] == [p.name for p in SOURCES]
    assert [p.read_bytes() for p in one] == [p.read_bytes() for p in two]
    assert course.release(tmp_path / "one") == one
    for path in one:
        assert b"\r" not in path.read_bytes() and path.read_bytes().endswith(b"}\n")


def test_a_students_work_is_not_written_over(tmp_path):
    first, *others = course.release(tmp_path)
    first.write_text(first.read_text(encoding="utf-8").replace("# YOUR CODE HERE", "x = 1"),
                     encoding="utf-8")
    others[0].unlink()
    before = first.read_bytes()
    with pytest.raises(StudyError, match=r"01_sampling\.ipynb is there already and differs"):
        course.release(tmp_path)
    assert first.read_bytes() == before and not others[0].exists()
    course.release(tmp_path, force=True)
    assert first.read_bytes() != before and others[0].exists()


def test_a_checkout_with_other_line_ends_does_not_differ(tmp_path):
    (path,) = course.release(tmp_path, ["03"])
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert course.release(tmp_path, ["03"]) == [path]


def test_one_exercise_can_be_released(tmp_path):
    assert [p.name for p in course.release(tmp_path, ["05"])] == ["05_crosstabs.ipynb"]
    assert [p.name for p in tmp_path.iterdir()] == ["05_crosstabs.ipynb"]


def test_wrong_uses_are_told_apart(tmp_path):
    with pytest.raises(StudyError, match="no exercise '10'; there are 01_sampling"):
        course.release(tmp_path, ["10"])
    with pytest.raises(StudyError, match="is where the solutions are"):
        course.release(NOTEBOOKS / "exercises")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StudyError, match="file is a file; name a folder"):
        course.release(tmp_path / "file")
    with pytest.raises(StudyError, match="holds no exercise"):
        course.release(tmp_path / "out", folder=tmp_path)


@pytest.mark.parametrize(("source", "says"), [
    ("### BEGIN SOLUTION\nx = 1", "SOLUTION has no end"),
    ("x = 1\n### END SOLUTION", "line 2: SOLUTION ends but did not begin"),
    ("### BEGIN SOLUTION\n### BEGIN HIDDEN TESTS\n### END SOLUTION", "begins within SOLUTION"),
    ("### BEGIN HIDDEN TESTS\n### END SOLUTION", "SOLUTION ends but did not begin"),
])
def test_a_broken_mark_is_named(source, says):
    with pytest.raises(ValueError, match=says):
        course.strip(source)


def test_a_solution_where_none_may_stand_is_refused_and_nothing_is_written(tmp_path):
    folder, out = tmp_path / "sources", tmp_path / "out"
    folder.mkdir()
    for path in SOURCES[:2]:
        shutil.copy(path, folder)
    path = folder / SOURCES[1].name
    notebook = read(path)
    graded(notebook)["e2-tree"].metadata.nbgrader.solution = False
    nbformat.write(notebook, path)
    with pytest.raises(StudyError, match=r"02_codebook\.ipynb, cell \d+ \(e2-tree\): a sol"):
        course.release(out, folder=folder)
    assert not out.exists()


def test_indentation_and_several_regions_are_kept():
    source = ("def f(x):\n    y = None\n    ### BEGIN SOLUTION\n    y = x\n    ### END SOLUTION\n"
              "    return y\n\n\nz = None\n### BEGIN SOLUTION\nz = f(1)\n### END SOLUTION\nz")
    assert course.strip(source) == ("def f(x):\n    y = None\n    # YOUR CODE HERE\n    return y\n"
                                    "\n\nz = None\n# YOUR CODE HERE\nz")


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert course.run(["release", "out"]) == 0
    assert capsys.readouterr().out.count(".ipynb") == len(SOURCES)
    (tmp_path / "out" / "01_sampling.ipynb").write_text("mine", encoding="utf-8")
    with pytest.raises(StudyError, match="--force") as refused:
        course.run(["release", "out"])
    assert "\n" not in str(refused.value)
    with pytest.raises(SystemExit) as ended:
        course.run([])
    assert ended.value.code == 2


def test_the_setup_line_finds_the_helpers_anywhere_in_the_package(tmp_path):
    line = graded(read(SOURCES[0]))["e1-setup"].source
    assert "\n" not in line and len(line) <= 100
    assert {graded(read(p))[f"e{i}-setup"].source for i, p in enumerate(SOURCES, 1)} == {line}
    shutil.copytree(NOTEBOOKS / "study", tmp_path / "notebooks" / "study",
                    ignore=shutil.ignore_patterns("__pycache__"))
    for where in ("notebooks/exercises", "handed in/ann/01"):
        (tmp_path / where).mkdir(parents=True)
        found = subprocess.run(
            [sys.executable, "-c", f"{line}\nimport study; print(study.__path__[0])"],
            cwd=tmp_path / where, capture_output=True, text=True, encoding="utf-8",
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
        assert found.stdout.strip() == str(tmp_path / "notebooks" / "study")


CONFIG = """\
c = get_config()
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE"}
c.ClearSolutions.text_stub = "*Your answer here.*"
"""


def test_nbgrader_takes_the_sources_and_grades_what_comes_back(tmp_path):
    """Only where nbgrader is installed: it is no dependency, and large."""
    pytest.importorskip("nbgrader", reason="nbgrader is not installed (an optional extra)")
    (tmp_path / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    home = tmp_path / "source" / "course"
    home.mkdir(parents=True)
    for path in SOURCES:
        shutil.copy(path, home)
    # nbgrader calls alembic by name, which lies beside this Python.
    settings = {**os.environ, "PYTHONPATH": str(NOTEBOOKS),
                "PATH": os.pathsep.join([os.path.dirname(sys.executable),  # noqa: PTH120
                                         os.environ.get("PATH", "")])}

    def nbgrader(*arguments):
        done = subprocess.run([sys.executable, "-m", "nbgrader", *arguments], cwd=tmp_path,
                              env=settings, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr[-3000:]
    nbgrader("generate_assignment", "course", "--create")
    for path in SOURCES:
        theirs = read(tmp_path / "release" / "course" / path.name)
        ours = course.student(read(path))
        assert [c.source.strip() for c in theirs.cells] == [c.source.strip() for c in ours.cells]
    for student in ("untouched", "solved"):
        folder = tmp_path / "submitted" / student / "course"
        folder.mkdir(parents=True)
        if student == "untouched":
            course.release(folder)
        else:
            for path in SOURCES:
                shutil.copy(path, folder)
    nbgrader("autograde", "course")
    from nbgrader.api import Gradebook
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        for path in SOURCES:
            checks = course.points(read(path))[0]
            scores = {s: book.find_submission_notebook(path.stem, "course", s)
                      for s in ("untouched", "solved")}
            assert scores["solved"].code_score == checks
            assert scores["untouched"].code_score == 0


def test_the_guide_names_every_exercise_with_its_points_and_time():
    guide = (NOTEBOOKS / "exercises" / "README.md").read_text(encoding="utf-8")
    for path in SOURCES:
        checks, people = course.points(read(path))
        minutes = re.search(r"\*\*Time\*\* (\d+)", read(path).cells[0].source)[1]
        line = next(ln for ln in guide.splitlines() if f"({path.name})" in ln)
        assert [c.strip() for c in line.split("|")[3:6]] == [minutes, str(checks), str(people)]
    assert CONFIG in guide
    for link in re.findall(r"\]\(([^)#:]+)\)", guide):
        assert (NOTEBOOKS / "exercises" / link).exists(), link

