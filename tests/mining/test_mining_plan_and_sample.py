"""Forecasts against what a run then takes, and the sampler against published tables."""

import random

import pytest
from fakeapi import Corpus
from hypothesis import given
from hypothesis import strategies as st

from mining import planning
from mining.errors import MiningError
from mining.planning import Progress
from mining.selection.definition import GitHubSource, StackOverflowSource
from mining.selection.sampling import allot, draw, margin_of, size_for


@pytest.mark.parametrize(("way", "token"), [("list", True), ("search", True)])
def test_the_forecast_is_what_the_run_takes(field, way, token):
    corpus = Corpus({"horovod/horovod": 600}, {"horovod": 350}, closed=1, comments=1)
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.labels = ()
    mining = field(corpus)
    mining.run("--way", way, token=token)
    want = planning.github(GitHubSource("o/r"), way, token, 600, 1, "x").requests
    got = {bucket: mining.fake.sent(bucket) for bucket in want}
    # A search may meet one slice more or less; all else is exact.
    assert {b: n for b, n in got.items() if b != "search"} == {
        b: n for b, n in want.items() if b != "search"}
    assert abs(got.get("search", 0) - want.get("search", 0)) <= 2
    questions = planning.stackoverflow(StackOverflowSource("horovod"), 350, "x").requests
    assert mining.fake.sent("/questions") + 1 == questions["stackexchange"]


def test_minutes_count_the_windows_of_a_quota():
    # 60 requests an hour: the 150th waits for the third hour.
    assert planning.minutes({"core": 150}, False, False)["core"] >= 120
    # 10 searches a minute: the 31st is sent after three minutes.
    assert planning.minutes({"search": 31}, False, False)["search"] == 3
    # 300 a day: 900 need two nights.
    assert planning.minutes({"stackexchange": 900}, True, False)["stackexchange"] >= 2 * 1440


@pytest.mark.parametrize(("population", "published"), [
    (100, 80), (200, 132), (500, 217), (1000, 278), (5000, 357), (10_000, 370)])
def test_size_agrees_with_krejcie_and_morgan(population, published):
    # Krejcie and Morgan (1970), Educational and Psychological Measurement 30, table 1, which
    # rounds to the nearest; a promised margin needs rounding up.
    assert size_for(0.05, population) - published in (0, 1)


@given(st.integers(1, 5000), st.data())
def test_margin_undoes_size(population, data):
    margin = data.draw(st.floats(0.01, 0.5))
    n = size_for(margin, population)
    assert margin_of(n, population) <= margin + 1e-9
    if n > 1:
        assert margin_of(n - 1, population) > margin - 1e-9


@given(st.dictionaries(st.text("abcde", min_size=1), st.integers(1, 500), min_size=1), st.data())
def test_shares_add_up_and_no_stratum_is_overdrawn(sizes, data):
    n = data.draw(st.integers(1, sum(sizes.values())))
    shares = allot(n, sizes)
    assert sum(shares.values()) == n
    assert all(shares[k] <= sizes[k] for k in sizes)
    assert n < len(sizes) or min(shares.values()) >= 1


def population(n):
    return [{"item": f"so:{i}", "candidate": True, "platform": "stackoverflow", "place": "x",
             "frameworks": ["a"] if i % 4 else ["a", "b"], "created_at": f"20{10 + i % 9}",
             "state": "open"} for i in range(n)]


def test_the_draw_does_not_depend_on_the_order_of_the_rows():
    rows = population(300)
    shuffled = random.Random(1).sample(rows, len(rows))
    assert draw(rows, 40, seed=3, by="year") == draw(shuffled, 40, seed=3, by="year")


def test_another_seed_draws_others():
    rows = population(300)
    assert set(draw(rows, 40, seed=1)[0]) != set(draw(rows, 40, seed=2)[0])


def test_a_grown_population_keeps_most_of_the_sample():
    small, _ = draw(population(300), 60, seed=1)
    grown, _ = draw(population(330), 60, seed=1)
    assert len(set(small) & set(grown)) >= 50


def test_each_thread_is_drawn_about_equally_often():
    rows, counts = population(40), dict.fromkeys((f"so:{i}" for i in range(40)), 0)
    for seed in range(400):
        for item in draw(rows, 10, seed=seed)[0]:
            counts[item] += 1
    # 100 expected, standard deviation 8.7: five of them on either side.
    assert all(56 <= n <= 144 for n in counts.values())


@pytest.mark.parametrize(("arguments", "words"), [
    ({"n": 0}, "--n 0"), ({"n": 99}, "has 10 candidates"), ({"margin": 1.5}, "between 0 and 1"),
    ({"n": 5, "by": "colour"}, "platform, framework")])
def test_a_wrong_request_is_one_line(arguments, words):
    with pytest.raises(MiningError, match=words):
        draw(population(10), **arguments)


def test_no_candidates_no_sample():
    with pytest.raises(MiningError, match="no candidates"):
        draw([{**row, "candidate": False} for row in population(3)], n=1)


def test_progress_in_a_log_file_is_a_line_now_and_then(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("mining.planning.time.monotonic", lambda: now[0])
    bar = Progress("horovod", 100)
    for second in range(0, 121):
        now[0] = float(second)
        bar.note("core budget spent: 9 s")
    bar.update(50, 100, "busy")
    bar.close()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0] == "horovod: 0 of 100 threads (core budget spent: 9 s)"
