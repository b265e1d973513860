"""Differences between platforms, frameworks and stages: tests with effect sizes."""

import numpy as np
import pandas as pd
from scipy.stats import MonteCarloMethod, chi2_contingency, norm
from statsmodels.stats.contingency_tables import Table

from study.base.once import once
from study.base.seeds import generator
from study.base.words import JOIN
from study.read.codebook import FAULT, QUESTION

RESAMPLES = 9_999
# Cochran's rule of thumb for when the chi-square distribution is good enough.
SMALL, SMALL_SHARE = 5, 0.2


def crosstab(table, rows, columns, n="n"):
    """Counts of two columns against each other, without empty rows and columns.

    Parameters
    ----------
    table : pandas.DataFrame
    rows, columns, n : str

    Returns
    -------
    pandas.DataFrame of int

    Raises
    ------
    ValueError
        A blank cell in one of the columns: it would drop the row, or be a category.

    Examples
    --------
    >>> t = pd.DataFrame({"a": ["x", "y", "x"], "b": ["u", "v", "v"], "n": [2, 3, 1]})
    >>> crosstab(t, "a", "b").to_numpy().tolist()
    [[2, 1], [0, 3]]
    """
    for column in (rows, columns):
        if (table[column].isna() | table[column].eq("")).any():
            raise ValueError(f"column {column} has blank cells, which no cross table may hold; "
                             "name them first")
    cells = table.groupby([rows, columns])[n].sum().unstack(fill_value=0).astype(int)
    return cells.loc[cells.sum(axis=1) > 0, cells.sum() > 0]


def cramers_v(counts):
    """Cramér's V, plain and corrected for bias.

    Parameters
    ----------
    counts : numpy.ndarray, shape (..., rows, columns)
        One table, or a stack of tables.

    Returns
    -------
    tuple of numpy.ndarray
        V and bias-corrected V, of the leading shape. A table with fewer than two
        filled rows or columns, or of fewer than two observations, gives 0: it shows no
        association.

    References
    ----------
    Bergsma (2013), A bias-correction for Cramér's V and Tschuprow's T.

    Examples
    --------
    >>> v, corrected = cramers_v(np.array([[53, 77], [65, 30]]))
    >>> round(float(v), 6), round(float(corrected), 6)
    (0.273479, 0.265786)
    """
    counts = np.asarray(counts, dtype=float)
    # With one observation, or none, every term below is 0: two spares the division by 0.
    n = np.maximum(counts.sum(axis=(-2, -1)), 2)
    row, column = counts.sum(axis=-1), counts.sum(axis=-2)
    expected = row[..., :, None] * column[..., None, :] / n[..., None, None]
    # Empty rows or columns (they occur in resampled tables) add nothing.
    terms = np.divide((counts - expected) ** 2, expected, out=np.zeros_like(counts),
                      where=expected > 0)
    phi2 = terms.sum(axis=(-2, -1)) / n
    r, k = (row > 0).sum(axis=-1), (column > 0).sum(axis=-1)
    plain = np.sqrt(_ratio(phi2, np.minimum(r, k) - 1))
    shrunk = np.maximum(0, phi2 - (k - 1) * (r - 1) / (n - 1))
    r2, k2 = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    return plain, np.sqrt(_ratio(shrunk, np.minimum(r2, k2) - 1))


