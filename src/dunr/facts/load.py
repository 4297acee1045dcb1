"""From the shipped tables and the merchant's own to one frozen `Facts`, which the core takes as an argument."""

from collections.abc import Iterable, Mapping

from dunr.core.declines import FIELDS
from dunr.core.facts import DeclineKey, Facts, ProcessorFacts, Timing
from dunr.core.terms import DeclineReason
from dunr.errors import SettingsError
from dunr.facts.calendars import holiday_dates
from dunr.facts.network_rules import rules_by_network, shipped_unsent
from dunr.facts.tables import NETWORKS_WITH_DECLINES, shipped_declines, shipped_reasons

NO_DECLINES: Mapping[DeclineKey, DeclineReason] = {}
SANDBOX_ONLY: Mapping[str, ProcessorFacts] = {"sandbox": ProcessorFacts()}


def load_facts(
    *,
    merchant_declines: Mapping[DeclineKey, DeclineReason] = NO_DECLINES,
    calendars: Iterable[str] = (),
    years: Iterable[int] = (),
    processors: Mapping[str, ProcessorFacts] = SANDBOX_ONLY,
    timing: Timing | None = None,
) -> Facts:
    """All that the core may know.

    The decline tables of `processors` and of the card networks are read; a row of the merchant's own replaces a shipped
    one. `calendars` are read for `years`: name every year that a plan may reach.
    """
    declines: dict[DeclineKey, DeclineReason] = {}
    for owner in (*processors, *sorted(NETWORKS_WITH_DECLINES)):
        declines |= shipped_declines(owner)
    for key in merchant_declines:
        _check_field(key)
    declines |= merchant_declines
    wanted_years = tuple(years)
    return Facts(
        declines=declines,
        reasons=dict(shipped_reasons()),
        calendars={name: holiday_dates(name, wanted_years) for name in calendars},
        processors=dict(processors),
        timing=timing or Timing(),
        rules=rules_by_network(),
        unsent=shipped_unsent(),
    )


def _check_field(key: DeclineKey) -> None:
    """A row under a field that no decline has would never be found, silently."""
    processor, field, code = key
    if field not in FIELDS:
        raise SettingsError(
            f"The decline mapping {processor}, {field}, {code} names no field of a decline: "
            f"write one of {', '.join(FIELDS)} in the middle"
        )
