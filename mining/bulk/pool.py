"""Worker processes that end when their parent does, however it ends."""

import multiprocessing
from multiprocessing.connection import wait

from mining.errors import MiningError


def run(work, tasks, workers):
    """Do tasks in worker processes; results come back in the order of the tasks.

    Each worker waits at a pipe whose other end the parent alone holds: a parent that was
    killed leaves no process behind. At most two tasks a worker are under way.

    Parameters
    ----------
    work : callable
        Takes the parts of a task; importable, for it is called in another process.
    tasks : iterable of tuple
    workers : int

    Yields
    ------
    result
        What ``work`` returned.

    Raises
    ------
    MiningError
        As ``work`` raised it, or where a worker was ended from outside.
    """
    # Not fork: a forked child holds copies of the parent's ends of all pipes.
    context = multiprocessing.get_context("spawn")
    crew = []
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, work), daemon=True)
            process.start()
            theirs.close()
            crew.append((ours, process))
        yield from _ordered(crew, iter(tasks))
    finally:
        for ours, process in crew:
            ours.close()
            process.terminate()
            process.join()


def _ordered(crew, tasks):
    free, busy, ready = [c for c, _ in crew], {}, {}
    sent = given = 0
    more = True
    while more or busy or ready:
        while free and more and sent - given < 2 * len(crew):
            task = next(tasks, None)
            more = task is not None
            if more:
                pipe = free.pop()
                pipe.send(task)
                busy[pipe], sent = sent, sent + 1
        if busy and given not in ready:
            for pipe in wait(list(busy)):
                try:
                    good, result = pipe.recv()
                except (EOFError, ConnectionError):
                    raise MiningError("a worker was ended from outside (out of memory?); use "
                                      "the same command again") from None
                if not good:
                    raise result
                ready[busy.pop(pipe)] = result
                free.append(pipe)
        while given in ready:
            yield ready.pop(given)
            given += 1


def _serve(pipe, work):
    import gc
    import signal
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    gc.disable()  # rows hold no circles, and there are millions of them
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = True, work(*task)
        except (MiningError, OSError) as error:
            answer = False, error
        try:
            pipe.send(answer)
        except OSError:
            return
