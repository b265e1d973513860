"""From ratings to a report: every coefficient for every round and facet, and warnings."""

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from study.base.seeds import SEED
from study.measure.agreement import COEFFICIENTS, coefficients, square_table
from study.measure.agreement_warnings import about_labels, about_slips, about_values, each_part
from study.measure.alpha import alpha, count_matrix
from study.measure.bootstrap import bootstrap, bootstrap_threads
from study.measure.fleiss import fleiss
from study.measure.gwet import generalised
from study.measure.per_category import confusions, per_category, systematic
from study.measure.weighted import agreement_weights, numbers, tree_distance, weighted_kappa
from study.read.records import MISSING, UNSURE
from study.read.sheet import SheetError, shown

MOST_RATERS, MOST_PAIRED, MOST_CATEGORIES = 200, 12, 1000
SEVERAL = ("alpha", "fleiss", "generalised", "AC1", "AC2", "S")
UNDECIDED = ("; --keep undecided takes such words for labels, --undecided WORD … others for "
             "undecided")
NO_ORDER = ("{what} needs the order of the categories: labels that are numbers, or --codebook "
            "with a category a line, from low to high")


@dataclass(frozen=True)
class Options:
    """What to compute.

    Attributes
    ----------
    primary : str
        Declared coefficient; "" for kappa (two raters) or alpha (more, or sets).
    bootstrap : int or None
        Resamples. None: asymptotic intervals for two raters, 2000 resamples else.
    seed : int
    conf : float
    sets : bool
        Labels are sets.
    interval : str
        "t" or "normal": quantiles of the asymptotic intervals of pi, S, AC1 and alpha.
    weights : str or dict
        "" or as :func:`study.measure.weighted.agreement_weights` takes them.
    metric : str
        Of alpha: nominal, ordinal, interval or ratio.
    pairs : bool
        All pairs of several raters, however many.
    allow : collection of str
        "many-raters", "many-labels": no limit to them.

    Examples
    --------
    >>> Options().conf
    0.95
    """

    primary: str = ""
    bootstrap: int | None = None
    seed: int = SEED
    conf: float = 0.95
    sets: bool = False
    interval: str = "t"
    weights: str | dict = ""
    metric: str = "nominal"
    pairs: bool = False
    allow: frozenset = frozenset()


def report(labels, options, codebooks):
    """All groups (round by facet) of a set of labels.

    Parameters
    ----------
    labels : study.read.records.Labels
    options : Options
    codebooks : dict of str to study.read.codebook.Categories

    Returns
    -------
    list of dict
        Plain values only, ready for JSON.

    Raises
    ------
    SheetError
        Fewer than two raters, or a primary coefficient that does not fit their number.

    Examples
    --------
    >>> from study.read.records import Labels, Rating
    >>> both = [Rating(str(i), who, label) for who, said in (("Ann", "aab"), ("Ben", "abb"))
    ...         for i, label in enumerate(said)]
    >>> [group] = report(Labels(both, []), Options(), {})
    >>> group["n_used"], round(group["results"][1]["value"], 2)
    (3, 0.4)
    """
    groups = defaultdict(list)
    for rating in labels.ratings:
        groups[rating.round, rating.facet].append(rating)
    if not groups:
        raise SheetError("no rating found; are the columns the right ones?")
    made = [group_report(round_, facet, ratings, list(dict.fromkeys(r.rater for r in ratings)),
                         options, codebooks.get(facet, codebooks.get("")))
            for (round_, facet), ratings in groups.items()]
    for group, ratings in zip(made, groups.values(), strict=True):
        group["warnings"] = [w + UNDECIDED if w.startswith("undecided: ") else w
                             for w in group["warnings"]]
        group["warnings"] += about_slips(ratings, group["raters"], labels.problems)
    return made


