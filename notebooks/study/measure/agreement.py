"""Agreement of two raters: one square table over the codebook, every usual coefficient.

The codebook gives the categories and their order, never the labels that happen to occur.
"""

from dataclasses import replace

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from study.measure.results import Result, limits
from study.measure.squaretable import NO_PAIR, checked, square_table, table_from_counts, used

__all__ = ["COEFFICIENTS", "coefficients", "point_values", "square_table", "standard_errors",
           "table_from_counts"]

ONE_CATEGORY = "only one category used: nothing tells agreement from habit"
NO_SPREAD = "no interval: the standard error is 0"
NO_ERROR = 1e-7  # below it a standard error is what rounding left of 0
COEFFICIENTS = ("po", "kappa", "kappa_max", "pi", "S", "AC1", "alpha")


def point_values(n, agreeing, rows, cols, q_offered):
    """Values of all coefficients from the sums of one table, or of many at once.

    Parameters
    ----------
    n, agreeing : array_like, shape (...)
        Pairs, and pairs with equal labels.
    rows, cols : array_like, shape (..., q)
        How often each rater used each category.
    q_offered : int
        Categories in the codebook.

    Returns
    -------
    dict of str to numpy.ndarray, shape (...)
        po, kappa, pi, S, AC1, alpha. nan marks an undefined value; callers turn it into a
        reason.

    Notes
    -----
    Cohen (1960), Scott (1955), Brennan & Prediger (1981), Gwet (2008), Krippendorff (2011).

    Examples
    --------
    >>> values = point_values(10, 9, [9, 1], [8, 2], 2)  # Gwet 2008
    >>> round(float(values["AC1"]), 4), round(float(values["pi"]), 4)
    (0.8658, 0.6078)
    """
    n, agreeing = np.asarray(n, float), np.asarray(agreeing, float)
    rows, cols = np.asarray(rows, float), np.asarray(cols, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        po = agreeing / n
        both = np.einsum("...k,...k->...", rows, cols)
        squares = np.einsum("...k,...k->...", rows, rows) + np.einsum("...k,...k->...", cols, cols)
        by_kappa = both / n**2
        by_pi = (squares + 2 * both) / (4 * n**2)
        by_ac1 = (1 - by_pi) / (q_offered - 1) if q_offered > 1 else np.full_like(po, np.nan)
        by_s = 1 / q_offered if q_offered > 1 else np.nan
        # One category in use: 0/0 for kappa, pi and alpha; S and AC1 would say 1 whatever
        # the raters do, so they are withheld too.
        single = (1 - by_pi) <= 1e-12
        values = {"po": po, "kappa": (po - by_kappa) / (1 - by_kappa),
                  "pi": (po - by_pi) / (1 - by_pi), "S": (po - by_s) / (1 - by_s),
                  "AC1": (po - by_ac1) / (1 - by_ac1),
                  "alpha": 1 - (1 - po) * (1 - 1 / (2 * n)) / (1 - by_pi)}
    return {name: value if name == "po" else np.where(single, np.nan, value)
            for name, value in values.items()}


def coefficients(table, primary="kappa", dropped=None, conf=0.95, interval="t"):
    """Every coefficient for two raters, each with its interval and its circumstances.

    Parameters
    ----------
    table : array_like, shape (q, q)
        Counts over the codebook, rater 1 in the rows. q is the number of categories that
        were offered; unused ones change S and AC1, nothing else.
    primary : str
        The declared coefficient; it is marked, all others are returned too.
    dropped : dict of str to int, optional
        Why and how many items are not in the table.
    conf : float
        Confidence level of the asymptotic intervals.
    interval : str
        Of pi, S, AC1 and alpha: "t", with quantiles of t and n - 1 in the variance, as irrCAC
        and AgreeStat have them for rows of ratings; "normal", the large-sample form. kappa has
        the normal form either way, as statsmodels, SAS and vcd. "" leaves out the intervals of
        all but po, and their cost.

    Returns
    -------
    list of Result
        po (Wilson interval), kappa (standard error of Fleiss, Cohen & Everitt 1969, by
        statsmodels), kappa_max, pi, S, AC1, alpha; then S_seen and AC1_seen with the
        categories that occur, as R's irrCAC and Stata count them, where that differs.

    Raises
    ------
    ValueError
        Not a square table of counts, or an unknown primary coefficient.

    Examples
    --------
    >>> for r in coefficients([[40, 9], [6, 45]])[:2]:  # Feinstein & Cicchetti 1990
    ...     print(r.coefficient, round(r.value, 4), round(r.ci_low, 4), round(r.ci_high, 4))
    po 0.85 0.7672 0.9069
    kappa 0.6995 0.5596 0.8394
    """
    table = checked(table)
    if primary not in COEFFICIENTS:
        raise ValueError(f"no coefficient {primary!r}; one of {', '.join(COEFFICIENTS)}")
    in_use = used(table)
    base = Result("", None, conf=conf, n_used=int(table.sum()), dropped=dict(dropped or {}),
                  q_used=int(in_use.sum()), q_offered=len(table))
    if not base.n_used:
        return [replace(base, coefficient=c, reason=NO_PAIR, primary=c == primary)
                for c in COEFFICIENTS]
    values = point_values(base.n_used, np.trace(table), table.sum(1), table.sum(0), len(table))
    base = replace(base, po=float(values["po"]))
    small = table[np.ix_(in_use, in_use)]
    errors = standard_errors(small, len(table)) if interval else {}
    made = [_with_wilson(base, np.trace(table))]
    if base.q_used > 1:
        values["kappa_max"] = _kappa_max(small)
    for name in COEFFICIENTS[1:]:
        entry = replace(base, coefficient=name)
        made.append(_asymptotic(entry, values.get(name), errors.get(name), interval))
    if base.q_used not in (1, base.q_offered):
        seen = point_values(base.n_used, np.trace(small), small.sum(1), small.sum(0), len(small))
        errors = standard_errors(small, len(small)) if interval else {}
        for name in ("S", "AC1"):
            entry = replace(base, coefficient=name + "_seen", q_offered=base.q_used)
            made.append(_asymptotic(entry, seen[name], errors.get(name), interval))
    return [replace(r, primary=r.coefficient == primary) for r in made]


def _with_wilson(base, agreeing):
    low, high = proportion_confint(agreeing, base.n_used, 1 - base.conf, method="wilson")
    return replace(base, coefficient="po", value=base.po,
                   se=float(np.sqrt(max(0.0, base.po * (1 - base.po)) / base.n_used)),
                   ci_low=float(low), ci_high=float(high), ci_method="Wilson")


def _asymptotic(entry, value, error, interval):
    """Fill in value and interval, or the reason why there is none."""
    if value is None or np.isnan(value):
        reason = ONE_CATEGORY if entry.q_offered > 1 else "the codebook has one category only"
        return replace(entry, reason=reason)
    entry = replace(entry, value=float(value))
    if error is None:
        bound = entry.coefficient == "kappa_max"
        return replace(entry, reason="no interval: a bound, not an estimate" if bound else
                       "no interval asked for")
    if error < NO_ERROR:
        return replace(entry, se=0.0, reason=NO_SPREAD)
    if entry.coefficient == "kappa":
        interval = "normal"
    if interval == "t":
        error *= np.sqrt(entry.n_used / (entry.n_used - 1))
    low, high, clipped, method = limits(value, error, entry.n_used, entry.conf, interval)
    return replace(entry, se=float(error), ci_low=low, ci_high=high, clipped=clipped,
                   ci_method=method)


def _kappa_max(table):
    n = table.sum()
    expected = (table.sum(0) * table.sum(1)).sum() / n**2
    return (np.minimum(table.sum(0), table.sum(1)).sum() / n - expected) / (1 - expected)


def standard_errors(table, q_offered):
    """Standard errors of the coefficients of one table.

    Parameters
    ----------
    table : numpy.ndarray, shape (q, q)
        Counts of the categories in use only.
    q_offered : int
        Categories of the codebook.

    Returns
    -------
    dict of str to float
        kappa, pi, S, AC1, alpha; empty where fewer than two categories are in use.

    Notes
    -----
    kappa: Fleiss, Cohen & Everitt (1969), by statsmodels. pi and AC1: Gwet (2008), for an
    infinite population. alpha takes the one of pi, as R's irrCAC does for tables: the two
    coefficients differ by a factor of 1 - 1/(2n).

    Examples
    --------
    >>> table = np.array([[13., 0, 0], [0, 20, 7], [0, 4, 56]])
    >>> {k: round(v, 6) for k, v in standard_errors(table, 3).items()}
    {'kappa': 0.058911, 'pi': 0.059055, 'S': 0.046933, 'AC1': 0.043217, 'alpha': 0.059055}
    """
    if len(table) < 2:
        return {}
    n = table.sum()
    p = table / n
    mean = (p.sum(0) + p.sum(1)) / 2
    po, pair = np.trace(p), (mean[:, None] + mean) / 2
    identity = np.eye(len(p))

    def gwet(expected, weight):
        value = (po - expected) / (1 - expected)
        inner = (p * (identity - 2 * (1 - value) * weight) ** 2).sum()
        return np.sqrt(max(0.0, inner - (po - 2 * (1 - value) * expected) ** 2)
                       / (n * (1 - expected) ** 2))

    with np.errstate(invalid="ignore", divide="ignore"):  # its test of kappa = 0 is not used
        variance = cohens_kappa(table.copy()).var_kappa
    errors = {"kappa": np.sqrt(max(0.0, variance)),
              "pi": gwet((mean**2).sum(), pair)}
    if q_offered > 1:
        errors["S"] = np.sqrt(max(0.0, po * (1 - po)) / n) * q_offered / (q_offered - 1)
        errors["AC1"] = gwet((mean * (1 - mean)).sum() / (q_offered - 1),
                             (1 - pair) / (q_offered - 1))
    errors["alpha"] = errors["pi"]
    return {name: float(error) for name, error in errors.items()}
