"""Write results only where they differ, whole or not at all, and say what changed."""

import hashlib
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from study.base.errors import StudyError
from study.base.paths import ROOT, shown

LOCK = ROOT / "requirements.lock"
# The libraries whose versions decide what numbers, pictures and notebooks look like.
SHAPING = ("ipykernel", "ipython", "jinja2", "matplotlib", "nbclient", "nbformat", "numpy",
           "pandas", "pillow", "scipy", "statsmodels")


def publish(path, content):
    """Write a result unless the file holds it already.

    Parameters
    ----------
    path : path-like
    content : bytes or str
        Text is written as UTF-8 with LF.

    Returns
    -------
    bool
        Whether the file had to change. A checkout with CRLF does not count as a change.
    """
    path = Path(path)
    new = content.encode() if isinstance(content, str) else content
    if path.exists():
        old = path.read_bytes()
        if old == new or (isinstance(content, str) and old.replace(b"\r\n", b"\n") == new):
            return False
    write_whole(path, new)
    return True


def write_whole(path, content):
    """Write a file through a neighbour, so that no half file remains.

    Parameters
    ----------
    path : path-like
        Its folder is made where it is missing.
    content : bytes or str
        Text is written as UTF-8 with LF.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.part")
    try:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def sha256(path):
    """SHA-256 of a file; of text with line ends as LF, so that a checkout's settings do not matter.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    str
        Of hexadecimal digits.
    """
    content = Path(path).read_bytes()
    if b"\0" not in content:
        content = content.replace(b"\r\n", b"\n")
    return hashlib.sha256(content).hexdigest()


def locked_versions(lock=LOCK):
    """Versions in the lock file, by package name in lower case.

    Examples
    --------
    >>> "pandas" in locked_versions()
    True
    """
    text = Path(lock).read_text(encoding="utf-8")
    return {m[1].lower(): m[2] for m in re.finditer(
        r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", text, re.M)}


def other_versions(lock=LOCK, names=SHAPING):
    """Installed versions that are not the locked ones, of the libraries that matter.

    Parameters
    ----------
    lock : path-like
    names : collection of str
        Of packages.

    Returns
    -------
    dict of str to str
        Package → installed version; empty where the bytes can be expected to be equal.
    """
    wanted, found = locked_versions(lock), {}
    for name in names:
        try:
            installed = version(name)
        except PackageNotFoundError:
            installed = "not installed"
        if wanted.get(name) != installed:
            found[name] = installed
    return found


def replace_block(path, name, text):
    """Put text between ``<!-- name -->`` and ``<!-- /name -->`` of a Markdown file.

    Parameters
    ----------
    path : path-like
    name, text : str

    Returns
    -------
    bool
        Whether the file had to change.

    Raises
    ------
    StudyError
        Where the file or the marks are missing.
    """
    try:
        page = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; restore it from version control") from None
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise StudyError(f"{shown(path)} needs the marks {begin} and {end} once each, "
                         "in this order")
    before, rest = page.split(begin)
    return publish(path, f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}")
