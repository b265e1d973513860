"""The commands as a user types them, against the fake."""

import csv
import json

import pytest
from fakeapi import Corpus
from fakeapi.corpus import Repository, iso
from fakeapi.faults import Fault, plain, violation

EXCLUDED = ("bug", "enhancement", "wontfix", "awaiting response", "update docs")


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_plan_sends_nothing(field, capsys):
    mining = field()
    assert mining("plan") == 0
    assert mining.fake.sent() == 0
    text = capsys.readouterr().out
    assert "Nothing was sent" in text
    assert "graphql" in text


def test_plan_without_tokens_says_what_they_would_bring(field, capsys):
    mining = field()
    assert mining("plan", token=False, key=False) == 0
    text = capsys.readouterr().out
    assert "No GITHUB_TOKEN: 60 requests an hour instead of 5,000" in text
    assert "No STACKEXCHANGE_KEY: 300 requests a day instead of 10,000" in text


def test_run_finds_what_the_definition_says(field):
    corpus = Corpus({"horovod/horovod": 230}, {"horovod": 130})
    mining = field(corpus)
    threads = mining.run()
    candidates = {i for i, r in threads.items() if r["candidate"]}
    truth = {f"gh:horovod/horovod#{n}" for n in
             corpus.truth("horovod/horovod", without=EXCLUDED)}
    truth |= {f"so:{q.number}" for q in corpus.questions.values() if q.accepted}
    assert candidates == truth
    assert all(r["complete"] for r in threads.values())


def test_run_uses_the_fewest_requests(field):
    # 50 threads a GraphQL request; 100 questions a page, each page
    # beginning with the last of the one before; one request for the filter.
    corpus = Corpus({"horovod/horovod": 1000}, {"horovod": 1000}, closed=1)
    mining = field(corpus)
    mining.run()
    assert mining.fake.sent("graphql") == 20
    assert mining.fake.sent("core") == mining.fake.sent("search") == 0
    assert mining.fake.sent("/questions") == 11
    assert mining.fake.sent("/filters/create") == 1


def test_all_ways_bring_the_same_candidates(field, tmp_path):
    mining = field(Corpus({"horovod/horovod": 400}, {}))
    found = {}
    for way, token in (("list", True), ("search", True), ("list", False), ("search", False)):
        store = tmp_path / f"{way}-{token}"
        code = mining("run", "--until", "2022-12-31", "--patience", "100000", "--way", way,
                      "--platform", "github", token=token, store=store)
        assert code == 0
        rows = mining.threads(store).values()
        found[way, token] = [
            {k: v for k, v in r.items() if k not in ("edited_at", "found_by")}
            for r in rows if r["candidate"]]
    first, *others = found.values()
    assert first
    assert all(other == first for other in others)
    assert mining.fake.referee.breaches == []


@pytest.mark.parametrize("order", [(True, False), (False, True)])
@pytest.mark.parametrize("way", ["list", "search"])
def test_a_run_begun_with_a_token_is_finished_without_one_and_back(field, way, order):
    corpus = Corpus({"horovod/horovod": 300}, {})
    busy = [i for i in corpus.repositories["horovod/horovod"].issues.values() if i.closed][:2]
    for issue in busy:
        issue.n_comments = 230  # their talk is cut in the middle by the limit
    mining = field(corpus)
    first, second = order
    mining.run("--platform", "github", "--way", way, "--limit", "70", token=first)
    threads = mining.run("--platform", "github", token=second)
    found = {r["number"] for r in threads.values() if r["candidate"]}
    assert found == corpus.truth("horovod/horovod", without=EXCLUDED)
    assert all(r["complete"] for r in threads.values() if not r["is_pull_request"])
    assert mining.manifest()["whole"]


def test_until_ends_a_list(field):
    corpus = Corpus({"horovod/horovod": 300}, {})
    mining = field(corpus)
    for token in (True, False):
        store = mining.folder / f"store-{token}"
        assert mining("run", "--until", "2019-06-30", "--platform", "github", "--patience",
                      "100000", token=token, store=store) == 0
        found = {r["number"] for r in mining.threads(store).values() if r["candidate"]}
        visible = corpus.truth("horovod/horovod", without=EXCLUDED)
        issues = corpus.repositories["horovod/horovod"].issues
        assert found == {n for n in visible if iso(issues[n].created) <= "2019-06-30T23:59:59Z"}
        assert found


