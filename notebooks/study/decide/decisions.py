"""The decisions between labels and claims: their options, and what can be said for each."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from study.base.errors import StudyError
from study.base.paths import DATA, shown

PATH = DATA / "decisions.toml"


@dataclass(frozen=True)
class Decision:
    """One decision: the question, and its options with a sentence in defence of each."""

    name: str
    asks: str
    options: dict


@lru_cache(maxsize=4)
def load_decisions(path=PATH):
    """Read the decisions.

    Parameters
    ----------
    path : path-like, default ``data/decisions.toml``

    Returns
    -------
    dict of str to Decision

    Raises
    ------
    StudyError
        The file is missing or no TOML, or an option has no defence.

    Examples
    --------
    >>> list(load_decisions()["system level"].options)
    ['middle', 'narrow', 'broad']
    """
    path = Path(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StudyError(f"{shown(path)} is missing; restore it from version control") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"{shown(path)}: {error}; mend the TOML there") from None
    for name, table in tables.items():
        options = table.get("options") if isinstance(table, dict) else None
        if not options or not isinstance(table.get("asks"), str):
            raise StudyError(f"{shown(path)}, decision {name!r}: needs 'asks' and 'options'")
        for option, defence in options.items():
            if not isinstance(defence, str) or not defence.strip():
                raise StudyError(f"{shown(path)}, decision {name!r}: the option {option!r} has no "
                                 "sentence in its defence; write one, or leave the option out")
    return {name: Decision(name, t["asks"], t["options"]) for name, t in tables.items()}
