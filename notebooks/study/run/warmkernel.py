"""Kernels that start with the study's libraries already imported.

A fresh kernel spends most of its life importing pandas, scipy and matplotlib. On Linux a
server process imports them once, and each kernel is a fork of it that has run nothing yet:
as fresh as a new process, in a fraction of the time. Elsewhere, where forking a process
with such libraries is not safe or not there, kernels start in the usual way.

``python -m study.run.warmkernel`` is that server: it reads one request a line (JSON: arguments,
folder, environment) and answers with the process id of the kernel.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import uuid

from study.base.errors import StudyError

PRELOAD = ("ipykernel.kernelapp", "study.draw.gallery", "study.tell.frames", "study.tell.sentences",
           "study.tabulate.tables", "study.decide.multiverse", "study.extend.compare")


def possible():
    """Whether kernels can be forked here."""
    return sys.platform == "linux"


class Server:
    """The server process, which imports while its owner does something else.

    Start it in the environment the kernels shall have, and close it (or use ``with``).

    Parameters
    ----------
    folder : path-like
        Where it runs: libraries look there for settings, so it should be empty.
    """

    def __init__(self, folder):
        self.process = subprocess.Popen([sys.executable, "-m", "study.run.warmkernel"], cwd=folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, encoding="utf-8")

    def fork(self, arguments, folder, environment):
        """Start a kernel; returns its process id."""
        json.dump({"arguments": arguments, "folder": folder, "environment": environment},
                  self.process.stdin)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise StudyError("the process that starts notebooks died; is there memory enough?")
        return int(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def provisioner(server, manager):
    """A provisioner for a kernel manager that takes its kernels from a server.

    Parameters
    ----------
    server : Server
    manager : jupyter_client.AsyncKernelManager

    Returns
    -------
    jupyter_client.provisioning.LocalProvisioner
    """
    from jupyter_client.provisioning import LocalProvisioner

    class Forked(LocalProvisioner):
        async def launch_kernel(self, cmd, **kwargs):
            # The command is: python -m ipykernel_launcher ARGUMENT ...
            self.pid = server.fork(cmd[3:], str(kwargs["cwd"]), dict(kwargs["env"]))
            self.process, self.pgid = _Forked(self.pid), None
            return self.connection_info

    manager.kernel_id = str(uuid.uuid4())
    return Forked(kernel_id=manager.kernel_id, kernel_spec=manager.kernel_spec, parent=manager)


class _Forked:
    """Another process's child, with the part of ``subprocess.Popen`` that Jupyter asks for."""

    stdin = stdout = stderr = None

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self):
        return self.poll()

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


def serve():
    """Import, then fork a kernel for each request until the requests end."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
    # Two libraries ask at import where they are: matplotlib for its backend, pandas whether
    # in a terminal. A kernel is none, and names its backend.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    for name in PRELOAD:
        importlib.import_module(name)
    importlib.import_module("study").load_study()  # the first check of a table imports, too
    importlib.import_module("pandas").set_option("display.max_columns", 20)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the kernels here
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the owner's business
    for line in sys.stdin:
        child = os.fork()
        if not child:
            answers.close()
            _run(json.loads(line))
        answers.write(f"{child}\n")
        answers.flush()


def _run(request):
    """Be one kernel until it is shut down; never returns."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        # A kernel ends when its parent does, and that is the server, which ends with its
        # owner however that ends: the pipe between them closes.
        arguments = [*request["arguments"], f"--IPKernelApp.parent_handle={os.getppid()}"]
        sys.argv = ["ipykernel_launcher", *arguments]
        importlib.import_module("ipykernel.kernelapp").IPKernelApp.launch_instance(arguments)
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve()
