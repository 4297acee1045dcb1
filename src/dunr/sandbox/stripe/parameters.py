"""What each call may be told, by name and type. Any other name is refused, as Stripe refuses it.

A test holds these against the parameter types of the official SDK: nothing is
taken here that Stripe would not take.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

PAGE_DEFAULT = 10
PAGE_MAX = 100

Limit = Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX)]
Metadata = dict[str, str] | Literal[""]


class Nothing(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Not one parameter."""


class Parameters(Nothing, kw_only=True):
    """What nearly every call takes."""

    expand: list[str] = []


class Range(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """An interval of unix seconds."""

    gt: int | None = None
    gte: int | None = None
    lt: int | None = None
    lte: int | None = None


class Page(Parameters):
    """What every list takes."""

    limit: Limit = PAGE_DEFAULT
    starting_after: str | None = None
    ending_before: str | None = None


class CreatedPage(Page):
    """A list that can be narrowed by time."""

    created: int | Range | None = None


class InvoiceList(CreatedPage):
    """``invoices.list``."""

    status: Literal["draft", "open", "paid", "uncollectible", "void"] | None = None
    customer: str | None = None
    subscription: str | None = None
    collection_method: Literal["charge_automatically", "send_invoice"] | None = None


class InvoiceUpdate(Parameters):
    """``invoices.update``, as far as collecting is concerned."""

    auto_advance: bool | None = None
    default_payment_method: str | None = None
    metadata: Metadata | None = None


class InvoicePay(Parameters):
    """``invoices.pay``. It takes no metadata: a payment is found again by its invoice, time and charge."""

    payment_method: str | None = None
    off_session: bool = True
    paid_out_of_band: bool = False
    forgive: bool = False


class OwnedBy(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Which payment an invoice payment stands for."""

    type: Literal["payment_intent", "payment_record"]
    payment_intent: str | None = None


class InvoicePaymentList(CreatedPage):
    """``invoice_payments.list``."""

    invoice: str | None = None
    status: Literal["canceled", "open", "paid"] | None = None
    payment: OwnedBy | None = None


class IntentList(CreatedPage):
    """``payment_intents.list``."""

    customer: str | None = None


class IntentCancel(Parameters):
    """``payment_intents.cancel``."""

    cancellation_reason: Literal["abandoned", "duplicate", "fraudulent", "requested_by_customer"] | None = None


class ChargeList(CreatedPage):
    """``charges.list``."""

    customer: str | None = None
    payment_intent: str | None = None


class PaymentMethodList(Page):
    """``payment_methods.list`` and the list of one customer."""

    type: str | None = None
    allow_redisplay: Literal["always", "limited", "unspecified"] | None = None


class PaymentMethodsOf(PaymentMethodList):
    """``payment_methods.list``, which is asked with the customer's id."""

    customer: str | None = None


class Attach(Parameters):
    """``payment_methods.attach``."""

    customer: str


class CustomerInvoiceSettings(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Which method a customer pays with."""

    default_payment_method: str | None = None


class CustomerUpdate(Parameters):
    """``customers.update``."""

    email: str | None = None
    name: str | None = None
    preferred_locales: list[str] | None = None
    invoice_settings: CustomerInvoiceSettings | None = None


class SubscriptionList(CreatedPage):
    """``subscriptions.list``."""

    customer: str | None = None
    status: str | None = None


class CancellationDetails(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Why somebody left."""

    comment: str | None = None
    feedback: str | None = None


class SubscriptionCancel(Parameters):
    """``subscriptions.cancel``."""

    invoice_now: bool = False
    prorate: bool = False
    cancellation_details: CancellationDetails | None = None


class DisputeList(CreatedPage):
    """``disputes.list``."""

    charge: str | None = None
    payment_intent: str | None = None


class RefundCreate(Parameters):
    """``refunds.create``."""

    charge: str | None = None
    payment_intent: str | None = None
    amount: Annotated[int, msgspec.Meta(ge=1)] | None = None
    reason: Literal["duplicate", "fraudulent", "requested_by_customer"] | None = None
    metadata: Metadata | None = None


class RefundList(CreatedPage):
    """``refunds.list``."""

    charge: str | None = None
    payment_intent: str | None = None


class EventList(CreatedPage):
    """``events.list``."""

    type: str | None = None
    types: list[str] | None = None
    delivery_success: bool | None = None


class Redirect(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Where a portal flow ends."""

    return_url: str


class AfterCompletion(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a portal flow does when it is done."""

    type: Literal["hosted_confirmation", "portal_homepage", "redirect"]
    redirect: Redirect | None = None


class Flow(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The part of the portal that opens at once."""

    type: Literal["payment_method_update", "subscription_cancel", "subscription_update", "subscription_update_confirm"]
    after_completion: AfterCompletion | None = None


class PortalSession(Parameters):
    """``billing_portal.sessions.create``."""

    customer: str
    return_url: str | None = None
    flow_data: Flow | None = None
    configuration: str | None = None
    locale: str | None = None


class EndpointCreate(Parameters):
    """``webhook_endpoints.create``."""

    url: str
    enabled_events: list[str]
    api_version: str | None = None
    connect: bool = False
    description: str | None = None
    metadata: Metadata | None = None


class EndpointUpdate(Parameters):
    """``webhook_endpoints.update``."""

    url: str | None = None
    enabled_events: list[str] | None = None
    disabled: bool | None = None
    description: str | None = None
    metadata: Metadata | None = None
