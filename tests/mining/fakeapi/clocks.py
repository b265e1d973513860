"""Clocks for tests: one that never sleeps, one that runs fast in several processes."""

import time

from mining.transport.clock import Clock

START = 1_700_000_000.0  # 2023-11-14T22:13:20Z


class FastClock(Clock):
    """Time moves only when somebody sleeps; a day's wait takes no time at all."""

    def __init__(self, start=START):
        self.time, self.slept = start, 0.0

    def now(self):
        return self.time

    def monotonic(self):
        return self.slept

    def sleep(self, seconds, tick=None):
        if seconds > 0:
            if tick:
                tick(seconds)
            self.time += seconds
            self.slept += seconds


class ScaledClock(Clock):
    """The machine's time times ``factor`` since ``origin``: equal in every process."""

    slice_seconds = 0.02

    def __init__(self, origin, factor):
        self.origin, self.factor = origin, factor

    def now(self):
        return START + (time.time() - self.origin) * self.factor

    def monotonic(self):
        return time.monotonic() * self.factor

    def sleep(self, seconds, tick=None):  # noqa: ARG002
        time.sleep(max(0.0, seconds) / self.factor)


class JumpingClock(Clock):
    """The machine's clock, set by ``seconds`` once it was looked at ``after`` times."""

    def __init__(self, seconds, after):
        self.seconds, self.left = seconds, after

    def now(self):
        self.left -= 1
        return super().now() + (self.seconds if self.left < 0 else 0)
