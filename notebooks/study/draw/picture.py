"""A figure with what belongs to it: data, caption, alt text, and its files byte for byte."""

import io
from dataclasses import dataclass, field, replace

import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from study.draw.style import (
    LINE,
    MARGIN,
    PRINT,
    SCREEN,
    SINGLE,
    SOFT,
    TEXT,
    TITLE,
    block,
    look,
    page,
    wrap,
)

FORMATS = ("svg", "pdf", "png", "csv")


@dataclass(frozen=True)
class Picture:
    """One figure of the study.

    Attributes
    ----------
    name : str
        Stem of its files.
    title : str
        What is shown, in a few words; it stands in the figure too.
    figure : matplotlib.figure.Figure
    data : pandas.DataFrame
        Every value drawn.
    caption, alt : str
        For the reader who sees the figure, and for the one who does not.
    """

    name: str
    title: str
    figure: Figure = field(repr=False)
    data: pd.DataFrame = field(repr=False)
    caption: str = field(repr=False)
    alt: str = field(repr=False)
    _made: dict = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self):
        return f"Picture({self.name!r})"

    def _repr_png_(self):
        """What Jupyter shows: the figure, with its alt text."""
        return self.png(SCREEN), {"alt": self.alt}

    def png(self, dpi=PRINT):
        """Bytes of the figure as PNG, of at most 256 colours, without a software tag."""
        drawn = Image.open(io.BytesIO(self._saved("png", dpi=dpi, metadata={"Software": None},
                                                  pil_kwargs={"compress_level": 1})))
        buffer = io.BytesIO()
        small = drawn.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small.save(buffer, "png", dpi=(dpi, dpi), compress_level=6)
        return buffer.getvalue()

    def pdf(self):
        """Bytes of the figure as PDF, without date and versions."""
        return self._saved("pdf", metadata={"Title": self.title, "Subject": self.alt,
                                            "CreationDate": None, "Creator": None,
                                            "Producer": None})

    def svg(self):
        """Bytes of the figure as SVG, without date and versions, with title and description."""
        made = self._saved("svg", metadata={"Title": self.title, "Description": self.alt,
                                            "Date": None, "Creator": None}).decode()
        # Screen readers take an SVG's description from <desc>, not from its metadata.
        made = made.replace("<svg ", '<svg role="img" ', 1)
        made = made.replace("</title>", f"</title>\n <desc>{_escaped(self.alt)}</desc>", 1)
        return "\n".join(line.rstrip() for line in made.splitlines()).encode() + b"\n"

    def csv(self):
        """Bytes of the data as CSV: UTF-8, LF, six digits after the point."""
        return self.data.to_csv(index=False, float_format="%.6f", lineterminator="\n").encode()

    def file(self, suffix):
        """Bytes of one of ``FORMATS``; made once, because comparing and saving both ask."""
        if suffix not in self._made:
            self._made[suffix] = getattr(self, suffix)()
        return self._made[suffix]

    def _saved(self, form, **options):
        buffer = io.BytesIO()
        with look(salt=self.name):
            self.figure.savefig(buffer, format=form, **options)
        return buffer.getvalue()


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def marked(picture, words):
    """The picture with words in name, title, caption and alt text, and in the figure itself.

    Parameters
    ----------
    picture : Picture
        Its figure is changed.
    words : str
        Such as *model-labelled*.

    Returns
    -------
    Picture
    """
    name = f"{words.replace('-', '_')}_"
    if picture.name.startswith(name):
        return picture
    said, title = words[0].upper() + words[1:], picture.title
    if words not in title:  # else the figure shows it
        title = f"{title} ({words})"
        with look(picture.name):
            _stamp(picture.figure, words)
    return replace(picture, name=name + picture.name, title=title, alt=f"{said}. {picture.alt}",
                   caption=f"{said}. {picture.caption}", _made={})


def _stamp(figure, words):
    """Write words above the title: a strip is added at the top, everything else stays in place."""
    width, height = figure.get_size_inches()
    strip = 1.6 * TEXT / 72  # inches
    part = height / (height + strip)
    figure.set_size_inches(width, height + strip)
    for axes in figure.axes:
        x, y, w, h = axes.get_position(original=True).bounds
        axes.set_position((x, y * part, w, h * part))
    for text in figure.texts:
        text.set_y(text.get_position()[1] * part)
    left = min((text.get_position()[0] for text in figure.texts), default=0.01)
    figure.text(max(left, 0.005), 1, words, ha="left", va="top", size=TEXT, weight="bold")


def nothing(name, title, what, data=None):
    """A picture that says that there is nothing to show, where a study has no such data.

    Parameters
    ----------
    name, title : str
    what : str
        What there is none of, in the plural.
    data : pandas.DataFrame, optional

    Returns
    -------
    Picture

    Examples
    --------
    >>> nothing("topics", "How-to topics", "how-to questions").alt
    'There are no how-to questions in these data, so there is nothing to draw.'
    """
    text = f"There are no {what} in these data, so there is nothing to draw."
    with look(salt=name):
        room = SINGLE - 2 * MARGIN
        head, said = wrap(title, room, TITLE), wrap(text, room, lines=3)
        top = MARGIN + 0.13 * (head.count("\n") + 1) + 0.06
        figure, paper = page(SINGLE, top + LINE * (said.count("\n") + 1) + MARGIN)
        block(paper, MARGIN, MARGIN, head, TITLE, 0.13)
        block(paper, MARGIN, top, said, TEXT, color=SOFT)
    return Picture(name, title, figure, pd.DataFrame() if data is None else data, text, text)
