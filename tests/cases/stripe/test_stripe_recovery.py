"""A renewal fails at Stripe, and dunr gets the money: from the webhook to the receipt, and the same in every version that an endpoint may be pinned to."""

import pytest

from tests.cases.rehearsal import Json, payer
from tests.cases.stripe.rehearsal import StripeRehearsal

FIRST_RETRY = "2026-06-24T09:00"
VERSIONS = ("2020-03-02", "2024-09-30.acacia", "2026-10-28.endive")
ENDPOINT = "/sandbox/stripe/webhook_endpoints/we_sandbox"


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


def told_in(stripe: StripeRehearsal, invoice: str, version: str, decline: str) -> Json:
    """The case of an invoice whose failure is told in a version, without what names the invoice."""
    assert stripe.psp.patch(ENDPOINT, json={"api_version": version}).is_success
    stripe.fail(f"in_{invoice}", card=f"card_{invoice}", customer=payer(invoice), decline=decline)
    told = stripe.psp.get("/sandbox/webhooks", params={"invoice": f"in_{invoice}"}).json()
    assert [one for one in told if one["type"] == "invoice.payment_failed" and f'"{version}"' in one["body"]]
    facts = ("state", "shown", "reason", "next_attempt_at", "pause_at", "plan", "amount_due_minor", "currency")
    case = stripe.case(f"in_{invoice}")
    assert set(facts) <= set(case), sorted(case)
    mails = stripe.mails_to(f"{invoice}@example.com")
    return {fact: case[fact] for fact in facts} | {"mails": mails, "access": stripe.access(f"sub_in_{invoice}")}


@pytest.mark.parametrize(
    ("decline", "reason"),
    [
        ("do_not_honor", "do_not_honor"),
        ("stolen_card", "lost_or_stolen"),
        ("authentication_required", "authentication_required"),
    ],
)
def test_the_same_failure_in_three_versions_is_the_same_case_schedule_and_reason(
    shared: StripeRehearsal, decline: str, reason: str
) -> None:
    seen = [told_in(shared, f"{decline}_{number}", version, decline) for number, version in enumerate(VERSIONS)]
    assert seen[0]["reason"] == reason
    assert seen[1] == seen[0]
    assert seen[2] == seen[0]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_told_in_an_old_version_is_recovered_like_anything_else(shared: StripeRehearsal, version: str) -> None:
    name = f"told_{version[:4]}"
    shared.psp.patch(ENDPOINT, json={"api_version": version}).raise_for_status()
    shared.script(f"card_{name}", "succeed")
    shared.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
    shared.add_card(f"cus_{name}", f"card_{name}_new")
    assert (shared.case(f"in_{name}")["state"], shared.captures(f"in_{name}")) == ("recovered", 1)
