"""``python reproduce.py``: every finding, figure and notebook from the counts."""

import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import IPython  # noqa: F401  (matplotlib asks for it: not from a thread while nbclient imports it)

from study.base.files import other_versions, publish, replace_block
from study.base.paths import FIGURES, NOTEBOOKS, ROOT, STUDY, shown
from study.decide import claims, multiverse
from study.draw import gallery
from study.measure.composition import composition
from study.run import notebooks as execute
from study.tabulate.rebuild import check_manifest
from study.tabulate.tables import COLUMNS, load_study
from study.tell import page as report

WIDTHS = (46, 10, 26, 20)


def run(server, say=print):
    """Run every step, write what differs, report.

    Parameters
    ----------
    server : warmkernel.Server or None
        As ``execute.prepared`` yields it.
    say : callable
        Receives one line at a time.

    Returns
    -------
    int
        0 where everything was as committed, 1 where a file had to change.
    """
    other, changed = other_versions(), []
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
        robust = multiverse.summary(every)
        changed += _publish(STUDY / "multiverse.csv", multiverse.to_text(every))
        step.says = f"{len(every):,} combinations of decisions"
    with _step(say, "findings") as step:
        found = claims.findings(study, robustness=robust, composition=composition(study))
        changed += _publish(STUDY / "findings.json", claims.to_json(found))
        changed += ["README.md"] * replace_block(ROOT / "README.md", "findings",
                                                 claims.markdown(found))
        step.says = f"{len(found)} claims"
    published = next(c["published"] for c in found if c["id"] == "categories")
    paths = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
    # The figures are drawn in a thread while this one waits for the notebooks' kernels.
    with ThreadPoolExecutor(1) as pool:
        drawing = pool.submit(_pictures, study, found, published, every, not other, say)
        with _step(say, "notebooks") as step:
            texts = execute.run_prepared(server, paths)
            step.says = f"{len(paths)} notebooks"
        changed += drawing.result()
    if not other:
        changed += [shown(p) for p, text in texts.items() if publish(p, text)]
    say("")
    say(findings_text(found))
    say("")
    for path in changed:
        say(f"changed  {path}")
    say("Everything is as committed." if not changed else
        f"{len(changed)} files differ from what is committed; git diff shows how.")
    return 1 if changed else 0


def _pictures(study, found, published, universes, store, say):
    """The figures and the page made of them; files that changed."""
    with _step(say, "figures") as step:
        pictures = gallery.render(study, published, universes)
        changed = gallery.compare(pictures, FIGURES)
        if changed and store:
            gallery.save(pictures, FIGURES)
        step.says = f"{len(pictures)} figures"
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
        As ``claims.findings`` returns it.

    Returns
    -------
    str
    """
    head = ("what the study says, or leaves open", "published", "found here (95 %)", "verdict")
    lines = [_line(head), _line(["-" * w for w in WIDTHS])]
    for row in claims.findings_table(found):
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
