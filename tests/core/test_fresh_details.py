"""C30 and its neighbours: an expired card is not charged again before its processor was asked for the newer one; a hit is one attempt, a miss asks the customer."""

from dunr.core.policy import Window
from dunr.core.value import replace
from dunr.facts.load import load_facts
from dunr.testing.scenario import play
from tests.core.world import FRESH, story

EXPIRED = """
    2026-06-23 10:00  first charge fails: expired_card, 4900 usd
                      refresh asked; state awaiting_customer; next none; no notice; refreshes pending
                      because fresher details of the payment method are asked for
"""


def test_a_hit_is_followed_by_one_attempt_at_the_next_allowed_time_and_it_is_a_step() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:00  updater finds card_1b expiring 2031-01
                      call left; sent by updater on card_1b; refreshes hit; no notice
    2026-06-23 10:00  paid
                      state recovered; steps used 1; notice receipt; access granted
    """,
        FRESH,
    )


def test_the_attempt_after_a_hit_keeps_to_the_window_where_the_payer_lives() -> None:
    story(
        """
    2026-06-22 09:00  payer lives in JP
    2026-06-26 10:00  first charge fails: expired_card, 4900 usd
                      refresh asked
    2026-06-26 10:00  updater finds card_1b expiring 2031-01
                      state scheduled; next 2026-06-29 00:00; notice first
                      because Fri 26 Jun 2026, 19:00 Asia/Tokyo is outside 09:00 to 18:00
    2026-06-29 00:00  step 1 sent; paid
                      sent by updater on card_1b; state recovered; notice receipt
    """,
        replace(FRESH, window=Window(9, 18, weekdays_only=True)),
    )


def test_a_miss_asks_the_customer_and_the_deadline_runs() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:00  updater misses
                      state awaiting_customer; next none; pause 2026-07-07 09:00; notice method_needed; refreshes miss
                      because the payment method could not be refreshed: the account is closed
    2026-07-07 09:00  nothing happens
                      attempts 0; state exhausted; access paused; notice paused
    """,
        FRESH,
    )


def test_details_that_have_not_changed_are_a_miss() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:00  updater finds nothing new
                      state awaiting_customer; notice method_needed; refreshes miss; because its details are what they were
    """,
        FRESH,
    )


def test_an_updater_that_never_answers_is_a_miss_after_a_day() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 11:00  updater never answers
                      wakes 2026-06-24 10:00
    2026-06-24 10:00  nothing happens
                      state awaiting_customer; notice method_needed; refreshes miss
    """,
        FRESH,
    )


def test_the_unconfigured_policy_asks_no_updater_and_sends_nothing() -> None:
    story("""
    2026-06-23 10:00  first charge fails: expired_card, 4900 usd
                      no refresh; state awaiting_customer; next none; notice method_needed
    """)


def test_a_processor_without_an_updater_means_a_miss_at_once() -> None:
    bare = load_facts()
    bare = replace(bare, processors={"sandbox": replace(bare.processors["sandbox"], capabilities=frozenset())})
    text = """
    2026-06-23 10:00  first charge fails: expired_card, 4900 usd
                      no refresh; state awaiting_customer; notice method_needed
    """
    play(text, bare, FRESH)


def test_a_webhook_that_is_faster_than_the_answer_is_the_same_hit() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:00  updater finds card_1b expiring 2031-01, told by webhook
                      refreshes hit; call left; sent by updater on card_1b; attempts 1
    2026-06-23 10:00  paid
                      state recovered; notice receipt
    """,
        FRESH,
    )


def test_a_refreshed_card_that_is_poor_goes_on_by_the_rules_of_a_poor_card() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:00  updater finds card_1b expiring 2031-01
                      call left
    2026-06-23 10:01  declined insufficient_funds
                      steps used 1; next 2026-06-26 09:00; notice reminder
    2026-06-26 09:00  step 2 sent
                      sent by timer on card_1b
    2026-06-26 09:00  paid
                      notice receipt
    """,
        FRESH,
    )


def test_a_refreshed_card_that_has_expired_again_asks_the_customer() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:00  updater finds card_1b expiring 2031-01
                      call left
    2026-06-23 10:01  declined expired_card
                      no refresh; steps used 1; state awaiting_customer; notice method_needed
    """,
        FRESH,
    )


def test_a_step_that_meets_an_expired_card_asks_the_updater_then() -> None:
    story(
        """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent; declined expired_card
                      refresh asked; steps used 1; next none; state awaiting_customer; no notice
    2026-06-24 09:01  updater finds card_1 expiring 2031-01
                      call left; sent by updater on card_1
    2026-06-24 09:01  paid
                      state recovered; notice receipt
    """,
        FRESH,
    )


def test_a_customer_who_is_faster_than_the_updater_is_not_charged_twice() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:05  new card card_2; new card sent; paid
                      state recovered; notice receipt
    2026-06-23 10:06  updater finds nothing new
                      state recovered; attempts 1; refreshes miss
    """,
        FRESH,
    )
    story(
        EXPIRED
        + """
    2026-06-23 10:05  payer clicks pay now
                      answered 409
    2026-06-23 10:06  new card card_2; new card sent; declined insufficient_funds
                      state scheduled; next 2026-06-24 09:00; notice first
    2026-06-23 10:07  updater misses
                      state scheduled; next 2026-06-24 09:00; refreshes miss
    2026-06-24 09:00  step 1 sent; paid
                      sent by timer on card_2; notice receipt
    """,
        FRESH,
    )


def test_a_hold_that_is_released_waits_for_the_answer_and_asks_nobody_twice() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:01  operator holds
    2026-06-23 10:02  operator releases
                      refresh asked; state awaiting_customer; refreshes pending; because is waited for
    2026-06-23 10:03  operator holds; updater finds card_1b expiring 2031-01
                      state awaiting_customer; next none
    2026-06-23 10:04  operator releases
                      call left; sent by updater on card_1b
    2026-06-23 10:04  paid
                      notice receipt
    """,
        FRESH,
    )


def test_an_answer_that_nobody_waits_for_changes_nothing() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:00  updater misses
                      notice method_needed
    2026-06-23 10:01  nothing happens
    """,
        FRESH,
    )


def test_the_other_invoices_of_a_refreshed_card_are_tried_once_each() -> None:
    story(
        """
    2026-06-22 10:00  in_2: subscription sub_2
    2026-06-22 10:00  in_2: first charge fails: stolen_card, 1000 usd
                      in_2: notice method_needed
    2026-06-23 10:00  in_1: first charge fails: expired_card, 4900 usd
                      refresh asked
    2026-06-23 10:00  in_1: updater finds card_1b expiring 2031-01, told by webhook
                      in_1: refreshes hit; in_2: call left; in_2: sent by method_updated on card_1b; in_1: attempts 0
    2026-06-23 10:00  in_2: paid
                      in_2: notice receipt; in_1: attempts 0
    2026-06-23 10:01  nothing happens
                      in_1: call left; in_1: sent by updater on card_1b
    2026-06-23 10:01  in_1: paid
                      in_1: notice receipt
    """,
        FRESH,
    )


def test_the_attempt_after_a_hit_is_never_skipped_for_being_late() -> None:
    story(
        EXPIRED
        + """
    2026-06-23 10:01  charges are stopped; updater finds card_1b expiring 2031-01
                      state scheduled; attempts 0; no notice
    2026-06-23 14:00  nothing is stopped
    2026-06-23 14:10  nothing happens
                      call left; sent by updater on card_1b
    2026-06-23 14:10  paid
                      notice receipt
    """,
        FRESH,
    )
