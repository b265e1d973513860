"""Progress for people: a bar on a terminal, a line now and then elsewhere."""

import shutil
import sys
import time

from tqdm import tqdm

LINE_EVERY = 10.0
WAIT_LINE_EVERY = 60.0
COUNT_EVERY = 0.2


class Progress:
    """How many threads are read, of how many known.

    On a terminal this is a tqdm bar on stderr; in a log file it is one line every ten
    seconds, so that a nightly run leaves a readable trace.
    """

    def __init__(self, label, total=None, unit="thread"):
        self.label, self.unit = label, unit
        self.terminal = sys.stderr.isatty()
        # A terminal that tells no size (some recorders) would get a bar of no size.
        size = shutil.get_terminal_size((100, 24))
        self.bar = tqdm(total=total, desc=label, unit=f" {unit}s", file=sys.stderr,
                        disable=not self.terminal, ncols=size.columns,
                        nrows=size.lines)
        self.last_line, self.last_count = time.monotonic(), 0.0
        self.done, self.total = 0, total

    def due(self):
        """Whether it is time to count again: counting costs more than showing."""
        now = time.monotonic()
        if now - self.last_count < COUNT_EVERY:
            return False
        self.last_count = now
        return True

    def update(self, done, total=None, note=""):
        """Show ``done`` of ``total`` (None: nobody knows); ``note`` says what goes on."""
        self.done, self.total = done, total
        if self.terminal:
            self.bar.total = self.total
            self.bar.n = done
            self.bar.set_postfix_str(note, refresh=False)
            self.bar.refresh()
        elif time.monotonic() - self.last_line >= LINE_EVERY:
            self.last_line = time.monotonic()
            self._line(note)

    def note(self, text):
        """Show a wait without moving the bar; in a log file, once a minute."""
        if self.terminal or time.monotonic() - self.last_line >= WAIT_LINE_EVERY:
            self.update(self.done, self.total, text)

    def _line(self, note):
        of = f" of {self.total}" if self.total else ""
        tail = f" ({note})" if note else ""
        print(f"{self.label}: {self.done}{of} {self.unit}s{tail}", file=sys.stderr, flush=True)

    def close(self):
        self.bar.close()


def wrap(iterable, label, total):
    """An iterator with a bar that appears only where it takes longer than two seconds."""
    return tqdm(iterable, desc=label, total=total, delay=2, file=sys.stderr,
                disable=not sys.stderr.isatty(), leave=False)
