"""One record for every coefficient: the number, and all that is needed to read it."""

from dataclasses import asdict, dataclass, field
from math import hypot

from scipy.special import ndtri, stdtrit
from scipy.stats import norm

# Upper bounds and words. Three scales in use in the field; none is more than a convention.
SCALES = {
    "Landis-Koch": ((0.0, "poor"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"),
                    (0.8, "substantial"), (1.0, "almost perfect")),
    "Altman": ((0.2, "poor"), (0.4, "fair"), (0.6, "moderate"), (0.8, "good"),
               (1.0, "very good")),
    "Fleiss": ((0.4, "poor"), (0.75, "intermediate to good"), (1.0, "excellent")),
}
SMALL_SAMPLE = 50  # below it both kinds of interval cover too little


@dataclass(frozen=True)
class Result:
    """A coefficient with its interval and its circumstances.

    Attributes
    ----------
    coefficient : str
        Such as "kappa", "S", "AC1".
    value : float or None
        None where the coefficient is undefined: never 1 and never nan.
    reason : str
        Why ``value`` (or, where there is a value, the interval) is missing.
    se : float or None
        Standard error.
    ci_low, ci_high : float or None
        Interval, clipped to what the coefficient can be.
    ci_method : str
        How the interval was made and what was resampled.
    conf : float
        Confidence level.
    clipped : bool
        A limit lay beyond -1 or 1.
    n_used : int
        Items (or units) the value rests on.
    dropped : dict of str to int
        Reason to number of items left out.
    q_used, q_offered : int
        Categories that occur, and categories of the codebook.
    po : float or None
        Observed agreement.
    primary : bool
        The coefficient that was declared to be the one that counts.

    Examples
    --------
    >>> Result("kappa", 0.5, n_used=20).as_dict()["value"]
    0.5
    """

    coefficient: str
    value: float | None
    reason: str = ""
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    conf: float = 0.95
    clipped: bool = False
    n_used: int = 0
    dropped: dict = field(default_factory=dict)
    q_used: int = 0
    q_offered: int = 0
    po: float | None = None
    primary: bool = False

    def as_dict(self):
        """The record as a flat dict, with the scale's word for the lower limit."""
        return asdict(self) | {"scale_word_low": scale_word(self.ci_low)}


def scale_word(value, scale="Landis-Koch"):
    """What a scale calls a value; "" for an undefined one.

    Parameters
    ----------
    value : float or None
    scale : str
        One of ``SCALES``. Always print its name with the word.

    Returns
    -------
    str

    Examples
    --------
    >>> scale_word(0.7), scale_word(0.7, "Altman"), scale_word(0.7, "Fleiss")
    ('substantial', 'good', 'intermediate to good')
    """
    if value is None:
        return ""
    return next((word for bound, word in SCALES[scale] if value <= bound),
                SCALES[scale][-1][1])


def clip(low, high):
    """Limits within [-1, 1], and whether one of them was moved.

    Parameters
    ----------
    low, high : float

    Returns
    -------
    (float, float, bool)

    Examples
    --------
    >>> clip(0.4, 1.2)
    (0.4, 1.0, True)
    """
    inside = max(-1.0, min(1.0, float(low))), max(-1.0, min(1.0, float(high)))
    return (*inside, inside != (float(low), float(high)))


def limits(value, error, n, conf, interval):
    """Limits of an asymptotic interval, clipped to [-1, 1].

    Parameters
    ----------
    value, error : float
    n : int
        Units; t has n - 1 degrees of freedom.
    conf : float
    interval : str
        "t" or "normal".

    Returns
    -------
    (float, float, bool, str)
        Lower and upper limit, whether one was clipped, and how they were made.

    Examples
    --------
    >>> low, high, clipped, method = limits(.77544, .14295, 12, .95, "t")  # irrCAC, 4 raters
    >>> round(low, 3), high, clipped, method
    (0.461, 1.0, True, 'asymptotic (t, 11 df)')
    """
    tail = (1 + conf) / 2
    if interval == "t":
        quantile, method = stdtrit(n - 1, tail), f"asymptotic (t, {int(n) - 1} df)"
    else:
        quantile, method = ndtri(tail), "asymptotic (normal)"
    return (*clip(value - quantile * error, value + quantile * error), method)


def change(first, second, conf=0.95):
    """Change of a coefficient between two rounds with different items.

    Parameters
    ----------
    first, second : Result
        With standard errors.
    conf : float

    Returns
    -------
    dict
        difference, ci_low, ci_high (clipped to [-2, 2]), z, p (two-sided), reason: values
        None and a reason where one side is undefined or both have no error.

    Notes
    -----
    z = (k2 - k1) / sqrt(se1² + se2²) for independent samples.

    Examples
    --------
    >>> before, after = (Result("kappa", v, se=s) for v, s in ((.645, .051), (.755, .065)))
    >>> {k: round(v, 2) for k, v in change(before, after).items() if k in ("z", "p")}
    {'z': 1.33, 'p': 0.18}
    """
    empty = dict.fromkeys(("difference", "ci_low", "ci_high", "z", "p"))
    for which, result in (("first", first), ("second", second)):
        if result.value is None:
            return empty | {"reason": f"{which} round: {result.reason}"}
    difference = second.value - first.value
    if first.se is None or second.se is None or first.se + second.se == 0:
        return empty | {"difference": difference, "reason": "no standard error"}
    error = hypot(first.se, second.se)
    half = norm.ppf((1 + conf) / 2) * error
    return {"difference": difference, "ci_low": max(-2.0, float(difference - half)),
            "ci_high": min(2.0, float(difference + half)), "z": difference / error,
            "p": float(2 * norm.sf(abs(difference) / error)), "reason": ""}