def group_report(round_, facet, ratings, raters, options, book):
    """The report of one round and facet.

    Parameters
    ----------
    round_, facet : str
    ratings : list of Rating
    raters : list of str
        In the order of the report.
    options : Options
    book : Categories or None
        None where the categories are the labels that occur.

    Returns
    -------
    dict
        As :func:`report` lists them.

    Raises
    ------
    SheetError
        As :func:`report`.

    Examples
    --------
    >>> from study.read.records import Rating
    >>> both = [Rating("1", who, "a") for who in ("Ann", "Ben")]
    >>> group_report("2", "stage", both, ["Ann", "Ben"], Options(), None)["n_used"]
    1
    """
    where = " ".join(filter(None, (f"round {round_}" if round_ else "", facet)))
    if len(raters) < 2:
        raise SheetError(f"{where + ': ' if where else ''}one rater only "
                         f"({shown(raters[0])}); agreement needs two")
    if len(raters) > MOST_RATERS and "many-raters" not in options.allow:
        raise SheetError(f"{len(raters)} raters ({shown(raters[0])}, {shown(raters[1])}, …); is "
                         "it the column with the rater's name? (--allow many-raters)")
    items = defaultdict(dict)
    for rating in ratings:
        items[rating.item][rating.rater] = rating
    seen = in_order({p for label in {r.label for r in ratings} if label is not None
                     for p in each_part(label)})
    states = Counter()
    for r in ratings:
        states[r.rater, r.state] += r.count if not r.state else 1
    if len(seen) > MOST_CATEGORIES and "many-labels" not in options.allow:
        raise SheetError(f"{len(seen)} different labels ({shown(seen[0])}, {shown(seen[1])}, …); "
                         "is it the column with the label? (--allow many-labels)")
    group = {"round": round_, "facet": facet, "raters": raters,
             "n_items": sum(next(iter(said.values())).count for said in items.values()),
             "categories_from": book.source if book else "labels that occur",
             "undecided": {w: states[w, UNSURE] for w in raters},
             "labels": {w: states[w, ""] for w in raters},
             "missing": {w: states[w, MISSING] for w in raters},
             "first_items": {w: next((r.item for r in ratings if r.rater == w), "")
                             for w in raters},
             "warnings": about_labels(ratings, raters, items, seen, book)}
    categories = [*book.names, *(s for s in seen if s not in set(book.names))] if (
        book) else seen
    _must_fit(options, categories, book)
    if options.sets:
        group |= _sets(items, categories, options)
    elif len(raters) == 2:
        group |= _two(items, raters, categories, options, book)
    else:
        group |= _several(items, raters, categories, options)
    group["warnings"] += about_values(group)
    return group


def in_order(labels):
    """Labels sorted: as numbers where all are.

    Examples
    --------
    >>> in_order({"10", "9"}), in_order({"b", "10", "9"})
    (['9', '10'], ['10', '9', 'b'])
    """
    return sorted(labels, key=float if numbers(labels) else str)


def _must_fit(options, categories, book):
    """Weights and metrics that the labels do not have."""
    measured = numbers(categories) is not None
    what = (f"--metric {options.metric}" if options.metric != "nominal" else
            f"--weights {options.weights}" if isinstance(options.weights, str) else "")
    if options.sets and (options.weights or options.metric != "nominal"):
        raise SheetError("sets of labels have the distances MASI and Jaccard; leave --weights and "
                         "--metric out")
    if options.metric in ("interval", "ratio") and not measured:
        other = next(c for c in categories if numbers([c]) is None)
        raise SheetError(f"{what} needs labels that are numbers; {shown(other)} is none")
    if (options.metric == "ordinal" or options.weights in ("linear", "quadratic")) and not (
            measured or book):
        raise SheetError(NO_ORDER.format(what=what))
    if isinstance(options.weights, dict):
        try:
            agreement_weights(options.weights, categories)
        except ValueError as error:
            raise SheetError(str(error)) from None


def counts_report(counts, categories, options):
    """The report of items × categories: how many raters gave an item each category.

    Parameters
    ----------
    counts : numpy.ndarray of int, shape (items, q)
    categories : list of str
    options : Options

    Returns
    -------
    dict
        As :func:`report` lists them, without pairs of raters and confusions.

    Raises
    ------
    SheetError
        No item has two ratings, or a primary coefficient that needs to know the raters.

    Examples
    --------
    >>> group = counts_report(np.array([[3, 0], [1, 2]]), ["a", "b"], Options())
    >>> group["n_used"], len(group["raters"])
    (2, 3)
    """
    ratings = counts.sum(1)
    most = int(ratings.max(initial=0))
    if most < 2:
        raise SheetError("no item has two ratings; are these counts of raters?")
    _must_fit(options, categories, True)
    group = {"round": "", "facet": "", "raters": [f"rater {i + 1}" for i in range(most)],
             "n_items": len(counts), "categories_from": "columns", "undecided": {}, "labels": {},
             "missing": {}, "warnings": []}
    group |= _of_counts(counts, categories, options)
    group["warnings"] += about_values(group)
    return group


