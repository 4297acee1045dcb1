"""At Stripe: an intake that was down for eight days, longer than Stripe tries to deliver, and money that comes after everybody had given up."""

from tests.cases.rehearsal import payer
from tests.cases.stripe.commands import answered
from tests.cases.stripe.rehearsal import StripeRehearsal


def test_after_eight_days_without_an_intake_everything_is_found_and_nothing_is_caught_up_at_once(
    stripe: StripeRehearsal,
) -> None:
    for name in ("paid", "void", "open"):
        stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
    mails_before = len(stripe.mails())
    stripe.kill("serve")
    stripe.tell("/sandbox/invoices/in_paid/pay")
    stripe.tell("/sandbox/invoices/in_void/void")
    stripe.fail("in_new", card="card_new", customer=payer("new"))
    moved = stripe.psp.post("/sandbox/clock", json={"to": "2026-07-01T10:00:00Z"})
    assert moved.is_success, moved.text

    stripe.start_serve()
    stripe.advance(to="2026-07-01T10:00:00Z")
    answered(stripe, "reconcile", "--days", "9")
    stripe.settle()
    states = {case["id"].rpartition(":")[2]: case["state"] for case in stripe.cases()}
    assert states == {"in_paid": "recovered", "in_void": "closed", "in_open": "scheduled", "in_new": "scheduled"}
    assert stripe.access("sub_in_open") == "grace"
    assert [len(stripe.requests(f"in_{name}")) for name in ("paid", "void", "new")] == [0, 0, 0]
    assert len(stripe.requests("in_open")) <= 1  # one missed step runs, and the others keep their gaps
    stripe.advance(to="2026-07-02T12:00:00Z")
    assert len(stripe.requests("in_new")) <= 1
    assert len(stripe.mails()) <= mails_before + 6
    assert answered(stripe, "reconcile", "--days", "9")["findings"] == []


def test_money_that_comes_after_a_write_off_and_a_cancellation_is_booked_and_revives_nothing(
    stripe: StripeRehearsal,
) -> None:
    for name in ("written", "ended"):
        stripe.fail(f"in_{name}", card=f"card_{name}", customer=payer(name))
    stripe.tell("/sandbox/invoices/in_written/write_off")
    stripe.tell("/sandbox/subscriptions/sub_in_ended/cancel")
    stripe.advance(to="2026-07-20T00:00:00Z")
    for name in ("written", "ended"):
        assert stripe.case(f"in_{name}")["state"] == "closed"
        stripe.tell(f"/sandbox/invoices/in_{name}/pay", {"force": True})
        stripe.advance(seconds=60)
        case = stripe.case(f"in_{name}")
        assert (case["state"], stripe.posted(f"in_{name}", "recovered")) == ("closed", 4900)
        assert stripe.captures(f"in_{name}") == 1
        assert stripe.requests(f"in_{name}") == []
    assert len(stripe.alerts("late_money")) == 2
    assert stripe.access("sub_in_ended") == "ended"
