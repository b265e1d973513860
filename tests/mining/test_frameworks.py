"""The framework definitions, and what a wrong one is told."""

import re

import pytest

from mining.errors import DefinitionError
from mining.selection.definition import FOLDER, load, load_keywords, names

HEAD = 'name = "x"\ntitle = "X"\nschema = 1\n'


@pytest.mark.parametrize("name", names())
def test_every_definition_loads(name):
    definition = load(name)
    assert definition.name == name
    assert definition.github or definition.stackoverflow


def test_the_studys_four_and_seven_more_are_there():
    assert set(names()) == {
        "horovod", "keras", "pytorch", "tensorflow", "deepspeed", "megatron-lm", "colossalai",
        "accelerate", "lightning", "ray-train", "jax"}


@pytest.mark.parametrize(("name", "excluded", "required"), [
    # As the authors' collection script has them.
    ("horovod", {"bug", "enhancement", "wontfix", "awaiting response", "update docs"}, ()),
    ("keras", {"stale", "type:feature", "type:docs", "type:bug/performance"}, ()),
    ("pytorch", {"enhancement", "feature", "function request"}, ("module: ddp",)),
    ("tensorflow", {"type:feature", "type:bug", "type:docs-bug", "type:docs-feature", "stalled",
                    "stat:awaiting response"}, ("type:others",)),
])
def test_the_studys_labels(name, excluded, required):
    source, = load(name).github
    assert set(source.without_labels) == excluded
    assert source.with_labels == required
    assert source.state == "closed"


def test_the_horovod_tag_needs_no_keyword_and_the_others_do():
    needs = {n: load(n).stackoverflow[0].keywords for n in
             ("horovod", "keras", "pytorch", "tensorflow")}
    assert needs == {"horovod": False, "keras": True, "pytorch": True, "tensorflow": True}
    assert all(load(n).stackoverflow[0].accepted for n in needs)


def test_a_search_stays_below_the_length_limit():
    # 256 characters, qualifiers not counted (docs.github.com, search).
    for name in names():
        assert all(len(term) < 256 for term in load(name).keywords.terms)


@pytest.mark.parametrize(("text", "line", "words"), [
    (HEAD + '[[github]]\nrepository = "a/b"\nstaet = "open"\n', 6, "[[github]] staet: unknown"),
    (HEAD + '[[github]]\nrepository = "a/b"\nstate = "shut"\n', 6, "closed, open, all"),
    (HEAD + '[[github]]\nrepository = "ab"\n', 5, "owner/name"),
    (HEAD + '[[github]]\nstate = "open"\n', 4, "[[github]] repository: is missing"),
    (HEAD + '[[github]]\nrepository = "a/b"\n[[github]]\nrepository = 7\n', 7, "text in quotes"),
    (HEAD + '[[github]]\nrepository = "a/b"\nwith_labels = [1]\n', 6, "list of texts"),
    (HEAD + '[[stackoverflow]]\ntag = "a b"\n', 5, "one tag"),
    (HEAD + '[[stackoverflow]]\ntag = "a"\nestimate = true\n', 6, "whole number"),
    (HEAD.replace("1", "2"), 3, "schema"),
    ('name = "X y"\ntitle = "X"\nschema = 1\n', 1, "name: may hold only"),
    (HEAD.replace('"x"', '"y"'), 1, "in a file called x.toml"),
    (HEAD + '[[github]]\nrepository = "a/b"\nestimate = 0\n', 6, "must be 1 or more"),
    (HEAD + '[[stackoverflow]]\ntag = "a"\nestimate = -1\n', 6, "must be 1 or more"),
    (HEAD + '[[github]]\nrepository = "a/b"\nwith_labels = ["Bug"]\nwithout_labels = ["bug"]\n',
     7, "both wanted and excluded"),
    (HEAD, 1, "neither a [[github]] nor a [[stackoverflow]]"),
    (HEAD + 'keywords = "none"\n[[github]]\nrepository = "a/b"\n', 4, "no keyword list"),
])
def test_an_error_names_file_line_and_key(tmp_path, text, line, words):
    path = tmp_path / "x.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(DefinitionError, match=re.escape(words)) as error:
        load(str(path))
    assert f"x.toml, line {line}:" in str(error.value)


def test_broken_toml_names_the_line(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('name = "x\n', "utf-8")
    with pytest.raises(DefinitionError, match=r"x\.toml: .*line 1"):
        load(str(path))


def test_a_latin_1_file_names_the_line(tmp_path):
    path = tmp_path / "x.toml"
    path.write_bytes((HEAD + 'note = "caf\u00e9"\n').encode("latin-1"))
    with pytest.raises(DefinitionError, match=r"x\.toml, line 4: not UTF-8"):
        load(str(path))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(DefinitionError, match="known: accelerate, colossalai"):
        load("nonesuch")


def test_notes_and_estimates_do_not_change_the_fingerprint(tmp_path):
    text = (FOLDER / "horovod.toml").read_text("utf-8")
    path = tmp_path / "horovod.toml"
    path.write_text(text.replace("estimate = 120", "estimate = 9"), "utf-8")
    assert load(str(path)).fingerprint == load("horovod").fingerprint
    path.write_text(text.replace('"closed"', '"all"'), "utf-8")
    assert load(str(path)).fingerprint != load("horovod").fingerprint


def test_the_keyword_list_is_versioned():
    assert load_keywords("study").version == 1
