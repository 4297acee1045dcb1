"""Cards with a past, for tables of what may still be tried: when each attempt was, what it asked for, and what came back."""

from datetime import datetime

from dunr.core import budget
from dunr.core.budget import Allowance
from dunr.core.counting import Wish
from dunr.core.model import Method
from dunr.core.policy import Policy
from dunr.core.sends import Forgotten, Initiator, Send
from dunr.core.terms import DeclineReason, Outcome, Rail, Trigger
from tests.core.world import facts, utc

WIDE = Policy(card_attempts_24h_max=1000, card_attempts_30d_max=1000)  # so that only the networks say no
CREDENTIAL = "card_1/2030-12"


def send(
    at: str | datetime,
    number: int = 1,
    *,
    amount: int | None = 4900,
    currency: str = "usd",
    case_id: str = "in_1",
    credential: str | None = CREDENTIAL,
    network: str | None = None,
    code: str | None = None,
    advice: str | None = None,
    reason: DeclineReason | None = None,
    trigger: Trigger = Trigger.TIMER,
    outcome: Outcome | None = Outcome.DECLINED,
    reached: bool = True,
) -> Send:
    """One attempt on the card; number 0 is the first charge of an invoice."""
    return Send(
        at=utc(at) if isinstance(at, str) else at,
        trigger=Trigger.PROCESSOR if number <= 0 else trigger,
        case_id=case_id,
        attempt_number=number,
        outcome=outcome,
        amount_minor=amount,
        currency=currency if amount is not None else None,
        credential=credential,
        network=network,
        code=code,
        advice=advice,
        reason=reason,
        reached_network=reached,
    )


def ask(
    at: str | datetime,
    *sends: Send,
    network: str | None = None,
    rail: Rail = Rail.CARD,
    region: str | None = None,
    by: Initiator = Initiator.MERCHANT,
    first_at: str = "2026-06-01 09:00",
    policy: Policy = WIDE,
    forgotten: Forgotten | None = None,
    reason: DeclineReason | None = None,
) -> Allowance:
    """What the budgets say to 4900 usd on a card with that past."""
    wish = Wish("in_1", utc(first_at), rail, network, region, CREDENTIAL, 4900, "usd", by, reason)
    method = Method("m", 1, sends=sends, sends_forgotten=forgotten)
    return budget.allowance(wish, method, policy, facts(), utc(at) if isinstance(at, str) else at)


def said(found: Allowance) -> str:
    """An answer as the tables write it: how many are left, or until when not, and the rule."""
    if found.until_at is None:
        return f"{found.left_count} left by {found.rule}"
    return f"{'never' if found.is_never else f'{found.until_at:%Y-%m-%d %H:%M:%S}'} by {found.rule}"
