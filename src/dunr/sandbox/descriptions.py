"""How a tester describes customers, cards, invoices and failures. A name we do not know is an error."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

Amount = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[^/\s]+$")]
Labels = Annotated[tuple[Name, ...], msgspec.Meta(max_length=20)]
Instant = Annotated[datetime, msgspec.Meta(tz=True)]


class CustomerBody(msgspec.Struct, forbid_unknown_fields=True):
    """The person who owes, as told."""

    id: Name
    email: str | None = None
    name: str | None = None
    locale: str | None = None
    timezone: str | None = None
    country: str | None = None


class CustomerPatch(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What changes about a customer; what is not named stays."""

    email: str | msgspec.UnsetType | None = msgspec.UNSET
    name: str | msgspec.UnsetType | None = msgspec.UNSET
    locale: str | msgspec.UnsetType | None = msgspec.UNSET
    timezone: str | msgspec.UnsetType | None = msgspec.UNSET
    country: str | msgspec.UnsetType | None = msgspec.UNSET
    default_card: str | msgspec.UnsetType = msgspec.UNSET


class SubscriptionPatch(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What changes about a subscription; ending it is ``/cancel``."""

    status: Literal["active", "trialing", "past_due", "incomplete", "paused", "unpaid"] | None = None
    period_end_at: Instant | None = None
    default_card: Name | None = None


class CardBody(msgspec.Struct, forbid_unknown_fields=True):
    """A payment method, as told; a fingerprint is made up from the id."""

    id: Name
    network: str | None = "visa"
    last4: str = "4242"
    fingerprint: str | None = None
    expires: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}$")] | None = None
    rail: Literal["card", "ach", "sepa", "bacs", "upi", "carrier"] = "card"
    country: Annotated[str, msgspec.Meta(pattern="^[A-Z]{2}$")] | None = None
    network_token: bool = False
    backup: bool = False
    came_with_subscription: Name | None = None


class NewCardBody(CardBody, kw_only=True):
    """A payment method that a customer adds later."""

    make_default: bool = True


class DeclineBody(msgspec.Struct, forbid_unknown_fields=True):
    """A decline with every signal that an issuer may give."""

    code: str = "card_declined"
    decline_code: str | None = None
    advice_code: str | None = None
    network_decline_code: str | None = None


class InvoiceBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What is not given is made up, so that the shortest request is ``{}``."""

    invoice: Name | None = None
    subscription: Name | msgspec.UnsetType | None = msgspec.UNSET
    customer: CustomerBody | None = None
    amount_minor: Amount = 4900
    currency: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z]{3}$")] = "usd"
    card: CardBody | msgspec.UnsetType | None = msgspec.UNSET
    first_invoice: bool = False
    collection_method: Literal["charge_automatically", "send_invoice"] = "charge_automatically"
    subscription_status: Literal["active", "trialing", "past_due", "incomplete", "paused", "unpaid", "ended"] | None = (
        None
    )
    period_end_at: Instant | None = None
    products: Labels = ()  # what is paid for, by the merchant's ids
    tags: Labels = ()
    send_webhook: bool = True


class FailuresBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Many failures at once, which differ by their number only."""

    count: Annotated[int, msgspec.Meta(ge=1, le=100_000)]
    name: Name = "many"
    amount_minor: Amount = 4900
    failed_at: Instant | None = None
    decline: str | None = None
    with_card: bool = True


class NewInvoiceBody(InvoiceBody, kw_only=True):
    """An invoice that has not failed."""

    status: Literal["draft", "open", "paid"] = "open"


class FailureBody(InvoiceBody, kw_only=True):
    """An invoice whose first charge has failed, and how."""

    failed_at: Instant | None = None
    decline: str | DeclineBody | None = None
