"""C57: nothing due counts as paid, and an amount below what the processor charges is carried over: no decline, no mail, no attempt."""

import pytest

from tests.cases.rehearsal import Rehearsal, payer


def test_an_invoice_that_a_coupon_paid_in_full_is_paid_and_nothing_happens(shared: Rehearsal) -> None:
    body = {"invoice": "in_57a", "subscription": "sub_57a", "customer": payer("coupon"), "amount_minor": 0}
    shared.tell("/sandbox/invoices", body | {"status": "paid"})
    assert shared.find("in_57a") is None
    assert shared.charges("in_57a") == []
    assert shared.mails_to("coupon@example.com") == []
    assert shared.access("sub_57a") == "granted"


@pytest.mark.parametrize(("currency", "amount_minor"), [("usd", 30), ("jpy", 49)])
def test_too_little_to_charge_is_carried_over(shared: Rehearsal, currency: str, amount_minor: int) -> None:
    name = f"little_{currency}"
    shared.fail(f"in_{name}", card=f"card_{name}", customer=payer(name), amount_minor=amount_minor, currency=currency)
    case = shared.case(f"in_{name}")
    assert (case["state"], case["closed_because"], case["steps_spent_count"]) == ("closed", "carried_over", 0)
    shared.advance(seconds=30 * 86400)
    assert shared.requests(f"in_{name}") == []
    assert shared.mails_to(f"{name}@example.com") == []
    assert shared.access(f"sub_in_{name}") == "granted"
    (alert,) = [one for one in shared.alerts("amount_too_small") if one["case"].endswith(f":in_{name}")]
    assert {"usd": "0.30 USD", "jpy": "49 JPY"}[currency] in alert["text"]
    assert shared.balance(f"in_{name}")["receivable"] == amount_minor


def test_a_retry_that_the_processor_finds_too_small_is_no_decline_either(shared: Rehearsal) -> None:
    shared.script("card_refused", "error:400:amount_too_small")
    shared.fail("in_refused", card="card_refused", customer=payer("refused"), amount_minor=60)
    shared.advance(seconds=30 * 86400)
    assert len(shared.requests("in_refused")) == 1
    case = shared.case("in_refused")
    assert (case["state"], case["closed_because"], case["steps_spent_count"]) == ("closed", "carried_over", 0)
    assert case["attempts"][-1]["outcome"] == "refused"
    assert shared.mails_to("refused@example.com") == ["first"]
    assert shared.access("sub_in_refused") == "granted"


def test_a_credit_that_leaves_too_little_is_carried_over_too(shared: Rehearsal) -> None:
    shared.fail("in_credited", card="card_credited", customer=payer("credited"))
    shared.tell("/sandbox/invoices/in_credited/credit", {"amount_minor": 4880})
    assert shared.case("in_credited")["closed_because"] == "carried_over"
    shared.advance(seconds=30 * 86400)
    assert shared.requests("in_credited") == []
    assert shared.balance("in_credited")["receivable"] == 20


def test_a_zero_invoice_that_is_paid_after_the_subscription_has_gone_is_no_error(shared: Rehearsal) -> None:
    shared.fail("in_57c", card="card_57c", customer=payer("gone"))
    shared.tell("/sandbox/subscriptions/sub_in_57c/cancel")
    body = {"invoice": "in_57c_zero", "subscription": "sub_in_57c", "customer": payer("gone"), "amount_minor": 0}
    told = shared.tell("/sandbox/invoices", body | {"status": "paid"})
    delivered = shared.psp.get("/sandbox/webhooks", params={"event": told["event"]}).json()
    assert [one["response_status"] for one in delivered] == [200]
    assert shared.find("in_57c_zero") is None
    assert shared.access("sub_in_57c") == "ended"
    assert shared.http.get("/v1/deadletters").json()["deadletters"] == []
