"""Objects of the newest version, held against the SDK's own classes: no field too many, and every field that must be there."""

import typing
from typing import Any, ClassVar, NotRequired

import pytest
import stripe
from stripe import StripeObject

from tests.sandbox.stripe.conftest import StripeSandbox


def may_be_missing(hint: object) -> bool:
    """The SDK calls optional what may be null or left out, and a deleted mark what only a stub has."""
    return type(None) in typing.get_args(hint) or typing.get_origin(hint) in (NotRequired, ClassVar)


def class_in(hint: object) -> type[StripeObject] | None:
    """The SDK's class that a field holds, where it is declared in the same place."""
    for part in (hint, *typing.get_args(hint)):
        if isinstance(part, type) and issubclass(part, StripeObject):
            return part
    return None


def faults(shown: dict[str, Any], kind: type[StripeObject], place: str) -> list[str]:
    hints = kind.__annotations__
    found = [f"{place}.{name} is no field" for name in shown if hints and name not in hints]
    found += [
        f"{place}.{name} is missing"
        for name, hint in hints.items()
        if not may_be_missing(hint) and name not in shown and name != "deleted"
    ]
    for name, hint in hints.items():
        inner, value = class_in(hint), shown.get(name)
        if inner is not None and isinstance(value, dict):
            found += faults(value, inner, f"{place}.{name}")
    return found


@pytest.fixture
def world(sandbox: StripeSandbox) -> dict[str, str]:
    """An address of each kind of object."""
    made = sandbox.fail()
    sandbox.fail("in_2", subscription="sub_2")
    sandbox.script("succeed")
    sandbox.stripe.v1.invoices.pay("in_2", {"payment_method": "pm_1"})
    sandbox.control("POST", "/customers/cus_1/card", id="pm_debit", rail="ach", make_default=False)
    charge = str(sandbox.requests("in_2")[-1]["charge"])
    dispute = sandbox.control("POST", f"/charges/{charge}/dispute").json()["dispute"]["id"]
    refund = sandbox.stripe.v1.refunds.create({"charge": charge, "amount": 100})
    return {
        "Invoice": "/v1/invoices/in_1",
        "Invoice, paid": "/v1/invoices/in_2",
        "Charge": f"/v1/charges/{charge}",
        "Charge, declined": f"/v1/charges/{made['charge']}",
        "PaymentIntent": "/v1/payment_intents/pi_in_1",
        "PaymentIntent, paid": "/v1/payment_intents/pi_in_2",
        "InvoicePayment": "/v1/invoice_payments/inpay_in_2",
        "Subscription": "/v1/subscriptions/sub_1",
        "Customer": "/v1/customers/cus_1",
        "PaymentMethod": "/v1/payment_methods/pm_1",
        "PaymentMethod, debit": "/v1/payment_methods/pm_debit",
        "Dispute": f"/v1/disputes/{dispute}",
        "Refund": f"/v1/refunds/{refund.id}",
        "Event": f"/v1/events/{made['event']}",
        "WebhookEndpoint": "/v1/webhook_endpoints/we_sandbox",
        "Account": "/v1/account",
        "Balance": "/v1/balance",
    }


def test_every_object_has_the_fields_that_the_sdk_declares(sandbox: StripeSandbox, world: dict[str, str]) -> None:
    found = list[str]()
    for name, address in world.items():
        shown = sandbox.stripe.deserialize(sandbox.stripe.raw_request("get", address), api_mode="V1").to_dict()
        kind = getattr(stripe, name.partition(",")[0])
        found += faults(shown, kind, name)
    session = sandbox.stripe.v1.billing_portal.sessions.create({"customer": "cus_1"}).to_dict()
    found += faults(session, stripe.billing_portal.Session, "Session")
    assert not found, "\n".join(found)
