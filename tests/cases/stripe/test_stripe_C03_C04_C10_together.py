"""C03, C04 and C10 at Stripe: the customer, the scheduler and Stripe itself want the same invoice at the same moment."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.cases.racing import at_once
from tests.cases.rehearsal import payer, until
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

CLICKS = 20
SCRIPTS = {
    "told_late": "succeed",
    "part": "succeed",
    "twice": "hang:20:succeed",
    "once": "hang:20:decline:insufficient_funds",
    "timer": "slow:2:succeed",
    "clicked": "slow:2:succeed",
    "elsewhere": "succeed",
}
Seen = dict[str, Any]  # what could be seen at the time
Told = tuple[StripeRehearsal, Seen]


def our_link(stripe: StripeRehearsal, name: str) -> str:
    """The path of the link in the first mail."""
    (mail,) = [mail for mail in stripe.mails("first") if mail["to"] == f"{name}@example.com"]
    found = re.search(r"https?://[^/\s]+(/pay/[^\s<>\"]+)", mail["text"])
    assert found is not None
    return found[1]


def click(stripe: StripeRehearsal, name: str, number: int) -> int:
    """A click whose caller brings an idempotency key, which is not ours to use."""
    headers = {"idempotency-key": f"caller-{number}"}
    return stripe.http.post(f"/v1/cases/in_{name}/pay-now", headers=headers).status_code


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Everybody's first retry is due on 24 June at 09:00; what others do before, meanwhile and after stands in the order of time."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("together")) as stripe:
        seen: Seen = {}
        for name, outcome in SCRIPTS.items():
            stripe.script(f"card_{name}", outcome)
            if name != "timer":
                stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
        # Stripe tries another card three minutes later, collects, and says so.
        stripe.advance("2026-06-23T10:03:00Z")
        stripe.tell("/sandbox/invoices/in_elsewhere/pay")
        # The customer clicks twenty times before anything is due.
        answers = at_once(CLICKS, lambda number: click(stripe, "clicked", number))
        seen["clicked"] = sorted(answers)
        stripe.fail("in_timer", card="card_timer", customer=payer("timer"))

        stripe.advance("2026-06-24T08:59:50Z")
        stripe.set(delay_webhooks_seconds=30)
        stripe.tell("/sandbox/invoices/in_told_late/pay")
        stripe.tell("/sandbox/invoices/in_part/pay", {"amount_minor": 1000})
        assert stripe.case("in_told_late")["state"] == "scheduled", "nobody has told us yet"
        link = our_link(stripe, "twice")
        assert stripe.http.post(f"{link}/update").status_code == 303, "on to Stripe's page"
        with ThreadPoolExecutor(1) as scheduler:
            moving = scheduler.submit(stripe.advance, "2026-06-24T09:00:00Z")
            until(lambda: stripe.requests("in_timer"))
            seen["timer"] = at_once(CLICKS, lambda number: click(stripe, "timer", number))
            moving.result()
        seen["closed"] = [
            stripe.http.post(path).status_code
            for path in (f"{link}/pay-now", f"{link}/update", "/v1/cases/in_twice/pay-now")
        ]
        stripe.set(delay_webhooks_seconds=0)
        stripe.advance("2026-06-24T09:00:05Z")
        seen["charge"] = stripe.tell("/sandbox/invoices/in_twice/pay")["charge"]["id"]
        stripe.tell("/sandbox/invoices/in_once/pay")
        stripe.advance("2026-06-24T12:00:00Z")
        seen["twice"] = stripe.case("in_twice")
        stripe.tell(f"/sandbox/charges/{seen['charge']}/refund")
        stripe.advance("2026-07-20T00:00:00Z")
        yield stripe, seen


def test_c03_an_invoice_that_stripe_shows_paid_is_not_charged_though_its_webhook_is_late(told: Told) -> None:
    stripe, _ = told
    assert stripe.requests("in_told_late") == []
    assert (stripe.case("in_told_late")["state"], stripe.captures("in_told_late")) == ("recovered", 1)
    assert stripe.balance("in_told_late") == {"receivable": 0, "billed": -4900, "processor": 4900}
    assert stripe.mails_to("told_late@example.com") == ["first"]


def test_c03_of_an_invoice_that_was_paid_in_part_the_rest_is_asked_for(told: Told) -> None:
    stripe, _ = told
    assert [one["amount_minor"] for one in stripe.requests("in_part")] == [3900]
    assert (stripe.case("in_part")["state"], stripe.captures("in_part")) == ("recovered", 2)
    assert stripe.balance("in_part") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_c03_our_own_link_is_closed_while_an_attempt_is_under_way(told: Told) -> None:
    assert told[1]["closed"] == [409, 409, 409]


def test_c03_two_payments_that_both_went_through_are_booked_as_overpaid_alerted_and_given_back(told: Told) -> None:
    stripe, seen = told
    assert (stripe.captures("in_twice"), len(stripe.requests("in_twice"))) == (2, 1)
    assert (seen["twice"]["state"], seen["twice"]["overpaid_minor"]) == ("recovered", 4900)
    assert [one["case"].rpartition(":")[2] for one in stripe.alerts("overpaid")] == ["in_twice"]
    assert stripe.case("in_twice")["state"] == "recovered"
    assert stripe.balance("in_twice") == {"receivable": 0, "billed": -4900, "processor": 4900, "overpayments": 0}


def test_c03_a_late_decline_beside_the_customers_payment_un_pays_nothing(told: Told) -> None:
    stripe, _ = told
    case = stripe.case("in_once")
    assert (case["state"], case["overpaid_minor"], case["attempts"][1]["outcome"]) == ("recovered", 0, "declined")
    assert stripe.captures("in_once") == 1
    assert stripe.mails_to("once@example.com") == ["first"]
    assert stripe.balance("in_once") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_c04_whoever_comes_second_is_told_that_it_is_being_processed_in_either_order(told: Told) -> None:
    stripe, seen = told
    assert seen["timer"] == [409] * CLICKS
    assert seen["clicked"] == [202, *([409] * (CLICKS - 1))]
    for name, trigger in (("timer", "timer"), ("clicked", "customer")):
        assert [request["key"] for request in stripe.requests(f"in_{name}")] == [f"dunr-in_{name}-a1"]
        assert stripe.captures(f"in_{name}") == 1
        case = stripe.case(f"in_{name}")
        assert (case["state"], case["attempts"][1]["trigger"]) == ("recovered", trigger)
        assert stripe.balance(f"in_{name}") == {"receivable": 0, "billed": -4900, "processor": 4900}
        assert stripe.mails_to(f"{name}@example.com") == ["first", "receipt"]


def test_c10_what_stripe_collects_by_itself_closes_the_case_and_our_retry_never_runs(told: Told) -> None:
    stripe, _ = told
    assert (stripe.requests("in_elsewhere"), stripe.captures("in_elsewhere")) == ([], 1)
    assert stripe.case("in_elsewhere")["state"] == "recovered"
    assert stripe.mails_to("elsewhere@example.com") == ["first"]
    assert stripe.balance("in_elsewhere") == {"receivable": 0, "billed": -4900, "processor": 4900}
