"""The same slip in two sheets: spellings that two people who work apart rarely share."""

from collections import Counter, defaultdict

import pandas as pd

BEYOND = 0.5  # cells more than chance gives; who both write an alias throughout share no slip


def same_slips(cells):
    """How many odd spellings stand in both sheets, and how many chance would put there.

    A spelling is odd where the text of a cell is not the usual one of the label it stands for.
    Chance deals out each rater's own spellings of a label, as often as the rater used them, over
    the cells in which both gave that label; a habit of one rater, or of both, is no sign then,
    and a label that both gave once says nothing.

    Parameters
    ----------
    cells : iterable of tuple
        facet, usual spelling and text of rater 1, usual spelling and text of rater 2 (both
        ``""`` where there is no label), number of such cells.

    Returns
    -------
    dict
        odd_1, odd_2 (cells with an odd spelling, by rater), same (cells with one in both sheets,
        written alike), expected (the mean of ``same`` under chance), texts (Counter of the
        spellings behind ``same``).

    Examples
    --------
    >>> found = same_slips([("stage", "run", "run", "run", "run", 3),
    ...                     ("stage", "run", "Runn", "run", "Runn", 1)])
    >>> found["same"], found["expected"], dict(found["texts"])
    (1, 0.25, {'Runn': 1})
    """
    odd, texts, met = [0, 0], Counter(), defaultdict(Counter)
    for facet, usual_1, text_1, usual_2, text_2, n in cells:
        odd[0] += n * bool(usual_1 and text_1 != usual_1)
        odd[1] += n * bool(usual_2 and text_2 != usual_2)
        if usual_1 and usual_1 == usual_2:
            met[facet, usual_1][text_1, text_2] += n
            if text_1 == text_2 != usual_1:
                texts[text_1] += n
    expected = 0.0
    for (_, usual), pairs in met.items():
        one, two = Counter(), Counter()
        for (text_1, text_2), n in pairs.items():
            one[text_1] += n
            two[text_2] += n
        expected += sum(n * two[text] for text, n in one.items() if text != usual
                        ) / pairs.total()
    return {"odd_1": odd[0], "odd_2": odd[1], "same": texts.total(), "expected": expected,
            "texts": texts}


def warning(cells, raters):
    """One line on slips that two sheets share, or "" where they share no more than by chance.

    Parameters
    ----------
    cells : iterable of tuple
        As of :func:`same_slips`.
    raters : sequence of two str

    Returns
    -------
    str

    Examples
    --------
    >>> warning([("", "hang", "hangg", "hang", "hangg", 1), ("", "hang", "hang", "hang", "hang", 3),
    ...          ("", "leak", "leek", "leak", "leak", 1)], ["Ann", "Ben"])
    "same slip in both files: 1 of Ann's 2 and of Ben's 1 odd spellings (hangg); dealt out ..."
    """
    found = same_slips(cells)
    if found["same"] - found["expected"] < BEYOND:
        return ""
    few = [f"{text} ({n} times)" if n > 1 else text for text, n in found["texts"].most_common(5)]
    more = " …" if len(found["texts"]) > 5 else ""
    return (f"same slip in both files: {found['same']} of {raters[0]}'s {found['odd_1']} and of "
            f"{raters[1]}'s {found['odd_2']} odd spellings ({', '.join(few)}{more}); dealt out at "
            f"random over the same labels they would meet {found['expected']:.1f} times; was one "
            "file copied from the other, or both from a third?")


def slips_by_round(spellings):
    """The same slips in every round, and in all of them.

    Parameters
    ----------
    spellings : pandas.DataFrame
        ``data/study/spellings.csv``.

    Returns
    -------
    pandas.DataFrame
        Columns round (last ``all``), odd_1, odd_2, same, expected; see :func:`same_slips`.

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> slips_by_round(load_study().spellings)["round"].tolist()
    ['1', '2', '3', '4', '5', 'all']
    """
    keys = ["odd_1", "odd_2", "same", "expected"]
    rows = [{"round": number} | same_slips(own.drop(columns="round").itertuples(
        index=False, name=None)) for number, own in spellings.groupby("round")]
    table = pd.DataFrame(rows, columns=["round", *keys])
    table.loc[len(table)] = ["all", *table[keys].sum()]
    return table.astype(dict.fromkeys(keys[:3], int))
