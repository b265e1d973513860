"""The thirty edge cases: one test each, numbered as in the list they come from.

Each names the place where the case was seen. Texts are synthetic; the shapes are the
APIs' own.
"""

import json

import pytest
from fakeapi import Corpus
from fakeapi.corpus import BURST_DAY, Question
from fakeapi.faults import (
    Fault,
    backoff,
    drop,
    html,
    lagging,
    plain,
    throttled,
    truncated_gzip,
)

from mining.selection.definition import GitHubSource
from mining.selection.judge import prose_of_markdown
from mining.sources import rows as normalise
from mining.sources.rows import clean, unescape_once
from mining.sources.search import query
from mining.store.export import flat
from mining.store.store import Store
from mining.transport.wire import Request, read

SMALL = {"horovod/horovod": 100}
GH = ("--platform", "github")
SO = ("--platform", "stackoverflow")


def changed(edit, bucket="core", first=1, times=99):
    """A fault that edits the rows of good list or search answers."""
    def change(server, now, data):  # noqa: ARG001
        for row in data if isinstance(data, list) else data.get("items") or []:
            if "comments" in row:
                edit(row)
    return Fault(bucket, change=change, first=first, times=times)


def only(corpus):
    """The issues of the one repository, all of them plain."""
    issues = corpus.repositories["horovod/horovod"].issues
    for issue in issues.values():
        issue.is_pr, issue.labels = False, ()
    return issues


def test_01_body_null_in_rest_and_empty_in_graphql(field, tmp_path):
    # 173 recorded null bodies; GraphQL's schema says body: String!
    mining = field(Corpus(SMALL, {}, pulls=0, closed=1))
    only(mining.corpus)
    rest = mining.run(*GH, token=False)["gh:horovod/horovod#97"]
    graphql = mining.run(*GH, store=tmp_path / "graphql")["gh:horovod/horovod#97"]
    assert rest["body"] == graphql["body"] == ""


def test_02_user_null_on_a_comment(field):
    # chaoss/grimoirelab-perceval issue 746: a deleted account ended the harvest.
    mining = field(Corpus(SMALL, {}, comments=3))
    mining.run(*GH, token=False)
    kinds = [c["author_kind"] for c in mining.comments().values()]
    assert kinds.count("ghost") == len(kinds) / 3
    assert kinds


def test_03_login_ghost_as_a_user_who_looks_real(field):
    # hub4j recording testGetIssues: login ghost, id 10137.
    def ghost(row):
        row["user"] = {**(row["user"] or {}), "login": "ghost", "id": 10137, "type": "User"}

    threads = field(Corpus(SMALL, {}), [changed(ghost)]).run(*GH, token=False)
    assert {(r["author"], r["author_kind"]) for r in threads.values()} == {("", "ghost")}


def test_04_stack_exchange_owner_without_an_id(field):
    # The API's shallow_user type: user_type does_not_exist.
    mining = field(Corpus({}, {"horovod": 30}))
    threads = mining.run(*SO)
    ghosts = [r for r in threads.values() if r["author_kind"] == "ghost"]
    assert ghosts
    assert all(r["attribution"] and not r["attribution_url"] for r in ghosts)


def test_05_title_is_unescaped_once(field):
    # Titles arrive HTML-escaped under safe filters.
    assert unescape_once("&quot; &#39; &amp;lt;") == "\" ' &lt;"
    mining = field(Corpus({}, {"horovod": 3}))
    titles = [r["title"] for r in mining.run(*SO).values()]
    assert all('Synthetic "question" 5' in t for t in titles)


def test_06_label_with_emoji_space_and_colon_in_a_query(field, tmp_path):
    # cli/cli issue 8290: a label with a check mark and a space.
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\ntitle = "Own"\nschema = 1\n[[github]]\nrepository = '
                   '"horovod/horovod"\nway = "search"\nwith_labels = ["✔️ DNS _psl: ok"]\n'
                   'without_labels = ["module: ddp"]\n', "utf-8")
    mining = field(Corpus({"horovod/horovod": 400}, {}))
    threads = mining.run(name=str(own))
    truth = {i.number for i in mining.corpus.find("horovod/horovod").visible()
             if i.closed and "✔️ DNS _psl: ok" in i.labels and "module: ddp" not in i.labels}
    assert truth
    assert {r["number"] for r in threads.values()} == truth
    assert all(r["candidate"] for r in threads.values())


