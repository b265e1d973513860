"""Framework definitions: what to mine, in one TOML file a framework, validated.

The columns of the schema are in ``data/frameworks/README.md``. A key that is unknown,
missing or of the wrong kind is an error that names file, line and key.
"""

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from mining.errors import DefinitionError

ROOT = Path(__file__).resolve().parents[2]
STORES = ROOT / "data" / "raw" / "mining"  # where a corpus lies unless told otherwise
FOLDER = ROOT / "data" / "frameworks"
TOP = {"name": str, "title": str, "schema": int, "keywords": str, "github": list,
       "stackoverflow": list, "note": str}
GITHUB = {"repository": str, "state": str, "with_labels": list, "without_labels": list,
          "keywords": bool, "judge": str, "way": str, "estimate": int, "pulls": int,
          "comments": (int, float), "note": str}
STACKOVERFLOW = {"tag": str, "accepted": bool, "keywords": bool, "estimate": int,
                 "note": str}
WORDS = {"name": str, "version": int, "words": list, "phrases": list, "note": str}
REQUIRED = {"top": ("name", "title", "schema"), "github": ("repository",),
            "stackoverflow": ("tag",), "keywords": ("name", "version", "words", "phrases")}


@dataclass(frozen=True)
class GitHubSource:
    """Threads of one repository.

    ``judge`` says whether GitHub's search or our keyword filter (text) decides that a thread
    with a keyword is a candidate; ``way`` how threads are found (auto lists the repository where
    no search is needed). ``estimate``, ``pulls`` and ``comments`` are rough numbers of matching
    threads, of pull requests among them, and of comments a thread, for ``plan`` before anything
    is known. ``part`` is which of several tables of one repository this is: each is mined on its
    own, and a thread is a candidate where one of them wants it.
    """

    repository: str
    state: str = "closed"
    with_labels: tuple = ()
    without_labels: tuple = ()
    keywords: bool = False
    judge: str = "text"
    way: str = "auto"
    estimate: int = 1000
    pulls: int | None = None
    comments: float = 4
    note: str = ""
    part: int = 1

    @property
    def id(self):
        return f"gh:{self.repository.lower()}" + (f" ({self.part})" if self.part > 1 else "")


@dataclass(frozen=True)
class StackOverflowSource:
    """Questions of one tag; ``keywords`` says whether they need one to be a candidate."""

    tag: str
    accepted: bool = True
    keywords: bool = True
    estimate: int = 1000
    note: str = ""

    @property
    def id(self):
        return f"so:{self.tag.lower()}"


@dataclass(frozen=True)
class KeywordList:
    """Words and phrases, with the version that goes into every manifest."""

    name: str
    version: int
    words: tuple
    phrases: tuple

    @property
    def terms(self):
        return (*self.words, *self.phrases)


@dataclass(frozen=True)
class Definition:
    """A framework as it is mined."""

    name: str
    title: str
    keywords: KeywordList
    github: tuple = ()
    stackoverflow: tuple = ()
    path: Path = field(default=None, compare=False)

    @property
    def fingerprint(self):
        """SHA-256 over what decides which requests are sent.

        Notes, estimates and the keyword list of sources that do not search by it do not
        count: they may change without a new request.
        """
        searched = any(s.keywords and s.way != "list" for s in self.github)
        plain = {
            "github": [[s.repository.lower(), s.state, sorted(s.with_labels),
                        sorted(s.without_labels), s.keywords, s.way] for s in self.github],
            "stackoverflow": [s.tag for s in self.stackoverflow],
            "terms": sorted(self.keywords.terms) if searched else []}
        return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def load(name, folder=FOLDER):
    """Read the definition called ``name``, or the file at that path.

    Raises DefinitionError for an unknown name (the known ones are listed) or a broken schema.

    >>> load("horovod").github[0].repository
    'horovod/horovod'
    """
    path = Path(name) if str(name).endswith(".toml") else Path(folder) / f"{name}.toml"
    data, check = _read(path, name, folder)
    check.table(data, TOP, REQUIRED["top"])
    if data["schema"] != 1:
        check.fail("schema", "must be 1, the only schema there is")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", data["name"]):
        check.fail("name", "may hold only a-z, 0-9 and '-'")
    if data["name"] != path.stem:
        check.fail("name", f"is {data['name']!r} in a file called {path.name}: the same, please")
    github, questions = [], []
    for i, table in enumerate(data.get("github", [])):
        source = _github(check, ("github", i), table)
        same = [s for s in github if s.repository.lower() == source.repository.lower()]
        if any(replace(s, part=1, note="", estimate=1) == replace(source, note="", estimate=1)
               for s in same):
            check.fail("repository", "stands here twice with the same choice", ("github", i))
        github.append(replace(source, part=len(same) + 1))
    for i, table in enumerate(data.get("stackoverflow", [])):
        questions.append(_question(check, ("stackoverflow", i), table))
        if questions[-1].tag in [s.tag for s in questions[:-1]]:
            check.fail("tag", "stands here twice; one table a tag", ("stackoverflow", i))
    if not github and not questions:
        check.fail("name", "has neither a [[github]] nor a [[stackoverflow]] table")
    keywords = load_keywords(data.get("keywords", "study"), path.parent, check)
    return Definition(data["name"], data["title"], keywords, tuple(github),
                      tuple(questions), path)


