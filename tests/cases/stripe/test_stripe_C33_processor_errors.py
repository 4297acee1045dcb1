"""C33 at Stripe: a lock, a rate limit, a bad request and a revoked key are not declines: nothing is counted, and no customer hears of them."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases.rehearsal import payer
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

CROWD = [f"in_crowd_{number}" for number in range(12)]
LATER = [f"in_later_{number}" for number in range(4)]
Told = tuple[StripeRehearsal, dict[str, Any]]


def revoke_until_replaced(stripe: StripeRehearsal) -> dict[str, Any]:
    """The key dies on Thursday 2 July at noon; it is replaced a day later, and sending goes on when a person says so."""
    for invoice in LATER:
        stripe.fail(invoice, card=f"card_{invoice}", customer=payer(invoice))
    mails_before = len(stripe.mails())
    stripe.set(api_key_revoked=True)
    stripe.advance("2026-07-03T12:00:00Z")
    seen: dict[str, Any] = {
        "requests": sum(len(stripe.requests(invoice)) for invoice in LATER),
        "alerts": [alert["kind"] for alert in stripe.alerts() if alert["at"] > "2026-07-02"],
        "mails": len(stripe.mails()) - mails_before,
        "spent": {stripe.case(invoice)["steps_spent_count"] for invoice in LATER},
    }
    stripe.set(api_key_revoked=False)
    stripe.advance("2026-07-03T14:00:00Z")
    seen["requests_without_a_word"] = sum(len(stripe.requests(invoice)) for invoice in LATER)
    (stop,) = stripe.http.get("/v1/stops").json()["stops"]
    let_go = stripe.http.post("/v1/stops", json={"kind": "charges", "scope": stop["scope"], "stopped": False})
    assert let_go.status_code == 200, let_go.text
    for invoice in LATER:
        stripe.script(f"card_{invoice}", "succeed")
    return seen


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """A lock, a bad request and a crowd at the rate limit on 24 June; a key that is revoked in July."""
    with rehearse_at_stripe(tmp_path_factory.mktemp("errors")) as stripe:
        stripe.script("card_lock", "error:429:lock_timeout", "error:429:lock_timeout", "succeed")
        stripe.fail("in_lock", card="card_lock", customer=payer("lock"))
        stripe.script("card_bad", "error:400:parameter_invalid", "succeed")
        stripe.fail("in_bad", card="card_bad", customer=payer("bad"))
        for invoice in CROWD:
            stripe.script(f"card_{invoice}", "error:429:rate_limit", "succeed")
            body = {"invoice": invoice, "subscription": f"sub_{invoice}", "customer": {"id": f"cus_{invoice}"}}
            answer = stripe.psp.post("/sandbox/failures", json=body | {"card": {"id": f"card_{invoice}"}})
            assert answer.status_code == 201, answer.text
        stripe.advance("2026-06-24T10:00:00Z")
        seen: dict[str, Any] = {"bad": stripe.case("in_bad"), "bad_access": stripe.access("sub_in_bad")}
        (hold,) = seen["bad"]["holds"]
        assert stripe.act("in_bad", "release", ref=hold["ref"]).status_code == 200
        stripe.advance("2026-07-02T12:00:00Z")
        seen |= revoke_until_replaced(stripe)
        stripe.advance("2026-07-20T00:00:00Z")
        yield stripe, seen


def test_c33_a_lock_is_waited_for_under_the_same_key(told: Told) -> None:
    stripe, _ = told
    calls = stripe.requests("in_lock")
    assert [(call["key"], call["captured"]) for call in calls] == [
        ("dunr-in_lock-a1", False),
        ("dunr-in_lock-a1", False),
        ("dunr-in_lock-a1", True),
    ]
    case = stripe.case("in_lock")
    assert [(one["number"], one["outcome"], one["call_count"]) for one in case["attempts"][1:]] == [(1, "succeeded", 3)]
    assert stripe.mails_to("lock@example.com") == ["first", "receipt"]


def test_c33_a_bad_request_is_told_to_a_person_and_touches_no_payment_method(told: Told) -> None:
    stripe, seen = told
    assert (seen["bad"]["attempts"][-1]["outcome"], seen["bad"]["shown"]) == ("refused", "held")
    assert (seen["bad"]["steps_spent_count"], seen["bad_access"]) == (0, "grace")
    (alert,) = stripe.alerts("request_refused")
    assert alert["case"].split(":")[2] == "in_bad"
    assert stripe.mails_to("bad@example.com") == ["first", "receipt"]
    assert len(stripe.psp.get("/sandbox/customers/cus_bad").json()["methods"]) == 1
    assert [one["key"] for one in stripe.requests("in_bad")] == ["dunr-in_bad-a1", "dunr-in_bad-a2"]
    assert (stripe.case("in_bad")["state"], stripe.captures("in_bad")) == ("recovered", 1)


def test_c33_a_crowd_that_meets_the_rate_limit_is_spread_out_and_none_is_lost_or_counted(told: Told) -> None:
    stripe, _ = told
    asked_again_at = Counter[str]()
    for invoice in CROWD:
        first, second = stripe.requests(invoice)
        assert first["at"][:16] == "2026-06-24T09:00"
        assert (first["key"], first["captured"], second["captured"]) == (second["key"], False, True)
        asked_again_at[second["at"]] += 1
        case = stripe.case(invoice)
        assert (case["state"], case["steps_spent_count"]) == ("recovered", 1)
    assert len(asked_again_at) > 2, asked_again_at
    assert max(asked_again_at.values()) <= len(CROWD) / 2, asked_again_at


def test_c33_a_revoked_key_stops_all_sending_with_one_alert_and_nothing_counted(told: Told) -> None:
    stripe, seen = told
    assert (seen["requests"], seen["alerts"], seen["mails"], seen["spent"]) == (0, ["key_revoked"], 0, {0})
    assert seen["requests_without_a_word"] == 0
    assert {stripe.times(invoice)[0] for invoice in LATER} == {"2026-07-06T09:00"}
    assert {stripe.case(invoice)["state"] for invoice in LATER} == {"recovered"}
    assert [stripe.captures(invoice) for invoice in LATER] == [1] * 4
