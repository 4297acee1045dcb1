"""What must hold when a world has come to rest, all its faults are mended and everything was looked at once more."""

from collections.abc import Iterable

from dunr.core import keys
from dunr.core.access import fold
from dunr.core.model import Case
from dunr.core.terms import Access, AlertKind, CaseState, ChargeStatus, InvoiceStatus
from dunr.ports import InboundState
from dunr.simulate.books import Charge, Invoice
from dunr.simulate.checkers.broken import PromiseBroken
from dunr.simulate.checkers.messages import MessagesChecker
from dunr.simulate.checkers.rows import UNSETTLED, RowsChecker
from dunr.simulate.store import WatchedStore

COLLECTED = ("recovered", "part_paid", "overpaid")
REVERSED = ("reversed", "reversed_overpayment")
MONEY = "money beats state"
EVERYTHING = 10_000


def check_end(
    store: WatchedStore, invoices: Iterable[Invoice], rows: RowsChecker, messages: MessagesChecker, *, hashes: bool
) -> None:
    """Every promise about the end. `hashes`: compute the audit hashes anew, too."""
    _nothing_lost(store)
    cases = {case.id: case for case in store.cases(state=None, text=None, limit=EVERYTHING, after=None)}
    for invoice in invoices:
        case = cases.get(f"sandbox:acct:{invoice.id}")
        if case is None:
            _may_have_no_case(invoice)
            continue
        _money_is_booked(case, invoice, rows)
        _overpayment_is_told(case, invoice, messages)
        _agrees(case, invoice)
        _is_not_stuck(case)
        if hashes:
            _chain_is_true(store, case)
    _access_is_folded(store, cases)


def _nothing_lost(store: WatchedStore) -> None:
    """What was received is applied, ignored or dead, with a reason."""
    for inbound in store.inbounds(state=InboundState.WAITING, limit=1):
        raise PromiseBroken("nothing acknowledged is lost", f"{inbound.key} still waits: {inbound.note}")


def _may_have_no_case(invoice: Invoice) -> None:
    """Only an invoice that is not to be collected has no case."""
    customer, subscription = invoice.customer.shown, invoice.subscription.shown
    if invoice.is_payable and not customer.deleted and subscription.status != "ended":
        raise PromiseBroken("nothing acknowledged is lost", f"{invoice.id} failed, is still owed, and has no case")


def _booked(rows: RowsChecker, case: Case, charge: Charge, kinds: tuple[str, ...]) -> int:
    """How much of a charge the ledger has under these kinds."""
    total_minor = 0
    for kind in kinds:
        posting = rows.posted.get(keys.posting(case.id, kind, charge.id))
        if posting is not None:
            total_minor += sum(amount for _, amount in posting.lines if amount > 0)
    return total_minor


def _money_is_booked(case: Case, invoice: Invoice, rows: RowsChecker) -> None:
    """Every captured charge is in the ledger exactly once, and nothing else is."""
    captured = [one for one in invoice.charges if one.status in (ChargeStatus.SUCCEEDED, ChargeStatus.RETURNED)]
    for charge in captured:
        if charge.id in rows.paid_before[case.id]:
            continue  # what was owed when the case opened is what was left after it
        booked_minor = _booked(rows, case, charge, COLLECTED)
        if booked_minor != charge.amount_minor:
            raise PromiseBroken(MONEY, f"{charge.id} captured {charge.amount_minor}, the ledger has {booked_minor}")
        back_minor = charge.amount_minor if charge.status is ChargeStatus.RETURNED else 0
        if back_minor != _booked(rows, case, charge, REVERSED):
            raise PromiseBroken(MONEY, f"{charge.id} is {charge.status} there, and the ledger disagrees")
    names = {charge.id for charge in captured}
    for posting in rows.posted.values():
        ref = posting.id.removeprefix(f"{case.id}/{posting.kind}/")
        if posting.case_id == case.id and posting.kind in COLLECTED and ref not in names:
            raise PromiseBroken(MONEY, f"{posting.id} books money that the processor never saw")


def _overpayment_is_told(case: Case, invoice: Invoice, messages: MessagesChecker) -> None:
    """What was collected beyond the debt is booked and a person has heard of it."""
    refunded_minor = sum(charge.refunded_minor for charge in invoice.charges)
    if case.overpaid_minor and not messages.has_alert(AlertKind.OVERPAID, case.id):
        raise PromiseBroken("an overpayment is never silent", f"{case.id}: {case.overpaid_minor} too much, no alert")
    if invoice.status is InvoiceStatus.VOID or refunded_minor or case.closed_because is not None:
        return
    over_minor = invoice.captured_minor + invoice.credited_minor - invoice.total_minor
    if over_minor > 0 and case.overpaid_minor < min(over_minor, invoice.captured_minor):
        raise PromiseBroken("an overpayment is never silent", f"{case.id}: {over_minor} too much, not booked")


def _agrees(case: Case, invoice: Invoice) -> None:
    """The case and the processor's invoice say the same."""
    if case.state is CaseState.CLOSED:
        return
    if case.amount_due_minor != invoice.due_minor:
        raise PromiseBroken(
            "the case agrees with the processor", f"{case.id} owes {case.amount_due_minor}, there {invoice.due_minor}"
        )
    paid_here, paid_there = case.state is CaseState.RECOVERED, not invoice.due_minor
    if paid_here != paid_there:
        raise PromiseBroken("the case agrees with the processor", f"{case.id} is {case.state}, there {invoice.status}")


def _is_not_stuck(case: Case) -> None:
    """Something will happen by itself, or somebody else has to act."""
    for attempt in case.attempts:
        if attempt.outcome in UNSETTLED:
            raise PromiseBroken("no case is stuck", f"attempt {attempt.number} of {case.id} is never settled")
    waits = case.state in (CaseState.AWAITING_CUSTOMER, CaseState.EXHAUSTED) or case.holds or not case.is_open
    if case.wake_at is None and not waits:
        raise PromiseBroken("no case is stuck", f"{case.id} is {case.state} and nothing will wake it")


def _chain_is_true(store: WatchedStore, case: Case) -> None:
    """Each hash is the hash of its entry."""
    head = ""
    for entry in store.audit(case.id, EVERYTHING):
        head = keys.audit_hash(
            head, entry.case_id, str(entry.number), entry.at.isoformat(), entry.actor, entry.what, *entry.why
        )
        if head != entry.hash:
            raise PromiseBroken("the audit chain is unbroken", f"entry {entry.number} of {case.id} was altered")


def _access_is_folded(store: WatchedStore, cases: dict[str, Case]) -> None:
    """Each subscription shows what its open cases contribute, and nothing else."""
    for subscription in store.subscriptions():
        shares = {share.case_id: share.access for share in subscription.cases}
        wanted = {c.id: c.access for c in cases.values() if c.is_open and c.subscription_id == subscription.id}
        if shares != wanted:
            raise PromiseBroken("access is folded right", f"{subscription.id} holds {shares}, its cases say {wanted}")
        if subscription.lent_credential is None and fold(subscription)[0] is not subscription.access:
            raise PromiseBroken("access is folded right", f"{subscription.id} shows {subscription.access}")
        if not wanted and subscription.access in (Access.PAUSED, Access.GRACE):
            raise PromiseBroken("access is folded right", f"{subscription.id} is {subscription.access}, nothing owed")
        if subscription.lent_credential is not None:
            raise PromiseBroken("access is folded right", f"{subscription.id}: access is lent for ever")
