"""Decide which threads are candidates, and why the others are not."""

from mining.selection.keywords import FILTER_VERSION, matched


class Judge:
    """Applies a definition to the threads of a snapshot.

    Parameters
    ----------
    definition : mining.selection.definition.Definition
    known_tags : dict
        Stack Overflow tag -> framework name, so that a question about two frameworks
        names both.
    reading : {"intention", "script"}
        Of the keyword filter; see :mod:`mining.selection.keywords`.
    listed : bool
        The threads were asked for by name: each of them is a candidate.
    """

    def __init__(self, definition, known_tags, reading="intention", listed=False):
        self.definition, self.known_tags, self.reading = definition, known_tags, reading
        self.listed = listed
        self.github = {}
        for source in definition.github:
            self.github.setdefault(source.repository.lower(), []).append(source)
        self.tags = {s.tag: s for s in definition.stackoverflow}

    def version(self):
        """What the manifest says about the filter."""
        keywords = self.definition.keywords
        return {"filter": FILTER_VERSION, "reading": self.reading, "list": keywords.name,
                "list_version": keywords.version, "terms": list(keywords.terms)}

    def judge(self, row, talk, found_by):
        """The finished row of a thread.

        Parameters
        ----------
        row : dict
            From :mod:`mining.sources.rows`.
        talk : list of dict
            Its comments and answers in order.
        found_by : list of str
            Search terms that brought it.

        Returns
        -------
        dict
            With ``candidate``, ``why_not``, ``matched_keywords``, ``frameworks``,
            ``resolution`` and counts added; ``body_html`` is dropped.
        """
        row = dict(row)
        html = row.pop("body_html")
        row["found_by"] = found_by
        row["frameworks"] = self._frameworks(row)
        for place, source in enumerate(self._sources(row)):
            searched = getattr(source, "judge", "text") == "search"
            words = matched(
                row["title"], html or row["body"], self.definition.keywords,
                "html" if html else "markdown", self.reading, "keep" if searched else "drop")
            why_not = self._why_not({**row, "matched_keywords": words}, source, searched)
            # One table that wants a thread is enough; else the first says why not.
            if not why_not or place == 0:
                row["matched_keywords"], row["why_not"] = words, why_not
            if not why_not:
                break
        row["candidate"] = not row["why_not"]
        comments = [t for t in talk if t["kind"] == "comment"]
        row["n_comments"] = len(comments)
        row["complete"] = self._complete(row, talk)
        row["resolution"], row["resolution_url"] = resolution(row, talk)
        return row

    def _sources(self, row):
        """The tables a thread belongs to, or [None]."""
        if row["platform"] == "github":
            # One definition may name a repository by an old name: a single place is it.
            only = next(iter(self.github.values())) if len(self.github) == 1 else [None]
            return self.github.get(row["place"].lower(), only)
        sources = [self.tags[t] for t in row["tags"] if t in self.tags]
        # The tag that asks for least decides: horovod needs no keyword, pytorch does.
        return [min(sources, key=lambda s: (s.keywords, s.accepted), default=None)]

    def _frameworks(self, row):
        found = {self.known_tags[t] for t in row["tags"] if t in self.known_tags}
        return sorted(found | {self.definition.name})

    def _why_not(self, row, source, searched):
        if self.listed:
            return ""
        if source is None:
            return "no source of the definition"
        if row["is_pull_request"]:
            return "pull request"
        if row["platform"] == "stackoverflow":
            if source.accepted and not row["accepted_answer_id"]:
                return "no accepted answer"
        else:
            labels = {label.lower() for label in row["labels"]}
            if source.state in ("open", "closed") and row["state"] != source.state:
                return f"not {source.state}"
            if any(label.lower() not in labels for label in source.with_labels):
                return "label missing"
            if any(label.lower() in labels for label in source.without_labels):
                return "label excluded"
        has = row["found_by"] if searched else row["matched_keywords"]
        return "no keyword" if source.keywords and not has else ""

    def _complete(self, row, talk):
        if row["platform"] == "github":
            return row["n_comments"] == row["n_comments_stated"]
        answers = sum(t["kind"] == "answer" for t in talk)
        own = sum(t["kind"] == "comment" and t["parent"] == row["item"] for t in talk)
        return (answers == (row["n_answers"] or answers)
                and own == (row["n_comments_stated"] or own))


def resolution(row, talk):
    """Text and address of what settled a thread: ("", "") where nothing did.

    On Stack Overflow the accepted answer; on GitHub the last comment by a person that is
    not later than the closing (a comment written with the closing bears the same second).
    """
    if row["platform"] == "stackoverflow":
        chosen = [t for t in talk if t["is_accepted"]]
    else:
        closed = row["closed_at"]
        chosen = [t for t in talk if closed and t["created_at"] <= closed
                  and t["author_kind"] != "bot"]
    return (chosen[-1]["body"], chosen[-1]["url"]) if chosen else ("", "")
