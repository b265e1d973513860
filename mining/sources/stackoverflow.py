"""Mine the questions of one Stack Overflow tag, with answers and comments in one request.

``/questions`` is asked for one tag at a time (two tags would mean AND), in order of
creation. A page number is a position: what is deleted between two pages moves live questions
past the reader. So each request asks for page 1 from the creation time of the last question
on (that second included; questions seen twice are one), and a second page is asked for only
where the first is one second wide.
"""

import json
from hashlib import sha256

from mining.sources.miner import Miner
from mining.transport.client import Step
from mining.transport.wire import Request

SITE = "stackoverflow"
PAGE_SIZE = 100
IDS_AT_ONCE = 100
MOST_EMPTY = 2
# Everything kept of a question: answers and comments come in the same request.
FILTER_FIELDS = (
    ".items", ".has_more", ".backoff", ".error_id", ".error_name", ".error_message",
    ".quota_max", ".quota_remaining",
    *(f"question.{f}" for f in (
        "question_id", "title", "body", "body_markdown", "tags", "owner", "score",
        "view_count", "answer_count", "comment_count", "accepted_answer_id", "creation_date",
        "last_activity_date", "last_edit_date", "closed_date", "closed_reason", "link",
        "content_license", "answers", "comments")),
    *(f"answer.{f}" for f in (
        "answer_id", "question_id", "body", "body_markdown", "is_accepted", "score", "owner",
        "creation_date", "last_edit_date", "content_license", "comment_count", "comments")),
    *(f"comment.{f}" for f in (
        "comment_id", "post_id", "body_markdown", "owner", "score", "creation_date",
        "content_license")),
    *(f"shallow_user.{f}" for f in ("user_id", "user_type", "display_name", "link")),
)


