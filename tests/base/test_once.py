"""What is remembered for a study, and for how long."""

import gc

import pandas as pd

from study.base.once import once


class Study:
    """Anything that can be counted."""


def counted():
    calls = []

    def table(study, rows=1):
        calls.append(study is not None)
        return pd.DataFrame({"n": [len(calls)] * rows})

    return once(table), calls


def test_a_study_is_computed_once_and_another_one_again():
    table, calls = counted()
    one, other = Study(), Study()
    assert [table(s)["n"].iloc[0] for s in (one, one, other, one)] == [1, 1, 2, 1]
    assert len(calls) == 2


def test_who_changes_a_table_changes_no_other():
    table, _ = counted()
    one = Study()
    changed = table(one)
    changed.loc[0, "n"] = 100
    assert table(one)["n"].iloc[0] == 1


def test_what_is_asked_with_further_arguments_is_computed():
    table, calls = counted()
    one = Study()
    assert (len(table(one, 3)), len(table(one, rows=2)), len(table(one))) == (3, 2, 1)
    assert len(calls) == 3


def test_nothing_outlives_its_study():
    table, calls = counted()
    for _ in range(3):
        study = Study()
        table(study)
        del study
        gc.collect()  # the next one may get the same id
    assert len(calls) == 3
