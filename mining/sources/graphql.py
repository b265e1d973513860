"""Read threads through GraphQL: many in one request, fewer where the server strains."""

import json

from mining.transport.client import Step
from mining.transport.clock import from_iso, iso
from mining.transport.wire import Request

# Fifty threads a request cost one point; wider selections of a hundred are known to fail.
LARGEST = 50
PARTS = """
fragment thread on Issue {
  id fullDatabaseId number url title body createdAt updatedAt closedAt lastEditedAt
  includesCreatedEdit state stateReason(enableDuplicate: true) locked activeLockReason
  author { __typename login } authorAssociation
  labels(first: 50) { totalCount nodes { name } }
  comments(first: 100) { ...talk }
}
fragment talk on IssueCommentConnection {
  totalCount pageInfo { hasNextPage endCursor }
  nodes { id fullDatabaseId url body createdAt lastEditedAt author { __typename login }
    isMinimized minimizedReason }
}
"""
TALK = PARTS[PARTS.index("fragment talk"):]
HEAD = ("query($owner: String!, $name: String!) {\n"
        "  rateLimit { cost remaining resetAt }\n"
        "  repository(owner: $owner, name: $name) {\n    databaseId nameWithOwner isArchived\n")


def by_numbers(numbers):
    """Threads of known numbers with up to 100 comments each, one alias a thread.

    >>> "i7: issue(number: 7) { ...thread }" in by_numbers([7])
    True
    """
    lines = "".join(f"    i{n}: issue(number: {n}) {{ ...thread }}\n" for n in numbers)
    return f"{HEAD}{lines}  }}\n}}{PARTS}"


def listing(size, cursor, state="all", labels=(), since=""):
    """The next ``size`` threads of a repository: no cap, no pull requests.

    By creation time; or, of those that changed since a time, by their last change.
    """
    field = "UPDATED_AT" if since else "CREATED_AT"
    arguments = [f"first: {size}", f"orderBy: {{field: {field}, direction: ASC}}"]
    if since:
        arguments.append(f'filterBy: {{since: "{since}"}}')
    if cursor:
        arguments.append(f"after: {json.dumps(cursor)}")
    if state in ("open", "closed"):
        arguments.append(f"states: [{state.upper()}]")
    if labels:
        arguments.append(f"labels: {json.dumps(list(labels), ensure_ascii=False)}")
    return (f"{HEAD}    issues({', '.join(arguments)}) {{\n"
            "      totalCount pageInfo { hasNextPage endCursor }\n"
            f"      nodes {{ ...thread }}\n    }}\n  }}\n}}{PARTS}")


def more_comments(wanted):
    """Further comments: ``wanted`` is a list of (thread number, cursor or None)."""
    lines = "".join(
        f"    i{number}: issue(number: {number}) {{ number comments(first: 100"
        f"{f', after: {json.dumps(cursor)}' if cursor else ''}) {{ ...talk }} }}\n"
        for number, cursor in wanted)
    return f"{HEAD}{lines}  }}\n}}\n{TALK}"


GROW_AFTER = 5
# A request for further comments brings up to a hundred of each thread in it.
TALK_AT_ONCE = 20


