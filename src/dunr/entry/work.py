"""What is due now, as jobs that may be done side by side: each names what must not be in two hands at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dunr.application import Application
from dunr.core.effects import StopSending
from dunr.ports import Inbound, Undone

BATCH_MAX = 100
READ_AHEAD_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to do."""

    key: str
    work: Callable[[], bool]  # False: somebody else is at it, and it is asked for again in a moment
    set_aside: Callable[[str], None] | None = (
        None  # what to do, beside resting, with one that breaks something; it is told why
    )


def jobs_due(application: Application, out_of_reach_count: int) -> Iterator[Job]:
    """News first, then cases, then effects. So many more are read as are out of reach, so that those behind them are not forgotten."""
    store, now = application.store, application.clock.now()
    limit = min(BATCH_MAX + out_of_reach_count, READ_AHEAD_MAX)
    for key, lot in application.intake.together(store.unapplied(now, limit)):
        yield Job(key, _apply(application, lot), _set_aside(application, lot))
    for case_id in store.due(now, limit):
        yield Job(case_id, _wake(application, case_id))
    for undone in store.undone(now, limit):
        yield Job(_key_of_effect(undone), _perform(application, undone))


def _key_of_effect(undone: Undone) -> str:
    effect = undone.effect
    return effect.key if isinstance(effect, StopSending) or effect.case_id is None else effect.case_id


def _apply(application: Application, lot: Sequence[Inbound]) -> Callable[[], bool]:
    def apply() -> bool:
        application.intake.apply(*lot)
        return True

    return apply


def _set_aside(application: Application, lot: Sequence[Inbound]) -> Callable[[str], None]:
    """Blame those that broke something: the others of their lot are settled."""

    def blame(why: str) -> None:
        for inbound in lot:
            if application.store.inbound(inbound.key) == inbound:
                application.intake.failed(inbound, why)

    return blame


def _wake(application: Application, case_id: str) -> Callable[[], bool]:
    def wake() -> bool:
        application.engine.wake(case_id)
        return True

    return wake


def _perform(application: Application, undone: Undone) -> Callable[[], bool]:
    return lambda: application.performer.perform(undone) is None
