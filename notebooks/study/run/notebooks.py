"""Run notebooks and store them so that the same results are the same bytes."""

import asyncio
import contextlib
import json
import os
import re
import tempfile
from pathlib import Path

import nbformat
from ipykernel.kernelspec import get_kernel_dict
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from study.base.errors import StudyError
from study.base.paths import shown
from study.run import warmkernel

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "mimetype": "text/x-python", "file_extension": ".py"}
TIMEOUT = 300
# The notebooks of the package, in their order; what else lies beside them is the reader's.
OWN = ("00_start_here", "01_collection", "02_agreement", "03_symptoms", "04_fixes",
       "05_statistics", "06_findings", "07_new_framework", "08_newer_frameworks")


def normalise(notebook, stem):
    """A notebook without what differs between two runs that found the same.

    Cell ids, kernel name and language are fixed, time stamps and the Python version
    dropped; execution counts and outputs stay.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    stem : str
        Name of the file, from which the cell ids are made.

    Returns
    -------
    nbformat.NotebookNode
        The same object.
    """
    keep = {k: v for k, v in notebook.metadata.items() if k in ("title", "nbgrader")}
    notebook.metadata = nbformat.from_dict(
        {**keep, "kernelspec": KERNEL, "language_info": LANGUAGE})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = re.sub(r"[^\w-]", "-", f"{stem}-{number:02d}")[-64:]
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            output.metadata = output.get("metadata", {}) if "metadata" in output else {}
            if output.output_type == "stream":
                output.pop("metadata", None)
    return notebook


def to_text(notebook):
    """Text of a notebook file: sorted keys, LF, one line break at the end."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def read(path):
    """Read a notebook; StudyError where it is none."""
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; restore it from version control") from None
    except Exception as error:  # nbformat raises whatever its JSON or schema layer raises
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise StudyError(f"{shown(path)} is no notebook ({reason}); restore it") from None


def run_all(paths, workers=None, done=None):
    """Run notebooks side by side, each in a fresh kernel and in its own folder.

    Parameters
    ----------
    paths : list of pathlib.Path
    workers : int, optional
        How many at a time; by default one a processor.
    done : callable, optional
        Called with the path and its seconds as each one ends.

    Returns
    -------
    dict of pathlib.Path to str
        The text each notebook file should have.

    Raises
    ------
    StudyError
        A notebook raised, ran out of time or lost its kernel: which one, in which
        cell, and what it said.
    """
    for path in paths:  # what is no notebook is told before anything starts
        read(path)
    if not paths:
        return {}
    with prepared() as server:
        return run_prepared(server, paths, workers, done)


@contextlib.contextmanager
def prepared():
    """An environment of its own for kernels, and where possible a server that warms them.

    Yields
    ------
    warmkernel.Server or None
        For :func:`run_prepared`. The server imports while other work goes on.
    """
    with (tempfile.TemporaryDirectory() as home, _environment(_settings(Path(home))),
          warmkernel.Server(home) if warmkernel.possible() else contextlib.nullcontext()
          as server):
        yield server


def run_prepared(server, paths, workers=None, done=None):
    """As :func:`run_all`, inside :func:`prepared`."""
    return asyncio.run(_run_all(server, paths, workers or os.cpu_count() or 1, done))


def _settings(home):
    """Environment in which the reader's own settings cannot change the results.

    No kernel of the same name elsewhere, no IPython profile or start-up file, no
    matplotlib style or backend, no warning filter.
    """
    kernel = home / "kernels" / KERNEL["name"]
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps(get_kernel_dict()), encoding="utf-8")
    (home / "matplotlibrc").touch()
    here, before = str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")
    return {"JUPYTER_PATH": str(home), "IPYTHONDIR": str(home / "ipython"),
            "MATPLOTLIBRC": str(home / "matplotlibrc"), "MPLBACKEND": None,
            "PYTHONSTARTUP": None, "PYTHONWARNINGS": None, "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, [here, before]))}


@contextlib.contextmanager
def _environment(settings):
    """Environment variables for a while; None takes one away."""
    before = {key: os.environ.get(key) for key in settings}
    try:
        _set(settings)
        yield
    finally:
        _set(before)


def _set(settings):
    for key, value in settings.items():
        if value is None:
            os.environ.pop(key, None)
        else:
            os.environ[key] = value


async def _run_all(server, paths, workers, done):
    gate = asyncio.Semaphore(workers)
    loop = asyncio.get_running_loop()
    # nbclient would answer Ctrl-C and SIGTERM itself: shut a kernel down and go on without it.
    loop.add_signal_handler = loop.remove_signal_handler = _no_handler

    async def one(path):
        async with gate:
            start = loop.time()
            notebook = await _run(server, path)
            if done:
                done(path, loop.time() - start)
            return path, to_text(normalise(notebook, path.stem))

    tasks = [asyncio.ensure_future(one(p)) for p in paths]
    try:
        return dict(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def _no_handler(*_):
    raise RuntimeError("signals are the command's business")


async def _run(server, path):
    notebook = read(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":  # else an error would be looked for among old outputs
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(notebook, timeout=TIMEOUT, kernel_name=KERNEL["name"],
                            record_timing=False, extra_arguments=["--log-level=CRITICAL"],
                            # A printed line may come in one part or in two, by chance.
                            coalesce_streams=True,
                            resources={"metadata": {"path": path.parent}})
    client.create_kernel_manager()
    if server:
        client.km.provisioner = warmkernel.provisioner(server, client.km)
    try:
        await client.async_execute()
    except CellExecutionError as error:
        said = f"{error.ename}: {error.evalue}".splitlines()[0]
        raise StudyError(f"{shown(path)}, cell {_cell(notebook)}: {said}; open it in JupyterLab "
                         "(python reproduce.py lab) and run it there") from None
    except CellTimeoutError:
        raise StudyError(f"{shown(path)}, cell {_cell(notebook)}: no end after {TIMEOUT} seconds; "
                         "run it in JupyterLab (python reproduce.py lab)") from None
    except DeadKernelError:
        raise StudyError(f"{shown(path)}: its Python died; is there memory enough?") from None
    return notebook


def _cell(notebook):
    """Number of the cell that failed: the last one with outputs or an error."""
    ran = [i for i, c in enumerate(notebook.cells, 1)
           if c.cell_type == "code" and (c.get("outputs") or c.get("execution_count"))]
    return ran[-1] if ran else 1