def test_07_the_issue_is_a_pull_request(field):
    # Issue lists include pull requests; their ids there are issue ids.
    mining = field(Corpus(SMALL, {}, pulls=0.5))
    threads = mining.run(*GH, token=False)
    truth = {i.number for i in mining.corpus.find("horovod/horovod").visible(pulls=True)
             if i.is_pr and i.closed}
    marked = {r["number"] for r in threads.values() if r["is_pull_request"]}
    assert marked == truth != set()
    assert not any(r["candidate"] for r in threads.values() if r["is_pull_request"])


@pytest.mark.parametrize("user", [
    {"login": "x", "type": "Bot"}, {"login": "x[bot]", "type": "User"},
    {"login": "x", "__typename": "Bot"}])
def test_08_bot_author(user):
    # 71 recorded bots: by type, by [bot], by GraphQL's __typename.
    assert normalise.github_author(user) == (normalise.pseudonym("x"), "bot")


def test_09_locked_as_spam(field):
    # webhooks-examples: locked with active_lock_reason spam.
    def lock(row):
        row |= {"locked": True, "active_lock_reason": "spam"}

    threads = field(Corpus(SMALL, {}), [changed(lock)]).run(*GH, token=False)
    assert {(r["locked"], r["lock_reason"]) for r in threads.values()} == {(True, "spam")}


@pytest.mark.parametrize("token", [True, False])
def test_10_transferred_to_another_repository(field, tmp_path, token):
    # REST answers 301; the same text lives on under a new number elsewhere.
    mining = field(Corpus({**SMALL, "keras-team/keras": 20}, {}))
    only(mining.corpus)[7].fate = "gh:keras-team/keras#9"
    listed = tmp_path / "items.txt"
    listed.write_text("gh:horovod/horovod#7\ngh:horovod/horovod#8\n", "utf-8")
    threads = mining.run("--items", str(listed), token=token)
    assert set(threads) == {"gh:horovod/horovod#8"}
    gone = mining.gone()["gh:horovod/horovod#7"]
    assert (gone["why"], gone["moved_to"]) == ("transferred", "gh:keras-team/keras#9")


@pytest.mark.parametrize(("fate", "status", "why"), [
    ("deleted", 410, "deleted"), ("hidden", 404, "deleted or hidden")])
@pytest.mark.parametrize("token", [True, False])
def test_11_deleted_between_listing_and_reading(field, token, fate, status, why):
    # The documentation of a single issue: 404 and 410.
    mining = field(Corpus(SMALL, {}, comments=2))

    def vanish(server, now, data):  # noqa: ARG001
        server.corpus.find("horovod/horovod").issues[data["items"][0]["number"]].fate = fate

    mining.fake.faults.append(Fault("search", change=vanish))
    threads = mining.run(*GH, "--way", "search", token=token)
    gone, = mining.gone().values()
    assert (gone["status"], gone["why"]) == (status, why)
    # The search answer itself is kept: what it told is no secret, and it is marked.
    row = threads.get(gone["item"])
    assert row is None or not row["complete"]


@pytest.mark.parametrize("way", ["list", "search"])
@pytest.mark.parametrize("token", [True, False])
def test_12_repository_renamed(field, tmp_path, way, token):
    # REST answers 301 and search 422 (or, with several repo:, silently nothing).
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\ntitle = "Own"\nschema = 1\n[[github]]\n'
                   'repository = "uber/horovod"\n', "utf-8")
    mining = field(Corpus(SMALL, {}))
    mining.corpus.repositories["horovod/horovod"].old_names = ("uber/horovod",)
    threads = mining.run("--way", way, name=str(own), token=token)
    found = {r["number"] for r in threads.values() if r["candidate"]}
    assert found == mining.corpus.truth("horovod/horovod")
    assert {i.split("#")[0] for i in threads} == {"gh:horovod/horovod"}
    source, = mining.manifest()["sources"]
    assert (source["asked"], source["name"]) == ("uber/horovod", "horovod/horovod")


def test_13_issues_disabled(field):
    # 410 Issues are disabled for this repo; grimoirelab-sirmordred issue 497 saw 403.
    mining = field(Corpus(SMALL, {"horovod": 20}))
    mining.corpus.repositories["horovod/horovod"].disabled = True
    threads = mining.run(token=False)
    assert {r["platform"] for r in threads.values()} == {"stackoverflow"}
    source = mining.manifest()["sources"][0]
    assert source["state"] == "refused"
    assert "Issues are disabled" in source["mark"]


