"""Notebooks: the same bytes from everywhere, and one clear line where one fails."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from study.base.errors import StudyError
from study.base.paths import ROOT
from study.run import notebooks as execute

CELLS = [
    "'planted' in globals(), __import__('os').environ.get('PYTHONSTARTUP')",
    "import matplotlib\nmatplotlib.rcParams['lines.linewidth'], matplotlib.get_backend()",
    "print({c for c in 'several letters'})\n"
    "import warnings\nwarnings.warn('seen', ImportWarning)",
    "import os\nos.path.basename(os.getcwd())",
    "from study.base.seeds import generator\nint(generator('synthetic').integers(10**6))",
    "print('é')\nfrom IPython.display import Markdown\nMarkdown('*text*')",
]


def write(path, sources, outputs=()):
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [new_markdown_cell("# Synthetic"), *map(new_code_cell, sources)]
    for cell, output in zip(cells[-len(outputs):] if outputs else [], outputs, strict=True):
        cell.outputs = [new_output("stream", text=output)]
        cell.execution_count = 9
    nbformat.write(new_notebook(cells=cells), path)
    return path


@pytest.fixture(scope="module")
def prepared():
    """What kernels start from, for the tests that need no settings of their own."""
    with execute.prepared() as server:
        yield server


def kernels(prepared=None):
    """Kernels this process, or the server it holds, has started and not ended."""
    own = {prepared.process.pid} if prepared else set()
    return [p for p in psutil.Process().children(recursive=True) if p.pid not in own
            and p.status() != psutil.STATUS_ZOMBIE
            and re.search("ipykernel|warmkernel", " ".join(p.cmdline()))]


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    """Texts of two notebooks: run here, and in a process whose user has settings of all kinds."""
    folder = tmp_path_factory.mktemp("with space") / "a b"
    paths = [write(folder / "one.ipynb", CELLS), write(folder / "two.ipynb", ["1 + 1"])]
    before = dict(os.environ)
    here = execute.run_all(paths, workers=2)
    assert dict(os.environ) == before

    user = tmp_path_factory.mktemp("user")
    startup = user / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("planted = 1\nprint('planted')\n", encoding="utf-8")
    (startup.parent / "ipython_config.py").write_text(
        "c.InteractiveShell.ast_node_interactivity = 'none'\n", encoding="utf-8")
    (user / "rc.py").write_text("planted = 2\n", encoding="utf-8")
    (user / "matplotlibrc").write_text("lines.linewidth: 9\n", encoding="utf-8")
    kernel = user / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps(
        {"argv": ["no-such-command", "{connection_file}"], "display_name": "planted",
         "language": "python"}), encoding="utf-8")
    environment = before | {
        "IPYTHONDIR": str(user / "ipython"), "JUPYTER_DATA_DIR": str(user / "jupyter"),
        "JUPYTER_PATH": str(user / "jupyter"), "JUPYTER_PREFER_ENV_PATH": "0",
        "PYTHONSTARTUP": str(user / "rc.py"), "MATPLOTLIBRC": str(user / "matplotlibrc"),
        "MPLBACKEND": "svg", "PYTHONWARNINGS": "always", "PYTHONHASHSEED": "7",
        "PYTHONPATH": str(ROOT / "notebooks")}
    script = ("import json, sys, pathlib\nfrom study.run import notebooks as execute\n"
              "texts = execute.run_all([pathlib.Path(p) for p in sys.argv[1:]], workers=1)\n"
              "print(json.dumps({p.name: t for p, t in texts.items()}))")
    done = subprocess.run([sys.executable, "-c", script, *map(str, paths)], env=environment,
                          cwd=user, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return here, json.loads(done.stdout), done.stderr, folder


def test_the_same_bytes_whatever_the_user_has_set(twice):
    here, there, _, _ = twice
    assert {p.name: text for p, text in here.items()} == there


def test_the_outputs_are_those_of_the_cells(twice):
    here, *_, folder = twice
    cells = nbformat.reads(here[folder / "one.ipynb"], as_version=4).cells
    text = [[o.get("text", o.get("data", {}).get("text/plain")) for o in c.outputs]
            for c in cells if c.cell_type == "code"]
    assert text[0] == ["(False, None)"]
    assert text[1] == ["(1.5, 'module://matplotlib_inline.backend_inline')"]
    assert text[2][0].startswith("{")
    assert len(text[2]) == 1, "an ImportWarning is not shown by default"
    assert text[3] == ["'a b'"]
    assert text[5][0] == "é\n"
    assert cells[6].outputs[1].data["text/markdown"] == "*text*"
    assert [c.execution_count for c in cells if c.cell_type == "code"] == [1, 2, 3, 4, 5, 6]


def test_no_path_address_or_time_in_the_text(twice):
    here, *_, folder = twice
    for text in here.values():
        for part in (str(folder), str(folder.parent), str(Path.home()), str(ROOT), "0x", "iopub",
                     sys.version.split()[0]):
            assert part not in text
        assert text.endswith("}\n")
        assert "\r" not in text


def test_nothing_is_written_and_no_kernel_is_left(twice):
    *_, said, folder = twice
    assert said == ""
    assert sorted(p.name for p in folder.iterdir()) == ["one.ipynb", "two.ipynb"]
    assert "execution_count\": 1" not in (folder / "two.ipynb").read_text(encoding="utf-8")
    assert kernels() == []


def test_a_notebook_that_raises_stops_the_others(prepared, tmp_path):
    # Old outputs further down must not be taken for the place of the error.
    bad = write(tmp_path / "bad.ipynb", ["1", "{}['synthetic\\nkey']", "3", "4"],
                ["old\n", "old\n"])
    slow = write(tmp_path / "slow.ipynb", ["import time\ntime.sleep(300)"])
    start = time.monotonic()
    with pytest.raises(StudyError) as caught:
        execute.run_prepared(prepared, [slow, bad], workers=2)
    said = str(caught.value)
    assert "bad.ipynb, cell 3: KeyError: 'synthetic\\nkey'; open it in JupyterLab" in said
    assert "\n" not in said
    assert time.monotonic() - start < 120
    assert kernels(prepared) == []
    assert "old" in bad.read_text(encoding="utf-8")


def test_a_notebook_without_end(prepared, tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "TIMEOUT", 1)
    path = write(tmp_path / "endless.ipynb", ["while True: pass"])
    with pytest.raises(StudyError, match=r"endless\.ipynb, cell 2: no end after 1 seconds"):
        execute.run_prepared(prepared, [path])
    assert kernels(prepared) == []


def test_a_notebook_whose_python_dies(prepared, tmp_path):
    path = write(tmp_path / "dying.ipynb", ["import os\nos._exit(1)"])
    with pytest.raises(StudyError, match=r"dying\.ipynb: its Python died"):
        execute.run_prepared(prepared, [path])


@pytest.mark.parametrize(("content", "says"), [
    ("", "is no notebook"), ("{}", "is no notebook"), ("{\"cells\": [", "is no notebook"),
    ("[1, 2]", "is no notebook"), (None, "is missing; restore it")])
def test_no_notebook(tmp_path, content, says):
    path = tmp_path / "broken.ipynb"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(StudyError, match=says) as caught:
        execute.run_all([path])
    assert "broken.ipynb" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_notebooks_at_all():
    assert execute.run_all([]) == {}


def test_normalise_drops_what_differs_and_keeps_what_was_found():
    cell = new_code_cell("1", metadata={"execution": {"iopub.status.busy": "2020"}, "tags": ["t"]},
                         execution_count=3, id="random")
    cell.outputs = [new_output("execute_result", data={"text/plain": "1"}, execution_count=3),
                    new_output("stream", text="said")]
    notebook = new_notebook(cells=[new_markdown_cell("a", id="other"), cell], metadata={
        "title": "Kept", "kernelspec": {"name": "mine", "display_name": "Mine"},
        "language_info": {"name": "python", "version": "3.99.1"}, "widgets": {"x": 1}})
    notebook.nbformat_minor = 4
    result = execute.normalise(notebook, "03 symptoms!")
    assert result is notebook
    assert [c.id for c in result.cells] == ["03-symptoms--01", "03-symptoms--02"]
    assert result.metadata == {"title": "Kept", "kernelspec": execute.KERNEL,
                               "language_info": execute.LANGUAGE}
    assert result.cells[1].metadata == {"tags": ["t"]}
    assert result.cells[1].execution_count == 3
    assert [o.output_type for o in result.cells[1].outputs] == ["execute_result", "stream"]
    assert result.cells[1].outputs[0].data == {"text/plain": "1"}
    nbformat.validate(result)
    text = execute.to_text(result)
    assert "3.99.1" not in text
    assert execute.to_text(execute.normalise(nbformat.reads(text, as_version=4),
                                             "03 symptoms!")) == text


def test_cell_ids_of_a_long_name_stay_valid():
    notebook = new_notebook(cells=[new_code_cell("1") for _ in range(3)])
    execute.normalise(notebook, "x" * 100)
    nbformat.validate(notebook)
    assert len({c.id for c in notebook.cells}) == 3


def test_a_line_that_came_in_two_parts_is_one(prepared, tmp_path):
    path = write(tmp_path / "a.ipynb", [
        "import time\nprint(0, end='', flush=True)\ntime.sleep(0.6)\nprint(' errors')"])
    cells = nbformat.reads(execute.run_prepared(prepared, [path])[path], as_version=4).cells
    assert [(o.name, o.text) for o in cells[-1].outputs] == [("stdout", "0 errors\n")]
