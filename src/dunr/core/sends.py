"""What went out on one card, as the networks count it, and who may send on it now.

Every cap hangs on a card, not on an invoice, and holds whoever began the attempt. So the card's own row remembers its sends: what each asked for and what the
issuer said to it. The row keeps the newest ones; of those that it has to forget it keeps how many there were and how late the last was, and they count in full.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from dunr.core.snapshot import RawDecline
from dunr.core.terms import DeclineReason, Outcome, Rail, Trigger
from dunr.core.value import Value

SENDS_KEPT_MAX = 40
ROLLING_MAX = timedelta(days=30)  # no window that rolls is longer: what was forgotten before it counts no more
NEVER_SENT = frozenset({Outcome.WITHDRAWN, Outcome.REFUSED})
BEGUN_BY_CUSTOMER = frozenset({Trigger.CUSTOMER})
BEGUN_BY_ANYBODY = frozenset({Trigger.PROCESSOR})  # the merchant's renewal, or the customer on a hosted page
BEGUN_BY_MERCHANT = frozenset(Trigger) - BEGUN_BY_CUSTOMER - BEGUN_BY_ANYBODY
FOREIGN = -1  # the attempt number of a charge that nobody here began


class Initiator(StrEnum):
    """Who began an attempt, as the networks see it."""

    MERCHANT = "merchant"
    CUSTOMER = "customer"  # was at the screen


class Lease(Value):
    """Short exclusive use of a card key while an attempt is sent."""

    case_id: str
    attempt_number: int
    holder: str
    fence: int
    expires_at: datetime


class Send(Value):
    """One attempt that reached, or may have reached, the network on this card.

    What is None is not known, and then counts as if it were the same. `code` and `advice` are the network's own, `reason` is what they mean here.
    """

    at: datetime
    trigger: Trigger
    case_id: str
    attempt_number: int  # 0: the first charge of an invoice, with which a transaction begins
    outcome: Outcome | None
    amount_minor: int | None = None
    currency: str | None = None
    credential: str | None = None
    network: str | None = None
    code: str | None = None
    advice: str | None = None
    reason: DeclineReason | None = None
    reached_network: bool = True  # False: the processor itself stopped it, and no network has seen it

    @property
    def counts(self) -> bool:
        """Whether a network may have seen it."""
        return self.reached_network and self.outcome not in NEVER_SENT

    def may_be_by(self, initiator: Initiator) -> bool:
        """Whether it may have been begun by that side: a foreign charge may be either's."""
        if self.trigger in BEGUN_BY_ANYBODY:
            return initiator is Initiator.MERCHANT or self.attempt_number == FOREIGN
        return (self.trigger in BEGUN_BY_CUSTOMER) is (initiator is Initiator.CUSTOMER)


class Forgotten(Value):
    """The sends that a card's row keeps no more: how many, and when the last of them was."""

    count: int
    last_at: datetime


def initiator_of(trigger: Trigger) -> Initiator:
    """Who begins an attempt of ours, as the networks see it: without a customer at the screen it is the merchant."""
    return Initiator.CUSTOMER if trigger in BEGUN_BY_CUSTOMER else Initiator.MERCHANT


def network_code(raw: RawDecline, rail: Rail) -> str | None:
    """The network's own code in a decline. The codes of bank schemes cannot be mistaken for a processor's, so they are found wherever they stand."""
    if raw.network_decline_code is not None or rail is Rail.CARD:
        return raw.network_decline_code
    return raw.decline_code or raw.code


def remembered(
    kept: Iterable[Send], forgotten: Forgotten | None, new: Iterable[Send]
) -> tuple[tuple[Send, ...], Forgotten | None]:
    """The sends that the row keeps, and what it forgets: first what reached nobody, then the oldest."""
    sends = sorted((*kept, *new), key=lambda send: send.at)
    surplus = len(sends) - SENDS_KEPT_MAX
    if surplus <= 0:
        return tuple(sends), forgotten
    unsent = [send for send in sends if not send.counts][:surplus]
    sends = [send for send in sends if send not in unsent]
    surplus -= len(unsent)
    if surplus <= 0:
        return tuple(sends), forgotten
    last_at = sends[surplus - 1].at
    earlier = forgotten.count if forgotten is not None and forgotten.last_at > last_at - ROLLING_MAX else 0
    if forgotten is not None:
        last_at = max(last_at, forgotten.last_at)
    return tuple(sends[surplus:]), Forgotten(earlier + surplus, last_at)
