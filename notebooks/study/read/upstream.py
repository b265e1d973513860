"""The authors' released files: pinned, fetched once, verified every time."""

import os
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pooch
import requests

from study.base.errors import StudyError
from study.base.paths import DATA, UPSTREAM, shown

PATH = DATA / "upstream.toml"


@dataclass(frozen=True)
class Pin:
    """One released file: its plain name here, its path there, its size and SHA-256."""

    name: str
    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Upstream:
    """What ``data/upstream.toml`` declares: pins, candidate lists, sheets and columns."""

    repository: str
    commit: str
    licence: str
    address: str
    pins: tuple
    candidates: tuple
    sheets: tuple
    columns: dict


def load_upstream(path=PATH):
    """Read the list of released files and the layout of their sheets.

    Parameters
    ----------
    path : path-like, default ``data/upstream.toml``

    Returns
    -------
    Upstream

    Examples
    --------
    >>> load_upstream().licence
    'Apache-2.0'
    """
    try:
        raw = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        pins = tuple(Pin(**{k: f[k] for k in ("name", "path", "bytes", "sha256")})
                     for f in raw["file"])
        return Upstream(raw["repository"], raw["commit"], raw["licence"], raw["address"], pins,
                        tuple(raw["candidates"]), tuple(raw["sheet"]), raw["columns"])
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; restore it from version control") from None
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{shown(path)}: {error}; mend the TOML there") from None
    except KeyError as error:
        raise StudyError(f"{shown(path)}: the key {error} is missing; restore it") from None


def verify(pin, path, remedy="fetch an unchanged copy"):
    """Raise StudyError unless a file has the pinned size and SHA-256.

    Parameters
    ----------
    pin : Pin
    path : path-like
    remedy : str
        What to do where it differs, for the message.
    """
    if not Path(path).is_file():
        raise StudyError(f"{shown(path)} is missing; run `python reproduce.py data` to fetch it, "
                         "or set STUDY_MIRROR to a folder that has it")
    size, found = Path(path).stat().st_size, pooch.file_hash(str(path), alg="sha256")
    if (size, found) != (pin.bytes, pin.sha256):
        raise StudyError(
            f"{pin.name} is not the released file: {size} bytes, SHA-256 {found}; expected "
            f"{pin.bytes} bytes, SHA-256 {pin.sha256} ({pin.path}); {remedy}")


def fetch(upstream, folder=UPSTREAM, mirror=None, report=lambda _pin: None):
    """Bring every pinned file into a folder, whole and verified, or not at all.

    Files already there are verified and kept. A mirror folder is read anew each
    time, so that a changed mirror is noticed.

    Parameters
    ----------
    upstream : Upstream
    folder : path-like
    mirror : str, optional
        Folder or base address with the authors' relative paths; default: the
        environment variable ``STUDY_MIRROR``, else the authors' repository.
    report : callable, optional
        Called with each pin when its file is there.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    StudyError
        A file cannot be had, or differs from its pin (both sums are named).
    """
    folder, mirror = Path(folder), mirror or os.environ.get("STUDY_MIRROR", "")
    remote = "://" in mirror or not mirror
    if not remote and not Path(mirror).is_dir():
        raise StudyError(f"STUDY_MIRROR={mirror} is no folder; name one that holds the authors' "
                         "files under their own paths, or a base address")
    for pin in upstream.pins:
        target = folder / pin.name
        if remote and target.exists():
            verify(pin, target, f"delete {shown(target)} and run this again to fetch it anew")
        else:
            # From a folder pooch replaces what differs from the pin, and only by what fits it.
            _bring(pin, target, _source(upstream, pin, mirror), remote)
        report(pin)
    return folder


def _source(upstream, pin, mirror):
    if not mirror:
        return upstream.address.format(repository=upstream.repository, commit=upstream.commit,
                                       path=quote(pin.path))
    return f"{mirror.rstrip('/')}/{quote(pin.path)}" if "://" in mirror else Path(mirror) / pin.path


def _bring(pin, target, source, remote):
    """One file through pooch, which keeps it apart until it is complete."""
    def download(url, output, _pooch):
        if remote:
            pooch.HTTPDownloader(progressbar=False, timeout=60)(url, output, _pooch)
        else:
            shutil.copyfile(source, output)
        # Checked before pooch moves it into place: what fails is never kept.
        verify(pin, output)

    target.parent.mkdir(parents=True, exist_ok=True)
    pooch.get_logger().setLevel("ERROR")
    try:
        if not remote:
            verify(pin, source)
        pooch.retrieve(str(source), known_hash=f"sha256:{pin.sha256}", fname=target.name,
                       path=str(target.parent), downloader=download)
    except requests.RequestException as error:
        raise StudyError(f"{pin.name} cannot be fetched ({type(error).__name__}); check the "
                         "network, or set STUDY_MIRROR to a copy. The committed counts in "
                         "data/study need no network: python reproduce.py") from None
