"""Speed and memory of the agreement core: ``python tests/bench_agreement.py``.

Prints what was measured and exits with 1 where a limit is missed. Not part of the tests:
timings on a busy machine say little. scikit-learn (tests/requirements.lock) is the
yardstick for the loop over rows.
"""

import contextlib
import io
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "notebooks"))

from study.measure.agreement import coefficients, square_table
from study.measure.bootstrap import bootstrap
from study.run import agree

RESAMPLES = 10_000


def labels(n, q, seed=1):
    """Two raters' labels: equal in 7 of 10 cases, else drawn at random."""
    rng = np.random.default_rng(seed)
    names = np.array([f"category {i}" for i in range(q)])
    first = rng.integers(0, q, n)
    second = np.where(rng.random(n) < 0.7, first, rng.integers(0, q, n))
    return names[first].tolist(), names[second].tolist(), names.tolist()


def timed(call, *args, **options):
    start = perf_counter()
    result = call(*args, **options)
    return result, perf_counter() - start


def row_wise(first, second, resamples, seed=1):
    """The usual way: draw rows, compute kappa, again and again."""
    from sklearn.metrics import cohen_kappa_score

    first, second = np.asarray(first), np.asarray(second)
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(first), len(first))
        values.append(cohen_kappa_score(first[drawn], second[drawn]))
    return np.quantile(values, [0.025, 0.975])


def ratio(n=110, q=30, loop=300):
    """How many times faster a bootstrap of n pairs and q categories is than the loop."""
    first, second, codebook = labels(n, q)
    row_wise(first, second, 5)  # imports and warm-up
    bootstrap([[1, 1], [0, 1]], 10)
    slow = timed(row_wise, first, second, loop)[1] * RESAMPLES / loop
    results, fast = timed(
        lambda: bootstrap(square_table(first, second, codebook), RESAMPLES, seed=2))
    low, high = row_wise(first, second, loop)
    same = abs(results[1].ci_low - low) < 0.05 and abs(results[1].ci_high - high) < 0.05
    return slow, fast, same


def study_like():
    """Seconds for 6 rounds x 9 facets x 2 readings x 2 scopes, 10,000 resamples each."""
    tables = []
    for round_ in range(6):
        for q in (2, 8, 15, 2, 5, 8, 30, 40, 100):
            for scope in (1.0, 0.75):
                n = int((105 + round_) * scope)
                tables += [square_table(*labels(n, q, seed)) for seed in (1, 2)]
    return len(tables), timed(lambda: [bootstrap(t, RESAMPLES) for t in tables])[1]


def million():
    """Seconds and peak memory of one million pairs in thirty categories."""
    first, second, codebook = labels(1_000_000, 30)
    return timed(lambda: coefficients(square_table(first, second, codebook)))[1], _peak()


def files():
    """Seconds of the command on files of one million rows: two raters' columns, then a row a
    rating; and the peak memory of both."""
    first, second, _ = labels(1_000_000, 30)
    wide = "id,Ann,Ben\n" + "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(
        zip(first, second, strict=True)))
    long = "id,who,label\n" + "".join(
        f"{i},Ann,{a}\n{i},Ben,{b}\n" for i, (a, b) in enumerate(zip(
            first[:500_000], second[:500_000], strict=True)))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for content, options in ((wide, ["--wide", "Ann", "Ben"]),
                                 (long, ["--rater", "who", "--label", "label"])):
            path = Path(folder) / "labels.csv"
            path.write_text(content, encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()) as said:
                status, seconds = timed(agree.main, [str(path), "--item", "id", *options])
            if status or "n used" not in said.getvalue():
                raise SystemExit(f"agree ended with {status}")
            found.append(seconds)
    return (*found, _peak())


def _peak():
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main():
    seconds, peak = million()  # first: the peak is of the whole process
    slow, fast, same = ratio()
    tables, whole = study_like()
    wide, long, most = files()
    memory = "not measured" if peak is None else f"{peak:.0f} MiB"
    print(f"1,000,000 pairs, 30 categories: {seconds:.2f} s, process peak {memory}")
    print(f"{RESAMPLES:,} resamples of 110 pairs: {fast * 1000:.0f} ms, row by row {slow:.1f} s, "
          f"ratio {slow / fast:.0f}; same interval: {same}")
    print(f"{tables} tables like the study's: {whole:.1f} s")
    print(f"agree, 1,000,000 rows: {wide:.1f} s in two columns, {long:.1f} s with a row a rating; "
          f"process peak {'not measured' if most is None else f'{most:.0f} MiB'}")
    good = (max(wide, long) < 25 and (most is None or most < 2000) and seconds < 1
            and (peak is None or peak < 500) and slow / fast >= 100 and same and whole <= 3)
    print("within the limits" if good else "A LIMIT IS MISSED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
