"""The codebook: its rules on a small one, and what it says of the released labels."""

import csv
import re
import tomllib

import pytest

from study.base.errors import StudyError
from study.base.paths import STUDY
from study.base.threads import thread_key, thread_url
from study.base.words import JOIN, fold
from study.read.codebook import FACETS, PATH, READINGS, load_codebook
from syntheticrelease import SMALL_CODEBOOK

# --- a small codebook ---


@pytest.mark.parametrize(("facet", "text", "found"), [
    ("symptom", "slow", ("slow", None)),
    ("symptom", "  SLOW ", ("slow", None)),
    ("symptom", "Not  Starting", ("no start", "alias")),
    ("symptom", "sluggish", ("slow", "rename")),
    ("stage", "slow", None),
    ("fix_pattern", "fix api use", ("fix API use", None)),
    ("symptom", "", None),
])
def test_resolve(small, facet, text, found):
    assert small.resolve(facet, text) == found


@pytest.mark.parametrize(("text", "found"), [
    ("set flag", (("set flag",), set())),
    ("set the flag", (("set flag",), {"alias"})),
    ("move file/folder", (("move file/folder",), set())),  # the name's own stroke
    ("set flag & other machine", (("set flag", "other machine"), set())),
    ("other machine / Set Flag", (("other machine", "set flag"), set())),
    ("set flag & move file/folder", (("set flag", "move file/folder"), set())),
    ("correct call & set the flag", (("fix API use", "set flag"), {"rename", "alias"})),
    ("set flag & set the flag", (("set flag",), {"alias"})),  # the same one twice
    ("Set flag/CALL", (("set flag", "fix API use"), {"alias"})),  # a declared combination
    ("set flag & nonsense", None),
    ("set flag/other machine", None),  # strokes without blanks belong to names
    ("nonsense", None),
])
def test_split(small, text, found):
    assert small.split(text) == found


def test_knows_labels_of_the_facet_and_the_word_for_undecided(small):
    assert small.knows("symptom", "sluggish")
    assert small.knows("symptom", "Pendign")
    assert small.knows("fix_pattern", "restart & set flag")
    assert not small.knows("symptom", "restart")
    assert not small.knows("fix_pattern", "restart & slow")


def test_names_entries_and_nearest(small):
    assert small.names("fix_pattern")[-1] == "restart"
    assert small.names("fix_pattern", final_only=True)[-1] == "other machine"
    assert small.entry("symptom", "lost file").parents == ("start", "run/crash")
    assert small.hint("symptom", "slugish") == "; nearest: 'slow'"
    assert small.hint("symptom", "zzz") == ""
    with pytest.raises(StudyError, match=r"no symptom 'lost fiel'; nearest: 'lost file'"):
        small.entry("symptom", "lost fiel")


def test_groups_and_subtopics_where_needed(small):
    assert (small.has_group("start"), small.has_group("run")) == (False, True)
    assert (small.needs_subtopic("usage"), small.needs_subtopic("API tour")) == (True, False)


def test_system_level_readings_are_nested(small):
    assert [sorted(small.system_level(r)) for r in READINGS] == [
        ["set flag"], ["move file/folder", "set flag"],
        ["move file/folder", "other machine", "set flag"]]
    with pytest.raises(StudyError, match="no reading 'wide'; use one of narrow, middle, broad"):
        small.system_level("wide")


def test_subtopic_may_be_declared_optional(changed):
    book = load_codebook(changed('aliases = ["use"]', "subtopic_optional = true"))
    assert not book.needs_subtopic("usage")


# --- faults of a codebook ---


@pytest.fixture
def changed(tmp_path):
    """Write the small codebook with one text replaced."""
    def write(old, new):
        assert old in SMALL_CODEBOOK
        path = tmp_path / "codebook.toml"
        path.write_text(SMALL_CODEBOOK.replace(old, new, 1), encoding="utf-8", newline="\n")
        return path
    return write


