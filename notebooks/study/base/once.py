"""What is computed once for a study, however many tables, figures and sentences ask for it."""

import weakref
from functools import wraps


def once(function):
    """Remember what a function of a study returned, as long as the study lives.

    Parameters
    ----------
    function : callable
        Of a study alone; returns a table.

    Returns
    -------
    callable
        It returns a copy each time, so that who changes a table changes no other's. Further
        arguments are passed on, and then nothing is remembered.

    Examples
    --------
    >>> import pandas as pd
    >>> calls = []
    >>> counted = once(lambda study: calls.append(1) or pd.DataFrame({"n": [1]}))
    >>> study = pd.DataFrame()
    >>> len(counted(study)), len(counted(study)), len(calls)
    (1, 1, 1)
    """
    known = {}

    @wraps(function)
    def remembered(study, *rest, **more):
        if rest or more:
            return function(study, *rest, **more)
        key = id(study)
        if key not in known:
            known[key] = function(study)
            weakref.finalize(study, known.pop, key, None)
        return known[key].copy()

    return remembered
