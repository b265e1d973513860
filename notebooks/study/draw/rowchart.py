"""A chart of labelled rows: the frame that most figures of the study share."""

import numpy as np

from study.draw.style import (
    INK,
    LINE,
    MARGIN,
    PALE,
    RULE,
    SMALL,
    SOFT,
    TEXT,
    TITLE,
    base,
    block,
    page,
    panel,
    percent,
    text_width,
    wrap,
)

PITCH = 0.15  # inches from one row to the next
HALF = "#7A7A7A"
GAP = 0.07  # extra room before a row that begins a group


class RowChart:
    """A figure whose rows are labelled at the left; panels and columns of text beside them.

    Rows take the height their labels need; vertical coordinates of panels are inches
    from the top of the first row, so ``y[i]`` is the middle of row ``i`` in all of them.

    Parameters
    ----------
    labels : list of str
    title : str
    width : float
        Of the figure, inches.
    indent : list of int, optional
        How deep each label is set in.
    gaps : collection of int
        Rows that begin a group.
    strong : collection of int
        Rows set in bold.
    header : int
        Lines of text above the panels.
    axis : int
        Lines of text below them: tick labels and axis title.
    note : str
        Small print at the bottom.
    label_share : float
        Of the width, at most, for the labels.

    Attributes
    ----------
    figure, paper, y
        The figure, axes over all of it in inches, the rows' middles.
    left, right : float
        Where panels may begin and end, inches.
    """

    def __init__(self, labels, title, width, *, indent=None, gaps=(), strong=(), header=0,
                 axis=2, note="", label_share=0.4, pitch=PITCH):
        indent = indent or [0] * len(labels)
        room = label_share * width - MARGIN
        texts = [wrap(label, room - 0.1 * deep, TEXT) for label, deep in
                 zip(labels, indent, strict=True)]
        heights = np.array([pitch + LINE * text.count("\n") for text in texts])
        starts = np.cumsum(heights) - heights + GAP * np.cumsum(
            [i in gaps for i in range(len(labels))])
        self.y = starts + heights / 2
        self.height = float(starts[-1] + heights[-1])
        self.heights = heights
        title = wrap(title, width - 2 * MARGIN, TITLE)
        note = wrap(note, width - 2 * MARGIN, SMALL, lines=6)
        self.top = (MARGIN + (0.16 + 0.13 * title.count("\n") if title else 0)
                    + LINE * header + 0.04)
        self.bottom = self.top + self.height
        total = (self.bottom + (0.05 + 0.13 * axis if axis else 0.02)
                 + (0.05 + 0.115 * (note.count("\n") + 1) if note else 0) + MARGIN)
        self.width = width
        self.figure, self.paper = page(width, total)
        block(self.paper, MARGIN, MARGIN, title, TITLE, 0.13)
        if note:
            block(self.paper, MARGIN, total - MARGIN - 0.115 * (note.count("\n") + 1), note, SMALL,
                  0.115, color=SOFT)
        widest = 0.0
        for i, text in enumerate(texts):
            bold = "bold" if i in strong else "normal"
            block(self.paper, MARGIN + 0.1 * indent[i],
                  self.top + self.y[i] - LINE / 2 * (text.count("\n") + 1), text, weight=bold)
            widest = max(widest, 0.1 * indent[i] + max(text_width(t) for t in text.split("\n"))
                         * (1.12 if i in strong else 1))
        self.left = MARGIN + widest + 0.08
        self.right = width - MARGIN

    def panel(self, left, right, limits, label, *, header="", ticks=None, names=None,
              axis_title="", grid=True):
        """Axes over all rows, from one place to another, in inches.

        Parameters
        ----------
        left, right : float
        limits : tuple of float
            Of the horizontal axis.
        label : str
            Names the axes, for tests.
        header : str
            Above the panel, at its left edge.
        ticks, names : list, optional
            Where the grid lines are and what stands below them.
        axis_title : str

        Returns
        -------
        matplotlib.axes.Axes
        """
        axes = panel(self.figure, left, self.top, right - left, self.height, label)
        axes.set(xlim=limits, ylim=(self.height, 0), yticks=[])
        axes.spines["left"].set_visible(False)
        if ticks is None:
            axes.set_xticks([])
            axes.spines["bottom"].set_visible(False)
        else:
            axes.set_xticks(ticks, names if names is not None else ticks)
            if grid:
                axes.grid(axis="x", color=RULE, linewidth=0.5)
        if axis_title:
            axes.set_xlabel(axis_title, labelpad=2)
        if header:
            self.header(left, header)
        return axes

    def share_panel(self, left, right, label, *, upper=1.0, header="", axis_title="", step=None):
        """Axes for shares, 0 to ``upper``, with percentages below."""
        step = step or (0.25 if (right - left) / upper > 1.3 else 0.5)
        ticks = [t * step for t in range(int(upper / step + 1e-9) + 1)]
        names = [percent(t).rstrip("%") for t in ticks[:-1]] + [percent(ticks[-1])]
        return self.panel(left, right, (0, upper), label, header=header, ticks=ticks,
                          names=names, axis_title=axis_title)

    def header(self, x, text, align="left"):
        """Text above the rows."""
        block(self.paper, x, self.top - 0.03 - LINE * (text.count("\n") + 1), text, SMALL,
              ha=align, color=SOFT)

    def column(self, x, texts, header="", align="right", color=INK, size=SMALL):
        """A column of text beside the rows; empty strings are left out."""
        for y, text in zip(self.y, texts, strict=True):
            if text:
                self.paper.text(x, base(self.top + y, size), text, size=size, ha=align,
                                color=color, va="baseline")
        if header:
            self.header(x, header, align)

    def band(self, rows, color=PALE):
        """A pale ground behind some rows, over the whole width."""
        for i in rows:
            self.paper.axhspan(self.top + self.y[i] - self.heights[i] / 2,
                               self.top + self.y[i] + self.heights[i] / 2, color=color, zorder=-2)


def near_half(axes, margins=()):
    """One half as a dashed line; so near to it that one may say about half, shaded."""
    for margin in margins:
        axes.axvspan(0.5 - margin, 0.5 + margin, color=SOFT, alpha=0.12, linewidth=0, zorder=0,
                     gid=f"within {margin}")
    axes.axvline(0.5, color=HALF, linewidth=0.8, dashes=(3, 2), zorder=1)


def interval(axes, x, low, high, y, color, *, marker="o", hollow=False, size=3.6):
    """A point and its interval, on one row.

    Returns
    -------
    tuple of (matplotlib.lines.Line2D, matplotlib.lines.Line2D)
        The interval and the point.
    """
    line, = axes.plot([low, high], [y, y], color=color, linewidth=1.0, zorder=2,
                      solid_capstyle="butt")
    point, = axes.plot([x], [y], linestyle="none", marker=marker, markersize=size, zorder=3,
                       color=color, markerfacecolor="white" if hollow else color,
                       markeredgewidth=0.9, markeredgecolor=color, clip_on=False)
    return line, point
