"""Kernels forked from a warm server are as fresh and as mortal as others."""

import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest

from study.base.paths import ROOT
from study.run import notebooks as execute
from study.run import warmkernel

pytestmark = pytest.mark.skipif(not warmkernel.possible(), reason="kernels are not forked here")


def write(path, *sources):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    nbformat.write(made, path)
    return path


@pytest.fixture(scope="module")
def server():
    with execute.prepared() as prepared:
        yield prepared


def outputs(text):
    return [o.get("text", "") for c in nbformat.reads(text, 4).cells for o in c.outputs]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_one_kernel_sees_nothing_of_another(server, tmp_path):
    first = write(tmp_path / "1.ipynb",
                  "from study.tabulate import tables; tables.OF_THE_FIRST = 1; x = 1")
    second = write(tmp_path / "2.ipynb",
                   "from study.tabulate import tables\n"
                   "print(hasattr(tables, 'OF_THE_FIRST'), 'x' in globals())")
    execute.run_prepared(server, [first], workers=1)
    found = execute.run_prepared(server, [second], workers=1)
    assert outputs(found[second]) == ["False False\n"]


def test_forked_and_usual_kernels_give_the_same_bytes(server, tmp_path):
    path = write(
        tmp_path / "a.ipynb", "import os, sys\nprint(os.getcwd()[-4:], sys.stdin.isatty())",
        "import pandas as pd\npd.DataFrame({f'c{i}': ['a long text ' * 9] for i in range(9)})",
        "import __main__\nprint(__name__, __main__.__name__, sorted(vars())[:9])",
        "import matplotlib\nprint([matplotlib.rcParams[k] for k in ('backend', 'figure.dpi')])",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
        "print(sorted(k for k in os.environ if not k.startswith('JPY')))")
    forked = execute.run_prepared(server, [path])[path]
    usual = execute.run_prepared(None, [path])[path]
    assert forked == usual


def test_no_kernel_is_left_when_the_run_is_over(tmp_path):
    path = write(tmp_path / "a.ipynb", "import os\nprint(os.getpid())")
    with execute.prepared() as server:
        pid = int(outputs(execute.run_prepared(server, [path])[path])[0])
        own = server.process.pid
    for _ in range(100):
        if not alive(pid) and not alive(own):
            break
        time.sleep(0.05)
    assert not alive(pid)
    assert not alive(own)


def test_no_kernel_is_left_when_the_run_is_killed(tmp_path):
    """kill -9 of the owner: nothing runs any more that could clean up after it."""
    path = write(tmp_path / "a.ipynb",
                 f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))",
                 "time.sleep(300)")
    owner = subprocess.Popen([sys.executable, "-c", "import pathlib, sys\n"
                              "from study.run import notebooks\n"
                              "notebooks.run_all([pathlib.Path(sys.argv[1])])", str(path)],
                             env=os.environ | {"PYTHONPATH": str(ROOT / "notebooks")})
    note = tmp_path / "pid"
    while not (note.exists() and note.read_text(encoding="utf-8")):
        assert owner.poll() is None
        time.sleep(0.05)
    owner.kill()
    owner.wait()
    for _ in range(200):
        if not alive(int(note.read_text(encoding="utf-8"))):
            break
        time.sleep(0.05)
    assert not alive(int(note.read_text(encoding="utf-8")))


def test_a_kernel_that_dies_is_noticed(server, tmp_path):
    path = write(tmp_path / "a.ipynb", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(execute.StudyError, match="its Python died"):
        execute.run_prepared(server, [path])


def test_signals_reach_the_kernel(server):
    pid = server.fork(["--bogus"], "/", dict(os.environ))
    process = warmkernel._Forked(pid)
    process.send_signal(signal.SIGKILL)
    for _ in range(100):
        if process.poll() is not None:
            break
        time.sleep(0.05)
    assert process.poll() == 0