def test_14_body_of_262144_bytes(field):
    # The limit is bytes, not characters (bisected 2026-09-17, objectstack issue 18793).
    body = "🙂" * (262_144 // 4)

    def fill(row):
        row["body"] = body

    mining = field(Corpus({"horovod/horovod": 2}, {}, pulls=0, closed=1), [changed(fill)])
    threads = mining.run(*GH, token=False)
    assert {len(r["body"].encode()) for r in threads.values()} == {262_144}
    assert mining("export", "--all") == 0
    assert body in (mining.store / "export" / "threads.csv").read_text("utf-8")


def test_15_nul_in_title_and_body(field):
    # paperclip-github-plugin pull 37: NUL breaks CSV, PostgreSQL and C tools.
    def poison(row):
        row |= {"title": "a\0b", "body": "\0c"}

    mining = field(Corpus({"horovod/horovod": 3}, {}, pulls=0, closed=1), [changed(poison)])
    threads = mining.run(*GH, token=False)
    assert {(r["title"], r["body"]) for r in threads.values()} == {("ab", "c")}
    assert b"\\u0000" not in mining.snapshot()["threads.jsonl"]


def test_16_odd_control_characters():
    # cli/cli issue 8336: escape characters broke a decoder.
    assert clean("a\x1b[31mb\x07\x9b\x7fc\td\ne") == "a[31mbc\td\ne"


def test_17_astral_emoji_and_lone_surrogates(field):
    # Lone surrogates are legal in JSON and cannot be written as UTF-8.
    def poison(row):
        row |= {"title": "\ud83d", "body": "🙂\udc00"}

    mining = field(Corpus({"horovod/horovod": 3}, {}, pulls=0, closed=1), [changed(poison)])
    threads = mining.run(*GH, token=False)
    assert {(r["title"], r["body"]) for r in threads.values()} == {("\ufffd", "🙂\ufffd")}


def test_18_crlf_and_every_kind_of_code():
    # 382 recorded CRLF bodies; fenced, indented, <pre>, and a fence never closed.
    text = ("keep\r\n```py\r\nfence\r\n```\r\n\r\n    indented\r\n\r\n<pre>tag\r\n</pre> too\r\n"
            "```\r\nnever closed")
    assert prose_of_markdown(text).split() == ["keep", "too"]
    assert clean(text).count("\r") == 0


def test_19_more_than_a_thousand_hits_in_one_second(field, tmp_path):
    # Search is cut to seconds, then by state, then read in several orders.
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\ntitle = "Own"\nschema = 1\n[[github]]\nstate = "all"\n'
                   'repository = "horovod/horovod"\nway = "search"\n', "utf-8")
    corpus = Corpus({"horovod/horovod": 1500}, {}, pulls=0, comments=0, closed=0.5)
    for issue in corpus.repositories["horovod/horovod"].issues.values():
        issue.created = BURST_DAY
    mining = field(corpus)
    threads = mining.run(name=str(own))
    assert len(threads) == 1500
    assert mining.manifest()["whole"]


def test_20_lists_longer_than_a_hundred_pages(field):
    # google/go-github issue 3565: page 100 is refused. Here it is page 2, to save time: no
    # second page is ever asked for, but where a page is one second wide.
    mining = field(Corpus({"horovod/horovod": 950}, {}, pulls=0, comments=0, closed=1))
    mining.fake.github.refused_page = 2
    threads = mining.run(*GH, token=False)
    assert len(threads) == 950
    assert mining.fake.sent("core") == 1 + 10
    assert not any("&page=" in path for _, path in mining.fake.log)


def test_20b_a_list_that_is_refused_all_the_same_is_searched(field):
    refusal = plain(422, {"message": "Pagination with the page parameter is not supported for "
                          "large datasets, please use cursor based pagination (after/before)"})
    mining = field(Corpus({"horovod/horovod": 250}, {}), [Fault("core", refusal, first=3)])
    threads = mining.run(*GH, token=False)
    excluded = ("bug", "enhancement", "wontfix")
    assert mining.corpus.truth("horovod/horovod", without=excluded) == {
        r["number"] for r in threads.values() if r["candidate"]}


