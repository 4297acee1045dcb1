"""C23: a signature's age is judged once, at the door, on both sides of now; and a wrong clock of ours is named as such."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.rehearsal import Rehearsal, rehearse

MINUTE, HOUR = 60, 3600


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Rehearsal]:
    with rehearse(tmp_path) as running:
        yield running


def failure(world: Rehearsal, invoice: str, **more: object) -> list[int]:
    """The failure of an invoice that dunr has not heard of, as an event with a story of its own; what the intake answered."""
    world.fail(invoice, card=f"card_{invoice}", send_webhook=False)
    return world.event(data={"invoice": invoice, "subscription": f"sub_{invoice}", "customer": "cus_1"}, **more)


def test_an_event_that_was_good_at_the_door_is_applied_however_late_it_is_picked_up(shared: Rehearsal) -> None:
    shared.set(snapshots_failing=True)
    assert failure(shared, "in_23a") == [200]
    shared.advance(seconds=40 * MINUTE)
    assert shared.find("in_23a") is None

    shared.set(snapshots_failing=False)
    shared.advance(seconds=15 * MINUTE)
    assert shared.case("in_23a")["state"] == "scheduled"


@pytest.mark.parametrize(
    ("name", "offset_seconds", "status"),
    [
        ("too_old", -301, 400),
        ("just_old", -299, 200),
        ("just_ahead", 299, 200),
        ("too_far_ahead", 301, 400),
        ("an_hour_ahead", HOUR, 400),
    ],
)
def test_five_minutes_are_allowed_on_both_sides(shared: Rehearsal, name: str, offset_seconds: int, status: int) -> None:
    invoice = f"in_23_{name}"
    assert failure(shared, invoice, signed_offset_seconds=offset_seconds) == [status]
    assert (shared.find(invoice) is not None) == (status == 200)


def test_a_clock_that_is_seven_minutes_ahead_refuses_all_tells_one_person_once_and_loses_nothing(
    world: Rehearsal,
) -> None:
    invoices = [f"in_23e_{number}" for number in range(50)]
    world.set(clock_offset_seconds=-7 * MINUTE)
    for invoice in invoices:
        body = {"invoice": invoice, "subscription": f"sub_{invoice}", "card": {"id": f"card_{invoice}"}}
        answer = world.psp.post("/sandbox/failures", json=body | {"customer": {"id": f"cus_{invoice}"}})
        assert answer.status_code == 201, answer.text
    world.settle()

    first_tries = [one for one in world.psp.get("/sandbox/webhooks").json() if one["attempt"] == 1]
    assert [one["response_status"] for one in first_tries] == [400] * 50
    assert world.cases() == []
    skew = world.alerts("clock_skew")
    assert len(skew) == 1
    assert "420 seconds" in skew[0]["text"]

    world.set(clock_offset_seconds=0)
    world.advance(seconds=2 * HOUR)
    assert {case["invoice"] for case in world.cases()} == set(invoices)
    assert len(world.alerts("clock_skew")) == 1
