"""What an adapter reads: objects in the shape of their version, laid open where asked, and lists by pages."""

from typing import Any, cast

import pytest
from stripe import InvalidRequestError, ListObject

from tests.sandbox.stripe.conftest import StripeSandbox

OLD, BEFORE, AFTER, NEWEST = "2020-03-02", "2024-09-30.acacia", "2025-03-31.basil", "2026-10-28.endive"


def ids(found: ListObject[Any]) -> list[str]:
    return [one.id for one in found.data]


def raw(sandbox: StripeSandbox, path: str, version: str, **query: object) -> dict[str, Any]:
    """As the bytes say it, since the SDK's classes know the newest version only."""
    answer = sandbox.client(version=version).raw_request("get", path, **cast("dict[str, Any]", query))
    content: dict[str, Any] = sandbox.stripe.deserialize(answer, api_mode="V1").to_dict()
    return content


@pytest.mark.parametrize("version", [OLD, "2022-11-15", BEFORE])
def test_before_basil_an_invoice_names_its_subscription_payment_and_charge(
    sandbox: StripeSandbox, version: str
) -> None:
    made = sandbox.fail()
    invoice = raw(sandbox, "/v1/invoices/in_1", version)
    assert invoice["subscription"] == "sub_1"
    assert invoice["payment_intent"] == "pi_in_1"
    assert invoice["charge"] == made["charge"]
    assert invoice["paid"] is False
    assert not {"parent", "payments", "amount_overpaid"} & set(invoice)
    charge = raw(sandbox, f"/v1/charges/{made['charge']}", version)
    assert charge["invoice"] == "in_1"


@pytest.mark.parametrize("version", [AFTER, NEWEST])
def test_from_basil_on_it_names_none_of_them(sandbox: StripeSandbox, version: str) -> None:
    made = sandbox.fail()
    invoice = raw(sandbox, "/v1/invoices/in_1", version)
    assert not {"subscription", "payment_intent", "charge", "paid", "payments"} & set(invoice)
    assert invoice["parent"]["subscription_details"]["subscription"] == "sub_1"
    assert "invoice" not in raw(sandbox, f"/v1/charges/{made['charge']}", version)
    (payment,) = raw(sandbox, "/v1/invoice_payments", version, invoice="in_1")["data"]
    assert payment["payment"] == {"type": "payment_intent", "payment_intent": "pi_in_1"}
    assert (payment["status"], payment["is_default"], payment["amount_requested"]) == ("open", True, 4900)


def test_an_intent_lists_its_charges_until_2022_11_15_and_names_the_latest_always(sandbox: StripeSandbox) -> None:
    made = sandbox.fail()
    old, new = raw(sandbox, "/v1/payment_intents/pi_in_1", OLD), raw(sandbox, "/v1/payment_intents/pi_in_1", NEWEST)
    assert [charge["id"] for charge in old["charges"]["data"]] == [made["charge"]]
    assert old["latest_charge"] == new["latest_charge"] == made["charge"], "as the events of old versions have it too"
    assert "charges" not in new
    assert (
        old["last_payment_error"]["decline_code"] == new["last_payment_error"]["decline_code"] == "insufficient_funds"
    )


def test_a_subscription_has_its_period_where_the_version_puts_it(sandbox: StripeSandbox) -> None:
    sandbox.fail(period_end_at="2026-07-23T10:00:00Z")
    old, new = raw(sandbox, "/v1/subscriptions/sub_1", BEFORE), raw(sandbox, "/v1/subscriptions/sub_1", AFTER)
    assert old["current_period_end"] == 1784800800
    assert "current_period_end" not in old["items"]["data"][0]
    assert new["items"]["data"][0]["current_period_end"] == 1784800800
    assert "current_period_end" not in new
    assert (old["status"], new["latest_invoice"]) == ("past_due", "in_1")


