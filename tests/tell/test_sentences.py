"""Sentences whose every number is computed, also where there is little to say."""

import inspect
import re

import pandas as pd
import pytest

import smallstudy
from smallstudy import faults, study, table
from study.decide.curve_test import curve_test
from study.decide.multiverse import multiverse, read_in_several_ways
from study.measure.contrasts import COMPARISONS
from study.measure.fixes import frequent_fixes
from study.tell import sentences as readout

OF_STUDY = sorted(name for name, f in inspect.getmembers(readout, inspect.isfunction)
                  if f.__module__ == "study.tell.sentences"
                  and list(inspect.signature(f).parameters) == ["study"])
QUESTIONS = table("questions", "topic | n\nusage | 7\ndevice | 2")
PLATFORM = table("collection", """
    platform | frameworks | candidates | threads | issues | faults | questions
    GitHub   | horovod    | 9          | 4       | 4      | 4      | 0
""")
ODD = {
    "nothing": study(),
    "no questions": study(faults=faults("stage | n\nrun | 7\nstart | 2"), collection=PLATFORM),
    "no faults": study(questions=QUESTIONS),
    "one fault": study(faults=faults("n\n1")),
    "one symptom, two platforms": study(faults=faults("platform | n\nGitHub | 5\nElsewhere | 4"),
                                        questions=QUESTIONS),
    "no fix patterns": study(faults=faults("fix_patterns | n\n. | 8")),
    "no stages": study(faults=faults("stage | symptom | n\n. | . | 6\n. | leak | 2")),
    "one pair": study(agreement=table("agreement", "round | label_1 | label_2 | n\n1 | a | a | 1")),
    "one round": study(agreement=table("agreement", """
        round | reading  | label_1 | label_2 | n
        1     | repaired | a       | a       | 3
        1     | repaired | b       | b       | 2
        1     | as filed | a       | a       | 2
        1     | as filed | a       | b       | 2
    """), rounds=table("rounds", """
        round | rater | threads | issues | paired | unpaired | undecided | changed
        1     | R1    | 5       | 5      | 5      | 0        | 1         | 0
        1     | R2    | 5       | 6      | 5      | 1        | 0         | 0
    """)),
}


def sound(text):
    """A sentence without holes."""
    assert isinstance(text, readout.Sentence)
    assert text._repr_markdown_() == text
    assert re.match(r"^[A-Z*0-9]", text), text
    assert text.endswith("."), text
    assert not re.search(r"\bnan\b|None(?! is)|NA\b|<NA>|\(\)|\(–\)|  | \.(?!\d)| ,", text), text
    return text


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", OF_STUDY)
def test_every_sentence_of_an_odd_study_is_sound(name):
    for small in ODD.values():
        sound(getattr(readout, name)(small))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", OF_STUDY)
def test_every_sentence_of_the_committed_study_is_sound(name, study):
    sound(getattr(readout, name)(study))


@pytest.mark.filterwarnings("error")
def test_sentences_that_take_more(study):
    for name in COMPARISONS:
        sound(readout.cells(study, name))
    for small in ODD.values():
        for name in ("issue type by platform", "symptom by framework", "topic by platform"):
            sound(readout.cells(small, name))
    for small in ODD.values():
        sound(readout.categories(small, 30))


@pytest.mark.parametrize(("name", "says"), [
    ("collection", ["2,683 candidate threads, 1,070 were labelled (39.9 %)", "1,131 issues",
                    "from 2 platforms and on 4 frameworks",
                    "637 faults (56.3 %, 53.4–59.2 %) and 494 how-to questions",
                    "Horovod alone accounts for 48.6 %"]),
    ("kinds", ["GitHub 61.9 % (58.4–65.2 %) and Stack Overflow 43.6 %"]),
    ("topics", ["communication (28.3 %)", "4 of 11 topics", "13 together"]),
    ("stages", ["training & evaluation (57.3 %, 53.4–61.1 %)",
                "lowest in data and model preparation (80.7 % (68.7–88.9 %))"]),
    ("shared", ["16 of 32 symptoms", "Of the 68 faults", "64 (94.1 % (85.8–97.7 %))"]),
    ("fixes", ["74 fix patterns", "34.1 % of all faults"]),
    ("system", ["middle 52.7 % (48.9–56.6 %)"]),
    # counted apart in the released sheets
    ("changes", ["33 have another path", "in 15 of them the symptom was folded into *others*"]),
    ("rounds", ["In 5 rounds", "1,106 labelled rows; 8 of them have no partner"]),
])
def test_numbers_that_the_committed_counts_give(study, name, says):
    text = getattr(readout, name)(study)
    for part in says:
        assert part in text


def test_up_to_which_threshold_most_symptoms_have_a_frequent_pattern(study):
    text = readout.frequent(study)
    found = re.findall(r"(\d+) % where (one|two|three)", text)
    assert [words for _, words in found] == ["one", "two", "three"]
    for top, (percent, _) in enumerate(found, 1):
        at = int(percent) / 100
        table = frequent_fixes(study.faults, [at, at + 0.01], "path", top, at_least=5)
        assert table["most"].tolist() == [True, False]


