"""C08: work that died is taken up again thirty hours later, when the processor has forgotten its key: it is looked up first, and never sent blindly."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.cases.rehearsal import Rehearsal, until

MONDAY, TUESDAY = "2026-06-29T09:00:00Z", "2026-06-30T15:00:00Z"


def cut_off(world: Rehearsal, invoice: str) -> None:
    """The processor can tell nothing any more, and its webhooks do not arrive."""
    world.set(drop_webhooks=True, lookups_failing=True, snapshots_failing=True)
    assert world.case(invoice)["attempt_in_flight"] == 2


def back_again(world: Rehearsal) -> None:
    world.set(drop_webhooks=False, lookups_failing=False, snapshots_failing=False)


def test_a_charge_that_worked_before_the_crash_is_found_and_not_repeated(world: Rehearsal) -> None:
    world.fail("in_8")
    world.script("card_1", "decline:insufficient_funds", "slow:3:succeed")
    world.advance("2026-06-29T08:59:59Z")
    world.set(drop_webhooks=True)
    with ThreadPoolExecutor(1) as aside:
        moving = aside.submit(world.advance, MONDAY)
        until(lambda: world.captures("in_8") == 1)
        world.kill("serve")
        with pytest.raises(httpx.TransportError):
            moving.result()
    world.start_serve()
    cut_off(world, "in_8")
    world.advance(TUESDAY)

    assert world.case("in_8")["attempt_in_flight"] == 2
    assert len(world.alerts("unsettled_attempt")) == 1
    back_again(world)
    # An operator takes the work up again; the look that comes first finds the payment.
    redriven = world.act("in_8", "retry")
    assert redriven.status_code == 409
    assert "recovered" in redriven.json()["detail"]
    world.advance("2026-07-20T00:00:00Z")

    assert [request["key"] for request in world.requests("in_8")] == ["dunr-in_8-a1", "dunr-in_8-a2"]
    assert world.captures("in_8") == 1
    assert world.case("in_8")["state"] == "recovered"
    assert [mail["kind"] for mail in world.mails()] == ["first", "reminder", "receipt"]
    assert world.balance("in_8") == {"receivable": 0, "billed": -4900, "processor": 4900}


def test_a_charge_that_never_began_is_given_up_under_its_key_and_made_under_a_new_one(world: Rehearsal) -> None:
    world.fail("in_8b")
    world.script("card_1", "decline:insufficient_funds", "refuse:503", "succeed")
    world.advance(MONDAY)
    cut_off(world, "in_8b")
    world.advance(TUESDAY)
    back_again(world)
    redriven = world.act("in_8b", "retry")
    assert redriven.status_code == 409
    assert "processing" in redriven.json()["detail"]
    world.advance("2026-07-20T00:00:00Z")

    asked = [(request["key"], request["at"] > TUESDAY) for request in world.requests("in_8b")]
    assert asked == [("dunr-in_8b-a1", False), ("dunr-in_8b-a2", False), ("dunr-in_8b-a3", True)]
    assert world.captures("in_8b") == 1
    outcomes = [attempt["outcome"] for attempt in world.case("in_8b")["attempts"]]
    assert outcomes == ["declined", "declined", "withdrawn", "succeeded"]
