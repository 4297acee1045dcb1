"""C01, C02 and C07 at Stripe: what nobody answered is found by the key in Stripe's own events, and until then nothing else is sent for that invoice."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.cases.rehearsal import payer, until
from tests.cases.stripe.rehearsal import STRIPE_KEY, StripeRehearsal, rehearse_at_stripe

DECLINED = "decline:insufficient_funds"
SCRIPTS = {
    "paid": ["slow:1:succeed"],  # C01: charged, and every later question hangs
    "captured": [DECLINED, "hang:45:succeed"],  # C02: attempt 2 captures after we gave up
    "never": [DECLINED, "refuse:503", "succeed"],  # C02: attempt 2 never was
    "lost": ["lost:succeed"],
    "broken": ["broken:succeed"],
    "reused": ["succeed"],  # C07: somebody else has used our key
    "four": ["hang:90:decline:insufficient_funds", DECLINED],  # C07: four refusals
    "credited": [DECLINED, "refuse:503", "succeed"],  # C07: a credit comes while attempt 2 has no answer
}


Seen = dict[str, Any]  # what could be seen at the time
Told = tuple[StripeRehearsal, Seen]


def keys(stripe: StripeRehearsal, name: str) -> list[str]:
    return [request["key"] for request in stripe.requests(f"in_{name}")]


def attempts_from_one(name: str, *numbers: int) -> list[str]:
    return [f"dunr-in_{name}-a{number}" for number in numbers]


def use_up_key(stripe: StripeRehearsal, key: str) -> None:
    """Another program of the merchant's sends something else under a key that will be ours."""
    headers = {"authorization": f"Bearer {STRIPE_KEY}", "idempotency-key": key}
    used = stripe.psp.post("/v1/refunds", data={"charge": "ch_none"}, headers=headers)
    assert used.status_code in (400, 404), used.text


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Stripe's webhooks are lost from the first retry on; from Monday 29 June to Friday 3 July it answers no question either."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("silence")) as stripe:
        seen: Seen = {}
        for name, outcomes in SCRIPTS.items():
            stripe.script(f"card_{name}", *outcomes)
            stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
        use_up_key(stripe, "dunr-in_reused-a1")
        stripe.advance("2026-06-24T08:59:59Z")
        stripe.set(drop_webhooks=True)
        with ThreadPoolExecutor(1) as aside:
            moving = aside.submit(stripe.advance, "2026-06-24T09:00:00Z")
            until(lambda: stripe.captures("in_paid") == 1)
            stripe.set(lookups_hang_seconds=70, snapshots_hang_seconds=70)
            moving.result()
        seen["paid"] = stripe.case("in_paid")
        stripe.set(lookups_hang_seconds=0, snapshots_hang_seconds=0)
        stripe.advance("2026-06-24T12:00:00Z")
        seen |= {name: stripe.case(f"in_{name}") for name in ("reused", "four", "lost", "broken")}

        stripe.advance("2026-06-29T09:00:00Z")
        stripe.set(lookups_failing=True, snapshots_failing=True)
        stripe.tell("/sandbox/invoices/in_credited/credit", {"amount_minor": 1000})
        stripe.advance("2026-07-02T12:00:00Z")
        seen |= {name: stripe.case(f"in_{name}") for name in ("captured", "never", "credited")}
        seen["mails"] = stripe.mails_to("captured@example.com")
        seen["keys"] = keys(stripe, "captured"), keys(stripe, "never")
        seen["clicked"] = stripe.pay_now("in_captured").status_code
        stripe.advance("2026-07-03T08:00:00Z")
        stripe.set(lookups_failing=False, snapshots_failing=False)
        stripe.advance("2026-07-20T00:00:00Z")
        yield stripe, seen


def test_c01_a_payment_stays_a_payment_though_every_later_question_hangs(told: Told) -> None:
    stripe, seen = told
    assert seen["paid"]["state"] == "recovered"
    assert keys(stripe, "paid") == attempts_from_one("paid", 1)
    assert stripe.captures("in_paid") == 1
    assert stripe.mails_to("paid@example.com") == ["first", "receipt"]
    assert stripe.balance("in_paid") == {"receivable": 0, "billed": -4900, "processor": 4900}


