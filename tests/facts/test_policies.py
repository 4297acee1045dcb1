"""Policies: the one that ships, a merchant's own, and what is refused when the file is read."""

from pathlib import Path

import pytest

from dunr.core.policy import BUSINESS_LADDER, Policy, ReasonRule, Step, policy_hash
from dunr.core.terms import DeclineReason, FinalAction, RestoreOn, StepUnit
from dunr.errors import SettingsError
from dunr.facts.policies import EXAMPLES, policy_from_toml, policy_named, shipped
from dunr.facts.policy_rules import deadline_days_min, problems_of

GENTLE = """
timezone = "Europe/London"
calendar = "GB-ENG"
at_hour = 10
steps = [{after = 2, unit = "days"}, {after = 5, unit = "days"}]
restore_on = "payment"
final_action = "cancel"

[reasons.unknown]
steps_max = 1

[reasons.insufficient_funds]
steps_max = 3
steps = [{after = 3, unit = "days"}, {after = 5, unit = "days"}, {after = 7, unit = "days"}]
"""


def refused(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        policy_from_toml(text, "mine")
    message = str(caught.value)
    assert "policy mine" in message
    assert "write" in message
    return message


def test_unconfigured_means_business_days() -> None:
    assert shipped("business_days") == Policy()
    assert shipped("business_days").steps == BUSINESS_LADDER
    assert problems_of(shipped("business_days")) == []
    assert policy_from_toml("", "business_days") == Policy()


def test_a_policy_that_does_not_ship_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="fibonaci") as caught:
        shipped("fibonaci")
    assert 'write "business_days", or the path of a file that ends in .toml' in str(caught.value)


def test_a_file_is_read_in_full() -> None:
    policy = policy_from_toml(GENTLE, "gentle")
    assert policy.name == "gentle"
    assert (policy.timezone, policy.calendar, policy.at_hour) == ("Europe/London", "GB-ENG", 10)
    assert policy.steps == (Step(2, StepUnit.DAYS), Step(5, StepUnit.DAYS))
    assert policy.rule(DeclineReason.INSUFFICIENT_FUNDS) == ReasonRule(
        3, steps=(Step(3, StepUnit.DAYS), Step(5, StepUnit.DAYS), Step(7, StepUnit.DAYS))
    )
    assert policy.rule(DeclineReason.UNKNOWN) == ReasonRule(1)
    assert policy.restore_on is RestoreOn.PAYMENT
    assert policy.final_action is FinalAction.CANCEL


def test_the_order_of_reasons_in_the_file_does_not_change_the_hash() -> None:
    one = "reasons.unknown = {steps_max = 1}\nreasons.do_not_honor = {steps_max = 2}"
    other = "reasons.do_not_honor = {steps_max = 2}\nreasons.unknown = {steps_max = 1}"
    assert policy_hash(policy_from_toml(one, "a")) == policy_hash(policy_from_toml(other, "a"))


def test_the_setting_may_name_a_file(tmp_path: Path) -> None:
    (tmp_path / "gentle.toml").write_text(GENTLE)
    assert policy_named(str(tmp_path / "gentle.toml")).name == "gentle"
    assert policy_named("business_days") == Policy()
    with pytest.raises(SettingsError, match=r"absent\.toml cannot be read") as caught:
        policy_named(str(tmp_path / "absent.toml"))
    assert 'policy = "business_days"' in str(caught.value)


def test_every_field_has_an_example_that_can_be_written() -> None:
    assert set(EXAMPLES) == set(Policy.__struct_fields__)
    for key, example in EXAMPLES.items():
        assert policy_from_toml(example, "mine") is not None, key


@pytest.mark.parametrize(
    ("text", "named", "what_to_write"),
    [
        ("steps = ", "not TOML", "write one setting a line, such as steps = ["),
        ("timezon = 'UTC'", "no setting timezon", "write timezone"),
        ("zebra = 1", "no setting zebra", "write one of name, timezone"),
        ("steps = [{afer = 1, unit = 'days'}]", "no setting steps[0].afer", "write steps[0].after"),
        ("floor = [{after = 1, units = 'days'}]", "no setting floor[0].units", "write floor[0].unit"),
        ("reasons.stolen = {steps_max = 0}", "reasons.stolen", "write reasons.lost_or_stolen"),
        ("reasons.unknown = {step_max = 1}", "reasons.unknown.step_max", "write reasons.unknown.steps_max"),
        ("reasons.unknown = {steps_max = 0, steps = [{x = 1}]}", "reasons.unknown.steps[0].x", "one of after, unit"),
        ("at_hour = '9'", "at_hour: Expected `int`", "for example, at_hour = 9"),
        ("receipts = 1", "receipts: Expected `bool`", "for example, receipts = false"),
        ("steps = 4", "steps: Expected `array`", "steps = [{after = 1"),
        ("steps = [{after = 1, unit = 'weeks'}]", "steps[0].unit", 'unit = "business_days"'),
        ("steps = [{after = 1}]", "steps[0]: Object missing required field `unit`", "steps = [{after = 1"),
        ("reasons = 1", "reasons: Expected `object`", "reasons.insufficient_funds = {steps_max = 2}"),
        ("reasons.unknown = {}", "reasons.unknown: Object missing", "reasons.insufficient_funds = {steps_max = 2}"),
        ("final_action = 'refund'", "final_action", 'final_action = "pause"'),
    ],
)
def test_what_cannot_be_read_names_the_setting(text: str, named: str, what_to_write: str) -> None:
    message = refused(text)
    assert named in message
    assert what_to_write in message