def pair_up(items, raters):
    """Pairs of labels of two raters, and why the other items have none.

    Parameters
    ----------
    items : dict of str to dict of str to Rating
        Item, then rater.
    raters : sequence of two str

    Returns
    -------
    pairs : list of (Rating, Rating)
    dropped : dict of str to int

    Examples
    --------
    >>> from study.read.records import Rating
    >>> one, two = Rating("1", "Ann", "a"), Rating("2", "Ann", None, "missing")
    >>> pair_up({"1": {"Ann": one, "Ben": one}, "2": {"Ann": two, "Ben": one}}, ["Ann", "Ben"])[1]
    {'no label from Ann': 1}
    """
    pairs, dropped = [], Counter()
    for said in items.values():
        both = [said.get(rater) for rater in raters]
        count = next((r.count for r in both if r is not None), 1)
        if None in both:
            if both != [None, None]:  # with several raters most pairs share few items
                dropped[f"no row of {raters[both.index(None)]}"] += count
            continue
        states = [r.state for r in both]
        if UNSURE in states:
            dropped["undecided"] += count
        elif states == [MISSING, MISSING]:
            dropped["no label from either"] += count
        elif MISSING in states:
            dropped[f"no label from {raters[states.index(MISSING)]}"] += count
        else:
            pairs.append(tuple(both))
    return pairs, dict(dropped)


def _table(pairs, categories):
    first, second = ([r.label for r in side] for side in zip(*pairs, strict=True)) if pairs else (
        [], [])
    table = square_table(first, second, categories)
    if any(r.count != 1 for r, _ in pairs):
        table = np.zeros_like(table)
        index = {c: i for i, c in enumerate(categories)}
        for one, other in pairs:
            table[index[one.label], index[other.label]] += one.count
    return table


def _measured(pairs, table, categories, options, primary, dropped):
    if not options.bootstrap:
        return coefficients(table, primary, dropped, options.conf, options.interval)
    shared = {"resamples": options.bootstrap, "seed": options.seed, "primary": primary,
              "dropped": dropped, "conf": options.conf}
    threads = [r.thread for r, _ in pairs for _ in range(r.count)]
    if pairs and all(threads):
        sides = ([p[i].label for p in pairs for _ in range(p[0].count)] for i in (0, 1))
        return bootstrap_threads(*sides, threads, categories, **shared)
    return bootstrap(table, **shared)


def _two(items, raters, categories, options, book):
    primary = options.primary or ("weighted" if options.weights else "alpha" if
                                  options.metric != "nominal" else "kappa")
    special = {"weighted": "weighted kappa", "AC2": "AC2"} if options.weights else {}
    if primary not in (*COEFFICIENTS, *special):
        raise SheetError(f"primary coefficient {primary}: two raters have "
                         f"{', '.join(COEFFICIENTS)}, and with --weights weighted, AC2")
    if not categories:
        categories = ["(none)"]
    pairs, dropped = pair_up(items, raters)
    table = _table(pairs, categories)
    results = _measured(pairs, table, categories, options,
                        "kappa" if primary in special else primary, dropped)
    if book and book.parents:
        results.append(weighted_kappa(table, tree_distance(categories, book.parents),
                                      options.conf, dropped, "tree"))
    results += _graded(table, categories, options, dropped)
    if primary in special or (primary == "alpha" and options.metric != "nominal"):
        name = special.get(primary, f"alpha ({options.metric})")
        main = next(r for r in results if r.coefficient.startswith(name)
                    and "(tree)" not in r.coefficient)
        results = [replace(r, primary=r is main) for r in results]
    made = {"n_used": int(table.sum()), "dropped": dropped,
            "q_used": results[0].q_used, "q_offered": len(categories), "primary": primary,
            "results": [r.as_dict() for r in results],
            "categories": per_category(table, categories, options.conf).to_dict("records"),
            "confusions": confusions(table, categories).to_dict("records"),
            "systematic": [asdict(t) for t in systematic(table)]}
    if dropped.get("undecided") and primary in COEFFICIENTS:
        made["undecided_as_disagreement"] = _with_undecided(items, raters, categories, primary,
                                                            options)
    return made


def _graded(table, categories, options, dropped):
    """What --weights and --metric add for two raters."""
    made = []
    row, col = np.nonzero(table)
    times = table[row, col]
    if options.weights:
        weights = agreement_weights(options.weights, categories)
        kind = options.weights if isinstance(options.weights, str) else "given weights"
        made.append(weighted_kappa(table, 1 - weights, options.conf, dropped, kind))
        made += _ac2(_pair_counts(row, col, len(table)), weights, options, times, dropped)
    if options.metric != "nominal":
        counts = np.repeat(_pair_counts(row, col, len(table)), times, axis=0)
        made.append(replace(_alpha(counts, categories, options), dropped=dropped))
    return made


def _pair_counts(row, col, q):
    counts = np.zeros((len(row), q), np.int64)
    at = np.arange(len(row))
    np.add.at(counts, (at, row), 1)
    np.add.at(counts, (at, col), 1)
    return counts


