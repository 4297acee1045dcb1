"""C49: a deadline counts from the first failure after the last success, not from the last success."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.rehearsal import Rehearsal, payer, rehearse

POLICY = """
deadline_days = 14
steps = [{after = 1, unit = "business_days"}, {after = 3, unit = "business_days"}, {after = 3, unit = "business_days"}]
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Rehearsal]:
    """A cycle of 28 days: the last success was on 26 May, and today is 23 June."""
    policy = tmp_path / "fortnight.toml"
    policy.write_text(POLICY)
    with rehearse(tmp_path, start="2026-05-26T10:00:00Z", DUNR_POLICY=str(policy)) as running:
        for name in ("late", "relapse"):
            paid = {"subscription": f"sub_{name}", "customer": payer(name), "card": {"id": f"card_{name}"}}
            running.tell("/sandbox/invoices", paid | {"invoice": f"in_{name}_may", "status": "paid"})
        running.advance("2026-06-23T10:00:00Z")
        yield running


def test_the_pause_is_fourteen_days_after_todays_failure_and_a_success_in_between_resets_the_clock(
    world: Rehearsal,
) -> None:
    assert world.cases() == []
    for name in ("late", "relapse"):
        world.fail(f"in_{name}", subscription=f"sub_{name}", card=f"card_{name}", customer=payer(name))
        assert world.access(f"sub_{name}") == "grace"
        assert world.case(f"in_{name}")["pause_at"] == "2026-07-07T10:00:00Z"

    world.advance("2026-06-24T12:00:00Z")
    world.tell("/sandbox/invoices/in_relapse/pay")
    assert world.access("sub_relapse") == "granted"
    world.advance("2026-07-03T12:00:00Z")
    assert world.access("sub_late") == "grace"  # its steps are spent, and the deadline is still to come
    assert world.case("in_late")["state"] == "exhausted"
    world.fail("in_relapse_2", subscription="sub_relapse", card="card_relapse", customer=payer("relapse"))
    assert world.case("in_relapse_2")["pause_at"] == "2026-07-17T12:00:00Z"

    world.advance("2026-07-07T09:59:59Z")
    assert world.access("sub_late") == "grace"
    world.advance("2026-07-07T10:00:30Z")
    assert world.access("sub_late") == "paused"
    assert world.access("sub_relapse") == "grace"
    world.advance("2026-07-17T11:59:59Z")
    assert world.access("sub_relapse") == "grace"
    world.advance("2026-07-17T12:00:30Z")
    assert world.access("sub_relapse") == "paused"
    assert world.times("in_late") == ["2026-06-24T09:00", "2026-06-29T09:00", "2026-07-02T09:00"]