@pytest.mark.parametrize(
    ("text", "named", "what_to_write"),
    [
        ("at_hour = 24", "at_hour = 24 is out of range", "at_hour = 9"),
        ("at_minute = 60", "at_minute = 60 is out of range", "at_minute = 0"),
        ("mail_until_hour = 25", "mail_until_hour = 25 is out of range", "from 1 to 24"),
        ("mail_from_hour = 20", "mail_from_hour = 20 must be before mail_until_hour = 20", "write mail_from_hour = 8"),
        ("card_attempts_24h_max = 0", "card_attempts_24h_max = 0 is out of range", "card_attempts_24h_max = 10"),
        ("deadline_days = 0", "deadline_days = 0 is out of range", "deadline_days = 21"),
        ("timezone = 'Europe/Londn'", "Europe/Londn", 'write timezone = "Europe/London"'),
        ("timezone = '../etc'", "../etc", "write timezone ="),
        ("calendar = 'UK'", "no holiday calendar 'UK'", "write GB-ENG"),
        ("steps = []", "steps is empty and there is no deadline", "deadline_days = 21"),
        ("steps = [{after = 0, unit = 'days'}]", "steps[0] has after = 0", "write after = 1 or more"),
        ("floor = [{after = -1, unit = 'days'}]", "floor[0] has after = -1", "write after = 1 or more"),
        ("steps = [{after = 400, unit = 'days'}]", "steps reaches further than 366 days", "write shorter gaps"),
        ("attempts_max = 3", "attempts_max = 3, but `steps` has 4 rungs", "write attempts_max = 4 or more"),
        ("final_action = 'mark_unpaid'", "mark_unpaid", 'write final_action = "pause"'),
        (
            "reasons.insufficient_funds = {steps_max = 5}",
            "reasons.insufficient_funds.steps_max = 5, but the ladder has 4",
            "write a number from 0 to 4",
        ),
        (
            "reasons.lost_or_stolen = {steps_max = 1}",
            "that payment method is dead",
            "write reasons.lost_or_stolen.steps_max = 0",
        ),
        ("reasons.unknown = {steps_max = 2}", "one cautious step", "write reasons.unknown.steps_max = 1"),
        ("deadline_days = 14", "deadline_days = 14 could pause access", "write deadline_days = 15 or more"),
    ],
)
def test_what_contradicts_itself_names_the_setting(text: str, named: str, what_to_write: str) -> None:
    message = refused(text)
    assert named in message
    assert what_to_write in message


def test_a_ladder_has_an_end() -> None:
    steps = ", ".join(["{after = 1, unit = 'days'}"] * 41)
    assert "steps has 41 steps: write at most 40" in refused(f"attempts_max = 100\nsteps = [{steps}]")


def test_all_breaches_are_told_at_once() -> None:
    message = refused("at_hour = 30\ntimezone = 'Mars'\nfinal_action = 'mark_unpaid'")
    assert all(word in message for word in ("at_hour", "timezone", "final_action"))


def test_no_steps_at_all_is_fine_with_a_deadline() -> None:
    assert policy_from_toml("steps = []\ndeadline_days = 7", "wait").steps == ()


DAYS = tuple(Step(n, StepUnit.DAYS) for n in (3, 5, 7))
MINUTES = tuple(Step(n, StepUnit.MINUTES) for n in (1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377))


@pytest.mark.parametrize(
    ("steps", "calendar", "least"),
    [
        (BUSINESS_LADDER, None, 15),  # ten business days hold two weekends; the failure may come before 09:00
        (BUSINESS_LADDER[:1], None, 4),  # Friday to Monday
        (BUSINESS_LADDER[:1], "dates:2026-12-25,2026-12-28", 6),  # from Thursday 24 to Tuesday 29 December
        (BUSINESS_LADDER, "GB-ENG", 20),
        (DAYS, None, 16),
        (DAYS, "GB-ENG", 16),  # holidays move business days alone
        (MINUTES, None, 1),  # the last one 986 minutes after the failure
        ((Step(23, StepUnit.HOURS),), None, 2),  # the night the clocks go forward has 23 hours
        ((*MINUTES[:1], Step(1, StepUnit.BUSINESS_DAYS)), None, 5),
        ((), None, 1),
    ],
)
def test_the_deadline_is_behind_the_last_attempt_whenever_the_failure_was(
    steps: tuple[Step, ...], calendar: str | None, least: int
) -> None:
    assert deadline_days_min(steps, calendar) == least


def test_the_ladder_of_a_reason_must_fit_before_the_deadline_too() -> None:
    longer = (
        "reasons.insufficient_funds = {steps_max = 2, steps = [{after = 9, unit = 'days'}, {after = 9, unit = 'days'}]}"
    )
    message = refused(f"deadline_days = 15\n{longer}")
    assert "`reasons.insufficient_funds.steps`: write deadline_days = 19 or more" in message
    shorter = longer.replace("steps_max = 2", "steps_max = 1")
    assert policy_from_toml(f"deadline_days = 15\n{shorter}", "mine").deadline_days == 15
