"""Turn API objects into rows: one shape for both platforms and every way of reading.

Null and "" are the same (REST and GraphQL differ there), a deleted account is a ghost
whether it is null, ``ghost`` or a nameless user, and nothing is lost that a licence asks
for.
"""

import html
import re
from functools import cache
from hashlib import sha256

from mining.transport.clock import iso

GHOST_ID = 10137
# Fabricated rows of the salted Stack Exchange dumps; real ids are far below.
SALT_FROM = 1_000_000_000
GITHUB_LICENCE = "none stated (author's copyright, GitHub terms of service)"
# C0 controls but tab and line feed, DEL, C1 controls. NUL breaks CSV readers and
# PostgreSQL; escape sequences can drive a terminal.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text):
    """Text without what breaks readers; never None.

    CRLF and CR become LF, control characters go, a lone surrogate becomes U+FFFD (it
    cannot be written as UTF-8). ``None`` is the empty text: GitHub's REST API says null
    where its GraphQL API says "".

    >>> clean("a\\r\\nb\\x00c"), clean(None)
    ('a\\nbc', '')
    """
    text = (text or "").replace("\r\n", "\n").replace("\r", "\n")
    return _LONE_SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def unescape_once(text):
    """Undo one layer of HTML escaping, as Stack Exchange's safe filters put on.

    Twice would turn what an author wrote about ``&lt;`` into a tag.

    >>> unescape_once("&quot;a&quot; &amp;lt;")
    '"a" &lt;'
    """
    return html.unescape(text) if text else ""


def github_item(repository, number):
    """The project-wide key of a GitHub thread.

    >>> github_item("horovod/horovod", 7)
    'gh:horovod/horovod#7'
    """
    return f"gh:{repository}#{number}"


def pseudonym(login):
    """A name that tells authors apart without naming them in a table.

    Not anonymous: whoever has a list of logins can compute it. Bots are the same under
    REST (``x[bot]``) and GraphQL (``x``).
    """
    return "user-" + sha256(login.lower().removesuffix("[bot]").encode()).hexdigest()[:10]


def github_author(user):
    """(pseudonym, kind) of a REST or GraphQL author; kind is user, bot or ghost.

    >>> github_author(None), github_author({"login": "ghost", "id": 10137})
    (('', 'ghost'), ('', 'ghost'))
    """
    if not user or user.get("id") == GHOST_ID or user.get("login", "").lower() == "ghost":
        return "", "ghost"
    bot = "Bot" in (user.get("type"), user.get("__typename")) or user["login"].endswith("[bot]")
    return pseudonym(user["login"]), "bot" if bot else "user"


@cache
def _snake(name):
    return re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", name)


def as_rest(node):
    """A GraphQL issue or comment under the names that REST gives the same things.

    >>> as_rest({"createdAt": "2020", "state": "OPEN", "author": None})
    {'created_at': '2020', 'state': 'open', 'user': None}
    """
    if "html_url" in node:
        return node
    plain = {_snake(key): value for key, value in node.items()}
    for key in ("state", "state_reason", "active_lock_reason"):
        if key in plain:
            plain[key] = (plain[key] or "").lower()
    plain["user"] = plain.pop("author")
    return plain


def github_thread(node, repository):
    """A row of a REST issue (or search hit) or a GraphQL issue of ``repository`` (owner/name)."""
    node = as_rest(node)
    author, kind = github_author(node.get("user"))
    number, labels, comments = node["number"], node.get("labels") or [], node.get("comments")
    if isinstance(labels, dict):  # GraphQL
        labels, comments = labels["nodes"], comments["totalCount"]
    # Old REST objects may lack labels, or hold them as plain texts.
    labels = sorted(clean(x["name"] if isinstance(x, dict) else x) for x in labels)
    lock = node.get("active_lock_reason") or ""
    return {
        "item": github_item(repository, number), "platform": "github",
        "place": repository, "number": number,
        "url": f"https://github.com/{repository}/issues/{number}",
        "title": clean(node["title"]), "body": clean(node.get("body")),
        "body_format": "markdown", "body_html": "", **_github_times(node),
        "closed_at": node.get("closed_at") or "", "updated_at": node.get("updated_at") or "",
        "state": node.get("state") or "", "state_reason": node.get("state_reason") or "",
        "labels": labels, "tags": [], "locked": bool(node.get("locked")),
        "lock_reason": lock.replace("_", " ").replace("-", " "),
        "author": author, "author_kind": kind, "attribution": "",
        "attribution_url": "", "licence": GITHUB_LICENCE,
        "is_pull_request": bool(node.get("pull_request")),
        "score": None, "views": None, "n_answers": None, "accepted_answer_id": None,
        "n_comments_stated": comments,
    }


