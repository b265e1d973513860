"""Every form of throttling and every fault: the run ends well, fairly, and with the same bytes."""

import pytest
from fakeapi import Corpus
from fakeapi.faults import (
    Fault,
    backoff,
    drop,
    graphql_limited,
    html,
    plain,
    throttled,
    truncated_gzip,
    violation,
)
from mining_field import Field

from mining import workplace
from mining.store.store import Store

CORPUS = ({"horovod/horovod": 230}, {"horovod": 230})
PROSE = "too many requests from this IP, more requests available in 84907 seconds"
SOME = {"first": 2}
THROTTLES = {
    "403 with seconds": Fault("graphql", throttled(403, "seconds"), **SOME),
    "429 with seconds": Fault("graphql", throttled(429, "seconds"), **SOME),
    "403 with an HTTP date": Fault("graphql", throttled(403, "date"), **SOME),
    "429 with an HTTP date": Fault("graphql", throttled(429, "date"), **SOME),
    "403 until reset": Fault("graphql", throttled(403, "reset"), **SOME),
    "429 until reset": Fault("graphql", throttled(429, "reset"), **SOME),
    "403 without a header": Fault("graphql", throttled(403, "message"), **SOME),
    "429 without a header": Fault("graphql", throttled(429, "bare"), **SOME),
    "GraphQL 200 primary": Fault("graphql", graphql_limited("primary"), **SOME),
    "GraphQL 200 secondary": Fault("graphql", graphql_limited("secondary"), **SOME),
    "back-off in a good answer": Fault("/questions", change=backoff(25), times=9),
    "seconds only in prose": Fault("/questions", violation(PROSE, 84907, "stackexchange"), **SOME),
}
FAULTS = {
    **THROTTLES,
    "403 gh-limited-by": Fault("graphql", throttled(403, "limited-by"), **SOME),
    "back-off violated": Fault("/questions", violation("Violation of backoff parameter", 30),
                               **SOME),
    "three secondary refusals in a row": Fault("graphql", throttled(403, "message"), times=3),
    "HTML 502 from GraphQL": Fault("graphql", html(502), **SOME),
    "HTML 500 from Stack Exchange": Fault("/questions", html(500), **SOME),
    "HTML 200 from Stack Exchange": Fault("/questions", html(200), **SOME),
    "truncated gzip": Fault("/questions", truncated_gzip, **SOME),
    "204": Fault("/questions", plain(204, b""), **SOME),
    "dropped connection": Fault("", drop, first=2, times=2),
    "Stack Exchange internal error": Fault("/questions", plain(500, {
        "error_id": 500, "error_name": "internal_error", "error_message": "x"}), **SOME),
}


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """The snapshot without any fault."""
    folder = tmp_path_factory.mktemp("calm")
    mining = Field(folder, Corpus(*CORPUS))
    with mining.fake, pytest.MonkeyPatch.context() as patch:
        patch.setattr(workplace, "DATA", folder / "data")
        mining.run()
    return mining.snapshot()


def test_there_are_twelve_forms_of_throttling():
    assert len(THROTTLES) == 12


@pytest.mark.parametrize("name", FAULTS)
def test_fault(field, calm, name):
    fault = FAULTS[name]
    fault.seen = fault.done = 0
    mining = field(Corpus(*CORPUS), [fault])
    mining.run()
    assert fault.done == min(fault.times, 3) or fault.done == fault.times
    assert mining.snapshot() == calm


# A 403 without any sign of throttling is a refusal, so "bare" goes with 429 only.
@pytest.mark.parametrize(("status", "form"), [
    (403, "seconds"), (403, "date"), (403, "reset"), (403, "message"),
    (429, "seconds"), (429, "date"), (429, "reset"), (429, "message"), (429, "bare")])
def test_search_and_rest_are_throttled_the_same_way(field, status, form):
    faults = [Fault(bucket, throttled(status, form), first=1) for bucket in ("search", "core")]
    mining = field(Corpus({"horovod/horovod": 30}, {}), faults)
    mining.run("--way", "search", "--platform", "github", token=False)
    assert [f.done for f in faults] == [1, 1]


def test_a_wait_is_kept_by_the_next_process(field):
    mining = field(Corpus(*CORPUS), [Fault("graphql", throttled(403, "seconds", 600), first=2)])
    assert mining("run", "--until", "2022-12-31", "--patience", "5") == 3
    sent = mining.fake.sent("graphql")
    mining.clock.time += 200
    assert mining("run", "--until", "2022-12-31", "--patience", "5") == 3
    assert mining.fake.sent("graphql") == sent
    mining.run()


def test_budgets_are_never_overrun(field):
    # 30 searches a minute, 60 requests an hour: the budget is read from every answer, so no
    # refusal is ever provoked.
    mining = field(Corpus({"horovod/horovod": 200}, {}))
    mining.run("--way", "search", "--platform", "github", token=False)
    with Store(mining.store) as store:
        assert store.count("event") == 0
    assert mining.clock.slept > 3600 // 2
