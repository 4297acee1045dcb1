"""Hundreds of invoices against Stripe's own list: a run that is killed half-way is finished by the next, and what is known costs a call for a hundred."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.rehearsal import until
from tests.cases.stripe.commands import answered, dunr
from tests.cases.stripe.rehearsal import StripeRehearsal

COUNT = 250
HELD = {"DUNR_STRIPE_RATE_MAX": "1000"}


@pytest.fixture
def stripe(tmp_path: Path) -> Iterator[StripeRehearsal]:
    running = StripeRehearsal(tmp_path)
    try:
        running.start_sandbox()
        running.sandbox_ready()
        past = {"count": COUNT, "name": "many", "failed_at": "2026-06-20T10:00:00Z"}
        running.psp.post("/sandbox/failures/many", json=past).raise_for_status()
        yield running
    finally:
        running.close()


def opened_count(stripe: StripeRehearsal) -> int:
    listed = dunr(stripe, "cases", "list", "--limit", "500", "--json", **HELD)
    assert listed.returncode == 0, listed.stderr
    return listed.stdout.count('"first_failed_at"')


def load(stripe: StripeRehearsal) -> dict[str, int]:
    return dict(stripe.psp.get("/sandbox/stripe/load").json()["calls"])


@pytest.mark.slow
def test_a_run_that_is_killed_is_finished_by_the_next_and_a_further_one_only_reads_the_list(
    stripe: StripeRehearsal,
) -> None:
    stripe.environment["DUNR_STRIPE_RATE_MAX"] = "30"  # calls a second: there is time to kill it
    stripe.run("reconcile", "reconcile", "--json")
    until(lambda: load(stripe).get("invoices.retrieve", 0) >= 60, seconds=100)
    stripe.kill("reconcile")
    before = opened_count(stripe)
    assert 30 <= before < COUNT

    stripe.environment |= HELD
    rest = answered(stripe, "reconcile")
    assert (rest["went_on"], opened_count(stripe)) == (True, COUNT)
    assert len(rest["findings"]) <= COUNT - before

    assert stripe.psp.delete("/sandbox/stripe/load").is_success
    again = answered(stripe, "reconcile")
    assert (again["looked_at"], again["read_whole"], again["findings"]) == (COUNT, 0, [])
    assert load(stripe) == {"invoices.list": 3, "events.list": 1}
