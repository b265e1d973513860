"""Recorded and official material: octokit's fixtures, webhook examples, the two schemas.

Read from the folder ``shared`` beside the checkout and skipped where that is absent.
"""

import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from fakeapi import Corpus
from fakeapi.faults import Fault

from mining.mine import read_items
from mining.sources import graphql as queries
from mining.sources import rows as normalise
from mining.transport.policy import Situation, decide
from mining.transport.wire import Request, read

RECORDED = ("paginate-issues", "search-issues", "lock-issue", "labels", "errors",
            "rename-repository")


def conversation(shared, name):
    path = shared / "octokit-fixtures" / name / "normalized-fixture.json"
    return json.loads(path.read_text("utf-8"))


def answer_of(call):
    request = Request("github", call["path"],
                      bucket="search" if call["path"].startswith("/search") else "core")
    headers = {k: str(v) for k, v in call["headers"].items()}
    body = call["response"]
    raw = b"" if body == "" else json.dumps(body).encode()
    return read(request, call["status"], headers, raw)


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_get_has_a_verdict(shared, name):
    for call in conversation(shared, name):
        decision = decide(answer_of(call), Situation(0.0))
        if call["status"] in (301, 307):
            assert decision.verb == "follow"
        elif call["status"] >= 400:
            assert decision.verb == "stop"
        elif call["method"] == "get":
            assert decision.verb == "proceed"


def test_recorded_pages_are_followed_by_their_links(field, shared):
    # Five pages of a real repository, 13 issues, replayed at their recorded addresses.
    calls = {c["path"]: c for c in conversation(shared, "paginate-issues")}
    first = next(iter(calls))
    mining = field(Corpus({"horovod/horovod": 1}, {}))

    def replay_page(server, now):  # noqa: ARG001
        path = server.log[-1][1].removeprefix("/gh")
        if path.startswith("/repos/") and "/issues?" in path:
            path = first
        if "/comments" in path:
            return 200, {}, []
        if path not in calls:
            return 200, {}, {"id": 1000, "full_name": "octokit-fixture-org/paginate-issues"}
        link = calls[path]["headers"].get("link", "")
        return 200, {"Link": link.replace("https://api.github.com", f"{server.url}/gh")}, \
            calls[path]["response"]

    mining.fake.faults.append(Fault("", replay_page, times=99))
    threads = mining.run("--platform", "github", token=False)
    issues = {i["number"] for c in calls.values() for i in c["response"]}
    assert len(issues) == 13
    assert {r["number"] for r in threads.values()} == issues
    assert all(i.startswith("gh:octokit-fixture-org/paginate-issues#") for i in threads)


def test_webhook_payloads_become_rows(shared):
    examples = json.loads((shared / "webhooks-examples" / "issues.json").read_text("utf-8"))
    by_name = {e["name"]: e["examples"] for e in examples}
    rows = []
    for payload in by_name["issues"]:
        name = payload["repository"]["full_name"]
        rows.append(normalise.github_thread(payload["issue"], name))
        assert rows[-1]["item"] == f"gh:{name}#{payload['issue']['number']}"
    assert len(rows) == 29
    assert any(r["locked"] and r["lock_reason"] == "spam" for r in rows)
    comments = [normalise.github_comment(p["comment"], p["repository"]["full_name"],
                                         p["issue"]["number"]) for p in by_name["issue_comment"]]
    assert len(comments) == 9
    for row in rows + comments:
        json.dumps(row, ensure_ascii=False).encode()
        assert row["body"] is not None


# Official schemas ------------------------------------------------------------------


