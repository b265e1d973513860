"""What a reader of the agreement report must be told before believing a number."""

from collections import Counter, defaultdict
from itertools import combinations

from study.base.numbers import p_value
from study.measure import slips
from study.measure.results import SMALL_SAMPLE, scale_word
from study.read.labelwords import lookalikes, same_looks, skeleton, truths
from study.read.sheet import shown

MISSING_WORDS = {"na", "n/a", "nan", "null", "none", "-", "--"}


def each_part(label):
    """Labels of a set, or the one label.

    Examples
    --------
    >>> each_part("Hang")
    ('Hang',)
    """
    return label if isinstance(label, frozenset) else (label,)


def about_labels(ratings, raters, items, seen, book):
    """Warnings that need the labels only.

    Parameters
    ----------
    ratings : list of Rating
    raters : list of str
    items : dict of str to dict of str to Rating
        Item, then rater.
    seen : list of str
        Labels that occur.
    book : Categories or None

    Returns
    -------
    list of str

    Examples
    --------
    >>> about_labels([], [], {}, ["1", "2"], None)[1][:29]
    'the labels are code numbers: '
    """
    found = []
    for rater in raters:
        lacking = [i for i, said in items.items() if rater not in said]
        if lacking and len(raters) == 2:
            found.append(f"{rater} has no row for {len(lacking)} of {len(items)} items: "
                         f"{', '.join(lacking[:10])}{' …' if len(lacking) > 10 else ''}"
                         + _would_pair(lacking, items))
    by_name = Counter(map(str.casefold, raters))
    for name, n in by_name.items():
        if n > 1:
            same = [r for r in raters if r.casefold() == name]
            found.append(f"raters {' and '.join(map(shown, same))} differ by case only; they "
                         "count as different raters")
    if not book:
        found.append(f"no codebook: the categories are the {len(seen)} labels that occur, so "
                     "S and AC1 do not count those nobody used")
    if not book or book.source != "codebook":
        alike = same_looks(seen)
        for one, other, why in alike[:10]:
            found.append(f"{shown(one)} and {shown(other)} look alike ({why}); they count as two")
        told = {(one, other) for one, other, _ in alike}
        for one, other in [p for p in lookalikes(seen) if p not in told][:10]:
            found.append(f"{shown(one)} and {shown(other)} may be one label; they count as two")
        for words in truths(seen):
            found.append(f"{', '.join(map(shown, words))} stand side by side; they count as "
                         "different labels")
        words = [s for s in seen if s.casefold() in MISSING_WORDS]
        if words:
            found.append(f"{', '.join(map(shown, words))} is read as a label; say --missing if "
                         "it means there is none")
        if seen and all(s.isdigit() for s in seen):
            found.append("the labels are code numbers: make sure that each means the same "
                         "category for every rater and round")
    said = {rater: Counter() for rater in raters}
    for (rater, label, count), n in Counter((r.rater, r.label, r.count) for r in ratings).items():
        if label is not None:
            said[rater].update(dict.fromkeys(each_part(label), n * count))
    found += _like_counts(said, items) + _of_one_rater(said, raters, book)
    for one, other in combinations(raters[:6], 2):
        if said[one] and said[other] and not said[one].keys() & said[other].keys():
            found.append(f"no shared category: {one} and {other} use different labels "
                         f"throughout ({_few(said[one])}; {_few(said[other])})")
    return found


def _would_pair(lacking, items):
    """Where items differ by case or leading zeros only, say so."""
    plain = {}
    for item in items:
        plain.setdefault(_plain(item), []).append(item)
    example = next((plain[_plain(i)] for i in lacking if len(plain[_plain(i)]) > 1), None)
    return (f"; {shown(example[0])} and {shown(example[1])} may be one item, written in two ways"
            if example else "")


def _plain(item):
    return skeleton(item).casefold().lstrip("0")


def _of_one_rater(said, raters, book):
    """Categories that one rater uses and nobody else: often another name for a label."""
    if (book and book.source == "codebook") or len(raters) > 6:
        return []
    alone = {rater: sorted((label for label in own if not any(
        label in said[other] for other in raters if other != rater)),
        key=lambda label: (-own[label], label)) for rater, own in said.items()}
    if not any(alone.values()):
        return []
    each = "; ".join(
        f"{rater}: " + ", ".join(f"{shown(x)} ({said[rater][x]})" for x in labels[:5])
        + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
        for rater, labels in alone.items() if labels)
    return [f"categories that one rater only uses: {each}"]


