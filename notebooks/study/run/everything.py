"""``python reproduce.py``: every finding, figure and notebook from the counts."""

import re
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import IPython  # noqa: F401  (matplotlib asks for it: not from a thread while nbclient imports it)

from study.base.files import other_versions, publish, replace_block
from study.base.paths import FIGURES, NOTEBOOKS, ROOT, STUDY, shown
from study.decide import findings as decided
from study.decide import multiverse
from study.draw import gallery
from study.measure.composition import composition
from study.run import committed
from study.run import notebooks as execute
from study.tabulate.rebuild import check_manifest
from study.tabulate.tables import COLUMNS, load_study
from study.tell import page as report
from study.tell.meaning import meaning

WIDTHS = (46, 10, 26, 20)
# What a run makes and what it makes it from; code and tests are not its subject.
RESULTS = re.compile(r"README\.md|data/.*|figures/.*|notebooks/.*\.ipynb")


def run(server, say=print, restore=False, write=False):
    """Run every step, write what differs, report.

    Parameters
    ----------
    server : warmkernel.Server or None
        As ``execute.prepared`` yields it.
    say : callable
        Receives one line at a time.
    restore : bool
        Put edited notebooks back as they are committed, first.
    write : bool
        Store what edited notebooks give.

    Returns
    -------
    int
        0 where everything is as committed, 1 where it is not.
    """
    other, changed = other_versions(), []
    paths = [NOTEBOOKS / f"{name}.ipynb" for name in execute.OWN]
    ours = {path: committed.text(path) for path in paths}
    if restore:
        for path in paths:
            if committed.restore(path, ours[path]):
                say(f"restored {shown(path)}")
    before = committed.texts(paths)
    if other:
        say("Other versions than requirements.lock: "
            + ", ".join(f"{k} {v}" for k, v in other.items())
            + ". Numbers are compared; figures and notebooks are made but not stored.")
    with _step(say, "counts") as step:
        check_manifest()
        study = load_study()
        step.says = (f"{len(COLUMNS)} tables as in manifest.json, "
                     f"{study.faults['n'].sum() + study.questions['n'].sum():,} issues")
    with _step(say, "readings") as step:
        every = multiverse.multiverse(study)
        changed += _publish(STUDY / "multiverse.csv", multiverse.to_text(every))
        step.says = (f"{len(every):,} readings of {every['claim'].nunique()} claims, "
                     f"{every['combinations'].sum():,} combinations")
    with _step(say, "findings") as step:
        found = decided.findings(study, universes=every, composition=composition(study))
        changed += _publish(STUDY / "findings.json", decided.to_json(found))
        changed += ["README.md"] * replace_block(ROOT / "README.md", "findings",
                                                 decided.markdown(found))
        step.says = f"{len(found)} claims"
    published = next(c["published"] for c in found if c["id"] == "categories")
    # The figures are drawn in a thread while this one waits for the notebooks' kernels. Who
    # stops the run does not wait for the drawing.
    pool = ThreadPoolExecutor(1)
    try:
        drawing = pool.submit(_pictures, study, found, published, every, not other, say)
        with _step(say, "notebooks") as step:
            ran = execute.run_prepared(server, paths)
            step.says = f"{len(paths)} notebooks"
        changed += drawing.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    kept = []
    for path in [] if other else paths:
        stored, said = committed.store(path, before[path], ran[path], ours[path], write)
        changed += [shown(path)] * stored
        kept += [said] * bool(said)
    say("")
    say(findings_text(found))
    say("")
    return _verdict(say, changed, kept, bool(other))


def _verdict(say, changed, kept, other):
    """Say what is not as committed, or that everything is; the exit code."""
    unlike = committed.unlike()
    results = [name for name in unlike or () if RESULTS.fullmatch(name)]
    for line in changed:
        known = unlike is not None and not other
        if not (known and line.split()[0] in results):
            say(f"{'restored' if known else 'changed '} {line}")
    for line in kept:
        say(line)
    named = "\n".join(kept)
    for name in results:
        if name not in named:
            say(f"differs  {name}")
    if results:
        say(f"{_files(results)} not as committed; git diff shows how.")
    elif kept or (changed and (other or unlike is None)):
        say(f"{_files(changed)} not as before." if changed else "The rest is as it was.")
    elif unlike is None:
        say("Every result is what it was in this folder; there is no git here to compare with "
            "what was released.")
    elif other:
        say("Every number is as committed; figures and notebooks were not stored.")
    else:
        say("Everything is as committed." if not unlike else
            "Every result is as committed; other files are not (git status).")
    return 1 if results or kept or (changed and (other or unlike is None)) else 0


def _files(names):
    return f"{len(names)} files are" if len(names) > 1 else "1 file is"


def _pictures(study, found, published, universes, store, say):
    """The figures, README's words and the page made of them; files that changed."""
    with _step(say, "figures") as step:
        pictures = gallery.render(study, published, universes)
        changed = gallery.compare(pictures, FIGURES)
        if changed and store:
            gallery.save(pictures, FIGURES)
        step.says = f"{len(pictures)} figures"
    with _step(say, "words") as step:
        changed += ["README.md"] * replace_block(ROOT / "README.md", "meaning",
                                                 meaning(study, found))
        step.says = "what is reproduced, in README"
    if store:
        with _step(say, "report") as step:
            changed += _publish(report.COMMITTED, report.render(study, found, pictures))
            step.says = "one page"
    return changed


def _publish(path, text):
    return [shown(path)] if publish(path, text) else []


class _step:
    """One line a step: its name, what it did, how long it took."""

    def __init__(self, say, name):
        self.say, self.name, self.says = say, name, ""

    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, kind, *rest):
        if kind is None:
            seconds = time.perf_counter() - self.start
            self.say(f"{self.name:<10} {self.says:<48} {seconds:5.1f} s")


def findings_text(found):
    """The findings table for a terminal.

    Parameters
    ----------
    found : list of dict
        As ``findings.findings`` returns it.

    Returns
    -------
    str
    """
    head = ("what the study says, or leaves open", "published", "found here (95 %)", "verdict")
    lines = [_line(head), _line(["-" * w for w in WIDTHS])]
    for row in decided.findings_table(found):
        verdict = row["verdict"] + (f" ({row['robust']})" if row["robust"] else "")
        cells = [textwrap.wrap(text, width) or [""] for text, width in
                 zip((row["claim"], row["published"], row["found"], verdict), WIDTHS,
                     strict=True)]
        height = max(map(len, cells))
        for i in range(height):
            lines.append(_line([c[i] if i < len(c) else "" for c in cells]))
    return "\n".join(lines)


def _line(cells):
    return "  ".join(c.ljust(w) for c, w in zip(cells, WIDTHS, strict=True)).rstrip()
