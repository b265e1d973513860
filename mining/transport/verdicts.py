"""What goes into the policy and what comes out of it."""

from dataclasses import dataclass

from mining.transport.clock import iso

PROCEED, WAIT, SHRINK, SLICE, SKIP, STOP, FOLLOW = (
    "proceed", "wait", "shrink", "slice", "skip", "stop", "follow")


@dataclass(frozen=True)
class Situation:
    """What the answer alone does not say.

    Parameters
    ----------
    now : float
        Seconds since the epoch.
    attempt : int
        Failures of this request so far, in a row.
    size : int, optional
        Threads asked for at once, where that can be made smaller.
    patience : float
        Longest wait in seconds that is slept through; a longer one stops the run.
    last_backoff : float
        Seconds of the last back-off this Stack Exchange method gave.
    """

    now: float
    attempt: int = 0
    size: int | None = None
    patience: float = 3900
    last_backoff: float = 0


@dataclass(frozen=True)
class Decision:
    """The verdict on one answer.

    Attributes
    ----------
    verb : str
        proceed, wait, shrink, slice, skip, stop or follow.
    reason : str
        For the log and, with stop, for the user.
    seconds : float
        Length of the wait; with *proceed*, how long the next request of ``scope`` waits.
    scope : str
        What waits: ``github`` (the token), ``github:search``, ``stackexchange`` (the
        address), a Stack Exchange method, or "" for this request alone.
    keep : bool
        With *stop*: the answer itself is good and is stored first.
    resumable : bool
        With *stop*: the same command goes on later, rather than the user having to
        correct something.
    location : str
        With *follow*: where to.
    """

    verb: str
    reason: str = ""
    seconds: float = 0
    scope: str = ""
    keep: bool = False
    resumable: bool = False
    location: str = ""
    case: str = ""


def resume_hint(decision, situation):
    """When going on makes sense, as a phrase for the user ("" where unknown).

    >>> resume_hint(Decision(STOP, seconds=60), Situation(now=0))
    ' from 1970-01-01T00:01:00Z on'
    """
    return f" from {iso(situation.now + decision.seconds)} on" if decision.seconds else ""