def test_the_large_corpus_under_its_former_name(field, tmp_path):
    # 20,000 threads; a day of 5,000, a renamed repository, transfers and deletions.
    corpus = Corpus.large()
    sizes = [sum(not i.is_pr for i in r.issues.values()) for r in corpus.repositories.values()]
    assert sum(sizes) + len(corpus.questions) == 20_000
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\ntitle = "Own"\nschema = 1\n[[github]]\nrepository = '
                   '"uber/horovod"\nway = "search"\n[[stackoverflow]]\ntag = "horovod"\n'
                   'keywords = false\n', "utf-8")
    mining = field(corpus)
    threads = mining.run(name=str(own))
    found = {r["number"] for r in threads.values() if r["platform"] == "github"}
    assert found == corpus.truth("horovod/horovod")
    assert mining.manifest()["whole"]
    assert sum(r["platform"] == "stackoverflow" for r in threads.values()) == 300


def test_limit_stops_and_the_same_command_without_it_goes_on(field, capsys):
    mining = field()
    mining.run("--limit", "60")
    assert "Not finished" in capsys.readouterr().out
    part = mining.threads()
    assert sum(r["platform"] == "github" for r in part.values()) == 60
    sent = mining.fake.sent()
    whole = mining.run()
    assert set(part) < set(whole)
    # Nothing is asked for twice.
    paths = [p for _, p in mining.fake.log[:sent]]
    assert not set(paths) & {p for _, p in mining.fake.log[sent:] if "graphql" not in p}


def test_a_later_search_hit_does_not_displace_what_was_read(field):
    # A hit tells less than the thread itself: when a body was edited, for one.
    corpus = Corpus({"keras-team/keras": 400}, {}, closed=1)
    for issue in corpus.repositories["keras-team/keras"].issues.values():
        issue.revision, issue.labels = 5, ()
        issue.words = ("distributed", "workers")  # found by two terms each
    mining = field(corpus)
    mining.run("--platform", "github", "--limit", "60", name="keras")
    threads = mining.run("--platform", "github", name="keras")
    assert len(threads) == 400
    assert all(r["edited_at"] for r in threads.values())
    assert all(r["found_by"] == ["distributed", "workers"] for r in threads.values())


def test_a_finished_run_sends_nothing_more(field):
    mining = field()
    mining.run()
    sent, snapshot = mining.fake.sent(), mining.snapshot()
    mining.run()
    assert mining.fake.sent() == sent
    assert mining.snapshot() == snapshot


def test_the_same_corpus_mined_twice_gives_the_same_bytes(field, tmp_path):
    mining = field()
    mining.run()
    mining.clock.time += 12345
    mining.run(store=tmp_path / "second")
    assert mining.snapshot() == mining.snapshot(tmp_path / "second")


def test_replay_needs_no_network_and_gives_the_same_bytes(field):
    mining = field()
    mining.run()
    snapshot, sent = mining.snapshot(), mining.fake.sent()
    mining.fake.__exit__()
    for path in (mining.store / "snapshot").iterdir():
        path.unlink()
    assert mining("replay", token=False, key=False) == 0
    assert mining.snapshot() == snapshot
    assert mining.fake.sent() == sent
    mining.fake.__exit__ = lambda *_: None


def test_since_and_until_are_the_window(field):
    mining = field(Corpus({"horovod/horovod": 300}, {"horovod": 200}))
    code = mining("run", "--since", "2018-03-01", "--until", "2019-02-28")
    assert code == 0
    created = [r["created_at"] for r in mining.threads().values()]
    assert created
    assert min(created) >= "2018-03-01T00:00:00Z"
    assert max(created) <= "2019-02-28T23:59:59Z"
    assert mining.manifest()["window"] == {"since": "2018-03-01T00:00:00Z",
                                           "until": "2019-02-28T23:59:59Z"}


@pytest.mark.parametrize("wrong", [
    ("--since", "yesterday"), ("--until", "2021-13-01"),
    ("--since", "2022-01-01", "--until", "2021-01-01"), ("--items", "no-such-file")])
def test_a_wrong_option_leaves_nothing_behind(field, capsys, wrong):
    mining = field()
    assert mining("run", *wrong) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert wrong[0] in error
    assert not mining.store.exists()


