"""A case whose declines change their reason, and steps that get no date: which ladder counts, and who is asked."""

from dunr.core.policy import Policy, ReasonRule, Strategy, Window
from dunr.core.strategies import LADDERS
from dunr.core.terms import DeclineReason as R
from dunr.core.value import replace
from tests.core.world import story, utc

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


# --- reasons that change --------------------------------------------------------------------------------------------------


def test_a_case_changes_its_ladder_with_its_reason_and_comes_back_to_where_it_was() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      steps 1 2026-06-26 10:00, 2 2026-07-01 10:00, 3 2026-07-08 10:00, 4 2026-07-15 10:00; notice first
    2026-06-26 10:00  step 1 sent; declined issuer_not_available
                      steps 2 2026-06-26 10:28:48, 3 2026-06-26 22:28:48, 4 2026-06-29 09:00; no notice
    2026-06-26 10:28:48  step 2 sent; declined insufficient_funds
                      steps 3 2026-07-01 10:28:48, 4 2026-07-08 10:28:48, 5 2026-07-15 10:28:48; notice reminder; steps used 2
    2026-07-01 10:28:48  step 3 sent; declined do_not_honor
                      steps 4 2026-07-02 10:28:48, 5 2026-07-06 09:00; notice reminder
    2026-07-02 10:28:48  step 4 sent; declined do_not_honor
                      steps 5 2026-07-06 09:00; notice final_warning
    """,
        BY_REASON,
    )


def test_the_total_over_all_reasons_is_bounded() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-26 10:00  step 1 sent; declined issuer_not_available
                      steps 2 2026-06-26 10:28:48; notice final_warning
    """,
        replace(BY_REASON, attempts_max=2),
    )


# --- no date --------------------------------------------------------------------------------------------------------------


def test_a_window_that_never_opens_asks_the_customer_instead() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: do_not_honor, 4900 usd
                      state awaiting_customer; steps none; notice method_needed
                      because step 1 has no date; because the window never opens
    """,
        replace(DAYS, window=Window(avoid_month_edge_days=16)),
    )


# --- what the card has behind it ------------------------------------------------------------------------------------------


def test_a_plan_reckons_with_its_own_steps_where_a_cap_is_near() -> None:
    tight = replace(BY_REASON, window=None, card_attempts_24h_max=2)
    story(
        """
    2026-06-23 10:00  first charge fails: issuer_not_available, 4900 usd
                      steps 1 2026-06-23 10:28:48, 2 2026-06-24 10:00, 3 2026-06-26 10:00; no notice
                      because the policy allows 2 attempts on one card in 24 hours
    """,
        tight,
    )


def test_fibonacci_steps_that_a_cap_defers_end_with_the_day() -> None:
    ladder = LADDERS[Strategy.FIBONACCI]
    fibonacci = Policy(
        name="fibonacci", strategy=Strategy.FIBONACCI, steps=ladder, attempts_max=20, card_attempts_24h_max=10
    )
    world = story(
        """
    2026-06-23 10:00  first charge fails: issuer_not_available, 4900 usd
                      no notice; because step 11 has no date; because the next billing cycle charges afresh
    """,
        fibonacci,
    )
    case = world.case("in_1")
    assert case is not None
    assert [step.number for step in case.plan.steps] == list(range(1, 11))
    assert case.plan.steps[-1].at == utc("2026-06-24 10:00")  # when the first charge has left the cap's day
