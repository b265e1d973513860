"""``python tests/mining/fakeapi``: serve a synthetic corpus until Ctrl-C."""

import argparse
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[3])]

from fakeapi import Corpus, FakeAPIs  # noqa: E402
from fakeapi.clocks import JumpingClock  # noqa: E402
from fakeapi.faults import Fault, lagging, vanishing  # noqa: E402
from mining.errors import MiningError  # noqa: E402
from mining.selection.definition import load, names  # noqa: E402


def parser():
    top = argparse.ArgumentParser(prog="python tests/mining/fakeapi", description="Serve "
                                  "GitHub and Stack Exchange on loopback over synthetic threads.")
    top.add_argument("definition", nargs="*", metavar="NAME", help=f"serve what these ask for: "
                     f"{', '.join(names())}, or .toml files (default: 20,000 threads of all four)")
    top.add_argument("--threads", type=int, default=2000, metavar="N",
                     help="of each repository, and half as many of each tag (default: %(default)s)")
    top.add_argument("--vanish", type=int, default=0, metavar="N",
                     help="delete N random threads after every answer, a quarter of all at most")
    top.add_argument("--lag", type=int, default=0, metavar="N",
                     help="searches know nothing of each repository's newest N threads before "
                          "the twentieth search")
    top.add_argument("--jump", type=int, default=0, metavar="SECONDS",
                     help="set the servers' clock by so much after the twentieth request")
    return top


def made(chosen):
    """The fake that the options describe."""
    corpus = Corpus.of([load(n) for n in chosen.definition], chosen.threads) \
        if chosen.definition else Corpus.large()
    fake = FakeAPIs(corpus, JumpingClock(chosen.jump, 20))
    if chosen.vanish:
        n = len(corpus.questions) + sum(len(r.issues) for r in corpus.repositories.values())
        fake.faults.append(Fault(change=vanishing(chosen.vanish, n // 4), times=10**9))
    if chosen.lag:
        newest = {i for r in corpus.repositories.values() for i in sorted(r.issues)[-chosen.lag:]}
        fake.faults.append(Fault("search", change=lagging(fake.github, newest, 20), times=10**9))
    return fake


def main(arguments):
    try:
        fake = made(parser().parse_args(arguments))
    except MiningError as error:
        print(f"fakeapi: {error}", file=sys.stderr)
        return 2
    with fake:
        print("# Synthetic data on loopback. In another terminal:")
        print(f"export GITHUB_API_URL={fake.url}/gh STACKEXCHANGE_API_URL={fake.url}/se "
              "GITHUB_TOKEN=not-a-token", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("stopped")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
