"""The keyword filter and the two readings of a Stack Overflow body.

What the study's script does is tested against its rules, read in the authors'
repository (gudiandian/TOSEM23-DistributedTraining, extract_post.py).
"""

import pytest

from mining.selection.definition import load_keywords
from mining.selection.judge import matched, prose_of_html, prose_of_markdown, tokens

STUDY = load_keywords("study")
TWO_BLOCKS = "<p>Hi</p><pre><code>x</code></pre><p>and <code>workers</code></p>"


def test_the_list_is_the_studys():
    assert STUDY.words == (
        "distributed", "distribute", "parallel", "paralleled", "parallelism", "multi-server",
        "multi-gpu", "data-parallel", "model-parallel", "dataparallel", "multi-machine",
        "multi_gpu", "multi-gpus", "workers")
    assert set(STUDY.phrases) == {f"multiple {n}{s}" for n in ("gpu", "machine", "server")
                                  for s in ("", "s")}


@pytest.mark.parametrize("term", STUDY.terms)
def test_every_term_is_found_in_title_and_in_text(term):
    assert term in matched(f"About {term.title()}!", "", STUDY)
    assert term in matched("", f"<p>About ({term.upper()})</p>", STUDY, "html")


@pytest.mark.parametrize("word", ["distributedly", "worker", "unparallel", "multi-gpu-x", "gpus"])
def test_a_longer_or_shorter_word_is_no_keyword(word):
    assert matched(word, word, STUDY) == []


def test_code_counts_in_neither_markup():
    assert matched("", "a `workers` b\n```\nparallel\n```\n\n    distributed\n", STUDY) == []
    html = "<pre><code>parallel</code></pre><p><code>workers</code></p>"
    assert matched("", html, STUDY, "html") == []


def test_code_counts_where_githubs_search_decides():
    assert matched("", "```\nparallel\n```", STUDY, code="keep") == ["parallel"]


def test_the_script_reading_blanks_only_the_first_code_block():
    assert matched("", TWO_BLOCKS, STUDY, "html", "script") == ["workers"]
    assert matched("", TWO_BLOCKS, STUDY, "html", "intention") == []


def test_the_script_reading_sees_paragraphs_only():
    html = "<ul><li>parallel</li></ul><p>x</p>"
    assert matched("", html, STUDY, "html", "script") == []
    assert matched("", html, STUDY, "html") == ["parallel"]


def test_the_script_reading_misses_a_word_at_a_line_end():
    assert matched("", "<p>it is distributed\nacross hosts</p>", STUDY, "html", "script") == []
    assert matched("", "<p>it is distributed\nacross hosts</p>", STUDY, "html") == ["distributed"]


def test_a_link_counts_by_its_words_not_its_target():
    html = '<p><a href="http://x/parallel">workers</a> http://y/distributed</p>'
    assert matched("", html, STUDY, "html") == ["workers"]
    assert matched("", "[workers](http://x/parallel) http://y/distributed", STUDY) == ["workers"]


def test_a_phrase_may_break_over_lines_and_tags():
    assert matched("", "<p>multiple\n<b>GPUs</b></p>", STUDY, "html") == ["multiple gpus"]


def test_an_issue_template_comment_is_not_text():
    assert matched("", "<!-- distributed? tick here --> no", STUDY) == []


@pytest.mark.parametrize(("text", "kept"), [
    ("a\n~~~\nb\n```\nc\n~~~\nd", "a d"),                  # another fence inside
    ("a\n```python\nb", "a"),                                # never closed
    ("a\r\n```\r\nb\r\n```\r\nc", "a c"),                    # CRLF
    ("a\n\n\tb\n\nc", "a c"),                                # indented by a tab
    ("- a\n    b", "- a b"),                                 # continuation, not code
    ("a <pre>b\nc</pre> d <code>e</code>", "a d"),
    ("a ``b ` c`` d", "a d"),
    ("a <br> ![b](http://x) c", "a b c"),
    ("a\n[1]: http://x/parallel\nb", "a b"),
])
def test_markdown_prose(text, kept):
    assert prose_of_markdown(text).split() == kept.split()


def test_entities_are_read_once():
    assert prose_of_html("<p>a &amp;lt; b</p>").strip() == "a &lt; b"


def test_tokens_keep_hyphen_and_underscore():
    assert tokens("Multi_GPU/multi-gpu, (x)") == ["multi_gpu", "multi-gpu", "x"]
