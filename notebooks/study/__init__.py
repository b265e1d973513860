"""The helper modules: read → tabulate → measure → decide → draw, tell.

A module imports from its own folder, from folders before it, and from ``base``; ``extend``
and ``run`` stand on top of all. What notebooks of your own need is here:

>>> from study import load_study, sentences, table
>>> study = load_study()
>>> str(sentences.precision(study))[:9]  # one function a statement, every number computed
'1,131 iss'
>>> table(study.exclusions).shape[1]  # a frame as readers like it
3

``figure("taxonomy", study)`` draws one of the figures that ``figures/index.csv`` lists.
"""

from importlib import import_module

_FACE = {"figure": ("study.draw.gallery", "draw"), "load_study": ("study.tabulate.tables", None),
         "sentences": ("study.tell", None), "table": ("study.tell.frames", None)}

__all__ = ["figure", "load_study", "sentences", "table"]


def __getattr__(name):
    """What the package hands on, imported when it is first asked for."""
    if name not in _FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, other = _FACE[name]
    if name == "sentences":
        return import_module("study.tell.sentences")
    return getattr(import_module(module), other or name)
