"""Taking in what was past due before dunr came: every open invoice that has failed becomes a case with its real failure date, and nothing happens to it yet.

The brake goes on before the first invoice is read, under a scope of its own that `resume` does not touch, and comes off when a person agrees. So it may be killed
at any point and run again: what was taken in already is counted and not read twice.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

import msgspec

from dunr.adoption import open_cases
from dunr.application import Application
from dunr.core import keys
from dunr.core.glance import Glance, why_no_case
from dunr.core.model import Case
from dunr.core.reconcile import not_ours_because
from dunr.core.timers import WARNING_LEAD
from dunr.errors import WishRejected
from dunr.ports import ObjectMissing, Refs, SnapshotUnavailable
from dunr.rulebook import IMPORTED, KINDS

WHY = "what was past due before is being taken in; `dunr import --agree` lets it go on"
PROGRESS = "import-progress"
CONFLICT = 409

Told = Callable[[int, int], None]  # how many are done, of how many


class Progress(msgspec.Struct, frozen=True):
    """Whether the newest import has seen everything."""

    begun_at: datetime
    is_over: bool


@dataclass(frozen=True, slots=True)
class Coming:
    """What one day would bring if somebody agreed now: attempts of ours, tries of the processor's own, and pauses."""

    on: date
    attempts_count: int
    own_tries_count: int
    pauses_count: int


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What an import came to. `amounts_minor` is what is owed by currency; `left_alone` says why invoices became no case, and how many each."""

    listed_count: int
    opened_count: int
    open_count: int
    amounts_minor: dict[str, int]
    oldest_failed_at: datetime | None
    left_alone: dict[str, int]
    unreadable: tuple[tuple[str, str], ...]
    coming: tuple[Coming, ...]


def take_in(application: Application, told: Told) -> TakenIn:
    """Put the brake on and walk the processor's open invoices. Raises `SnapshotUnavailable` where the list cannot be had; the brake stays on then."""
    for kind in KINDS:
        application.rulebook.stop(kind, IMPORTED, WHY)
    now = application.clock.now()
    _note(application, Progress(now, is_over=False))
    listed = dict(_listed(application, now))
    left_alone: Counter[str] = Counter()
    unreadable: list[tuple[str, str]] = []
    opened_count = 0
    for count, (case_id, glance) in enumerate(listed.items(), start=1):
        if application.store.load(case_id, Refs()).case is None:
            try:
                why_not = (why_no_case(glance) if glance is not None else None) or _open(application, case_id)
            except (SnapshotUnavailable, ObjectMissing) as failure:
                unreadable.append((case_id, str(failure)))
            else:
                opened_count += why_not is None
                left_alone.update([why_not] if why_not is not None else [])
        told(count, len(listed))
    _note(application, Progress(now, is_over=not unreadable))
    cases = tuple(_open_cases(application))
    return TakenIn(
        listed_count=len(listed),
        opened_count=opened_count,
        open_count=len(cases),
        amounts_minor=_owed(cases),
        oldest_failed_at=min((case.first_failed_at for case in cases), default=None),
        left_alone=dict(left_alone),
        unreadable=tuple(unreadable),
        coming=_coming(cases, now),
    )


def agree(application: Application) -> int:
    """Take off the import's own brake, and no other; how many open cases go on. Raises `WishRejected` where no import waits, or the newest was not finished."""
    progress, _ = _progress(application)
    if progress is None or not any(stop.scope == IMPORTED for stop in application.rulebook.all_stops()):
        raise WishRejected("No import waits for anybody. `dunr import` takes in what is past due.", CONFLICT)
    if not progress.is_over:
        raise WishRejected("The import has not seen everything yet: run `dunr import` again, then agree.", CONFLICT)
    for kind in KINDS:
        application.rulebook.resume(kind, IMPORTED)
    return sum(1 for _ in open_cases(application.reports))


def _listed(application: Application, now: datetime) -> Iterator[tuple[str, Glance | None]]:
    for name, account in application.sweep.accounts:
        for one in application.processors[name].list_invoices(account, now):
            yield keys.case_id(name, account, one.processor_invoice_id), one.glance


def _open(application: Application, case_id: str) -> str | None:
    """Look at one invoice; why it became no case, or None where it did."""
    snapshot = application.engine.look(case_id).snapshot
    if application.store.load(case_id, Refs()).case is not None:
        return None
    return not_ours_because(snapshot) or "the policy refuses to stand beside the processor's own tries"


def _open_cases(application: Application) -> Iterator[Case]:
    for case_id in open_cases(application.reports):
        case = application.store.load(case_id, Refs()).case
        if case is not None:
            yield case


def _owed(cases: tuple[Case, ...]) -> dict[str, int]:
    owed: Counter[str] = Counter()
    for case in cases:
        owed[case.currency] += case.amount_due_minor
    return dict(sorted(owed.items()))


def _coming(cases: tuple[Case, ...], now: datetime) -> tuple[Coming, ...]:
    """The next attempt of each case and its pause, by day. Nobody is paused before the warning is a day old."""
    attempts: Counter[date] = Counter()
    own_tries: Counter[date] = Counter()
    pauses: Counter[date] = Counter()
    for case in cases:
        step, pause_at = case.plan.next_step, case.plan.pause_at
        if step is not None:
            is_own = case.beside is not None and case.beside.is_left
            (own_tries if is_own else attempts)[max(step.at, now).date()] += 1
        if pause_at is not None and case.paused_at is None:
            pauses[max(pause_at, (case.warned_at or now) + WARNING_LEAD).date()] += 1
    days = sorted({*attempts, *own_tries, *pauses})
    return tuple(Coming(day, attempts[day], own_tries[day], pauses[day]) for day in days)


def _progress(application: Application) -> tuple[Progress | None, int]:
    document = application.store.document(PROGRESS)
    if document is None:
        return None, 0
    return msgspec.json.decode(document.body, type=Progress), document.version


def _note(application: Application, progress: Progress) -> None:
    """Where another import wrote at the same time, its word counts."""
    _, version = _progress(application)
    application.store.put_document(PROGRESS, msgspec.json.encode(progress), version)
