"""C32 at Stripe: what the bank wants confirmed is not tried behind the customer's back; our link leads to where they confirm, and one intent pays once."""

import re

from tests.cases.stripe.rehearsal import StripeRehearsal

NOT_HANDLED = {"code": "authentication_required", "decline_code": "authentication_required"}


def link_in_mail(stripe: StripeRehearsal) -> str:
    """The path of the link that the only mail of its kind carries."""
    (mail,) = stripe.mails("confirm_with_bank")
    (link,) = set(re.findall(r"https?://[^\s\"<>]+/pay/[^\s\"<>]+", mail["text"]))
    return link.partition(f":{stripe.port}")[2]


def confirm(stripe: StripeRehearsal, link: str) -> None:
    """Through our page to the invoice's page at Stripe, where the customer is present and their bank asks them."""
    led_on = stripe.http.post(f"{link}/update")
    assert led_on.status_code == 303, led_on.text
    hosted = stripe.psp.get(led_on.headers["location"])
    assert hosted.status_code == 303, hosted.text
    confirmed = stripe.psp.post(hosted.headers["location"], data={"card": "on_file:card_1", "action": "pay"})
    assert confirmed.status_code == 200, confirmed.text
    stripe.settle()


def test_a_first_charge_that_the_bank_wants_confirmed_is_confirmed_by_link(stripe: StripeRehearsal) -> None:
    stripe.script("card_1", "requires_action")
    stripe.fail("in_1", decline=NOT_HANDLED)
    case = stripe.case("in_1")
    assert (case["state"], case["reason"]) == ("awaiting_customer", "authentication_required")
    stripe.advance(to="2026-06-27T12:00:00Z")
    assert stripe.requests("in_1") == []

    confirm(stripe, link_in_mail(stripe))
    assert stripe.case("in_1")["state"] == "recovered"
    assert stripe.captures("in_1") == 1
    assert stripe.access("sub_in_1") == "granted"


def test_a_new_card_takes_the_place_of_an_intent_that_waits_and_only_one_of_them_pays(stripe: StripeRehearsal) -> None:
    stripe.script("card_1", "requires_action")
    stripe.fail("in_1")
    stripe.advance(to="2026-06-24T09:00:00Z")
    case = stripe.case("in_1")
    assert (case["state"], case["attempts"][1]["reason"]) == ("awaiting_customer", "authentication_required")

    stripe.add_card("cus_1", "card_2")
    stripe.advance(to="2026-06-24T10:00:00Z")
    assert stripe.case("in_1")["state"] == "recovered"
    assert [one["card"] for one in stripe.requests("in_1")] == ["card_1", "card_2"]
    assert stripe.captures("in_1") == 1
    assert stripe.asked("payment_intents.cancel") == []
