"""The first day at Stripe: what is past due already is taken in with its real failure date, and nobody is charged, mailed or paused before a person agrees."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.rehearsal import payer, until
from tests.cases.stripe.commands import answered, dunr
from tests.cases.stripe.rehearsal import StripeRehearsal

LONG_AGO = {"in_old": "2026-04-01T08:00:00Z", "in_recent": "2026-06-22T08:00:00Z"}


@pytest.fixture
def stripe(tmp_path: Path) -> Iterator[StripeRehearsal]:
    """Stripe has a past; dunr was never started."""
    running = StripeRehearsal(tmp_path)
    try:
        running.start_sandbox()
        running.sandbox_ready()
        running.set(drop_webhooks=True)
        for name, failed_at in LONG_AGO.items():
            running.fail(name, card=f"card_{name}", customer=payer(name), failed_at=failed_at)
        running.fail(
            "in_first", card="card_f", customer=payer("f"), first_invoice=True, subscription_status="incomplete"
        )
        running.fail("in_paid", card="card_p", customer=payer("p"))
        running.tell("/sandbox/invoices/in_paid/pay")
        running.set(drop_webhooks=False)
        yield running
    finally:
        running.close()


def test_everything_past_due_is_taken_in_and_waits_for_a_persons_word(stripe: StripeRehearsal) -> None:
    taken = answered(stripe, "import")
    assert (taken["opened_count"], taken["open_count"], taken["amounts_minor"]) == (2, 2, {"usd": 9800})
    assert taken["oldest_failed_at"] == "2026-04-01T08:00:00Z"
    assert taken["left_alone"]["the first payment of a subscription is made in the browser"] == 1
    assert sum(day["attempts_count"] for day in taken["coming"]) == 2

    stripe.start_serve()
    stripe.advance(to="2026-06-24T12:00:00Z")
    for name, failed_at in LONG_AGO.items():
        case = stripe.case(name)
        assert case["first_failed_at"] == failed_at
        assert (stripe.requests(name), stripe.access(f"sub_{name}")) == ([], "grace")
    assert stripe.mails() == []
    assert dunr(stripe, "resume").returncode == 0
    stripe.advance(to="2026-06-25T12:00:00Z")
    assert (stripe.mails(), stripe.requests("in_old")) == ([], [])

    assert answered(stripe, "import")["opened_count"] == 0
    assert answered(stripe, "import", "--agree") == {"agreed": True, "open_count": 2}
    stripe.script("card_in_old", "decline:insufficient_funds")
    stripe.script("card_in_recent", "succeed")
    stripe.advance(to="2026-06-26T12:00:00Z")
    assert stripe.times("in_old") == ["2026-06-26T09:00"]  # one step, not four at once
    assert stripe.case("in_recent")["state"] == "recovered"
    assert stripe.access("sub_in_old") == "grace"  # although its pause date was in April
    stripe.advance(to="2026-07-20T12:00:00Z")
    kinds = stripe.mails_to("in_old@example.com")
    assert stripe.access("sub_in_old") == "paused"
    assert kinds.index("paused") > 0
    warned, paused = (stripe.mails(kind)[-1]["at"] for kind in ("final_warning", "paused"))
    assert warned < paused


def test_a_dunr_that_is_started_without_an_import_leaves_what_was_past_due_before_alone(
    stripe: StripeRehearsal,
) -> None:
    """Webhooks for old invoices and the daily sweep come before anybody has thought of an import."""
    stripe.start_serve()
    stripe.fail("in_new", card="card_new", customer=payer("new"))
    stripe.advance(to="2026-06-25T12:00:00Z")
    assert stripe.case("in_recent")["first_failed_at"] == LONG_AGO["in_recent"]
    assert stripe.mails() == []
    assert [stripe.requests(name) for name in (*LONG_AGO, "in_new")] == [[], [], []]
    assert [alert["kind"] for alert in stripe.alerts()].count("debt_left_open") == 1
    assert "`dunr import` takes in" in dunr(stripe, "import", "--agree").stderr

    assert answered(stripe, "import")["open_count"] == 3
    assert answered(stripe, "import", "--agree")["agreed"]
    stripe.advance(to="2026-06-26T12:00:00Z")
    assert stripe.times("in_new") != []


def test_agreeing_takes_off_the_imports_own_brake_and_no_other(stripe: StripeRehearsal) -> None:
    assert dunr(stripe, "import", "--agree").returncode == 1
    answered(stripe, "import")
    assert dunr(stripe, "stop", "--charges", "--why", "an audit").returncode == 0
    answered(stripe, "import", "--agree")
    stripe.start_serve()
    stripe.script("card_in_recent", "succeed")
    stripe.advance(to="2026-06-25T12:00:00Z")
    assert stripe.requests("in_recent") == []
    assert dunr(stripe, "import", "--agree").returncode == 1


def test_an_import_that_was_killed_half_way_is_run_again_and_not_agreed_to_before(stripe: StripeRehearsal) -> None:
    stripe.set(drop_webhooks=True)
    for number in range(12):
        stripe.fail(f"in_{number}", card=f"card_{number}", customer=payer(str(number)))
    stripe.environment["DUNR_STRIPE_RATE_MAX"] = "3"  # calls a second: there is time to kill it
    stripe.run("import", "import")

    def read_count() -> int:
        calls = stripe.psp.get("/sandbox/stripe/load").json()["calls"]
        return int(calls.get("invoices.retrieve", 0))

    until(lambda: read_count() >= 4, seconds=100)
    stripe.kill("import")
    assert read_count() < 14
    assert "run `dunr import` again" in dunr(stripe, "import", "--agree").stderr
    stripe.environment["DUNR_STRIPE_RATE_MAX"] = "1000"
    again = answered(stripe, "import")
    assert again["open_count"] == 14
    assert 0 < again["opened_count"] < 14
    assert answered(stripe, "import", "--agree")["open_count"] == 14


def test_an_invoice_that_cannot_be_read_keeps_the_import_from_being_agreed_to(stripe: StripeRehearsal) -> None:
    stripe.set(snapshots_failing=True)
    failed = dunr(stripe, "import")
    assert failed.returncode == 1
    assert dunr(stripe, "import", "--agree").returncode == 1
    stripe.set(snapshots_failing=False)
    assert answered(stripe, "import")["open_count"] == 2
