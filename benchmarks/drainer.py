"""One worker that drains due attempts on PostgreSQL, as a process of its own: `python -m benchmarks.drainer URL COUNT FUTURE_COUNT` makes the cases, works them off,
and prints one JSON object with how long that took.

The worker is the one of `dunr worker`, with its threads. Intent and outcome of each attempt are committed. What an attempt leaves behind to be told is left for
another worker.
"""

import json
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace as with_other
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from benchmarks.stub import DUE_AT, FAILED_AT, PREFIX, StandingClock, StubProcessor
from dunr.application import Application
from dunr.bootstrap import build
from dunr.core import keys
from dunr.core.value import replace
from dunr.engine import Engine
from dunr.entry.worker import run_worker
from dunr.intake import Intake
from dunr.ports import Store, Undone
from dunr.settings import Settings

TEMPLATE = "0000000"
PATIENCE_SECONDS = 300.0
FAR = 4_000_000_000_000_000  # microseconds since 1970
COPIED = {
    "cases": (
        *("id", "version", "state", "processor_invoice_id", "subscription_id", "customer_id", "method_id"),
        *("opened_at", "wake_at", "body"),
    ),
    "subscriptions": ("id", "version", "access", "body"),
    "methods": ("id", "version", "in_flight_case_id", "lease_expires_at", "body"),
    "customers": ("id", "version", "body"),
}
NUMBERS = {"version", "opened_at", "wake_at", "lease_expires_at"}


class WithoutMessages:
    """The store, in which nothing is to be told."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def undone(self, now: datetime, limit: int) -> Sequence[Undone]:  # noqa: ARG002 - the port's
        """Nothing."""
        return ()

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def application_for(url: str, folder: Path) -> tuple[Application, StubProcessor, StandingClock]:
    """This database under dunr, with a processor that answers at once."""
    built = build(Settings(data=folder, store=url, sandbox_url="http://127.0.0.1:9"))
    clock = StandingClock(FAILED_AT)
    processor = StubProcessor(clock.now)
    engine = Engine(replace(built.engine.parts, processors={processor.name: processor}, clock=clock))
    store = WithoutMessages(built.store)
    return with_other(built, engine=engine, intake=Intake(engine), clock=clock, store=store), processor, clock


def copy(url: str, first: int, count: int, wake_at: int | None = None) -> None:
    """So many cases like the one that the engine opened, each of its own customer, subscription and card."""
    with psycopg.connect(url, autocommit=True) as connection:
        for table, columns in COPIED.items():
            values = ", ".join(
                str(wake_at)
                if name == "wake_at" and wake_at is not None
                else name
                if name in NUMBERS
                else f"replace({name}, '{TEMPLATE}', lpad(number::text, 7, '0'))"
                for name in columns
            )
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM {table},"
                f" generate_series({first}, {first + count - 1}) AS number WHERE id LIKE '%{TEMPLATE}'".encode()
            )
        connection.execute("ANALYZE")


def drain(url: str, count: int, future_count: int) -> dict[str, float]:
    """Make the cases, then work off those that are due."""
    with TemporaryDirectory() as folder:
        application, processor, clock = application_for(url, Path(folder))
        settings = application.settings
        application.engine.look(keys.case_id(settings.processor, settings.account, f"{PREFIX}{TEMPLATE}"))
        copy(url, 1, count - 1)
        if future_count:
            copy(url, count, future_count, FAR)
        clock.at = DUE_AT
        stop = threading.Event()
        worker = threading.Thread(target=run_worker, args=(application, stop))
        begun, cpu_begun = time.monotonic(), time.process_time()
        worker.start()
        while left_count(url):
            if time.monotonic() - begun > PATIENCE_SECONDS:
                raise RuntimeError(f"{left_count(url)} attempts are still to be made")
            time.sleep(0.05)
        seconds, processor_seconds = time.monotonic() - begun, time.process_time() - cpu_begun
        stop.set()
        worker.join()
        application.close()
    return {"count": processor.charged_count, "seconds": seconds, "processor_seconds": processor_seconds}


def left_count(url: str) -> int:
    """How many cases are still to be recovered, of those that are due."""
    with psycopg.connect(url) as connection:
        row = connection.execute(f"SELECT count(*) FROM cases WHERE wake_at < {FAR}".encode()).fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    print(json.dumps(drain(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
