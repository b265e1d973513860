"""Call the two bulk commands as a user does, and a Spark cluster on this machine's loopback."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCALE = ROOT / ".venv-scale"
SITE = next(iter(SCALE.glob("lib/python*/site-packages")), SCALE)

scale = pytest.mark.skipif(not (SITE / "duckdb").exists(),
                           reason="no .venv-scale: python reproduce.py scale")
spark = pytest.mark.skipif(not ((SITE / "pyspark").exists() and shutil.which("java")),
                           reason="no Spark or no Java: python reproduce.py scale --spark")


def start(*arguments, **options):
    """``python -m mining`` in its own process group."""
    return subprocess.Popen([sys.executable, "-m", "mining", *map(str, arguments)], cwd=ROOT,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True, **options)


def bulk(*arguments, code=0):
    """Run to the end; what was said on standard error and standard output."""
    process = start(*arguments)
    said, error = process.communicate(timeout=300)
    assert process.returncode == code, said + error
    return error + said


def files(folder):
    """Name -> bytes of all files below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes()
            for p in sorted(folder.rglob("*")) if p.is_file()}


@contextlib.contextmanager
def cluster(folder, workers=2, patience=90):
    """A standalone cluster: one master, some workers; ended in any case."""
    home, port = SITE / "pyspark", _port()
    url, started = f"spark://127.0.0.1:{port}", []
    settings = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1",
                "SPARK_NO_DAEMONIZE": "1", "SPARK_WORKER_DIR": str(folder),
                "SPARK_DAEMON_MEMORY": "512m",
                "PYSPARK_PYTHON": str(SCALE / "bin" / "python")}

    def begin(log, *arguments):
        with (folder / log).open("wb") as file:
            started.append(subprocess.Popen(
                [str(home / "bin" / "spark-class"), *arguments], stdout=file,
                stderr=subprocess.STDOUT, env=settings, start_new_session=True))

    try:
        begin("master.log", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1",
              "--port", str(port), "--webui-port", str(_port()))
        for n in range(workers):
            begin(f"worker{n}.log", "org.apache.spark.deploy.worker.Worker", "--host",
                  "127.0.0.1", "--cores", "1", "--memory", "1500m", "--webui-port",
                  str(_port()), url)
        end = time.monotonic() + patience
        log = folder / "master.log"
        while log.read_text("utf-8", "replace").count("Registering worker") < workers:
            if time.monotonic() > end or any(p.poll() is not None for p in started):
                raise RuntimeError(f"no cluster: {log.read_text('utf-8', 'replace')[-1500:]}")
            time.sleep(0.2)
        yield url
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
