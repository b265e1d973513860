"""Where two raters differ: category by category, pair by pair, and one-sidedly."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components
from scipy.stats import chi2
from statsmodels.stats.contingency_tables import SquareTable

from study.measure.agreement import coefficients
from study.measure.squaretable import NO_PAIR, checked, used


def one_against_rest(table, category):
    """Collapse a table to one category against all others.

    Parameters
    ----------
    table : array_like, shape (q, q)
    category : int
        Position in the codebook.

    Returns
    -------
    numpy.ndarray, shape (2, 2)
        First the category, then the rest.

    Examples
    --------
    >>> one_against_rest([[5, 1, 0], [2, 3, 1], [0, 0, 4]], 0).tolist()
    [[5.0, 1.0], [2.0, 8.0]]
    """
    table = checked(table)
    a = table[category, category]
    b, c = table[category].sum() - a, table[:, category].sum() - a
    return np.array([[a, b], [c, table.sum() - a - b - c]])


def indices(table):
    """Prevalence and bias index of a table of two categories.

    Parameters
    ----------
    table : array_like, shape (2, 2)

    Returns
    -------
    dict of str to float
        ``prevalence`` (a - d)/n and ``bias`` (b - c)/n (Byrt, Bishop & Carlin 1993).

    Raises
    ------
    ValueError
        Another shape (:func:`per_category` has them for each category),
        or no item.

    Examples
    --------
    >>> indices([[80, 10], [5, 5]])
    {'prevalence': 0.75, 'bias': 0.05}
    """
    table = checked(table)
    if table.shape != (2, 2):
        raise ValueError(f"prevalence and bias index need two categories, not {len(table)}; "
                         "collapse the table to one category against the rest")
    n = table.sum()
    if not n:
        raise ValueError(NO_PAIR)
    return {"prevalence": float((table[0, 0] - table[1, 1]) / n),
            "bias": float((table[0, 1] - table[1, 0]) / n)}


def per_category(table, codebook, conf=0.95):
    """One-against-rest agreement for every category of the codebook.

    Parameters
    ----------
    table : array_like, shape (q, q)
    codebook : sequence of str, length q
    conf : float

    Returns
    -------
    pandas.DataFrame
        One row a category: category, n_1, n_2, n_both (items with this label), kappa, se,
        ci_low, ci_high, reason, positive_agreement 2a/(2a+b+c), negative_agreement,
        prevalence_index, bias_index. Missing values are None, with the reason.

    Raises
    ------
    ValueError
        Codebook and table differ in length.

    Examples
    --------
    >>> t = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]  # Landis & Koch
    >>> per_category(t, ["1", "2", "3", "4"])["kappa"].round(4).tolist()
    [0.781, 0.2663, 0.4405, 0.4587]
    """
    table = checked(table)
    if len(codebook) != len(table):
        raise ValueError(f"{len(codebook)} categories, a table of {len(table)}")
    rows = []
    for i, category in enumerate(codebook):
        (a, b), (c, d) = square = one_against_rest(table, i)
        n = a + b + c + d
        kappa = coefficients(square, conf=conf)[1]
        reason = kappa.reason if a + b + c or not n else "category not used"
        rows.append({
            "category": category, "n_1": int(a + b), "n_2": int(a + c), "n_both": int(a),
            "kappa": kappa.value, "se": kappa.se, "ci_low": kappa.ci_low,
            "ci_high": kappa.ci_high, "reason": reason,
            "positive_agreement": 2 * a / (2 * a + b + c) if a + b + c else None,
            "negative_agreement": 2 * d / (2 * d + b + c) if d + b + c else None,
            "prevalence_index": (a - d) / n if n else None,
            "bias_index": (b - c) / n if n else None})
    frame = pd.DataFrame(rows)
    missing = ["kappa", "se", "ci_low", "ci_high", "positive_agreement", "negative_agreement",
               "prevalence_index", "bias_index"]
    # As objects, so that a missing value stays None and does not become nan.
    frame[missing] = frame[missing].astype(object).where(frame[missing].notna(), None)
    return frame


def confusions(table, codebook):
    """Which categories are taken for one another, and how often.

    Parameters
    ----------
    table : array_like, shape (q, q)
    codebook : sequence of str, length q

    Returns
    -------
    pandas.DataFrame
        category_1, category_2 (in the order of the codebook), n_12 (rater 1 gave the first,
        rater 2 the second), n_21, n, share of all disagreements; most frequent first.

    Examples
    --------
    >>> confusions([[5, 1, 0], [2, 3, 0], [0, 0, 4]], ["a", "b", "c"]).values.tolist()
    [['a', 'b', 1, 2, 3, 1.0]]
    """
    table = checked(table)
    upper, lower = np.triu_indices(len(table), 1)
    frame = pd.DataFrame({
        "category_1": [codebook[i] for i in upper], "category_2": [codebook[i] for i in lower],
        "n_12": table[upper, lower].astype(int), "n_21": table[lower, upper].astype(int)})
    frame["n"] = frame["n_12"] + frame["n_21"]
    frame = frame[frame["n"] > 0].copy()
    frame["share"] = frame["n"] / max(1, frame["n"].sum())
    return frame.sort_values("n", ascending=False, kind="stable", ignore_index=True)


@dataclass(frozen=True)
class SystematicTest:
    """A test of whether two raters differ in one direction.

    Attributes
    ----------
    name : str
    statistic, p : float or None
    df : int or None
    reason : str
        Why there is no value.
    note : str
        What to know about the value.

    Examples
    --------
    >>> SystematicTest("Bowker", None, None, None, "no disagreement").reason
    'no disagreement'
    """

    name: str
    statistic: float | None
    df: int | None
    p: float | None
    reason: str = ""
    note: str = ""


def systematic(table):
    """Bowker's test of symmetry and Stuart's and Maxwell's of equal margins.

    Parameters
    ----------
    table : array_like, shape (q, q)

    Returns
    -------
    list of SystematicTest
        Bowker, then Stuart-Maxwell, over the categories in use. A small p says that one
        rater prefers some categories: a difference in reading the codebook, not a slip.

    Notes
    -----
    Bowker by statsmodels, whose degrees of freedom count empty pairs of categories too;
    the number of those is in the note. Stuart-Maxwell with a pseudo-inverse, because its
    covariance is singular as soon as a category has no disagreement; where all categories
    are linked by disagreements it is the textbook statistic.

    Examples
    --------
    >>> table = [[18, 4, 0, 13], [0, 38, 0, 12], [0, 0, 16, 3], [2, 2, 4, 92]]
    >>> [(t.name, round(t.statistic, 2), t.df, round(t.p, 5)) for t in systematic(table)]
    [('Bowker', 19.35, 6, 0.00361), ('Stuart-Maxwell', 16.87, 3, 0.00075)]
    """
    table = checked(table)
    keep = used(table)
    table = table[np.ix_(keep, keep)]
    if table.sum() == np.trace(table):
        reason = "no disagreement" if table.sum() else NO_PAIR
        return [SystematicTest(name, None, None, None, reason)
                for name in ("Bowker", "Stuart-Maxwell")]
    symmetry = SquareTable(table.copy(), shift_zeros=False).symmetry(method="bowker")
    pairs = (table + table.T)[np.triu_indices(len(table), 1)]
    empty = int((pairs == 0).sum())
    note = f"{empty} of {len(pairs)} pairs of categories never confused" if empty else ""
    bowker = SystematicTest("Bowker", float(symmetry.statistic), int(symmetry.df),
                            float(symmetry.pvalue), note=note)
    return [bowker, _stuart_maxwell(table)]


def _stuart_maxwell(table):
    difference = table.sum(1) - table.sum(0)
    covariance = -(table + table.T)
    covariance[np.diag_indices_from(covariance)] = table.sum(0) + table.sum(1) - 2 * np.diag(table)
    # The covariance is the Laplacian of the graph of confusions, so its rank is an exact
    # count: categories minus connected groups.
    rank = len(table) - connected_components(table, directed=False)[0]
    statistic = float(difference @ np.linalg.pinv(covariance, hermitian=True, rcond=1e-10)
                      @ difference)
    return SystematicTest("Stuart-Maxwell", statistic, rank, float(chi2.sf(statistic, rank)))
