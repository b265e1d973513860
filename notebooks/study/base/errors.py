"""The one exception that carries a message for the user."""


class StudyError(ValueError):
    """Bad input; the message is one line: what, where, what to do.

    Commands print the message and exit with 2. Nothing is half written.

    Examples
    --------
    >>> raise StudyError("faults.csv, row 3, column n: -1 is negative; counts are 0 or more")
    Traceback (most recent call last):
    study.base.errors.StudyError: faults.csv, row 3, column n: -1 is negative; counts are 0 or more
    """
