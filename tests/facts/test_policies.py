"""Policies: the one that ships, a merchant's own, and what is refused when the file is read."""

import re
from pathlib import Path

import pytest

from dunr.core.policy import BUSINESS_LADDER, Policy, ReasonRule, Step, Strategy, policy_hash
from dunr.core.segments import Segment, only
from dunr.core.terms import DeclineKind, DeclineReason, FinalAction, Rail, RestoreOn, StepUnit
from dunr.errors import SettingsError
from dunr.facts.ladders import deadline_days_min
from dunr.facts.policies import (
    FILE_BYTES_MAX,
    SHIPPED,
    policies_from_toml,
    policy_from_toml,
    policy_named,
    shipped,
    shipped_text,
)
from dunr.facts.policy_reading import EXAMPLES
from dunr.facts.policy_rules import problems_of
from dunr.facts.tables import shipped_reasons

DOCUMENT = Path(__file__).parents[2] / "docs" / "policies.md"
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


def test_unconfigured_means_business_days() -> None:
    assert shipped("business_days") == Policy()
    assert shipped("business_days").steps == BUSINESS_LADDER
    assert problems_of(shipped("business_days")) == []
    assert policy_from_toml("", "business_days") == Policy()


def test_a_policy_that_does_not_ship_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="fibonaci") as caught:
        shipped("fibonaci")
    assert 'write "fibonacci", or the path of a file that ends in .toml' in str(caught.value)


@pytest.mark.parametrize("name", SHIPPED)
def test_what_ships_keeps_to_the_rules_and_is_named_after_its_file(name: str) -> None:
    read = policies_from_toml(shipped_text(name), f"{name}.toml", "other")
    assert read.policies == only(shipped(name))
    assert shipped(name).name == name
    assert [one.text.split("(")[-1].split(")")[0] for one in read.warnings] == (
        ["mastercard-10-in-24-hours"] if name == "fibonacci" else []
    )


def test_the_file_of_the_unconfigured_policy_writes_every_setting_out() -> None:
    text = shipped_text("business_days")
    assert all(
        f"\n{key} = " in text or f"\n# {key} = " in text or f"\n# {key}." in text
        for key in set(EXAMPLES) - {"based_on"}
    )


def test_by_reason_has_a_row_for_every_reason_and_the_rows_of_the_specification() -> None:
    rows = dict(shipped("by_reason").reasons)
    assert set(rows) == set(DeclineReason)
    assert rows[DeclineReason.INSUFFICIENT_FUNDS] == ReasonRule(4, Strategy.FUNDS_AWARE)
    assert rows[DeclineReason.ISSUER_UNAVAILABLE] == ReasonRule(3, Strategy.SHORT_BACKOFF)
    assert rows[DeclineReason.DO_NOT_HONOR] == ReasonRule(2, Strategy.STANDARD)
    assert rows[DeclineReason.EXPIRED_CARD] == ReasonRule(1, Strategy.REQUIRE_UPDATER)
    assert rows[DeclineReason.LOST_OR_STOLEN].steps_max == rows[DeclineReason.INVALID_ACCOUNT].steps_max == 0
    assert rows[DeclineReason.UNKNOWN] == ReasonRule(1, Strategy.STANDARD)
    for reason, facts in shipped_reasons().items():
        assert facts.kind is not DeclineKind.HARD or rows[reason].steps_max == 0, reason


def test_the_fibonacci_policy_makes_fourteen_retries() -> None:
    policy = shipped("fibonacci")
    assert [step.after for step in policy.steps] == [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377]
    assert policy.final_action is FinalAction.NONE


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
    assert set(EXAMPLES) == {*Policy.__struct_fields__, "based_on"}
    for key, example in EXAMPLES.items():
        assert policy_from_toml(example, "mine") is not None, key


def test_a_strategy_brings_its_ladder() -> None:
    assert policy_from_toml("strategy = 'funds_aware'", "mine").steps == tuple(
        Step(n, StepUnit.DAYS) for n in (3, 5, 7, 7)
    )
    assert policy_from_toml("strategy = 'none'\ndeadline_days = 7", "mine").steps == ()


def test_a_policy_can_be_based_on_one_that_ships_row_by_row() -> None:
    text = "based_on = 'by_reason'\ntimezone = 'Europe/London'\nreasons.do_not_honor = {steps_max = 1, strategy = 'standard'}"
    policy, base = policy_from_toml(text, "mine"), shipped("by_reason")
    assert (policy.name, policy.timezone, policy.window) == ("mine", "Europe/London", base.window)
    assert {reason for reason, rule in policy.reasons if rule != base.rule(reason)} == {DeclineReason.DO_NOT_HONOR}


SEVERAL = """
default = "mine"

[policies.mine]
timezone = "Europe/Paris"

[policies.large]
based_on = "gentle"
deadline_days = 45

[[segments]]
name = "debits"
policy = "direct_debit"
rails = ["sepa", "bacs"]

[[segments]]
name = "large"
policy = "large"
products = ["prod_1", "prod_2"]
currencies = ["EUR"]
countries = ["de"]
processors = ["stripe"]
tags = ["vip"]
amount_min_minor = 1000
amount_max_minor = 2000
"""


def test_a_file_can_hold_several_policies_and_choose_among_them() -> None:
    read = policies_from_toml(SEVERAL, "several.toml", "several")
    assert [policy.name for policy in read.policies.policies] == ["direct_debit", "large", "mine"]
    assert read.policies.default == "mine"
    assert read.policies.segments[0] == Segment("debits", "direct_debit", rails=(Rail.SEPA, Rail.BACS))
    assert read.policies.segments[1] == Segment(
        name="large",
        policy="large",
        products=("prod_1", "prod_2"),
        currencies=("eur",),
        countries=("DE",),
        processors=("stripe",),
        tags=("vip",),
        amount_min_minor=1000,
        amount_max_minor=2000,
    )
    assert read.warnings == ()


@pytest.mark.parametrize("example", re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(), re.DOTALL))
def test_the_files_in_the_documents_can_be_used(example: str) -> None:
    assert policies_from_toml(example, "example.toml", "example").warnings == ()


def test_one_policy_of_several_is_named_behind_the_file(tmp_path: Path) -> None:
    file = tmp_path / "several.toml"
    file.write_text(SEVERAL)
    assert policy_named(f"{file}#large").deadline_days == 45
    assert policy_named(str(file)).name == "mine"
    with pytest.raises(SettingsError, match="has no policy 'larger'"):
        policy_named(f"{file}#larger")


def test_a_file_is_read_up_to_a_length(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text("#" * (FILE_BYTES_MAX + 1))
    with pytest.raises(SettingsError, match="longer than"):
        policy_named(str(file))


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
    with pytest.raises(SettingsError, match="write deadline_days = 19 or more"):
        policy_from_toml(f"deadline_days = 15\n{longer}", "mine")
    shorter = longer.replace("steps_max = 2", "steps_max = 1")
    assert policy_from_toml(f"deadline_days = 15\n{shorter}", "mine").deadline_days == 15
