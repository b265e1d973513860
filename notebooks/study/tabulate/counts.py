"""From the long label table to the counts in data/study/: the final labels."""

import csv
import re

import pandas as pd

from study.base.errors import StudyError
from study.base.threads import thread_key, thread_platform
from study.base.words import JOIN
from study.read.codebook import FACETS, FAULT, QUESTION, UNDECIDED
from study.tabulate.issues import PLATFORMS, reader, source
from study.tabulate.tables import COLUMNS, WHERE


def read_candidates(folder, upstream):
    """The candidate threads the study drew its issues from.

    Parameters
    ----------
    folder : pathlib.Path
    upstream : Upstream

    Returns
    -------
    pandas.DataFrame
        Columns thread, platform, frameworks. On Stack Overflow the frameworks are those
        of the study that the question is tagged with.
    """
    studied = [c["framework"] for c in upstream.candidates if "framework" in c]
    records = []
    for listed in upstream.candidates:
        path = folder / listed["file"]
        if "framework" in listed:
            lines = path.read_text(encoding="utf-8").splitlines()
            links = [(row, line, listed["framework"])
                     for row, line in enumerate(lines, 1) if line.strip()]
        else:
            with path.open(encoding="utf-8-sig", newline="") as stream:
                table = list(csv.DictReader(stream))
            if table and not {listed["link"], listed["tags"]} <= set(table[0]):
                raise StudyError(f"{path.name}, row 1: no column {listed['link']!r} or "
                                 f"{listed['tags']!r}; found {', '.join(table[0])}. Rename it, "
                                 "or correct [[candidates]] in data/upstream.toml")
            links = [(row, r[listed["link"]], _tagged(r[listed["tags"]], studied))
                     for row, r in enumerate(table, 2)]
        for row, link, frameworks in links:
            try:
                records.append((thread_key(link), frameworks))
            except StudyError as error:
                raise StudyError(f"{path.name}, row {row}: {error}") from None
    table = pd.DataFrame(records, columns=["thread", "frameworks"])
    table.insert(1, "platform", table["thread"].map(thread_platform))
    if (twice := table["thread"][table["thread"].duplicated()]).size:
        raise StudyError(f"candidate lists: {twice.iloc[0]} is listed twice; remove one")
    return table


def _tagged(tags, studied):
    own = set(re.findall(r"<([^<>]+)>", tags))
    return JOIN.join(sorted(own & set(studied)))


def final_issues(rows, codebook, candidates, rules=None):
    """One row an issue of the final table.

    Parameters
    ----------
    rows : list of Row
        All rows of all sheets: the final ones for the labels, the rounds' adjudicated
        ones and the pilot's for the round a thread was labelled in.
    codebook : Codebook
    candidates : pandas.DataFrame
        As :func:`read_candidates` returns it.
    rules : collection of str, optional
        Repair rules; all by default, none for the reading *as filed*.

    Returns
    -------
    pandas.DataFrame
        Columns thread, issue, platform, frameworks, issue_type, topic, subtopic,
        distributed_specific, stage, group, symptom, fix_patterns, candidate (``yes`` or
        ``no``: is the thread in a candidate list), issues_in_thread, round (joined with
        ``;`` where several rounds labelled the thread; ``none`` where no sheet did).
    """
    read, listed = reader(codebook, rules), set(candidates["thread"])
    rounds = {}
    for row in rows:
        if row.rater in ("adjudicated", "pilot"):
            rounds.setdefault(row.thread, set()).add(row.round)
    records = []
    for row in rows:
        if row.rater != "final":
            continue
        platform, frameworks = source(row)
        records.append({"thread": row.thread, "issue": row.issue, "platform": platform,
                        "frameworks": JOIN.join(frameworks), **read(row),
                        "candidate": "yes" if row.thread in listed else "no",
                        "round": JOIN.join(sorted(rounds.get(row.thread, {"none"})))})
    table = pd.DataFrame(records)
    table["issues_in_thread"] = table.groupby("thread")["thread"].transform("size")
    table = table.rename(columns={"fix_pattern": "fix_patterns"})
    labels = ["fix_patterns" if f == "fix_pattern" else f for f in FACETS]
    return table[["thread", "issue", "platform", "frameworks", *labels, *WHERE]]


