"""What an answer to `invoices.pay` means.

A decline is an answer, and so is not knowing. The idempotency key makes Stripe replay what it answered first: a replayed decline is the same decline, a replayed server
error is still no answer. Stripe has no code of its own for "this invoice is paid already", so a 400 without a known code is judged by what the invoice has become.
"""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus

from dunr.adapters.processors.exchange import Unreadable
from dunr.adapters.processors.stripe.charges import AUTHENTICATION_REQUIRED, raw_of, waiting_intent
from dunr.adapters.processors.stripe.client import LOCK_TIMEOUT, Answer
from dunr.adapters.processors.stripe.gathering import payments_of
from dunr.adapters.processors.stripe.wire import (
    ErrorBody,
    ErrorOnWire,
    IntentOnWire,
    InvoiceOnWire,
    InvoicePaymentOnWire,
    id_of,
    instant,
)
from dunr.core.answers import ChargeAnswer, Declined, NotNow, Paid, Pending, Refused, RefusedKind, Unanswered

WAIT_SECONDS_MAX = 3600
CARD_ERROR = "card_error"
IDEMPOTENCY_ERROR = "idempotency_error"
KEY_IN_USE = "idempotency_key_in_use"
NOT_NOW_CODES = frozenset({LOCK_TIMEOUT, KEY_IN_USE, "rate_limit"})
ACTION_CODES = frozenset(
    {"invoice_payment_intent_requires_action", "subscription_payment_intent_requires_action"}
    | {"payment_intent_action_required"}
)
REFUSED_CODES: Mapping[str, RefusedKind] = {
    "amount_too_small": RefusedKind.AMOUNT_TOO_SMALL,
    "resource_missing": RefusedKind.NOT_FOUND,
    "api_key_expired": RefusedKind.KEY_REVOKED,
    "platform_api_key_expired": RefusedKind.KEY_REVOKED,
    "account_invalid": RefusedKind.KEY_REVOKED,
    "livemode_mismatch": RefusedKind.KEY_REVOKED,
}
REFUSED_STATUSES: Mapping[int, RefusedKind] = {
    HTTPStatus.UNAUTHORIZED: RefusedKind.KEY_REVOKED,
    HTTPStatus.FORBIDDEN: RefusedKind.KEY_REVOKED,
    HTTPStatus.NOT_FOUND: RefusedKind.NOT_FOUND,
}


def of_pay(answer: Answer) -> ChargeAnswer:
    """What one call of an attempt came to. A `BAD_REQUEST` may still be a race: see `not_payable`."""
    try:
        if answer.is_ok:
            return _of_invoice(answer.read(InvoiceOnWire), answer)
        if answer.status == HTTPStatus.PAYMENT_REQUIRED:
            return _of_decline(answer.read(ErrorBody).error, answer)
        error = answer.error()
        if error.type == CARD_ERROR or error.code in ACTION_CODES:
            return _of_decline(error, answer)
    except Unreadable as unreadable:
        return Unanswered(str(unreadable))
    return _of_error(error, answer)


def not_payable(invoice: InvoiceOnWire) -> bool:
    """Whether a request was refused because there is nothing to pay any more, or a payment is under way already."""
    intents = (one.payment.payment_intent for one in payments_of(invoice) if one.is_default)
    return invoice.status != "open" or any(one is not None and one.status == "processing" for one in intents)


def _of_invoice(invoice: InvoiceOnWire, answer: Answer) -> ChargeAnswer:
    """The invoice as the call left it."""
    if invoice.status == "paid":
        return _paid(invoice, answer)
    for payment in payments_of(invoice):
        intent = payment.payment.payment_intent
        if intent is None or not payment.is_default:
            continue
        if intent.status == "processing":
            return Pending(id_of(intent.latest_charge) or intent.id)
        if intent.status == "requires_action":
            return _declined(intent, None, answer.at)
        if intent.last_payment_error is not None:
            return _declined(intent, intent.last_payment_error, answer.at)
    return Unanswered(f"the invoice is {invoice.status} after the call, and no payment of it says why{_named(answer)}")


def _paid(invoice: InvoiceOnWire, answer: Answer) -> ChargeAnswer:
    """The newest payment is the one that this call made."""
    made = [one for one in payments_of(invoice) if one.status == "paid"]
    newest = max(made, key=lambda one: (_paid_at(one), one.is_default), default=None)
    charge_id = _charge_of(newest) if newest is not None else None
    if newest is None or charge_id is None:
        return Unanswered(f"the invoice is paid, and no charge of it says how{_named(answer)}")
    intent = newest.payment.payment_intent
    amount_minor = newest.amount_paid or (intent.amount_received if intent is not None else 0)
    return Paid(charge_id, amount_minor, instant(_paid_at(newest)) if _paid_at(newest) else answer.at)


def _paid_at(payment: InvoicePaymentOnWire) -> int:
    return payment.status_transitions.paid_at or 0


def _charge_of(payment: InvoicePaymentOnWire) -> str | None:
    intent = payment.payment.payment_intent
    return id_of(intent.latest_charge) if intent is not None else id_of(payment.payment.charge)


def _of_decline(error: ErrorOnWire, answer: Answer) -> Declined:
    """The issuer, its bank's wish to see the customer, or Stripe's own rules said no."""
    needs_customer = error.code in ACTION_CODES
    return _declined(error.payment_intent, None if needs_customer else error, answer.at)


def _declined(intent: IntentOnWire | None, error: ErrorOnWire | None, at: datetime) -> Declined:
    """A no; without an error of its own it is the bank that wants the customer. Where it left no charge, the intent stands for it."""
    charge_id = id_of(error.charge) if error is not None else None
    if charge_id is None and intent is not None:
        charge_id = id_of(intent.latest_charge) if error is not None else None
        charge_id = charge_id or intent.id
    raw = raw_of(error) if error is not None else AUTHENTICATION_REQUIRED
    return Declined(charge_id, raw, at, waiting_intent(intent))


def _of_error(error: ErrorOnWire, answer: Answer) -> NotNow | Unanswered | Refused:
    """An answer that is neither an invoice nor a decline."""
    code = error.code or f"http_{answer.status}"
    busy = answer.status in (HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS) or error.code in NOT_NOW_CODES
    if error.type == IDEMPOTENCY_ERROR and error.code != KEY_IN_USE and answer.status != HTTPStatus.CONFLICT:
        return Refused(RefusedKind.IDEMPOTENCY_KEY_REUSED, code)
    if busy and answer.should_retry is not False:
        return NotNow(code, _wait_seconds(answer))
    if busy or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR or answer.status == HTTPStatus.REQUEST_TIMEOUT:
        return Unanswered(answer.told())
    if answer.status < HTTPStatus.BAD_REQUEST or answer.status == HTTPStatus.FAILED_DEPENDENCY:
        return Unanswered(answer.told())
    kind = REFUSED_CODES.get(error.code or "") or REFUSED_STATUSES.get(answer.status, RefusedKind.BAD_REQUEST)
    return Refused(kind, code)


def _wait_seconds(answer: Answer) -> int | None:
    """How long Stripe asks us to wait, within reason."""
    return min(answer.wait_seconds, WAIT_SECONDS_MAX) if answer.wait_seconds is not None else None


def _named(answer: Answer) -> str:
    return f" ({answer.request_id})" if answer.request_id else ""
