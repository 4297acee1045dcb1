"""A page of Stripe's where a customer can put a new card on file or confirm a payment, asked for afresh at each click, since most live for minutes only.

The billing portal, opened at the step that changes the card, is the one to have: what is entered there becomes the customer's default. But a customer whose bank wants to
see them has the right card already; the portal would only take it down once more. They are led to the invoice's own hosted page, where they confirm and pay. So is
everybody where the merchant has not set the portal up.
"""

from http import HTTPStatus
from typing import Annotated

import msgspec
from stripe.params.billing_portal import SessionCreateParams

from dunr.adapters.processors.exchange import NoAnswer, Unreadable
from dunr.adapters.processors.stripe.charges import AUTHENTICATION_REQUIRED, REQUIRES_ACTION
from dunr.adapters.processors.stripe.client import StripeConnection
from dunr.adapters.processors.stripe.wire import IntentOnWire, InvoicePaymentOnWire, Listed
from dunr.ports import SnapshotUnavailable

Address = Annotated[str, msgspec.Meta(max_length=2000, pattern=r"^https?://[\x21-\x7e]+\Z")]


class PortalOnWire(msgspec.Struct):
    """A session of the billing portal."""

    url: Address


class HostedOnWire(msgspec.Struct):
    """An invoice, as far as it has a page of its own, and whether its payment waits for the customer."""

    hosted_invoice_url: Address | None = None
    status: str | None = None
    payments: Listed[InvoicePaymentOnWire] | None = None

    @property
    def waits_for_the_bank(self) -> bool:
        """Whether the bank wants to see the customer."""
        intents = [one.payment.payment_intent for one in self.payments.data] if self.payments is not None else []
        return self.status == "open" and any(_wants_customer(one) for one in intents if one is not None)


def _wants_customer(intent: IntentOnWire) -> bool:
    error = intent.last_payment_error
    asked = error is not None and AUTHENTICATION_REQUIRED.code in (error.code, error.decline_code)
    return intent.status == REQUIRES_ACTION or (asked and intent.status != "succeeded")


def fresh_page(connection: StripeConnection, account: str, customer_id: str, invoice_id: str | None) -> str:
    """The address to send the customer to. Raises `SnapshotUnavailable`, `KeyRefused` or `ObjectMissing`."""
    hosted = _hosted(connection, account, invoice_id) if invoice_id is not None else HostedOnWire()
    if hosted.waits_for_the_bank and hosted.hosted_invoice_url is not None:
        return hosted.hosted_invoice_url
    page = _portal(connection, account, customer_id) or hosted.hosted_invoice_url
    if page is None:
        raise SnapshotUnavailable("neither the billing portal nor the invoice has a page: set the portal up at Stripe")
    return page


def _portal(connection: StripeConnection, account: str, customer_id: str) -> str | None:
    """A new session of the portal; None where the merchant has none, or the key may not open it."""
    sessions, options = connection.v1.billing_portal.sessions, connection.options(account)
    params: SessionCreateParams = {"customer": customer_id, "flow_data": {"type": "payment_method_update"}}
    try:
        answer = connection.once(lambda: sessions.create(params, options))
        if answer.is_ok:
            return answer.read(PortalOnWire).url
    except (NoAnswer, Unreadable) as failure:
        raise SnapshotUnavailable(str(failure)) from None
    if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise SnapshotUnavailable(answer.told())
    return None


def _hosted(connection: StripeConnection, account: str, invoice_id: str) -> HostedOnWire:
    """The invoice's own page, which it has once it is finalized."""
    invoices, options = connection.v1.invoices, connection.options(account)
    expand = ["payments.data.payment.payment_intent"]
    return connection.read(lambda: invoices.retrieve(invoice_id, {"expand": expand}, options), HostedOnWire)