def fault_counts(issues):
    """Faults by where they come from and all their labels.

    Parameters
    ----------
    issues : pandas.DataFrame
        As :func:`final_issues` returns it.

    Returns
    -------
    pandas.DataFrame
        Columns platform, frameworks, the five labels of faults, candidate,
        issues_in_thread, round, n.
    """
    return _counts(issues[issues["issue_type"] == FAULT],
                   COLUMNS["faults"][:-1])


def question_counts(issues):
    """How-to questions by where they come from and both their labels; see above."""
    return _counts(issues[issues["issue_type"] == QUESTION],
                   COLUMNS["questions"][:-1])


def _counts(table, columns):
    # An issue whose label stays undecided is in no count of that column.
    return table[columns].replace(UNDECIDED, "").groupby(columns).size().rename("n").reset_index()


def collection_counts(candidates, issues):
    """From candidates to issues, by platform and framework.

    Parameters
    ----------
    candidates, issues : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        Columns platform, frameworks, candidates, threads, issues, faults, questions.
        Candidates of Stack Overflow are told apart by the questions' tags, issues by the
        framework the authors named, so the two need not nest.
    """
    keys = ["platform", "frameworks"]
    kinds = issues["issue_type"]
    table = pd.DataFrame({
        "candidates": candidates.groupby(keys).size(),
        "threads": issues.drop_duplicates([*keys, "thread"]).groupby(keys).size(),
        "issues": issues.groupby(keys).size(),
        "faults": issues[kinds == FAULT].groupby(keys).size(),
        "questions": issues[kinds == QUESTION].groupby(keys).size(),
    })
    return table.fillna(0).astype(int).reset_index()


def oddities(rows, issues, candidates, comparable, otherwise):
    """What in the released files does not fit together, counted, with what was done.

    Parameters
    ----------
    rows : list of Row
    issues, candidates : pandas.DataFrame
    comparable : set of str
        Threads whose issues can be followed from their round to the final table.
    otherwise : dict of str to set of str
        As :func:`study.tabulate.rounds.differently_paired` returns it.

    Returns
    -------
    pandas.DataFrame
        Columns oddity, n, threads (keys joined with ``;`` where there are few), treatment.
    """
    by = {}
    for row in rows:
        by.setdefault((row.round, row.rater), {}).setdefault(row.thread, []).append(row)
    decided = {}
    for (number, rater), threads in by.items():
        if rater in ("adjudicated", "pilot"):
            for thread in threads:
                decided.setdefault(thread, set()).add(number)
    final, listed = set(issues["thread"]), set(candidates["thread"])
    both = issues.groupby("thread")["issue_type"].nunique()
    tags = candidates.set_index("thread")["frameworks"]
    asked = issues[issues["platform"] == PLATFORMS["SO"]]
    other = {r.thread for r in asked.itertuples()
             if r.thread in tags.index
             and not set(r.frameworks.split(JOIN)) <= set(tags[r.thread].split(JOIN))}
    rated = {t for (number, rater), threads in by.items() if rater in ("R1", "R2")
             for t in threads if t not in by.get((number, "adjudicated"), {})}
    added = {t for (number, rater), threads in by.items() if rater == "adjudicated"
             for t in threads if not any(t in by.get((number, r), {}) for r in ("R1", "R2"))}
    found = [
        ("labelled threads in no candidate list", final - listed,
         "counted; left out in the reading `candidates only`"),
        ("threads with a fault and a question", set(both.index[both > 1]),
         "counted as one thread, and as an issue of each kind"),
        ("threads labelled in two rounds", {t for t, r in decided.items() if len(r) > 1},
         "agreement is measured in each round; not followed into the final table"),
        ("final threads in no released labelling sheet", final - set(decided),
         "counted; their round is `none`"),
        ("threads of raters' sheets that their round's adjudicated sheet lacks", rated,
         "agreement is measured; nothing to compare afterwards"),
        ("threads of an adjudicated sheet that no rater's sheet of the round has", added,
         "no agreement can be measured"),
        ("threads with more or fewer issues at last than in their round, or of both kinds",
         {t for t, r in decided.items() if len(r) == 1} & final - comparable,
         "not followed into the final table"),
        ("questions whose named framework is none of their tags", other,
         "the authors' framework is used; candidates go by tags"),
        *((f"threads in which pairing the raters' issues by {pairing} joins others than by place",
           threads, "paired by place; the other pairing is a reading beside it")
          for pairing, threads in otherwise.items()),
    ]
    records = [(what, len(threads), JOIN.join(sorted(threads)), done)
               for what, threads, done in found]
    return pd.DataFrame(records, columns=["oddity", "n", "threads", "treatment"])
