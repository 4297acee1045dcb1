"""What is not ours to dun, and what ends a case."""

import pytest

from tests.core.world import story

FIRST = """
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
"""


@pytest.mark.parametrize(
    "scope",
    ["first payment of its subscription", "subscription is incomplete", "collected by mail", "subscription is ended"],
)
def test_c44_what_is_not_ours_to_dun_opens_no_case(scope: str) -> None:
    story(f"""
    2026-06-23 09:00  {scope}
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      no case; no notice; no alert
    """)


def test_no_case_for_a_customer_that_is_gone_or_a_charge_that_never_failed() -> None:
    story("""
    2026-06-23 09:00  somebody looks
                      no case
    2026-06-23 10:00  customer deleted; first charge fails: insufficient_funds, 4900 usd
                      no case
    """)


def test_c38_a_voided_invoice_is_not_brought_back() -> None:
    story(
        FIRST
        + """
    2026-06-24 08:59  voided (unseen)
    2026-06-24 09:00  nothing happens
                      state closed because voided; attempts 0; next none; no notice; access granted; wakes none
    """
    )


def test_c17_and_c39_what_has_ended_stays_ended() -> None:
    story(
        FIRST
        + """
    2026-06-24 08:00  subscription is ended
                      state closed because subscription_ended; access ended; alert debt_left_open; due 4900
    2026-06-24 08:01  subscription is active; the webhook arrives
                      access ended; state closed because subscription_ended
    2026-06-24 09:00  nothing happens
                      attempts 0; no notice
    2026-06-24 10:00  declined elsewhere do_not_honor as ch_late
                      state closed because subscription_ended; no notice; access ended
    """
    )


def test_c39_a_deleted_customer_is_not_charged_or_written_to() -> None:
    story(
        FIRST
        + """
    2026-06-24 08:00  customer deleted
                      state closed because customer_deleted; alert debt_left_open; due 4900
    2026-07-24 08:00  nothing happens
                      attempts 0; no notice
    """
    )


def test_an_end_that_is_seen_on_a_closed_case_still_ends_access() -> None:
    story(
        FIRST
        + """
    2026-06-24 08:00  operator closes
                      state closed because operator; access granted
    2026-06-24 08:01  subscription is ended
                      access ended; state closed because operator
    """
    )


def test_the_processor_retries_by_itself() -> None:
    story(
        FIRST
        + """
    2026-06-23 12:00  processor tries again by itself at 2026-06-25 10:00
    2026-06-24 09:00  nothing happens
                      attempts 0; next 2026-06-25 10:00; alert coexistence; no notice
    """
    )


def test_a_new_key_after_an_adopted_copy() -> None:
    world = story(FIRST)
    world.epoch = 2
    world.run_until(world.now.replace(day=24, hour=9, minute=0))
    assert [sent.key for sent in world.sent] == ["dunr-in_1-a1e2"]


def test_a_card_that_has_had_its_share_is_deferred_visibly() -> None:
    story("""
    policy card_attempts_24h_max=1
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  nothing happens
                      attempts 0; next 2026-06-25 09:00; no notice
    2026-06-25 09:00  step 1 sent; paid
                      notice receipt; steps used 1
    """)
