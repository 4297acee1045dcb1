"""``invoices.pay``: the gate, the script, the books, and the answer that Stripe would give.

One invoice has one payment intent, so what Stripe's own lock forbids is refused
here too: a second try while one is running, or while a debit is on its way.
"""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus

from dunr.sandbox import invoices, outcomes, scripts
from dunr.sandbox.booking import book
from dunr.sandbox.database import Transaction
from dunr.sandbox.identifiers import new_id
from dunr.sandbox.outcomes import Fail, Hang, LoseAnswer, SlowAnswer
from dunr.sandbox.records import AgendaItem, Card, Charge, ChargeRequest, Customer, Intent, Invoice

from .calls import Booked, Hung, Result, StripeCall, unsupported
from .declines import TEST_METHODS, error_of
from .errors import Wrong, broken, busy, missing, refused
from .expanding import expanded
from .parameters import InvoicePay
from .payments import payments_of, status_of_invoice
from .rows import StripeKey
from .shape_customers import payment_method
from .shape_invoices import invoice as shaped
from .shape_payments import intent as shaped_intent
from .shape_payments import status_of

ACTION_MESSAGE = (
    "This payment requires additional user action before it can be completed successfully. "
    "Payment can be completed using the `PaymentIntent` associated with the invoice."
)


def pay(tx: Transaction, call: StripeCall) -> Result:
    wanted = call.read(InvoicePay)
    invoice = _payable(tx, call.id)
    # Whether the answer can be laid out as asked is seen before money moves.
    expanded(tx, shaped(tx, invoice, call.api_version), wanted.expand, call.api_version)
    if wanted.forgive:
        raise unsupported("forgive")
    if wanted.paid_out_of_band:
        return _out_of_band(tx, invoice, call)
    card = _method(tx, invoice, wanted.payment_method)
    if invoice.amount_due_minor < tx.settings.minimum_minor:
        raise refused("Amount must convert to at least 50 cents.", code="amount_too_small", param="amount")
    if invoice.status == "draft":
        invoice.status = "open"
        tx.put(invoice)
    _supersede(tx, invoice)
    request = ChargeRequest(
        id=new_id("req"),
        invoice=invoice.id,
        key=call.key,
        amount_minor=invoice.amount_due_minor,
        currency=invoice.currency,
        card=card.id,
        outcome="begun",
        at=tx.now,
    )
    tx.put(request)
    return _begin(tx, request, scripts.next_outcome(tx, card.id))


def _begin(tx: Transaction, request: ChargeRequest, script: str) -> Result:
    outcome = outcomes.parse(script)
    if isinstance(outcome, Hang):
        request.outcome = "hung"
        tx.put(request)
        due_at = tx.now + timedelta(seconds=outcome.seconds)
        tx.put(AgendaItem(id=f"book:{request.id}", kind="book", due_at=due_at, subject=request.id, detail=script))
        return Hung(request.id, due_at)
    book(tx, request, outcome)
    seconds = outcome.seconds if isinstance(outcome, SlowAnswer) else 0.0
    inner = outcome.then if isinstance(outcome, SlowAnswer | LoseAnswer) else outcome
    refused_early = isinstance(inner, Fail) and not inner.stored
    return Booked(request.id, lost=isinstance(outcome, LoseAnswer), seconds=seconds, kept=not refused_early)


def _payable(tx: Transaction, invoice_id: str) -> Invoice:
    invoice = tx.get(Invoice, invoice_id)
    if invoice is None:
        raise missing("invoice", invoice_id)
    if status_of_invoice(invoice) == "paid":
        raise refused("Invoice is already paid")
    if invoice.status == "void":
        raise refused("This invoice is void; only a draft, open or uncollectible invoice can be paid.")
    customer = tx.get(Customer, invoice.customer)
    if customer is None or customer.deleted:
        raise missing("customer", invoice.customer, "customer", status=400)
    if tx.count(ChargeRequest, "invoice = ? AND outcome = 'hung' AND answer_status IS NULL", invoice.id):
        raise busy(
            "This object cannot be accessed right now because another API request or Stripe process is currently "
            "accessing it.",
            "lock_timeout",
        )
    if any(payment.is_default and status_of(payment) == "processing" for payment in payments_of(tx, invoice)):
        raise refused("A payment for this invoice is processing.", code="payment_intent_unexpected_state")
    return invoice


def _method(tx: Transaction, invoice: Invoice, named: str | None) -> Card:
    """The method that is named, else the customer's default. A public test method is made a card of theirs."""
    if named in TEST_METHODS and tx.get(Card, named) is None:
        return card_of_test_method(tx, invoice.customer, named)
    customer = tx.get(Customer, invoice.customer)
    asked = named or (customer.default_card if customer is not None else None)
    if asked is None:
        raise refused(
            "There is no `default_payment_method` set on this Customer or Invoice. Please set a default payment method."
        )
    card = tx.get(Card, asked)
    if card is None:
        raise missing("PaymentMethod", asked, "payment_method", status=400)
    if card.detached or card.customer != invoice.customer:
        raise refused(
            f"The payment method {asked} does not belong to the customer {invoice.customer}.", param="payment_method"
        )
    obey_test_method(tx, card)
    return card


