"""Draw the threads to label, and deal them into rounds: seeded, stratified, recorded."""

from collections import Counter

from study.base.errors import StudyError
from study.base.seeds import SEED
from study.base.threads import thread_key, thread_url
from study.base.words import JOIN
from study.extend.snapshot import source_of, task_of
from study.tabulate.issues import PLATFORMS

STRATA = ("platform", "framework", "place", "year", "state")


def draw(threads, n, rounds, seed=SEED, by="place", left_out=()):
    """Sample threads and deal them into rounds.

    Parameters
    ----------
    threads : list of dict
        As ``snapshot.read_threads`` returns them.
    n : int
        Threads in all.
    rounds : int
        As equal as possible; each stratum is spread over all of them.
    seed : int
    by : {"platform", "framework", "place", "year", "state"}
        The strata; each gets its proportional share, and one thread at least.
    left_out : dict or collection of str
        Thread keys (→ reason) not to draw, such as those of the study itself.

    Returns
    -------
    tuple of (list of Task, dict, list of (str, str))
        The tasks in the order of labelling; the record (population, n, seed, by, margin at
        95 %, strata, rounds, exclusions by reason); and every thread that was excluded, with
        the reason.

    Raises
    ------
    StudyError
        More threads than there are, more rounds than threads, or no stratum of that name.

    Notes
    -----
    The threads are those with the smallest SHA-256 of seed and key within their stratum, so
    a population that has grown changes few of them (``mining.selection.sampling``).
    """
    # The mining scripts lie beside the notebooks' folder, not in it: only this step needs them.
    from mining.errors import MiningError
    from mining.selection import sampling
    if by not in STRATA:
        raise StudyError(f"--by {by}: no such stratum; use {', '.join(STRATA)}")
    if rounds < 1 or n < rounds:
        raise StudyError(f"--n {n} --rounds {rounds}: at least one thread a round is needed")
    pool, excluded = population(threads, left_out)
    if n > len(pool):
        raise StudyError(f"--n {n}: only {len(pool)} threads can be drawn ("
                         + ", ".join(f"{k} {v}" for k, v in _reasons(excluded).items())
                         + " excluded)" if excluded else f"--n {n}: only {len(pool)} threads")
    try:
        chosen, record = sampling.draw(pool, n=n, seed=seed, by=by)
    except MiningError as error:
        raise StudyError(str(error)) from None
    by_key = {row["item"]: row for row in pool}
    # Dealt out stratum by stratum, so that no round lacks one that has enough threads.
    ordered = sorted(chosen, key=lambda item: sampling.stratum_of(by_key[item], by))
    number = {item: str(i % rounds + 1) for i, item in enumerate(ordered)}
    chosen.sort(key=lambda item: int(number[item]))
    tasks = [task_of(by_key[item], number[item]) for item in chosen]
    record |= {"rounds": dict(sorted(Counter(number.values()).items())),
               "excluded": _reasons(excluded)}
    return tasks, record, excluded


def _reasons(excluded):
    return dict(sorted(Counter(reason for _, reason in excluded).items()))


def population(threads, left_out=()):
    """The threads that can be drawn, and the others with the reason.

    Parameters
    ----------
    threads : list of dict
    left_out : dict or collection of str

    Returns
    -------
    tuple of (list of dict, list of (str, str))
        Each thread in one of the two; its key is in its canonical form.

    Examples
    --------
    >>> row = {"item": "so:1", "candidate": False, "why_not": "no accepted answer"}
    >>> population([row])
    ([], [('so:1', 'no accepted answer')])
    """
    reasons = left_out if isinstance(left_out, dict) else dict.fromkeys(left_out, "left out")
    pool, excluded, seen = [], [], set()
    for row in threads:
        key = thread_key(thread_url(row["item"]))
        if not row["candidate"]:
            reason = row.get("why_not") or "no candidate"
        elif key in seen:
            reason = "the snapshot has it twice"
        elif row.get("complete") is False:
            reason = "not read to its end"
        else:
            reason = reasons.get(key, "")
        if reason:
            excluded.append((key, reason))
        else:
            pool.append({**row, "item": key})
        seen.add(key)
    return pool, sorted(excluded)


def candidates(threads):
    """All candidates of a snapshot, as the study's own collection counts them.

    Parameters
    ----------
    threads : list of dict

    Returns
    -------
    list of tuple of (str, str, str)
        Thread, platform, frameworks joined with ``;``, sorted; each thread once.
    """
    rows = {}
    for row in threads:
        if row["candidate"]:
            platform = PLATFORMS[source_of(row).split("-")[0]]
            rows.setdefault(thread_key(thread_url(row["item"])),
                            (platform, JOIN.join(sorted(row["frameworks"]))))
    return [(key, *rest) for key, rest in sorted(rows.items())]
