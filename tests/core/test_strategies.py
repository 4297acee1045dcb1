"""What each strategy makes of a failed charge. Every date here was worked out by hand, on a calendar of 2026."""

from datetime import timedelta

import pytest

from dunr.core.policy import Policy, ReasonRule, Step, Strategy, Window
from dunr.core.strategies import LADDERS, MEANT, ladder_for, rungs, strategy_for
from dunr.core.terms import DeclineReason as R
from dunr.core.terms import StepUnit
from tests.core.plans import FUNDS, OFFICE, by, dates, laid
from tests.core.world import facts, utc

TUESDAY = "2026-06-23 10:00"
BERLIN, LONDON, NEW_YORK = "Europe/Berlin", "Europe/London", "America/New_York"


def test_business_days_come_at_nine_where_the_merchant_is() -> None:
    plan = laid(by(Strategy.BUSINESS_DAYS, 4), TUESDAY)
    assert dates(plan) == ["2026-06-24 09:00", "2026-06-29 09:00", "2026-07-02 09:00", "2026-07-07 09:00"]


def test_standard_is_one_three_and_five_days() -> None:
    assert dates(laid(by(Strategy.STANDARD, 3), TUESDAY)) == [
        "2026-06-24 10:00",
        "2026-06-27 10:00",
        "2026-07-02 10:00",
    ]


def test_a_longer_maximum_repeats_the_last_gap() -> None:
    plan = laid(by(Strategy.STANDARD, 5), TUESDAY)
    assert dates(plan)[3:] == ["2026-07-07 10:00", "2026-07-12 10:00"]


def test_short_backoff_waits_28_8_minutes_exactly() -> None:
    plan = laid(by(Strategy.SHORT_BACKOFF, 3), TUESDAY)
    assert dates(plan) == ["2026-06-23 10:28:48", "2026-06-23 22:28:48", "2026-06-25 22:28:48"]
    assert plan.steps[0].why == ("28.8 minutes after Tue 23 Jun 2026, 10:00 UTC",)


def test_a_window_binds_only_the_last_step_of_a_short_backoff() -> None:
    thursday_night = "2026-06-25 22:00"
    plan = laid(by(Strategy.SHORT_BACKOFF, 3, window=OFFICE), thursday_night, LONDON)
    # 22:28 on Thursday and 10:28 on Friday stand; two days later is Sunday, so Monday at nine in London, which is eight in UTC.
    assert dates(plan) == ["2026-06-25 22:28:48", "2026-06-26 10:28:48", "2026-06-29 08:00"]


FIBONACCI = [1, 2, 4, 7, 12, 20, 33, 54, 88, 143, 232, 376, 609, 986]


def test_fibonacci_is_fourteen_retries_within_a_day() -> None:
    policy = Policy(strategy=Strategy.FIBONACCI, steps=LADDERS[Strategy.FIBONACCI], attempts_max=20)
    plan = laid(policy, TUESDAY)
    assert [(step.at - utc(TUESDAY)) / timedelta(minutes=1) for step in plan.steps] == FIBONACCI
    assert [step.number for step in plan.steps] == list(range(1, 15))


def test_no_window_moves_a_step_in_minutes() -> None:
    ladder = LADDERS[Strategy.FIBONACCI]
    policy = Policy(strategy=Strategy.FIBONACCI, steps=ladder, attempts_max=20, window=OFFICE)
    saturday = "2026-06-27 03:00"
    assert [(step.at - utc(saturday)) / timedelta(minutes=1) for step in laid(policy, saturday).steps] == FIBONACCI


# --- paydays --------------------------------------------------------------------------------------------------------------

FUNDS_AWARE = by(Strategy.FUNDS_AWARE, 4)