def test_one_request_reads_an_invoice_with_what_hangs_on_it_four_levels_deep(sandbox: StripeSandbox) -> None:
    sandbox.fail(customer={"id": "cus_1", "email": "ada@example.com", "country": "FR", "locale": "fr"})
    invoice = sandbox.stripe.v1.invoices.retrieve(
        "in_1", {"expand": ["customer", "payments.data.payment.payment_intent"]}
    )
    customer: Any = invoice.customer
    assert (customer.email, customer.address.country, customer.preferred_locales) == ("ada@example.com", "FR", ["fr"])
    assert invoice.payments is not None
    intent: Any = invoice.payments.data[0].payment.payment_intent
    charge = sandbox.stripe.v1.charges.retrieve(intent.latest_charge)
    assert charge.outcome is not None
    assert charge.outcome.type == "issuer_declined"
    details: Any = charge.payment_method_details
    assert details.card.fingerprint == "fp_pm_1"
    with pytest.raises(InvalidRequestError, match="more than 4 levels"):
        sandbox.stripe.v1.invoices.retrieve("in_1", {"expand": ["payments.data.payment.payment_intent.latest_charge"]})
    with pytest.raises(InvalidRequestError, match=r"cannot be expanded \(payment_intent\)"):
        sandbox.stripe.v1.invoices.retrieve("in_1", {"expand": ["payment_intent"]})
    old = raw(sandbox, "/v1/invoices/in_1", BEFORE, expand=["payment_intent", "charge", "subscription"])
    assert [old[name]["object"] for name in ("payment_intent", "charge", "subscription")] == [
        "payment_intent",
        "charge",
        "subscription",
    ]


