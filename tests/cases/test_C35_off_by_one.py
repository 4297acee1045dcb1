"""C35: four retries, on the right days, then the pause; not three and not five."""

from tests.cases.rehearsal import Rehearsal


def test_every_attempt_declined_gives_four_retries_on_the_promised_days_and_then_one_pause(world: Rehearsal) -> None:
    world.fail("in_35")
    world.script("card_1", "decline:insufficient_funds")

    world.advance("2026-07-07T08:59:59Z")
    assert world.access("sub_in_35") == "grace"
    world.advance("2026-07-20T00:00:00Z")

    retries = world.requests("in_35")
    assert [retry["at"][:16] for retry in retries] == [
        "2026-06-24T09:00",
        "2026-06-29T09:00",
        "2026-07-02T09:00",
        "2026-07-07T09:00",
    ]
    assert [retry["key"] for retry in retries] == [f"dunr-in_35-a{number}" for number in (1, 2, 3, 4)]
    assert world.case("in_35")["state"] == "exhausted"
    assert world.access("sub_in_35") == "paused"
    assert len(world.mails("paused")) == 1
