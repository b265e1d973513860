"""Picture of the taxonomy: stages, groups and symptoms as an icicle."""

import pandas as pd
from matplotlib.patches import Rectangle

from study.draw.picture import Picture, nothing
from study.draw.style import (
    DOUBLE,
    INK,
    LINE,
    MARGIN,
    SHARE,
    SMALL,
    SOFT,
    TEXT,
    TITLE,
    base,
    block,
    listing,
    look,
    on,
    page,
    panel,
    percent,
    plural,
    spread,
    text_width,
    wrap,
)
from study.measure.symptoms import LEVELS, PATH, taxonomy

TALL = 6.2  # inches the faults share, at most
RARE = 2  # symptoms of so many faults or fewer share a box, where they are many
PITCH = 0.122  # between labels at the side
EDGES = {"stage": (0.06, 1.24), "group": (1.26, 2.28), "symptom": (2.30, 4.46)}
ASIDE = 4.66  # where labels begin that do not fit into their box


def taxonomy_icicle(faults, codebook=None):
    """Stages, groups and symptoms of faults; the height of a box is its number of faults.

    Parameters
    ----------
    faults : pandas.DataFrame
        ``data/study/faults.csv``.
    codebook : Codebook, optional
        Orders the stages.

    Returns
    -------
    Picture

    Examples
    --------
    >>> from study.tabulate.tables import load_study
    >>> data = taxonomy_icicle(load_study().faults).data
    >>> data.groupby("level")["n"].sum().to_dict()["symptom"]
    637
    """
    name, title = "taxonomy", "Taxonomy of fault symptoms by stage"
    faults = faults[faults["n"] > 0]
    if faults.empty:
        return nothing(name, title, "faults", faults)
    data = _levels(faults, codebook)
    boxes = _places(data)
    with look(name):
        figure = _draw(boxes, title, int(faults["n"].sum()))
    leaves, stages = (data[data["level"] == x] for x in ("symptom", "stage"))
    n = int(leaves["n"].sum())
    caption = (f"Stages, symptom groups and symptoms of {plural(n, 'fault')}. The height of a box "
               "is its number of faults, its colour the share that is distributed-specific; the "
               "first number is the former, the second the latter."
               + (" Symptoms of very few faults are put together within their group."
                  if (boxes["folded"] > 1).any() else ""))
    alt = (f"Icicle diagram in three columns, {plural(len(stages), 'stage')} to "
           f"{plural(len(leaves), 'symptom')}. " + " ".join(
               f"{r.stage or '(none)'}: {plural(r.n, 'fault')}, {percent(r.specific_share)} "
               "distributed-specific, most often "
               + listing(f"{s.symptom or '(none)'} ({s.n:,})" for s in leaves[
                   leaves["stage"] == r.stage].nlargest(3, "n").itertuples()) + "."
               for r in stages.itertuples()))
    return Picture(name, title, figure, data, caption, alt)


def _levels(faults, codebook):
    parts = [taxonomy(faults, level, codebook).assign(level=level) for level in LEVELS]
    data = pd.concat(parts, ignore_index=True)
    data[PATH] = data[PATH].fillna("")
    order = {stage: i for i, stage in enumerate(parts[0]["stage"])}
    levels = list(LEVELS)
    data["_"] = data["stage"].map(order)
    data["_level"] = data["level"].map(levels.index)
    # The groups of a stage by size, as the symptoms within them.
    data = data.sort_values(["_level", "_"], kind="stable")
    groups = data["level"] == "group"
    size = data[groups].set_index(["stage", "group"])["n"]
    data["_group"] = [-size.get((r.stage, r.group), 0) for r in data.itertuples()]
    data = data.sort_values(["_level", "_", "_group", "group", "n"],
                            ascending=[True, True, True, True, False], kind="stable")
    return data[["level", *PATH, "n", "share", "specific", "specific_share", "low",
                 "high"]].reset_index(drop=True)


def _fold(leaves, scale, rare):
    """Symptoms too thin for a label and of at most ``rare`` faults, one box a group."""
    leaves = leaves.assign(folded=1)
    thin = (leaves["n"] * scale < PITCH) & (leaves["n"] <= rare)
    parts = []
    for (_, _), own in leaves.groupby(["stage", "group"], sort=False):
        few = own[thin.loc[own.index]]
        if len(few) < 2:
            parts.append(own)
            continue
        one = few.iloc[[0]].assign(
            symptom=f"{len(few)} symptoms (≤ {few['n'].max()} each)", n=few["n"].sum(),
            specific=few["specific"].sum(), folded=len(few))
        one["specific_share"] = one["specific"] / one["n"]
        parts += [own.drop(few.index), one]
    return pd.concat(parts)


def _places(data):
    """Every box with its top and height in inches from the top of the chart."""
    total = data.loc[data["level"] == "stage", "n"].sum()
    leaves = data[data["level"] == "symptom"]
    tall = min(TALL, max(1.2, 0.3 * len(leaves)))
    scale = tall / total
    # However many symptoms there are, the labels at the side must fit.
    for rare in (RARE, *sorted(n for n in set(leaves["n"]) if n > RARE)):
        folded = _fold(leaves, scale, rare)
        if (folded["n"] * scale < PITCH).sum() * PITCH <= tall:
            break
    boxes = pd.concat([data[data["level"] != "symptom"].assign(folded=1), folded])
    boxes["height"] = boxes["n"] * scale
    boxes["top"] = boxes.groupby("level", sort=False)["height"].cumsum() - boxes["height"]
    return boxes


