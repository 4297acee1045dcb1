"""Fill a store with a history: `python -m benchmarks.fill sqlite:///big.db --ended 1000000 --scheduled 200000`."""

import argparse
import time
from datetime import UTC, datetime

from dunr.adapters.stores.sql.store import SqlStore
from dunr.testing.history import History

SIGNS = 20
WORDS_AT_ONCE = 2_000


def main() -> None:
    """Make the tables, fill them, and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("--ended", type=int, default=1_000)
    parser.add_argument("--scheduled", type=int, default=200)
    given = parser.parse_args()
    store = SqlStore(given.store)
    store.migrate()
    store.close()
    begun, last = time.monotonic(), 0

    def told(done: int, total: int) -> None:
        nonlocal last
        if done * SIGNS // total > last:
            last = done * SIGNS // total
            print(f"{done:,} of {total:,} cases after {time.monotonic() - begun:.0f} s", flush=True)

    cases_count = History().fill(
        given.store, ended=given.ended, scheduled=given.scheduled, now=datetime.now(UTC), told=told
    )
    store = SqlStore(given.store)
    store.migrate()
    store.record_identity(store.identity())
    while store.give_words(WORDS_AT_ONCE):
        pass
    store.close()
    print(f"{cases_count:,} cases in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
