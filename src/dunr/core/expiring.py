"""Cards that are about to expire, before any payment has failed: whether their holder is written to, once per card and expiry.

Off unless the policy says so. What is written belongs to no case, and is not written at all to somebody who is being asked to pay by that very card.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from dunr.core import keys
from dunr.core.effects import CardTold, Notice
from dunr.core.facts import Facts
from dunr.core.model import Case, Payer
from dunr.core.notices import mail_time
from dunr.core.policy import Policy
from dunr.core.snapshot import MethodSnapshot
from dunr.core.terms import NoticeKind
from dunr.core.value import Value

MONTHS = 12


class ExpiringCard(Value):
    """A card by which a customer pays, and which expires soon. `method.expires_on` is known."""

    processor_customer_id: str
    payer: Payer
    method: MethodSnapshot


def expires_at(expires_on: str) -> datetime:
    """The instant after which a card is dead: the end of its month, in UTC. `expires_on` reads `2027-03`."""
    year, month = (int(part) for part in expires_on.split("-"))
    return datetime(year + month // MONTHS, month % MONTHS + 1, 1, tzinfo=UTC)


def last_month(policy: Policy, now: datetime) -> str:
    """The month in which cards expire whose holders are written to now, at the latest."""
    return f"{now + timedelta(days=policy.card_expiring_notice_days):%Y-%m}"


def is_soon(card: ExpiringCard, policy: Policy, now: datetime) -> bool:
    """Whether the card expires within the policy's days, and has not expired yet."""
    if card.method.expires_on is None or not policy.card_expiring_notice_days:
        return False
    ends_at = expires_at(card.method.expires_on)
    return now < ends_at <= now + timedelta(days=policy.card_expiring_notice_days)


def is_dunned(card: ExpiringCard, cases: Iterable[Case]) -> bool:
    """Whether an open case of the customer has charged this very card: then its own notices say what is to be said."""
    return any(
        case.is_open and any(a.method is not None and a.method.card_key == card.method.card_key for a in case.attempts)
        for case in cases
    )


def notice_of(processor: str, account: str, card: ExpiringCard, policy: Policy, facts: Facts, now: datetime) -> Notice:
    """The one notice about this card as it stands now."""
    method, customer_id = card.method, keys.row_id(processor, account, card.processor_customer_id)
    assert method.expires_on is not None, "only a card that expires is written about"
    return Notice(
        key=keys.card_notice(customer_id, method.credential),
        case_id=customer_id,
        round=0,
        kind=NoticeKind.CARD_EXPIRING,
        step_number=None,
        not_before_at=mail_time(now, card.payer, policy, facts),
        amount_minor=0,
        currency="",
        processor_invoice_id="",
        next_attempt_at=None,
        pause_at=None,
        is_warning=False,
        reason=None,
        brand=policy.brand,
        card=CardTold(
            processor_customer_id=card.processor_customer_id,
            processor_method_id=method.processor_method_id,
            credential=method.credential,
            network=method.network,
            last4=method.last4,
            expires_on=method.expires_on,
        ),
    )


def is_same(card: ExpiringCard, notice: Notice) -> bool:
    """Whether the notice is about this card as it stands now."""
    told = notice.card
    return told is not None and (card.method.processor_method_id, card.method.credential) == (
        told.processor_method_id,
        told.credential,
    )
