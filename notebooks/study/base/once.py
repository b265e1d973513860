"""What is computed once for a study, however many tables, figures and sentences ask for it."""

import weakref
from copy import copy
from functools import wraps

import pandas as pd

MOST = 256  # results of tables that one function keeps


def once(function):
    """Remember what a function of a study, or of a table, returned.

    Parameters
    ----------
    function : callable
        Of a study or a table, and of arguments that can be hashed.

    Returns
    -------
    callable
        It returns a copy each time, so that who changes a table changes no other's. A study
        is known by its identity as long as it lives; a table by its content, so that a table
        that somebody changed in place is computed anew.

    Examples
    --------
    >>> calls = []
    >>> counted = once(lambda table: calls.append(1) or {"n": len(table)})
    >>> table = pd.DataFrame({"n": [1]})
    >>> counted(table), counted(table), len(calls)
    ({'n': 1}, {'n': 1}, 1)
    >>> table.loc[0, "n"] = 2
    >>> counted(table), len(calls)
    ({'n': 1}, 2)
    """
    known = {}

    @wraps(function)
    def remembered(about, *rest, **more):
        key = (_content(about), rest, tuple(sorted(more.items())))
        try:
            hash(key)
        except TypeError:  # a list among the arguments
            return function(about, *rest, **more)
        if key not in known:
            result = function(about, *rest, **more)
            if isinstance(about, pd.DataFrame):
                if len(known) >= MOST:
                    known.pop(next(iter(known)))
            else:
                weakref.finalize(about, known.pop, key, None)
            known[key] = result
        return copy(known[key])

    return remembered


def _content(about):
    if not isinstance(about, pd.DataFrame):
        return id(about)
    return (*about.columns, pd.util.hash_pandas_object(about).to_numpy().tobytes())
