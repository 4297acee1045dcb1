"""What an adapter may change besides paying: who collects, endings, methods, refunds, and the customer's own page."""

import httpx
import pytest
from stripe import InvalidRequestError

from tests.sandbox.stripe.conftest import StripeSandbox


def test_without_auto_advance_stripe_does_not_try_again(sandbox: StripeSandbox) -> None:
    sandbox.set(retries_by_itself=True, own_retry_seconds=86_400)
    sandbox.fail()
    before = sandbox.stripe.v1.invoices.retrieve("in_1")
    assert (before.auto_advance, before.next_payment_attempt) == (True, 1782208800 + 86_400)
    after = sandbox.stripe.v1.invoices.update("in_1", {"auto_advance": False})
    assert (after.auto_advance, after.next_payment_attempt) == (False, None)
    sandbox.to("2026-06-30T10:00:00Z")
    assert sandbox.requests() == []
    with pytest.raises(Exception, match="insufficient funds"):
        sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"})
    assert sandbox.stripe.v1.invoices.retrieve("in_1").next_payment_attempt is None, "a decline does not bring it back"
    again = sandbox.stripe.v1.invoices.update("in_1", {"auto_advance": True})
    assert again.next_payment_attempt is not None


def test_its_own_tries_are_charges_like_any_other(sandbox: StripeSandbox) -> None:
    sandbox.set(retries_by_itself=True, own_retry_seconds=86_400)
    sandbox.fail()
    sandbox.script("decline:insufficient_funds", "succeed")
    sandbox.to("2026-06-25T10:00:00Z")
    invoice = sandbox.stripe.v1.invoices.retrieve("in_1")
    assert (invoice.status, invoice.attempt_count) == ("paid", 3)
    assert [row["by"] for row in sandbox.requests()] == ["processor", "processor"]


def test_void_and_uncollectible_end_an_open_invoice_only(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    uncollectible = sandbox.stripe.v1.invoices.mark_uncollectible("in_1")
    assert uncollectible.status_transitions.marked_uncollectible_at == 1782208800
    voided = sandbox.stripe.v1.invoices.void_invoice("in_1")
    assert (voided.status, voided.status_transitions.voided_at) == ("void", 1782208800)
    with pytest.raises(InvalidRequestError, match="this one is void"):
        sandbox.stripe.v1.invoices.mark_uncollectible("in_1")


def test_a_cancelled_subscription_leaves_its_debts_alone(sandbox: StripeSandbox) -> None:
    sandbox.set(retries_by_itself=True)
    sandbox.fail()
    cancelled = sandbox.stripe.v1.subscriptions.cancel("sub_1", {"invoice_now": False, "prorate": False})
    assert (cancelled.status, cancelled.canceled_at) == ("canceled", 1782208800)
    invoice = sandbox.stripe.v1.invoices.retrieve("in_1")
    assert (invoice.status, invoice.auto_advance, invoice.next_payment_attempt) == ("open", False, None)
    with pytest.raises(InvalidRequestError, match="No such subscription"):
        sandbox.stripe.v1.subscriptions.cancel("sub_1")


def test_a_test_method_is_attached_as_a_card_of_the_customer(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    method = sandbox.stripe.v1.payment_methods.attach("pm_card_mastercard", {"customer": "cus_1"})
    assert method.id != "pm_card_mastercard"
    assert method.card is not None
    assert (method.card.brand, method.customer) == ("mastercard", "cus_1")
    customer = sandbox.stripe.v1.customers.update("cus_1", {"invoice_settings": {"default_payment_method": method.id}})
    assert customer.invoice_settings is not None
    assert customer.invoice_settings.default_payment_method == method.id
    assert sandbox.stripe.v1.invoices.pay("in_1").status == "paid", "the default pays where none is named"
    assert sandbox.stripe.v1.payment_methods.detach(method.id).customer is None
    with pytest.raises(InvalidRequestError, match="not attached"):
        sandbox.stripe.v1.payment_methods.detach(method.id)


def test_refunds_are_kept_one_by_one(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"})
    refunds = sandbox.stripe.v1.refunds
    first = refunds.create(
        {"payment_intent": "pi_in_1", "amount": 1000, "reason": "duplicate", "metadata": {"case": "c1"}}
    )
    assert (first.amount, first.status, first.reason) == (1000, "succeeded", "duplicate")
    assert first.metadata is not None
    assert first.metadata["case"] == "c1"
    sandbox.control("POST", f"/charges/{first.charge}/refund", amount_minor=900)
    second, again = refunds.list({"charge": str(first.charge)}).data
    assert (second.amount, again.id) == (900, first.id)
    with pytest.raises(InvalidRequestError, match="greater than unrefunded"):
        refunds.create({"charge": str(first.charge), "amount": 4000})
    refunds.create({"charge": str(first.charge)})
    with pytest.raises(InvalidRequestError) as nothing_left:
        refunds.create({"charge": str(first.charge)})
    assert nothing_left.value.code == "charge_already_refunded"
    assert sandbox.stripe.v1.charges.retrieve(str(first.charge)).refunded
    assert sandbox.stripe.v1.invoices.retrieve("in_1").status == "paid"


def test_a_portal_session_opens_the_page_for_a_new_card_once(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    session = sandbox.stripe.v1.billing_portal.sessions.create(
        {
            "customer": "cus_1",
            "return_url": "https://example.com/account",
            "flow_data": {
                "type": "payment_method_update",
                "after_completion": {"type": "redirect", "redirect": {"return_url": "https://example.com/done"}},
            },
        }
    )
    assert session.flow is not None
    assert session.flow.type == "payment_method_update"
    assert httpx.post(session.url, data={"card": "mastercard_good", "action": "save"}).status_code == 200
    assert httpx.get(session.url).status_code == 410
    methods = sandbox.stripe.v1.customers.payment_methods.list("cus_1").data
    assert [one.card.last4 for one in methods if one.card] == ["4444", "4242"]


def test_the_hosted_page_of_an_invoice_keeps_its_address_and_takes_money(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    hosted = str(sandbox.stripe.v1.invoices.retrieve("in_1").hosted_invoice_url)
    page = httpx.get(hosted)
    assert page.status_code == 303
    assert httpx.post(page.headers["location"], data={"card": "visa_good", "action": "pay"}).status_code == 200
    assert sandbox.stripe.v1.invoices.retrieve("in_1").status == "paid"
    assert "Nothing is due" in httpx.get(hosted, follow_redirects=True).text


def test_an_error_undoes_what_the_call_had_begun(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    with pytest.raises(InvalidRequestError, match="cannot be expanded"):
        sandbox.stripe.v1.invoices.update("in_1", {"auto_advance": False, "expand": ["nonsense"]})
    assert sandbox.stripe.v1.invoices.retrieve("in_1").auto_advance is True
