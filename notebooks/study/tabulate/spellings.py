"""How the raters of a round wrote their labels: the same cell of both sheets, as it was typed."""

import pandas as pd

from study.base.words import JOIN, fold
from study.read.codebook import FACETS
from study.tabulate.tables import COLUMNS

PLACE = ["round", "thread", "issue"]
NO_NAME = "no name: "  # before a text that is no name of the facet; a value in the wrong column


def written(rows, codebook, left="R1", right="R2"):
    """The cells of the issues that both raters labelled, paired by place.

    Parameters
    ----------
    rows : list of Row
    codebook : Codebook
        Gives the usual spelling of a label.
    left, right : str

    Returns
    -------
    pandas.DataFrame
        Indexed by round, thread, issue (the place within the thread), facet. Columns label_1,
        written_1, label_2, written_2: the label that a cell stands for, and the text of the
        cell without outer blanks; see :func:`cell`.
    """
    one, two = ({(r.round, r.thread, r.issue): r for r in rows if r.rater == rater}
                for rater in (left, right))
    found = [(*key, facet, *cell(one[key], facet, codebook), *cell(two[key], facet, codebook))
             for key in one if key in two for facet in FACETS]
    return pd.DataFrame(found, columns=[*PLACE, "facet", *COLUMNS["spellings"][2:-1]]).set_index(
        [*PLACE, "facet"])


def cell(row, facet, codebook):
    """The label that a cell stands for, and its text.

    Parameters
    ----------
    row : Row
    facet : str
    codebook : Codebook

    Returns
    -------
    tuple of (str, str)
        The label in the codebook's spelling; ``""`` where the cell is blank, undecided, or holds
        a column title; where it holds what the codebook does not know as a label of this facet,
        ``"no name: "`` and the text without case and doubled blanks.
    """
    text = row.cells.get(facet, "").strip()
    folded = fold(text)
    if not folded or folded in codebook.undecided or folded in row.titles:
        return "", text
    if found := codebook.resolve(facet, folded):
        return found[0], text
    if facet == "fix_pattern" and (found := codebook.split(folded)):
        return JOIN.join(sorted(found[0])), text
    return NO_NAME + folded, text


def spelling_counts(cells):
    """How often which two spellings met.

    Parameters
    ----------
    cells : pandas.DataFrame
        As :func:`written` returns it.

    Returns
    -------
    pandas.DataFrame
        Columns round, facet, label_1, written_1, label_2, written_2, n; cells without a label
        in both sheets are left out.
    """
    own = cells[(cells["label_1"] != "") | (cells["label_2"] != "")].reset_index()
    keys = COLUMNS["spellings"][:-1]
    return own.groupby(keys).size().rename("n").reset_index()


def alike(cells):
    """Which issues both raters wrote alike.

    Parameters
    ----------
    cells : pandas.DataFrame
        As :func:`written` returns it.

    Returns
    -------
    pandas.DataFrame
        Indexed by round, thread, issue; columns of bool: ``slips``, some cell has the same text
        in both sheets, and it is not the codebook's spelling of a label of the facet; ``text``,
        every cell has the same text.
    """
    same = cells["written_1"] == cells["written_2"]
    slip = same & (cells["label_1"] != "") & (cells["written_1"] != cells["label_1"])
    return pd.DataFrame({"slips": slip.groupby(PLACE).any(), "text": same.groupby(PLACE).all()})
