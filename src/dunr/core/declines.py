"""From a processor's words to a reason of our own taxonomy.

Every signal is read, each looked up under its own field (numbers collide between networks), and the strictest wins. What no table knows is `unknown`.
"""

from dunr.core.facts import Facts
from dunr.core.snapshot import RawDecline
from dunr.core.terms import DeclineKind, DeclineReason

FIELDS = ("code", "decline_code", "advice_code", "network_decline_code", "network_advice_code", "outcome_reason")

# The strictest kind first. `operator` and `neutral` say nothing about the payer, so any statement about the payer outranks them.
STRICTNESS = (DeclineKind.HARD, DeclineKind.ACTION, DeclineKind.SOFT, DeclineKind.OPERATOR, DeclineKind.NEUTRAL)

# Codes that only say "there was a decline": they decide when nothing better is known.
VAGUE = (DeclineReason.GENERIC_DECLINE, DeclineReason.UNKNOWN)


def classify(raw: RawDecline, processor: str, facts: Facts) -> DeclineReason:
    """The strictest reason that any signal of the decline names; `unknown` where no table knows any of them."""
    named = []
    for field in FIELDS:
        code = getattr(raw, field)
        if code is not None:
            reason = facts.declines.get((processor, field, code))
            if reason is not None:
                named.append(reason)
    if not named:
        return DeclineReason.UNKNOWN
    return min(
        named,
        key=lambda reason: (
            STRICTNESS.index(facts.reasons[reason].kind),
            VAGUE.index(reason) + 1 if reason in VAGUE else 0,
        ),
    )


def raw_code(raw: RawDecline) -> str:
    """The most telling raw code, for people and alerts."""
    return raw.decline_code or raw.code or raw.network_decline_code or raw.outcome_reason or "none"
