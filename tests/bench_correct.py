"""Coverage of corrected shares where the truth is known: ``python tests/bench_correct.py``.

4,000 simulated corpora a line (1,000 leave a margin of 1.4 points either way, too much for a limit
two points off): a share p, a model with a rate of hits and of false alarms, n issues
that people have labelled and N that only the model has. Counts how often the 95 % interval holds
the true share, and exits with 1 where the tuned interval, the one that `label correct` reports,
does so in fewer than 93 or more than 97 of 100 corpora. Where the model contradicts people in
fewer than five issues of the calibration, more than 97 is allowed: such an interval is wide, not
wrong. Beside it: the published interval (no half issues), the misclassification matrix, and the
naive interval that takes the model's labels for the truth.
"""

import sys
from pathlib import Path

import numpy as np
from statsmodels.stats.proportion import proportion_confint

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "notebooks"))

from study.measure.corrected import MINIMUM, matrix_share, ppi_share

RUNS, OF_MATRIX = 4_000, 1_000
LINES = [(p, hit, alarm, n, size) for n, size in ((MINIMUM, 300), (120, 240), (120, 2000))
         for p, hit, alarm in ((0.5, 0.9, 0.1), (0.5, 0.97, 0.03), (0.1, 0.8, 0.05),
                               (0.1, 0.9, 0.01), (0.05, 0.8, 0.02), (0.8, 0.95, 0.1),
                               (0.5, 0.6, 0.4))]
OUTSIDE = 0.44  # of all issues, where the share is one of the faults only


def corpus(random, n, p, hit, alarm, outside):
    """True codes and a model's; it takes one in twenty outside for inside and the reverse."""
    true = np.where(random.random(n) < p, 1, 0)
    said = np.where(random.random(n) < np.where(true == 1, hit, alarm), 1, 0)
    if outside:
        out, confused = random.random(n) < outside, random.random(n) < 0.05
        said = np.where(out != confused, -1, said)
        true = np.where(out, -1, true)
    return true, said


def coverage(p, hit, alarm, n, size, outside=0.0, runs=RUNS):
    """How often each interval holds p, and the mean width of the first."""
    random, held, width = np.random.default_rng(1131), np.zeros(5), 0.0
    for number in range(runs):
        people, model = corpus(random, n, p, hit, alarm, outside)
        rest = corpus(random, size, p, hit, alarm, outside)[1]
        found = [ppi_share(people, model, rest), ppi_share(people, model, rest, half=0),
                 ppi_share(people, model, rest, tuned=False)]
        low, high = proportion_confint((rest == 1).sum(), (rest >= 0).sum(), method="wilson")
        naive = {"low": low, "high": high}
        held[[0, 1, 2, 4]] += [f["low"] <= p <= f["high"] for f in (*found, naive)]
        if number < OF_MATRIX:  # slow: a bootstrap each
            turned = matrix_share(people, model, rest, resamples=400)
            held[3] += (turned["low"] <= p <= turned["high"]) * runs / OF_MATRIX
        width += found[0]["high"] - found[0]["low"]
    return held / runs, width / runs


def main():
    print("p     hits  alarms  n    N     outside  tuned  published  weight 1  matrix  naive  "
          "width")
    bad = False
    for outside in (0.0, OUTSIDE):
        for p, hit, alarm, n, size in LINES:
            if outside:  # as many inside as in the lines before
                n, size = (round(k / (1 - outside)) for k in (n, size))
            held, width = coverage(p, hit, alarm, n, size, outside)
            few = n * (1 - outside) * (p * (1 - hit) + (1 - p) * alarm) < 5
            wrong = held[0] < 0.93 or (held[0] > 0.97 and not few)
            bad |= wrong
            print(f"{p:<5} {hit:<5} {alarm:<7} {n:<4} {size:<5} {outside:<8} {held[0]:<6.3f} "
                  f"{held[1]:<10.3f} {held[2]:<9.3f} {held[3]:<7.3f} {held[4]:<6.3f} {width:.3f}"
                  + ("  outside of 93 to 97 %" if wrong else ""), flush=True)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
