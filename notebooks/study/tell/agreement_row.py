"""What an author pastes: one row a facet as Markdown, LaTeX or csv, or a sentence."""

import csv
import io
import json

from study.base.numbers import number
from study.tell.agreement_text import NAMES

FORMATS = ("markdown", "latex", "csv")
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run
LATEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
         "^": r"\textasciicircum{}", **{c: "\\" + c for c in "&%$#_"}}


def pasting(parser):
    """Give a parser the options of the forms that are pasted or read by programs.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    """
    out = parser.add_mutually_exclusive_group()
    out.add_argument("--json", action="store_true", help="everything as JSON")
    out.add_argument("--format", choices=FORMATS, help="one row a facet, to paste: n, observed "
                     "agreement, primary coefficient, interval, method; warnings then go to "
                     "standard error")
    out.add_argument("--sentence", action="store_true", help="a sentence a facet, to paste")


def pasted(given, groups, **more):
    """The report in the form of :func:`pasting` that was asked for; ``""`` for none.

    Parameters
    ----------
    given : argparse.Namespace
    groups : list of dict
    **more
        What the JSON holds beside the groups.

    Returns
    -------
    str
    """
    if given.json:
        return json.dumps({"groups": groups, **more}, indent=1, ensure_ascii=False,
                          allow_nan=False, sort_keys=True) + "\n"
    if given.format:
        return render_rows(groups, given.format)
    return sentences(groups) if given.sentence else ""


def pairs_csv(groups):
    """The coefficients of each pair of raters, as csv.

    Parameters
    ----------
    groups : list of dict

    Returns
    -------
    str
        Columns round, facet, rater_1, rater_2, n, then each coefficient of two raters with
        the limits of its interval.

    Examples
    --------
    >>> pairs_csv([])
    'round,facet,rater_1,rater_2,n\\n'
    """
    found = []
    for group in groups:
        for pair in group.get("pairs") or ([group] if len(group["raters"]) == 2 else []):
            row = {"round": _unformula(group["round"]), "facet": _unformula(group["facet"]),
                   **{f"rater_{i}": _unformula(r) for i, r in enumerate(pair["raters"], 1)},
                   "n": pair["n_used"]}
            for r in pair["results"]:
                name = r["coefficient"]
                row |= {name: r["value"], f"{name}_low": r["ci_low"], f"{name}_high": r["ci_high"]}
            found.append(row)
    heads = list(dict.fromkeys(["round", "facet", "rater_1", "rater_2", "n",
                                *(c for row in found for c in row)]))
    stream = io.StringIO()
    writer = csv.DictWriter(stream, heads, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in found)
    return stream.getvalue()


def _unformula(text):
    """Text that a spreadsheet program does not take for a formula."""
    return "'" + text if text.startswith(FORMULA) else text


def rows(groups):
    """The numbers of each facet that a paper prints.

    Parameters
    ----------
    groups : list of dict
        See :func:`study.measure.agreement_report.report`.

    Returns
    -------
    list of dict
        Keys facet, raters, n, left_out, observed, coefficient, value, low, high, conf, method.
        ``method`` is the reason where there is no value or no interval.

    Examples
    --------
    >>> shared = {"value": .5, "po": .75, "ci_low": .1, "ci_high": .9, "conf": .95, "reason": "",
    ...           "ci_method": "normal", "n_used": 40, "dropped": {}}
    >>> group = {"round": "", "facet": "stage", "raters": ["Ann", "Ben"], "results": [
    ...     {"coefficient": "kappa", "primary": True, **shared}]}
    >>> [row] = rows([group])
    >>> row["facet"], row["n"], row["coefficient"], row["value"]
    ('stage', 40, "Cohen's kappa", 0.5)
    """
    made = []
    for group in groups:
        main = next(r for r in group["results"] if r["primary"])
        title = [f"round {group['round']}" if group["round"] else "", group["facet"]]
        made.append({
            "facet": ", ".join(filter(None, title)), "raters": group["raters"],
            "n": main["n_used"], "left_out": main["dropped"], "observed": main["po"],
            "coefficient": _name(main["coefficient"]), "value": main["value"],
            "low": main["ci_low"], "high": main["ci_high"], "conf": main["conf"],
            "method": main["reason"] or main["ci_method"]})
    return made


def _name(coefficient):
    if coefficient.startswith(("Fleiss kappa", "weighted", "AC2")):
        return coefficient.replace("Fleiss", "Fleiss'").replace("AC2", "Gwet's AC2")
    name, _, metric = coefficient.partition(" ")
    return " ".join(filter(None, [NAMES.get(name, name), metric]))