def test_a_limit_below_one_is_refused(field):
    with pytest.raises(SystemExit) as stop:
        field()("run", "--limit", "0")
    assert stop.value.code == 2


def test_another_window_needs_another_store(field, capsys):
    mining = field()
    mining.run()
    assert mining("run", "--until", "2019-01-01") == 2
    assert "was begun with 2022-12-31T23:59:59Z" in capsys.readouterr().err


def test_quota_stop_names_the_time_and_the_command(field, capsys):
    words = "too many requests from this IP, more requests available in 84907 seconds"
    mining = field(faults=[Fault("/questions", violation(words, 84907, "stackexchange"), first=2)])
    assert mining("run", "--until", "2022-12-31") == 3
    error = capsys.readouterr().err
    assert "the same command goes on from 2023-11-15T" in error
    assert "Go on with: python -m mining run horovod" in error
    # Within the wait nothing is sent to Stack Exchange, even by a new process.
    sent = mining.fake.sent("/questions")
    assert mining("run", "--until", "2022-12-31") == 3
    assert mining.fake.sent("/questions") == sent
    mining.clock.time += 84910
    mining.run()
    assert sum(r["platform"] == "stackoverflow" for r in mining.threads().values()) == 130


def test_a_stop_of_one_platform_does_not_keep_the_other_waiting(field):
    until = "1700100000"
    reset = plain(403, {"message": "API rate limit exceeded"}, {
        "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": until,
        "X-RateLimit-Resource": "graphql"})
    mining = field(faults=[Fault("graphql", reset)])
    assert mining("run", "--until", "2022-12-31") == 3
    assert {r["platform"] for r in mining.threads().values()} == {"stackoverflow"}


def test_a_mined_list_of_items_is_whole_whatever_its_labels(field, tmp_path):
    mining = field(Corpus({"horovod/horovod": 60, "keras-team/keras": 20}, {"horovod": 20}))
    listed = tmp_path / "items.csv"
    listed.write_text("question,tags\nhttps://github.com/horovod/horovod/issues/3\n"
                      "https://github.com/keras-team/keras/issues/4\n"
                      "https://stackoverflow.com/questions/50000001,<horovod>\n", "utf-8")
    repositories = mining.corpus.repositories
    for name, number in (("horovod/horovod", 3), ("keras-team/keras", 4)):
        repositories[name].issues[number].is_pr = False
    threads = mining.run("--items", str(listed))
    assert set(threads) == {"gh:horovod/horovod#3", "gh:keras-team/keras#4", "so:50000001"}
    assert all(r["candidate"] for r in threads.values())


def test_an_items_line_that_names_no_thread_is_named(field, tmp_path, capsys):
    listed = tmp_path / "items.txt"
    listed.write_text("so:1\nhttps://example.org/7\n", "utf-8")
    assert field()("run", "--items", str(listed)) == 2
    assert "line 2: 'https://example.org/7' names no GitHub issue" in capsys.readouterr().err


def test_export_csv_and_jsonl_hold_the_same_candidates(field):
    mining = field()
    threads = mining.run()
    wanted = {i for i, r in threads.items() if r["candidate"]}
    for file_format in ("csv", "jsonl"):
        assert mining("export", "--format", file_format) == 0
    table = read_csv(mining.store / "export" / "threads.csv")
    with (mining.store / "export" / "threads.jsonl").open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert [r["item"] for r in table] == [r["item"] for r in lines]
    assert {r["item"] for r in table} == wanted
    comments = read_csv(mining.store / "export" / "comments.csv")
    assert {r["item"] for r in comments} <= wanted
    assert mining("export", "--all") == 0
    assert len(read_csv(mining.store / "export" / "threads.csv")) == len(threads)


def test_export_opens_in_pandas(field):
    pandas = pytest.importorskip("pandas")
    mining = field()
    threads = mining.run()
    assert mining("export", "--all") == 0
    frame = pandas.read_csv(mining.store / "export" / "threads.csv", parse_dates=["created_at"])
    assert len(frame) == len(threads)
    assert frame["candidate"].dtype == bool
    assert set(frame["platform"]) == {"github", "stackoverflow"}


def test_parquet_without_pyarrow_is_one_line(field, capsys, monkeypatch):
    mining = field()
    mining.run()
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert mining("export", "--format", "parquet") == 2
    assert "pip install pyarrow" in capsys.readouterr().err


