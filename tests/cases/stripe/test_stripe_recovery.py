"""A renewal fails at Stripe, and dunr gets the money: from the webhook to the receipt, in every version that an endpoint may be pinned to."""

from pathlib import Path

import pytest

from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe

FIRST_RETRY = "2026-06-24T09:00"


def test_a_failed_charge_becomes_a_case_is_retried_and_recovered(stripe: StripeRehearsal) -> None:
    stripe.fail("in_1")
    opened = stripe.case("in_1")
    assert (opened["state"], opened["amount_due_minor"]) == ("scheduled", 4900)
    assert stripe.access("sub_in_1") == "grace"
    assert [mail["kind"] for mail in stripe.mails()] == ["first"]

    stripe.script("card_1", "decline:insufficient_funds", "succeed")
    stripe.advance(to="2026-06-24T09:00:00Z")
    assert stripe.times("in_1") == [FIRST_RETRY]
    assert stripe.case("in_1")["state"] == "scheduled"

    stripe.advance(to="2026-07-10T00:00:00Z")
    recovered = stripe.case("in_1")
    assert (recovered["state"], recovered["amount_due_minor"]) == ("recovered", 0)
    assert stripe.captures("in_1") == 1
    assert stripe.access("sub_in_1") == "granted"
    assert [request["key"] for request in stripe.requests("in_1")] == ["dunr-in_1-a1", "dunr-in_1-a2"]
    paid = stripe.asked("invoices.pay")[-1]
    assert paid["parameters"]["payment_method"] == "card_1"
    assert paid["parameters"]["off_session"] in (True, "true")
    assert stripe.posted("in_1", "recovered") == 4900
    assert stripe.alerts() == []


@pytest.mark.parametrize("version", ["2020-03-02", "2024-09-30.acacia", "2026-10-28.endive"])
def test_the_same_failure_is_the_same_case_whatever_version_tells_it(tmp_path: Path, version: str) -> None:
    with rehearse_at_stripe(tmp_path, version=version) as stripe:
        stripe.fail("in_1", decline="do_not_honor")
        case = stripe.case("in_1")
        assert (case["state"], case["reason"]) == ("scheduled", "do_not_honor")
        assert case["plan"]["steps"][0]["at"].startswith(FIRST_RETRY)
        stripe.script("card_1", "succeed")
        stripe.advance(to="2026-06-24T10:00:00Z")
        assert stripe.case("in_1")["state"] == "recovered"
        assert stripe.captures("in_1") == 1
