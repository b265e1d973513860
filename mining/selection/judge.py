"""Decide which threads are candidates, and why the others are not.

The keyword filter is versioned and runs on stored threads only. It reads the prose of a post:
code blocks and links are left out. Two readings of Stack Overflow's HTML are kept apart:

``intention``
    All text outside ``<pre>`` and ``<code>``; link targets and bare addresses are out,
    the words of a link stay. This is what the study's method describes.
``script``
    What the study's script does: only the first ``<code>`` of a post is blanked, and only
    text inside ``<p>`` is read, so list items and quotes without a paragraph are missed
    while later inline code counts.
"""

import re
from html.parser import HTMLParser
from itertools import pairwise

FILTER_VERSION = 1
# Hyphen and underscore are part of words (multi-gpu, multi_gpu); all else separates.
_PUNCTUATION = re.compile(r"[!\"#$%&'()*+,./:;<=>?@\[\\\]^`{|}~]")
# The study's script takes an address to end at the first sign outside these.
_SCRIPT_URL = re.compile(r"https?://(?:[a-z$-_@]|%[0-9a-f]{2})+")


class Judge:
    """Applies a definition to the threads of a snapshot.

    ``known_tags`` (Stack Overflow tag -> framework) let a question about two frameworks name
    both. ``reading`` is that of the keyword filter; see this module. With ``listed``, the
    threads were asked for by name: each of them is a candidate.
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
        """The finished row of a thread: with ``candidate``, ``why_not`` and counts, for example.

        ``row`` is from :mod:`mining.sources.rows`, ``talk`` its comments and answers in order,
        ``found_by`` the search terms that brought it. ``body_html`` is dropped.
        """
        row = {**row, "found_by": found_by, "frameworks": self._frameworks(row)}
        html = row.pop("body_html")
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


# The keyword filter -----------------------------------------------------------------


def matched(title, body, keywords, body_format="markdown", reading="intention", code="drop"):
    """Which keywords a thread holds in its title or its prose.

    Parameters
    ----------
    title, body : str
        As mined.
    keywords : mining.selection.definition.KeywordList
    body_format : {"markdown", "html"}
    reading : {"intention", "script"}
        See this module. The script reading also splits words at spaces only,
        so a keyword at a line end is missed, and takes phrases as parts of longer words.
    code : {"drop", "keep"}
        Whether code counts as text (GitHub's own search reads it).

    Returns
    -------
    list of str
        Keywords and phrases, in the order of the list.

    Examples
    --------
    >>> from mining.selection.definition import KeywordList
    >>> words = KeywordList("x", 1, ("multi-gpu", "workers"), ("multiple gpus",))
    >>> matched("Multi-GPU hangs", "on multiple\\nGPUs `workers`", words)
    ['multi-gpu', 'multiple gpus']
    """
    if body_format == "html":
        prose = prose_of_html(body, reading)
    else:
        prose = body if code == "keep" else prose_of_markdown(body)
    search = _as_script if reading == "script" else _as_intended
    found = search(title, keywords) | search(prose, keywords)
    return [term for term in keywords.terms if term in found]


def tokens(text):
    """Lower-case words of a text.

    >>> tokens("Multi-GPU, (workers)!")
    ['multi-gpu', 'workers']
    """
    return _PUNCTUATION.sub(" ", text.lower()).split()


def _as_intended(text, keywords):
    words = tokens(text)
    present = set(words)
    pairs = {f"{a} {b}" for a, b in pairwise(words)}
    return {w for w in keywords.words if w in present} | {
        p for p in keywords.phrases if p in pairs or _long_phrase(p, words)}


def _long_phrase(phrase, words):
    parts = phrase.split()
    return len(parts) != 2 and any(
        words[i:i + len(parts)] == parts for i in range(len(words) - len(parts) + 1))


def _as_script(text, keywords):
    text = _PUNCTUATION.sub(" ", _SCRIPT_URL.sub(" url ", text.strip().lower()))
    words = set(text.split(" "))
    return {w for w in keywords.words if w in words} | {
        p for p in keywords.phrases if p in text}


_URL = re.compile(r"(?:https?|ftp)://\S+|www\.\S+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE_TAG = re.compile(r"<(pre|code)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:\s+[^()]*)?\)")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*\S+.*$", re.MULTILINE)


def prose_of_markdown(text):
    """GitHub Markdown without code, links, HTML tags and issue-template comments.

    Fenced blocks (an unclosed one runs to the end), indented blocks, inline code and
    ``<pre>``/``<code>`` go.

    Examples
    --------
    >>> prose_of_markdown("use `workers`\\n```\\nparallel\\n```\\nsee [docs](http://x/y)").split()
    ['use', 'see', 'docs']
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _without_blocks(_COMMENT.sub(" ", text))
    text = _CODE_TAG.sub(" ", text)
    text = _SPAN.sub(" ", text)
    text = _LINK.sub(r" \1 ", _REFERENCE.sub(" ", text))
    return _TAG.sub(" ", _URL.sub(" ", text))


def _without_blocks(text):
    """Drop fenced blocks, and indented ones, which need a blank line before them."""
    kept, fence, blank = [], "", True
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            # A fence is closed by the same sign, at least as long, and nothing after it.
            if mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        if mark:
            fence = mark.group(1)
            continue
        indented = blank and re.match(r"(?: {4}|\t)\s*\S", line)
        if not indented:
            kept.append(line)
            blank = not line.strip()
    return "\n".join(kept)


class _Prose(HTMLParser):
    """Collects text; ``skip`` decides by the open tags."""

    def __init__(self, reading):
        super().__init__(convert_charrefs=True)
        self.reading, self.parts = reading, []
        self.depth = {"pre": 0, "code": 0, "p": 0}
        self.code_seen, self.in_first = 0, 0

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        if tag in self.depth:
            self.depth[tag] += 1
        if tag == "code":
            self.code_seen += 1
            self.in_first += self.code_seen == 1
        if tag in ("p", "br", "li", "div", "h1", "h2", "h3", "blockquote", "pre"):
            self.parts.append(" ")

    def handle_endtag(self, tag):
        if tag in self.depth:
            self.depth[tag] = max(0, self.depth[tag] - 1)
        if tag == "code" and self.code_seen == 1:
            self.in_first = 0

    def handle_data(self, data):
        if self.reading == "script":
            wanted = self.depth["p"] and not self.in_first
        else:
            wanted = not (self.depth["pre"] or self.depth["code"])
        if wanted:
            self.parts.append(data)


def prose_of_html(text, reading="intention"):
    """A Stack Overflow body as prose, in one of the two readings of this module.

    Examples
    --------
    >>> body = "<p><code>a</code> x <code>workers</code></p><ul><li>parallel</li></ul>"
    >>> prose_of_html(body).split(), prose_of_html(body, "script").split()
    (['x', 'parallel'], ['x', 'workers'])
    """
    parser = _Prose(reading)
    parser.feed(text)
    parser.close()
    prose = "".join(parser.parts)
    return prose if reading == "script" else _URL.sub(" ", prose)
