"""Numbers as text."""


def number(value, digits=3):
    """A coefficient without its leading zero; "-" where undefined.

    Examples
    --------
    >>> number(0.69), number(-0.0441), number(1.0), number(None)
    ('.690', '-.044', '1.000', '-')
    """
    if value is None:
        return "-"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def p_value(p):
    """A p value to two significant digits.

    Examples
    --------
    >>> p_value(0.00075123), p_value(0.0000002), p_value(0.19)
    ('.00075', '< .00001', '.19')
    """
    if p < 0.00001:
        return "< .00001"
    places = 2
    while round(p, places) < 10.0 ** (1 - places) and places < 7:
        places += 1
    return number(p, places)


def plural(n, one, many=None):
    """A number and its noun.

    Examples
    --------
    >>> plural(1, "fault"), plural(1131, "issue")
    ('1 fault', '1,131 issues')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"
