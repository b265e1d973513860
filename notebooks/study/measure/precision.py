"""How many issues are enough: sample size, and the margin achieved in each category."""

import math

import numpy as np
import pandas as pd
from scipy.stats import norm
from statsmodels.stats.proportion import multinomial_proportions_confint, proportion_confint


def sample_size(population=None, margin=0.05, conf=0.95, share=0.5):
    """Items to label so that a share is known to within a margin.

    Parameters
    ----------
    population : int, optional
        Size of the population sampled from, for the finite population correction. None for
        an unlimited one.
    margin : float
        Half width of the interval, as a share.
    conf : float
    share : float
        The share expected; 0.5 is the worst case.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        A number out of its range.

    Notes
    -----
    Cochran (1977): n0 = z² p (1 - p) / e², and n0 / (1 + (n0 - 1)/N) for N items, rounded
    up. It says nothing about the precision within a category: see :func:`margins`.

    Examples
    --------
    >>> sample_size(), sample_size(1131)
    (385, 287)
    """
    if not 0 < margin < 1 or not 0 < conf < 1 or not 0 < share < 1:
        raise ValueError("margin, conf and share lie between 0 and 1")
    n = norm.ppf((1 + conf) / 2) ** 2 * share * (1 - share) / margin**2
    if population is not None:
        if population < 1:
            raise ValueError(f"a population of {population}; at least 1 is needed")
        n /= 1 + (n - 1) / population
        return min(population, math.ceil(n - 1e-9))
    return math.ceil(n - 1e-9)


def margin(n, population=None, conf=0.95, share=0.5):
    """The margin that a sample of n items achieves: :func:`sample_size` turned round.

    Parameters
    ----------
    n : int
    population, conf, share
        As in :func:`sample_size`.

    Returns
    -------
    float or None
        Half width of the interval; None for no item.

    Raises
    ------
    ValueError
        More items than the population has.

    Examples
    --------
    >>> round(margin(385), 4), round(margin(12), 2), margin(0)
    (0.0499, 0.28, None)
    """
    if population is not None and n > population:
        raise ValueError(f"a sample of {n} from a population of {population}")
    if n < 1:
        return None
    correction = 1.0
    if population is not None:
        correction = (population - n) / (population - 1) if population > 1 else 0.0
    return float(norm.ppf((1 + conf) / 2) * math.sqrt(share * (1 - share) / n * correction))


def margins(counts, conf=0.95):
    """What a sample says about each category: its share, and how well it is known.

    Parameters
    ----------
    counts : pandas.Series of int
        Items by category; the sample is their sum.
    conf : float

    Returns
    -------
    pandas.DataFrame
        One row a category, in the given order: category, n, share, wilson_low, wilson_high
        (this category alone), goodman_low, goodman_high (all categories at once), margin
        (half of the Wilson interval), within (the worst-case margin of a share *inside*
        this category, which has only its n items; None for none).

    Raises
    ------
    ValueError
        Negative counts, or none at all.

    Notes
    -----
    Wilson (1927); Goodman (1965) for simultaneous intervals, both by statsmodels.

    Examples
    --------
    >>> frame = margins(pd.Series({"Hang": 81, "Crash": 170, "Slow": 12}))
    >>> frame.loc[0, ["wilson_low", "wilson_high"]].round(4).tolist()
    [0.2553, 0.3662]
    >>> round(frame.loc[2, "within"], 2)
    0.28
    """
    values = counts.to_numpy()
    if (values < 0).any() or not values.sum():
        raise ValueError("counts of at least one item, none negative, are needed")
    n = int(values.sum())
    low, high = proportion_confint(values, n, 1 - conf, method="wilson")
    # Goodman's interval needs two categories; with one, its share is 1 whatever was drawn.
    both = (multinomial_proportions_confint(values, 1 - conf, method="goodman")
            if len(values) > 1 else np.column_stack([low, high]))
    within = pd.Series([margin(int(k), conf=conf) for k in values], dtype=object)
    return pd.DataFrame({
        "category": list(counts.index), "n": values, "share": values / n, "wilson_low": low,
        "wilson_high": high, "goodman_low": both[:, 0], "goodman_high": both[:, 1],
        "margin": (np.asarray(high) - np.asarray(low)) / 2, "within": within})
