"""Memory of large tables."""

import gc
from contextlib import contextmanager


@contextmanager
def acyclic():
    """Pause the search for cycles while many small objects are made that refer to none.

    Examples
    --------
    >>> with acyclic():
    ...     gc.isenabled()
    False
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
