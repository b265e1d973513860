"""The fake GitHub: REST and GraphQL answers over a synthetic corpus."""

import base64
import json
import re
from bisect import bisect_right
from urllib.parse import quote, urlencode

from fakeapi.graphql import Document, execute
from mining.transport.clock import from_iso, iso

CAP_MESSAGE = "Only the first 1000 search results are available"


def user(login, base):
    """A whole simple-user object."""
    if login == "ghost":
        return None
    url = f"{base}/users/{quote(login)}"
    parts = ("followers", "following", "gists", "starred", "subscriptions", "organizations",
             "repos", "events", "received_events")
    return {"login": login, "id": 1 + len(login), "node_id": "U_1", "gravatar_id": "",
            "avatar_url": f"{url}/avatar", "url": url, "html_url": url, "site_admin": False,
            "type": "Bot" if login.endswith("[bot]") else "User",
            **{f"{p}_url": f"{url}/{p}" for p in parts}}


class GitHub:
    """Answers as (status, headers, data); the server adds limits and faults."""

    def __init__(self, corpus, base):
        self.corpus, self.base = corpus, base
        self.found = {}
        self.hidden_from_search = set()
        self.count_errors = []
        self.incomplete = False
        self.search_type = "lexical"
        self.refused_page = 100

    # REST ---------------------------------------------------------------------------

    def rest(self, path, query):
        parts = path.strip("/").split("/")
        if path == "/search/issues":
            return self.search(query)
        if parts[0] == "repositories" and parts[1].isdigit():
            repository = next((r for r in self.corpus.repositories.values()
                               if r.id == int(parts[1])), None)
            rest = parts[2:]
        elif parts[0] == "repos" and len(parts) >= 3:
            name = f"{parts[1]}/{parts[2]}"
            repository, rest = self.corpus.find(name), parts[3:]
            if repository and repository.name.lower() != name.lower():
                tail = "/".join(["", *rest])
                return 301, {"Location": f"{self.base}/repositories/{repository.id}{tail}"}, {
                    "message": "Moved Permanently"}
        else:
            return _missing()
        if repository is None:
            return _missing()
        if not rest:
            return 200, {}, self.repository(repository)
        if repository.disabled:
            return 410, {}, {"message": "Issues are disabled for this repo"}
        return self.issues(repository, rest[1:], query)

    def repository(self, repository):
        return {"id": repository.id, "full_name": repository.name, "created_at": iso(1388534400),
                "name": repository.name.split("/")[1], "private": False, "archived": False}

    def issues(self, repository, rest, query):
        if not rest:
            return self.listing(repository, query)
        if rest == ["comments"]:
            return self.all_comments(repository, query)
        issue = repository.issues.get(int(rest[0]))
        if issue is None or issue.fate == "hidden":
            return _missing()
        if issue.fate == "deleted":
            return 410, {}, {"message": "This issue was deleted"}
        if issue.fate:
            name, number = issue.fate[3:].split("#")
            return 301, {"Location": f"{self.base}/repos/{name}/issues/{number}"}, {
                "message": "Moved Permanently"}
        if len(rest) == 1:
            return 200, {"ETag": f'W/"{issue.number}-{issue.revision}"'}, self.issue(
                repository, issue)
        comments = [self.comment(repository, issue, k) for k in range(issue.n_comments)]
        return self.page(f"/repositories/{repository.id}/issues/{issue.number}/comments",
                         comments, query)

    def listing(self, repository, query):
        chosen = [i for i in repository.visible(pulls=True)
                  if query.get("state", "open") in ("all", i.state)
                  and set(filter(None, query.get("labels", "").split(","))) <= set(i.labels)]
        if "since" in query:
            chosen = [i for i in chosen if i.updated > from_iso(query["since"])]
        by = {"updated": lambda i: (i.updated, i.number)}.get(
            query.get("sort"), lambda i: (i.created, i.number))
        chosen.sort(key=by, reverse=query.get("direction") != "asc")
        return self.page(f"/repositories/{repository.id}/issues", chosen, query,
                         lambda i: self.issue(repository, i))

    def all_comments(self, repository, query):
        key = ("comments", repository.id)
        if key not in self.found:
            self.found[key] = [(i, k) for i in repository.visible(pulls=True)
                               for k in range(i.n_comments)]
        since = from_iso(query.get("since", "1970-01-01"))
        chosen = sorted((p for p in self.found[key] if p[0].created + 60 * (p[1] + 1) > since),
                        key=lambda p: (p[0].created + 60 * (p[1] + 1), p[0].number))
        return self.page(f"/repositories/{repository.id}/issues/comments", chosen, query,
                         lambda pair: self.comment(repository, *pair))

    def page(self, path, rows, query, make=None):
        """A page with Link; from the refused page on only the cursor in Link leads on."""
        size = min(int(query.get("per_page", 30)), 100)
        page = int(query.get("page", 1))
        if page >= self.refused_page and "after" not in query:
            return 422, {}, {"message": "Pagination with the page parameter is not supported "
                             "for large datasets, please use cursor based pagination "
                             "(after/before)", "documentation_url": "https://docs.example"}
        start = int(query["after"]) if "after" in query else (page - 1) * size
        headers = {"ETag": f'W/"{path}-{start}"'}
        if start + size < len(rows):
            onward = {**query, "per_page": size, "page": page + 1, "after": start + size}
            headers["Link"] = f'<{self.base}{path}?{urlencode(onward)}>; rel="next"'
            if "after" not in query:
                last = {**query, "per_page": size, "page": -(-len(rows) // size)}
                headers["Link"] += f', <{self.base}{path}?{urlencode(last)}>; rel="last"'
        rows = rows[start:start + size]
        return 200, headers, [make(r) for r in rows] if make else rows

    def issue(self, repository, issue, score=None):
        url = f"{self.base}/repos/{repository.name}/issues/{issue.number}"
        kind = "pull" if issue.is_pr else "issues"
        data = {
            "id": repository.id * 10**7 + issue.number + 2**31, "node_id": f"I_{issue.number}",
            "number": issue.number, "url": url, "title": issue.title(), "body": issue.body(),
            "repository_url": f"{self.base}/repos/{repository.name}",
            "html_url": f"https://github.com/{repository.name}/{kind}/{issue.number}",
            "labels_url": f"{url}/labels{{/name}}", "comments_url": f"{url}/comments",
            "events_url": f"{url}/events", "user": user(issue.author, self.base),
            "labels": [{"id": 1, "node_id": "L_1", "url": f"{self.base}/labels/1", "name": name,
                        "description": None, "color": "ededed", "default": False}
                       for name in issue.labels],
            "state": issue.state, "state_reason": "completed" if issue.closed else None,
            "locked": False, "active_lock_reason": None, "assignee": None, "assignees": [],
            "milestone": None, "comments": issue.n_comments, "created_at": iso(issue.created),
            "updated_at": iso(issue.updated), "author_association": "NONE",
            "closed_at": iso(issue.closed) if issue.closed else None}
        if issue.is_pr:
            data["pull_request"] = {"url": url, "html_url": url, "diff_url": url,
                                    "patch_url": url}
        if score is not None:
            data["score"] = score
            data["body"] = data["body"] or ""  # the search schema knows no null body
        return data

    def comment(self, repository, issue, k):
        url = f"{self.base}/repos/{repository.name}/issues"
        number = issue.number * 1000 + k
        kind = "pull" if issue.is_pr else "issues"
        return {
            "id": number, "node_id": f"C_{number}", "url": f"{url}/comments/{number}",
            "html_url": f"https://github.com/{repository.name}/{kind}/{issue.number}"
                        f"#issuecomment-{number}",
            "issue_url": f"{url}/{issue.number}", "body": issue.comment_body(k),
            "user": user(("somebody", "ghost", "stale-bot[bot]")[k % 3], self.base),
            "author_association": "NONE", "created_at": iso(issue.created + 60 * (k + 1)),
            "updated_at": iso(issue.created + 60 * (k + 1))}

    # Search -------------------------------------------------------------------------

    def search(self, query):
        text = query.get("q", "")
        if text.count("is:issue") + text.count("is:pull-request") == 0:
            return _invalid("Query must include 'is:issue' or 'is:pull-request'")
        name = re.search(r"repo:(\S+)", text)
        repository = self.corpus.repositories.get(name.group(1)) if name else None
        if repository is None:
            # Search does not follow renames.
            return _invalid("The listed users and repositories cannot be searched either because "
                            "the resources do not exist or you do not have permission to view "
                            "them.")
        page, size = int(query.get("page", 1)), min(int(query.get("per_page", 30)), 100)
        if (page - 1) * size >= 1000:
            return 422, {}, {"message": CAP_MESSAGE, "status": "422",
                             "documentation_url": "https://docs.example/v3/search/"}
        sort, order = query.get("sort", "created"), query.get("order", "desc")
        key = (repository.name, text, sort, order)
        hits = self.found.get(key)
        if hits is None or self.hidden_from_search:
            hits = self.ordered(self.matches(repository, text), sort, order)
        if not self.hidden_from_search:
            self.found[key] = hits
        total = len(hits) + (self.count_errors.pop(0) if self.count_errors else 0)
        rows = hits[(page - 1) * size:page * size][:1000 - (page - 1) * size]
        return 200, {}, {"total_count": total, "incomplete_results": self.incomplete,
                         "search_type": self.search_type,
                         "items": [self.issue(repository, i, 1.0) for i in rows]}

    def matches(self, repository, text):
        if (repository.name, text) in self.found and not self.hidden_from_search:
            return self.found[repository.name, text]
        hits = [i for i in repository.visible() if i.number not in self.hidden_from_search]
        quoted = r'"((?:[^"\\]|\\.)*)"|(\S+)'
        for sign, *label in re.findall(rf"(?:^|\s)(-?)label:(?:{quoted})", text):
            name = "".join(label).replace('\\"', '"')
            hits = [i for i in hits if (name in i.labels) != bool(sign)]
        state = re.search(r"(?:^|\s)state:(\w+)", text)
        if state:
            hits = [i for i in hits if i.state == state.group(1)]
        window = re.search(r"created:(\S+?)\.\.(\S+)", text)
        if window:
            since, until = map(from_iso, window.groups())
            hits = [i for i in hits if since <= i.created <= until]
        updated = re.search(r"updated:>=(\S+)", text)
        if updated:
            hits = [i for i in hits if i.updated >= from_iso(updated.group(1))]
        if "in:title,body" in text:
            term = text.split(" in:title,body")[0].strip('"')
            hits = [i for i in hits if term in i.words]
        if not self.hidden_from_search:
            self.found[repository.name, text] = hits
        return hits

    @staticmethod
    def ordered(hits, sort, order):
        keys = {"created": lambda i: (i.created, i.number),
                "updated": lambda i: (i.updated, i.number),
                "comments": lambda i: (i.n_comments, i.number * 7919 % 10007)}
        return sorted(hits, key=keys[sort], reverse=order == "desc")

    # GraphQL ------------------------------------------------------------------------

    def graphql(self, body, limits):
        document = Document(body["query"])
        variables = body.get("variables", {})
        errors = []
        name = f"{variables.get('owner')}/{variables.get('name')}"
        root = {"rateLimit": {"cost": 1, **limits},
                "repository": lambda _, owner, name: self._repository_node(
                    f"{owner}/{name}", errors)}
        data = execute(document, root, variables)
        if data.get("repository") is None:
            errors.append({"type": "NOT_FOUND", "path": ["repository"],
                           "message": f"Could not resolve to a Repository with the name "
                                      f"'{name}'."})
        answer = {"data": data}
        if errors:
            answer["errors"] = errors
        return 200, {}, answer

    def _repository_node(self, name, errors):
        repository = self.corpus.find(name)
        if repository is None:
            return None

        def one(alias, number):
            issue = repository.issues.get(number)
            if issue is None or issue.fate or issue.is_pr:
                errors.append({"type": "NOT_FOUND", "path": ["repository", alias], "message":
                               f"Could not resolve to an Issue with the number of {number}."})
                return None
            return self._node(repository, issue)

        def many(alias, first, after=None, states=None, labels=None, orderBy=None,  # noqa: ARG001
                 filterBy=None):
            chosen = [i for i in repository.visible()
                      if (not states or i.state.upper() in states)
                      and (not labels or set(labels) & set(i.labels))]
            if filterBy:
                since = from_iso(filterBy["since"])
                chosen = [i for i in chosen if i.updated >= since]
            by_change = orderBy["field"] == "UPDATED_AT"
            key = (lambda i: (i.updated, i.number)) if by_change else lambda i: i.number
            return _connection(sorted(chosen, key=key), first, after,
                               lambda i: self._node(repository, i), key)

        return {"databaseId": repository.id, "nameWithOwner": repository.name,
                "isArchived": False, "issue": one, "issues": many}

    def _node(self, repository, issue):
        def author(login):
            if login == "ghost":
                return None
            bot = login.endswith("[bot]")
            return {"__typename": "Bot" if bot else "User", "login": login.removesuffix("[bot]")}

        def remark(k):
            rest = self.comment(repository, issue, k)
            login = rest["user"]["login"] if rest["user"] else "ghost"
            return {"id": rest["node_id"], "fullDatabaseId": str(rest["id"]),
                    "url": rest["html_url"], "body": rest["body"], "author": author(login),
                    "createdAt": rest["created_at"], "lastEditedAt": None,
                    "isMinimized": False, "minimizedReason": None}

        rest = self.issue(repository, issue)
        return {
            "id": rest["node_id"], "fullDatabaseId": str(rest["id"]), "number": issue.number,
            "url": rest["html_url"], "title": rest["title"], "body": rest["body"] or "",
            "createdAt": rest["created_at"], "updatedAt": rest["updated_at"],
            "closedAt": rest["closed_at"],
            "lastEditedAt": iso(issue.updated) if issue.revision else None,
            "includesCreatedEdit": bool(issue.revision), "state": issue.state.upper(),
            "stateReason": lambda alias, enableDuplicate: "COMPLETED" if issue.closed else None,  # noqa: ARG005
            "locked": False, "activeLockReason": None, "author": author(issue.author),
            "authorAssociation": "NONE",
            "labels": lambda alias, first: {"totalCount": len(issue.labels), "nodes": [  # noqa: ARG005
                {"name": n} for n in issue.labels[:first]]},
            "comments": lambda alias, first, after=None: _connection(  # noqa: ARG005
                range(issue.n_comments), first, after, remark)}


def _connection(rows, first, after, make, key=None):
    # A cursor names the last row, as GitHub's do, so that a vanished row moves none.
    start = 0
    if after:
        last = json.loads(base64.b64decode(after))
        start = bisect_right(rows, tuple(last) if isinstance(last, list) else last, key=key)
    stop = min(start + first, len(rows))
    end = (key(rows[stop - 1]) if key else rows[stop - 1]) if stop else -1
    cursor = base64.b64encode(json.dumps(end).encode()).decode()
    return {"totalCount": len(rows), "nodes": [make(r) for r in rows[start:stop]],
            "pageInfo": {"hasNextPage": stop < len(rows), "endCursor": cursor}}


def _missing():
    return 404, {}, {"message": "Not Found", "documentation_url": "https://docs.example",
                     "status": "404"}


def _invalid(message):
    return 422, {}, {"message": "Validation Failed", "documentation_url": "https://docs.example",
                     "errors": [{"message": message, "resource": "Search", "field": "q",
                                 "code": "invalid"}]}
