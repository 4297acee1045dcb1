"""Lists as reconciliation goes through them: newest first, by pages, narrowed."""

from collections.abc import Sequence
from typing import Any

import pytest
from stripe import ListObject

from tests.sandbox.stripe.conftest import StripeSandbox


def ids(found: ListObject[Any]) -> list[str]:
    return [one.id for one in found.data]


@pytest.fixture
def month(sandbox: StripeSandbox) -> Sequence[str]:
    """Five failed invoices, a day apart; the newest last."""
    for day in range(5):
        sandbox.to(f"2026-06-{23 + day}T10:00:00.500000Z")
        sandbox.fail(f"in_{day}", subscription=f"sub_{day % 2}", amount_minor=1000 + day)
    return [f"in_{day}" for day in range(5)]


def test_invoices_come_newest_first_and_page_by_page(sandbox: StripeSandbox, month: Sequence[str]) -> None:
    first = sandbox.stripe.v1.invoices.list({"limit": 2})
    assert (ids(first), first.has_more) == (["in_4", "in_3"], True)
    then = sandbox.stripe.v1.invoices.list({"limit": 2, "starting_after": "in_3"})
    assert (ids(then), then.has_more) == (["in_2", "in_1"], True)
    back = sandbox.stripe.v1.invoices.list({"limit": 2, "ending_before": "in_1"})
    assert (ids(back), back.has_more) == (["in_3", "in_2"], True)
    last = sandbox.stripe.v1.invoices.list({"limit": 2, "starting_after": "in_1"})
    assert (ids(last), last.has_more) == (["in_0"], False)
    assert [one.id for one in first.auto_paging_iter()] == [*reversed(month)]


def test_invoices_are_narrowed_by_status_customer_subscription_and_second(
    sandbox: StripeSandbox, month: Sequence[str]
) -> None:
    invoices = sandbox.stripe.v1.invoices
    sandbox.control("POST", "/invoices/in_0/pay")
    sandbox.control("POST", "/invoices/in_1/void")
    sandbox.control("POST", "/invoices/in_2/write_off")
    assert ids(invoices.list({"status": "open"})) == ["in_4", "in_3"]
    assert ids(invoices.list({"status": "paid"})) == ["in_0"]
    assert ids(invoices.list({"status": "void"})) == ["in_1"]
    assert ids(invoices.list({"status": "uncollectible"})) == ["in_2"]
    assert ids(invoices.list({"subscription": "sub_1"})) == ["in_3", "in_1"]
    assert ids(invoices.list({"customer": "cus_none"})) == []
    third = 1782208800 + 2 * 86_400  # 25 June, 10:00; the invoice came half a second later
    assert ids(invoices.list({"created": {"gte": third, "lte": third}})) == ["in_2"]
    assert ids(invoices.list({"created": {"gt": third}})) == ["in_4", "in_3"]
    assert ids(invoices.list({"created": {"lt": third}})) == ["in_1", "in_0"]
    assert len(month) == 5


def test_charges_and_payments_are_found_by_intent_and_customer(sandbox: StripeSandbox, month: Sequence[str]) -> None:
    charges = sandbox.stripe.v1.charges
    (charge,) = charges.list({"payment_intent": "pi_in_3"}).data
    assert charge.amount == 1003
    assert len(charges.list({"customer": "cus_1", "created": {"gte": 1782208800 + 86_400}}).data) == 4
    payments = sandbox.stripe.v1.invoice_payments
    assert ids(payments.list({"payment": {"type": "payment_intent", "payment_intent": "pi_in_3"}})) == ["inpay_in_3"]
    assert payments.retrieve("inpay_in_3").invoice == "in_3"
    assert len(payments.list({"status": "open", "limit": 3}).data) == 3
    assert ids(sandbox.stripe.v1.payment_intents.list({"limit": 1})) == [f"pi_{month[-1]}"]