def render_rows(groups, form):
    """One row a facet: n, observed agreement, coefficient, interval, method.

    Parameters
    ----------
    groups : list of dict
    form : str
        One of ``FORMATS``. Markdown and LaTeX (booktabs) round to three digits; csv keeps all.

    Returns
    -------
    str

    Examples
    --------
    >>> print(render_rows([], "csv"), end="")
    facet,n,left_out,observed,coefficient,value,low,high,conf,method
    """
    found = rows(groups)
    if form == "csv":
        return _csv(found)
    levels = sorted({f"{100 * r['conf']:g}" for r in found}) or ["95"]
    percent = " % interval" if form == "markdown" else r"\,\% interval"
    head = ["facet", "n", "observed", "coefficient", "value", levels[0] + percent, "method"]
    escape = _markdown if form == "markdown" else _latex
    cells = [[escape(r["facet"]) or "all", str(r["n"]), number(r["observed"]),
              escape(r["coefficient"]), number(r["value"]), _interval(r), escape(r["method"])]
             for r in found]
    if form == "markdown":
        lines = [head, ["---", "---:", "---:", "---", "---:", "---", "---"], *cells]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)
    body = [" & ".join(line) + r" \\" for line in cells]
    return "\n".join([r"% needs \usepackage{booktabs}", r"\begin{tabular}{lrrlrll}", r"\toprule",
                      " & ".join(head) + r" \\", r"\midrule", *body, r"\bottomrule",
                      r"\end{tabular}", ""])


def _interval(row):
    return "-" if row["low"] is None else f"{number(row['low'])} to {number(row['high'])}"


def _markdown(text):
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _latex(text):
    return "".join(LATEX.get(c, c) for c in text.replace("\n", " "))


def _csv(found):
    stream = io.StringIO()
    columns = ["facet", "n", "left_out", "observed", "coefficient", "value", "low", "high",
               "conf", "method"]
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in found:
        row = row | {"left_out": _left_out(row)}
        row["facet"] = _unformula(row["facet"])
        writer.writerow(["" if row[c] is None else row[c] for c in columns])
    return stream.getvalue()


def _left_out(row):
    return "; ".join(f"{n} {reason}" for reason, n in row["left_out"].items())


def sentences(groups):
    """A sentence for each facet, ready for the section on the method.

    Parameters
    ----------
    groups : list of dict

    Returns
    -------
    str
        One line a facet: n, what was left out, observed agreement, coefficient, interval, method.

    Examples
    --------
    >>> shared = {"value": .5, "po": .75, "ci_low": .1, "ci_high": .9, "conf": .95, "reason": "",
    ...           "ci_method": "Wilson", "n_used": 40, "dropped": {"undecided": 2}}
    >>> group = {"round": "", "facet": "", "raters": ["Ann", "Ben"], "results": [
    ...     {"coefficient": "kappa", "primary": True, **shared}]}
    >>> print(sentences([group])[:78])
    Ann and Ben both labelled 40 items; left out were 2 (2 undecided). They agreed
    """
    return "".join(_sentence(row) + "\n" for row in rows(groups))


def _sentence(row):
    who = (f"{row['raters'][0]} and {row['raters'][1]} both labelled" if len(row["raters"]) == 2
           else f"At least two of {len(row['raters'])} raters labelled")
    if row["coefficient"] == "Fleiss' kappa":
        who = f"The {len(row['raters'])} raters labelled"
    about = f"{row['facet']}: " if row["facet"] else ""
    out = sum(row["left_out"].values())
    left = f"left out were {out} ({_left_out(row)})" if out else "none was left out"
    counted = f"{row['n']} item{'' if row['n'] == 1 else 's'}"
    said = f"{about}{who} {counted}; {left}."
    if row["observed"] is None:
        return f"{said} Agreement is undefined: {row['method']}."
    subject = "They agreed on" if len(row["raters"]) == 2 else "Two raters of an item agreed in"
    observed = f"{subject} {100 * row['observed']:.1f} % of them"
    if len(row["raters"]) > 2:
        observed = f"{subject} {100 * row['observed']:.1f} % of the pairs of labels"
    if row["value"] is None:
        return f"{said} {observed}; {row['coefficient']} is undefined: {row['method']}."
    if row["low"] is None:
        return f"{said} {observed}; {row['coefficient']} was {number(row['value'])} " \
               f"({row['method']})."
    return (f"{said} {observed}; {row['coefficient']} was {number(row['value'])} "
            f"({100 * row['conf']:g} % interval {_interval(row)}, {row['method']}).")
