"""The brake goes on by itself when a processor falls silent: no step is spent, nobody is paused, one alert, and sending comes back spread out."""

from collections import Counter
from pathlib import Path

from tests.cases.rehearsal import Json, Rehearsal, rehearse

SILENT = [f"in_s{number:02}" for number in range(40)]
OTHERS = [f"in_o{number:02}" for number in range(5)]
POLICY = """
name = "short"
steps = [{after = 1, unit = "days"}, {after = 3, unit = "days"}]
floor = [{after = 2, unit = "days"}]
"""


def fail(world: Rehearsal, invoice: str, network: str, outcome: str) -> None:
    world.script(f"card_{invoice}", outcome, "succeed")
    body: Json = {
        "invoice": invoice,
        "subscription": f"sub_{invoice}",
        "customer": {"id": f"cus_{invoice}", "email": f"{invoice}@example.com"},
    }
    body["card"] = {"id": f"card_{invoice}", "network": network, "country": "GB"}
    world.psp.post("/sandbox/failures", json=body).raise_for_status()


def test_a_network_that_falls_silent_is_held_and_comes_back_case_by_case(tmp_path: Path) -> None:
    policy = tmp_path / "short.toml"
    policy.write_text(POLICY)
    with rehearse(tmp_path, DUNR_POLICY=str(policy), DUNR_PROCESSOR_TIMEOUT_SECONDS="1") as world:
        for invoice in SILENT:
            fail(world, invoice, "visa", "lost:succeed")
        for invoice in OTHERS:
            fail(world, invoice, "mastercard", "succeed")
        world.settle()
        due = world.case(SILENT[0])["next_attempt_at"]
        world.advance(due)

        tried = {invoice for invoice in SILENT if world.requests(invoice)}
        assert 30 <= len(tried) < 40, "after thirty silences it is enough"
        [alert] = world.alerts("braked")
        assert "visa cards issued in GB" in alert["text"]
        assert all(world.case(invoice)["state"] == "recovered" for invoice in OTHERS), "another network goes on"
        held = sorted(set(SILENT) - tried)
        for invoice in held:
            case = world.case(invoice)
            assert (case["state"], case["steps_spent_count"]) == ("scheduled", 0)
            assert any("holds by itself" in why for why in case["audit"][-1]["because"])

        world.advance(seconds=14 * 60)
        assert not any(world.requests(invoice) for invoice in held)
        world.advance(seconds=4 * 3600)
        assert all(world.requests(invoice) for invoice in held)
        assert len({world.requests(invoice)[0]["at"] for invoice in held}) > 1, "not all at once"
        assert len(world.alerts("braked")) == 1
        world.advance(seconds=5 * 86_400)
        assert Counter(world.captures(invoice) for invoice in SILENT) == {1: 40}
        assert {world.case(invoice)["state"] for invoice in SILENT} == {"recovered"}
        assert world.mails("paused") == []


def test_it_can_be_turned_off(tmp_path: Path) -> None:
    with rehearse(tmp_path, DUNR_AUTOMATIC_BRAKE="false", DUNR_PROCESSOR_TIMEOUT_SECONDS="1") as world:
        for invoice in SILENT:
            fail(world, invoice, "visa", "lost:succeed")
        world.settle()
        world.advance(world.case(SILENT[0])["next_attempt_at"])
        assert all(world.requests(invoice) for invoice in SILENT)
        assert world.alerts("braked") == []