@pytest.mark.parametrize(("old", "new", "message"), [
    ('renamed_from = ["sluggish"]', 'aliases = ["Not Starting"]',
     "symptom: 'Not Starting' stands for both 'no start' and 'slow'; keep it in one entry"),
    ('renamed_from = ["sluggish"]', 'aliases = ["lost  file"]',
     "symptom: 'lost file' stands for both 'slow' and 'lost file'; keep it in one entry"),
    ('name = "lost file"', 'name = "slow"', "symptom: two entries are named 'slow'; make them one"),
    ('parents = ["start"]', 'parents = ["begin"]',
     "symptom 'no start': parent 'begin' is not in the codebook; add it or correct the name"),
    ('parents = ["run/crash"]', 'parents = ["start/crash"]',
     "symptom 'slow': parent 'start/crash' is not in the codebook; add it or correct the name"),
    ('parents = ["usage"]', 'parents = ["run"]',
     "subtopic 'first steps': parent 'run' is not in the codebook; add it or correct the name"),
    ('parents = ["run"]', 'parents = ["runs"]',
     "group 'crash': parent 'runs' is not in the codebook; add it or correct the name"),
    ('aliases = ["use"]', 'alias = ["use"]', "topic 1 (usage): unknown key 'alias'; allowed: "),
    ('aliases = ["use"]', 'aliases = "use"',
     "topic 1 (usage): 'aliases' is no list of texts; write aliases = ["),
    ('parents = ["usage"]', 'parents = [1]',
     "subtopic 1 (first steps): 'parents' is no list of texts; write parents = ["),
    ('name = "slow"\n', "", "symptom 2: the key 'name' is missing; every entry needs one"),
    ('system_level = "middle"', 'system_level = "medium"',
     "fix_pattern 3 (move file/folder): system_level 'medium'; use narrow, middle, broad or no"),
    ('means = ["set flag", "fix API use"]', 'means = ["set flags"]',
     "combination 'set flag/call': 'set flags' is no fix pattern; nearest: 'set flag'"),
    ('filed = "set flag/call"\n', "", "combination 1: it needs 'filed'"),
    ('[[stage]]', "[[stage]", "mend the TOML there"),
])
def test_a_wrong_codebook_ends_with_one_line(changed, old, new, message):
    with pytest.raises(StudyError) as error:
        load_codebook(changed(old, new))
    text = str(error.value)
    assert message in text
    assert "codebook.toml" in text.split(":")[0]
    assert "\n" not in text


def test_a_missing_codebook_and_one_in_another_encoding(tmp_path, changed):
    with pytest.raises(StudyError, match=r"none\.toml is missing; restore it from version control"):
        load_codebook(tmp_path / "none.toml")
    path = changed("synthetic", "synthetic")
    path.write_bytes(path.read_bytes().replace(b"sluggish", b"sl\xfcggish"))
    with pytest.raises(StudyError, match=r"codebook\.toml: .*mend the TOML there"):
        load_codebook(path)


# --- the package's codebook ---


