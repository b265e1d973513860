"""Read threads through REST; needs no token.

A page number is a position: what is deleted between two pages moves live threads past the
reader. So a list is read in order of its last change, each request asking for what changed
since the last row of the one before (what changes meanwhile comes again, at the end), and
``Link`` is followed only where a page does not get past one second.
"""

from urllib.parse import parse_qsl, urlsplit

import requests

from mining.transport.client import Step
from mining.transport.clock import from_iso, iso
from mining.transport.wire import Request

REFUSED, OURS = "refused", ("rest:", "since:")


class RestReader:
    """REST steps of one repository; the miner owns the frontier."""

    def __init__(self, miner):
        self.miner, self.store = miner, miner.store

    def next_step(self, name):
        look = self.miner.threads("look", 1) or self.miner.threads(
            "todo", min(1, self.miner.room()))
        if look:
            return self.thread_step(name, look[0][0])
        if self._wholesale():
            return self._all_comments_step(name)
        talk = self.miner.threads("talk", 1)
        return self._comments_step(name, *talk[0]) if talk else None

    def list_step(self, row):
        """The next page of the repository's threads; pull requests come with them."""
        source, cursor, context = self.miner.source, row["cursor"], {"repository": row["name"]}
        more = [("state", source.state)]
        if source.with_labels:
            more.append(("labels", ",".join(source.with_labels)))
        if row["state"] == "changed":
            # Begun through GraphQL: listed anew.
            if not (cursor or "").startswith(OURS):
                cursor = f"since:{iso(self.miner.changed)}"
            more, context["news"] = [("state", "all")], self.miner.news()
        request = self._changed(f"/repos/{row['name']}/issues", more, cursor)
        return Step("rest-list", request, self._listed, context, skip=self.miner.refuse,
                    slice=self._search_instead)

    def thread_step(self, name, number):
        """One thread by its number: also the way to learn where a missing one went."""
        return Step("rest-thread", Request("github", f"/repos/{name}/issues/{number}"),
                    lambda answer: self._thread(number, answer),
                    {"repository": name, "number": number}, skip=self.miner.lose(number))

    def _comments_step(self, name, number, cursor):
        if (cursor or "").startswith("rest:"):
            request = Request("github", cursor.removeprefix("rest:"))
        else:
            request = Request("github", f"/repos/{name}/issues/{number}/comments",
                              (("per_page", "100"),))

        def accept(answer):
            link = self.next_link(answer)
            self.miner.set_thread(number, "talk" if link else "done", link)

        return Step("rest-comments", request, accept, {"repository": name, "number": number},
                    skip=self.miner.lose(number))

    # Comments of a whole repository at once -----------------------------------------

    def _wholesale(self):
        """Whether one list of all comments is cheaper than one request a thread."""
        return (self.miner.way() == "list" and self.miner.limit is None
                and not self.miner.changed
                and not self.miner.source.with_labels and self.miner.threads("talk", 1)
                and self.store.get(self.all_comments) != REFUSED)

    @property
    def all_comments(self):
        return f"comments:{self.miner.id}"

    def _all_comments_step(self, name):
        cursor = self.store.get(self.all_comments)
        request = self._changed(f"/repos/{name}/issues/comments", [], cursor)

        def accept(answer):
            link = self._onward(answer)
            self.miner.learn(0, read=len(answer.data))
            self.store.set(self.all_comments, link)
            if not link:
                self.store.db.execute("UPDATE thread SET state='done' WHERE source=? AND "
                                      "state='talk'", (self.miner.id,))

        def alone(_=""):
            self.store.set(self.all_comments, REFUSED)  # then one thread after the other

        return Step("rest-comments", request, accept, {"repository": name}, skip=alone,
                    slice=alone)

    # Answers ------------------------------------------------------------------------

    def _listed(self, answer):
        for item in answer.data:
            state = _state(item)
            if self.miner.heard(item["number"], from_iso(item["created_at"]), item["state"]):
                self.miner.set_thread(item["number"], state)
                self.miner.learn(item["comments"], pull=state == "pr")
        onward, row = self._onward(answer), self.miner.row()
        pages = self.link(answer, "last")
        if not row["seen"] and pages:
            # The first page tells how many there are, where the list is not too long.
            page = dict(parse_qsl(urlsplit(pages).query)).get("page", "0")
            self.miner.update(total=int(page) * 100)
        self.miner.update(cursor=onward, seen=row["seen"] + len(answer.data))
        if not onward:
            self.miner.listed()

    @staticmethod
    def _changed(path, more, cursor):
        """The request for what changed since ``cursor``, the oldest change first."""
        if (cursor or "").startswith("rest:"):
            return Request("github", cursor.removeprefix("rest:"))
        since = [("since", cursor[6:])] if (cursor or "").startswith("since:") else []
        return Request("github", path, (*more, *since, ("sort", "updated"),
                                        ("direction", "asc"), ("per_page", "100")))

    def _onward(self, answer):
        """The cursor of the next request, None at the end.

        A second before the last row's: whether ``since`` includes its own second is not
        documented. Where a page does not get past that, its link leads on.
        """
        link = self.next_link(answer)
        if not link:
            return None
        last = from_iso(answer.data[-1]["updated_at"]) - 1
        first = from_iso(answer.data[0]["updated_at"])
        return f"since:{iso(last)}" if last > first else link

    def _thread(self, number, answer):
        where = "/".join(answer.data["html_url"].split("/")[3:5]).lower()
        here = where == self.miner.row()["name"].lower()
        self.miner.set_thread(number, _state(answer.data) if here else "moved")

    def _search_instead(self):
        """The server will not page this list any further: search by slices instead."""
        self.miner.update(state="search", mark="list refused further pages; searched instead")
        self.miner.search.begin(("",))

    def next_link(self, answer):
        """The next page of an answer as a frontier cursor, None at the end."""
        link = self.link(answer, "next")
        return "rest:" + self.miner.wire.relative("github", link) if link else None

    @staticmethod
    def link(answer, rel):
        """The address that the header Link names so, or None."""
        links = requests.utils.parse_header_links(answer.headers.get("link", ""))
        return next((link["url"] for link in links if link.get("rel") == rel), None)


def _state(item):
    """What is left to do with a thread that REST has handed out."""
    return "pr" if "pull_request" in item else "talk" if item["comments"] else "done"
