"""A step: one request and what each verdict on its answer means for the frontier."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mining.errors import MiningError, Stopped
from mining.transport import verdicts
from mining.transport.wire import Request


@dataclass
class Step:
    """One unit of mining.

    Attributes
    ----------
    kind : str
        Name of the answer, for replay.
    request : mining.transport.wire.Request
    accept : callable
        ``accept(answer)`` enters a good answer into the frontier.
    context : dict
        Stored beside the answer.
    size : int or None
        Threads asked for, where a smaller request is possible.
    skip, slice, shrink : callable or None
        What to enter for these verdicts; ``skip(answer, decision)``, the others without
        arguments. A verdict without one is an error: nobody foresaw it here.
    """

    kind: str
    request: Request
    accept: Callable
    context: dict = field(default_factory=dict)
    size: int | None = None
    skip: Callable | None = None
    slice: Callable | None = None
    shrink: Callable | None = None


def take(step, client, store):
    """Send a step's request and commit the answer with what follows from it.

    Raises
    ------
    Stopped
        After the answer was stored, where it was the last the quota allows.
    MiningError
        Where the verdict has no meaning for this step.
    """
    known = store.earlier.find(step.request.key) if store.earlier else None
    etag = known["headers"].get("etag", "") if known else ""
    outcome = client.fetch(replace(step.request, etag=etag), step.size)
    answer, decision = outcome.answer, outcome.decision
    if answer.status == 304 and known:
        answer = replace(answer, status=200, text=known["body"], data=json.loads(known["body"]),
                         headers={**known["headers"], **answer.headers})
    if decision.verb == verdicts.PROCEED or decision.keep:
        store.record(step.kind, answer, step.context, lambda: _accept(step, answer))
    elif decision.verb == verdicts.SKIP and step.skip:
        context = {**step.context, "of": step.kind, "reason": decision.reason}
        store.record("refused", answer, context, lambda: step.skip(answer, decision))
    elif decision.verb == verdicts.SLICE and step.slice:
        with store.transaction():
            step.slice()
    elif decision.verb == verdicts.SHRINK and step.shrink:
        with store.transaction():
            step.shrink()
    else:
        raise MiningError(f"{step.request.api} {step.request.path}: {decision.reason}")
    if decision.verb == verdicts.STOP:
        raise Stopped(f"{decision.reason}; what came is kept, and the same command goes on "
                      "when there is quota again (at most 24 hours)")


def _accept(step, answer):
    """Enter an answer; one of another shape than documented is told, not a traceback."""
    try:
        step.accept(answer)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise MiningError(
            f"{step.request.api} {step.request.path}: the answer is not as documented "
            f"({type(error).__name__}: {error}; it begins {answer.text[:120]!r}); it was not "
            "stored. Is the API address right?") from error
