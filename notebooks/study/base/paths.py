"""Where things are, relative to the top of the package."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "data"
STUDY = DATA / "study"
RAW = DATA / "raw"
UPSTREAM = RAW / "upstream"
NOTEBOOKS = ROOT / "notebooks"
FIGURES = ROOT / "figures"
EXTENSIONS = DATA / "extensions"


def shown(path):
    """Path as messages print it: relative to the package where it lies inside.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    str
        With forward slashes on every system.

    Examples
    --------
    >>> shown(STUDY / "faults.csv")
    'data/study/faults.csv'
    """
    path = Path(path)
    try:
        return path.resolve().relative_to(ROOT).as_posix()
    except ValueError:
        return path.as_posix()


def extension_names():
    """Names of the extensions there are, sorted."""
    return sorted(p.parent.name for p in EXTENSIONS.glob("*/plan.json"))
