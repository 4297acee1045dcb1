"""What is due now, as jobs that may be done side by side: each names what must not be in two hands at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dunr.application import Application
from dunr.core import keys
from dunr.core.effects import StopSending
from dunr.errors import BadEvent
from dunr.ports import Inbound, Undone

BATCH_MAX = 100
READ_AHEAD_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to do."""

    key: str
    work: Callable[[], None]
    set_aside: Callable[[str], None] | None = (
        None  # what to do, beside resting, with one that breaks something; it is told why
    )


def jobs_due(application: Application, out_of_reach_count: int) -> Iterator[Job]:
    """News first, then cases, then effects. So many more are read as are out of reach, so that those behind them are not forgotten."""
    store, now = application.store, application.clock.now()
    limit = min(BATCH_MAX + out_of_reach_count, READ_AHEAD_MAX)
    for inbound in store.unapplied(now, limit):
        yield Job(_key_of(application, inbound), _apply(application, inbound), _set_aside(application, inbound))
    for case_id in store.due(now, limit):
        yield Job(case_id, _wake(application, case_id))
    for undone in store.undone(now, limit):
        yield Job(_key_of_effect(undone), _perform(application, undone))


def _key_of(application: Application, inbound: Inbound) -> str:
    """The case that an event is about, as far as it says so itself."""
    processor = application.processors.get(inbound.processor)
    if processor is None:
        return inbound.key
    try:
        subject = processor.translate(inbound)
    except BadEvent:
        return inbound.key
    if subject.processor_invoice_id is None:
        return inbound.key
    return keys.case_id(inbound.processor, inbound.account, subject.processor_invoice_id)


def _key_of_effect(undone: Undone) -> str:
    effect = undone.effect
    return effect.key if isinstance(effect, StopSending) or effect.case_id is None else effect.case_id


def _apply(application: Application, inbound: Inbound) -> Callable[[], None]:
    return lambda: application.intake.apply(inbound)


def _set_aside(application: Application, inbound: Inbound) -> Callable[[str], None]:
    return lambda why: application.intake.failed(inbound, why)


def _wake(application: Application, case_id: str) -> Callable[[], None]:
    return lambda: application.engine.wake(case_id)


def _perform(application: Application, undone: Undone) -> Callable[[], None]:
    return lambda: application.performer.perform(undone)
