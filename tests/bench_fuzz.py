"""10,000 mutations of each tool's export: none may end in a traceback or lose a value in silence.

Run by hand with the environment's Python: ``.venv/bin/python tests/bench_fuzz.py [MUTATIONS]``.
It runs the test ``tests/extend/test_fuzz.py`` with that many mutations a form.
"""

import os
import subprocess
import sys
from pathlib import Path

TEST = Path(__file__).resolve().parent / "extend" / "test_fuzz.py"

if __name__ == "__main__":
    times = sys.argv[1] if len(sys.argv) > 1 else "10000"
    sys.exit(subprocess.run([sys.executable, "-m", "pytest", str(TEST), "-q", "-n", "0"],
                            env={**os.environ, "FUZZ": times}, check=False).returncode)
