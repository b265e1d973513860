"""Whether every package of the locks has a wheel for a system and a Python; run by hand.

``python tests/check_wheels.py`` asks the package index, through pip, for each target and prints
a table. Nothing is installed: pip only says what it would install.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ["requirements.lock", "tests/requirements.lock"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
SYSTEMS = {
    "Linux x86-64": ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64",
                     "manylinux2014_x86_64", "manylinux_2_12_x86_64", "manylinux_2_5_x86_64",
                     "manylinux1_x86_64"],
    "Linux aarch64": ["manylinux_2_28_aarch64", "manylinux_2_27_aarch64",
                      "manylinux_2_17_aarch64", "manylinux2014_aarch64"],
    "macOS arm64": [f"macosx_{n}_0_{arch}" for n in (14, 13, 12, 11) for arch in
                    ("arm64", "universal2")],
    "macOS x86-64": [*(f"macosx_{n}_0_{arch}" for n in (14, 13, 12, 11) for arch in
                       ("x86_64", "universal2")),
                     *(f"macosx_10_{n}_{arch}" for n in range(16, 8, -1) for arch in
                       ("x86_64", "universal2"))],
    "Windows x86-64": ["win_amd64"],
}
# pip reads the markers of a lock for the machine it runs on; these are the packages of one system.
ELSEWHERE = {"appnope": "macOS", "colorama": "Windows", "pywinpty": "Windows",
             "pexpect": "Linux macOS", "ptyprocess": "Linux macOS"}


def lines_for(system, python):
    """The pins of both locks that a target needs, without hashes and markers."""
    kept = {}
    for lock in LOCKS:
        for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
            if line[:1].isalpha():
                pin, _, marker = line.rstrip(" \\").partition(" ; ")
                name = pin.partition("==")[0].partition("[")[0]
                old = "python_full_version <" in marker
                limit = marker.rpartition("'3.")[2].rstrip("'") if old else ""
                if system.split()[0] in ELSEWHERE.get(name, system) and not (
                        old and int(python.partition(".")[2]) >= int(limit)):
                    kept[name] = pin
    return [pin.replace(pin[pin.find("["):pin.find("]") + 1], "") if "[" in pin else pin
            for pin in kept.values()]


def missing(system, python):
    """What pip says where one of the pins has no wheel for a target; empty where all have."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "pins.txt")
        wanted.write_text("\n".join(lines_for(system, python)), encoding="utf-8")
        platforms = [word for name in SYSTEMS[system] for word in ("--platform", name)]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps",
             "--only-binary", ":all:", "--implementation", "cp", "--python-version", python,
             *platforms, "--target", folder, "-r", wanted],
            capture_output=True, text=True, check=False)
    errors = [x for x in done.stderr.splitlines() if x.startswith("ERROR")]
    return errors[-1] if done.returncode else ""


def main():
    """Print the table, and below it what is missing; the exit code is 1 where anything is."""
    print(f"| | {' | '.join(PYTHONS)} |\n| --- |{' --- |' * len(PYTHONS)}")
    faults = []
    for system in SYSTEMS:
        found = [missing(system, python) for python in PYTHONS]
        print(f"| {system} | {' | '.join('no' if f else 'yes' for f in found)} |", flush=True)
        faults += [f"{system}, Python {p}: {f}" for p, f in zip(PYTHONS, found, strict=True) if f]
    print("\n".join(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
