"""``python -m mining``."""

import sys

BULK = ("ingest", "choose")

if __name__ == "__main__":
    # The bulk commands run in an environment of their own, without what the miner imports.
    if sys.argv[1:2] and sys.argv[1] in BULK:
        from mining.bulk.cli import main
    else:
        from mining.cli import main
    sys.exit(main(sys.argv[1:]))