def _ac2(counts, weights, options, times=None, dropped=None):
    if options.bootstrap and times is not None:
        counts, times = np.repeat(counts, times, axis=0), None
    found = generalised(counts, weights, times, options.conf, options.interval,
                        options.bootstrap or 0, options.seed)
    return [replace(r, dropped=dropped) for r in found] if dropped is not None else found


def _alpha(counts, categories, options):
    """Alpha by the metric; interval and ratio look at the numbers."""
    values = numbers(categories) if options.metric in ("interval", "ratio") else categories
    return alpha(counts, values, options.metric, **_boot(options))


def _with_undecided(items, raters, categories, primary, options):
    """The coefficients again, an undecided rating being a category of its rater alone."""
    own = [f"undecided ({rater})" for rater in raters]
    table = np.zeros((len(categories) + 2,) * 2, np.int64)
    index = {c: i for i, c in enumerate([*categories, *own])}
    for said in items.values():
        both = [said.get(rater) for rater in raters]
        if None in both or any(r.state == MISSING for r in both):
            continue
        row, col = (index[mine if r.state else r.label] for r, mine in zip(both, own, strict=True))
        table[row, col] += both[0].count
    return [r.as_dict() for r in coefficients(table, primary, conf=options.conf)
            if r.coefficient in ("po", primary)]


def _units(items):
    """Labels of each item, by all its raters; a counted row is so many items."""
    return [[r.label for r in said.values() if r.label is not None] for said in items.values()
            for _ in range(max(r.count for r in said.values()))]


def _boot(options):
    resamples = 2000 if options.bootstrap is None else options.bootstrap
    return {"resamples": resamples, "seed": options.seed, "conf": options.conf}


def _several(items, raters, categories, options):
    counts, _ = count_matrix(_units(items), categories)
    made = _of_counts(counts, categories, options)
    chosen = raters if options.pairs or len(raters) <= MOST_PAIRED else ()
    pairs = []
    for two in combinations(chosen, 2):
        rows, dropped = pair_up(items, two)
        if rows:
            found = coefficients(_table(rows, categories), "kappa", dropped, options.conf,
                                 options.interval)
            pairs.append({"raters": list(two), "n_used": found[0].n_used, "dropped": dropped,
                          "results": [r.as_dict() | {"primary": False} for r in found]})
    return made | {"pairs": pairs}


def _of_counts(counts, categories, options):
    """Coefficients for several raters, from how many gave an item each category."""
    weighted = bool(options.weights)
    primary = options.primary or ("AC2" if weighted else "alpha")
    if primary not in SEVERAL or (primary == "AC2" and not weighted):
        raise SheetError(f"primary coefficient {primary}: it is for two raters; these are more, so "
                         f"take {', '.join(SEVERAL)} (AC2 with --weights)")
    whole = _alpha(counts, categories, options)
    fixed = fleiss(counts, **_boot(options))
    single = [r.as_dict() | {"category": c, "n": int(n)} for r, c, n in
              zip(fixed[2:], categories, counts.sum(0), strict=True)]
    gwet = _ac2(counts, None, options)
    if weighted:
        gwet += _ac2(counts, agreement_weights(options.weights, categories), options)
    results = [r.as_dict() for r in (whole, *fixed[:2], *gwet)]
    main = {"alpha": whole.coefficient, "fleiss": "Fleiss kappa",
            "generalised": "Fleiss kappa (generalised)"}.get(primary, primary)
    for result in results:
        result["primary"] = result["coefficient"] == main
    return {"n_used": whole.n_used, "dropped": whole.dropped, "q_used": whole.q_used,
            "q_offered": len(categories), "primary": primary, "results": results,
            "categories": single, "complete": fixed[0].n_used,
            "most_ratings": int(counts.sum(1).max(initial=0))}


def _sets(items, categories, options):
    primary = options.primary or "alpha"
    if primary != "alpha":
        raise SheetError(f"primary coefficient {primary}: sets of labels have alpha")
    counts, values = count_matrix(_units(items))
    results = [alpha(counts, values, metric, **_boot(options)).as_dict()
               for metric in ("masi", "jaccard", "nominal")]
    results[-1]["coefficient"] = "alpha (equal sets)"
    for result in results:
        result["primary"] = result["coefficient"] == "alpha (masi)"
    single = []
    for category in categories:
        units = [[category in label for label in unit] for unit in _units(items)]
        found = alpha(count_matrix(units, [True, False])[0], conf=options.conf)
        reason = found.reason if found.value is None else ""
        n = sum(map(sum, units))
        single.append({"category": category, "n": n, "alpha": found.value,
                       "reason": reason if n else "category not used"})
    return {"n_used": results[0]["n_used"], "dropped": results[0]["dropped"],
            "q_used": len({p for v in values for p in v}), "q_offered": len(categories),
            "primary": "alpha (masi)", "results": results, "categories": single}