class StackOverflowMiner(Miner):
    """Steps for one :class:`mining.selection.definition.StackOverflowSource`.

    The state of the source is ``list``, ``changed`` (the same by last activity) or ``found``;
    its cursor is its window: ``{since, until, page, empty}``.
    """

    platform, key, unread = "stackoverflow", "so", ("todo", "answers", "both", "comments")

    def __init__(self, source, store, address, limit=None, numbers=None):
        super().__init__(source, store, limit, numbers)
        # Part of the key are the fields: a later version asks for a filter of its own.
        fields = sha256(";".join(FILTER_FIELDS).encode()).hexdigest()[:8]
        self.filter_key = f"filter {address} {fields}"

    def begin(self, place):
        """Enter the source into the frontier, once."""
        if self.row() is None:
            self.enter(place, "list" if self.numbers is None else "found", self.source.tag,
                       self._window(self.store.get("since") or 0))

    def begin_update(self, changed):
        """Look for what changed since."""
        self.update(state="changed", cursor=self._window(changed))

    def _window(self, since):
        return json.dumps({"since": since, "until": self.store.get("until"), "page": 1,
                           "empty": 0})

    def next_step(self):
        """The next request, or None where nothing is left (or the limit is reached)."""
        if not self.store.waits.get(self.filter_key):
            return self._filter_step()
        return self._overflow(False) or self._find() or self._overflow(True)

    def _find(self):
        if self.room() <= 0:
            return None
        return self._ids_step() if self.row()["state"] == "found" else self._questions_step()

    def _overflow(self, late):
        steps = (self._overflow_step(state, then, late) for state, then in (
            ("answers", "done"), ("both", "comments"), ("comments", "done")))
        return next(filter(None, steps), None)

    def room(self):
        """How many more questions the limit allows."""
        if self.limit is None:
            return 10**9
        return self.limit - self.store.count(
            "thread", "source GLOB 'so:*' AND state NOT IN ('todo','gone')")

    def way(self):
        """How questions are found: ``ids`` or ``list``."""
        return "list" if self.numbers is None else "ids"

    # Requests -----------------------------------------------------------------------

    def _filter_step(self):
        """Make the filter once; filters never change and never expire."""
        params = (("base", "none"), ("unsafe", "false"),
                  ("include", ";".join(FILTER_FIELDS)))

        def accept(answer):
            self.store.waits.set(self.filter_key, answer.data["items"][0]["filter"])

        return Step("so-filter", Request("stackexchange", "/filters/create", params,
                                         bucket="/filters/create"), accept)

    def _request(self, path, params, bucket):
        common = (("site", SITE), ("pagesize", str(PAGE_SIZE)),
                  ("filter", self.store.waits.get(self.filter_key)))
        return Request("stackexchange", path, (*params, *common), bucket=bucket)

    def _questions_step(self):
        row = self.row()
        window, changed = json.loads(row["cursor"]), row["state"] == "changed"
        since = self.store.get("since") or 0 if changed else window["since"]
        request = self._request("/questions", (
            ("tagged", self.source.tag), ("sort", "activity" if changed else "creation"),
            ("order", "asc"), ("fromdate", str(since)), ("todate", str(window["until"])),
            *([("min", str(window["since"]))] if changed else []),
            ("page", str(window["page"]))), "/questions")
        key = "last_activity_date" if changed else "creation_date"
        return Step("so-questions", request, lambda answer: self._listed(window, key, answer),
                    {"tag": self.source.tag}, slice=lambda: self._onward(window))

    def _ids_step(self):
        rows = self.store.db.execute(
            "SELECT number FROM thread WHERE source=? AND state='todo' ORDER BY number LIMIT ?",
            (self.id, IDS_AT_ONCE)).fetchall()
        if not rows:
            return None
        numbers = [r["number"] for r in rows]
        request = self._request(f"/questions/{';'.join(map(str, numbers))}", (), "/questions")
        return Step("so-questions", request, lambda answer: self._by_ids(numbers, answer),
                    {"ids": numbers})

    def _overflow_step(self, state, then, late):
        """Answers or comments that did not come with their question, by page.

        Before the end (``late``) only as soon as they fill a request.
        """
        what = "comments" if state == "comments" else "answers"
        rows = self.store.db.execute(
            "SELECT number, cursor FROM thread WHERE source=? AND state=? ORDER BY cursor, "
            "number LIMIT ?", (self.id, state, IDS_AT_ONCE)).fetchall()
        if not rows or (len(rows) < IDS_AT_ONCE and not late):
            return None
        page = rows[0]["cursor"]
        numbers = [r["number"] for r in rows if r["cursor"] == page]
        ids = ";".join(map(str, numbers))
        request = self._request(f"/questions/{ids}/{what}", (
            ("sort", "creation"), ("order", "asc"), ("page", page)), f"/questions/{what}")

        def accept(answer):
            for number in numbers:
                if answer.data.get("has_more") and answer.data["items"]:
                    self.set_thread(number, state, f"{int(page) + 1}")
                else:
                    self.set_thread(number, then, "1" if then == "comments" else None)

        return Step(f"so-{what}", request, accept, {"ids": numbers})

    # Answers ------------------------------------------------------------------------

    def _listed(self, window, key, answer):
        items = answer.data["items"]
        for question in items:
            self._question(question)
        more = answer.data.get("has_more")
        newest = max((q[key] for q in items), default=0)
        if more and not items:
            self._empty(window)
        elif more and newest > window["since"]:
            self._save({**window, "since": newest, "page": 1, "empty": 0})
        elif more:
            self._save({**window, "page": window["page"] + 1, "empty": 0})
        else:
            self._save(window, state="found")

    def _empty(self, window):
        """An empty page that promises more: ask again (a minute later), then say so."""
        if window["empty"] + 1 < MOST_EMPTY:
            self._save({**window, "empty": window["empty"] + 1})
        else:
            self._save(window, state="found", mark="unstable: an empty page promised more")

    def _onward(self, window):
        """Go on behind a second that holds more than the API hands out without a key."""
        n = (window["page"] - 1) * PAGE_SIZE
        self._save({**window, "since": window["since"] + 1, "page": 1, "empty": 0},
                   mark=f"capped: more than {n} questions in second {window['since']}; "
                        "a STACKEXCHANGE_KEY reads them")

    def _by_ids(self, numbers, answer):
        for question in answer.data["items"]:
            self._question(question)
        for number in set(numbers) - {q["question_id"] for q in answer.data["items"]}:
            # A deleted question is an empty place in a good answer.
            self.set_thread(number, "gone")

    def _question(self, question):
        number = question["question_id"]
        if (self.row()["state"] != "changed"
                and self.state(number) not in (None, "todo", "gone")):
            return
        self.add(number, "done")
        answers, comments = (_short(question, "answers", "answer_count"),
                             _short(question, "comments", "comment_count"))
        state = ("both" if answers and comments else "answers" if answers
                 else "comments" if comments else "done")
        self.set_thread(number, state, None if state == "done" else "1")

    def _save(self, window, **values):
        self.update(cursor=json.dumps(window), **values)


def _short(question, key, count):
    """Whether fewer came than the question says it has."""
    came = len(question.get(key) or [])
    return came != question.get(count, came)