@pytest.mark.parametrize(
    ("failed", "zone", "country", "expected"),
    [
        # Nobody knows the country: three, five, seven and seven days.
        (TUESDAY, "UTC", None, ["2026-06-26 10:00", "2026-07-01 10:00", "2026-07-08 10:00", "2026-07-15 10:00"]),
        # A country without paydays in the tables.
        (TUESDAY, "UTC", "IS", ["2026-06-26 10:00", "2026-07-01 10:00", "2026-07-08 10:00", "2026-07-15 10:00"]),
        # Friday 26 June is a payday (the 27th is a Saturday), and its morning is over; nothing is paid in the first half of July.
        (TUESDAY, LONDON, "GB", ["2026-06-26 10:00", "2026-07-01 10:00", "2026-07-08 10:00", "2026-07-15 10:00"]),
        # Monday 22 June: Thursday is the 25th, at nine in London. Five days later is Tuesday 30 June, the last working day, at nine.
        (
            "2026-06-19 10:00",
            LONDON,
            "GB",
            ["2026-06-25 08:00", "2026-06-30 08:00", "2026-07-07 08:00", "2026-07-14 08:00"],
        ),
        # Friday at nine in New York; Wednesday 1 July; Wednesday 8 July waits for Friday; the next Friday.
        (
            TUESDAY,
            NEW_YORK,
            "US",
            ["2026-06-26 13:00", "2026-07-01 13:00", "2026-07-10 13:00", "2026-07-17 13:00"],
        ),
        # Friday 3 July is a holiday in 2026, so wages come on Thursday.
        (
            "2026-06-29 12:00",
            NEW_YORK,
            "US",
            ["2026-07-02 13:00", "2026-07-10 13:00", "2026-07-17 13:00", "2026-07-24 13:00"],
        ),
        # The fifth business day of July: 1, 2, 3, Saturday 4 counts, Monday 6. Then the 20th, a Monday.
        (
            "2026-06-30 15:00",
            "America/Sao_Paulo",
            "BR",
            ["2026-07-06 12:00", "2026-07-11 12:00", "2026-07-20 12:00", "2026-07-27 12:00"],
        ),
        # The 25th in Tokyo at nine is midnight in UTC; Tuesday 30 June is the last day.
        (
            "2026-06-21 00:00",
            "Asia/Tokyo",
            "JP",
            ["2026-06-25 00:00", "2026-06-30 00:00", "2026-07-10 00:00", "2026-07-17 00:00"],
        ),
    ],
)
def test_funds_aware_waits_for_the_next_payday(
    failed: str, zone: str, country: str | None, expected: list[str]
) -> None:
    assert dates(laid(FUNDS_AWARE, failed, zone, country)) == expected


def test_a_payday_says_so_and_so_does_its_absence() -> None:
    assert laid(FUNDS_AWARE, "2026-06-19 10:00", LONDON, "GB").steps[0].why == (
        "3 days after Fri 19 Jun 2026, 10:00 UTC",
        "moved on to Thu 25 Jun 2026, 09:00 Europe/London, the next payday in GB",
    )
    assert laid(FUNDS_AWARE, TUESDAY).steps[0].why[-1] == "no payday to aim at: the payer's country is not known"
    assert laid(FUNDS_AWARE, TUESDAY, country="IS").steps[0].why[-1] == "no payday to aim at: IS has none in the tables"


def test_a_payday_is_aimed_at_in_the_hours_of_the_window() -> None:
    late = by(Strategy.FUNDS_AWARE, 1, window=Window(from_hour=11, until_hour=16))
    assert dates(laid(late, "2026-06-19 10:00", LONDON, "GB")) == ["2026-06-25 10:00"]  # eleven in London
    early = by(Strategy.FUNDS_AWARE, 1, window=Window(from_hour=6, until_hour=12))
    assert dates(laid(early, "2026-06-19 10:00", LONDON, "GB")) == ["2026-06-25 08:00"]  # nine


def test_a_bank_that_asks_to_wait_is_waited_for_before_any_payday() -> None:
    plan = laid(FUNDS_AWARE, "2026-06-19 10:00", LONDON, "GB", wait_until="2026-06-25 12:00")
    assert dates(plan)[0] == "2026-06-25 12:00"  # that day is a payday, and its morning is over
    plan = laid(FUNDS_AWARE, "2026-06-19 10:00", LONDON, "GB", wait_until="2026-06-27 12:00")
    # Saturday; the next payday within four days is Tuesday 30 June, the last working day.
    assert dates(plan)[0] == "2026-06-30 08:00"
    assert plan.steps[0].why[1:] == (
        "not before Sat 27 Jun 2026, 12:00 UTC: the bank or its network asked to wait until then",
        "moved on to Tue 30 Jun 2026, 09:00 Europe/London, the next payday in GB",
    )


# --- what the network says ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failed", "wait_until", "window", "expected"),
    [
        (TUESDAY, "2026-06-23 11:00", None, ["2026-06-23 11:00", "2026-06-26 11:00", "2026-07-01 11:00"]),
        (TUESDAY, "2026-06-26 10:00", None, ["2026-06-26 10:00", "2026-06-29 10:00", "2026-07-04 10:00"]),
        # An hour is an hour, also at night; four days end on a Saturday, so on Monday at nine.
        ("2026-06-23 22:00", "2026-06-23 23:00", OFFICE, ["2026-06-23 23:00", "2026-06-29 09:00", "2026-07-06 09:00"]),
        (TUESDAY, "2026-06-27 10:00", OFFICE, ["2026-06-29 09:00", "2026-07-02 09:00", "2026-07-07 09:00"]),
        # Nothing was advised: one, three and five days.
        (TUESDAY, None, None, ["2026-06-24 10:00", "2026-06-27 10:00", "2026-07-02 10:00"]),
    ],
)
def test_network_advised_takes_the_wait_as_the_time(
    failed: str, wait_until: str | None, window: Window | None, expected: list[str]
) -> None:
    plan = laid(by(Strategy.NETWORK_ADVISED, 3, window=window), failed, wait_until=wait_until)
    assert dates(plan) == expected