def test_export_before_run_says_what_to_do(field, capsys):
    assert field()("export") == 2
    assert "python -m mining run horovod" in capsys.readouterr().err


def test_status_tells_what_is_left(field, capsys):
    mining = field()
    mining.run("--limit", "60")
    capsys.readouterr()
    assert mining("status") == 0
    text = capsys.readouterr().out
    assert "gh:horovod/horovod: list" in text
    assert "github: 60 of 60 known threads read" in text


def test_drift_tells_every_kind_of_change(field, capsys):
    mining = field()
    threads = mining.run()
    issues = mining.corpus.repositories["horovod/horovod"].issues
    numbers = [r["number"] for r in threads.values() if r["candidate"]
               and r["platform"] == "github"]
    edited, relabelled, reopened, answered, deleted, hidden, moved = numbers[:7]
    issues[edited].revision = 100
    issues[relabelled].labels = ("new label",)
    issues[reopened].closed = None
    issues[answered].n_comments += 1
    issues[deleted].fate, issues[hidden].fate = "deleted", "hidden"
    mining.corpus.repositories["horovod/horovod"].old_names = ("horovod/former",)
    other = Repository("horovod/other", 77, {5: issues[moved]})
    mining.corpus.repositories["horovod/other"] = other
    issues[moved] = type(issues[moved])(**{**vars(issues[moved]), "fate": "gh:horovod/other#5"})
    other.issues[5].number = 5
    gone = next(q for q in mining.corpus.questions.values() if q.accepted)
    gone.deleted = True
    mining.fake.github.found.clear()
    capsys.readouterr()
    assert mining("drift") == 0
    assert mining.fake.referee.breaches == []
    rows = read_csv(mining.store / "drift" / "001" / "drift.csv")
    changes = {(r["item"].rpartition("#")[2], r["change"]) for r in rows}
    assert changes == {
        (str(edited), "edited"), (str(relabelled), "relabelled"), (str(reopened), "reopened"),
        (str(answered), "answered"), (str(deleted), "deleted"), (str(hidden), "deleted"),
        (str(moved), "transferred"), (f"so:{gone.number}", "deleted")}
    assert next(r for r in rows if r["change"] == "transferred")["after"] == "gh:horovod/other#5"
    assert "1 transferred" in capsys.readouterr().out


def test_drift_sees_answers_marks_reasons_and_locks(field):
    # An accepted answer rewritten, the mark moved, the reason of a closing: nothing was said.
    mining = field()
    threads = mining.run().values()
    rewritten, moved = [r["number"] for r in threads if r["candidate"]
                        and r["platform"] == "stackoverflow"][:2]
    other, locked = [r["number"] for r in threads if r["candidate"]
                     and r["platform"] == "github"][:2]

    def question(server, now, data):  # noqa: ARG001
        for row in data["items"]:
            if row["question_id"] == rewritten:
                row["answers"][0]["body_markdown"] = "Synthetic answer, rewritten"
            if row["question_id"] == moved:
                row["accepted_answer_id"] += 5

    def issue(server, now, data):  # noqa: ARG001
        for node in data["data"]["repository"].values():
            if isinstance(node, dict) and node["number"] == other:
                node["stateReason"] = "NOT_PLANNED"
            if isinstance(node, dict) and node["number"] == locked:
                node["locked"] = True

    mining.fake.faults += [Fault("/questions", change=question, times=99),
                           Fault("graphql", change=issue, times=99)]
    assert mining("drift") == 0
    rows = read_csv(mining.store / "drift" / "001" / "drift.csv")
    assert {(r["item"], r["change"]) for r in rows} == {
        (f"so:{rewritten}", "talk edited"), (f"so:{moved}", "accepted another answer"),
        (f"gh:horovod/horovod#{other}", "closed for another reason"),
        (f"gh:horovod/horovod#{locked}", "locked")}


def test_drift_of_an_unchanged_corpus_is_empty(field, capsys):
    mining = field()
    mining.run()
    assert mining("drift") == 0
    assert "no change" in capsys.readouterr().out


