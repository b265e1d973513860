"""The command line with a fast clock, for tests that kill a real process."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2])]

from fakeapi import ScaledClock  # noqa: E402

from mining import workplace  # noqa: E402
from mining.cli import main  # noqa: E402

if __name__ == "__main__":
    origin, factor, *arguments = sys.argv[1:]
    workplace.DATA = Path(arguments[arguments.index("--store") + 1]).parent / "data"
    code = main(arguments, ScaledClock(float(origin), float(factor)))
    status = Path("/proc/self/status")
    if status.exists():
        # What the process needed at most; a child's rusage would count its parent too.
        print(next(line for line in status.read_text().splitlines() if "VmHWM" in line))
    sys.exit(code)
