"""How every figure looks: sizes, type, colours, and text that is measured before it is set.

Figures are laid out in inches from the top left corner of the page, so that a label that
needs two lines gets the room of two lines, whatever names a study brings along.
"""

from functools import lru_cache
from pathlib import Path

import matplotlib.style
from matplotlib import get_data_path
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.textpath import text_to_path

from study.base.numbers import plural  # noqa: F401 (drawings take their words from here)

SINGLE, DOUBLE = 3.35, 7.0  # inches: 85 mm, one column; 178 mm, the whole page
TITLE, TEXT, SMALL = 8.0, 7.0, 6.5  # points
SCREEN, PRINT = 150, 300  # dots per inch
LINE = 0.12  # inches from one line of text to the next
MARGIN = 0.06
FONT = "DejaVu Sans"  # comes with matplotlib, so it is the same everywhere …
# … unless the system has an edition of its own, which would be found first.
fontManager.ttflist = [f for f in fontManager.ttflist if f.name != FONT]
for _path in sorted(Path(get_data_path(), "fonts", "ttf").glob("DejaVuSans*.ttf")):
    fontManager.addfont(_path)

INK, SOFT, RULE, PALE = "#1A1A1A", "#595959", "#D2D2D2", "#EFEFEF"
# Okabe and Ito's colours, told apart with every kind of colour vision.
BLUE, ORANGE, GREEN, SKY = "#0072B2", "#E69F00", "#009E73", "#56B4E9"
NESTED = ("#175A94", "#74ABD8", "#CBDFF0")  # parts of one whole, most important first
# From pale yellow to blue: lightness falls all the way, so it survives grey printing.
SHARE = LinearSegmentedColormap.from_list("share", ["#FFF3C4", "#DDE7C8", "#A3CACF", "#5FA3D0"])
COUNT = LinearSegmentedColormap.from_list("count", ["#F3F7FB", "#A9CCE6", "#4A90C6", "#0B4F8A"])

RC = {
    "font.family": FONT, "font.sans-serif": [FONT], "font.size": TEXT,
    "mathtext.fontset": "dejavusans", "text.parse_math": False, "text.color": INK,
    "axes.titlesize": TEXT, "axes.labelsize": TEXT, "axes.labelcolor": INK,
    "axes.edgecolor": SOFT, "axes.linewidth": 0.6,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "xtick.labelsize": SMALL, "ytick.labelsize": SMALL,
    "xtick.color": SOFT, "ytick.color": SOFT, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "xtick.major.size": 2, "ytick.major.size": 2, "xtick.major.pad": 2, "ytick.major.pad": 2,
    "lines.linewidth": 1.0, "lines.solid_capstyle": "butt", "patch.linewidth": 0.0,
    "figure.facecolor": "white", "savefig.facecolor": "white",
    "svg.fonttype": "path",
    # Outlines of real letters, not drawings of them, as publishers ask; and no
    # compression, whose bytes would differ from one zlib to the next.
    "pdf.fonttype": 42, "pdf.compression": 0,
}


def look(salt="study"):
    """Context in which figures are made and saved: matplotlib's defaults and our settings.

    Parameters
    ----------
    salt : str
        Makes the identifiers inside an SVG the same in every run.

    Returns
    -------
    context manager
        What the user set for other figures is back afterwards.
    """
    return matplotlib.style.context(["default", {**RC, "svg.hashsalt": salt}])


def page(width, height):
    """An empty figure, and axes over all of it that measure inches from the top left.

    Parameters
    ----------
    width, height : float
        Inches.

    Returns
    -------
    tuple of (matplotlib.figure.Figure, matplotlib.axes.Axes)

    Examples
    --------
    >>> figure, paper = page(3.35, 2)
    >>> [float(y) for y in paper.get_ylim()]
    [2.0, 0.0]
    """
    figure = Figure(figsize=(width, height), dpi=SCREEN)
    paper = figure.add_axes((0, 0, 1, 1), label="paper")
    paper.set_axis_off()
    paper.set(xlim=(0, width), ylim=(height, 0))
    return figure, paper


def panel(figure, left, top, width, height, label):
    """Axes at a place given in inches from the top left corner of the figure."""
    whole_width, whole_height = figure.get_size_inches()
    axes = figure.add_axes((left / whole_width, 1 - (top + height) / whole_height,
                            width / whole_width, height / whole_height), label=label)
    axes.patch.set_visible(False)  # text on the paper may reach into a panel
    return axes


