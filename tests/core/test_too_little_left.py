"""A part payment can leave less than the processor charges: the rest is carried over like any amount that is too small."""

from tests.core.world import story

OPEN = """
    2026-06-23 10:00  the least that is charged is 50; first charge fails: insufficient_funds, 60 usd
                      notice first
"""


def test_c57_a_part_paid_by_hand_can_leave_too_little() -> None:
    story(
        OPEN
        + """
    2026-06-23 12:00  paid elsewhere 30 as ch_link
                      state closed because carried_over; due 30; alert amount_too_small; access granted
                      booked opened 60, part_paid 30
    2026-07-23 12:00  nothing happens
                      attempts 0
    """
    )