def holm(p):
    """P values corrected after Holm (1979) for the number of tests.

    Parameters
    ----------
    p : array_like

    Returns
    -------
    numpy.ndarray
        As statsmodels' ``multipletests``, which spends a tenth of a second a call on
        collecting garbage.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, kind="stable")
    made = np.empty_like(p)
    made[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return made


def _ratio(above, below):
    return np.divide(above, below, out=np.zeros_like(np.asarray(above, float)),
                     where=np.asarray(below) > 0)


def independence(cells, name, resamples=RESAMPLES):
    """Test of independence with effect size and interval.

    Parameters
    ----------
    cells : pandas.DataFrame of int
        As :func:`crosstab` returns it.
    name : str
        Of the comparison; also starts its random numbers.
    resamples : int

    Returns
    -------
    dict
        comparison, n, rows, columns, chi2, df, p, method (``chi-square``, or ``Monte
        Carlo`` where more than 20 % of the expected counts are below 5), small (that
        share), v, v_corrected, low, high (95 %, percentile bootstrap of the corrected V, centred
        on it),
        reason (why the rest is missing, else blank).

    Examples
    --------
    >>> result = independence(pd.DataFrame([[53, 77], [65, 30]]), "example")
    >>> result["method"], round(result["chi2"], 3)
    ('chi-square', 16.828)
    """
    counts = cells.to_numpy()
    record = {"comparison": name, "n": int(counts.sum()), "rows": len(cells),
              "columns": cells.shape[1]}
    if min(counts.shape) < 2:
        return record | {"chi2": None, "df": None, "p": None, "method": "", "small": None,
                         "v": None, "v_corrected": None, "low": None, "high": None,
                         "reason": "fewer than two rows or columns"}
    plain = chi2_contingency(counts, correction=False)
    small = float((plain.expected_freq < SMALL).mean())
    p, method = float(plain.pvalue), "chi-square"
    if small > SMALL_SHARE:
        rng = generator(f"independence {name}")
        p = float(chi2_contingency(counts, correction=False, method=MonteCarloMethod(
            n_resamples=resamples, rng=rng)).pvalue)
        method = "Monte Carlo"
    v, corrected = cramers_v(counts)
    low, high = _bootstrap_v(counts, generator(f"effect {name}"))
    return record | {"chi2": float(plain.statistic), "df": int(plain.dof), "p": p,
                     "method": method, "small": small, "v": float(v),
                     "v_corrected": float(corrected), "low": low, "high": high, "reason": ""}


def _bootstrap_v(counts, rng, resamples=2_000):
    n = int(counts.sum())
    drawn = rng.multinomial(n, counts.ravel() / n, size=resamples)
    _, corrected = cramers_v(drawn.reshape(resamples, *counts.shape))
    # Resampling a sample adds the sampling error once more, which in sparse tables lifts
    # every drawn V; the interval is therefore centred on the V that was observed.
    centre = float(cramers_v(counts)[1]) - corrected.mean()
    low, high = np.clip(np.percentile(corrected, [2.5, 97.5]) + centre, 0, 1)
    return float(low), float(high)


def residuals(cells):
    """Which cells a difference comes from: adjusted residuals with Holm's p values.

    Parameters
    ----------
    cells : pandas.DataFrame of int

    Returns
    -------
    pandas.DataFrame
        Columns row, column, n, expected, residual (adjusted, Haberman 1973), p, p_holm
        (over all cells); largest residual first. Of fewer than two rows or columns
        nothing can stand out: residual and p values are missing.

    Examples
    --------
    >>> t = pd.DataFrame([[762, 327, 468], [484, 239, 477]])
    >>> float(residuals(t)["residual"].round(2).abs().max())
    5.32
    """
    if min(cells.shape) < 2:
        return pd.DataFrame({
            "row": np.repeat(cells.index.astype(str), cells.shape[1]),
            "column": np.tile(cells.columns.astype(str), cells.shape[0]),
            "n": cells.to_numpy().ravel(), "expected": cells.to_numpy().ravel().astype(float),
            "residual": np.nan, "p": np.nan, "p_holm": np.nan})
    # statsmodels would put 0.5 into empty cells, and into the caller's own array.
    table = Table(cells.to_numpy().astype(float).copy(), shift_zeros=False)
    result = pd.DataFrame({
        "row": np.repeat(cells.index.astype(str), cells.shape[1]),
        "column": np.tile(cells.columns.astype(str), cells.shape[0]),
        "n": cells.to_numpy().ravel(), "expected": np.asarray(table.fittedvalues).ravel(),
        "residual": np.asarray(table.standardized_resids).ravel()})
    result["p"] = 2 * norm.sf(result["residual"].abs())
    result["p_holm"] = holm(result["p"])
    order = result["residual"].abs().sort_values(ascending=False, kind="stable").index
    return result.loc[order].reset_index(drop=True)


def issues(study):
    """Faults and questions of a study in one table.

    Parameters
    ----------
    study : Study

    Returns
    -------
    pandas.DataFrame
        Columns kind, platform, framework (``several`` where there are), stage, symptom,
        topic, specific, system (middle reading, one pattern suffices), fix_pattern
        (``several`` where there are), n. Blank labels are ``(none)``; labels of the other kind are
        missing.
    """
    parts = [study.faults.assign(kind=FAULT), study.questions.assign(kind=QUESTION)]
    table = pd.concat(parts, ignore_index=True)
    table["framework"] = table["frameworks"].where(
        ~table["frameworks"].str.contains(JOIN, regex=False), "several")
    table["specific"] = table["distributed_specific"].map(
        {1: "distributed-specific", 0: "not distributed-specific"})
    counted = study.codebook.system_level("middle")
    # Questions have no fix; neither of the two columns is asked of them.
    fixes = table["fix_patterns"].fillna("").astype(str)
    table["system"] = ["system-level" if counted & set(cell.split(JOIN)) else "not system-level"
                       for cell in fixes]
    table["fix_pattern"] = fixes.where(~fixes.str.contains(JOIN, regex=False), "several")
    columns = ["kind", "platform", "framework", "stage", "symptom", "topic", "specific", "system",
               "fix_pattern", "n"]
    return table.reindex(columns=columns).replace("", "(none)")


# Each comparison: which issues, what in the rows, what in the columns.
COMPARISONS = {
    "issue type by platform": (None, "kind", "platform"),
    "issue type by framework": (None, "kind", "framework"),
    "stage by platform": (FAULT, "stage", "platform"),
    "stage by framework": (FAULT, "stage", "framework"),
    "symptom by platform": (FAULT, "symptom", "platform"),
    "symptom by framework": (FAULT, "symptom", "framework"),
    "distributed-specific by stage": (FAULT, "specific", "stage"),
    "distributed-specific by platform": (FAULT, "specific", "platform"),
    "distributed-specific by framework": (FAULT, "specific", "framework"),
    "system level by platform": (FAULT, "system", "platform"),
    "system level by framework": (FAULT, "system", "framework"),
    "system level by stage": (FAULT, "system", "stage"),
    "fix pattern by platform": (FAULT, "fix_pattern", "platform"),
    "fix pattern by framework": (FAULT, "fix_pattern", "framework"),
    "fix pattern by stage": (FAULT, "fix_pattern", "stage"),
    "topic by platform": (QUESTION, "topic", "platform"),
    "topic by framework": (QUESTION, "topic", "framework"),
}


def comparison(study, name, every=None):
    """The cross table of one of ``COMPARISONS``.

    Issues of several frameworks, or of several fix patterns, are left out where those are
    compared.

    Parameters
    ----------
    study : Study
    name : str
    every : pandas.DataFrame, optional
        What :func:`issues` returns for the study, where it is there already.

    Returns
    -------
    pandas.DataFrame of int
    """
    kind, rows, columns = COMPARISONS[name]
    table = issues(study) if every is None else every
    if kind:
        table = table[table["kind"] == kind]
    for column in {"framework", "fix_pattern"} & {rows, columns}:
        table = table[table[column] != "several"]
    return crosstab(table, rows, columns)


@once
def comparisons(study):
    """Every comparison with test, effect size and Holm's p over all of them.

    Parameters
    ----------
    study : Study

    Returns
    -------
    pandas.DataFrame
        One row a comparison; columns as :func:`independence`, and p_holm.
    """
    every = issues(study)
    table = pd.DataFrame([independence(comparison(study, name, every), name)
                          for name in COMPARISONS])
    known = table["p"].notna()
    table["p_holm"] = np.nan
    if known.any():
        table.loc[known, "p_holm"] = holm(table.loc[known, "p"].astype(float))
    return table
