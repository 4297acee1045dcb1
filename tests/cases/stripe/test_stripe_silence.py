"""C02 and C03 at Stripe: what nobody answered is found by the key in Stripe's own events, and money that others collected is not taken for ours."""

from tests.cases.stripe.rehearsal import StripeRehearsal


def test_money_that_moved_without_an_answer_is_found_and_never_asked_for_again(stripe: StripeRehearsal) -> None:
    stripe.fail("in_1")
    stripe.script("card_1", "lost:succeed")
    stripe.set(drop_webhooks=True)
    stripe.advance(to="2026-06-24T09:30:00Z")

    assert [one["key"] for one in stripe.requests("in_1")] == ["dunr-in_1-a1"]
    case = stripe.case("in_1")
    assert (case["state"], case["attempts"][1]["outcome"]) == ("recovered", "succeeded")
    assert stripe.captures("in_1") == 1
    assert stripe.balance("in_1") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_a_customer_who_pays_by_link_while_our_attempt_is_silent_is_booked_once_and_not_as_ours(
    stripe: StripeRehearsal,
) -> None:
    stripe.fail("in_1")
    stripe.script("card_1", "hang:20:decline:insufficient_funds")
    stripe.advance(to="2026-06-24T09:00:05Z")
    stripe.tell("/sandbox/invoices/in_1/pay")
    stripe.advance(to="2026-06-24T12:00:00Z")

    case = stripe.case("in_1")
    assert (case["state"], case["overpaid_minor"]) == ("recovered", 0)
    assert case["attempts"][1]["outcome"] == "declined"
    assert stripe.captures("in_1") == 1
    assert stripe.balance("in_1") == {"receivable": 0, "billed": -4900, "processor": 4900}
    assert stripe.alerts("overpaid") == []


def test_what_is_busy_at_stripe_is_sent_again_under_the_same_key(stripe: StripeRehearsal) -> None:
    stripe.fail("in_1")
    stripe.script("card_1", "refuse:429:lock_timeout", "succeed")
    stripe.advance(to="2026-06-24T09:30:00Z")
    assert [(one["key"], one["captured"]) for one in stripe.requests("in_1")] == [
        ("dunr-in_1-a1", False),
        ("dunr-in_1-a1", True),
    ]
    assert stripe.case("in_1")["state"] == "recovered"
