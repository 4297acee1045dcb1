"""How often a card may still be tried: counted per card key, across invoices, whoever began the attempt.

These are the policy's own ceilings; the networks' dated rules join them as data. A send counts unless it is known never to have reached the network.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from dunr.core.model import Method, Send
from dunr.core.policy import Policy
from dunr.core.terms import Outcome, Trigger

DAY = timedelta(hours=24)
MONTH = timedelta(days=30)
SENDS_KEPT_MAX = 40
NEVER_SENT = frozenset({Outcome.WITHDRAWN, Outcome.REFUSED})


def _within(sends: Iterable[Send], window: timedelta, now: datetime) -> list[Send]:
    """The sends of a rolling window that reached, or may have reached, the network."""
    reached = (send for send in sends if send.at > now - window and send.outcome not in NEVER_SENT)
    return sorted(reached, key=lambda send: send.at)


def deferred_until(method: Method | None, policy: Policy, now: datetime) -> tuple[datetime, str] | None:
    """When the card has room again and which ceiling says so, or None where it has room now."""
    if method is None:
        return None
    found = None
    for window, most in ((DAY, policy.card_attempts_24h_max), (MONTH, policy.card_attempts_30d_max)):
        sends = _within(method.sends, window, now)
        if len(sends) >= most:
            frees_at = sends[len(sends) - most].at + window
            if found is None or frees_at > found[0]:
                found = (
                    frees_at,
                    f"the card has had {len(sends)} attempts in {int(window.total_seconds()) // 3600} h, at most {most} are allowed",
                )
    return found


def customer_has_room(method: Method | None, policy: Policy, now: datetime) -> bool:
    """Whether the customer may try this card once more today."""
    if method is None:
        return True
    clicks = [send for send in _within(method.sends, DAY, now) if send.trigger is Trigger.CUSTOMER]
    return len(clicks) < policy.customer_attempts_max