def test_21_total_count_that_differs_between_pages(field):
    # cli/cli issue 8290: 105 on one page, 117 on another. Once: asked again, then whole.
    mining = field(Corpus({"horovod/horovod": 400}, {}))
    mining.fake.github.count_errors = [0, 12]
    mining.run(*GH, "--way", "search")
    assert mining.manifest()["whole"]


def test_21b_counts_that_never_agree_are_marked_unstable(field):
    mining = field(Corpus({"horovod/horovod": 300}, {}))
    mining.fake.github.count_errors = [3] * 99
    threads = mining.run(*GH, "--way", "search")
    manifest = mining.manifest()
    part, = manifest["sources"][0]["not_whole"]
    assert (manifest["finished"], manifest["whole"]) == (True, False)
    assert part["mark"] == "unstable"
    assert part["counts"] == [part["seen"] + 3]
    assert len(threads) == part["seen"]


def test_21c_a_lagging_index_loses_nothing(field):
    # A fresh label takes up to twelve minutes to be found: threads appear in between.
    mining = field(Corpus({"horovod/horovod": 300}, {}))
    hidden = sorted(mining.corpus.truth("horovod/horovod"))[5:9]
    mining.fake.faults.append(Fault("search", change=lagging(mining.fake.github, hidden, 1)))
    threads = mining.run(*GH, "--way", "search")
    excluded = {"bug", "enhancement", "wontfix"}
    visible = {n for n in hidden if not excluded & set(
        mining.corpus.find("horovod/horovod").issues[n].labels)}
    assert visible <= {r["number"] for r in threads.values()}


def test_22_incomplete_results_although_all_came(field):
    # PyGithub ReplayData testSearchWithIncompleteResults: 5 + 2 of 7, flagged on both pages.
    mining = field(Corpus({"horovod/horovod": 300}, {}))
    mining.fake.github.incomplete = True
    mining.run(*GH, "--way", "search")
    assert mining.manifest()["whole"]


def test_23_never_both_is_issue_and_is_pull_request():
    # last30days-skill issue 916: with both, all issues vanish without a word.
    text = query("o/r", "x", "all", ["a"], ["b"], 0, 1, "state:open")
    assert text.count("is:") == 1
    assert "is:issue" in text


@pytest.mark.parametrize("form", ["message", "date", "seconds", "bare"])
def test_24_secondary_limits_in_every_form(field, form):
    # hub4j AbuseLimitHandlerTest: no header, an HTTP date, budget left.
    mining = field(Corpus(SMALL, {}), [Fault("graphql", throttled(429, form))])
    mining.run(*GH)
    assert mining.clock.slept >= 60


