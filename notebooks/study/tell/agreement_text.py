"""The agreement report as text: plain columns, no colour, nothing wider than a terminal."""

from collections import Counter

from study.base.numbers import number, p_value

NAMES = {"po": "observed agreement", "kappa": "Cohen's kappa", "kappa_max": "largest kappa "
         "with these margins", "pi": "Scott's pi", "S": "Brennan-Prediger S (PABAK)",
         "AC1": "Gwet's AC1", "alpha": "Krippendorff's alpha", "S_seen": "S, categories in use",
         "AC1_seen": "AC1, categories in use",
         "Fleiss kappa (generalised)": "items with two or more ratings",
         "Fleiss kappa": "items with the most ratings", "Randolph kappa": "the same, free margins",
         "AC2": "Gwet's AC2, weighted", "weighted Fleiss kappa": "items with two or more ratings",
         "weighted S": "Brennan-Prediger S, weighted"}
KEPT = {"blanks", "case", "alias", "undecided", "link", "invisible-characters",
        "compatibility-characters"}
SHOWN = 20
MOST_PAIRED = 12  # raters whose pairs are printed


def interval(result):
    """Value and interval of one result.

    Examples
    --------
    >>> interval({"value": .69, "ci_low": .605, "ci_high": .776, "clipped": False})
    '.690 (.605, .776)'
    """
    if result["value"] is None or result["ci_low"] is None:
        return number(result["value"])
    mark = " clipped" if result["clipped"] else ""
    return (f"{number(result['value'])} ({number(result['ci_low'])}, "
            f"{number(result['ci_high'])}){mark}")


def render(groups, problems):
    """The whole report.

    Parameters
    ----------
    groups : list of dict
        See :func:`study.measure.agreement_report.report`.
    problems : list of Problem
        Warnings and notes of the reader.

    Returns
    -------
    str
        Lines ending with a line feed.

    Examples
    --------
    >>> render([], [])
    ''
    """
    lines = []
    for group in groups:
        lines += _group(group)
    lines += read_notes(problems)
    return "".join(line.rstrip() + "\n" for line in lines)


def _group(group):
    title = ", ".join(filter(None, [f"round {group['round']}" if group["round"] else "",
                                    group["facet"]]))
    raters = group["raters"]
    names = (" and ".join(raters) if len(raters) == 2 else
             f"{len(raters)} raters ({', '.join(raters[:9])}{', …' if len(raters) > 9 else ''})")
    lines = [f"Agreement of {names}{': ' + title if title else ''}",
             f"  n used {group['n_used']} of {group['n_items']} item"
             + ("" if group["n_items"] == 1 else "s")
             + (f"; dropped: {_counts(group['dropped'])}" if group["dropped"] else ""),
             *(["  labels: " + ", ".join([f"{w} {n}" for w, n in group["labels"].items()][:9])
                + (", …" if len(raters) > 9 else "")] if group["labels"] else []),
             f"  categories: {group['q_used']} used, {group['q_offered']} offered "
             f"({group['categories_from']})", ""]
    rows = [("*" if r["primary"] else "", r["coefficient"], interval(r), r["n_used"],
             NAMES.get(r["coefficient"], ""), r["reason"] or r["ci_method"])
            for r in group["results"]]
    conf = group["results"][0]["conf"]
    lines += columns([("", "", f"value ({100 * conf:g} % interval)", "n", "", ""), *rows])
    lines.append("  * primary coefficient" + _scale(group))
    if "undecided_as_disagreement" in group:
        both = ", ".join(f"{r['coefficient']} {interval(r)}"
                         for r in group["undecided_as_disagreement"])
        n = group["undecided_as_disagreement"][0]["n_used"]
        lines.append(f"  undecided counted as disagreement: {both}, n {n}")
    lines += ["", *_by_category(group), *_pairs(group), *_confused(group)]
    lines += [f"  warning: {w}" for w in group["warnings"]]
    return [*lines, ""]


def _scale(group):
    scale = group.get("scale")
    return (f"; {scale['name']} scale: {scale['value']}, lower limit: {scale['low']}"
            if scale else "")


def _counts(counts):
    return ", ".join(f"{n} {reason}" for reason, n in counts.items())


