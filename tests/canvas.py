"""What a figure's text covers, measured as drawn: used by the tests of the figures."""

import math

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


def texts(figure):
    """Every text that is drawn."""
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()  # everything in its place, and no pixel
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            outside = [t for t in axis.get_major_ticks() if not low <= t.get_loc() <= high]
            for part in ([axis] if not axes.axison else outside):
                hidden |= set(part.findobj(Text))
    return [t for t in figure.findobj(Text)
            if t.get_visible() and t.get_text().strip() and t not in hidden]


def corners(text):
    """The four corners of a text as drawn, in pixels; turned texts keep their angle."""
    angle = math.radians(text.get_rotation())
    if not angle:
        box = text.get_window_extent()
        return [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)]
    assert text.get_rotation_mode() == "anchor"
    turned = text.get_rotation()
    text.set_rotation(0)
    box = text.get_window_extent()
    text.set_rotation(turned)
    x0, y0 = text.get_transform().transform(text.get_position())
    return [(x0 + (x - x0) * math.cos(angle) - (y - y0) * math.sin(angle),
             y0 + (x - x0) * math.sin(angle) + (y - y0) * math.cos(angle))
            for x, y in ((box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1))]


def overlap(one, two, slack=0.6):
    """Whether two convex shapes share more than a sliver (separating axes)."""
    for shape in (one, two):
        for (x0, y0), (x1, y1) in zip(shape, shape[1:] + shape[:1], strict=True):
            length = math.hypot(x1 - x0, y1 - y0) or 1
            nx, ny = (y0 - y1) / length, (x1 - x0) / length
            a, b = ([x * nx + y * ny for x, y in s] for s in (one, two))
            if max(a) - slack <= min(b) or max(b) - slack <= min(a):
                return False
    return True


def faults_of(figure, drawn=None):
    """Texts that leave the canvas or run into each other, in words."""
    shapes = [(t.get_text(), corners(t)) for t in drawn or texts(figure)]
    width, height = figure.bbox.width, figure.bbox.height
    found = [f"{text!r} leaves the canvas" for text, shape in shapes
             if any(x < -0.5 or x > width + 0.5 or y < -0.5 or y > height + 0.5
                    for x, y in shape)]
    boxes = [tuple(f(c) for c in zip(*shape, strict=True) for f in (min, max))
             for _, shape in shapes]
    near = [[j for j, (x0, x1, y0, y1) in enumerate(boxes[i + 1:], i + 1)
             if x0 < right and x1 > left and y0 < top and y1 > bottom]
            for i, (left, right, bottom, top) in enumerate(boxes)]
    return found + [f"{a!r} runs into {shapes[j][0]!r}" for i, (a, one) in enumerate(shapes)
                    for j in near[i] if overlap(one, shapes[j][1])]
