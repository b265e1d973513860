"""One key a thread, whatever its link looks like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.base.errors import StudyError
from study.base.threads import thread_key, thread_platform, thread_url

NAME = st.from_regex(r"[a-z0-9_][a-z0-9_.-]{0,12}", fullmatch=True)
NUMBER = st.integers(1, 10**9)
KEYS = (st.builds("gh:{}/{}#{}".format, NAME, NAME, NUMBER) | st.builds("so:{}".format, NUMBER))


@given(KEYS)
def test_key_and_address_are_inverse(key):
    assert thread_key(thread_url(key)) == key


@given(KEYS, st.sampled_from(["", "http://", "https://", "HTTPS://"]),
       st.sampled_from(["", "www."]),
       st.sampled_from(["", "/", "/some-words", "?noredirect=1", "#comment-7", "/x/y?z#w", "."]),
       st.sampled_from(["", " ", "\n"]))
def test_variants_of_a_link_name_the_same_thread(key, scheme, www, tail, blank):
    address = thread_url(key).removeprefix("https://")
    assert thread_key(f"{blank}{scheme}{www}{address}{tail}{blank}") == key


@pytest.mark.parametrize(("link", "key"), [
    ("https://github.com/Horovod/Horovod/pull/12/files", "gh:horovod/horovod#12"),
    ("https://api.github.com/repos/a/b/issues/3", "gh:a/b#3"),
    ("https://github.com/a/b/issues/007", "gh:a/b#7"),
    ("https://stackoverflow.com/q/5/99", "so:5"),
    ("stackoverflow.com/questions/5/why-so-slow/6#6", "so:5"),
])
def test_spellings_seen_in_the_wild(link, key):
    assert thread_key(link) == key


@pytest.mark.parametrize("link", [
    "", "fault", "github.com/a/b", "https://github.com/a/b/issues", "https://github.com/a/b/issues/x",
    "https://github.com/a/b/issues/5x", "https://gitlab.com/a/b/issues/5",
    "https://notgithub.com/a/b/issues/5", "https://stackoverflow.com/questions/tagged/keras",
    "https://stackoverflow.com/questions/5a", "https://es.stackoverflow.com/questions/5",
    "https://github.com/a/b/issues/5\nhttps://github.com/a/b/issues/6",
])
def test_other_texts_name_no_thread(link):
    with pytest.raises(StudyError, match="is no link to a GitHub issue or Stack Overflow question"):
        thread_key(link)


def test_an_answer_is_no_thread():
    with pytest.raises(StudyError, match="links to an answer; give the question's address"):
        thread_key("https://stackoverflow.com/a/123")


@pytest.mark.parametrize("key", ["", "gh:a/b", "so:x", "gh:a/b#", "so:1 ", "https://github.com"])
def test_other_texts_are_no_key(key):
    with pytest.raises(StudyError, match=r"is no thread key; write gh:owner/repository#number"):
        thread_url(key)


def test_platform():
    assert thread_platform("gh:a/b#1") == "GitHub"
    assert thread_platform("so:1") == "Stack Overflow"
    with pytest.raises(StudyError):
        thread_platform("gl:1")
