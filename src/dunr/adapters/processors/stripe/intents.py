"""Taking an intent back that waits for the customer, so that nothing is collected twice.

The intent of an invoice's default payment cannot be cancelled directly; only voiding the invoice cancels it, and with it the debt. It is not in the way either: the next
payment of the invoice confirms this very intent anew, so the two can never both capture. It is therefore reported as out of the way as soon as no capture is under way
through it. An intent beside the default one, which a merchant may attach to an invoice, could capture beside ours; it is cancelled, and only what Stripe says of it
afterwards counts.
"""

from typing import Literal

from dunr.adapters.processors.exchange import NoAnswer, Unreadable
from dunr.adapters.processors.stripe.client import StripeConnection
from dunr.adapters.processors.stripe.wire import IntentOnWire, InvoiceOfPayment, Listed
from dunr.ports import IntentAnswer, ObjectMissing, SnapshotUnavailable

UNCONFIRMED = IntentAnswer(cancelled=False, succeeded=False)
# Nothing moves through these until somebody confirms the intent anew.
AT_REST = frozenset({"requires_payment_method", "requires_confirmation", "requires_action", "canceled"})
REASON: Literal["abandoned"] = "abandoned"


def cancel(connection: StripeConnection, account: str, intent_id: str) -> IntentAnswer:
    """Take the intent out of the way and confirm it. Neither answer where that could not be confirmed."""
    try:
        intent = _read(connection, account, intent_id)
        if intent.status in ("succeeded", "canceled"):
            return _told(intent)
        if _is_default(connection, account, intent_id):
            return IntentAnswer(cancelled=intent.status in AT_REST, succeeded=False)
        intents, options = connection.v1.payment_intents, connection.options(account)
        connection.once(lambda: intents.cancel(intent_id, {"cancellation_reason": REASON}, options))
        return _told(_read(connection, account, intent_id))
    except (SnapshotUnavailable, ObjectMissing, NoAnswer, Unreadable):
        return UNCONFIRMED


def _told(intent: IntentOnWire) -> IntentAnswer:
    return IntentAnswer(cancelled=intent.status == "canceled", succeeded=intent.status == "succeeded")


def _read(connection: StripeConnection, account: str, intent_id: str) -> IntentOnWire:
    intents, options = connection.v1.payment_intents, connection.options(account)
    return connection.read(lambda: intents.retrieve(intent_id, options=options), IntentOnWire)


def _is_default(connection: StripeConnection, account: str, intent_id: str) -> bool:
    """Whether it is the one intent that Stripe itself pays an invoice through."""
    payments, options = connection.v1.invoice_payments, connection.options(account)
    found = connection.read(
        lambda: payments.list({"payment": {"type": "payment_intent", "payment_intent": intent_id}}, options),
        Listed[InvoiceOfPayment],
    )
    return any(payment.is_default for payment in found.data)
