"""A figure that rests on model raters says so, and shows the same as before."""

import numpy as np
import pytest

from study.draw import gallery
from study.draw.picture import marked


@pytest.mark.parametrize("name", ["how_to_topics", "kappa_by_round", "taxonomy"])
def test_title_caption_alt_and_the_figure_itself_say_it(name, study):
    picture = gallery.draw(name, study)
    height = picture.figure.get_figheight()
    before = [a.get_position(original=True).bounds for a in picture.figure.axes]
    made = marked(picture, "model-labelled")
    assert made.title == f"{picture.title} (model-labelled)"
    assert made.caption.startswith("Model-labelled. ")
    assert made.alt.startswith("Model-labelled. ")
    assert [t.get_text() for t in made.figure.texts].count("model-labelled") == 1
    assert b"model-labelled" in made.file("svg")
    # In inches from the bottom, every part is where it was: the strip is new, above the title.
    grown = made.figure.get_figheight()
    assert grown > height
    for axes, (_, y, _, h) in zip(made.figure.axes, before, strict=True):
        own = axes.get_position(original=True)
        assert np.allclose([own.y0 * grown, own.height * grown], [y * height, h * height])
    assert marked(made, "model-labelled") is made