def test_a_second_drift_without_a_token_costs_no_budget_where_nothing_changed(field):
    # docs.github.com, best practices: a 304 does not count against the primary limit.
    mining = field(Corpus({"horovod/horovod": 40}, {}))
    mining.run()
    issues = mining.corpus.repositories["horovod/horovod"].issues
    candidates = [r["number"] for r in mining.threads().values() if r["candidate"]]
    patience = ("--patience", "100000")
    assert mining("drift", *patience, token=False) == 0
    before = len(mining.fake.statuses)
    issues[candidates[0]].revision = 100
    assert mining("drift", *patience, token=False) == 0
    statuses = mining.fake.statuses[before:]
    talkative = sum(issues[n].n_comments > 0 for n in candidates)
    assert statuses.count(304) == len(candidates) - 1 + talkative
    rows = read_csv(mining.store / "drift" / "002" / "drift.csv")
    assert [(r["item"], r["change"]) for r in rows] == [
        (f"gh:horovod/horovod#{candidates[0]}", "edited")]
    assert mining.fake.referee.breaches == []


def test_a_test_servers_threads_do_not_mix_with_real_ones(field, capsys, monkeypatch):
    mining = field()
    mining.run("--limit", "10")
    assert mining.manifest()["from_public_apis"] is False
    sent = mining.fake.sent()
    monkeypatch.setattr(mining.fake, "environment", lambda **tokens: tokens)
    assert mining("run") == 2
    assert "mined from other servers" in capsys.readouterr().err
    assert mining.fake.sent() == sent


def test_the_other_platform_is_told_as_not_begun(field, capsys):
    mining = field()
    mining.run("--platform", "github")
    assert "so:horovod: not begun" in capsys.readouterr().out
    states = {s["id"]: s["state"] for s in mining.manifest()["sources"]}
    assert states == {"gh:horovod/horovod": "found", "so:horovod": "not begun"}
    mining.run()
    assert {s["state"] for s in mining.manifest()["sources"]} == {"found"}


def test_sample_is_seeded_and_states_its_margin(field, tmp_path):
    mining = field()
    mining.run()
    for place in ("a", "b"):
        assert mining("sample", "--n", "20", "--seed", "7", "--by", "platform",
                      "--out", str(tmp_path / f"{place}.csv")) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    report = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert report["n"] == 20 == sum(s["n"] for s in report["strata"].values())
    assert report["population"] == mining.manifest()["candidates"]
    assert report["snapshot_sha256"] == mining.manifest()["sha256"]


def test_a_store_path_with_a_space_works_from_anywhere(field, tmp_path, monkeypatch):
    mining = field()
    monkeypatch.chdir(tmp_path)
    mining.run(store=tmp_path / "a folder")
    assert (tmp_path / "a folder" / "snapshot" / "threads.jsonl").exists()


def test_a_changed_source_does_not_mix_with_an_old_store(field, tmp_path, capsys):
    mining = field()
    text = ('name = "own"\ntitle = "Own"\nschema = 1\n[[github]]\n'
            'repository = "horovod/horovod"\n')
    own = tmp_path / "own.toml"
    own.write_text(text, "utf-8")
    mining.run("--limit", "10", name=str(own))
    own.write_text(text + 'state = "all"\n', "utf-8")
    assert mining("run", name=str(own)) == 2
    assert "the sources differ" in capsys.readouterr().err


def test_a_changed_keyword_list_needs_a_replay_only(field, tmp_path):
    mining = field(Corpus({"horovod/horovod": 200}, {"horovod": 0}))
    folder = tmp_path / "keywords"
    folder.mkdir()
    words = folder / "own.toml"
    words.write_text('name = "own"\nversion = 1\nwords = ["workers"]\nphrases = []\n', "utf-8")
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\ntitle = "Own"\nschema = 1\nkeywords = "own"\n[[github]]\n'
                   'repository = "horovod/horovod"\nkeywords = true\nway = "list"\n', "utf-8")
    before = {i for i, r in mining.run(name=str(own)).items() if r["candidate"]}
    words.write_text('name = "own"\nversion = 2\nwords = ["parallel"]\nphrases = []\n', "utf-8")
    sent = mining.fake.sent()
    mining.run(name=str(own))  # the store accepts it: nothing that is sent has changed
    assert mining("replay", name=str(own)) == 0
    after = {i for i, r in mining.threads().items() if r["candidate"]}
    assert mining.fake.sent() == sent
    assert mining.manifest()["keywords"]["list_version"] == 2
    assert before
    assert after
    assert before != after
