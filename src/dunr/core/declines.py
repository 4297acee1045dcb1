"""From a processor's words to a reason of our own taxonomy.

Every signal is read, each looked up under its own field (numbers collide between networks), and the strictest wins. A network's codes are looked up under the
network, whoever reported them. What no table knows is `unknown`, and is named, so that a person can add it.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from dunr.core.attempt import MethodRef
from dunr.core.facts import DeclineKey, Facts
from dunr.core.snapshot import RawDecline, UnknownCodes
from dunr.core.terms import DeclineKind, DeclineReason, Rail
from dunr.core.value import Value, replace

FIELDS = ("code", "decline_code", "advice_code", "network_decline_code", "network_advice_code", "outcome_reason")
NETWORK_FIELDS = frozenset({"network_decline_code", "network_advice_code"})

# The schemes whose codes a bank debit comes back with.
SCHEMES: Mapping[Rail, str] = {Rail.ACH: "nacha", Rail.SEPA: "sepa", Rail.BACS: "bacs"}

# The strictest kind first. `operator` and `neutral` say nothing about the payer, so any statement about the payer outranks them.
STRICTNESS = (DeclineKind.HARD, DeclineKind.ACTION, DeclineKind.SOFT, DeclineKind.OPERATOR, DeclineKind.NEUTRAL)
ABOUT_THE_PAYER = frozenset({DeclineKind.HARD, DeclineKind.ACTION, DeclineKind.SOFT})

# Codes that only say "there was a decline": they decide when nothing better is known.
VAGUE = (DeclineReason.GENERIC_DECLINE, DeclineReason.UNKNOWN)


class Classification(Value):
    """What a decline means.

    `wait_seconds` is how long the issuer or its network asks to wait; `unknown` holds the keys that no table has; `why` says in words what each signal means.
    `reached_network`: no signal says that the processor stopped it by itself.
    """

    reason: DeclineReason
    wait_seconds: int | None
    unknown: tuple[DeclineKey, ...]
    why: tuple[str, ...]
    reached_network: bool


@lru_cache(maxsize=4096)
def classify(raw: RawDecline, processor: str, facts: Facts, network: str | None = None) -> Classification:
    """What the signals of a decline mean together.

    `network` is the card network or debit scheme of the charged method, where it is known and the decline does not name one itself. Few declines differ, so
    that what each one means is remembered.
    """
    named: dict[DeclineKey, DeclineReason] = {}
    unknown: list[DeclineKey] = []
    why: list[str] = []
    reached_network = True
    for key in _keys_of(raw, processor, network):
        reached_network = reached_network and key not in facts.unsent
        reason = facts.declines.get(key)
        if reason is not None:
            named[key] = reason
            why.append(f"{in_words(key)}: {facts.reasons[reason].sentence}")
        elif key[1] not in NETWORK_FIELDS or key[0] in facts.networks:
            unknown.append(key)
            why.append(f"{in_words(key)} is in no table")
        else:
            why.append(f"{in_words(key)} is not read: there is no table for {key[0]}")
    deciding = _without_deferring(named, facts, why)
    reason = min(deciding.values(), key=lambda one: _rank(one, facts), default=DeclineReason.UNKNOWN)
    waits = [facts.waits[key] for key in named if key in facts.waits]
    if len(named) > 1:
        why.append(f"the strictest of these decides: {reason}")
    return Classification(reason, max(waits, default=None), tuple(unknown), tuple(why), reached_network)


def _keys_of(raw: RawDecline, processor: str, network: str | None) -> Iterator[DeclineKey]:
    """The key of each signal that can be looked up: a network's number says nothing where the network is not known."""
    for field in FIELDS:
        code = getattr(raw, field)
        owner = (raw.network or network) if field in NETWORK_FIELDS else processor
        if code is not None and owner is not None:
            yield (owner, field, code)


def _without_deferring(
    named: Mapping[DeclineKey, DeclineReason], facts: Facts, why: list[str]
) -> Mapping[DeclineKey, DeclineReason]:
    """What is left to decide: a code that defers says less than the network's own advice, where that is about the payer."""
    deferring = named.keys() & facts.deferring
    advised = any(
        field == "network_advice_code"
        and facts.reasons[reason].kind in ABOUT_THE_PAYER
        and reason is not DeclineReason.UNKNOWN
        for (_, field, _), reason in named.items()
    )
    if not deferring or not advised:
        return named
    why.extend(f"{in_words(key)} leaves it to the advice beside it" for key in deferring)
    return {key: reason for key, reason in named.items() if key not in deferring}


def _rank(reason: DeclineReason, facts: Facts) -> tuple[int, int, int]:
    """Strictest first: by kind, then what says something before what says nothing, then what earns fewer steps."""
    known = facts.reasons[reason]
    vague = VAGUE.index(reason) + 1 if reason in VAGUE else 0
    return STRICTNESS.index(known.kind), vague, known.steps_suggested_max


def treated_as(reason: DeclineReason, facts: Facts) -> DeclineReason:
    """The reason whose steps a decline gets: one that says nothing about the payer is treated with the caution due to an unknown one."""
    return reason if facts.reasons[reason].kind in ABOUT_THE_PAYER else DeclineReason.UNKNOWN


def network_of(method: MethodRef) -> str | None:
    """Whose numbers the network codes of a payment method are: its card network's, or its debit scheme's."""
    return method.network or SCHEMES.get(method.rail)


def with_mappings(facts: Facts, mappings: Mapping[DeclineKey, DeclineReason]) -> Facts:
    """The facts with a merchant's own mappings over the shipped ones."""
    networks = {owner for owner, field, _ in mappings if field in NETWORK_FIELDS}
    return replace(facts, declines={**facts.declines, **mappings}, networks=facts.networks | networks)


def in_words(key: DeclineKey) -> str:
    """A key as a sentence names it."""
    owner, field, code = key
    return f"{owner}'s {field} {code!r}"


def unknown_codes(meant: Classification | None, raw: RawDecline | None) -> UnknownCodes | None:
    """What a person has to be shown of a decline, if anything."""
    if meant is None or raw is None or not meant.unknown:
        return None
    return UnknownCodes(meant.unknown, raw)


def raw_code(raw: RawDecline) -> str:
    """The most telling raw code, for people and alerts."""
    return raw.decline_code or raw.code or raw.network_decline_code or raw.outcome_reason or "none"
