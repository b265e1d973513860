"""Frames as readers like them: percentages, named columns, no index."""

from html import escape

import pandas as pd

from study.decide.claims import printed
from study.decide.findings import findings_table
from study.read.codebook import TITLES

NAMES = {
    "platform": "platform", "framework": "framework", "frameworks": "frameworks",
    "candidates": "candidates", "threads": "threads", "issues": "issues", "faults": "faults",
    "questions": "questions", "kept": "labelled, share", "n": "n", "of": "of", "share": "share",
    "topic": "topic", "subtopic": "sub-topic", "stage": "stage", "group": "group",
    "symptom": "symptom", "specific": "distributed-specific", "other": "other",
    "specific_share": "specific, share", "fix_pattern": "fix pattern", "p_holm": "p (Holm)",
    "v": "V", "v_corrected": "V, corrected", "chi2": "chi²", "top_1": "first pattern",
    "top_2": "first two", "top_3": "first three", "first": "most frequent pattern",
    "patterns": "patterns", "po": "observed agreement", "label_1": "rater 1",
    "label_2": "rater 2", "took_1": "took rater 1's", "took_2": "took rater 2's",
    "took_neither": "took neither", "top_1_share": "first pattern, share",
    "top_2_share": "first two, share", "top_3_share": "first three, share",
    "dropped": "left out", "once": "labelled once", "voted": "pairs with two votes",
    "odd_1": "odd cells, rater 1", "odd_2": "odd cells, rater 2", "same": "written alike",
    "within": "margin of a share within it",
}
# Lower and upper end stand in one column.
INTERVALS = {"low": ("high", "95 % interval"), "error_low": ("error_high", "with label error"),
             "wilson_low": ("wilson_high", "Wilson"), "goodman_low": ("goodman_high", "Goodman")}
PERCENT = {"share", "as_adjudicated", "as_raters", "error_low", "error_high", "low", "high",
           "kept", "specific_share", "top_1_share", "top_2_share", "top_3_share", "po",
           "threshold", "small", "share_new", "share_study", "as_labelled", "wilson_low",
           "wilson_high", "goodman_low", "goodman_high", "margin", "within"}
MEASURES = {"S", "AC1", "kappa_max", "kappa", "difference", "se", "as filed", "alias", "rename",
            "split", "shift", "title", "issue type", "inapplicable", "repaired", "value", "z", "v",
            "v_corrected", "residual", "observed", "alpha", "pi", "s", "ac1"}
PROBABILITIES = {"p", "p_holm", "p_fewer", "p_more"}


class Table(pd.DataFrame):
    """A frame of text that Jupyter shows whole: no index, nothing cut, words at the left.

    Examples
    --------
    >>> Table({"symptom": ["hang"], "n": ["44"]})._repr_html_().count("<td")
    2
    """

    @property
    def _constructor(self):
        return Table

    def _repr_html_(self):
        side = {c: "right" if self[c].map(_numeric).all() else "left" for c in self.columns}

        def row(tag, cells):
            return "<tr>" + "".join(
                f'<{tag} style="text-align: {side[c]}">{escape(str(v))}</{tag}>'
                for c, v in zip(self.columns, cells, strict=True)) + "</tr>"

        body = "\n".join(row("td", values) for values in self.itertuples(index=False))
        return (f"<table>\n<thead>{row('th', self.columns)}</thead>\n"
                f"<tbody>\n{body}\n</tbody>\n</table>")

    def __repr__(self):
        return self.to_string(index=False)


def _numeric(text):
    """Whether a cell reads as a number, an interval of numbers or a dash."""
    return bool(str(text)) and not any(c.isalpha() for c in str(text))


