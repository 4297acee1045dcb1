"""``invoices.pay`` as Stripe answers it: the paid invoice, or an error that says everything about the decline."""

import pytest
from stripe import CardError, InvalidRequestError, Invoice

from tests.sandbox.stripe.conftest import StripeSandbox, said


def pay(sandbox: StripeSandbox, key: str = "k1", method: str = "pm_1", invoice: str = "in_1") -> Invoice:
    return sandbox.stripe.v1.invoices.pay(
        invoice, {"payment_method": method, "off_session": True}, {"idempotency_key": key}
    )


def declined(sandbox: StripeSandbox, key: str = "k1", method: str = "pm_1") -> CardError:
    with pytest.raises(CardError) as error:
        pay(sandbox, key, method)
    return error.value


def test_a_card_with_money_pays_the_invoice_at_once(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    invoice = pay(sandbox)
    assert (invoice.status, invoice.amount_paid, invoice.amount_remaining) == ("paid", 4900, 0)
    assert invoice.status_transitions.paid_at == 1782208800
    assert invoice.attempt_count == 2
    assert sandbox.captures() == 1
    assert sandbox.invoice()["status"] == "paid"  # the sandbox's own face sees the same books


def test_a_decline_says_all_that_the_issuer_and_the_network_said(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("decline:do_not_honor:try_again_later:05:24")
    error = declined(sandbox)
    assert error.http_status == 402
    assert error.code == "card_declined"
    body = said(error)
    assert body["type"] == "card_error"
    assert body["decline_code"] == "do_not_honor"
    assert body["advice_code"] == "try_again_later"
    assert body["network_decline_code"] == "05"
    assert body["network_advice_code"] == "24"
    assert body["message"] == "Your card was declined."
    assert body["payment_intent"]["status"] == "requires_payment_method"
    assert body["payment_intent"]["last_payment_error"]["decline_code"] == "do_not_honor"
    assert body["payment_intent"]["latest_charge"] == body["charge"]
    assert body["payment_method"]["id"] == "pm_1"
    charge = sandbox.stripe.v1.charges.retrieve(body["charge"])
    assert (charge.status, charge.failure_code, charge.amount) == ("failed", "card_declined", 4900)
    assert charge.outcome is not None
    assert (charge.outcome.reason, charge.outcome.advice_code) == ("do_not_honor", "try_again_later")
    assert (charge.outcome.network_decline_code, charge.outcome.network_advice_code) == ("05", "24")
    assert charge.payment_intent == "pi_in_1"


def test_codes_that_are_not_card_declined_stand_alone(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("decline:expired_card")
    error = declined(sandbox)
    assert (error.code, said(error)["decline_code"]) == ("expired_card", "expired_card")


def test_a_bank_that_wants_the_customer_leaves_an_intent_to_confirm(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("requires_action")
    error = declined(sandbox)
    assert error.code == "invoice_payment_intent_requires_action"
    intent = sandbox.stripe.v1.payment_intents.retrieve("pi_in_1")
    assert (intent.status, intent.payment_method) == ("requires_action", "pm_1")
    assert "charge" not in said(error), "nothing was charged yet"
    assert sandbox.control("POST", "/intents/pi_in_1/confirm").status_code == 200
    assert sandbox.stripe.v1.payment_intents.retrieve("pi_in_1").status == "succeeded"
    assert sandbox.stripe.v1.invoices.retrieve("in_1").status == "paid"


def test_another_try_takes_the_place_of_the_word_that_the_bank_waits_for(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("requires_action", "decline:insufficient_funds")
    declined(sandbox, "k1")
    declined(sandbox, "k2")
    assert sandbox.stripe.v1.payment_intents.retrieve("pi_in_1").status == "requires_payment_method"
    refused = sandbox.control("POST", "/intents/pi_in_1/confirm")
    assert refused.status_code == 409


def test_the_intent_of_an_invoice_cannot_be_cancelled_by_itself(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("requires_action")
    declined(sandbox)
    with pytest.raises(InvalidRequestError, match="created by invoice in_1"):
        sandbox.stripe.v1.payment_intents.cancel("pi_in_1", {"cancellation_reason": "abandoned"})
    sandbox.stripe.v1.invoices.void_invoice("in_1")
    assert sandbox.stripe.v1.payment_intents.retrieve("pi_in_1").status == "canceled"
    with pytest.raises(InvalidRequestError) as again:
        sandbox.stripe.v1.payment_intents.cancel("pi_in_1")
    assert again.value.code == "payment_intent_unexpected_state"


def test_a_debit_is_on_its_way_for_days_and_nothing_else_is_tried_meanwhile(sandbox: StripeSandbox) -> None:
    sandbox.fail(card={"id": "pm_1", "rail": "sepa"})
    sandbox.script("pending:settle")
    assert pay(sandbox).status == "open"
    assert sandbox.stripe.v1.payment_intents.retrieve("pi_in_1").status == "processing"
    with pytest.raises(InvalidRequestError) as refused:
        pay(sandbox, "k2")
    assert refused.value.code == "payment_intent_unexpected_state"
    sandbox.to("2026-06-26T10:00:00Z")
    assert sandbox.stripe.v1.invoices.retrieve("in_1").status == "paid"
    assert sandbox.captures() == 1


def test_a_debit_that_bounces_after_all_is_a_dispute_and_the_invoice_stays_paid(sandbox: StripeSandbox) -> None:
    sandbox.fail(card={"id": "pm_1", "rail": "ach"})
    sandbox.script("succeed")
    pay(sandbox)
    charge = str(sandbox.requests()[-1]["charge"])
    assert sandbox.control("POST", f"/charges/{charge}/return", code="R01").status_code == 200
    (dispute,) = sandbox.stripe.v1.disputes.list({"charge": charge}).data
    assert (dispute.status, dispute.reason, dispute.amount) == ("lost", "insufficient_funds", 4900)
    assert sandbox.stripe.v1.invoices.retrieve("in_1").status == "paid"


@pytest.mark.parametrize(
    ("end", "says"), [("pay", "already paid"), ("void", "is void"), ("customer", "No such customer: 'cus_1'")]
)
def test_what_cannot_be_paid_is_refused_and_counted(sandbox: StripeSandbox, end: str, says: str) -> None:
    sandbox.fail()
    if end == "customer":
        sandbox.control("DELETE", "/customers/cus_1")
    else:
        sandbox.control("POST", f"/invoices/in_1/{end}")
    with pytest.raises(InvalidRequestError, match=says) as refused:
        pay(sandbox)
    assert refused.value.http_status == 400
    assert str(sandbox.outcomes()[-1]).startswith("error:400")


def test_a_method_must_be_the_customer_s_own(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.fail("in_2", subscription="sub_2", customer={"id": "cus_2"}, card={"id": "pm_2"})
    with pytest.raises(InvalidRequestError, match="No such PaymentMethod: 'pm_none'") as unknown:
        pay(sandbox, method="pm_none")
    assert unknown.value.http_status == 400
    with pytest.raises(InvalidRequestError, match="does not belong to the customer cus_1"):
        pay(sandbox, "k2", method="pm_2")
    with pytest.raises(InvalidRequestError, match="No such invoice: 'in_none'") as nowhere:
        pay(sandbox, "k3", invoice="in_none")
    assert nowhere.value.http_status == 404


def test_an_uncollectible_invoice_can_still_be_paid(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    assert sandbox.stripe.v1.invoices.mark_uncollectible("in_1").status == "uncollectible"
    assert pay(sandbox).status == "paid"


@pytest.mark.parametrize(
    ("method", "code", "decline_code"),
    [
        ("pm_card_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
        ("pm_card_visa_chargeDeclinedStolenCard", "card_declined", "stolen_card"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", "expired_card"),
        ("pm_card_chargeDeclinedProcessingError", "processing_error", "processing_error"),
        ("pm_card_authenticationRequired", "invoice_payment_intent_requires_action", None),
    ],
)
def test_the_public_test_methods_answer_as_they_are_known_to(
    sandbox: StripeSandbox, method: str, code: str, decline_code: str | None
) -> None:
    sandbox.fail()
    error = declined(sandbox, method=method)
    assert (error.code, said(error).get("decline_code")) == (code, decline_code)
    assert pay(sandbox, "k2", method="pm_card_visa").status == "paid"


def test_a_card_named_after_a_test_method_answers_like_it(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.control("POST", "/customers/cus_1/card", id="pm_card_visa_chargeDeclinedLostCard")
    error = declined(sandbox, method="pm_card_visa_chargeDeclinedLostCard")
    assert said(error)["decline_code"] == "lost_card"


def test_paid_out_of_band_makes_no_charge(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    assert sandbox.stripe.v1.invoices.pay("in_1", {"paid_out_of_band": True}).status == "paid"
    assert sandbox.captures() == 0


def test_an_answer_that_cannot_be_laid_out_is_refused_before_money_moves(sandbox: StripeSandbox) -> None:
    sandbox.fail()
    sandbox.script("succeed")
    with pytest.raises(InvalidRequestError, match="cannot be expanded"):
        sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1", "expand": ["nonsense"]})
    assert sandbox.captures() == 0
    paid = sandbox.stripe.v1.invoices.pay("in_1", {"payment_method": "pm_1", "expand": ["payments"]})
    assert paid.payments is not None
    assert [one.status for one in paid.payments.data] == ["paid"]
