"""Whether a question costs the same after a long history: `python -m benchmarks.flat STORE_WITH_LITTLE STORE_WITH_MUCH`, both filled by `benchmarks.fill`.

Both are asked in turns, each time for another row; the median of the time that one answer takes is told, by the clock on the wall, since part of the work is the
server's. The first answers are not counted: what is asked again and again lies in memory.
"""

import statistics
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import cycle
from time import perf_counter

from dunr.adapters.stores.sql.store import SqlStore
from dunr.errors import BadRequest
from dunr.ports import Refs

ROUNDS = 200
WARM = 20
SAMPLE = 200
BEGINNING = 4  # signs of an id that very many share
LONG = timedelta(days=3650)

Question = Callable[[], object]


def questions(store: SqlStore) -> dict[str, tuple[Question, int]]:
    """What is asked, and how often at most."""
    sample = [
        *store.cases(state="scheduled", text=None, limit=SAMPLE, after=None),
        *store.cases(state="recovered", text=None, limit=SAMPLE, after=None),
    ]
    case_ids = cycle([case.id for case in sample])
    subscriptions = cycle([case.subscription_id for case in sample])
    names = cycle([case.processor_invoice_id for case in sample])
    later = datetime.now(UTC) + LONG  # everything that is scheduled is due then
    return {
        "due claim: the first 100 of all that are due": (lambda: store.due(later, 100), ROUNDS),
        "case look-up": (lambda: store.load(next(case_ids), Refs()), ROUNDS),
        "entitlement check": (lambda: store.load(None, Refs(subscription_id=next(subscriptions))), ROUNDS),
        "list: newest 50": (lambda: store.cases(state=None, text=None, limit=50, after=None), ROUNDS),
        "list: 50 of one state": (lambda: store.cases(state="scheduled", text=None, limit=50, after=None), ROUNDS),
        "list: the page after a case": (
            lambda: store.cases(state="scheduled", text=None, limit=50, after=next(case_ids)),
            ROUNDS,
        ),
        "search: an invoice": (lambda: store.cases(state=None, text=next(names), limit=50, after=None), ROUNDS),
        "search: 50 of all that begin alike": (
            lambda: _begin_alike(store, next(names)[:BEGINNING]),
            ROUNDS,
        ),
        "search: what nobody has": (lambda: store.cases(state=None, text="zz_none", limit=50, after=None), ROUNDS),
        "search: a mail address": (
            lambda: store.cases(state=None, text="nobody@example.com", limit=50, after=None),
            ROUNDS,
        ),
        "figures: attempts of the last hour": (
            lambda: store.ended_attempts(datetime.now(UTC) - timedelta(hours=1), datetime.now(UTC)),
            ROUNDS,
        ),
    }


def _begin_alike(store: SqlStore, beginning: str) -> int:
    """The newest of very many; or the answer that too few of the newest begin so, which is told after as many were read as ever are."""
    try:
        return len(store.cases(state=None, text=beginning, limit=50, after=None))
    except BadRequest:
        return 0


def seconds(question: Question) -> float:
    """How long one answer takes."""
    begun = perf_counter()
    question()
    return perf_counter() - begun


def main() -> None:
    """Ask both."""
    stores = [SqlStore(url) for url in sys.argv[1:3]]
    little, much = (questions(store) for store in stores)
    print(f"{'':<46} {'little':>10} {'much':>10} {'ratio':>7}")
    for name, (ask_little, rounds) in little.items():
        ask_much, _ = much[name]
        for _ in range(min(WARM, rounds // 3)):
            ask_little()
            ask_much()
        pairs = [(seconds(ask_little), seconds(ask_much)) for _ in range(rounds)]
        ours, theirs = (statistics.median(one) * 1000 for one in zip(*pairs, strict=True))
        print(f"{name:<46} {ours:>7.2f} ms {theirs:>7.2f} ms {theirs / ours:>7.2f}", flush=True)
    for store in stores:
        store.close()


if __name__ == "__main__":
    main()
