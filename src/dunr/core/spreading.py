"""How many cases that are due at one moment begin one after the other.

A step keeps its date, which is what the customer is told; its attempt begins a while after it, by a share that is always the same for a case. So a hundred thousand
dates at nine o'clock are calls to the processor from nine on, as far as the policy and its window let them be, and no date is brought forward.
"""

from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

from dunr.core.calendar import zone
from dunr.core.policy import Policy


@lru_cache(maxsize=4096)
def share_of(name: str) -> float:
    """A number from 0 up to, and without, 1 that is always the same for a name, and evenly spread over many."""
    return int.from_bytes(blake2b(name.encode(), digest_size=6).digest(), "big") / 2**48


def spread_seconds(case_id: str, policy: Policy, at: datetime, zone_name: str) -> int:
    """How long after its date the attempt of a case begins: less than `spread_minutes`, and before the window closes, or the day is over."""
    has_window = policy.window is not None and policy.snap
    local = at.astimezone(zone(zone_name if has_window else policy.timezone))
    until_hour = policy.window.until_hour if policy.window is not None and has_window else 24
    left_minutes = until_hour * 60 - local.hour * 60 - local.minute
    return int(share_of(case_id) * max(0, min(policy.spread_minutes, left_minutes)) * 60)
