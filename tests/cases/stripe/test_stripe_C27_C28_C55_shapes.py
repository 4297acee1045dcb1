"""C27, C28 and C55 at Stripe: what newer versions leave out is read elsewhere, and an amount is the integer that Stripe says."""

import json
from pathlib import Path

import pytest

from tests.cases.rehearsal import payer, signature
from tests.cases.running import SECRET
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

OLD, NEW = "2020-03-02", "2025-03-31.basil"
DUE = {"jpy": 5000, "usd": 5000, "kwd": 5000, "ugx": 50000, "isk": 50000, "huf": 500000}
TOLD = {"jpy": "¥5,000", "usd": "$50.00", "kwd": "5.000", "ugx": "500", "isk": "500", "huf": "5,000"}


def test_c27_two_endpoints_of_two_versions_tell_one_failure_and_an_old_event_is_replayed(
    stripe: StripeRehearsal,
) -> None:
    place = "/sandbox/stripe/webhook_endpoints/we_sandbox"
    assert stripe.psp.patch(place, json={"api_version": OLD}).is_success
    made = stripe.psp.post(
        "/v1/webhook_endpoints",
        data={"url": f"{stripe.url}/webhooks/stripe", "enabled_events[]": "*", "api_version": NEW},
        headers={"authorization": "Bearer sk_test_sandbox"},
    ).json()
    told = stripe.psp.patch(f"/sandbox/stripe/webhook_endpoints/{made['id']}", json={"secrets": [SECRET]})
    assert told.is_success, told.text
    stripe.fail("in_1", decline="do_not_honor")

    delivered = stripe.psp.get("/sandbox/webhooks").json()
    failures = [one for one in delivered if one["type"] == "invoice.payment_failed"]
    assert [one["status"] for one in failures] == ["delivered", "delivered"]
    (case,) = stripe.cases()
    assert (case["state"], case["reason"], case["next_attempt_at"]) == (
        "scheduled",
        "do_not_honor",
        "2026-06-24T09:00:00Z",
    )
    assert len(stripe.mails()) == 1
    stripe.script("card_1", "succeed")
    stripe.advance(to="2026-06-24T10:00:00Z")
    replayed = {"id": "evt_replayed", "object": "event", "type": "invoice.payment_failed", "livemode": False}
    shown = {"id": "in_1", "object": "invoice", "subscription": "sub_in_1", "charge": "ch_x", "customer": "cus_1"}
    body = json.dumps(replayed | {"api_version": OLD, "data": {"object": shown}}).encode()
    assert stripe.deliver(body, signature(body, stripe.now(), SECRET)).status_code == 200
    stripe.advance(to="2026-07-20T00:00:00Z")
    assert (stripe.case("in_1")["state"], stripe.captures("in_1")) == ("recovered", 1)


@pytest.mark.parametrize("version", [OLD, NEW])
def test_c27_a_decline_that_cannot_be_fetched_is_waited_for_and_never_guessed(tmp_path: Path, version: str) -> None:
    with rehearse_at_stripe(tmp_path, version=version) as stripe:
        stripe.set(lookups_failing=True)  # charges and intents
        stripe.fail("in_1", decline="stolen_card")
        stripe.advance(seconds=120)
        assert stripe.cases() == []
        stripe.set(lookups_failing=False)
        stripe.advance(seconds=3600)
        case = stripe.case("in_1")
        assert (case["state"], case["reason"]) == ("awaiting_customer", "lost_or_stolen")
        assert stripe.access("sub_in_1") == "grace"


@pytest.mark.parametrize("version", [OLD, NEW])
def test_c28_the_end_of_the_period_is_read_wherever_it_stands_and_access_is_not_cut(
    tmp_path: Path, version: str
) -> None:
    with rehearse_at_stripe(tmp_path, version=version) as stripe:
        stripe.fail("in_1", period_end_at="2026-08-01T00:00:00Z")
        stripe.script("card_1", "succeed")
        stripe.advance(to="2026-06-24T10:00:00Z")
        assert stripe.access("sub_in_1") == "granted"
        stripe.advance(to="2026-07-31T00:00:00Z")
        assert stripe.access("sub_in_1") == "granted"
        assert stripe.http.get("/v1/deadletters").json()["deadletters"] == []


def test_c55_the_integer_that_stripe_says_is_charged_and_a_mail_says_it_as_people_do(stripe: StripeRehearsal) -> None:
    for currency, amount in DUE.items():
        stripe.fail(
            f"in_{currency}", card=f"card_{currency}", customer=payer(currency), currency=currency, amount_minor=amount
        )
        stripe.script(f"card_{currency}", "succeed")
    first = {mail["to"]: mail["text"] for mail in stripe.mails("first")}
    for currency, words in TOLD.items():
        assert words in first[f"{currency}@example.com"], (currency, first[f"{currency}@example.com"])
    stripe.advance(to="2026-06-24T10:00:00Z")
    for currency, amount in DUE.items():
        captured = [one["amount_minor"] for one in stripe.charges(f"in_{currency}") if one["captured"]]
        assert captured == [amount], currency
        assert stripe.posted(f"in_{currency}", "recovered") == amount