@pytest.mark.parametrize("name", ["lost", "broken"])
def test_c01_money_that_moved_without_an_answer_is_found_and_never_asked_for_again(told: Told, name: str) -> None:
    stripe, seen = told
    assert seen[name]["state"] == "recovered"
    assert keys(stripe, name) == attempts_from_one(name, 1)
    assert stripe.captures(f"in_{name}") == 1
    assert stripe.mails_to(f"{name}@example.com") == ["first", "receipt"]
    assert stripe.balance(f"in_{name}") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_c02_no_further_attempt_begins_until_stripe_says_that_the_silent_one_captured(told: Told) -> None:
    stripe, seen = told
    waiting = seen["captured"]
    assert (waiting["state"], waiting["shown"], waiting["attempt_in_flight"]) == ("scheduled", "attempting", 2)
    assert waiting["attempts"][2]["outcome"] == "unknown"
    assert seen["clicked"] in (409, 503)
    assert seen["mails"] == ["first", "reminder"], "an unknown result is no failed payment"
    assert [one["at"] for one in stripe.alerts("unsettled_attempt") if one["case"].endswith(":in_captured")] == [
        "2026-06-29T10:00:00Z"
    ]
    case = stripe.case("in_captured")
    assert (case["state"], case["attempts"][2]["outcome"]) == ("recovered", "succeeded")
    assert "2026-07-03T08:00:00Z" <= case["ended_at"] <= "2026-07-03T14:00:00Z"
    assert keys(stripe, "captured") == attempts_from_one("captured", 1, 2)
    assert stripe.captures("in_captured") == 1
    assert stripe.mails_to("captured@example.com") == ["first", "reminder", "receipt"]
    assert stripe.balance("in_captured") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_c02_only_when_stripe_says_that_there_is_no_such_charge_a_new_attempt_may_go(told: Told) -> None:
    stripe, seen = told
    assert seen["keys"] == (attempts_from_one("captured", 1, 2), attempts_from_one("never", 1, 2))
    case = stripe.case("in_never")
    assert [attempt["outcome"] for attempt in case["attempts"]] == ["declined", "declined", "withdrawn", "succeeded"]
    assert "2026-07-03T08:00:00Z" <= case["attempts"][2]["settled_at"] < case["attempts"][3]["begun_at"]
    assert keys(stripe, "never") == attempts_from_one("never", 1, 2, 3)
    assert case["steps_spent_count"] == 2, "the step of what was never charged is given back"
    assert stripe.captures("in_never") == 1


def test_c07_a_credit_while_an_attempt_has_no_answer_changes_neither_its_request_nor_its_key(told: Told) -> None:
    stripe, _ = told
    asked = [(one["key"], one["amount_minor"]) for one in stripe.requests("in_credited")]
    assert asked == [("dunr-in_credited-a1", 4900), ("dunr-in_credited-a2", 4900), ("dunr-in_credited-a3", 3900)]
    case = stripe.case("in_credited")
    assert [one["outcome"] for one in case["attempts"]] == ["declined", "declined", "withdrawn", "succeeded"]
    assert (case["state"], case["overpaid_minor"], stripe.captures("in_credited")) == ("recovered", 0, 1)
    assert stripe.balance("in_credited")["receivable"] == 0


def test_c07_a_key_that_somebody_else_has_used_is_no_decline(told: Told) -> None:
    stripe, seen = told
    case = seen["reused"]
    assert (case["steps_spent_count"], case["attempts"][1]["outcome"]) == (0, "withdrawn")
    assert [hold["kind"] for hold in case["holds"]] == ["processor"]
    assert len([one for one in stripe.alerts("request_refused") if one["case"].endswith(":in_reused")]) == 1
    assert keys(stripe, "reused") == attempts_from_one("reused", 1, 2)
    assert stripe.captures("in_reused") == 1
    assert stripe.mails_to("reused@example.com") == ["first", "receipt"]


def test_c07_four_attempts_are_four_keys_and_a_replayed_decline_is_the_same_decline(told: Told) -> None:
    stripe, seen = told
    assert seen["four"]["steps_spent_count"] == 1
    case = stripe.case("in_four")
    ours = case["attempts"][1:]
    assert [attempt["key"] for attempt in ours] == attempts_from_one("four", 1, 2, 3, 4)
    assert [attempt["outcome"] for attempt in ours] == ["declined"] * 4
    assert len({attempt["processor_charge_id"] for attempt in ours}) == 4
    assert (case["state"], stripe.captures("in_four")) == ("exhausted", 0)