def table(name):
    with (STUDY / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_entry_is_defined():
    raw = tomllib.loads(PATH.read_text(encoding="utf-8"))
    assert set(FACETS) <= set(raw)
    for facet in FACETS:
        for entry in raw[facet]:
            assert entry["definition"].endswith("."), entry["name"]
            assert entry["decision"].endswith("."), entry["name"]
            assert len(entry.get("examples", [])) <= 2, entry["name"]
            if facet == "fix_pattern":
                assert entry["level"] in {"environment", "communication", "device", "program",
                                          "data", "training-parameters"}, entry["name"]
                assert entry["system_level"] in (*READINGS, "no"), entry["name"]
                # What a fix touches decides in which reading it counts.
                assert (entry["system_level"] == "no") == (
                    entry["level"] in {"program", "data", "training-parameters"}), entry["name"]


def test_neighbours_named_in_decisions_exist(book):
    names = {fold(e.name) for entries in book.entries.values() for e in entries}
    for entries in book.entries.values():
        for entry in entries:
            for quoted in re.findall(r"(?<!\w)'([^']+)'(?!\w)", entry.decision):
                assert fold(quoted) in names, (entry.name, quoted)


def test_examples_are_thread_keys(book):
    for entries in book.entries.values():
        for entry in entries:
            for key in entry.examples:
                assert thread_key(thread_url(key)) == key


def test_no_alias_is_but_another_way_to_write_its_own_name(book):
    for entries in book.entries.values():
        for entry in entries:
            assert fold(entry.name) not in map(fold, (*entry.aliases, *entry.renamed_from))


def places(facet):
    """Where the final counts have each label of a facet: label → set of parents."""
    found = {}
    if facet in ("topic", "subtopic"):
        for row in table("questions"):
            found.setdefault(row[facet], set()).add(row["topic"])
    else:
        for row in table("faults"):
            path = row["stage"] + (f"/{row['group']}" if row["group"] else "")
            column = "fix_patterns" if facet == "fix_pattern" else facet
            for label in row[column].split(JOIN):
                found.setdefault(label, set()).add(path if facet == "symptom" else row["stage"])
    found.pop("", None)
    return found


@pytest.mark.parametrize("facet", ["stage", "group", "symptom", "fix_pattern", "topic",
                                   "subtopic"])
def test_final_labels_are_the_final_entries_and_stand_under_their_parents(book, facet):
    found = places(facet)
    assert set(found) == set(book.names(facet, final_only=True))
    if facet in ("group", "symptom", "subtopic"):
        for label, parents in found.items():
            assert parents <= set(book.entry(facet, label).parents), label


def test_symptoms_stand_in_a_group_where_the_stage_has_groups(book):
    for row in table("faults"):
        assert bool(row["group"]) == book.has_group(row["stage"]), row
    for row in table("questions"):
        assert row["subtopic"] or not book.needs_subtopic(row["topic"]), row


def everything_written(cells, joined=""):
    """Every cell in lower case, and its parts in columns whose title has a certain word."""
    texts = set()
    for header, *lines in cells.values():
        for line in lines:
            folded = [" ".join(cell.lower().split()) for cell in line]
            texts.update(folded)
            texts.update(part for title, text in zip(header, folded, strict=True)
                         if joined in title for part in re.split(r" [&/] ", text))
    return texts


def test_every_spelling_in_the_codebook_occurs_in_the_released_files(cells):
    written = everything_written(cells)  # values stand in other facets' columns at times
    raw = tomllib.loads(PATH.read_text(encoding="utf-8"))
    invented = [(facet, spelling)
                for facet in FACETS for entry in raw[facet]
                for spelling in (*entry.get("aliases", ()), *entry.get("renamed_from", ()))
                if spelling not in written]
    invented += [("undecided", word) for word in raw["undecided"] if word not in written]
    invented += [("combination", c["filed"]) for c in raw["combination"]
                 if c["filed"] not in written]
    assert invented == []


def test_earlier_names_are_gone_from_the_final_table_but_for_a_merged_one(cells, book):
    written = everything_written({k: v for k, v in cells.items() if k[0] == "final.xlsx"},
                                 joined="fix pattern")
    assert [old for entries in book.entries.values() for entry in entries
            for old in entry.renamed_from if fold(old) in written] == ["fix batch size"]
    assert "low efficiency" in written  # the final table was looked at


def test_example_threads_carry_their_label(rebuilt, book):
    labels = rebuilt[1]["labels"]
    carried = {(r.facet, name, r.thread, r.rater == "final") for r in labels.itertuples()
               for name in r.repaired.split(JOIN)}
    wrong = []
    for facet in FACETS:
        for entry in book.entries[facet]:
            for key in entry.examples:
                final = (facet, entry.name, key, True) in carried
                rated = (facet, entry.name, key, False) in carried
                if not (final if entry.status == "final" else rated and not final):
                    wrong.append((facet, entry.name, key))
    assert wrong == []
