"""Processes that write to one database, for tests that start and kill them."""

import sys

from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.value import replace
from dunr.ports import Change
from dunr.testing.store_rows import (
    NOTHING,
    audit_entry,
    decide,
    event,
    load,
    new_case,
    new_subscription,
    nudge,
    posting,
    put,
)


def count_up(url: str, times: int) -> None:
    """Add one to a case, again and again, each time on what is there now; whoever comes first creates it."""
    store = SqlStore(url, busy_seconds=20)
    store.migrate()
    store.commit([Change(NOTHING, decide(case=replace(new_case(), amount_due_minor=0)))])
    for _ in range(times):
        while True:
            rows = load(store)
            assert rows.case is not None
            case = replace(rows.case, amount_due_minor=rows.case.amount_due_minor + 1)
            if list(store.commit([Change(rows, decide(case=case))])) == [True]:
                break
    store.close()


def write_on(url: str, name: str) -> None:
    """Commit and receive until killed, and say what has returned."""
    store = SqlStore(url, busy_seconds=20)
    for number in range(1_000_000):
        case = f"inv_{name}_{number}"
        put(
            store,
            decide(
                case=new_case(case),
                subscription=new_subscription(f"sub_{name}_{number}"),
                postings=(posting(f"p_{case}", case),),
                audit=(audit_entry(1, case=case),),
                effects=(nudge(f"n_{case}", case),),
            ),
        )
        print("committed", number, flush=True)
        store.receive([event(f"evt_{name}_{number}")])
        print("received", number, flush=True)


if __name__ == "__main__":
    write_on(sys.argv[1], sys.argv[2])
