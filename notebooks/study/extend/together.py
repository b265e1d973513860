"""What shows only when the raters' sheets lie side by side."""

from itertools import combinations

from study.read.codebook import FACETS, TITLES, UNDECIDED
from study.read.shape import same_bytes
from study.read.sheet import Problem

ENOUGH = 20  # issues from which full agreement is suspicious
FEW = 5  # issues below which no shared label may be chance


def together(paths, checked):
    """Add warnings about sheets that are one, or share nothing.

    Parameters
    ----------
    paths : list of pathlib.Path
    checked : list of Checked
        Receives the warnings, in the later one of two.
    """
    labelled = {row.file for c in checked for *_, row in c.rows}
    # Sheets in which nothing was filled in yet are the same: of course.
    for problem in same_bytes(p for p in paths if p.name in labelled and p.is_file()):
        _add(checked, problem)
    by_round = {}
    for one in checked:
        by_round.setdefault(one.round, []).append(one)
    for sheets in by_round.values():
        for one, two in combinations(sheets, 2):
            if one.rater != two.rater:
                _pair(checked, one, two)


def _pair(checked, one, two):
    left, right = ({item: labels for item, labels, *_ in c.rows} for c in (one, two))
    both = [item for item in left if item in right]
    file = next((p.file for p in two.problems), "") or (two.rows[0][4].file if two.rows else "")
    same = sum(left[item] == right[item] for item in both)
    if len(both) >= ENOUGH and same == len(both):
        _warn(checked, file, f"{one.rater} and {two.rater} agree on every label of {same} issues: "
              "independent sheets never do; are these labels from after the discussion?",
              "same-labels")
    for facet in FACETS:
        said = [{labels[facet] for item in both if (labels := side[item])[facet]} - {UNDECIDED}
                for side in (left, right)]
        n = sum(bool(left[i][facet] and right[i][facet]) for i in both)
        if n >= FEW and all(said) and not said[0] & said[1]:
            _warn(checked, file, f"{one.rater} and {two.rater} share no {TITLES[facet]} in {n} "
                  f"issues: {', '.join(sorted(said[0])[:4])} against "
                  f"{', '.join(sorted(said[1])[:4])}; do they read the codebook alike?",
                  "nothing-shared")


def _warn(checked, file, message, kind):
    _add(checked, Problem(file, "", None, None, "", message, "warning", kind))


def _add(checked, problem):
    target = next((c for c in reversed(checked)
                   if c.rows and c.rows[0][4].file == problem.file), checked[-1])
    target.problems.append(problem)
