"""From the shipped tables and the merchant's own to one frozen `Facts`, which the core takes as an argument."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from dunr.core.declines import with_mappings
from dunr.core.facts import Capability, DeclineKey, Facts, ProcessorFacts, Timing
from dunr.core.terms import DeclineReason
from dunr.errors import SettingsError
from dunr.facts.calendars import Calendars
from dunr.facts.currencies import exponents
from dunr.facts.mapping import problem_with
from dunr.facts.network_rules import rules_by_network, shipped_unsent
from dunr.facts.payers import shipped_paydays, shipped_zones
from dunr.facts.tables import NETWORKS_WITH_DECLINES, shipped_codes, shipped_reasons

T = TypeVar("T")

NO_DECLINES: Mapping[DeclineKey, DeclineReason] = {}
SANDBOX_ONLY: Mapping[str, ProcessorFacts] = {"sandbox": ProcessorFacts(capabilities=frozenset(Capability))}


def load_facts(
    *,
    merchant_declines: Mapping[DeclineKey, DeclineReason] = NO_DECLINES,
    years: Iterable[int] = (),
    processors: Mapping[str, ProcessorFacts] = SANDBOX_ONLY,
    timing: Timing | None = None,
) -> Facts:
    """All that the core may know.

    The decline tables of `processors` and of the card networks are read; a row of the merchant's own replaces a shipped
    one. Calendars are read when they are asked for, with the holidays of `years`, or of all that a plan may reach.
    """
    shipped = [shipped_codes(owner) for owner in (*processors, *sorted(NETWORKS_WITH_DECLINES))]
    facts = Facts(
        declines=_joined(codes.declines for codes in shipped),
        waits=_joined(codes.waits for codes in shipped),
        deferring=frozenset().union(*(codes.deferring for codes in shipped)),
        networks=NETWORKS_WITH_DECLINES,
        reasons=dict(shipped_reasons()),
        calendars=Calendars(years),
        processors=dict(processors),
        exponents={name: exponents(name) for name in processors},
        timing=timing or Timing(),
        rules=rules_by_network(),
        unsent=shipped_unsent(),
        paydays=shipped_paydays(),
        zones=shipped_zones(),
    )
    problems = [problem for key in merchant_declines if (problem := problem_with(key)) is not None]
    if problems:
        raise SettingsError("\n".join(problems))
    return with_mappings(facts, merchant_declines) if merchant_declines else facts


def _joined(parts: Iterable[Mapping[DeclineKey, T]]) -> Mapping[DeclineKey, T]:
    """One mapping of all; no two owners share a key."""
    joined: dict[DeclineKey, T] = {}
    for part in parts:
        joined |= part
    return joined