def _like_counts(said, items):
    """Rows of whole numbers with one sum: counts of raters, read as their labels."""
    if len(said) < 3 or len(items) < 2 or not all(
            label.isdigit() for own in said.values() for label in own) or any(
            isinstance(r.label, frozenset) for row in items.values() for r in row.values()):
        return []
    sums = {sum(int(r.label) for r in row.values() if isinstance(r.label, str))
            for row in items.values()}
    return [f"each row adds up to {sums.pop()}: if these are counts of raters, --counts reads "
            "them as such"] if len(sums) == 1 else []


def _few(labels):
    return ", ".join(sorted(labels)[:3]) + (" …" if len(labels) > 3 else "")


def about_slips(ratings, raters, problems):
    """Warnings on odd spellings that two raters share, each in a row of their own.

    Parameters
    ----------
    ratings : list of Rating
        Of one round and facet.
    raters : list of str
    problems : list of study.read.sheet.Problem
        The notes among them tell what stood in a cell that was read as a label.

    Returns
    -------
    list of str
        See :func:`study.measure.slips.warning`.

    Examples
    --------
    >>> about_slips([], ["Ann", "Ben"], [])
    []
    """
    notes, items = defaultdict(list), defaultdict(dict)
    for problem in problems:
        if problem.severity == "note" and not problem.message.startswith("item "):
            notes[problem.file, problem.sheet, problem.row].append(problem)
    for rating in ratings:
        if isinstance(rating.label, str):
            where = rating.file, rating.sheet, rating.row
            read = f"read as {shown(rating.label)}"
            text = next((note.value.strip() for note in notes.get(where, ())
                         if note.message.endswith(read)), rating.label)
            items[rating.item][rating.rater] = where, rating.label, text
    found = []
    for one, other in combinations(raters[:6], 2):
        both = [(said[one], said[other]) for said in items.values() if {one, other} <= said.keys()]
        found.append(slips.warning([("", *a[1:], *b[1:], 1) for a, b in both if a[0] != b[0]],
                                   (one, other)))
    return list(filter(None, found))


def about_values(group):
    """Warnings that need the coefficients; the scale's words are added to the group.

    Parameters
    ----------
    group : dict
        See :func:`study.measure.agreement_report.report`.

    Returns
    -------
    list of str

    Examples
    --------
    >>> group = {"results": [{"coefficient": "po", "value": 1.0, "po": 1.0, "primary": False,
    ...                       "clipped": False}], "n_used": 60, "q_used": 2, "undecided": {}}
    >>> about_values(group)
    ['the raters agree on all 60 items: are these labels from before the discussion?']
    """
    found, results = [], {r["coefficient"]: r for r in group["results"]}
    n, main = group["n_used"], next((r for r in group["results"] if r["primary"]), None)
    po = group["results"][0]["po"]
    if n < SMALL_SAMPLE:
        found.append(f"below {SMALL_SAMPLE} items both kinds of interval cover too little")
    if group["q_used"] == 1:
        found.append("one category only: chance-corrected agreement is undefined")
    if po == 1 and n >= 20:
        found.append(f"the raters agree on all {n} items: are these labels from before the "
                     "discussion?")
    if sum(group["undecided"].values()):
        found.append("undecided: " + ", ".join(f"{w} {k}" for w, k in group["undecided"].items()
                                               if k))
    if any(result["clipped"] for result in group["results"]):
        found.append("intervals that reached beyond 1 were clipped; they are marked")
    complete = group.get("complete")
    if complete is not None and complete < n:
        found.append(f"Fleiss' kappa rests on the {complete} of {n} items that have "
                     f"{group['most_ratings']} ratings; the generalised form, AC1 and alpha use "
                     "all that have two")
    kappa = results.get("kappa")
    if kappa and kappa["value"] is not None and po >= 0.8 and kappa["value"] < 0.4:
        found.append("high observed agreement with low kappa: look at the prevalence of the "
                     "categories, at S and at AC1 before judging")
    for test in group.get("systematic", ()):
        if test["p"] is not None and test["p"] < 0.05 and test["name"] == "Stuart-Maxwell":
            found.append("the raters differ systematically: they use the categories unequally "
                         f"often (Stuart-Maxwell p {p_value(test['p'])})")
    if main and main["value"] is not None and main["ci_low"] is not None:
        group["scale"] = {"name": "Landis-Koch", "value": scale_word(main["value"]),
                          "low": scale_word(main["ci_low"])}
    return found
