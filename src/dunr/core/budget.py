"""How often a card may still be tried: three budgets at once, counted on what reached the network, whoever began it.

The first is the policy's number of steps, which the ladder of a case keeps (`schedule`): when it is spent the case is exhausted. The other two are counted
here, on the card's own row and so across invoices: the policy's ceilings for a card, and what its network allows. Where there is no room now, the answer
says from when there is, and which rule says so.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from dunr.core.counting import NEVER_AT, Verdict, Wish, begun, verdict
from dunr.core.facts import Facts
from dunr.core.model import Method
from dunr.core.policy import Policy
from dunr.core.rules import Counted, Counter, Fee, NetworkRule, RuleKind, Scope, rules_for
from dunr.core.sends import Initiator, Send, remembered
from dunr.core.terms import Outcome, Rail, Trigger
from dunr.core.value import Value, replace

DAY = timedelta(hours=24)
MONTH = timedelta(days=30)
ROUNDS_MAX = 20  # each round ends the wait for one rule; there are fewer rules than that
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
NO_METHOD = Method("", 0)


class Allowance(Value):
    """What the budgets say to a wish. `until_at` None: there is room now, and `left_count` attempts more after this one under the tightest rule.

    `until_at` at `NEVER_AT`: waiting brings nothing. `fee` is what a network charges for an attempt against the rule, where that is known.
    """

    rule: str
    left_count: int | None
    until_at: datetime | None
    why: str
    is_own: bool
    fee: Fee | None = None

    @property
    def is_never(self) -> bool:
        """Whether no later time would do."""
        return self.until_at is not None and self.until_at >= NEVER_AT


@lru_cache(maxsize=64)
def _own_rules(day_max: int, month_max: int) -> tuple[NetworkRule, ...]:
    """The policy's ceilings for one card, on whatever rail, as rules."""
    return (
        _own_rule(
            "policy-card-24-hours", day_max, DAY, f"the policy allows {day_max} attempts on one card in 24 hours"
        ),
        _own_rule(
            "policy-card-30-days", month_max, MONTH, f"the policy allows {month_max} attempts on one card in 30 days"
        ),
    )


def _own_rule(name: str, limit: int, window: timedelta, sentence: str) -> NetworkRule:
    return NetworkRule(
        id=name,
        kind=RuleKind.CAP,
        network=None,
        rail=Rail.CARD,
        region=None,
        scope=Scope.CARD,
        counter=Counter.ANY,
        counted=Counted.ATTEMPTS,
        limit=limit,
        window_seconds=int(window.total_seconds()),
        window_months=None,
        codes=(),
        hours=(),
        timezone=None,
        from_at=LONG_AGO,
        until_at=None,
        instead_of=None,
        sentence=sentence,
        source="policy",
        is_own=True,
    )


def allowance(wish: Wish, method: Method | None, policy: Policy, facts: Facts, at: datetime) -> Allowance:
    """Whether the attempt may be made at `at`; where not, the first later instant at which nothing forbids it, as things stand, and the rule that sets it."""
    row = method or NO_METHOD
    verdicts = _verdicts(wish, row, policy, facts, at)
    binding = max((one for one in verdicts if one.until_at is not None), key=_until, default=None)
    if binding is None:
        tightest = min((one for one in verdicts if one.left_count is not None), key=_left)
        return Allowance(tightest.rule.id, tightest.left_count, None, tightest.why, tightest.rule.is_own)
    until_at, why = _until(binding), [binding.why]
    for _ in range(ROUNDS_MAX):
        later = [one for one in _verdicts(wish, row, policy, facts, until_at) if one.until_at is not None]
        if until_at >= NEVER_AT or not later:
            break
        latest = max(later, key=_until)
        until_at = _until(latest)
        why.append(latest.why)
    fee = binding.rule.fee(wish.region, at)
    return Allowance(binding.rule.id, 0, until_at, "; then ".join(why), binding.rule.is_own, fee)


def _verdicts(wish: Wish, method: Method, policy: Policy, facts: Facts, at: datetime) -> list[Verdict]:
    """What each rule that holds at the instant says. The network's come first, so that of two that leave the same room the network's is named."""
    holding = rules_for(
        facts.rules,
        rail=wish.rail,
        network=wish.network,
        region=wish.region,
        by_merchant=wish.initiator is Initiator.MERCHANT,
        allowed=policy.acquirer_allows,
        at=at,
    )
    own = _own_rules(policy.card_attempts_24h_max, policy.card_attempts_30d_max)
    counting = sorted([send for send in method.sends if send.counts], key=begun)
    return [verdict(rule, wish, counting, method.sends_forgotten, at) for rule in (*holding, *own)]


def _until(one: Verdict) -> datetime:
    assert one.until_at is not None, "only a rule that forbids says until when"
    return one.until_at


def _left(one: Verdict) -> int:
    assert one.left_count is not None, "only a rule that counts has something left"
    return one.left_count


def assumed(method: Method | None, wish: Wish, at: datetime) -> Method:
    """The card's row as it would be if the wish were granted at `at` and declined: for a plan that reckons with its own earlier steps."""
    row = method or NO_METHOD
    send = Send(
        at,
        Trigger.TIMER if wish.initiator is Initiator.MERCHANT else Trigger.CUSTOMER,
        wish.case_id,
        1,
        Outcome.DECLINED,
        wish.amount_minor,
        wish.currency,
        wish.credential,
        wish.network,
        reason=wish.after_reason,
    )
    sends, forgotten = remembered(row.sends, row.sends_forgotten, (send,))
    return replace(row, sends=sends, sends_forgotten=forgotten)


def customer_has_room(method: Method | None, policy: Policy, now: datetime) -> bool:
    """Whether the customer may try this card once more today."""
    sends = method.sends if method is not None else ()
    clicks = [send for send in sends if send.trigger is Trigger.CUSTOMER and send.counts and send.at > now - DAY]
    return len(clicks) < policy.customer_attempts_max
