"""What must hold of the rows after each commit: one unsettled attempt, no paid case un-paid, a warned pause, a balanced ledger, an unbroken chain."""

from datetime import datetime

from dunr.core.decision import AuditEntry, Decision, Posting
from dunr.core.effects import Notice
from dunr.core.ledger import DELINQUENT, RECEIVABLE
from dunr.core.model import Case, Subscription
from dunr.core.terms import CaseState, Outcome
from dunr.core.timers import WARNING_LEAD
from dunr.simulate.checkers.broken import PromiseBroken

UNSETTLED = (None, Outcome.PENDING, Outcome.UNKNOWN)  # said again here: a checker trusts no property of what it checks
MONEY_BEATS_STATE = "money beats state"
ONE_UNSETTLED = "at most one unsettled attempt per invoice"
LEDGER = "the ledger is balanced"
CHAIN = "the audit chain is unbroken"
WARNED = "no pause without a warning a day before"


class RowsChecker:
    """Follows every commit. What it keeps grows only with what was written."""

    def __init__(self) -> None:
        """No commit yet."""
        self.posted: dict[str, Posting] = {}
        self.receivable: dict[str, int] = {}
        self.heads: dict[str, tuple[int, str]] = {}
        self.warned_at: dict[tuple[str, int], datetime] = {}
        self.paid_before: dict[str, frozenset[str]] = {}  # charges that the processor had booked when the case opened

    def committed(self, before: Case | None, decision: Decision) -> None:
        """A decision was written; `before` is the case as it was."""
        for posting in decision.postings:
            self._posted(posting)
        for entry in decision.audit:
            self._linked(entry)
            if not entry.why:
                raise PromiseBroken("every decision says why", f"{entry.what} of {entry.case_id} has no reason")
        case = decision.case
        if case is None:
            return
        if self.receivable.get(case.id, 0) != case.amount_due_minor:
            raise PromiseBroken(
                LEDGER, f"{case.id} owes {case.amount_due_minor}, its ledger says {self.receivable.get(case.id, 0)}"
            )
        if case.audit_head != self.heads[case.id][1]:
            raise PromiseBroken(CHAIN, f"the head of {case.id} is not its newest entry")
        if before is None:
            self.paid_before[case.id] = frozenset(case.foreign_charge_ids)
        else:
            self._moved(before, case, decision)
        if case.paused_at is not None and (before is None or before.paused_at is None):
            self._paused(case)

    def _posted(self, posting: Posting) -> None:
        """One entry: balanced, and never posted anew with another content."""
        known = self.posted.get(posting.id)
        if known is not None:
            raise PromiseBroken(LEDGER, f"{posting.id} is posted twice: the second is lost without a trace")
        if sum(amount for _, amount in posting.lines) != 0:
            raise PromiseBroken(LEDGER, f"{posting.id} does not balance")
        self.posted[posting.id] = posting
        for account, amount in posting.lines:
            if account in (RECEIVABLE, DELINQUENT):
                self.receivable[posting.case_id] = self.receivable.get(posting.case_id, 0) + amount

    def _linked(self, entry: AuditEntry) -> None:
        """One link of the chain."""
        number, head = self.heads.get(entry.case_id, (0, ""))
        if (entry.number, entry.previous_hash) != (number + 1, head):
            raise PromiseBroken(CHAIN, f"entry {entry.number} of {entry.case_id} does not follow entry {number}")
        self.heads[entry.case_id] = (entry.number, entry.hash)

    def _moved(self, before: Case, case: Case, decision: Decision) -> None:
        """What may not happen between two versions of a case."""
        returned = len(case.returned_charge_ids) > len(before.returned_charge_ids)
        if before.state is CaseState.RECOVERED and case.state is not CaseState.RECOVERED and not returned:
            raise PromiseBroken(MONEY_BEATS_STATE, f"{case.id} was paid and is {case.state} now: {decision.because}")
        if (
            case.attempt_number_last < before.attempt_number_last
            or case.attempt_number_last > before.attempt_number_last + 1
        ):
            raise PromiseBroken("attempt numbers are for ever", f"{case.id} went to {case.attempt_number_last}")
        if case.attempts is before.attempts:
            return
        if any(attempt.outcome in UNSETTLED for attempt in case.attempts[:-1]):
            raise PromiseBroken(ONE_UNSETTLED, f"{case.id} began another attempt beside an unsettled one")
        if len(case.attempts) != len(before.attempts):
            return
        for old, new in zip(before.attempts, case.attempts, strict=True):
            if old is not new and old.outcome is Outcome.SUCCEEDED and new.outcome is not Outcome.SUCCEEDED:
                raise PromiseBroken(MONEY_BEATS_STATE, f"attempt {old.number} of {case.id} was un-paid")

    def warned(self, notice: Notice, now: datetime) -> None:
        """A warning left, or was found undeliverable."""
        if notice.is_warning:
            self.warned_at.setdefault((notice.case_id, notice.round), now)

    def undeliverable(self, case: Case, now: datetime) -> None:
        """A warning of this case could not be delivered; a person was told."""
        self.warned_at.setdefault((case.id, case.round), now)

    def _paused(self, case: Case) -> None:
        """A case pauses: the customer knows it since a day."""
        assert case.paused_at is not None
        warned_at = self.warned_at.get((case.id, case.round))
        if warned_at is None or case.paused_at - warned_at < WARNING_LEAD:
            raise PromiseBroken(WARNED, f"{case.id} paused at {case.paused_at}, warned at {warned_at}")

    def ended(self, subscription: Subscription, *, ended_there: bool) -> None:
        """A subscription that ended with us has ended at the processor."""
        if subscription.ended_at is not None and not ended_there:
            raise PromiseBroken("never cancelled silently", f"{subscription.id} is ended here and lives there")