def nullable(schema):
    """OpenAPI 3.0's ``nullable`` in JSON Schema's words, everywhere below."""
    if isinstance(schema, list):
        return [nullable(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    found = {k: nullable(v) for k, v in schema.items() if k not in ("example", "nullable")}
    if schema.get("nullable") is True and "type" in found:
        kinds = found["type"] if isinstance(found["type"], list) else [found["type"]]
        found["type"] = [*kinds, "null"]
        if "enum" in found:
            found["enum"] = [*found["enum"], None]
    return found


@pytest.fixture(scope="session")
def openapi():
    from mining_field import SHARED
    path = SHARED / "fixtures" / "github-openapi" / "issues-subset.json"
    if not path.exists():
        pytest.skip("the folder shared/fixtures beside the checkout is absent")
    return nullable(json.loads(path.read_text("utf-8")))


def validator(openapi, schema):
    jsonschema = pytest.importorskip("jsonschema")
    return jsonschema.Draft4Validator({**schema, "components": openapi["components"]})


def operation(openapi, path):
    """The documented operation that a REST path belongs to, and its template."""
    parts = path.split("/")
    for template, methods in openapi["paths"].items():
        slots = template.split("/")
        if len(slots) == len(parts) and all(
                s == p or (s.startswith("{") and (p.isdigit() or "number" not in s))
                for s, p in zip(slots, parts, strict=True)):
            return template, methods["get"]
    return None, None


# Shared parameters are references whose targets are not in the subset; these are theirs.
KNOWN_PARAMETERS = {"order", "per-page", "page", "labels", "direction", "since", "owner", "repo",
                    "issue-number", "issues-advanced-search", "search-type"}


def parameters(documented):
    names = {p["name"] for p in documented.get("parameters", []) if "name" in p}
    refs = {p["$ref"].rsplit("/", 1)[1] for p in documented.get("parameters", []) if "$ref" in p}
    assert refs <= KNOWN_PARAMETERS
    return names | {r.replace("-", "_") for r in refs}


@pytest.mark.parametrize(("way", "token"), [("list", False), ("search", False), ("search", True)])
def test_every_request_and_every_fake_answer_fits_the_schema(field, openapi, way, token,
                                                             monkeypatch):
    corpus = Corpus({"horovod/horovod": 130}, {}, comments=1)
    issues = corpus.repositories["horovod/horovod"].issues
    mining = field(corpus)
    seen = []
    real = mining.fake._encode

    def listening(status, headers, data, extra, api, now):
        seen.append((mining.fake.log[-1][1], status, data))
        return real(status, headers, data, extra, api, now)

    monkeypatch.setattr(mining.fake, "_encode", listening)
    listed = mining.folder / "items.txt"
    listed.write_text("\n".join(f"gh:horovod/horovod#{n}" for n in list(issues)[:3]), "utf-8")
    mining.run("--way", way, "--platform", "github", token=token)
    mining.run("--items", str(listed), token=False, store=mining.folder / "second")
    checked = set()
    for address, status, data in seen:
        parts = urlsplit(address.removeprefix("/gh"))
        template, documented = operation(openapi, parts.path)
        if template is None or status != 200:
            continue
        asked = {k for k, _ in parse_qsl(parts.query)}
        # Cursors of Link are followed as they come and documented nowhere.
        assert asked - {"after"} <= parameters(documented)
        schema = documented["responses"]["200"]["content"]["application/json"]["schema"]
        errors = [e.message for e in validator(openapi, schema).iter_errors(data)]
        assert errors == [], (template, errors[:2])
        checked.add(template)
    wanted = {"list": "/repos/{owner}/{repo}/issues", "search": "/search/issues"}[way]
    assert {wanted, "/repos/{owner}/{repo}/issues/{issue_number}"} <= checked


def test_refusals_of_the_fake_fit_the_schema(field, openapi):
    mining = field(Corpus({"horovod/horovod": 5}, {}))
    github = mining.fake.github
    missing = github.rest("/repos/horovod/horovod/issues/999999", {})[2]
    past = github.search({"q": "is:issue repo:horovod/horovod", "page": 11, "per_page": 100})[2]
    basic = validator(openapi, {"$ref": "#/components/schemas/basic-error"})
    invalid = validator(openapi, {"$ref": "#/components/schemas/validation-error"})
    assert list(basic.iter_errors(missing)) == []
    assert list(invalid.iter_errors(past)) == []
    assert list(invalid.iter_errors({"message": 1}))  # it can fail


@pytest.fixture(scope="session")
def graphql_schema():
    graphql = pytest.importorskip("graphql")
    from mining_field import SHARED
    path = SHARED / "fixtures" / "github-graphql" / "schema.graphql"
    if not path.exists():
        pytest.skip("the folder shared/fixtures beside the checkout is absent")
    # The official file defines one type's fields twice, so it is taken as it is.
    return graphql.build_schema(path.read_text("utf-8"), assume_valid=True,
                                assume_valid_sdl=True)


@pytest.mark.parametrize("text", [
    queries.by_numbers([1, 2]), queries.listing(50, None, "closed", ["module: ddp"]),
    queries.listing(50, "abc", "open", []), queries.listing(1, None, "all", []),
    queries.listing(50, None, since="2023-01-01T00:00:00Z"),
    queries.more_comments([(7, None), (8, "abc")])], ids=[
        "by numbers", "list with label", "list from cursor", "list all", "list of changes",
        "more comments"])
def test_graphql_queries_fit_githubs_schema(graphql_schema, text):
    import graphql
    assert [str(e) for e in graphql.validate(graphql_schema, graphql.parse(text))] == []


def test_a_wrong_query_would_be_noticed(graphql_schema):
    import graphql
    text = queries.by_numbers([1]).replace("bodyText", "").replace("title", "titel")
    assert graphql.validate(graphql_schema, graphql.parse(text))




@pytest.mark.parametrize(("name", "n"), [
    ("GitHub_dl_distributed/horovod-issues.txt", 762),
    ("GitHub_dl_distributed/keras-issues.txt", 305),
    ("GitHub_dl_distributed/pytorch-issues.txt", 726),
    ("GitHub_dl_distributed/tensorflow-issues.txt", 135), ("so_dl_distributed.csv", 755)])
def test_the_studys_released_lists_can_be_mined_as_they_are(shared, name, n):
    folder = (shared.parent / "upstream" / "distributed_training_data"
              / "Identified distributed-training-related posts")
    if not folder.is_dir():
        pytest.skip("the folder shared/upstream beside the checkout is absent")
    lines = (folder / name).read_text("utf-8-sig").splitlines()
    assert len(read_items(lines)) == n
