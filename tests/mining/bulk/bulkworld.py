"""The fake APIs' corpus as a dump and as hours of GH Archive: the same synthetic world."""

import gzip
import html
import json
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from fakeapi.github import GitHub
from fakeapi.stackexchange import StackExchange

from mining.transport.clock import iso

ROOT = Path(__file__).resolve().parents[3]
RENAMED = 1546300800  # 2019-01-01: until then events bear the first former name
CONTROLS = {"\n": "&#xA;", "\r": "&#xD;", "\t": "&#x9;", "\x0e": "&#x0E;"}


def posts_xml(corpus, path, tags="pipe"):
    """Questions and answers of the corpus as a Posts.xml."""
    api = StackExchange(corpus)
    with path.open("wb") as file:
        file.write(b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\r\n<posts>\r\n')
        for q in sorted(corpus.questions.values(), key=lambda q: q.number):
            if not q.deleted:
                data = api.question(q)
                file.write(_line(_question(data, tags)))
                for k in range(q.n_answers):
                    file.write(_line(_answer(api.answer(q, k))))
        file.write(_line({"Id": 1_000_000_001, "PostTypeId": 1, "CreationDate": _time(0),
                          "Title": "distributed", "Tags": "|horovod|keras|", "Body": "parallel"}))
        file.write(b"</posts>")
    return path


def _question(q, tags):
    joined = ("".join(f"<{t}>" for t in q["tags"]) if tags == "angle" else
              f"|{'|'.join(q['tags'])}|")
    accepted = q.get("accepted_answer_id")
    return {"Id": q["question_id"], "PostTypeId": 1,
            **({"AcceptedAnswerId": accepted} if accepted else {}), **_post(q),
            "ViewCount": q["view_count"], "Title": html.unescape(q["title"]), "Tags": joined,
            "AnswerCount": q["answer_count"]}


def _answer(a):
    return {"Id": a["answer_id"], "PostTypeId": 2, "ParentId": a["question_id"], **_post(a)}


def _post(p):
    owner = p["owner"]
    return {"CreationDate": _time(p["creation_date"]), "Score": p["score"], "Body": p["body"],
            **({"OwnerUserId": owner["user_id"]} if "user_id" in owner else
               {"OwnerDisplayName": owner["display_name"]}),
            "LastActivityDate": _time(p.get("last_activity_date", p["creation_date"])),
            "CommentCount": p["comment_count"], "ContentLicense": p["content_license"]}


def _time(seconds):
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.667")


def _line(row):
    signs = {**CONTROLS, '"': "&quot;"}
    cells = " ".join(f'{k}="{escape(str(v), signs)}"' for k, v in row.items())
    return f"  <row {cells} />\r\n".encode()


def hours(corpus, folder):
    """Every opening, comment and closing as an event, in an hour's file each."""
    folder.mkdir()
    service, found, n = GitHub(corpus, "https://api.github.com"), {}, 10**10

    def add(repository, kind, payload, at):
        nonlocal n
        n += 1
        old = repository.old_names and at < RENAMED
        event = {"id": str(n), "type": kind, "actor": {"login": "somebody"}, "repo": {
            "id": repository.id, "name": repository.old_names[0] if old else repository.name},
            "payload": payload, "public": True, "created_at": iso(at)}
        found.setdefault(iso(at)[:13], []).append((at, n, event))

    for repository in corpus.repositories.values():
        for issue in repository.issues.values():
            if issue.fate:
                continue
            whole = service.issue(repository, issue)
            opened = {**whole, "state": "open", "state_reason": None, "closed_at": None}
            if not issue.is_pr:
                add(repository, "IssuesEvent", {"action": "opened", "issue": opened},
                    issue.created)
            for k in range(issue.n_comments):
                add(repository, "IssueCommentEvent",
                    {"action": "created", "issue": opened,
                     "comment": service.comment(repository, issue, k)},
                    issue.created + 60 * (k + 1))
            if issue.closed and not issue.is_pr:
                # The last event tells the end, as in the world the APIs show.
                last = max(issue.closed, issue.created + 60 * issue.n_comments + 1)
                add(repository, "IssuesEvent", {"action": "closed", "issue": whole}, last)
    for stamp, events in found.items():
        day, hour = stamp.split("T")
        with gzip.open(folder / f"{day}-{int(hour)}.json.gz", "wb", 1) as file:
            for _, _, event in sorted(events, key=lambda e: e[:2]):
                file.write(json.dumps(event, separators=(",", ":")).encode() + b"\n")
    return folder
