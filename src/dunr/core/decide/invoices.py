"""What happens to the debt without a payment: it changes, it is voided or given up, its subscription or its customer goes."""

from dunr.core import ledger
from dunr.core.decide.draft import Draft
from dunr.core.decide.money import recover
from dunr.core.model import Plan
from dunr.core.terms import Access, AlertKind, CaseState, CloseReason, InvoiceStatus
from dunr.core.value import replace


def close(draft: Draft, because: CloseReason) -> None:
    """End a case: nothing more is planned or sent. An attempt in flight is still settled, and late money is still booked."""
    draft.case = replace(
        draft.case,
        state=CaseState.CLOSED,
        closed_because=because,
        ended_at=draft.now,
        plan=Plan(),
        access=Access.GRANTED,
        paused_at=None,
        waiting_method=None,
        turn_at=None,
        holds=(),
        not_before_at=None,
    )
    draft.why(f"closed: {because}")


def _is_over(draft: Draft) -> bool:
    """Whether the case has ended, so that what becomes of the invoice changes nothing here any more."""
    if draft.case.is_open:
        return False
    draft.why(f"the case is {draft.case.state} already; only money still changes it")
    return True


def amount_changed(draft: Draft) -> None:
    """A credit, or another change of what is owed: the next attempt asks for what is due then."""
    if draft.case.state is CaseState.RECOVERED:
        _credited_after_payment(draft)
        return
    if _is_over(draft):
        return
    case, invoice = draft.case, draft.snapshot.invoice
    due, beyond = _due_without_payments(draft)
    if due != case.amount_due_minor:
        draft.postings.append(ledger.credited(case, case.amount_due_minor - due, draft.now))
        draft.why(
            f"what is owed changed from {draft.money(case.amount_due_minor)} to {draft.money(due)} without a payment"
        )
    else:
        draft.why(f"{draft.money(due)} is owed, as before")
    draft.case = replace(case, amount_due_minor=due, credited_minor=invoice.credited_minor)
    if beyond:
        _paid_too_much(draft, beyond)
    if due == 0:
        recover(draft, ours=False)
    elif due < invoice.minimum_minor:
        carry_over(draft)


def _due_without_payments(draft: Draft) -> tuple[int, int]:
    """What is due after the change, and what was credited beyond that.

    Of an invoice that is paid, or may be by an attempt in flight, the credit alone counts: the rest is money, and booked as such.
    """
    case, invoice = draft.case, draft.snapshot.invoice
    rest = case.amount_due_minor - (invoice.credited_minor - case.credited_minor)
    if invoice.status is InvoiceStatus.PAID or case.in_flight is not None:
        return max(0, rest), max(0, -rest)
    return invoice.amount_due_minor, 0


def _credited_after_payment(draft: Draft) -> None:
    """A credit that crossed the payment of the same debt."""
    case, total_minor = draft.case, draft.snapshot.invoice.credited_minor
    late_minor = total_minor - case.credited_minor
    if late_minor <= 0:
        draft.why("what is paid stays paid")
        return
    draft.case = replace(case, credited_minor=total_minor)
    _paid_too_much(draft, late_minor)


def _paid_too_much(draft: Draft, late_minor: int) -> None:
    """A credit came after the money: the payment was too much by as much."""
    case = draft.case
    draft.postings.append(ledger.credited_late(case, late_minor, draft.now))
    draft.case = replace(case, overpaid_minor=case.overpaid_minor + late_minor)
    draft.why(f"{draft.money(late_minor)} was credited after it had been paid")
    text = f"{draft.money(late_minor)} of {case.processor_invoice_id} was credited, and had been paid already. A person refunds it."
    draft.alert(AlertKind.OVERPAID, f"{case.id}/credit-{case.credited_minor}", text)


def carry_over(draft: Draft) -> None:
    """The amount is below what the processor charges: not a decline, no mail; it is added to the next invoice."""
    case = draft.case
    text = f"{draft.money(case.amount_due_minor)} of {case.processor_invoice_id} is below what {case.processor} charges; carried over."
    draft.alert(AlertKind.AMOUNT_TOO_SMALL, case.id, text)
    close(draft, CloseReason.CARRIED_OVER)


def voided(draft: Draft) -> None:
    """The processor voided the invoice: nothing is owed any more."""
    if _is_over(draft):
        return
    case = draft.case
    draft.postings.append(ledger.voided(case, case.amount_due_minor, draft.now))
    close(draft, CloseReason.VOIDED)
    draft.case = replace(draft.case, amount_due_minor=0)


def written_off(draft: Draft) -> None:
    """The debt was given up at the processor."""
    if _is_over(draft):
        return
    case = draft.case
    draft.postings.append(ledger.written_off(case, case.amount_due_minor, draft.now))
    close(draft, CloseReason.WRITTEN_OFF)
    draft.case = replace(draft.case, amount_due_minor=0, written_off_minor=case.amount_due_minor)


def subscription_ended(draft: Draft) -> None:
    """The subscription is over, for good: no news that is older revives it. The debt stays for a person."""
    if draft.subscription is not None and draft.subscription.ended_at is None:
        draft.subscription = replace(draft.subscription, ended_at=draft.now)
        draft.why("the subscription has ended, and its access with it")
    if not _is_over(draft):
        close(draft, CloseReason.SUBSCRIPTION_ENDED)
        _leave_debt(draft, "the subscription has ended")


def customer_deleted(draft: Draft) -> None:
    """The customer is gone at the processor: nothing is charged or written any more."""
    if draft.customer is not None:
        draft.customer = replace(draft.customer, deleted=True)
    if not _is_over(draft):
        close(draft, CloseReason.CUSTOMER_DELETED)
        _leave_debt(draft, "the customer was deleted")


def _leave_debt(draft: Draft, why: str) -> None:
    """What is still owed stays in the ledger, and a person is told."""
    case = draft.case
    text = f"{draft.money(case.amount_due_minor)} of {case.processor_invoice_id} stays open: {why}. A person collects it or writes it off."
    draft.alert(AlertKind.DEBT_LEFT_OPEN, case.id, text)
