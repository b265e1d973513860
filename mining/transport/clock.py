"""Time, as an object that can be replaced: nothing else here reads the clock or sleeps."""

import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class Clock:
    """The machine's clock.

    Waits are cut into short sleeps, so that Ctrl-C is answered at once and a long wait
    can show how much of it is left.
    """

    slice_seconds = 1.0

    def now(self):
        """Seconds since the epoch, UTC."""
        return time.time()

    def monotonic(self):
        """Seconds that only ever grow, whatever is done to the clock: for pace and sleep."""
        return time.monotonic()

    def sleep(self, seconds, tick=None):
        """Sleep ``seconds``; call ``tick(seconds_left)`` about once a second."""
        end = self.monotonic() + seconds
        while (left := end - self.monotonic()) > 0:
            if tick:
                tick(left)
            time.sleep(min(left, self.slice_seconds))


def iso(seconds):
    """Seconds since the epoch as ``YYYY-MM-DDTHH:MM:SSZ``.

    >>> iso(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def from_iso(text):
    """ISO 8601 day or time (UTC where no offset is given) as seconds since the epoch.

    Raises ValueError for anything else.

    >>> from_iso("1970-01-02"), from_iso("1970-01-01T00:00:01Z")
    (86400, 1)
    """
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp())


def from_http_date(text):
    """An HTTP date (RFC 9110) as seconds since the epoch, or None where it is not one.

    >>> from_http_date("Thu, 01 Jan 1970 00:01:00 GMT")
    60.0
    """
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, AttributeError):
        return None
