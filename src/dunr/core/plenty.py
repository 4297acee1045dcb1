"""Whether a card is so far from every limit that a plan need not count.

Most cards are: one failure and four steps are less than any cap. To count for each step what each rule takes together costs more than the whole rest of a plan, so
this is asked first, and errs on the side of counting.
"""

from functools import lru_cache
from typing import assert_never

from dunr.core.counting import Wish
from dunr.core.facts import Facts
from dunr.core.model import Method
from dunr.core.policy import Policy
from dunr.core.rules import NetworkRule, RuleKind
from dunr.core.terms import Rail
from dunr.core.value import Value

UNBOUND = 10**9  # sends: more than any card sees


class Narrowest(Value):
    """So many sends are within every cap of a network, whenever they are; `bans` look at what was answered. A rule that must be counted leaves none."""

    sends_max: int
    bans: tuple[NetworkRule, ...]


def is_plainly_free(wish: Wish, method: Method | None, policy: Policy, facts: Facts, count: int) -> bool:
    """Whether no rule can forbid any of the next `count` attempts, whenever they are made, if nobody else charges the card."""
    sends = method.sends if method is not None else ()
    if method is not None and method.sends_forgotten is not None:
        return False
    total = len(sends) + count
    if total > policy.card_attempts_24h_max or total > policy.card_attempts_30d_max:
        return False
    narrowest = _narrowest(facts, wish.rail, wish.network if wish.rail is Rail.CARD else None, wish.region)
    if total > narrowest.sends_max:
        return False
    for rule in narrowest.bans:
        for send in sends:
            if rule.names(send.code, send.advice, send.reason):
                return False
    return True


@lru_cache(maxsize=2048)
def _narrowest(facts: Facts, rail: Rail, network: str | None, region: str | None) -> Narrowest:
    """What all the rules of a network come to for cards of a region. They are facts, so it is found out once."""
    sends_max, bans = UNBOUND, []
    for rule in facts.rules.get((rail, network), ()):
        if rule.region is None or rule.region == region:
            match rule.kind:
                case RuleKind.CAP:
                    sends_max = min(sends_max, rule.limit if rule.limit is not None else 0)
                case RuleKind.BAN:
                    bans.append(rule)
                case RuleKind.ONLY_AFTER | RuleKind.WITHIN | RuleKind.HOURS:
                    sends_max = 0
                case unreachable:
                    assert_never(unreachable)
    return Narrowest(sends_max, tuple(bans))
