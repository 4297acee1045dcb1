"""A case under a policy with windows, paydays and strategies by reason: what moves its dates, and what does not."""

from dunr.core.policy import Policy, ReasonRule, Strategy, Window
from dunr.core.strategies import LADDERS
from dunr.core.terms import DeclineReason as R
from tests.core.world import story

OFFICE = Window(from_hour=9, until_hour=18, weekdays_only=True)
DAYS = Policy(name="days", strategy=Strategy.STANDARD, steps=LADDERS[Strategy.STANDARD], window=OFFICE)
BY_REASON = Policy(
    name="by_reason",
    reasons=(
        (R.INSUFFICIENT_FUNDS, ReasonRule(4, Strategy.FUNDS_AWARE)),
        (R.ISSUER_UNAVAILABLE, ReasonRule(3, Strategy.SHORT_BACKOFF)),
        (R.DO_NOT_HONOR, ReasonRule(2, Strategy.STANDARD)),
        (R.VELOCITY_LIMIT, ReasonRule(3, Strategy.STANDARD)),
        (R.UNKNOWN, ReasonRule(1, Strategy.STANDARD)),
    ),
    window=OFFICE,
)


def test_steps_land_in_the_payer_s_day() -> None:
    story(
        """
    2026-06-23 09:00  payer lives in DE
    2026-06-23 19:00  first charge fails: do_not_honor, 4900 usd
                      steps 1 2026-06-25 07:00, 2 2026-06-29 07:00, 3 2026-07-06 07:00
                      because Wed 24 Jun 2026, 21:00 Europe/Berlin is outside 09:00 to 18:00
                      because the time zone of DE, since the payer's own is not known
    """,
        DAYS,
    )


def test_a_time_zone_that_changes_moves_what_is_to_come_and_doubles_nothing() -> None:
    story(
        """
    2026-06-23 09:00  payer lives in DE at Europe/Berlin
    2026-06-23 10:00  first charge fails: do_not_honor, 4900 usd
                      steps 1 2026-06-24 10:00, 2 2026-06-29 07:00, 3 2026-07-06 07:00; notice first
    2026-06-24 09:00  payer lives in US at America/Los_Angeles
    2026-06-24 10:00  nothing happens
                      attempts 0; steps 1 2026-06-24 16:00, 2 2026-06-29 16:00, 3 2026-07-06 16:00; no notice
    2026-06-24 16:00  step 1 sent; declined do_not_honor
                      attempts 1; steps 2 2026-06-29 16:00, 3 2026-07-06 16:00; notice reminder
    2026-06-29 12:00  payer lives in JP at Asia/Tokyo
    2026-06-29 16:00  nothing happens
                      attempts 1; steps 2 2026-06-30 00:00, 3 2026-07-06 00:00; no notice
    2026-06-30 00:00  step 2 sent; paid
                      attempts 2; notice receipt
    """,
        DAYS,
    )


def test_a_time_zone_that_changes_within_the_window_changes_nothing() -> None:
    story(
        """
    2026-06-23 09:00  payer lives in DE at Europe/Berlin
    2026-06-23 10:00  first charge fails: do_not_honor, 4900 usd
                      steps 1 2026-06-24 10:00, 2 2026-06-29 07:00, 3 2026-07-06 07:00; notice first
    2026-06-24 09:00  payer lives in GB at Europe/London
    2026-06-24 10:00  step 1 sent; paid
                      attempts 1; notice receipt
    """,
        DAYS,
    )


def test_a_policy_moved_to_another_time_zone_moves_what_is_to_come_and_brings_nothing_told_forward() -> None:
    story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first; next 2026-06-24 09:00
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      notice reminder; steps 2 2026-06-29 09:00, 3 2026-07-02 09:00, 4 2026-07-07 09:00
    2026-06-25 09:00  operator moves the policy to timezone=Australia/Sydney
                      steps 2 2026-06-29 23:00, 3 2026-07-02 23:00, 4 2026-07-07 23:00; attempts 1; no notice
    2026-06-29 23:00  step 2 sent; declined insufficient_funds
                      attempts 2; notice reminder
    """)


def test_c60_a_postponement_that_lands_on_a_saturday_is_snapped_like_any_other_date() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: do_not_honor, 4900 usd
                      steps 1 2026-06-24 10:00, 2 2026-06-29 09:00, 3 2026-07-06 09:00; notice first
    2026-06-24 09:00  operator postpones to 2026-06-27 12:00
                      answered 202; steps 1 2026-06-29 09:00, 2 2026-07-02 09:00, 3 2026-07-07 09:00; notice first
                      because Sat 27 Jun 2026, 12:00 UTC is on a weekend
    2026-06-29 09:00  step 1 sent; declined do_not_honor
                      attempts 1; notice reminder
    """,
        DAYS,
    )


