"""Our record against the processor's own: which invoices to look at, what a look had to tell, and what it would tell.

Looking repairs what is safe, since it applies news through the same gate as a webhook. What a look changed that no webhook had told is a finding, and a person
hears of it: one webhook lost is an accident, many are an endpoint that is not reached.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from dunr.core import keys
from dunr.core.decide import decide
from dunr.core.decision import Decision, Dossier
from dunr.core.glance import Glance, has_news
from dunr.core.model import Case
from dunr.core.reconcile import events_from
from dunr.core.snapshot import Snapshot
from dunr.core.terms import CaseState, CloseReason, Outcome
from dunr.core.value import replace
from dunr.engine import EVENTS_OF_ONE_SNAPSHOT_MAX, Engine
from dunr.ports import ObjectMissing, Refs, Reports, SnapshotUnavailable

STILL_ON_ITS_WAY = timedelta(minutes=15)  # news younger than this may be a webhook that is about to arrive
UNANSWERED_AFTER = timedelta(hours=1)
PAGE = 200
WATCHED_STATES = (CaseState.SCHEDULED, CaseState.AWAITING_CUSTOMER, CaseState.EXHAUSTED)

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement with the processor."""

    case_id: str
    what: str


class Reconciliation:
    """Compares case by case. `accounts` are the pairs of processor and account to walk through."""

    def __init__(self, engine: Engine, reports: Reports, accounts: tuple[tuple[str, str], ...]) -> None:
        """Nothing is read yet."""
        self.engine = engine
        self.reports = reports
        self.accounts = accounts

    def listed(self, changed_since: datetime) -> dict[str, Glance | None]:
        """What the processor lists, each with its glance, then what is open here, in case the list has lost it. Raises `SnapshotUnavailable`."""
        found: dict[str, Glance | None] = {}
        for name, account in self.accounts:
            for one in self.engine.parts.processors[name].list_invoices(account, changed_since):
                found[keys.case_id(name, account, one.processor_invoice_id)] = one.glance
        for case_id in self._open():
            found.setdefault(case_id, None)
        return found

    def needs_look(self, case_id: str, glance: Glance | None) -> bool:
        """Whether a look may tell more than the list did."""
        return glance is None or has_news(self.engine.read(case_id, None), glance)

    def _open(self) -> Iterator[str]:
        for state in WATCHED_STATES:
            after: str | None = None
            while page := self.reports.cases(state=state, text=None, limit=PAGE, after=after):
                yield from (case.id for case in page)
                after = page[-1].id

    def look(self, case_id: str) -> Iterator[Finding]:
        """Look at one case, and say what the look had to tell us. One that cannot be read must not hide the others."""
        before = self.engine.store.load(case_id, Refs()).case
        try:
            look = self.engine.look(case_id)
        except ObjectMissing:
            yield from _missing(before)
            return
        except SnapshotUnavailable as failure:
            _log.warning("sweep_could_not_look", case=case_id, why=str(failure))
            return
        after = self.engine.store.load(case_id, Refs()).case
        if after is not None:
            yield from self._findings(before, after, look.snapshot)

    def foresee(self, case_id: str) -> Iterator[Finding]:
        """What a look would have to tell us; nothing is written and nothing is sent."""
        before = self.engine.store.load(case_id, Refs()).case
        try:
            snapshot = self.engine.snapshot(case_id).snapshot
        except ObjectMissing:
            yield from _missing(before)
            return
        except SnapshotUnavailable as failure:
            yield Finding(case_id, f"cannot be read now: {failure}")
            return
        read = self.engine.read(case_id, snapshot)
        for _ in range(EVENTS_OF_ONE_SNAPSHOT_MAX):
            now = self.engine.clock.now()
            decisions = (decide(read, event, self.engine.facts, now) for event in events_from(read))
            decision = next((one for one in decisions if not one.changes_nothing), None)
            if decision is None:
                break
            read = _as_decided(read, decision)
        if read.case is not None:
            yield from self._findings(before, read.case, snapshot)

    def _findings(self, before: Case | None, after: Case, snapshot: Snapshot) -> Iterator[Finding]:
        if not _may_be_on_its_way(snapshot):
            yield from (Finding(after.id, what) for what in drift(before, after))
        if _is_unanswered(after, self.engine.clock.now()):
            yield Finding(after.id, "an attempt has had no answer for more than an hour")


def _missing(before: Case | None) -> Iterator[Finding]:
    if before is not None and before.is_open:
        yield Finding(before.id, "open here, and unknown at the processor")


def _as_decided(read: Dossier, decision: Decision) -> Dossier:
    """What would be known if a decision had been committed."""
    return replace(
        read,
        case=decision.case or read.case,
        subscription=decision.subscription or read.subscription,
        method=decision.method or read.method,
        customer=decision.customer or read.customer,
    )


def drift(before: Case | None, after: Case) -> Iterator[str]:
    """What a look changed that a webhook should have told us, in words."""
    if before is None:
        yield "failed at the processor, and unknown here until now"
        return
    if after.overpaid_minor > before.overpaid_minor:
        yield "collected twice"
    if before.is_open and after.state is CaseState.RECOVERED:
        yield "paid at the processor, and open here until now"
    elif after.captured_minor > before.captured_minor:
        yield "money came in at the processor that was unknown here until now"
    if before.is_open and after.state is CaseState.CLOSED:
        cancelled = after.closed_because in (CloseReason.SUBSCRIPTION_ENDED, CloseReason.CUSTOMER_DELETED)
        yield f"{'cancelled' if cancelled else after.closed_because} at the processor, and open here until now"


def _may_be_on_its_way(snapshot: Snapshot) -> bool:
    """Whether the newest charge is so young that its webhook may still arrive."""
    newest = max((charge.at for charge in snapshot.charges), default=None)
    return newest is not None and snapshot.taken_at - newest < STILL_ON_ITS_WAY


def _is_unanswered(case: Case, now: datetime) -> bool:
    attempt = case.in_flight
    return (
        attempt is not None
        and attempt.outcome is Outcome.UNKNOWN
        and attempt.unknown_since_at is not None
        and now - attempt.unknown_since_at >= UNANSWERED_AFTER
    )