def obey_test_method(tx: Transaction, card: Card) -> None:
    """A card that a tester gave the name of a public test method answers like it, unless told otherwise."""
    known = TEST_METHODS.get(card.id)
    if known is not None and not scripts.known(tx, card.id):
        scripts.give(tx, card.id, [known.script])


def card_of_test_method(tx: Transaction, customer: str, name: str, *, detached: bool = True) -> Card:
    """A new card with the test method's answers. It is on no file until it is attached."""
    known = TEST_METHODS[name]
    card = Card(
        id=new_id("pm"),
        customer=customer,
        network=known.network,
        last4=known.last4,
        fingerprint=f"fp_{name}",
        expires=f"{tx.now.year + 4}-12",
        detached=detached,
        created_at=tx.now,
    )
    tx.put(card)
    scripts.give(tx, card.id, [known.script])
    return card


def _supersede(tx: Transaction, invoice: Invoice) -> None:
    """A new try confirms the same intent anew: the customer's older word to the bank no longer counts."""
    for waiting in tx.find(Intent, "invoice = ? AND status = 'requires_action'", invoice.id):
        waiting.status = "cancelled"
        tx.put(waiting)


def _out_of_band(tx: Transaction, invoice: Invoice, call: StripeCall) -> Result:
    """Paid elsewhere, on the merchant's word: no charge is made."""
    invoice.credited_minor += invoice.amount_due_minor
    invoices.settle_by_credit(tx, invoice)
    return shaped(tx, invoice, call.api_version)


def note_refused(tx: Transaction, call: StripeCall, wrong: Wrong) -> None:
    """A request that was turned away is still a request: the witness counts it."""
    _note(tx, call, f"error:{wrong.status}:{wrong.code or wrong.kind}", wrong.status)


def note_replayed(tx: Transaction, call: StripeCall, first: StripeKey) -> None:
    request = tx.get(ChargeRequest, first.charge_request)
    _note(tx, call, "replayed", first.answer_status, None if request is None else request.charge)


def _note(tx: Transaction, call: StripeCall, outcome: str, status: int | None, charge: str | None = None) -> None:
    named = call.parameters.get("payment_method")
    tx.put(
        ChargeRequest(
            id=new_id("req"),
            invoice=call.id,
            key=call.key,
            card=named if isinstance(named, str) else None,
            outcome=outcome,
            charge=charge,
            at=tx.now,
            answer_status=status,
        )
    )


def answer(tx: Transaction, request: ChargeRequest, call: StripeCall) -> dict[str, object]:
    """What the caller hears of a booked request. Raises the 402 of a decline, or the error it was scripted to be."""
    status = request.answer_status
    assert status is not None, "only a booked request is answered"
    invoice, charge = tx.get(Invoice, request.invoice), tx.get(Charge, request.charge)
    assert invoice is not None, "a request is for an invoice"
    if status == HTTPStatus.OK:
        return expanded(tx, shaped(tx, invoice, call.api_version), call.read(InvoicePay).expand, call.api_version)
    if status == HTTPStatus.PAYMENT_REQUIRED and charge is not None:
        raise _declined(tx, request, invoice, charge, call.api_version)
    raise scripted(status, request.outcome.rpartition(":")[2])


def scripted(status: int, code: str) -> Wrong:
    """The error that a script named, in Stripe's words."""
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return broken(status)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return busy("The sandbox was told to answer so; try again later.", code)
    if status == HTTPStatus.NOT_FOUND:
        return Wrong(404, "invalid_request_error", "No such invoice", code="resource_missing", param="id")
    about_the_key = status == HTTPStatus.CONFLICT or code == "idempotency_key_reused"
    kind = "idempotency_error" if about_the_key else "invalid_request_error"
    return Wrong(status, kind, "The sandbox was told to answer so.", code=code)


def _declined(tx: Transaction, request: ChargeRequest, invoice: Invoice, charge: Charge, version: str) -> Wrong:
    payment = next(one for one in payments_of(tx, invoice) if one.is_default)
    card = tx.get(Card, request.card)
    more: dict[str, object] = {
        "payment_intent": shaped_intent(tx, payment, version),
        "payment_method": None if card is None else payment_method(tx, card),
    }
    if request.outcome == "requires_action":
        code = "invoice_payment_intent_requires_action"
        return Wrong(402, "card_error", ACTION_MESSAGE, code=code, kept=True, more=more)
    said = error_of(charge)
    message = str(said.pop("message"))
    return Wrong(402, "card_error", message, kept=True, more={**said, "charge": charge.id, **more})
