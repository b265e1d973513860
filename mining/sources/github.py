"""Mine one repository: find its threads, then read them with all their comments.

Two ways to find: ``list`` walks the repository by creation time (no cap, no search), and
``search`` asks for the threads of each keyword. Two ways to read: GraphQL where there is
a token (fifty threads a request, comments included), REST where there is none.
"""

from dataclasses import dataclass

from mining.sources.graphql import GraphQLReader
from mining.sources.miner import Miner
from mining.sources.rest import RestReader
from mining.sources.search import Search, query
from mining.transport.client import Step
from mining.transport.wire import Request

ALONE = ("gone", "moved", "pr")


@dataclass(frozen=True)
class Shares:
    """What is needed to foretell requests: rough, until threads of the repository tell it.

    Pull requests and comments a thread, the shares of threads with comments and with more
    than a hundred, and how many of several terms find a thread.
    """

    pulls: float = 1.5
    comments: float = 4
    commented: float = 0.8
    long: float = 0.004
    hits: float = 1.4


class GitHubMiner(Miner):
    """Steps for one :class:`mining.selection.definition.GitHubSource`.

    The state of the source in the store is ``new``, ``search`` or ``list`` while threads
    are being found, ``changed`` while what changed is listed, ``found`` after that, and
    ``refused`` where the repository cannot be read. A thread is ``todo`` (unread), ``talk``
    (comments missing), ``look`` (why is it not there?), ``done``, ``gone``, ``moved`` or
    ``pr`` (a pull request).
    """

    platform, key, unread = "github", "gh", ("todo", "talk", "look")

    def __init__(self, source, store, wire, terms=(), limit=None, numbers=None):
        super().__init__(source, store, limit, numbers)
        self.wire, self.terms = wire, terms
        self.token = bool(wire.credentials.github_token)
        self.search = Search(source, store, self._found, self.refuse)
        self.reader = (GraphQLReader if self.token else RestReader)(self)
        self.rest = self.reader if not self.token else RestReader(self)

    def way(self):
        """``ids``, ``list`` or ``search``: how threads are found, and why.

        Listing needs no search budget and knows no cap, so it is taken unless keywords
        decide what to ask for or a window begins late in the repository's life.
        """
        if self.numbers is not None:
            return "ids"
        if self.source.way != "auto":
            return self.source.way
        return "search" if self.source.keywords or self.store.get("since") else "list"

    def begin(self, place):
        """Enter the source into the frontier, once; one that was refused is tried again."""
        row = self.row()
        if row and row["state"] == "refused":
            self.update(state="new", mark=None)
            self.store.set(f"changed:{self.id}", None)  # read whole, then
        if row is None:
            self.enter(place, "new", self.source.repository)

    def begin_update(self, changed):
        """Look for what changed since; a source that was refused is left to :meth:`begin`."""
        if self.row()["state"] == "found":
            self.store.set(f"changed:{self.id}", changed)
            self.search.forget()
            self.update(state="changed", cursor=None, seen=0, total=None)

    # Steps --------------------------------------------------------------------------

    def next_step(self):
        """The next request, or None where nothing is left (or the limit is reached)."""
        row = self.row()
        if row["state"] == "refused":
            return None
        if row["state"] == "new":
            if step := self._start(row):
                return step
            row = self.row()
        step = self._find(row) if self.room(found=True) > 0 else None
        return step or self.reader.next_step(row["name"])

    def _start(self, row):
        """Resolve the repository where REST or search will need its present name."""
        way = self.way()
        if self.token and way in ("ids", "list"):
            # GraphQL follows renames itself and tells the present name with every answer.
            self.update(state="found" if way == "ids" else "list")
            return None
        request = Request("github", f"/repos/{row['name']}")
        return Step("repository", request, self._resolved, {"repository": row["name"]},
                    skip=self.refuse)

    def _resolved(self, answer):
        self.canonical(answer.data["full_name"], answer.data["id"])
        way = self.way()
        self.update(state="found" if way == "ids" else way)
        if way == "search":
            self.search.begin(self.terms or ("",))

    def _find(self, row):
        if row["state"] in ("list", "changed"):
            return self.reader.list_step(row)
        step = self.search.next_step(row["name"]) if row["state"] == "search" else None
        if step is None and row["state"] == "search":
            self.update(state="found")
        return step

    # What the readers call ----------------------------------------------------------

    def news(self):
        """Which threads a list of changes may bring in: by their state, "" for none.

        What no table asks for stays out, and what a search must find, the search brings.
        """
        return "" if self.way() == "search" else self.source.state

    def heard(self, number, created, state):
        """Whether a listed thread belongs here; one that does is entered."""
        changed = self.row()["state"] == "changed"
        if not self.within(created) or (changed and self.news() not in ("all", state)
                                        and not self.state(number)):
            return False
        self.add(number, "done")
        return True

    def listed(self, mark=None):
        """The list is read to its end; after one of changes come their searches."""
        row = self.row()
        self.update(state="found", mark=mark or row["mark"])
        if row["state"] == "changed" and self.way() == "search":
            self.update(state="search")
            self.search.begin(self.terms or ("",))

    def threads(self, state, most):
        """Up to ``most`` (number, cursor) of threads in ``state``, oldest first."""
        return [tuple(row) for row in self.store.db.execute(
            "SELECT number, cursor FROM thread WHERE source=? AND state=? ORDER BY number "
            "LIMIT ?", (self.id, state, max(most, 0)))]

    def room(self, found=False):
        """How many more threads the limit allows to be found, or to be read."""
        if self.limit is None:
            return 10**9
        states = ALONE if found else (*ALONE, "todo")
        marks = ",".join("?" * len(states))
        return self.limit - self.store.count(
            "thread", f"source GLOB 'gh:*' AND state NOT IN ({marks})", *states)

    def learn(self, comments, pull=False, read=0):
        """Note what a thread is like (or how many comments were read), for :meth:`shares`."""
        n = [0 if read else 1, pull, comments, comments > 0, comments > 100, read]
        known = self.store.get(f"shares:{self.id}", [0] * len(n))
        self.store.set(f"shares:{self.id}", [a + b for a, b in zip(known, n, strict=True)])

    def shares(self):
        """:class:`Shares` as far as they are known."""
        n, prs, talk, commented, long, _ = self.store.get(f"shares:{self.id}", [0] * 6)
        hits, found = self.store.db.execute(
            "SELECT count(*), count(DISTINCT number) FROM hit WHERE source=?",
            (self.id,)).fetchone()
        pulls_each = 1.5 if self.source.pulls is None else self.source.pulls / self.source.estimate
        rough = Shares(pulls_each, self.source.comments)
        if n < 50:
            return rough
        return Shares(prs / max(n - prs, 1), talk / n, commented / n, long / n,
                      hits / found if found else rough.hits)

    def comments_left(self):
        """Comments of the listed threads that are not read yet."""
        n = self.store.get(f"shares:{self.id}", [0] * 6)
        return max(n[2] - n[5], 1) if self.count("talk") else 0

    def canonical(self, name, github_id):
        """Note the repository's present name; earlier ones still mean the same threads."""
        if (name, github_id) != (self.row()["name"], self.row()["github_id"]):
            known = {*self.store.get(f"names:{self.id}", []), self.row()["name"], name}
            self.store.set(f"names:{self.id}", sorted(known))
            self.update(name=name, github_id=github_id)

    def refuse(self, why):
        """The repository cannot be read: say so in the manifest and go on with the rest."""
        self.update(state="refused", mark=why)

    def lose(self, *numbers):
        """What to enter where these threads cannot be read."""
        return lambda _: [self.set_thread(number, "gone") for number in numbers]

    def _found(self, item):
        self.learn(item["comments"])
        if item.get("pull_request"):
            self.add(item["number"], "pr")
        elif self.token:
            self.add(item["number"], "todo")
        else:
            # The search answer holds the thread itself; only its comments are missing.
            self.add(item["number"], "talk" if item["comments"] else "done")

    def summary(self):
        plain, row = super().summary(), self.row()
        if row is not None:
            plain["github_id"] = row["github_id"]
            if self.way() == "search":
                plain.update(self.search.summary(), query=queries_of(self))
        return plain


def queries_of(miner):
    """The searches of a source without their time ranges."""
    source = miner.source
    return [query(miner.row()["name"], term, source.state, source.with_labels,
                  source.without_labels) for term in (miner.terms or ("",))]
