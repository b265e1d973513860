"""``python tests/mining/fakeapi``: serve the synthetic corpus until Ctrl-C."""

import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[3])]

from fakeapi import Corpus, FakeAPIs  # noqa: E402
from mining.transport.clock import Clock  # noqa: E402

if __name__ == "__main__":
    with FakeAPIs(Corpus.large(), Clock()) as fake:
        print("# Synthetic data on loopback. In another terminal:")
        print(f"export GITHUB_API_URL={fake.url}/gh STACKEXCHANGE_API_URL={fake.url}/se "
              "GITHUB_TOKEN=not-a-token", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("stopped")
