"""The one place where two raters' labels become a square table over the codebook."""

import numpy as np

NO_PAIR = "no item has a label from both raters"


def square_table(labels_1, labels_2, codebook):
    """Cross table of two raters over the whole codebook.

    Parameters
    ----------
    labels_1, labels_2 : sequence of str
        Equally long; position i of both is one item.
    codebook : sequence of str
        All categories that were offered, in the order wanted.

    Returns
    -------
    numpy.ndarray of int64, shape (q, q)
        Rows are rater 1, columns rater 2.

    Raises
    ------
    ValueError
        A label outside the codebook, a doubled category, sequences of unequal length.

    Examples
    --------
    >>> square_table(["a", "b"], ["a", "a"], ["a", "b", "c"]).tolist()
    [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    """
    index = _index(codebook)
    if len(labels_1) != len(labels_2):
        raise ValueError(f"{len(labels_1)} labels of rater 1, {len(labels_2)} of rater 2; "
                         "pair them by item first")
    try:
        first, second = (np.fromiter(map(index.__getitem__, labels), np.int64, len(labels))
                         for labels in (labels_1, labels_2))
    except KeyError as error:
        raise ValueError(f"label {error.args[0]!r} is not in the codebook; add it there or "
                         "map it to a category") from None
    q = len(index)
    return np.bincount(first * q + second, minlength=q * q).reshape(q, q)


def table_from_counts(counts, codebook):
    """Cross table from counted pairs of labels.

    Parameters
    ----------
    counts : pandas.DataFrame
        Columns label_1, label_2, n; pairs may occur in several rows.
    codebook : sequence of str

    Returns
    -------
    numpy.ndarray of int64, shape (q, q)

    Raises
    ------
    ValueError
        A label outside the codebook, or a negative count.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"label_1": ["a", "b"], "label_2": ["a", "a"], "n": [3, 1]})
    >>> table_from_counts(frame, ["a", "b"]).tolist()
    [[3, 0], [1, 0]]
    """
    index = _index(codebook)
    table = np.zeros((len(index), len(index)), np.int64)
    for first, second, n in zip(counts["label_1"], counts["label_2"], counts["n"], strict=True):
        for label in (first, second):
            if label not in index:
                raise ValueError(f"label {label!r} is not in the codebook; add it there or "
                                 "map it to a category")
        if n < 0:
            raise ValueError(f"{n} pairs of {first!r} and {second!r}; a count cannot be negative")
        table[index[first], index[second]] += n
    return table


def _index(codebook):
    index = {category: i for i, category in enumerate(codebook)}
    if not index:
        raise ValueError("the codebook has no category")
    if len(index) < len(codebook):
        doubled = next(c for i, c in enumerate(codebook) if index[c] != i)
        raise ValueError(f"category {doubled!r} stands twice in the codebook")
    return index


def checked(table):
    """A square table of counts as floats, and refusal of anything else.

    Parameters
    ----------
    table : array_like, shape (q, q)

    Returns
    -------
    numpy.ndarray of float64

    Raises
    ------
    ValueError

    Examples
    --------
    >>> checked([[1, 2, 3]])
    Traceback (most recent call last):
    ...
    ValueError: a table of shape (1, 3); a square one over the codebook is needed
    """
    table = np.array(table, dtype=float)  # a copy: statsmodels writes into its argument
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"a table of shape {table.shape}; a square one over the codebook "
                         "is needed")
    if not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("a table of counts cannot have negative or missing cells")
    return table


def used(table):
    """Which categories at least one rater used, as a boolean array.

    Examples
    --------
    >>> used(np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]])).tolist()
    [True, True, False]
    """
    return (table.sum(0) + table.sum(1)) > 0