def names(folder=FOLDER):
    """Names of the definitions in ``folder``, sorted."""
    return sorted(p.stem for p in Path(folder).glob("*.toml"))


def load_keywords(name, folder=FOLDER, check=None):
    """Read ``keywords/<name>.toml`` beside the definitions, or beside the project's own."""
    paths = [Path(place) / "keywords" / f"{name}.toml" for place in (folder, FOLDER)]
    if not (path := next(filter(Path.exists, paths), None)):
        message = f"no keyword list {name}.toml in data/frameworks/keywords"
        if check:
            check.fail("keywords", message)
        raise DefinitionError(message)
    data, checker = _read(path, name, path.parent)
    checker.table(data, WORDS, REQUIRED["keywords"])
    for key in ("words", "phrases"):
        checker.strings(data, key)
        if any(w != w.lower().strip() or not w for w in data[key]):
            checker.fail(key, "must be lower case and not empty")
    return KeywordList(data["name"], data["version"], tuple(data["words"]),
                       tuple(data["phrases"]))


def _github(check, where, table):
    check.table(table, GITHUB, REQUIRED["github"], where)
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", table["repository"]):
        check.fail("repository", "must be owner/name", where)
    labels = ("with_labels", "without_labels")
    for key in labels:
        check.strings(table, key, where)
    source = GitHubSource(**table | {key: tuple(table.get(key, ())) for key in labels})
    for label in source.with_labels:
        if label.lower() in (x.lower() for x in source.without_labels):
            check.fail("without_labels", f"{label!r} is both wanted and excluded", where)
    if source.way == "list" and source.judge == "search" and source.keywords:
        check.fail("judge", "\"search\" needs way = \"search\"", where)
    return source


def _question(check, where, table):
    check.table(table, STACKOVERFLOW, REQUIRED["stackoverflow"], where)
    if not re.fullmatch(r"[a-z0-9.+#-]+", table["tag"]):
        check.fail("tag", "must be one tag as Stack Overflow writes it", where)
    return StackOverflowSource(**table)


def _read(path, name, folder):
    """The content of a file, and its :class:`Checker`."""
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text), Checker(path, text)
    except OSError:
        known = ", ".join(names(folder))
        raise DefinitionError(f"no definition {name!r} ({path}); known: {known}") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[:error.start].count(b"\n") + 1
        raise DefinitionError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError(f"{path}: {error}") from None


KINDS = {str: "a text in quotes", int: "a whole number", bool: "true or false", list: "a list",
         (int, float): "a number"}
CHOICES = {"state": ("closed", "open", "all"), "judge": ("search", "text"),
           "way": ("auto", "search", "list")}


class Checker:
    """Checks tables and finds the line a key stands on."""

    def __init__(self, path, text):
        self.path, self.lines = path, text.splitlines()

    def fail(self, key, message, where=None):
        line = self.line(key, where)
        label = f"[[{where[0]}]] {key}" if where else key
        raise DefinitionError(f"{self.path}, line {line}: {label}: {message}")

    def line(self, key, where=None):
        """Line of ``key`` in the ``where``-th table; of the table's head where it lacks."""
        seen, start = -1, 1
        inside = where is None
        for number, line in enumerate(self.lines, 1):
            head = re.match(r"\s*\[\[?\s*([\w.]+)", line)
            if head:
                seen += bool(where) and head.group(1) == where[0]
                inside = bool(where) and head.group(1) == where[0] and seen == where[1]
                start = number if inside else start
            elif inside and re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", line):
                return number
        return start

    def table(self, table, schema, required, where=None):
        if not isinstance(table, dict):
            self.fail(where[0], "must be a table", where)
        for key, value in table.items():
            if key not in schema:
                self.fail(key, f"unknown key; known: {', '.join(schema)}", where)
            # bool is an int in Python, but not in a definition.
            if not isinstance(value, schema[key]) or (
                    isinstance(value, bool) and schema[key] is not bool):
                self.fail(key, f"must be {KINDS[schema[key]]}", where)
            if key in CHOICES and value not in CHOICES[key]:
                self.fail(key, f"must be one of {', '.join(CHOICES[key])}", where)
            if key == "estimate" and value < 1:
                self.fail(key, "must be 1 or more", where)
        for key in required:
            if key not in table:
                self.fail(key, "is missing", where)

    def strings(self, table, key, where=None):
        if not all(isinstance(v, str) and v for v in table.get(key, [])):
            self.fail(key, "must be a list of texts", where)