def columns(rows, indent="  "):
    """Rows as aligned columns; the last one is left ragged.

    Examples
    --------
    >>> columns([("a", 1), ("bb", 22)], "")
    ['a   1', 'bb  22']
    """
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]) - 1)]
    return [indent + "  ".join(str(c).ljust(w) for c, w in zip(row, [*widths, 0], strict=True))
            for row in rows]


def _by_category(group):
    rows = []
    for c in group["categories"]:
        c = c | {"category": _short(c["category"])}
        if c["reason"] == "category not used":
            continue
        if "positive_agreement" in c:
            rows.append((c["category"], f"{c['n_1']}/{c['n_2']}/{c['n_both']}",
                         interval(c | {"value": c["kappa"], "clipped": False}),
                         number(c["positive_agreement"]), number(c["prevalence_index"]),
                         number(c["bias_index"]), c["reason"]))
        elif "alpha" in c:
            rows.append((c["category"], c["n"], number(c["alpha"]), c["reason"]))
        else:
            rows.append((c["category"], c["n"], interval(c),
                         "" if c["value"] is not None else c["reason"]))
    if not rows:
        return []
    head = {7: ("category", "n1/n2/both", "kappa against the rest", "pos. agr.", "prevalence",
                "bias", ""), 4: ("category", "n", "alpha against the rest" if "alpha" in
                                 group["categories"][0] else "Fleiss' kappa against the rest",
                                 "")}[len(rows[0])]
    more = len(rows) - SHOWN
    rows = sorted(rows, key=lambda r: -_size(r))[:SHOWN] if more > 0 else rows
    lines = columns([head, *rows])
    return [*lines, *([f"  … and {more} rarer ones (all with --json)"] if more > 0 else []), ""]


def _short(category, limit=60):
    return category if len(category) <= limit else category[:limit - 1] + "…"


def _size(row):
    return row[1] if isinstance(row[1], int) else sum(map(int, row[1].split("/")[:2]))


def _pairs(group):
    pairs = group.get("pairs") or []
    if len(pairs) > MOST_PAIRED * (MOST_PAIRED - 1) / 2 or (not pairs and len(
            group["raters"]) > MOST_PAIRED and group["labels"]):
        return [f"  pairs of the {len(group['raters'])} raters: --pairs FILE writes them", ""]
    if not pairs:
        return []
    rows = []
    for pair in group["pairs"]:
        by = {r["coefficient"]: r for r in pair["results"]}
        rows.append((" and ".join(pair["raters"]), pair["n_used"], number(by["po"]["value"]),
                     interval(by["kappa"]), number(by["S"]["value"]), number(by["AC1"]["value"])))
    return [*columns([("raters", "n", "po", "Cohen's kappa", "S", "AC1"), *rows]), ""]


def _confused(group):
    lines = []
    for test in group.get("systematic", ()):
        value = (f"{test['statistic']:.2f}, df {test['df']}, p {p_value(test['p'])}"
                 if test["p"] is not None else test["reason"])
        note = f" ({test['note']})" if test["note"] else ""
        lines.append(f"  {test['name']}: {value}{note}")
    most = [(f"{_short(c['category_1'], 40)} / {_short(c['category_2'], 40)}", c["n"],
             f"{c['n_12']} + {c['n_21']}") for c in group.get("confusions", ())[:5]]
    if most:
        lines += ["  most confused:", *columns(most, "    ")]
    return [*lines, ""] if lines else []


def read_notes(problems):
    """What the reader normalised and warned of, counted by rule.

    Parameters
    ----------
    problems : list of Problem

    Returns
    -------
    list of str

    Examples
    --------
    >>> read_notes([])
    []
    """
    lines = []
    notes = [p for p in problems if p.severity == "note"]
    if notes:
        lines.append("Normalised while reading (each one with --json):")
        for kind, n in Counter(p.kind for p in notes).most_common():
            first = next(p for p in notes if p.kind == kind)
            switch = f" (--keep {kind} leaves it)" if kind in KEPT else ""
            lines.append(f"  {kind}: {n}, first {first}{switch}")
    warnings = [p for p in problems if p.severity == "warning"]
    by_kind = Counter()
    for problem in warnings:
        by_kind[problem.kind] += 1
        if by_kind[problem.kind] <= 5:
            lines.append(f"warning: {problem}")
    lines += [f"warning: … and {n - 5} more of the kind {kind}" for kind, n in by_kind.items()
              if n > 5]
    return lines
