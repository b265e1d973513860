"""One name for a thread, however its link is written."""

import re

from study.base.errors import StudyError

_GITHUB = re.compile(
    r"^(?:https?://)?(?:www\.|api\.)?github\.com/(?:repos/)?"
    r"(?P<repo>[\w.-]+/[\w.-]+)/(?:issues|pull|pulls)/(?P<number>\d+)(?:[/?#].*)?$", re.I)
_STACK_OVERFLOW = re.compile(
    r"^(?:https?://)?(?:www\.)?stackoverflow\.com/(?:questions|q)/"
    r"(?P<number>\d+)(?:[/?#].*)?$", re.I)
_KEY = re.compile(r"gh:(?P<repo>[\w.-]+/[\w.-]+)#(?P<number>\d+)|so:(?P<question>\d+)", re.I)
_ANSWER = re.compile(r"^(?:https?://)?(?:www\.)?stackoverflow\.com/a/\d+", re.I)


def thread_key(link):
    """Canonical key of a thread.

    Parameters
    ----------
    link : str
        Address of a GitHub issue or pull request, or of a Stack Overflow question,
        in any of the usual spellings (with or without scheme, ``www``, slug, query,
        comment anchor); or the key itself.

    Returns
    -------
    str
        ``gh:owner/repository#number`` (lower case) or ``so:number``.

    Raises
    ------
    StudyError
        Where the link names no thread. A link to an *answer* names none: the
        question's number is not in it.

    Examples
    --------
    >>> thread_key("https://github.com/Horovod/horovod/issues/106#issuecomment-1")
    'gh:horovod/horovod#106'
    >>> thread_key("https://stackoverflow.com/q/46519919")
    'so:46519919'
    """
    text = link.strip().rstrip(".")
    if match := _KEY.fullmatch(text):
        return (f"so:{int(match['question'])}" if match["question"] else
                f"gh:{match['repo'].lower()}#{int(match['number'])}")
    if match := _GITHUB.match(text):
        return f"gh:{match['repo'].lower()}#{int(match['number'])}"
    if match := _STACK_OVERFLOW.match(text):
        return f"so:{int(match['number'])}"
    if _ANSWER.match(text):
        raise StudyError(f"{link!r} links to an answer; give the question's address")
    raise StudyError(f"{link!r} is no link to a GitHub issue or Stack Overflow question")


def thread_url(key):
    """Address of a thread by its key; the inverse of :func:`thread_key`.

    Examples
    --------
    >>> thread_url("gh:horovod/horovod#106")
    'https://github.com/horovod/horovod/issues/106'
    >>> thread_url("so:46519919")
    'https://stackoverflow.com/questions/46519919'
    """
    if match := re.fullmatch(r"gh:([^#]+)#(\d+)", key):
        return f"https://github.com/{match[1]}/issues/{match[2]}"
    if match := re.fullmatch(r"so:(\d+)", key):
        return f"https://stackoverflow.com/questions/{match[1]}"
    raise StudyError(f"{key!r} is no thread key; write gh:owner/repository#number or so:number")


def thread_platform(key):
    """``"GitHub"`` or ``"Stack Overflow"``.

    Examples
    --------
    >>> thread_platform("so:46519919")
    'Stack Overflow'
    """
    return "GitHub" if thread_url(key).startswith("https://github") else "Stack Overflow"