def block(paper, x, top, lines, size=TEXT, pitch=LINE, **how):
    """Lines of text one under the other; ``top`` is where the first line's room begins."""
    for i, line in enumerate(lines.split("\n")):
        paper.text(x, base(top + (i + 0.5) * pitch, size), line, size=size, va="baseline", **how)


def base(middle, size=TEXT):
    """Base line of text whose capitals are centred on a height, both in inches from the top.

    Letters with descenders would sit higher than others if their boxes were centred.
    """
    return middle + 0.365 * size / 72


@lru_cache(maxsize=10_000)
def text_width(text, size=TEXT):
    """Width of one line of text.

    Parameters
    ----------
    text : str
    size : float
        Points.

    Returns
    -------
    float
        Inches; a little more than the letters take, for the rounding of a screen.

    Examples
    --------
    >>> text_width("hang") < text_width("hang and timeout")
    True
    """
    if not text:
        return 0.0
    width, _, _ = text_to_path.get_text_width_height_descent(
        text, FontProperties(family=FONT, size=size), False)
    return 1.035 * width / 72


def wrap(text, width, size=TEXT, lines=2):
    """Text broken into lines no wider than a width, cut with an ellipsis after the last.

    Parameters
    ----------
    text : str
    width : float
        Inches.
    size : float
        Points.
    lines : int
        At most so many.

    Returns
    -------
    str
        Lines joined with a line break.

    Examples
    --------
    >>> wrap("unexpected intermediate result", 1.2).splitlines()
    ['unexpected', 'intermediate result']
    >>> wrap("unexpected intermediate result", 0.8, lines=1)
    'unexpected…'
    """
    done, words = [], text.split()
    while words and len(done) < lines:
        line = words.pop(0)
        while words and text_width(f"{line} {words[0]}", size) <= width:
            line += f" {words.pop(0)}"
        last = len(done) == lines - 1 and words
        if last or text_width(line, size) > width:
            if not last:
                # A word wider than the line goes on in the next one.
                cut = len(line)
                while cut > 1 and text_width(line[:cut], size) > width:
                    cut -= 1
                if len(done) < lines - 1:
                    words.insert(0, line[cut:])
                    done.append(line[:cut])
                    continue
            while len(line) > 1 and text_width(f"{line}…", size) > width:
                line = line[:-1]
            line = f"{line.rstrip()}…"
        done.append(line)
    return "\n".join(done)


def spread(places, pitch, low, high):
    """Places of labels as near as can be to what they label, and ``pitch`` apart.

    Parameters
    ----------
    places : list of float
        Ascending.
    pitch, low, high : float
        Least distance, first and last place allowed.

    Returns
    -------
    list of float

    Examples
    --------
    >>> spread([1.0, 1.0, 5.0], 0.5, 0, 9)
    [0.75, 1.25, 5.0]
    """
    pools = []  # neighbours that push each other share their mean (pool adjacent violators)
    for i, place in enumerate(places):
        pools.append([place - i * pitch, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [[(a * m + b * n) / (m + n), m + n]]
    flat = [mean for mean, n in pools for _ in range(n)]
    top = high - (len(places) - 1) * pitch
    return [min(max(mean, low), top) + i * pitch for i, mean in enumerate(flat)]


def on(colour):
    """Black or white, whichever is easier to read on a colour.

    Examples
    --------
    >>> on("#FFFFFF") == INK
    True
    """
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
                        for v in to_rgb(colour))
    return INK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.22 else "white"


def percent(share, digits=0):
    """A share as readers write it; a dash where there is none.

    Examples
    --------
    >>> percent(0.893), percent(0.001), percent(float("nan"))
    ('89%', '<1%', '–')
    """
    if share != share:
        return "–"
    least = 0.5 * 10.0 ** -(digits + 2)  # what would be rounded to none or to all
    if 0 < share < least:
        return f"<{2 * least:.{digits}%}"
    if 1 - least < share < 1:
        return f">{1 - 2 * least:.{digits}%}"
    return f"{share:.{digits}%}"


def listing(items, last="and"):
    """Items in a sentence.

    Examples
    --------
    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    items = [str(i) for i in items]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"
