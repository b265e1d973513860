"""Lists whose rows vanish while they are read: no live thread is lost.

A page number is a position: 40 deletions between two runs once cost 8 questions, and the
manifest said that all was whole.
"""

import pytest
from fakeapi import Corpus
from fakeapi.corpus import BURST_DAY
from fakeapi.faults import Fault, vanishing

from mining.transport.clock import from_iso

MODES = {"questions": ("/questions", ("--platform", "stackoverflow"), True),
         "GraphQL list": ("graphql", ("--platform", "github"), True),
         "REST list": ("core", ("--platform", "github"), False),
         "search": ("search", ("--platform", "github", "--way", "search"), True)}


@pytest.mark.parametrize("mode", MODES)
def test_500_deletions_spread_over_the_pages_lose_no_live_thread(field, mode):
    bucket, arguments, token = MODES[mode]
    sizes = ({}, {"horovod": 2500}) if mode == "questions" else ({"horovod/horovod": 2500}, {})
    corpus = Corpus(*sizes, pulls=0, comments=0, closed=1)
    issues = [i for r in corpus.repositories.values() for i in r.issues.values()]
    for issue in issues:
        issue.labels = ()
    mining = field(corpus)
    change = vanishing(25, 500)
    mining.fake.faults.append(Fault(bucket, change=change, times=10**6))
    threads = mining.run(*arguments, token=token)
    live = {q.number for q in corpus.questions.values() if not q.deleted} | {
        i.number for i in issues if not i.fate}
    assert change.left == [0]
    assert len(live) == 2000
    assert live <= {r["number"] for r in threads.values()}


def test_500_deletions_lose_no_comment_of_a_live_thread(field):
    # The list of a whole repository's comments, which is read after that of its threads.
    corpus = Corpus({"horovod/horovod": 2500}, {}, pulls=0, comments=1, closed=1)
    issues = corpus.repositories["horovod/horovod"].issues.values()
    mining = field(corpus)
    change = vanishing(25, 500)
    mining.fake.faults.append(Fault("core", change=change, first=28, times=10**6))
    threads = mining.run("--platform", "github", token=False)
    live = {f"gh:horovod/horovod#{i.number}" for i in issues if not i.fate}
    assert change.left == [0]
    assert len(live) == 2000
    assert all(threads[item]["complete"] for item in live)


@pytest.mark.parametrize("mode", ["questions", "GraphQL list", "REST list"])
def test_500_deletions_during_an_update_lose_no_change_of_a_live_thread(field, mode):
    # Lists of what changed are read by the time of the last change.
    bucket, arguments, token = MODES[mode]
    sizes = ({}, {"horovod": 1500}) if mode == "questions" else ({"horovod/horovod": 1500}, {})
    corpus = Corpus(*sizes, pulls=0, comments=0, closed=1)
    mining = field(corpus)
    mining.run(*arguments, token=token)
    rows = [*corpus.questions.values(),
            *(i for r in corpus.repositories.values() for i in r.issues.values())]
    for place, row in enumerate(rows):
        row.touch(from_iso("2023-06-01") + place)
    mining.fake.stackexchange.sorted = None
    mining.fake.github.found.clear()
    change = vanishing(40, 500)
    mining.fake.faults.append(Fault(bucket, change=change, times=10**6))
    assert mining("update", "--patience", "100000", token=token) in (0, 4)
    edited = {r["number"] for r in mining.threads().values() if "(edited)" in r["title"]}
    live = {r.number for r in rows if not getattr(r, "deleted", False)
            and not getattr(r, "fate", "")}
    assert change.left == [0]
    assert len(live) == 1000
    assert live <= edited


@pytest.mark.parametrize("deletions", [5, 40])
def test_deletions_between_two_runs_lose_no_question(field, deletions):
    corpus = Corpus({}, {"horovod": 900})
    mining = field(corpus)
    arguments = ("--platform", "stackoverflow")
    mining.run(*arguments, "--limit", "400")
    for item in sorted(mining.threads())[:deletions]:
        corpus.questions[int(item[3:])].deleted = True
    threads = mining.run(*arguments)
    assert {f"so:{q.number}" for q in corpus.questions.values() if not q.deleted} <= set(threads)
    assert mining.manifest()["whole"]


def test_a_page_of_one_second_is_read_by_its_link(field):
    corpus = Corpus({"horovod/horovod": 450}, {}, comments=0, pulls=0, closed=1)
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.created, issue.closed = BURST_DAY, BURST_DAY + 60
    assert len(field(corpus).run("--platform", "github", token=False)) == 450


def test_questions_of_one_second_are_read_by_page(field):
    corpus = Corpus({}, {"horovod": 450})
    for question in list(corpus.questions.values())[:350]:
        question.created = BURST_DAY
    assert len(field(corpus).run("--platform", "stackoverflow")) == 450


def test_a_second_of_1500_is_reached_without_probes(field):
    corpus = Corpus({"horovod/horovod": 1800}, {}, burst=1500, comments=0, pulls=0, closed=1)
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.labels = ()
        if BURST_DAY <= issue.created < BURST_DAY + 86400:
            issue.created = BURST_DAY
    mining = field(corpus)
    threads = mining.run("--platform", "github", "--way", "search")
    assert len(threads) == 1800
    # 300 before and after, ten pages of the second one way round and six the other.
    assert mining.fake.sent("search") <= 22