def test_a_promise_for_a_sunday_is_kept_on_monday() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: do_not_honor, 4900 usd
                      notice first
    2026-06-24 09:00  payer promises for 2026-06-28 12:00
                      answered 202; next 2026-06-29 09:00; notice first
    """,
        DAYS,
    )


def test_a_missed_step_waits_for_the_window() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: do_not_honor, 4900 usd
                      notice first
    2026-06-24 09:00  operator holds until 2026-06-26 20:00
    2026-06-26 20:00  nothing happens
                      attempts 0; steps 1 2026-06-29 09:00, 2 2026-07-02 09:00, 3 2026-07-07 09:00; no notice
    2026-06-29 09:00  step 1 sent; paid
                      attempts 1; notices first, receipt
    """,
        DAYS,
    )


# --- what the bank asks for -----------------------------------------------------------------------------------------------


def test_a_stated_wait_is_a_floor_of_the_plan() -> None:
    story(
        """
    2026-06-22 09:00  the card is mastercard
    2026-06-22 09:01  payer lives in nowhere
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      steps 1 2026-06-26 10:00, 2 2026-07-01 10:00, 3 2026-07-08 10:00, 4 2026-07-15 10:00; notice first
    2026-06-26 10:00  step 1 sent; declined insufficient_funds, advice 30
                      steps 2 2026-07-06 10:00, 3 2026-07-13 10:00, 4 2026-07-20 10:00; notice reminder
                      because the bank or its network asks to wait until Mon 6 Jul 2026, 10:00 UTC
    """,
        BY_REASON,
    )


def test_a_wait_stated_to_a_click_binds_the_plan_and_moves_nothing_else() -> None:
    story(
        """
    2026-06-22 09:00  the card is mastercard
    2026-06-23 10:00  first charge fails: do_not_honor, 4900 usd
                      steps 1 2026-06-24 10:00, 2 2026-06-29 09:00; notice first
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent; declined insufficient_funds, advice 26
                      steps used 0; steps 1 2026-06-25 11:00, 2 2026-06-29 09:00; no notice; answered 202
    2026-06-25 11:00  step 1 sent; paid
                      notice receipt
    """,
        BY_REASON,
    )


def test_a_wait_binds_the_card_that_it_was_stated_for_only() -> None:
    world = story(
        """
    2026-06-22 09:00  the card is mastercard
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-26 10:00  step 1 sent; declined insufficient_funds, advice 30
                      next 2026-07-06 10:00; notice reminder
    2026-06-27 10:00  new card card_2
                      call left
    2026-06-27 10:00  declined insufficient_funds
                      next 2026-07-06 10:00; no notice; state scheduled
    """,
        BY_REASON,
    )
    case = world.case("in_1")
    assert case is not None
    assert case.issuer_wait_until_at is None


def test_a_limit_that_was_reached_gets_a_day_to_reset() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: withdrawal_count_limit_exceeded, 4900 usd
                      steps 1 2026-06-24 10:00, 2 2026-06-29 09:00, 3 2026-07-06 09:00; no notice
    """,
        BY_REASON,
    )
    story(
        """
    2026-06-23 10:00  first charge fails: withdrawal_count_limit_exceeded, 4900 usd
                      no notice
    2026-06-23 16:00  payer clicks pay now; attempt 1 sent; declined withdrawal_count_limit_exceeded
                      next 2026-06-24 10:00; answered 202
    2026-06-24 09:00  operator postpones to 2026-06-24 12:00
                      next 2026-06-24 16:00; because limits reset after a day at the earliest; answered 202
    """,
        BY_REASON,
    )


def test_the_longer_of_a_limit_s_day_and_a_stated_wait_binds() -> None:
    story(
        """
    2026-06-22 09:00  the card is mastercard
    2026-06-23 10:00  first charge fails: withdrawal_count_limit_exceeded, 4900 usd
                      next 2026-06-24 10:00; no notice
    2026-06-23 11:00  payer clicks pay now; attempt 1 sent; declined insufficient_funds, advice 27
                      next 2026-06-29 09:00; answered 202
    """,  # four days from then is Saturday
        BY_REASON,
    )
