"""What the findings come to, against counts made apart, and of studies with little in them."""

import pytest

from smallstudy import faults, study
from study.decide.findings import findings
from study.measure.composition import composition
from study.tell.meaning import meaning


def told(of):
    return meaning(of, findings(of, composition=composition(of)))


@pytest.fixture(scope="module")
def text(study):
    return told(study)


@pytest.mark.parametrize("says", [
    "1,131 issues, 2 platforms and 4 frameworks",
    "30 names of symptoms", "with them 32, counted by place in the taxonomy 39",
    "94.1 % of the faults", "43.2 % the other way round",
    # 67.5 of 68: mean of shuffled kinds, computed apart from this package
    "99.3 % for the former",
    "86.2 % of the symptoms, two of 44.8 %, one of 10.3 %",
    "52.7 % (48.9–56.6 %)", "32.0 % without it", "64.2 % with devices and memory",
    "does not lie within 5 points of one half and it lies within 10 points",
    # 234 of 321 and 102 of 316, 57 questions each: counted apart from this package
    "*system-level configuration* 72.9 % in Horovod, 32.3 % without it (by framework it holds for "
    "none)", "21.5 % without it, where parallelization is asked as often",
    "holds the value of *shared symptoms* and *frequent fix patterns*",
    ".959 (.934–.984) over 261 pairs, and .839 (.796–.882) over 296",
    "319 of 637 faults were labelled once", "no random draw"])
def test_a_reader_learns(text, says):
    assert says in text


def test_no_number_is_missing(text):
    assert "nan" not in text.lower()
    assert "None" not in text
    assert all(line.startswith("- **") for line in text.splitlines())


def test_little_or_nothing_is_told_of_little_or_nothing():
    for of in (study(), study(faults=faults("n\n3"))):
        assert "nan" not in told(of).lower()
        assert "**How sure" not in told(of)
