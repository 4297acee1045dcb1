"""The face takes what the official SDK's types allow, and nothing else."""

from typing import cast

import msgspec
import pytest
from pydantic import ValidationError
from stripe import InvalidRequestError
from stripe.params import InvoiceListParams, InvoicePayParams
from stripe.params.billing_portal import SessionCreateParams

from dunr.sandbox.stripe import parameters, routes
from tests.sandbox.stripe import sdk_types
from tests.sandbox.stripe.conftest import StripeSandbox

READ_BY: dict[str, type[parameters.Nothing]] = {
    "invoices.list": parameters.InvoiceList,
    "invoices.update": parameters.InvoiceUpdate,
    "invoices.pay": parameters.InvoicePay,
    "invoice_payments.list": parameters.InvoicePaymentList,
    "payment_intents.list": parameters.IntentList,
    "payment_intents.cancel": parameters.IntentCancel,
    "charges.list": parameters.ChargeList,
    "customers.update": parameters.CustomerUpdate,
    "customers.payment_methods.list": parameters.PaymentMethodList,
    "payment_methods.list": parameters.PaymentMethodsOf,
    "payment_methods.attach": parameters.Attach,
    "subscriptions.list": parameters.SubscriptionList,
    "subscriptions.cancel": parameters.SubscriptionCancel,
    "disputes.list": parameters.DisputeList,
    "refunds.create": parameters.RefundCreate,
    "refunds.list": parameters.RefundList,
    "events.list": parameters.EventList,
    "billing_portal.sessions.create": parameters.PortalSession,
    "webhook_endpoints.create": parameters.EndpointCreate,
    "webhook_endpoints.delete": parameters.Nothing,
    "webhook_endpoints.list": parameters.Page,
    "webhook_endpoints.update": parameters.EndpointUpdate,
}


def test_every_call_is_one_of_the_sdk() -> None:
    assert {one.name for one in routes.OPERATIONS} - {"v2.core.events.retrieve"} == set(sdk_types.SDK_TYPES)


@pytest.mark.parametrize("operation", sorted(sdk_types.SDK_TYPES))
def test_no_call_takes_a_parameter_that_stripe_does_not_know(operation: str) -> None:
    known, needed = sdk_types.names_of(operation)
    fields = msgspec.structs.fields(READ_BY.get(operation, parameters.Parameters))
    assert {field.name for field in fields} <= known
    # The sandbox may ask for more: it has no customer accounts, so it wants the customer.
    assert needed <= {field.name for field in fields if field.required}


def test_the_types_of_the_sdk_refuse_what_they_should() -> None:
    sdk_types.check("invoices.pay", {"payment_method": "pm_1", "off_session": "true"})
    sdk_types.check("invoices.list", {"created": {"gte": "1782208800"}, "limit": "3", "status": "open"})
    for operation, wrong in (
        ("invoices.pay", {"metadata": {"attempt": "3"}}),
        ("invoices.list", {"created": {"from": "1782208800"}}),
        ("invoices.list", {"limit": "many"}),
        ("refunds.create", {"amount": "ten"}),
    ):
        with pytest.raises(ValidationError):
            sdk_types.check(operation, wrong)


def test_pay_takes_no_metadata(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    with pytest.raises(InvalidRequestError, match="Received unknown parameter: metadata") as refused:
        sandbox.stripe.v1.invoices.pay("in_1", cast("InvoicePayParams", {"metadata": {"attempt": "3"}}))
    assert refused.value.code == "parameter_unknown"
    assert refused.value.param == "metadata"
    assert refused.value.http_status == 400


@pytest.mark.parametrize(
    ("sent", "code", "param"),
    [
        ({"limit": 0}, "parameter_invalid_integer", "limit"),
        ({"limit": "some"}, "parameter_invalid_integer", "limit"),
        ({"status": "unpaid"}, "parameter_invalid", "status"),
        ({"created": {"since": 1}}, "parameter_unknown", "created.since"),
        ({"starting_after": "in_0"}, "resource_missing", "starting_after"),
    ],
)
def test_a_parameter_that_does_not_fit_is_named(sandbox: StripeSandbox, sent: dict, code: str, param: str) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        sandbox.stripe.v1.invoices.list(cast("InvoiceListParams", sent))
    assert (refused.value.code, refused.value.param) == (code, param)


def test_a_call_that_needs_a_parameter_says_which(sandbox: StripeSandbox) -> None:
    with pytest.raises(InvalidRequestError, match="Missing required param: customer") as refused:
        sandbox.stripe.v1.billing_portal.sessions.create(cast("SessionCreateParams", {}))
    assert refused.value.code == "parameter_missing"
