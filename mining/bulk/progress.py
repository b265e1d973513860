"""How far a long read is: bytes, rows, speed and time left, on standard error."""

import sys
import time


class Meter:
    """One line, rewritten on a terminal, every ten seconds elsewhere.

    Parameters
    ----------
    label : str
    """

    def __init__(self, label):
        self.label, self.terminal = label, sys.stderr.isatty()
        self.begun = time.monotonic()
        self.last = self.begun if not self.terminal else 0
        self.first = None

    def show(self, read, rows, position, total):
        """``read`` bytes of text and ``rows`` so far; at ``position`` of ``total`` (or None)."""
        now = time.monotonic()
        self.first = self.first or (now, position)
        if now - self.last < (0.2 if self.terminal else 10):
            return
        self.last = now
        text = f"{self.label}: {read / 1e6:,.0f} MB, {rows:,} rows"
        # What an earlier run had made takes no time and says nothing of the rest.
        done = position - self.first[1]
        if done and now > self.first[0]:
            speed = done / (now - self.first[0])
            text += f", {speed / 1e6:.0f} MB/s"
            if total:
                text += f", {_left((total - position) / speed)} left"
        if self.terminal:
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def close(self):
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _left(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 0):.0f} s"
