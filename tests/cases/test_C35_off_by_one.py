"""C35: four retries, on the right days, then the pause; not three and not five, whichever news comes first."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cases.rehearsal import Rehearsal, rehearse, until

PROMISED = ["2026-06-24T09:00", "2026-06-29T09:00", "2026-07-02T09:00", "2026-07-07T09:00"]
OPEN_SECONDS = 4.0
KEYS = [f"dunr-in_35-a{number}" for number in (1, 2, 3, 4)]


def test_every_attempt_declined_gives_four_retries_on_the_promised_days_and_then_one_pause(world: Rehearsal) -> None:
    world.fail("in_35")
    world.script("card_1", "decline:insufficient_funds")

    world.advance("2026-07-07T08:59:59Z")
    assert world.access("sub_in_35") == "grace"
    world.advance("2026-07-20T00:00:00Z")

    assert world.times("in_35") == PROMISED
    assert [retry["key"] for retry in world.requests("in_35")] == KEYS
    assert world.case("in_35")["state"] == "exhausted"
    assert world.access("sub_in_35") == "paused"
    assert [mail["kind"] for mail in world.mails()] == ["first", "reminder", "reminder", "final_warning", "paused"]


@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        ({"delay_webhooks_seconds": 4 * 3600}, "decline:insufficient_funds"),
        ({"duplicate_webhooks": 2}, "slow:0.3:decline:insufficient_funds"),
    ],
    ids=["the webhook comes hours after the answer", "the webhook comes thrice before the answer"],
)
def test_the_count_does_not_depend_on_which_news_of_a_decline_comes_first(
    world: Rehearsal, settings: dict[str, object], outcome: str
) -> None:
    world.fail("in_35")
    world.set(**settings)
    world.script("card_1", outcome)
    world.advance("2026-07-20T00:00:00Z")
    assert world.times("in_35") == PROMISED
    assert [retry["key"] for retry in world.requests("in_35")] == KEYS
    assert world.case("in_35")["steps_spent_count"] == 4
    assert len(world.mails("paused")) == 1


def test_a_webhook_that_is_applied_while_the_call_is_still_open_spends_the_step_once(tmp_path: Path) -> None:
    """On the machine's own clock, with the call in one process and the news in another."""
    policy = tmp_path / "hourly.toml"
    policy.write_text(
        'steps = [{after = 1, unit = "hours"}, {after = 2, unit = "hours"}, {after = 3, unit = "hours"}]\n'
    )
    with rehearse(tmp_path, clock="system", DUNR_POLICY=str(policy)) as world:
        world.start_worker()
        until(lambda: "Working on" in world.log("worker"))
        world.script("card_1", f"slow:{OPEN_SECONDS}:decline:insufficient_funds")
        failed_at = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1) + timedelta(seconds=2)
        world.fail("in_35", failed_at=failed_at.isoformat())
        until(lambda: world.requests("in_35"))
        answered_at = time.monotonic() + OPEN_SECONDS
        until(lambda: world.case("in_35")["steps_spent_count"])
        assert time.monotonic() < answered_at, "the webhook should have been applied while the call was open"

        until(lambda: time.monotonic() > answered_at + 0.5 and world.case("in_35")["attempt_in_flight"] is None)
        case = world.case("in_35")
        assert case["steps_spent_count"] == 1
        assert datetime.fromisoformat(case["next_attempt_at"]) == failed_at + timedelta(hours=3)
        assert len(world.requests("in_35")) == 1