def table(frame, columns=None, unit=None, rows=None):
    """A frame for reading: formatted text, an interval in one column, no index.

    Parameters
    ----------
    frame : pandas.DataFrame
    columns : list of str, optional
        Which, in order; by default all. Where both ends of an interval are there, such as
        ``low`` and ``high``, they become one column, ``95 % interval``.
    unit : {"share", "kappa"}, optional
        What ``low`` and ``high`` are; by default ``kappa`` where a column of a measure is
        there, else ``share``.
    rows : int, optional
        The first so many only.

    Returns
    -------
    pandas.DataFrame
        Of text; see :class:`Table`.

    Examples
    --------
    >>> table(pd.DataFrame({"topic": ["model"], "share": [0.25]})).to_numpy().tolist()
    [['model', '25.0 %']]
    """
    frame = frame if columns is None else frame[list(columns)]
    frame = frame if rows is None else frame.head(rows)
    measured = any(c in MEASURES for c in frame.columns)
    unit = unit or ("kappa" if measured else "share")
    result = {}
    for name in frame.columns:
        end, heading = INTERVALS.get(name, ("", ""))
        if end in frame.columns:
            result[heading] = [_interval(a, b, unit) for a, b in
                               zip(frame[name], frame[end], strict=True)]
        elif not any(name == end and low in frame.columns for low, (end, _) in INTERVALS.items()):
            result[NAMES.get(name, name.replace("_", " "))] = [_cell(v, name)
                                                               for v in frame[name]]
    return Table(result, index=range(len(frame)))


def _interval(low, high, unit):
    if pd.isna(low) or pd.isna(high):
        return "–"
    return f"{printed(low, unit).removesuffix(' %')}–{printed(high, unit)}"


def _cell(value, name):
    if isinstance(value, str):
        return (TITLES.get(value, value) if name == "facet" else value) or "–"
    if value is None or pd.isna(value):
        return "–"
    if name in PROBABILITIES:
        return "< .0001" if value < 0.0001 else f"{value:.4f}".removeprefix("0")
    if name in PERCENT:
        return printed(float(value), "share")
    if name in MEASURES:
        return printed(float(value), "kappa")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def findings(found):
    """The findings table of a notebook.

    Parameters
    ----------
    found : list of dict
        As ``findings.findings`` returns it.

    Returns
    -------
    pandas.DataFrame
    """
    keys = ["claim", "published", "found", "verdict", "robust", "where"]
    frame = Table(findings_table(found), columns=keys)
    frame.columns = ["claim", "published", "found here (95 %)", "verdict",
                     "what it hangs on", "notebook"]
    return frame


def entry(found):
    """An entry of the codebook, key by key.

    Parameters
    ----------
    found : codebook.Entry

    Returns
    -------
    pandas.DataFrame
    """
    values = {key: "; ".join(value) if isinstance(value, tuple) else value
              for key, value in vars(found).items()}
    return Table([(key.replace("_", " "), str(value)) for key, value in values.items()
                  if value and key not in ("title", "subtopic_optional")],
                 columns=["key", "value"])


def robustness(summary):
    """The multiverse's summary for reading.

    Parameters
    ----------
    summary : pandas.DataFrame
        As ``multiverse.summary`` returns it.

    Returns
    -------
    pandas.DataFrame
    """
    rows = [(r["claim"], f"{r['combinations']:,}", f"{r['duplicates']:,}", f"{r['readings']:,}",
             f"{r['holds']:,}", printed(r["share"], "share"),
             "–" if pd.isna(r["low"]) else f"{r['low']:.3g} to {r['high']:.3g}", r["hangs_on"],
             printed(r["eta2"], "share"))
            for _, r in summary.iterrows()]
    return Table(rows, columns=["claim", "combinations", "of the same data", "readings",
                                "holds in", "share", "value ranges from", "hangs most on",
                                "which explains"])


def readings(record):
    """The readings of one finding, and whether each agrees with the claim.

    Parameters
    ----------
    record : dict
        One of ``findings.findings``. Where the claim depends on decisions: the stated reading,
        and what each option does when it alone is switched, with what can be said for it.

    Returns
    -------
    pandas.DataFrame
        Of text; without the columns interval and agrees where they would be empty.
    """
    unit = record["unit"]
    rows = [{"reading": r["reading"], "value": printed(r["value"], unit),
             "95 % interval": _interval(*(float("nan") if r[k] is None else r[k]
                                          for k in ("low", "high")), unit),
             "agrees": {True: "yes", False: "no"}.get(r.get("fits"), "–"),
             "what can be said for it": r.get("defence", "")}
            for r in record["readings"]]
    frame = Table(rows, columns=["reading", "value", "95 % interval", "agrees",
                                 "what can be said for it"])
    return frame.drop(columns=[c for c in frame.columns[2:] if frame[c].isin(["–", ""]).all()])
