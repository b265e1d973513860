"""The faults and the pairs of labels that each combination of decisions looks at, as arrays."""

from functools import lru_cache
from itertools import starmap

import numpy as np

from study.base.words import JOIN
from study.measure.composition import weights
from study.measure.symptoms import PATH, without_rare
from study.read.codebook import MISSING, UNDECIDED


class Samples:
    """What claims are computed from under the decisions on what to count, each made once.

    Parameters
    ----------
    study : Study

    Attributes
    ----------
    patterns : list of str
        Every fix pattern, in the order of the alphabet.
    """

    def __init__(self, study):
        self.study = study
        self.patterns = sorted({p for t in (study.faults, study.faults_as_filed)
                                for cell in t["fix_patterns"] for p in cell.split(JOIN) if p})
        self.number = {name: i for i, name in enumerate(self.patterns)}
        self.faults, self.codes, self.fixes, self.agreed = (
            lru_cache(maxsize=None)(f)
            for f in (self._faults, self._codes, self._fixes, self._agreed))

    def of(self, universe):
        """The faults that a combination of decisions counts.

        Parameters
        ----------
        universe : dict
            Decision → option; those that say nothing about which faults count are ignored.
            A part of the data may stand with it: ``threads`` (``candidates only``) and
            ``pilot`` (``out``).

        Returns
        -------
        pandas.DataFrame
            The rows that count, with the columns ``row``, its number in the count table, and
            ``w``, the weight of one issue of the row.
        """
        return self.faults(*self._which(universe))

    def _which(self, universe):
        return tuple(starmap(universe.get, (
            ("labels", "repaired"), ("unit", "issue"), ("composition", "as labelled"),
            ("rare symptoms", "kept"), ("catch-all", "counted"), ("threads", "all"),
            ("pilot", "in"))))

    def _faults(self, labels, unit, composition, rare, catch_all, threads, pilot):
        if (rare, catch_all) != ("kept", "counted"):
            table = self.faults(labels, unit, composition, "kept", "counted", threads, pilot)
            if rare != "kept":
                table = without_rare(table, int(rare.split()[-1]))
            if catch_all == "left out":
                table = table[table["symptom"] != "others"].reset_index(drop=True)
            return table
        table = self.study.faults if labels == "repaired" else self.study.faults_as_filed
        table = table.assign(row=np.arange(len(table)))
        if threads == "candidates only":
            table = table[table["candidate"] == "yes"]
        if pilot == "out":
            table = table[table["round"] != "pilot"]
        table = table[table["n"] > 0].reset_index(drop=True)
        weight = 1 / table["issues_in_thread"] if unit == "thread" else 1.0
        if composition != "as labelled" and len(table):
            weight = weight * weights(table, self.study.collection
                                      if composition == "by candidate lists" else None)
        return table.assign(w=weight)

    def symptoms(self, universe):
        """The number of each row's symptom, by name or by path.

        Parameters
        ----------
        universe : dict

        Returns
        -------
        numpy.ndarray of int
        """
        return self.codes(self._which(universe), universe["same symptom"])

    def _codes(self, which, same):
        by = ["symptom"] if same == "by name" else PATH
        return self.faults(*which).groupby(by).ngroup().to_numpy()

    def fixes_of(self, universe):
        """How much of each pattern a fault of each row has.

        Parameters
        ----------
        universe : dict

        Returns
        -------
        numpy.ndarray of float, shape (rows, patterns)
            1 where the fault has the pattern; with ``fractions`` its part.
        """
        return self.fixes(self._which(universe), universe["several patterns"])

    def _fixes(self, which, counting):
        cells = self.faults(*which)["fix_patterns"]
        matrix = np.zeros((len(cells), len(self.patterns)))
        for i, cell in enumerate(cells):
            names = list(filter(None, cell.split(JOIN)))
            for name in names:
                matrix[i, self.number[name]] = 1 / len(names) if counting == "fractions" else 1
        return matrix

    def level(self, labels, reading):
        """Which patterns concern system-level configuration.

        Parameters
        ----------
        labels, reading : str

        Returns
        -------
        numpy.ndarray of bool
        """
        counted = self.study.codebook.system_level(reading)
        if labels == "repaired":
            return np.array([name in counted for name in self.patterns], dtype=bool)
        # A cell as filed may hold two patterns in one; it counts where one of them does.
        return np.array([any(p in counted for p in (self.study.codebook.split(name) or ((),))[0])
                         for name in self.patterns], dtype=bool)

    def pairs(self, universe):
        """Pairs of labels of the symptom that are judged.

        Parameters
        ----------
        universe : dict

        Returns
        -------
        pandas.DataFrame
            Columns label_1, label_2, n.
        """
        return self.agreed(universe["repairs"], universe["undecided"], universe["pairing"],
                           universe.get("rounds", "all"))

    def _agreed(self, repairs, undecided, pairing, number):
        table, reading = self.study.agreement, {"all": "repaired", "none": "as filed"}[repairs]
        if pairing != "by place":
            reading = f"{reading}, {pairing}"
        table = table[(table["facet"] == "symptom") & (table["scope"] == "agreed")
                      & (table["reading"] == reading)]
        if number != "all":
            table = table[table["round"] == number]
        if undecided == "excluded":
            open_labels = {}
        elif undecided == "as a category":
            open_labels = {1: {UNDECIDED: "left open"}, 2: {UNDECIDED: "left open"}}
        else:  # what one rater left open or blank can never meet the other's
            open_labels = {i: dict.fromkeys((UNDECIDED, MISSING), f"left open by {i}")
                           for i in (1, 2)}
        table = table.assign(**{f"label_{i}": table[f"label_{i}"].replace(words)
                                for i, words in open_labels.items()})
        closed = ~table[["label_1", "label_2"]].isin([MISSING, UNDECIDED]).any(axis=1)
        return table[closed].groupby(["label_1", "label_2"], as_index=False)["n"].sum()
