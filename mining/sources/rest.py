"""Read threads through REST, following ``Link`` to the letter; needs no token."""

import requests

from mining.transport.clock import from_iso
from mining.transport.step import Step
from mining.transport.wire import Request

REFUSED = "refused"


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
        source = self.miner.source
        cursor = row["cursor"] or ""
        if cursor.startswith("rest:"):
            request = Request("github", cursor.removeprefix("rest:"))
        else:
            # The Link header is followed as it is: counting pages ends at page 100.
            params = [("state", source.state), ("sort", "created"), ("direction", "asc"),
                      ("per_page", "100")]
            if source.with_labels:
                params.append(("labels", ",".join(source.with_labels)))
            request = Request("github", f"/repos/{row['name']}/issues", tuple(params))
        return Step("rest-list", request, self._listed, {"repository": row["name"]},
                    skip=self.miner.refuse, slice=self._search_instead)

    def thread_step(self, name, number):
        """One thread by its number: also the way to learn where a missing one went."""
        return Step("rest-thread", Request("github", f"/repos/{name}/issues/{number}"),
                    lambda answer: self._thread(number, answer),
                    {"repository": name, "number": number},
                    skip=self._lose(number))

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
                    skip=self._lose(number))

    def _lose(self, number):
        def skip(answer, decision):  # noqa: ARG001
            self.miner.set_thread(number, "gone")
        return skip

    # Comments of a whole repository at once -----------------------------------------

    def _wholesale(self):
        """Whether one list of all comments is cheaper than one request a thread."""
        return (self.miner.way() == "list" and self.miner.limit is None
                and not self.miner.source.with_labels and self.miner.threads("talk", 1)
                and self.store.get(self.all_comments) != REFUSED)

    @property
    def all_comments(self):
        return f"comments:{self.miner.id}"

    def _all_comments_step(self, name):
        cursor = self.store.get(self.all_comments)
        request = Request("github", cursor.removeprefix("rest:")) if cursor else Request(
            "github", f"/repos/{name}/issues/comments",
            (("sort", "created"), ("direction", "asc"), ("per_page", "100")))

        def accept(answer):
            link = self.next_link(answer)
            self.store.set(self.all_comments, link)
            if not link:
                self.store.db.execute("UPDATE thread SET state='done' WHERE source=? AND "
                                      "state='talk'", (self.miner.id,))

        def skip(answer, decision):  # noqa: ARG001
            self.store.set(self.all_comments, REFUSED)  # then one thread after the other

        return Step("rest-comments", request, accept, {"repository": name}, skip=skip,
                    slice=lambda: skip(None, None))

    # Answers ------------------------------------------------------------------------

    def _listed(self, answer):
        until, late, seen = self.store.get("until"), False, 0
        for item in answer.data:
            late = late or from_iso(item["created_at"]) > until
            if not late and "pull_request" in item:
                self.miner.add(item["number"], "pr")
            elif not late:
                self.miner.add(item["number"], "talk" if item["comments"] else "done")
                seen += 1
        link = self.next_link(answer)
        self.miner.update(cursor=link, seen=self.miner.row()["seen"] + seen)
        if late or not link:
            self.miner.update(state="found")

    def _thread(self, number, answer):
        item = answer.data
        where = "/".join(item["html_url"].split("/")[3:5]).lower()
        if where != self.miner.row()["name"].lower():
            self.miner.set_thread(number, "moved")
        elif "pull_request" in item:
            self.miner.set_thread(number, "pr")
        else:
            self.miner.set_thread(number, "talk" if item["comments"] else "done")

    def _search_instead(self):
        """The server will not page this list any further: search by slices instead."""
        self.miner.update(state="search", mark="list refused further pages; searched instead")
        self.miner.search.begin(("",), self.store.get("since") or from_iso("2008-01-01"),
                                self.store.get("until"))

    def next_link(self, answer):
        """The next page of an answer as a frontier cursor, None at the end."""
        links = requests.utils.parse_header_links(answer.headers.get("link", ""))
        for link in links:
            if link.get("rel") == "next":
                return "rest:" + self.miner.wire.relative("github", link["url"])
        return None