def _github_times(node):
    # REST does not tell when a body was edited.
    return {"created_at": node.get("created_at") or "",
            "edited_at": node.get("last_edited_at") or ""}


def github_comment(node, repository, number):
    """A row of a REST or GraphQL issue comment."""
    node, item = as_rest(node), github_item(repository, number)
    author, kind = github_author(node.get("user"))
    # GraphQL's own id is no number, and its number may be null; the address always ends in it.
    identity = node["id"] if "html_url" in node else int(
        node["full_database_id"] or node["url"].rsplit("-", 1)[1])
    return {
        "comment": f"{item}/c{identity}", "item": item, "kind": "comment", "parent": item,
        "url": f"https://github.com/{repository}/issues/{number}#issuecomment-{identity}",
        "author": author, "author_kind": kind, "attribution": "", "attribution_url": "",
        **_github_times(node), "body": clean(node.get("body")), "body_format": "markdown",
        "score": None, "is_accepted": False, "is_hidden": bool(node.get("is_minimized")),
        "licence": GITHUB_LICENCE,
    }


def stackexchange_author(owner):
    """(display name, profile link, kind): kept in full, the licence asks for it.

    >>> stackexchange_author({"user_type": "does_not_exist", "display_name": "user1"})
    ('user1', '', 'ghost')
    """
    owner = owner or {}
    name = clean(unescape_once(owner.get("display_name")))
    kind = "user" if owner.get("user_id") else "ghost"
    return name, owner.get("link") or "", kind


def is_salt(number):
    """Whether an id is one of the fabricated ones in the public dumps."""
    return number >= SALT_FROM


def question_thread(question):
    """A row of a Stack Exchange question, whose text came through a safe filter."""
    number = question["question_id"]
    name, link, kind = stackexchange_author(question.get("owner"))
    url = f"https://stackoverflow.com/questions/{number}"
    tags = sorted(question.get("tags") or [])
    return {
        "item": f"so:{number}", "platform": "stackoverflow", "place": "stackoverflow.com",
        "number": number, "url": url,
        "title": clean(unescape_once(question.get("title"))),
        "body": clean(unescape_once(question.get("body_markdown"))),
        "body_format": "markdown", "body_html": clean(question.get("body")),
        **_times(question), "closed_at": _time(question.get("closed_date")),
        "updated_at": _time(question.get("last_activity_date")),
        "state": "closed" if question.get("closed_date") else "open",
        "state_reason": clean(question.get("closed_reason")),
        "labels": [], "tags": tags, "locked": False, "lock_reason": "",
        "author": "", "author_kind": kind, "attribution": name, "attribution_url": link,
        "licence": question.get("content_license") or "",
        "is_pull_request": False, "score": question.get("score"),
        "views": question.get("view_count"), "n_answers": question.get("answer_count"),
        "accepted_answer_id": question.get("accepted_answer_id"),
        "n_comments_stated": question.get("comment_count"),
    }


def question_comments(question):
    """Rows of the answers and of all comments that came with a question."""
    item = f"so:{question['question_id']}"
    for remark in question.get("comments") or []:
        yield so_comment(remark, item, item)
    for answer in question.get("answers") or []:
        yield from answer_rows(answer, item)


def answer_rows(answer, item):
    """The row of an answer, then those of its comments."""
    number = answer["answer_id"]
    key = f"{item}/a{number}"
    yield {"comment": key, "item": item, "kind": "answer", "parent": item,
           "url": f"https://stackoverflow.com/a/{number}", **_post(answer)}
    for remark in answer.get("comments") or []:
        yield so_comment(remark, item, key)


def so_comment(remark, item, parent):
    """The row of a comment on a question or an answer."""
    number = remark["comment_id"]
    return {"comment": f"{item}/c{number}", "item": item, "kind": "comment", "parent": parent,
            "url": f"https://stackoverflow.com/posts/comments/{number}", **_post(remark)}


def _post(post):
    name, link, kind = stackexchange_author(post.get("owner"))
    return {
        "author": "", "author_kind": kind, "attribution": name, "attribution_url": link,
        **_times(post), "body": clean(unescape_once(post.get("body_markdown"))),
        "body_format": "markdown", "score": post.get("score"), "is_hidden": False,
        "is_accepted": bool(post.get("is_accepted")), "licence": post.get("content_license") or ""}


def _times(post):
    return {"created_at": _time(post.get("creation_date")),
            "edited_at": _time(post.get("last_edit_date"))}


def _time(seconds):
    return iso(seconds) if seconds else ""