class GraphQLReader:
    """GraphQL steps of one repository; the miner owns the frontier."""

    def __init__(self, miner):
        self.miner, self.store = miner, miner.store

    def next_step(self, name):
        """Unread threads, and further comments as soon as they fill a request."""
        talk = self.miner.threads("talk", min(self.size(), TALK_AT_ONCE))
        if len(talk) == TALK_AT_ONCE:
            return self._more_comments(name, talk)
        look = self.miner.threads("look", 1)
        if look:
            return self.miner.rest.thread_step(name, look[0][0])
        numbers = [n for n, _ in self.miner.threads("todo", min(self.size(), self.miner.room()))]
        if not numbers:
            return self._more_comments(name, talk) if talk else None
        return self._step("graphql-threads", name, by_numbers(numbers),
                          len(numbers), self._threads, self.miner.lose(*numbers))

    def list_step(self, row):
        size = min(self.size(), self.miner.room(found=True))
        source, cursor, context = self.miner.source, own(row["cursor"]), {}
        seen = row["seen"] if cursor else 0  # begun through REST: listed anew
        if row["state"] == "changed":
            text = listing(size, cursor, since=iso(self.miner.changed))
            context = {"news": self.miner.news()}
        else:
            # Only one label can be asked for safely: whether several mean AND is not documented.
            labels = source.with_labels if len(source.with_labels) == 1 else ()
            text = listing(size, cursor, source.state, labels)
        return self._step("graphql-list", row["name"], text, size,
                          lambda found: self._listed(row["state"], seen, found),
                          self.miner.refuse, context)

    # Size ---------------------------------------------------------------------------

    def size(self):
        return self.store.get("graphql_size", LARGEST)

    def _shrink(self, size):
        self.store.set("graphql_size", max(1, size // 2))
        self.store.set("graphql_good", 0)

    def _grow(self):
        size, good = self.size(), self.store.get("graphql_good", 0) + 1
        if size >= LARGEST:
            return
        if good >= GROW_AFTER:
            self.store.set("graphql_size", min(LARGEST, 2 * size))
            good = 0
        self.store.set("graphql_good", good)

    # Steps --------------------------------------------------------------------------

    def _step(self, kind, name, text, size, accept, skip, context=()):
        owner, _, repository = name.partition("/")
        body = json.dumps({"query": text, "variables": {"owner": owner, "name": repository}})

        def accepted(answer):
            found = (answer.data.get("data") or {}).get("repository")
            if found is None:
                self.miner.refuse("404: no such repository, or hidden")
                return
            self.miner.canonical(found["nameWithOwner"], found["databaseId"])
            self._grow()
            accept(found)

        request = Request("github", "/graphql", body=body, bucket="graphql")
        return Step(kind, request, accepted, {"repository": name, **dict(context)}, size, skip,
                    shrink=lambda: self._shrink(size))

    def _more_comments(self, name, talk):
        cursors = [(n, own(c)) for n, c in talk]
        return self._step("graphql-comments", name, more_comments(cursors), len(talk),
                          self._threads, self.miner.lose(*(n for n, _ in talk)))

    # Answers ------------------------------------------------------------------------

    def _threads(self, repository):
        for key, node in repository.items():
            if key[:1] == "i" and key[1:].isdigit():
                # A transferred thread may come under its new number: REST tells where it is.
                if node is None or node["number"] != int(key[1:]):
                    self.miner.set_thread(int(key[1:]), "look")
                else:
                    self._talk_state(node)

    def _listed(self, state, seen, repository):
        connection = repository["issues"]
        nodes, page, n = connection["nodes"], connection["pageInfo"], connection["totalCount"]
        for node in nodes:
            if self.miner.heard(node["number"], from_iso(node["createdAt"]),
                                node["state"].lower()):
                self._talk_state(node)
        seen += len(nodes)
        self.miner.update(cursor=f"gql:{page['endCursor']}", seen=seen, total=n)
        late = state == "list" and nodes and from_iso(
            nodes[-1]["createdAt"]) > self.store.get("until")
        if late or not page["hasNextPage"]:
            # What changes meanwhile comes again, and what vanishes is no longer counted.
            whole = late or seen == n or (state == "changed" and seen > n)
            self.miner.listed(None if whole else f"unstable: {n} counted, {seen} listed")

    def _talk_state(self, node):
        page = node["comments"]["pageInfo"]
        self.miner.learn(node["comments"]["totalCount"])
        if page["hasNextPage"]:
            self.miner.set_thread(node["number"], "talk", f"gql:{page['endCursor']}")
        else:
            self.miner.set_thread(node["number"], "done")


def own(cursor):
    """A stored cursor if it is GraphQL's; one of REST means to begin anew."""
    return cursor.removeprefix("gql:") if cursor and cursor.startswith("gql:") else None
