"""What a subscriber may do: the fold over the open cases of a subscription.

In doubt open. What has ended stays ended. Another subscription is never touched.
"""

from datetime import datetime, timedelta

from dunr.core.model import Subscription
from dunr.core.terms import Access
from dunr.core.value import Value

PAUSED_VALID = timedelta(
    seconds=60
)  # a client may keep a paused verdict this long at most, so that a restore is seen soon
OPEN_VALID = timedelta(hours=24)


def fold(subscription: Subscription) -> tuple[Access, str]:
    """Access over all open cases, and why."""
    if subscription.ended_at is not None:
        return Access.ENDED, "the subscription has ended"
    paused = [share.case_id for share in subscription.cases if share.access is Access.PAUSED]
    if paused and subscription.lent_credential is not None:
        return Access.GRACE, "a new payment method is being charged for the open invoices"
    if paused:
        return Access.PAUSED, f"unpaid: {', '.join(paused)}"
    if any(share.access is Access.GRACE for share in subscription.cases):
        return Access.GRACE, "a failed payment is being recovered"
    return Access.GRANTED, "nothing is owed"


class Verdict(Value):
    """The answer to an entitlement check."""

    access: Access
    reason: str
    version: int
    known: bool
    valid_until: datetime


def verdict(subscription: Subscription | None, now: datetime) -> Verdict:
    """What the application is told. A subscription that was never seen is granted: we only take away what we know to be unpaid."""
    if subscription is None:
        return Verdict(Access.GRANTED, "no failed payment is known", 0, False, now + OPEN_VALID)
    valid = PAUSED_VALID if subscription.access is Access.PAUSED else OPEN_VALID
    return Verdict(subscription.access, subscription.access_why, subscription.access_version, True, now + valid)
