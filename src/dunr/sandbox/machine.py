"""The running sandbox: its database, its clock, and the two threads that act by themselves.

One thread performs the agenda, one delivers webhooks, so that a receiver that
does not answer cannot delay a late result. On the manual clock time moves in
``advance`` only, from one due instant to the next, and never jumps over one.
"""

from __future__ import annotations

import logging
import ssl
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache

import httpx

from . import agenda, deliveries, events
from .config import SandboxConfig
from .database import Database, Transaction
from .instants import on_wire
from .records import Delivery
from .refusals import Problem, conflict

log = logging.getLogger(__name__)

IDLE_WAIT_SECONDS = 60.0
GATHER_SECONDS = 0.25  # how long reordering waits for a second event to swap with
TROUBLE_WAIT_SECONDS = 0.5


@cache
def trusted() -> ssl.SSLContext:
    """Whose certificates a delivery believes; read once a process, since it takes longer than the delivery."""
    return httpx.create_ssl_context(trust_env=False)


class Sandbox:
    """One processor. Threads belong to it from ``start`` to ``close``."""

    def __init__(self, config: SandboxConfig) -> None:
        self.config = config
        self.database = Database(config.database, config.clock, config.clock_start)
        with self.database.transaction() as tx:
            tx.put_single(events.ACCOUNT, config.account)
            tx.put_single(events.LIVE, "true" if config.live else "false")
            tx.put_single(events.WEBHOOK_URL, config.webhook_url or "")
            if not config.webhook_url:
                deliveries.drop_waiting(tx)
        self.client = httpx.Client(verify=trusted(), trust_env=False, limits=httpx.Limits(max_keepalive_connections=8))
        self._delivering = threading.Lock()
        self._advancing = threading.Lock()
        self._stopped = threading.Event()
        self._wakes = (threading.Event(), threading.Event())
        self._threads: list[threading.Thread] = []
        self.database.on_commit.append(self._wake)

    @property
    def manual(self) -> bool:
        return self.config.clock == "manual"

    def start(self) -> None:
        """Begin to act; what fell due while we were dead is done first."""
        if self._threads:
            return
        for name, work, wake in (
            ("agenda", self._perform_due, self._wakes[0]),
            ("webhooks", self._deliver_due, self._wakes[1]),
        ):
            thread = threading.Thread(target=self._run, args=(work, wake), name=f"sandbox-{name}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        self._stopped.set()
        self._wake()
        for thread in self._threads:
            thread.join(timeout=2.0)
        self.client.close()

    def _wake(self) -> None:
        for wake in self._wakes:
            wake.set()

    def _run(self, work: Callable[[], datetime | None], wake: threading.Event) -> None:
        while not self._stopped.is_set():
            wake.clear()
            try:
                next_at = work()
            except Exception:
                # One broken item must not end the thread that all late results hang on.
                if not self._stopped.wait(TROUBLE_WAIT_SECONDS):
                    log.exception("the sandbox could not do what was due; it will try again")
                continue
            wake.wait(self._seconds_until(next_at))

    def _seconds_until(self, next_at: datetime | None) -> float:
        if next_at is None or self.manual:
            return IDLE_WAIT_SECONDS
        return min(IDLE_WAIT_SECONDS, max(0.0, (next_at - datetime.now(UTC)).total_seconds()))

    def _perform_due(self) -> datetime | None:
        """Everything on the agenda up to now; answers when the next item is due."""
        while not self._stopped.is_set():
            with self.database.read() as tx:
                item, next_at = agenda.next_item(tx, tx.now), agenda.earliest(tx)
            if item is None:
                return next_at
            with self.database.transaction() as tx:
                agenda.perform(tx, item)
        return None

    def _deliver_due(self) -> datetime | None:
        gathered = False
        while not self._stopped.is_set():
            with self.database.read() as tx:
                reorder, next_at = tx.settings.reorder_webhooks, deliveries.earliest(tx)
                something = deliveries.undelivered(tx) > 0
            if not something:
                return next_at
            if reorder and not gathered:
                time.sleep(GATHER_SECONDS)
                gathered = True
            with self._delivering:
                self._deliver_one(until=None)
        return None

    def _deliver_one(self, until: datetime | None) -> bool:
        """Deliver the next one due, if any. The caller holds ``_delivering``."""
        with self.database.read() as tx:
            due = deliveries.waiting(tx, until or tx.now, newest_first=tx.settings.reorder_webhooks)
        if not due:
            return False
        deliveries.deliver(self.database, self.client, self.config.webhook_secrets, due[0], again=True)
        return True

    def deliver_now(self, delivery: Delivery) -> Delivery:
        """A send that somebody asked for: at once, beside the queue, never repeated by itself."""
        return deliveries.deliver(self.database, self.client, self.config.webhook_secrets, delivery, again=False)

    def advance(self, to: datetime) -> dict[str, object]:
        """Move the manual clock, doing all that falls due on the way, each at its own instant."""
        if not self.manual:
            raise conflict("The sandbox runs on the system clock. Start it with a manual clock to move it.")
        with self._advancing, self._delivering:
            with self.database.read() as tx:
                if to < tx.now:
                    raise conflict(f"The clock is at {on_wire(tx.now)} and cannot go back to {on_wire(to)}.")
            while self._step(to):
                if self._stopped.is_set():
                    raise Problem(503, "Stopping", "The sandbox is being stopped.")
            with self.database.transaction() as tx:
                tx.move_clock(max(to, tx.now))
        return self.clock_face()

    def _step(self, to: datetime) -> bool:
        """One due thing, the earliest first; agenda before webhooks of the same instant."""
        with self.database.transaction() as tx:
            item, delivery_at = agenda.next_item(tx, to), deliveries.earliest(tx)
            if item is not None and (delivery_at is None or item.due_at <= delivery_at):
                tx.move_clock(max(tx.now, item.due_at))
                agenda.perform(tx, item)
                return True
            if delivery_at is None or delivery_at > to:
                return False
            tx.move_clock(max(tx.now, delivery_at))
        return self._deliver_one(until=delivery_at)

    def clock_face(self) -> dict[str, object]:
        with self.database.read() as tx:
            return clock_face(tx, self.config.clock)


def clock_face(tx: Transaction, mode: str) -> dict[str, object]:
    instants = [at for at in (agenda.earliest(tx), deliveries.earliest(tx)) if at is not None]
    return {
        "mode": mode,
        "now": on_wire(tx.now),
        "next_due_at": on_wire(min(instants)) if instants else None,
        "undelivered": deliveries.undelivered(tx),
    }