@pytest.mark.parametrize("bad", [
    {"data": {"repository": {"issues": {"nodes": [None], "totalCount": 1}}}},
    {"data": {}, "errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "x"}]},
    {"data": None, "errors": [{"message": "Something went wrong while executing your query"}]}])
def test_25_graphql_200_with_errors_or_holes(field, bad):
    # spiceai issue 13762: 100 of 100 nodes null. Fewer are asked for, nothing is stored.
    mining = field(Corpus({"horovod/horovod": 200}, {}), [Fault("graphql", plain(200, bad),
                                                                times=2)])
    threads = mining.run(*GH)
    assert all(r["complete"] for r in threads.values())
    asked = [int(p.split("first: ")[1].split(",")[0]) for b, p in mining.fake.log
             if b == "graphql"]
    assert asked[:3] == [50, 25, 12]
    assert max(asked[3:]) > 12  # it grows back
    with Store(mining.store) as store:
        assert all("errors" not in json.loads(r["body"]) for r in store.answers())


def test_26_backoff_in_the_middle_and_on_the_last_page(field):
    # /docs/throttle: it holds for the method, so the next query of that method waits too.
    mining = field(Corpus({"horovod/horovod": 5}, {"horovod": 250, "keras": 50}),
                   [Fault("/questions", change=backoff(40), times=9)])
    mining.run(*SO)
    mining.run(*SO, name="keras", store=mining.folder / "second")
    assert mining.fake.referee.breaches == []
    assert mining.clock.slept >= 2 * 40


def test_27_quota_spent_in_the_middle(field, capsys):
    # The wait stands only in prose: "more requests available in 84907 seconds".
    mining = field(Corpus({}, {"horovod": 350}), quota=3)
    assert mining("run", "--until", "2022-12-31") == 3
    assert "quota is spent" in capsys.readouterr().err
    assert len(mining.threads()) == 199  # the answer that spent it is kept
    assert mining("run", "--until", "2022-12-31") == 3
    assert "the same command goes on from 2023-11-15" in capsys.readouterr().err
    mining.fake.quota = 10_000
    mining.clock.time += 84_910
    assert len(mining.run()) == 350


def test_28_empty_page_that_promises_more_and_doubled_rows(field):
    # Py-StackExchange pull 37 for doubled rows; an empty page is guarded against.
    def empty(server, now, data):  # noqa: ARG001
        data |= {"items": [], "has_more": True}

    def double(server, now, data):  # noqa: ARG001
        data["items"] = data["items"] + data["items"][:10]

    mining = field(Corpus({}, {"horovod": 250}), [
        Fault("/questions", change=double, first=1), Fault("/questions", change=empty, first=2)])
    assert len(mining.run()) == 250


def test_28b_a_page_that_stays_empty_is_marked(field):
    def empty(server, now, data):  # noqa: ARG001
        data |= {"items": [], "has_more": True}

    mining = field(Corpus({}, {"horovod": 250}),
                   [Fault("/questions", change=empty, first=2, times=99)])
    mining.run(*SO)
    assert "empty page promised more" in mining.manifest()["sources"][1]["mark"]
    assert not mining.manifest()["whole"]


@pytest.mark.parametrize("act", [truncated_gzip, html(500), plain(204, b""), drop],
                         ids=["truncated gzip", "HTML 500", "204", "dropped socket"])
def test_29_stack_exchange_wire_trouble(field, act):
    # stack-exchange-markdown-retriever, cases 9003 to 9020.
    mining = field(Corpus({}, {"horovod": 250}), [Fault("/questions", act, first=2)])
    assert len(mining.run()) == 250


def test_29b_gzip_without_content_encoding(field):
    mining = field(Corpus({}, {"horovod": 50}))
    mining.fake.se_encoding = False
    assert len(mining.run()) == 50


def test_29c_a_redirect_within_the_api_is_followed(field):
    target = "/se/2.3/questions?site=stackoverflow&tagged=horovod&page=1&pagesize=100"
    mining = field(Corpus({}, {"horovod": 50}),
                   [Fault("/questions", plain(302, {}, {"Location": target}))])
    assert len(mining.run()) == 50


def test_30_fabricated_rows_of_the_dumps_are_dropped(field):
    # meta.stackexchange.com/questions/412018: ids 1000000001 and 1000000010 are salt.
    corpus = Corpus({}, {"horovod": 20})
    corpus.questions[1_000_000_001] = Question(1_000_000_001, BURST_DAY, ("horovod",), True,
                                               (), 1, 0)
    threads = field(corpus).run()
    assert len(threads) == 20
    assert "so:1000000001" not in threads


# Beside the thirty -----------------------------------------------------------------


def test_31_ids_beyond_32_bits(field):
    # GraphQL's databaseId is a 32-bit Int, so fullDatabaseId is asked for.
    mining = field(Corpus({"horovod/horovod": 20}, {}, comments=1))
    mining.run(*GH)
    node = {"html_url": "x", "id": 2**40, "user": None}
    assert normalise.github_comment(node, "o/r", 1)["comment"] == f"gh:o/r#1/c{2**40}"


def test_32_answers_that_did_not_come_with_their_question(field):
    corpus = Corpus({}, {"horovod": 5})
    first = next(iter(corpus.questions.values()))
    first.n_answers = 130
    mining = field(corpus)
    threads = mining.run()
    answers = [c for c in mining.comments().values()
               if c["item"] == f"so:{first.number}" and c["kind"] == "answer"]
    assert len(answers) == 130
    assert threads[f"so:{first.number}"]["complete"]
    assert mining.fake.sent("/questions/answers") == 2


def test_33_more_than_a_hundred_comments(field):
    corpus = Corpus({"horovod/horovod": 60}, {}, comments=1, pulls=0, closed=1)
    issues = only(corpus)
    issues[3].n_comments, issues[9].n_comments = 250, 101
    mining = field(corpus)
    threads = mining.run(*GH)
    assert all(r["complete"] for r in threads.values())
    assert threads["gh:horovod/horovod#3"]["n_comments"] == 250
    # 60 threads are 2 requests; both overflows share one, the longer needs another.
    assert mining.fake.sent("graphql") == 2 + 2


def test_34_a_search_that_is_not_lexical_is_refused(field, capsys):
    mining = field(Corpus(SMALL, {}))
    mining.fake.github.search_type = "semantic"
    assert mining("run", "--way", "search", *GH) == 2
    assert "not lexical" in capsys.readouterr().err


def test_35_a_clock_five_minutes_wrong(field):
    # Waits are counted by the server's Date, so a slow or fast clock here breaks no rule.
    mining = field(Corpus(SMALL, {}), [Fault("graphql", throttled(403, "reset"))])
    now = mining.clock.now
    mining.clock.now = lambda: now() + 300
    mining.fake.clock = type("Server", (), {"now": staticmethod(now)})()
    mining.run(*GH)


def test_36_more_than_2500_questions_without_a_key(field):
    # Page 26 needs a key; it is never asked for.
    mining = field(Corpus({}, {"horovod": 2700}), quota=300)
    threads = mining.run(*SO, key=False)
    assert len(threads) == 2700
    assert mining.fake.sent("/questions") == 28


def test_37_an_answer_of_another_shape_is_one_line(field, capsys):
    mining = field(Corpus({}, {"horovod": 20}),
                   [Fault("/questions", plain(200, {"unexpected": 1}))])
    assert mining("run", *SO) == 2
    error = capsys.readouterr().err
    assert "not as documented" in error
    assert "Traceback" not in error


def test_38_spreadsheet_formulas_are_neutralised(field):
    def formula(row):
        row |= {"title": "=HYPERLINK(1)", "body": "@x"}

    mining = field(Corpus({"horovod/horovod": 3}, {}, pulls=0, closed=1), [changed(formula)])
    mining.run(*GH, token=False)
    assert mining("export", "--all") == 0
    text = (mining.store / "export" / "threads.csv").read_text("utf-8")
    assert ",'=HYPERLINK(1),'@x," in text
    assert flat(None) == ""


def test_39_truncated_gzip_is_read_as_unreadable():
    answer = read(Request("stackexchange", "/questions"), 200, {}, b"\x1f\x8b\x08\x00\x00")
    assert (answer.problem, answer.data) == ("unreadable", None)


def test_40_a_repository_that_does_not_exist(field, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\ntitle = "Own"\nschema = 1\n[[github]]\nrepository = "a/b"\n',
                   "utf-8")
    mining = field(Corpus(SMALL, {}))
    for token in (True, False):
        store = tmp_path / f"store-{token}"
        mining.run(name=str(own), token=token, store=store)
        manifest = json.loads((store / "snapshot" / "manifest.json").read_text("utf-8"))
        assert manifest["sources"][0]["state"] == "refused"
    assert GitHubSource("a/b").id == "gh:a/b"


def test_41_a_refused_list_of_all_comments_is_read_thread_by_thread(field):
    mining = field(Corpus(SMALL, {}, comments=2))
    mining.fake.github.all_comments = lambda *_: (404, {}, {"message": "Not Found"})
    threads = mining.run(*GH, token=False)
    assert all(r["complete"] for r in threads.values() if not r["is_pull_request"])


def test_42_control_characters_in_an_error_do_not_reach_the_terminal(field, capsys):
    refusal = plain(422, {"message": "bad\x1b[31m\nquery"})
    mining = field(Corpus(SMALL, {}), [Fault("search", refusal)])
    assert mining("run", "--way", "search", *GH) == 2
    error = capsys.readouterr().err
    assert "bad[31m query" in error
    assert "\x1b" not in error


def test_43_a_repository_refused_once_is_tried_again(field):
    mining = field(Corpus(SMALL, {}), [Fault("core", plain(404, {"message": "Not Found"}))])
    assert mining.run(*GH, token=False) == {}
    assert mining.run(*GH, token=False) != {}
    assert mining.manifest()["whole"]


def test_44_what_was_counted_and_what_was_found_stand_in_the_manifest(field):
    mining = field(Corpus({"horovod/horovod": 1800}, {}, comments=0))
    threads = mining.run("--way", "search", *GH)
    term, = mining.manifest()["sources"][0]["terms"]
    assert term == {"term": "", "counted": len(threads), "found": len(threads)}
