"""A page of Stripe's where a customer can put a new card on file, made afresh for each click, since it lives for minutes only.

The billing portal, opened at the step that changes the card, is the one to have: what is entered there becomes the customer's default. Where the merchant has not set the
portal up, the invoice's own hosted page takes a card and pays with it.
"""

from http import HTTPStatus
from typing import Annotated

import msgspec
from stripe.params.billing_portal import SessionCreateParams

from dunr.adapters.processors.stripe.client import StripeConnection, Unreadable
from dunr.adapters.processors.stripe.transport import NoAnswer
from dunr.ports import SnapshotUnavailable

Address = Annotated[str, msgspec.Meta(max_length=2000, pattern=r"^https?://[\x21-\x7e]+\Z")]


class PortalOnWire(msgspec.Struct):
    """A session of the billing portal."""

    url: Address


class HostedOnWire(msgspec.Struct):
    """An invoice, as far as it has a page of its own."""

    hosted_invoice_url: Address | None = None


def fresh_page(connection: StripeConnection, account: str, customer_id: str, invoice_id: str | None) -> str:
    """The address to send the customer to. Raises `SnapshotUnavailable`, `KeyRefused` or `ObjectMissing`."""
    sessions, options = connection.v1.billing_portal.sessions, connection.options(account)
    params: SessionCreateParams = {"customer": customer_id, "flow_data": {"type": "payment_method_update"}}
    try:
        answer = connection.once(lambda: sessions.create(params, options))
        if answer.is_ok:
            return answer.read(PortalOnWire).url
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise SnapshotUnavailable(answer.told())
    except (NoAnswer, Unreadable) as failure:
        raise SnapshotUnavailable(str(failure)) from None
    if invoice_id is None:
        raise SnapshotUnavailable("the billing portal has no page: set the portal up at Stripe")
    return _hosted(connection, account, invoice_id)


def _hosted(connection: StripeConnection, account: str, invoice_id: str) -> str:
    """The invoice's own page, which it has once it is finalized."""
    invoices, options = connection.v1.invoices, connection.options(account)
    page = connection.read(lambda: invoices.retrieve(invoice_id, options=options), HostedOnWire).hosted_invoice_url
    if page is None:
        raise SnapshotUnavailable("neither the billing portal nor the invoice has a page: set the portal up at Stripe")
    return page
