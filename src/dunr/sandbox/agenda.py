"""What the processor does by itself when its time comes: late results, settlements, own retries.

Each item is taken and performed in one transaction, so a kill between the two
is no difference, and two threads cannot perform it twice.
"""

from __future__ import annotations

from datetime import datetime

from . import invoices, outcomes, scripts
from .booking import book, captured, collect, put_decline
from .database import Transaction
from .events import emit_invoice
from .outcomes import BreakAnswer, Hang, LoseAnswer, Outcome, SlowAnswer
from .records import AgendaItem, Card, Charge, ChargeRequest, Customer, Invoice


def next_item(tx: Transaction, until: datetime) -> AgendaItem | None:
    found = tx.find(AgendaItem, "due_at <= ?", until, order="due_at, seq", limit=1)
    return found[0] if found else None


def earliest(tx: Transaction) -> datetime | None:
    found = tx.find(AgendaItem, order="due_at, seq", limit=1)
    return found[0].due_at if found else None


def perform(tx: Transaction, item: AgendaItem) -> None:
    if not tx.remove(AgendaItem, item.id):
        return
    match item.kind:
        case "book":
            request = tx.get(ChargeRequest, item.subject)
            if request is not None:
                book(tx, request, outcomes.parse(item.detail))
        case "settle":
            _settle(tx, item)
        case "own_retry":
            _retry(tx, item)


def _settle(tx: Transaction, item: AgendaItem) -> None:
    """A pending payment becomes money or a decline."""
    charge = tx.get(Charge, item.subject)
    if charge is None or charge.status != "pending":
        return
    invoice = tx.get(Invoice, charge.invoice)
    assert invoice is not None, "a charge belongs to an invoice"
    charge.updated_at = tx.now
    word, _, code = item.detail.partition(":")
    if word == "fail":
        charge.status = "declined"
        put_decline(charge, outcomes.decline_of(code))
        tx.put(charge)
        invoices.payment_failed(tx, invoice, charge)
        return
    charge.status, charge.settled_at = "succeeded", tx.now
    tx.put(charge)
    captured(tx, charge)
    invoices.money_arrived(tx, invoice, charge)


def _retry(tx: Transaction, item: AgendaItem) -> None:
    """The processor's own dunning: the default card, everything that is due, no key."""
    invoice = tx.get(Invoice, item.subject)
    if invoice is None or invoice.status != "open":
        return
    invoice.next_attempt_at = None
    invoice.own_retry_count += 1
    tx.put(invoice)
    customer = tx.get(Customer, invoice.customer)
    card = tx.get(Card, None if customer is None else customer.default_card)
    if customer is None or customer.deleted or card is None or card.detached:
        emit_invoice(tx, "invoice.payment_failed", invoice)
        return
    outcome = at_once(outcomes.parse(scripts.next_outcome(tx, card.id)))
    collect(tx, invoice, card, invoice.amount_due_minor, "processor", outcome)


def at_once(outcome: Outcome) -> Outcome:
    """Nobody waits on a line here, so there is nothing to hang or to lose."""
    return outcome.then if isinstance(outcome, Hang | SlowAnswer | LoseAnswer | BreakAnswer) else outcome
