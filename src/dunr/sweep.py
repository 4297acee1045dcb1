"""What time forgot: once a day, everything that the processor lists and everything that is open here is looked at.

Looking repairs what is safe, since it applies news through the same gate as a webhook. What a look changed that no webhook had told is a finding, and a person
hears of it: one webhook lost is an accident, many are an endpoint that is not reached. It is safe late, because of the look before every send.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from dunr.core import keys
from dunr.core.model import Case
from dunr.core.snapshot import Snapshot
from dunr.core.terms import AlertKind, CaseState, CloseReason, Outcome
from dunr.daily_record import record_day
from dunr.engine import Engine
from dunr.expiry_notices import ExpiryNotices
from dunr.ports import ObjectMissing, Refs, Reports, SnapshotUnavailable

SWEPT = "sweep"
EVERY = timedelta(days=1)
AGAIN_AFTER_FAILURE = timedelta(hours=1)
CHANGED_WITHIN = timedelta(days=2)
STILL_ON_ITS_WAY = timedelta(minutes=15)  # news younger than this may be a webhook that is about to arrive
UNANSWERED_AFTER = timedelta(hours=1)
PAGE = 200
PAGES_MAX = 100_000
WATCHED_STATES = (CaseState.SCHEDULED, CaseState.AWAITING_CUSTOMER, CaseState.EXHAUSTED)

_log = structlog.get_logger()

Alert = Callable[[AlertKind, str, str], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement with the processor."""

    case_id: str
    what: str


class Sweep:
    """The daily look at everything. One process does it each day, whichever is first."""

    def __init__(self, engine: Engine, reports: Reports, alert: Alert, accounts: tuple[tuple[str, str], ...]) -> None:
        """`accounts` are the pairs of processor and account to walk through."""
        self.engine = engine
        self.reports = reports
        self.alert = alert
        self.accounts = accounts
        self._expiry_notices = ExpiryNotices(engine)

    def next_at(self) -> datetime:
        """When the next one is due. A store that was never swept begins its day now."""
        document = self.engine.store.document(SWEPT)
        if document is None:
            self.engine.store.put_document(SWEPT, self.engine.clock.now().isoformat().encode(), 0)
            return self.engine.clock.now() + EVERY
        return datetime.fromisoformat(document.body.decode()) + EVERY

    def run_if_due(self) -> bool:
        """Sweep where a day has passed and nobody else has begun; whether we did."""
        now = self.engine.clock.now()
        document = self.engine.store.document(SWEPT)
        if document is None or now < self.next_at():
            return False
        if not self.engine.store.put_document(SWEPT, now.isoformat().encode(), document.version):
            return False
        try:
            self.run()
        except SnapshotUnavailable as failure:
            _log.warning("sweep_not_finished", why=str(failure))
            again = (now - EVERY + AGAIN_AFTER_FAILURE).isoformat().encode()
            self.engine.store.put_document(SWEPT, again, document.version + 1)
        return True

    def run(self) -> tuple[Finding, ...]:
        """Look at everything, and alert for each finding. Raises `SnapshotUnavailable` where the list cannot be had."""
        findings: list[Finding] = []
        seen: set[str] = set()
        for case_id in self._case_ids():
            if case_id not in seen:
                seen.add(case_id)
                findings.extend(self._look(case_id))
        for name, account in self.accounts:
            self._expiry_notices.record_due(name, account)
        for finding in findings:
            about = f"{finding.case_id}/{keys.audit_hash('', finding.what)[:12]}/{self.engine.clock.now():%Y-%m-%d}"
            self.alert(AlertKind.DRIFT, about, f"{finding.case_id}: {finding.what}")
        record_day(self.engine.store, self.reports, self.engine.clock.now())
        return tuple(findings)

    def _case_ids(self) -> Iterator[str]:
        """What the processor lists, then what is open here, in case the list has lost it."""
        since = self.engine.clock.now() - CHANGED_WITHIN
        for name, account in self.accounts:
            for invoice_id in self.engine.parts.processors[name].list_invoices(account, since):
                yield keys.case_id(name, account, invoice_id)
        for state in WATCHED_STATES:
            after: str | None = None
            for _ in range(PAGES_MAX):
                page = self.reports.cases(state=state, text=None, limit=PAGE, after=after)
                yield from (case.id for case in page)
                if len(page) < PAGE:
                    break
                after = page[-1].id

    def _look(self, case_id: str) -> Iterator[Finding]:
        """Look at one case, and say what the look had to tell us. One that cannot be read must not hide the others."""
        before = self.engine.store.load(case_id, Refs()).case
        try:
            look = self.engine.look(case_id)
        except ObjectMissing:
            if before is not None and before.is_open:
                yield Finding(case_id, "open here, and unknown at the processor")
            return
        except SnapshotUnavailable as failure:
            _log.warning("sweep_could_not_look", case=case_id, why=str(failure))
            return
        after = self.engine.store.load(case_id, Refs()).case
        if after is not None and not _may_be_on_its_way(look.snapshot):
            yield from (Finding(case_id, what) for what in drift(before, after))
        if after is not None and _is_unanswered(after, self.engine.clock.now()):
            yield Finding(case_id, "an attempt has had no answer for more than an hour")


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
