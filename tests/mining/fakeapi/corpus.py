"""A synthetic corpus with known truth: threads cheap to count, texts made when asked for."""

import random
from dataclasses import dataclass, field

from mining.transport.clock import from_iso, iso

BEGIN, END = from_iso("2017-01-01"), from_iso("2021-12-31")
BURST_DAY = from_iso("2020-06-01")
WORDS = ("distributed", "parallel", "multi-gpu", "workers", "multiple gpus", "data-parallel")
LABELS = ("question", "bug", "enhancement", "✔️ DNS _psl: ok", "module: ddp",
          "type:others", "stale", "wontfix")
LICENCES = ((from_iso("2011-04-08"), "CC BY-SA 2.5"), (from_iso("2018-05-02"), "CC BY-SA 3.0"))


@dataclass
class Issue:
    """One synthetic thread of a repository."""

    number: int
    created: int
    closed: int | None
    labels: tuple
    words: tuple
    n_comments: int
    is_pr: bool = False
    fate: str = ""          # "", deleted, hidden, or the key it was transferred to
    author: str = "somebody"
    revision: int = 0

    @property
    def state(self):
        return "closed" if self.closed else "open"

    @property
    def updated(self):
        return (self.closed or self.created) + self.revision

    def touch(self, at):
        """Something about it changed at that time."""
        self.revision = at - (self.closed or self.created)

    def title(self):
        words = " ".join(self.words[:1])
        return f"Synthetic thread {self.number} {words}{' (edited)' * bool(self.revision)}"

    def body(self):
        if self.number % 97 == 0:
            return None
        lines = [f"Synthetic body of {self.number}, about {' and '.join(self.words) or 'nothing'}.",
                 "", "```python", f"model.fit(x)  # {self.number}", "```",
                 "See https://example.org/parallelism for more. 🙂"]
        return "\r\n".join(lines)

    def comment_body(self, k):
        return f"Synthetic comment {k} on {self.number}."


@dataclass
class Repository:
    """A synthetic repository; ``old_names`` redirect to it."""

    name: str
    id: int
    issues: dict = field(default_factory=dict)
    old_names: tuple = ()
    disabled: bool = False

    def visible(self, pulls=False):
        """Issues the API shows, oldest first."""
        return [i for i in self.issues.values() if not i.fate and (pulls or not i.is_pr)]


@dataclass
class Question:
    """One synthetic Stack Overflow question."""

    number: int
    created: int
    tags: tuple
    accepted: bool
    words: tuple
    n_answers: int
    n_comments: int
    deleted: bool = False
    revision: int = 0

    @property
    def active(self):
        return self.created + 5000 + self.revision

    def touch(self, at):
        """Something about it changed at that time."""
        self.revision = at - self.created - 5000


class Corpus:
    """Repositories and questions made from a seed.

    Parameters
    ----------
    sizes : dict
        Repository name -> number of issues.
    questions : dict
        Tag -> number of questions.
    burst : int
        Issues of the first repository created on one day, 2020-06-01.
    pulls : float
        Share of numbers that are pull requests.
    """

    def __init__(self, sizes=None, questions=None, burst=0, pulls=0.2, seed=1, comments=None,
                 closed=0.9, labels=LABELS, words=WORDS):
        self.random = random.Random(seed)
        self.labels, self.words = tuple(labels), tuple(words)
        self.comments = comments
        self.closed_share = closed
        self.repositories, self.questions = {}, {}
        for place, (name, n) in enumerate((sizes or {}).items()):
            self._repository(name, n, burst if place == 0 else 0, pulls, 1000 + place)
        for tag, n in (questions or {}).items():
            self._questions(tag, n)

    @classmethod
    def of(cls, definitions, threads, **options):
        """A world for any definitions: their repositories, tags, labels and keywords.

        ``threads`` is the size of each repository; each tag has half as many questions.
        """
        sources = [s for d in definitions for s in d.github]
        tags = [s.tag for d in definitions for s in d.stackoverflow]
        labels = {x for s in sources for x in (*s.with_labels, *s.without_labels)} | set(LABELS)
        words = {t for d in definitions for t in d.keywords.terms}
        return cls({s.repository: threads for s in sources},
                   dict.fromkeys(tags, threads // 2), labels=sorted(labels),
                   words=sorted(words), **options)

    @classmethod
    def large(cls):
        """20,000 threads: a 5,000-thread day, a rename, transfers and deletions."""
        corpus = cls(
            {"horovod/horovod": 9000, "keras-team/keras": 3000, "pytorch/pytorch": 2000,
             "tensorflow/tensorflow": 2000},
            {"horovod": 300, "keras": 1200, "pytorch": 1000, "tensorflow": 1500}, burst=5000)
        corpus.repositories["horovod/horovod"].old_names = ("uber/horovod",)
        numbers = [i.number for i in corpus.repositories["horovod/horovod"].visible()]
        for place, number in enumerate(numbers[10:310:10]):
            fate = ("deleted", "hidden", f"gh:keras-team/keras#{5000 + place}")[place % 3]
            corpus.repositories["horovod/horovod"].issues[number].fate = fate
        return corpus

    def _repository(self, name, n, burst, pulls, identity):
        random = self.random
        times = sorted([random.randint(BEGIN, END) for _ in range(n - burst)]
                       + [BURST_DAY + random.randint(0, 86399) for _ in range(burst)])
        repository = Repository(name, identity)
        number = 0
        for created in times:
            while random.random() < pulls:
                number += 1
                repository.issues[number] = self._issue(number, created, True)
            number += 1
            repository.issues[number] = self._issue(number, created, False)
        self.repositories[name] = repository

    def _issue(self, number, created, is_pr):
        random = self.random
        open_ = random.random() >= self.closed_share
        closed = None if open_ else created + random.randint(60, 10**7)
        labels = tuple(sorted({random.choice(self.labels) for _ in range(random.randint(0, 2))}))
        words = tuple(sorted({random.choice(self.words) for _ in range(random.randint(0, 2))}))
        n = random.choice((0, 0, 1, 2, 3, 5)) if self.comments is None else self.comments
        author = random.choice(("somebody", "somebody-else", "ghost", "stale-bot[bot]"))
        return Issue(number, created, closed, labels, words, n, is_pr, author=author)

    def _questions(self, tag, n):
        random = self.random
        for _ in range(n):
            number = len(self.questions) + 50_000_001
            tags = tuple(sorted({tag, random.choice(("python", "gpu", tag))}))
            created = random.randint(BEGIN, END)
            words = tuple(sorted({random.choice(self.words) for _ in range(random.randint(0, 1))}))
            self.questions[number] = Question(
                number, created, tags, random.random() < 0.6, words,
                random.choice((1, 1, 2, 3)), random.choice((0, 1, 4)))

    # Truth --------------------------------------------------------------------------

    def find(self, name):
        """A repository by its present or a former name, case-insensitive; or None."""
        for repository in self.repositories.values():
            names = (repository.name, *repository.old_names)
            if name.lower() in (n.lower() for n in names):
                return repository
        return None

    def truth(self, name, state="closed", without=()):
        """Numbers a miner must find."""
        return {i.number for i in self.find(name).visible()
                if state in ("all", i.state) and not set(i.labels) & set(without)}


def licence(created):
    """The licence a post of that time bears (meta.stackexchange.com/questions/347758)."""
    return next((text for before, text in LICENCES if created < before), "CC BY-SA 4.0")


__all__ = ["BEGIN", "BURST_DAY", "END", "Corpus", "Issue", "Question", "Repository", "iso",
           "licence"]