def test_any_strategy_keeps_to_a_stated_wait() -> None:
    for strategy in (Strategy.STANDARD, Strategy.SHORT_BACKOFF, Strategy.BUSINESS_DAYS):
        plan = laid(by(strategy, 2), TUESDAY, wait_until="2026-06-26 10:00")
        assert plan.steps[0].at >= utc("2026-06-26 10:00"), strategy


def test_fibonacci_ends_with_its_day_even_where_the_bank_asks_to_wait_longer() -> None:
    plan = laid(by(Strategy.FIBONACCI, 14), TUESDAY, wait_until="2026-06-24 09:30")
    # One, one, two, three, five and eight minutes from 09:30, as far as ten o'clock.
    assert dates(plan) == [f"2026-06-24 09:{minute}" for minute in (30, 31, 33, 36, 41, 49)]
    assert plan.undated[-1].startswith("no date: the day after the first failure is over")
    assert laid(by(Strategy.FIBONACCI, 14), TUESDAY, wait_until="2026-06-26 10:00").steps == ()


# --- which strategy a reason gets -----------------------------------------------------------------------------------------


def test_a_reason_has_its_own_strategy_its_own_steps_or_the_policy_s() -> None:
    own = (Step(2, StepUnit.DAYS),)
    policy = Policy(
        reasons=(
            (R.DO_NOT_HONOR, ReasonRule(2)),
            (R.GENERIC_DECLINE, ReasonRule(1, steps=own)),
            (R.ISSUER_UNAVAILABLE, ReasonRule(2, Strategy.SHORT_BACKOFF)),
            (R.PROCESSING_ERROR, ReasonRule(1, Strategy.FUNDS_AWARE, own)),
            (R.VELOCITY_LIMIT, ReasonRule(3, Strategy.CUSTOM)),
            (R.EXPIRED_CARD, ReasonRule(2, Strategy.NONE)),
        )
    )
    found = {reason: (strategy_for(policy, reason), ladder_for(policy, reason)) for reason, _ in policy.reasons}
    assert found == {
        R.DO_NOT_HONOR: (Strategy.BUSINESS_DAYS, policy.steps),
        R.GENERIC_DECLINE: (Strategy.CUSTOM, own),
        R.ISSUER_UNAVAILABLE: (Strategy.SHORT_BACKOFF, LADDERS[Strategy.SHORT_BACKOFF][:2]),
        R.PROCESSING_ERROR: (Strategy.FUNDS_AWARE, own),
        R.VELOCITY_LIMIT: (Strategy.CUSTOM, policy.steps),
        R.EXPIRED_CARD: (Strategy.NONE, ()),
    }
    assert (strategy_for(policy, FUNDS), ladder_for(policy, FUNDS)) == (Strategy.BUSINESS_DAYS, policy.steps)
    assert rungs(policy, facts(), R.EXPIRED_CARD, 0, 0, 0) == ()


def test_a_new_reason_begins_its_own_ladder_and_an_old_one_goes_on_with_its_own() -> None:
    policy = Policy(
        reasons=(
            (FUNDS, ReasonRule(4, Strategy.FUNDS_AWARE)),
            (R.ISSUER_UNAVAILABLE, ReasonRule(3, Strategy.SHORT_BACKOFF)),
        )
    )
    after_two_for_funds = rungs(policy, facts(), R.ISSUER_UNAVAILABLE, 2, 0, 2)
    assert [(rung.number, rung.step) for rung in after_two_for_funds] == [
        (3, Step(1728, StepUnit.SECONDS)),
        (4, Step(12, StepUnit.HOURS)),
        (5, Step(2, StepUnit.DAYS)),
    ]
    back_to_funds = rungs(policy, facts(), FUNDS, 3, 2, 3)
    assert [(rung.number, rung.step.after) for rung in back_to_funds] == [(4, 7), (5, 7)]


def test_every_name_in_the_table_of_reasons_is_a_strategy() -> None:
    suggested = {
        *("none", "funds_aware", "limit_reset", "short_backoff", "standard", "updater_then_retry", "customer_action"),
        *("new_method", "new_mandate", "stop_and_review", "reconcile", "alert_operator", "minutes_backoff"),
    }
    assert suggested <= set(MEANT)
    assert MEANT["limit_reset"] is Strategy.STANDARD


def test_a_limit_is_given_a_day_to_reset_however_near_the_window_is() -> None:
    nearest = Window(from_hour=9, until_hour=12, nearest=True)
    limited = by(Strategy.STANDARD, 2, reason=R.VELOCITY_LIMIT, window=nearest)
    plan = laid(limited, "2026-06-23 13:00", reason=R.VELOCITY_LIMIT)
    # Wednesday 13:00 is an hour after the window, but that is less than a day after the decline.
    assert dates(plan) == ["2026-06-25 09:00", "2026-06-28 09:00"]
    other = by(Strategy.STANDARD, 2, reason=R.DO_NOT_HONOR, window=nearest)
    assert dates(laid(other, "2026-06-23 13:00", reason=R.DO_NOT_HONOR))[0] == "2026-06-24 11:59"
