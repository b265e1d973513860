"""10,000 mutations of each form of a sheet: none may end in a traceback or lose a value in silence.

Run by hand with the environment's Python: ``.venv/bin/python tests/bench_fuzz.py [MUTATIONS]``.
It runs the tests ``tests/extend/test_fuzz*.py`` with that many mutations a form: the exports of
labelling tools, workbooks and csv.
"""

import os
import subprocess
import sys
from pathlib import Path

TESTS = sorted(map(str, Path(__file__).resolve().parent.glob("extend/test_fuzz*.py")))

if __name__ == "__main__":
    times = sys.argv[1] if len(sys.argv) > 1 else "10000"
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", *TESTS, "-q", "-n", "0"],
                            env={**os.environ, "FUZZ": times}, check=False).returncode)
