"""How often Stripe is asked for one recovery: what a merchant's rate limit, and everybody's time, is spent on."""

from tests.cases.stripe.rehearsal import StripeRehearsal

ONE_CASE_MAX = 24  # nine webhooks tell of it; each by itself would be looked at with three calls
SWEEPING = ("events.list", "invoices.list")  # once for all invoices


def asked(stripe: StripeRehearsal) -> int:
    calls = dict(stripe.psp.get("/sandbox/stripe/load").json()["calls"])
    return sum(int(count) for operation, count in calls.items() if operation not in SWEEPING)


def test_a_failure_and_a_retry_that_is_paid_cost_a_few_calls_though_each_is_told_by_many_webhooks(
    stripe: StripeRehearsal,
) -> None:
    before = asked(stripe)
    stripe.script("card_1", "succeed")
    stripe.fail("in_1", card="card_1")
    stripe.advance("2026-06-24T09:00:30Z")
    assert stripe.case("in_1")["state"] == "recovered"
    assert len(stripe.psp.get("/sandbox/webhooks").json()) >= 9
    assert asked(stripe) - before <= ONE_CASE_MAX