def _draw(boxes, title, total):
    tall = boxes.loc[boxes["level"] == "stage", "height"].sum()
    top = MARGIN + 0.2 + LINE + 0.05
    figure, paper = page(DOUBLE, top + tall + 0.42 + MARGIN)
    block(paper, MARGIN, MARGIN, title, TITLE, 0.13)
    heads = {"stage": "stage", "group": "group",
             "symptom": "symptom   (faults · distributed-specific)"}
    for level, text in heads.items():
        paper.text(EDGES[level][0], top - 0.05, text, size=SMALL, va="bottom", color=SOFT)
    grouped = set(boxes.loc[(boxes["level"] == "group") & (boxes["group"] != ""), "stage"])
    aside = []
    for box in boxes.itertuples():
        left, right = EDGES[box.level]
        if box.level == "stage" and box.stage not in grouped:
            right = EDGES["group"][1]
        if box.level == "group" and (box.group == "" and box.stage not in grouped):
            continue
        color = SHARE(box.specific_share)
        paper.add_patch(Rectangle((left, top + box.top), right - left, box.height,
                                  facecolor=color, edgecolor="white",
                                  linewidth=0.6 if box.height > 0.04 else 0.2,
                                  gid=f"{box.level}-{box.Index}"))
        if not _inside(paper, box, left, right, top, on(color)) and box.level == "symptom":
            aside.append(box)
    for y in boxes.loc[boxes["level"] == "stage", "top"].iloc[1:]:
        paper.plot([EDGES["stage"][0], EDGES["symptom"][1]], [top + y, top + y], color="white",
                   linewidth=2)
    _beside(paper, aside, boxes, top, tall)
    _legend(figure, paper, top + tall + 0.14, total)
    return figure


def _inside(paper, box, left, right, top, color):
    """Set the label into its box; False where it does not fit."""
    text = getattr(box, box.level) or "(none)"
    middle = top + box.top + box.height / 2
    counts = f"{box.n:,} · {percent(box.specific_share)}"
    room = right - left - 0.1
    if box.level == "symptom":
        if box.height < PITCH:
            return False
        paper.text(right - 0.05, base(middle), counts, size=SMALL, ha="right", va="baseline",
                   color=color)
        room -= text_width(counts, SMALL) + 0.08
        size = TEXT if text_width(text, TEXT) <= room else SMALL
        paper.text(left + 0.05, base(middle), wrap(text, room, size, 1), size=size,
                   va="baseline", color=color)
        return True
    lines = min(3, int(box.height / LINE) - 1)
    if lines >= 1:
        paper.text(left + 0.05, middle, f"{wrap(text, room, TEXT, lines)}\n{counts}", size=TEXT,
                   va="center", color=color, linespacing=1.15)
        return True
    if box.height >= PITCH:
        paper.text(left + 0.05, base(middle), wrap(text, room, TEXT, 1), size=TEXT,
                   va="baseline", color=color)
        return True
    return False


def _beside(paper, aside, boxes, top, tall):
    """Labels of the thin boxes, at the side, each with a line to its box."""
    named = set(boxes.loc[(boxes["level"] == "stage") & (boxes["height"] >= PITCH), "stage"])
    middles = [top + box.top + box.height / 2 for box in aside]
    places = spread(middles, PITCH, top + PITCH / 2, top + tall - PITCH / 2)
    edge = EDGES["symptom"][1]
    for box, middle, place in zip(aside, middles, places, strict=True):
        text = box.symptom or "(none)"
        if box.stage not in named:
            text = f"{box.stage}: {text}"
        counts = f"{box.n:,} · {percent(box.specific_share)}"
        paper.plot([edge + 0.01, edge + 0.06, ASIDE - 0.09, ASIDE - 0.03],
                   [middle, middle, place, place], color="#8A8A8A", linewidth=0.5)
        room = DOUBLE - MARGIN - ASIDE - text_width(counts, SMALL) - 0.08
        label = wrap(text, room, SMALL, 1)
        paper.text(ASIDE, base(place, SMALL), label, size=SMALL, va="baseline")
        paper.text(ASIDE + text_width(label, SMALL) + 0.08, base(place, SMALL), counts,
                   size=SMALL, va="baseline", color=SOFT)


def _legend(figure, paper, top, total):
    text = "distributed-specific share"
    paper.text(MARGIN, base(top + 0.05, SMALL), text, size=SMALL, va="baseline", color=SOFT)
    left = MARGIN + text_width(text, SMALL) + 0.12
    bar = panel(figure, left, top, 1.6, 0.1, "legend")
    for i in range(20):
        bar.add_patch(Rectangle((i / 20, 0), 1 / 20, 1, facecolor=SHARE((i + 0.5) / 20),
                                edgecolor=SHARE((i + 0.5) / 20), linewidth=0.2))
    bar.set(xlim=(0, 1), ylim=(0, 1), yticks=[])
    bar.set_xticks([0, 0.5, 1], ["0", "50", "100%"])
    bar.spines[["left", "bottom"]].set_visible(False)
    paper.text(DOUBLE - MARGIN, base(top + 0.05, SMALL), f"n = {total:,} faults", size=SMALL,
               ha="right", va="baseline", color=INK)
