"""C10 at Stripe: two who collect. Stripe's own retries are on, and the policy says who of us charges."""

from pathlib import Path

import pytest

from tests.cases.rehearsal import until
from tests.cases.stripe.rehearsal import StripeRehearsal, rehearse_at_stripe


def policy_file(folder: Path, text: str) -> str:
    """A policy over the unconfigured one."""
    (folder / "mine.toml").write_text(f'name = "mine"\n{text}\n')
    return str(folder / "mine.toml")


def audit_of(stripe: StripeRehearsal, invoice: str) -> str:
    return " ".join(why for entry in stripe.case(invoice)["audit"] for why in entry["because"])


def test_c10_stripes_own_retry_collects_and_nothing_of_ours_goes_out_beside_it(stripe: StripeRehearsal) -> None:
    stripe.set(retries_by_itself=True, own_retry_seconds=3 * 86400)
    stripe.fail("in_1")
    case = stripe.case("in_1")
    assert case["plan"]["steps"][0]["at"] == "2026-06-26T10:00:00Z"
    assert "nothing is charged by us" in audit_of(stripe, "in_1")
    assert [alert["kind"] for alert in stripe.alerts()] == ["coexistence"]

    stripe.script("card_1", "decline:insufficient_funds", "succeed")
    stripe.advance(to="2026-06-26T12:00:00Z")
    assert stripe.case("in_1")["plan"]["steps"][0]["at"] == "2026-06-29T10:00:00Z"
    assert stripe.access("sub_in_1") == "grace"
    stripe.advance(to="2026-06-30T12:00:00Z")
    assert (stripe.requests("in_1"), stripe.captures("in_1")) == ([], 1)
    assert stripe.case("in_1")["state"] == "recovered"
    assert stripe.balance("in_1") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_a_pause_waits_until_stripe_has_given_up_and_the_customer_was_warned(stripe: StripeRehearsal) -> None:
    stripe.set(retries_by_itself=True, own_retry_seconds=5 * 86400)
    stripe.fail("in_1")
    stripe.script("card_1", "decline:insufficient_funds")
    stripe.advance(to="2026-07-12T00:00:00Z")  # four tries, the last on 13 July
    assert (stripe.access("sub_in_1"), stripe.requests("in_1")) == ("grace", [])
    assert "final_warning" not in [mail["kind"] for mail in stripe.mails()]
    stripe.advance(to="2026-07-14T12:00:00Z")
    assert stripe.access("sub_in_1") == "grace"
    stripe.advance(to="2026-07-20T00:00:00Z")
    assert [mail["kind"] for mail in stripe.mails()][-2:] == ["method_needed", "paused"]
    assert stripe.access("sub_in_1") == "paused"


def test_a_share_of_the_customers_is_taken_over_and_the_others_are_observed(tmp_path: Path) -> None:
    policy = policy_file(tmp_path, 'coexistence = "take_over"\ntake_over_percent = 10')
    with rehearse_at_stripe(tmp_path, DUNR_POLICY=policy) as stripe:
        stripe.set(retries_by_itself=True)
        stripe.fail("in_1")  # of cus_1, who stands at 2 of 100
        stripe.fail("in_2", card="card_2", customer={"id": "cus_2", "email": "bea@example.com"})  # at 95
        stripe.script("card_1", "succeed")
        stripe.script("card_2", "decline:insufficient_funds")
        stripe.settle()
        (asked,) = stripe.asked("invoices.update")
        assert asked["parameters"]["auto_advance"] in (False, "false")
        stripe.advance(to="2026-06-24T10:00:00Z")
        assert stripe.case("in_1")["state"] == "recovered"
        assert stripe.times("in_1") == ["2026-06-24T09:00"]
        assert stripe.requests("in_2") == []
        assert "nothing is charged by us" in audit_of(stripe, "in_2")


def test_what_stripe_does_not_leave_to_us_is_not_charged_and_a_person_hears_of_it(tmp_path: Path) -> None:
    policy = policy_file(tmp_path, 'coexistence = "take_over"')
    with rehearse_at_stripe(tmp_path, DUNR_POLICY=policy, DUNR_STRIPE_API_KEY="rk_test_sandbox") as stripe:
        everything = ("invoice", "charge", "customer", "payment_intent", "payment_method", "subscription", "event")
        permissions = dict.fromkeys(everything, "read") | {"dispute": "read"}
        place = "/sandbox/stripe/keys/rk_test_sandbox/permissions"
        assert stripe.psp.put(place, json=permissions).is_success
        stripe.fail("in_1")
        stripe.advance(to="2026-06-24T10:00:00Z")
        assert (stripe.requests("in_1"), stripe.case("in_1")["state"]) == ([], "scheduled")
        assert any("still collects it by itself" in alert["text"] for alert in stripe.alerts("coexistence"))

        assert stripe.psp.put(place, json=permissions | {"invoice": "write"}).is_success
        stripe.script("card_1", "succeed")
        stripe.advance(to="2026-06-25T12:00:00Z")
        assert (stripe.case("in_1")["state"], stripe.captures("in_1")) == ("recovered", 1)


@pytest.mark.parametrize(("word", "cases"), [("advise", 1), ("refuse", 0)])
def test_what_is_advised_is_published_and_what_is_refused_opens_no_case(tmp_path: Path, word: str, cases: int) -> None:
    with rehearse_at_stripe(tmp_path, DUNR_POLICY=policy_file(tmp_path, f'coexistence = "{word}"')) as stripe:
        stripe.set(retries_by_itself=True)
        stripe.fail("in_1")
        stripe.script("card_1", "succeed")
        stripe.advance(to="2026-06-24T10:00:00Z")
        assert (len(stripe.cases()), stripe.requests("in_1")) == (cases, [])
        kinds = {alert["kind"] for alert in stripe.alerts()}
        assert kinds == ({"coexistence", "advice"} if cases else {"coexistence"})


def test_a_person_hears_of_stripes_own_retries_as_soon_as_dunr_starts(tmp_path: Path) -> None:
    stripe = StripeRehearsal(tmp_path, clock="system")
    try:
        stripe.start_sandbox()
        stripe.sandbox_ready()
        stripe.set(retries_by_itself=True, drop_webhooks=True)
        stripe.fail("in_1")
        stripe.start_serve()
        (alert,) = until(lambda: stripe.alerts("coexistence"))
        assert 'coexistence = "observe"' in alert["text"]
        assert stripe.cases() == []
    finally:
        stripe.close()
