"""The official SDK's own types for request parameters, made strict enough to hold real requests against.

They are TypedDicts whose annotations are texts, across many modules, and they mix what goes into the request with the
SDK's own options. Here they are resolved and closed: a name that the SDK does not know, a value of the wrong type or a
missing one is an error. The sandbox itself must not import the SDK, so it declares its parameters anew; these tests
prove that the two agree.
"""

import sys
from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, NotRequired, Required, Union, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter
from stripe import params
from stripe._request_options import RequestOptions
from stripe.params import billing_portal
from typing_extensions import TypedDict, get_type_hints, is_typeddict

# A type as an annotation writes it, which no type of Python's own covers.
Form = Any

OPTIONS = frozenset(RequestOptions.__annotations__)

# What the inherited options name, of which one is imported for type checkers only.
HIDDEN = {**vars(sys.modules[RequestOptions.__module__]), "StripeContext": object}

SDK_TYPES: Mapping[str, Form] = {
    "invoices.list": params.InvoiceListParams,
    "invoices.retrieve": params.InvoiceRetrieveParams,
    "invoices.update": params.InvoiceUpdateParams,
    "invoices.pay": params.InvoicePayParams,
    "invoices.void_invoice": params.InvoiceVoidInvoiceParams,
    "invoices.mark_uncollectible": params.InvoiceMarkUncollectibleParams,
    "invoice_payments.list": params.InvoicePaymentListParams,
    "invoice_payments.retrieve": params.InvoicePaymentRetrieveParams,
    "payment_intents.list": params.PaymentIntentListParams,
    "payment_intents.retrieve": params.PaymentIntentRetrieveParams,
    "payment_intents.cancel": params.PaymentIntentCancelParams,
    "charges.list": params.ChargeListParams,
    "charges.retrieve": params.ChargeRetrieveParams,
    "customers.retrieve": params.CustomerRetrieveParams,
    "customers.update": params.CustomerUpdateParams,
    "customers.payment_methods.list": params.CustomerPaymentMethodListParams,
    "payment_methods.list": params.PaymentMethodListParams,
    "payment_methods.retrieve": params.PaymentMethodRetrieveParams,
    "payment_methods.attach": params.PaymentMethodAttachParams,
    "payment_methods.detach": params.PaymentMethodDetachParams,
    "subscriptions.list": params.SubscriptionListParams,
    "subscriptions.retrieve": params.SubscriptionRetrieveParams,
    "subscriptions.cancel": params.SubscriptionCancelParams,
    "disputes.list": params.DisputeListParams,
    "disputes.retrieve": params.DisputeRetrieveParams,
    "refunds.create": params.RefundCreateParams,
    "refunds.list": params.RefundListParams,
    "refunds.retrieve": params.RefundRetrieveParams,
    "events.list": params.EventListParams,
    "events.retrieve": params.EventRetrieveParams,
    "billing_portal.sessions.create": billing_portal.SessionCreateParams,
    "webhook_endpoints.create": params.WebhookEndpointCreateParams,
    "webhook_endpoints.list": params.WebhookEndpointListParams,
    "webhook_endpoints.retrieve": params.WebhookEndpointRetrieveParams,
    "webhook_endpoints.update": params.WebhookEndpointUpdateParams,
    "webhook_endpoints.delete": params.WebhookEndpointDeleteParams,
    "accounts.retrieve_current": params.AccountRetrieveCurrentParams,
    "balance.retrieve": params.BalanceRetrieveParams,
}


@cache
def closed(kind: Form) -> Form:
    """The same TypedDict with its texts resolved, without the SDK's options, and with nothing else let in."""
    names = {**HIDDEN, **vars(sys.modules[kind.__module__])}
    hints = get_type_hints(kind, names, include_extras=True)
    fields = {name: _closed_field(hint) for name, hint in hints.items() if name not in OPTIONS}
    # pydantic reads a TypedDict's settings from this attribute, which the functional form cannot give.
    made = TypedDict(kind.__name__, fields)  # type: ignore[misc]
    made.__pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[attr-defined]
    return made


def _closed_field(hint: Form) -> Form:
    origin: Form = get_origin(hint)
    if origin in (NotRequired, Required):
        return origin[_closed(get_args(hint)[0])]
    return Required[_closed(hint)]


def _closed(hint: Form) -> Form:
    if is_typeddict(hint):
        return closed(hint)
    inner = tuple(_closed(part) for part in get_args(hint))
    origin: Form = get_origin(hint)
    if origin in (Union, UnionType):
        return Union[inner]  # noqa: UP007 - made from a tuple
    if origin in (list, dict):
        return origin[inner]
    # Free-form objects, metadata above all, are typed as a class of the SDK.
    return dict[str, Any] if getattr(hint, "__name__", "") == "UntypedStripeObject" else hint


@cache
def _adapter(operation: str) -> TypeAdapter[Any]:
    return TypeAdapter(closed(SDK_TYPES[operation]))


def check(operation: str, parameters: Mapping[str, object]) -> None:
    """Raises where the SDK's own type would not have let this request be made."""
    _adapter(operation).validate_python(dict(parameters))


def names_of(operation: str) -> tuple[frozenset[str], frozenset[str]]:
    """All parameters, and those that must be there."""
    kind = closed(SDK_TYPES[operation])
    return frozenset(kind.__annotations__), frozenset(kind.__required_keys__)