def test_money_that_came_besides_is_a_payment_of_its_own(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.control("POST", "/invoices/in_1/pay")
    sandbox.control("POST", "/invoices/in_1/pay", force=True)
    first, second = sandbox.stripe.v1.invoice_payments.list({"invoice": "in_1"}).data
    assert (first.is_default, first.status, second.is_default, second.status) == (True, "paid", False, "paid")
    assert first.payment.payment_intent == "pi_in_1" != second.payment.payment_intent
    invoice = sandbox.stripe.v1.invoices.retrieve("in_1")
    assert (invoice.amount_paid, invoice.amount_overpaid) == (4900, 4900)
    intent = sandbox.stripe.v1.payment_intents.retrieve(str(second.payment.payment_intent))
    assert (intent.status, intent.amount_received) == ("succeeded", 4900)


def test_a_deleted_customer_is_a_stub_and_has_no_methods(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.control("DELETE", "/customers/cus_1")
    assert sandbox.stripe.v1.customers.retrieve("cus_1").deleted is True
    with pytest.raises(InvalidRequestError, match="No such customer"):
        sandbox.stripe.v1.customers.payment_methods.list("cus_1")
    assert ids(sandbox.stripe.v1.subscriptions.list({"customer": "cus_1"})) == []
    (ended,) = sandbox.stripe.v1.subscriptions.list({"customer": "cus_1", "status": "all"}).data
    assert (ended.status, ended.ended_at) == ("canceled", 1782208800)


def test_methods_say_what_a_card_is_and_until_when(sandbox: StripeSandbox) -> None:
    sandbox.fail(card={"id": "pm_1", "network": "mastercard", "last4": "4444", "expires": "2027-03"})
    sandbox.control("POST", "/customers/cus_1/card", id="pm_2", rail="sepa", make_default=False)
    card = sandbox.stripe.v1.payment_methods.retrieve("pm_1").card
    assert card is not None
    assert (card.brand, card.last4, card.exp_month, card.exp_year) == ("mastercard", "4444", 3, 2027)
    assert card.fingerprint == "fp_pm_1"
    listed = sandbox.stripe.v1.customers.payment_methods.list("cus_1")
    assert [(one.id, one.type) for one in listed.data] == [("pm_2", "sepa_debit"), ("pm_1", "card")]
    assert ids(sandbox.stripe.v1.payment_methods.list({"customer": "cus_1", "type": "card"})) == ["pm_1"]
    customer = sandbox.stripe.v1.customers.retrieve("cus_1")
    assert customer.invoice_settings is not None
    assert customer.invoice_settings.default_payment_method == "pm_1"


@pytest.mark.parametrize(
    ("rail", "kind"), [("ach", "us_bank_account"), ("bacs", "bacs_debit"), ("upi", "upi"), ("carrier", "custom")]
)
def test_every_rail_has_a_type_of_method(sandbox: StripeSandbox, rail: str, kind: str) -> None:
    sandbox.fail(card={"id": "pm_1", "rail": rail})
    method = sandbox.stripe.v1.payment_methods.retrieve("pm_1")
    assert method.type == kind
    assert getattr(method, kind) is not None


def test_a_card_may_be_issued_elsewhere_and_stand_for_a_network_token(sandbox: StripeSandbox) -> None:
    made = sandbox.fail(card={"id": "pm_1", "country": "BR", "network_token": True})
    charge = sandbox.stripe.v1.charges.retrieve(str(made["charge"]))
    assert charge.payment_method_details is not None
    card = charge.payment_method_details.card
    assert card is not None
    assert card.network_token is not None
    assert (card.country, card.network_token.used) == ("BR", True)


def test_an_invoice_says_what_is_paid_for(sandbox: StripeSandbox) -> None:
    sandbox.fail(products=["prod_desk", "prod_chair"], tags=["vip"])
    invoice = sandbox.stripe.v1.invoices.retrieve("in_1")
    details = [line.pricing.price_details for line in invoice.lines.data if line.pricing is not None]
    assert [one.product for one in details if one is not None] == ["prod_desk", "prod_chair"]
    assert sum(line.amount for line in invoice.lines.data) == 4900
    assert invoice.metadata is not None
    assert invoice.metadata["tags"] == "vip"
    old = raw(sandbox, "/v1/invoices/in_1", BEFORE)
    assert [line["price"]["product"] for line in old["lines"]["data"]] == ["prod_desk", "prod_chair"]


def test_what_is_not_there_is_named(sandbox: StripeSandbox) -> None:
    read = sandbox.stripe.v1
    for call, what in (
        (read.invoices.retrieve, "invoice"),
        (read.invoice_payments.retrieve, "invoice_payment"),
        (read.payment_intents.retrieve, "payment_intent"),
        (read.charges.retrieve, "charge"),
        (read.customers.retrieve, "customer"),
        (read.payment_methods.retrieve, "PaymentMethod"),
        (read.subscriptions.retrieve, "subscription"),
        (read.disputes.retrieve, "dispute"),
        (read.refunds.retrieve, "refund"),
        (read.events.retrieve, "event"),
        (read.webhook_endpoints.retrieve, "webhook endpoint"),
    ):
        with pytest.raises(InvalidRequestError, match=f"No such {what}: 'x_none'") as missing:
            call("x_none")
        assert (missing.value.http_status, missing.value.code) == (404, "resource_missing")


def test_disputes_are_found_and_closed(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1"})
    charge = str(sandbox.requests()[-1]["charge"])
    made = sandbox.control("POST", f"/charges/{charge}/dispute").json()["dispute"]
    (dispute,) = sandbox.stripe.v1.disputes.list({"payment_intent": "pi_in_1"}).data
    assert (dispute.id, dispute.status, dispute.charge) == (made["id"], "needs_response", charge)
    assert sandbox.stripe.v1.charges.retrieve(charge).disputed
    sandbox.control("POST", f"/disputes/{dispute.id}/close", status="won")
    assert sandbox.stripe.v1.disputes.retrieve(dispute.id).status == "won"


def test_it_tells_its_own_time_and_who_it_is(sandbox: StripeSandbox) -> None:
    balance = sandbox.stripe.raw_request("get", "/v1/balance")
    assert balance.headers["date"] == "Tue, 23 Jun 2026 10:00:00 GMT"
    assert balance.headers["request-id"].startswith("req_")
    sandbox.set(clock_offset_seconds=600)
    assert sandbox.stripe.raw_request("get", "/v1/balance").headers["date"] == "Tue, 23 Jun 2026 10:10:00 GMT"
    assert sandbox.stripe.v1.accounts.retrieve_current().id == "acct_sandbox"


def test_reads_can_fail_while_the_rest_works(sandbox: StripeSandbox) -> None:
    from stripe import APIConnectionError, APIError

    sandbox.fail()
    sandbox.set(snapshots_failing=True, lookups_hang_seconds=5)
    with pytest.raises(APIError) as failing:
        sandbox.stripe.v1.invoices.retrieve("in_1")
    assert failing.value.http_status == 503
    with pytest.raises(APIConnectionError):
        sandbox.stripe.v1.charges.list()
    assert sandbox.stripe.v1.balance.retrieve().object == "balance"
