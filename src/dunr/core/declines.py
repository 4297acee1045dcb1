"""From a processor's words to a reason of our own taxonomy.

Every signal is read, each looked up under its own field (numbers collide between networks), and the strictest wins. A network's codes are looked up under the
network, whoever reported them. What no table knows is `unknown`, and is named, so that a person can add it.
"""

from collections.abc import Iterator, Mapping

from dunr.core.facts import DeclineKey, Facts
from dunr.core.model import MethodRef
from dunr.core.snapshot import RawDecline
from dunr.core.terms import DeclineKind, DeclineReason, Rail
from dunr.core.value import Value

FIELDS = ("code", "decline_code", "advice_code", "network_decline_code", "network_advice_code", "outcome_reason")
NETWORK_FIELDS = frozenset({"network_decline_code", "network_advice_code"})

# The schemes whose codes a bank debit comes back with.
SCHEMES: Mapping[Rail, str] = {Rail.ACH: "nacha", Rail.SEPA: "sepa", Rail.BACS: "bacs"}

# The strictest kind first. `operator` and `neutral` say nothing about the payer, so any statement about the payer outranks them.
STRICTNESS = (DeclineKind.HARD, DeclineKind.ACTION, DeclineKind.SOFT, DeclineKind.OPERATOR, DeclineKind.NEUTRAL)

# Codes that only say "there was a decline": they decide when nothing better is known.
VAGUE = (DeclineReason.GENERIC_DECLINE, DeclineReason.UNKNOWN)


class Classification(Value):
    """What a decline means.

    `wait_seconds` is how long the issuer or its network asks to wait; `unknown` holds the keys that no table has; `why` says in words what each signal means
    and which one decided.
    """

    reason: DeclineReason
    wait_seconds: int | None
    unknown: tuple[DeclineKey, ...]
    why: tuple[str, ...]


def classify(raw: RawDecline, processor: str, facts: Facts, network: str | None = None) -> Classification:
    """What the signals of a decline mean together.

    `network` is the card network of the charged method, where it is known and the decline does not name one itself.
    """
    named: list[DeclineReason] = []
    waits: list[int] = []
    unknown: list[DeclineKey] = []
    why: list[str] = []
    for key in keys_of(raw, processor, network):
        reason = facts.declines.get(key)
        if reason is None:
            unknown.append(key)
            why.append(f"{spoken(key)} is in no table")
            continue
        named.append(reason)
        why.append(f"{spoken(key)}: {facts.reasons[reason].sentence}")
        if key in facts.waits:
            waits.append(facts.waits[key])
    decided = min(named, key=lambda reason: _rank(reason, facts), default=DeclineReason.UNKNOWN)
    return Classification(decided, max(waits, default=None), tuple(unknown), tuple(why))


def network_of(method: MethodRef) -> str | None:
    """Whose numbers the network codes of a payment method are: its card network's, or its debit scheme's."""
    return method.network or SCHEMES.get(method.rail)


def keys_of(raw: RawDecline, processor: str, network: str | None) -> Iterator[DeclineKey]:
    """The key of each signal that can be looked up: a network's number says nothing where the network is not known."""
    for field in FIELDS:
        code = getattr(raw, field)
        owner = (raw.network or network) if field in NETWORK_FIELDS else processor
        if code is not None and owner is not None:
            yield (owner, field, code)


def spoken(key: DeclineKey) -> str:
    """A key in words."""
    owner, field, code = key
    return f"{owner} {field} {code!r}"


def _rank(reason: DeclineReason, facts: Facts) -> tuple[int, int]:
    vague = VAGUE.index(reason) + 1 if reason in VAGUE else 0
    return STRICTNESS.index(facts.reasons[reason].kind), vague


def raw_code(raw: RawDecline) -> str:
    """The most telling raw code, for people and alerts."""
    return raw.decline_code or raw.code or raw.network_decline_code or raw.outcome_reason or "none"