def test_rows_of_the_sheets_end_somewhere(study, lines):
    fates = lines("rows")
    out = sum(int(r["n"]) for r in fates if r["fate"].startswith("left out"))
    assert f"{sum(int(r['n']) for r in fates):,} rows" in readout.rows(study)
    assert f"{out} in a listed exclusion" in readout.rows(study)


def test_adjudication_counts_who_won():
    small = study(adjudication=table("adjudication", """
        round | facet | label_1   | label_2 | adjudicated | n
        1     | path  | a         | b       | a           | 2
        1     | path  | a         | b       | b           | 3
        1     | path  | a         | b       | c           | 4
        1     | path  | a         | a       | a           | 50
        1     | path  | undecided | b       | b           | 50
        1     | stage | a         | b       | b           | 50
    """))
    assert "different paths 9 times" in readout.adjudication(small)
    assert "first rater's 2 times, the second's 3 times, and neither 4" in readout.adjudication(
        small)


ROUNDS = table("agreement", """
    round | label_1 | label_2   | n
    1     | a       | a         | 5
    1     | a       | b         | 4
    1     | b       | b         | 1
    2     | a       | a         | 12
    2     | b       | b         | 8
    2     | a       | undecided | 10
""")


def test_agreement_stands_with_what_was_undecided_and_with_the_pilot(study):
    small_study = readout.agreement(smallstudy.study(agreement=ROUNDS))
    # 26 of 30 agree; a 21 and 17 times: chance .527; (.867 - .527) / .473. Ten more disagree: a 31
    # and 17, b 9 and 13, nothing 10 of 40: chance .403; (.65 - .403) / .597.
    assert "is .718 (" in small_study and "over the 30 pairs of all rounds" in small_study
    assert "10 pairs with an undecided or missing label are not in it" in small_study
    assert "take kappa to .414 (" in small_study and "from 86.7 % to 65.0 %" in small_study
    assert small_study.endswith("No fault comes from a pilot.")
    said = readout.agreement(study)
    for part in (".959 (.934–.984)", ".839 (.796–.882)", "to 84.8 %", "319 of 637 faults come"):
        assert part in said
    rest = smallstudy.study(agreement=ROUNDS[ROUNDS["label_2"] != "undecided"])
    assert "undecided" not in readout.agreement(rest)


def test_independence_rests_on_spellings(study):
    text = readout.independence(smallstudy.study(agreement=ROUNDS))
    assert text == ("In 1 of 2 cases (facet by round) the two sheets agree on every one of 20 "
                    "pairs or more. No odd spelling stands in both sheets of a round.")
    written = table("spellings", """
        round | facet | label_1 | written_1 | label_2 | written_2 | n
        1     | stage | run     | Run       | run     | Run       | 2
        1     | stage | run     | run       | run     | run       | 6
    """)
    text = readout.independence(smallstudy.study(agreement=ROUNDS, spellings=written))
    assert "Of rater 2's 2 odd cells (no name of the codebook to the letter), 2 have" in text
    assert text.endswith("gave it, 0.5 would.")
    said = readout.independence(study)
    assert "rater 2's 110 odd cells" in said and ", 61 have the same text" in said
    assert "33 of 549 issues; without them kappa for the symptom is .959 (.932–.985)" in said


def test_confusion_gives_facts_only(study):
    text = readout.confusion(study)
    assert "17 are *fix communication configuration* against *fix network setting*" in text
    assert "In 1 of the 28 one label is at system level" in text
    assert "hard to" not in text


def test_categories_say_when_the_published_number_appears(study):
    text = readout.categories(study, 30)
    assert "41 distinct paths as filed and 39" in text
    assert "30 appear when those of 2 faults or fewer are left out" in text
    assert "624 of 637 faults" in text
    assert "appear when" not in readout.categories(study, 999)


def test_curves_say_on_which_side_of_chance_each_claim_is(study):
    claims = read_in_several_ways()
    some = [claims[name] for name in ("shared-symptoms", "frequent-fixes")]
    text = sound(readout.curves(curve_test(study, multiverse(study, some), 19)))
    assert "*shared-symptoms*: over its 192 readings the value lies below that of shuffled" in text
    assert "*frequent-fixes*: over its 648 readings the value lies above that of shuffled" in text
    assert text.count("p at most 0.050 for each") == 2


@pytest.mark.parametrize(("names", "text"), [(["a"], "a"), (["a", "b"], "a and b"),
                                             (iter("abc"), "a, b and c")])
def test_listed(names, text):
    assert readout.listed(names) == text


@pytest.mark.parametrize(("record", "unit", "text"), [
    ({"share": 0.5, "low": 0.4, "high": 0.6}, "share", "50.0 % (40.0–60.0 %)"),
    ({"kappa": 0.5, "low": -0.4, "high": 0.6}, "kappa", ".500 (-.400–.600)"),
    ({"kappa": 1.0, "low": None, "high": None}, "kappa", "1.000"),
    ({"share": float("nan"), "low": 0, "high": 0}, "share", "not defined"),
    ({"kappa": None, "low": None, "high": None}, "kappa", "not defined")])
def test_interval(record, unit, text):
    assert readout.interval(record, unit) == text
    assert readout.interval(pd.Series(record), unit) == text
