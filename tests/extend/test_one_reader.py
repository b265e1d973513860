"""The authors' own rounds go through the reader of the raters' sheets: one reader, not two."""

import pandas as pd

from study.read.codebook import FACETS
from study.read.policy import AS_RELEASED, read_cells
from study.read.sheets import read_sheet
from study.read.upstream import load_upstream
from study.tabulate.issues import label_table, sheet_rows

ROUNDS = ("1", "2", "3", "4", "5")


def declared_sheets(plain):
    """The sheets of the rounds with their declared columns, read once more."""
    upstream, issues = load_upstream(), {}
    for declared in upstream.sheets:
        if declared["round"] in ROUNDS:
            sheet = read_sheet(plain / declared["file"], declared["sheet"])
            yield from sheet_rows(sheet, declared, upstream.columns, issues)


def test_the_five_rounds_give_the_labels_of_the_study(plain, book, rows):
    """Labels read by the policy *as released* are those of the study's label table."""
    found, rounds = [], [r for r in declared_sheets(plain) if not isinstance(r, tuple)]
    for row in rounds:
        labels, notes = read_cells(row.cells, book, AS_RELEASED, row.titles)
        assert not [n for n in notes if n[1] == "error"], (row.file, row.sheet, row.number)
        found += [(row.thread, row.issue, row.round, row.rater, f, labels[f]) for f in FACETS
                  if labels[f]]
    columns = ["thread", "issue", "round", "rater", "facet", "repaired"]
    table = label_table([r for r in rows[0] if r.round in ROUNDS], book)
    expected = table[table["repaired"] != ""][columns]
    assert len(found) > 5_000
    pd.testing.assert_frame_equal(
        pd.DataFrame(found, columns=columns).sort_values(columns, ignore_index=True),
        expected.sort_values(columns, ignore_index=True))


def test_the_tables_of_the_study_come_of_the_same_rows(plain, book, rebuilt):
    """Agreement counted from rows read that way is the committed table, to the last cell."""
    from study.tabulate.rounds import agreement_counts
    from study.tabulate.tables import COLUMNS, to_csv
    made = agreement_counts([r for r in declared_sheets(plain) if not isinstance(r, tuple)], book)
    assert to_csv(made[COLUMNS["agreement"]]) == to_csv(rebuilt[0]["agreement"])


def test_every_finding_of_the_policy_is_a_rule_of_the_study(plain, book):
    kinds = {}
    for row in declared_sheets(plain):
        if not isinstance(row, tuple):
            for _, severity, kind, _ in read_cells(row.cells, book, AS_RELEASED, row.titles)[1]:
                kinds[kind, severity] = kinds.get((kind, severity), 0) + 1
    assert {s for _, s in kinds} == {"note"}
    assert {"alias", "shift", "case"} <= {k for k, _ in kinds}


def test_the_strict_policy_says_where_the_rounds_would_not_pass(plain, book):
    """What the study repairs silently by rule, a rater of today is asked to correct."""
    from study.read.policy import STRICT
    wrong = sum(any(n[1] == "error" for n in read_cells(r.cells, book, STRICT, r.titles)[1])
                for r in declared_sheets(plain) if not isinstance(r, tuple))
    assert wrong > 0
