"""The categories that were offered: names, aliases, parents; and how a label finds its own."""

from dataclasses import dataclass, field

from study.read.labelwords import SEPARATORS, clean, nearest
from study.read.sheet import shown


@dataclass(frozen=True)
class LabelCodebook:
    """Categories of one facet.

    Attributes
    ----------
    categories : tuple of str
        In the order of the codebook.
    aliases : dict of str to str
        Other spelling to category.
    parents : dict of str to tuple of str
        Category to its parents.
    source : str
        Where the categories come from: "codebook", or "table" or "weights", which were made of
        labels and not for them.

    Examples
    --------
    >>> book = LabelCodebook(("Out of memory", "Hang"), {"OOM": "Out of memory"})
    >>> book.find("out of MEMORY"), book.find("oom")
    (('Out of memory', 'case'), ('Out of memory', 'alias'))
    """

    categories: tuple
    aliases: dict = field(default_factory=dict)
    parents: dict = field(default_factory=dict)
    source: str = "codebook"
    index: dict = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        index = {}
        for category in self.categories:
            key = clean(category)[0].casefold()
            if not key:
                raise ValueError("the codebook has a category without a name")
            if key in index:
                raise ValueError(f"category {category!r} stands twice in the codebook "
                                 "(case does not count)")
            index[key] = (category, "")
        for alias, category in self.aliases.items():
            key = clean(alias)[0].casefold()
            known = index.get(key)
            if known and known[0] != category:
                raise ValueError(f"alias {alias!r} means both {known[0]!r} and {category!r}; "
                                 "keep one")
            index.setdefault(key, (category, "alias"))
        object.__setattr__(self, "index", index)

    def find(self, label):
        """The category of a cleaned label.

        Parameters
        ----------
        label : str

        Returns
        -------
        (str or None, str)
            Category (None where there is none) and the rule that led there: "", "case" or
            "alias".

        Examples
        --------
        >>> LabelCodebook(("a", "b")).find("c")
        (None, '')
        """
        category, rule = self.index.get(label.casefold(), (None, ""))
        if category is not None and not rule and category != label:
            rule = "case" if clean(category)[0] != label else ""
        return category, rule

    def complaint(self, label):
        """Why a label has no category, and what to do.

        Examples
        --------
        >>> LabelCodebook(("Hang", "Crash")).complaint("Hang / Crash")[:36]
        'several labels in one cell; say with'
        >>> LabelCodebook(("Hang",)).complaint("Hnag")
        "'Hnag' is not in the codebook; 'Hang'? Correct it or add an alias"
        """
        parts = [p for p in SEPARATORS.split(label) if p]
        if len(parts) > 1 and all(self.find(clean(p)[0])[0] for p in parts):
            return ("several labels in one cell; say with --sets what separates them, or "
                    "give one label")
        near = nearest(label, [*self.categories, *self.aliases])
        hint = f" {' or '.join(map(repr, near))}?" if near else ""
        return f"{shown(label)} is not in the codebook;{hint} Correct it or add an alias"
