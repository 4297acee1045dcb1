"""How long an attempt that nobody knows about is left alone, between look-ups and between calls of the same request.

Both grow, so that a processor in trouble is not asked without end, and a request that kills whoever sends it does not keep its card from the others.
"""

from datetime import timedelta

LOOK_UP_GAPS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
LOOK_UP_GAP_MAX = timedelta(hours=6)
CALLS_AT_ONCE = 3  # so many calls leave as soon as a look-up finds nothing


def look_up_gap(look_up_count: int) -> timedelta:
    """How long to wait before the next look-up: 1, 5, 15 minutes, then doubling up to 6 hours."""
    if look_up_count < len(LOOK_UP_GAPS):
        return LOOK_UP_GAPS[look_up_count]
    doublings = min(look_up_count - len(LOOK_UP_GAPS) + 1, 10)
    doubled: timedelta = LOOK_UP_GAPS[-1] * int(2**doublings)
    return min(doubled, LOOK_UP_GAP_MAX)


def resend_gap(call_count: int) -> timedelta:
    """How long the card is left to others before the same request goes out again: not at all after the first calls, then as long as between look-ups."""
    return timedelta() if call_count < CALLS_AT_ONCE else look_up_gap(call_count - CALLS_AT_ONCE)
