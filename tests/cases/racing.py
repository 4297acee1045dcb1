"""Real time for stories in which real processes race: short leases, and a policy under which a promise to pay makes a step due within a moment."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import TypeVar

from tests.cases.rehearsal import Json, Rehearsal, rehearse, until

# Nothing is told before the first retry, so that a promise may bring its date forward.
POLICY = """
name = "racing"
steps = [{after = 2, unit = "hours"}, {after = 2, unit = "hours"}, {after = 1, unit = "days"}]
floor = [{after = 3, unit = "days"}]
first_notice_after_first_retry = true
"""
SHORT = {"DUNR_PROCESSOR_TIMEOUT_SECONDS": "4", "DUNR_LOOK_MAX_AGE_SECONDS": "1", "DUNR_LEASE_SECONDS": "10"}

STARTED_SECONDS = 120.0  # on a machine that does much else

T = TypeVar("T")


@contextmanager
def race(folder: Path, *workers: str, **environment: str) -> Iterator[Rehearsal]:
    """A running dunr on the system clock. With names of workers, these do the work and `dunr serve` only answers."""
    policy = folder / "racing.toml"
    policy.write_text(POLICY)
    serve = ("--no-worker",) if workers else ()
    with rehearse(folder, clock="system", serve=serve, DUNR_POLICY=str(policy), **(SHORT | environment)) as running:
        for name in workers:
            running.start_worker(name)
        until(lambda: all("Working" in running.log(name) for name in workers), STARTED_SECONDS)
        yield running


def opened(world: Rehearsal, invoice: str, card: str = "card_1", **more: object) -> Json:
    """A failed invoice, once its case is open."""
    world.fail(invoice, card=card, **more)
    until(lambda: world.find(invoice) is not None)
    return world.case(invoice)


def due_in(world: Rehearsal, seconds: float, *invoices: str) -> None:
    """The next step of each of these falls due at one and the same moment."""
    while True:
        on_at = datetime.now(UTC) + timedelta(seconds=seconds)
        answers = [world.act(invoice, "promise", on_at=on_at.isoformat()) for invoice in invoices]
        if all(answer.is_success for answer in answers):
            return
        # On a busy machine the moment may pass before we have said it.
        assert {answer.status_code for answer in answers} <= {200, 422}, [answer.text for answer in answers]
        seconds *= 2


def at_once(times: int, act: Callable[[int], T]) -> list[T]:
    """The same act by so many people at the same moment."""
    together = Barrier(times)

    def one(number: int) -> T:
        together.wait()
        return act(number)

    with ThreadPoolExecutor(times) as people:
        return list(people.map(one, range(times)))
