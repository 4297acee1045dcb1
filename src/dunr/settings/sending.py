"""What may not be set together about the time of a send: a lease outlasts everything that is done under it, and the manual clock has a start."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dunr.settings.values import Settings


def sending_contradictions(settings: "Settings") -> Iterator[str]:
    """Everything that is wrong, each with what to write instead."""
    needed = 2 * settings.processor_timeout_seconds + settings.look_max_age_seconds
    asked = ""
    if settings.may_charge_url is not None:
        needed += settings.may_charge_seconds
        asked = " with may_charge_seconds"
    if settings.lease_seconds <= needed:
        yield (
            f"lease_seconds = {settings.lease_seconds} could end while a charge is under way (twice "
            f"processor_timeout_seconds and look_max_age_seconds{asked} make {needed}): "
            f"write lease_seconds = {needed + 1} or more"
        )
    if settings.clock_start is not None and settings.clock != "manual":
        yield 'clock_start needs the manual clock: write clock = "manual", or leave clock_start out'
    if settings.clock_start is not None and settings.clock_start.tzinfo is None:
        yield 'clock_start has no time zone: write clock_start = "2026-06-23T10:00:00Z"'
