"""Whether a card is so far from every limit that a plan need not count.

Most cards are: one failure and four steps are less than any cap. To count for each step what each rule takes together costs more than the whole rest of a plan, so
this is asked first, and errs on the side of counting.
"""

from typing import assert_never

from dunr.core.counting import Wish
from dunr.core.facts import Facts
from dunr.core.model import Method
from dunr.core.policy import Policy
from dunr.core.rules import NetworkRule, RuleKind
from dunr.core.sends import Send
from dunr.core.terms import Rail


def is_plainly_free(wish: Wish, method: Method | None, policy: Policy, facts: Facts, count: int) -> bool:
    """Whether no rule can forbid any of the next `count` attempts, whenever they are made, if nobody else charges the card."""
    sends = method.sends if method is not None else ()
    if method is not None and method.sends_forgotten is not None:
        return False
    total = len(sends) + count
    if total > policy.card_attempts_24h_max or total > policy.card_attempts_30d_max:
        return False
    for rule in facts.rules.get((wish.rail, wish.network if wish.rail is Rail.CARD else None), ()):
        if rule.region is None or rule.region == wish.region:
            match rule.kind:
                case RuleKind.CAP:
                    binds = rule.limit is None or total > rule.limit
                case RuleKind.BAN:
                    binds = _is_named(rule, sends)
                case RuleKind.ONLY_AFTER | RuleKind.WITHIN | RuleKind.HOURS:
                    binds = True
                case unreachable:
                    assert_never(unreachable)
            if binds:
                return False
    return True


def _is_named(rule: NetworkRule, sends: tuple[Send, ...]) -> bool:
    """Whether any answer so far is one that the rule names."""
    return any(rule.names(send.code, send.advice, send.reason) for send in sends)
