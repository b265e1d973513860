"""A fake of the GitHub and Stack Exchange APIs on loopback, over a synthetic corpus.

Everything it serves is invented and says so. Run it by itself with
``python tests/mining/fakeapi``: it prints the two addresses to export.
"""

from fakeapi.clocks import FastClock, ScaledClock
from fakeapi.corpus import Corpus
from fakeapi.server import FakeAPIs

__all__ = ["Corpus", "FakeAPIs", "FastClock", "ScaledClock"]
