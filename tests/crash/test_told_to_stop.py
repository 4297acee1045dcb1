"""`SIGTERM`: a worker finishes what is under way within its limit, or gives it back; either way it leaves with 0 and nobody has to wait for its leases."""

import signal
from pathlib import Path

from tests.cases.racing import due_in, opened, race
from tests.cases.rehearsal import Rehearsal, payer, until

SETTINGS = {"DUNR_PROCESSOR_TIMEOUT_SECONDS": "20", "DUNR_LOOK_MAX_AGE_SECONDS": "1", "DUNR_LEASE_SECONDS": "600"}
LEAVES_SECONDS = 60.0


def told_to_stop(world: Rehearsal, name: str) -> int:
    """How the worker went."""
    process = world.processes.pop(name)
    process.send_signal(signal.SIGTERM)
    return process.wait(LEAVES_SECONDS)


def test_what_is_under_way_comes_to_its_end(tmp_path: Path) -> None:
    with race(tmp_path, "worker", **SETTINGS, DUNR_STOP_SECONDS="30") as world:
        opened(world, "in_1")
        world.set(drop_webhooks=True)  # so that nobody but the worker itself can book the answer
        world.script("card_1", "hang:2:succeed")
        due_in(world, 0.3, "in_1")
        until(lambda: world.requests("in_1"))

        assert told_to_stop(world, "worker") == 0

        assert world.case("in_1")["state"] == "recovered"
        assert world.captures("in_1") == 1


def test_what_takes_too_long_is_given_back_and_nobody_waits_for_its_lease(tmp_path: Path) -> None:
    with race(tmp_path, "worker", **SETTINGS, DUNR_STOP_SECONDS="1") as world:
        for invoice in ("in_1", "in_2"):
            opened(world, invoice, customer=payer("ada"))
        world.script("card_1", "hang:12:succeed", "succeed")
        due_in(world, 0.3, "in_1")
        until(lambda: world.requests("in_1"))
        assert world.pay_now("in_2").status_code == 409, "its card is in use"

        assert told_to_stop(world, "worker") == 0

        assert world.case("in_1")["attempts"][1]["outcome"] == "unknown"
        assert world.case("in_1")["attempt_in_flight"] == 1
        assert "released" in world.log("worker")
        assert world.pay_now("in_2").status_code == 202, "the card is free, long before its lease would have passed"
        until(lambda: world.case("in_2")["state"] == "recovered")
        world.start_worker("next")
        until(lambda: world.case("in_1")["state"] == "recovered", LEAVES_SECONDS * 3)
        assert [request["key"] for request in world.requests("in_1")] == ["dunr-in_1-a1"]
        assert world.captures("in_1") == 1
