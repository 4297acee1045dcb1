"""C60: weekends, holidays and an operator's postponement: one rule for every path, in the plan that is shown and in what is done."""

import json
from pathlib import Path

import pytest

from tests import nursery
from tests.cases.rehearsal import Json, Rehearsal, payer, rehearse

A = ["2026-06-24T09:00", "2026-06-29T09:00", "2026-07-02T09:00", "2026-07-07T09:00"]
B = ["2026-06-28T23:00", "2026-07-01T23:00", "2026-07-06T23:00", "2026-07-09T23:00"]  # 09:00 in Sydney
C = ["2026-12-29T09:00", "2027-01-04T09:00", "2027-01-07T09:00", "2027-01-12T09:00"]
E = ["2026-06-29T09:00", "2026-07-02T09:00", "2026-07-07T09:00", "2026-07-10T09:00"]
HOLIDAYS = "2026-12-25,2026-12-28,2027-01-01"


def shown(*arguments: str) -> Json:
    ran = nursery.run("dunr", "plan", "--policy", "business_days", "--json", *arguments, check=True)
    told: Json = json.loads(ran.stdout)
    return told


@pytest.mark.parametrize(
    ("failed_at", "more", "expected"),
    [
        ("2026-06-23T10:00:00Z", (), A),
        ("2026-06-26T23:30:00Z", ("--timezone", "Australia/Sydney"), B),
        ("2026-12-24T10:00:00Z", ("--holidays", HOLIDAYS), C),
        ("2026-12-24T10:00:00Z", (), ["2026-12-25T09:00", "2026-12-30T09:00", "2027-01-04T09:00", "2027-01-07T09:00"]),
        ("2026-06-27T10:00:00Z", (), E),
    ],
    ids=["a weekday", "a Saturday in Sydney", "holidays", "no holidays", "a Saturday"],
)
def test_the_plan_that_is_shown(failed_at: str, more: tuple[str, ...], expected: list[str]) -> None:
    plan = shown("--failed-at", failed_at, *more)
    assert [attempt["at"][:16] for attempt in plan["attempts"]] == expected
    assert all(attempt["why"] for attempt in plan["attempts"])
    assert plan["pause_at"][:16] == expected[-1]


def test_a_weekday_a_saturday_and_a_postponed_retry(world: Rehearsal) -> None:
    world.fail("in_60a", card="card_a", customer=payer("weekday"))
    world.advance("2026-06-27T10:00:00Z")
    world.fail("in_60e", card="card_e", customer=payer("saturday"))
    world.fail("in_60d", card="card_d", customer=payer("postponed"))
    world.advance("2026-07-08T12:00:00Z")
    assert world.case("in_60d")["next_attempt_at"] == "2026-07-10T09:00:00Z"

    postponed = world.act("in_60d", "postpone", to_at="2026-07-11T09:00:00Z")  # a Saturday
    assert postponed.status_code == 200, postponed.text
    assert postponed.json()["next_attempt_at"] == "2026-07-13T09:00:00Z"
    assert len(world.case("in_60d")["plan"]["steps"]) == 1
    why = " ".join(world.case("in_60d")["plan"]["steps"][0]["why"])
    assert "postponed" in why
    assert "next allowed time" in why

    world.advance("2026-07-30T00:00:00Z")
    assert world.times("in_60a") == A
    assert world.times("in_60e") == E
    assert world.times("in_60d") == [*E[:3], "2026-07-13T09:00"]
    assert {world.case(invoice)["state"] for invoice in ("in_60a", "in_60d", "in_60e")} == {"exhausted"}


@pytest.mark.parametrize(
    ("start", "policy", "expected"),
    [
        ("2026-06-26T23:30:00Z", 'timezone = "Australia/Sydney"', B),
        ("2026-12-24T10:00:00Z", f'calendar = "dates:{HOLIDAYS}"', C),
    ],
    ids=["a Saturday in Sydney", "holidays"],
)
def test_a_policy_of_the_merchants_own(tmp_path: Path, start: str, policy: str, expected: list[str]) -> None:
    file = tmp_path / "own.toml"
    file.write_text(f"{policy}\n")
    with rehearse(tmp_path, start=start, DUNR_POLICY=str(file)) as world:
        world.fail("in_60")
        planned = [step["at"][:16] for step in world.case("in_60")["plan"]["steps"]]
        assert planned == expected
        world.advance(seconds=25 * 86400)
        assert world.times("in_60") == expected
        assert world.access("sub_in_60") == "paused"
