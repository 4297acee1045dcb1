"""What the dates of one case depend on, besides its rungs: the policy, the facts, where the payer lives, and what the card has behind it.

Where the payer lives is said with its source, since it moves dates: their own time zone where the processor knows it, else that of their country where it has one,
else the policy's.
"""

from datetime import date, datetime
from functools import lru_cache

from dunr.core.calendar import is_zone
from dunr.core.counting import Wish
from dunr.core.facts import CountryZone, Facts
from dunr.core.model import Method, Payer
from dunr.core.paydays import PaydayRule
from dunr.core.policy import Policy
from dunr.core.value import Value

NO_HOLIDAYS: frozenset[date] = frozenset()


class Circumstances(Value):
    """All of it.

    `floor_at` is the instant before which nothing may be tried, whatever a step says, and `floor_why` the reason in words; `issuer_wait_until_at` is the part of
    it that the bank or the network stated. `wish` is the attempt that a step would make on the card whose row is `method`; None where there is no card to count on.
    A step that a cap defers to after `deferral_limit_at` is skipped.
    """

    policy: Policy
    facts: Facts
    first_failed_at: datetime
    zone_name: str = "UTC"
    zone_why: str = "the policy's time zone"
    country: str | None = None
    wish: Wish | None = None
    method: Method | None = None
    floor_at: datetime | None = None
    floor_why: str = ""
    issuer_wait_until_at: datetime | None = None
    deferral_limit_at: datetime | None = None
    case_id: str | None = None  # None: of nobody, so nothing is spread

    @property
    def holidays(self) -> frozenset[date]:
        """The holidays that the policy names, or none."""
        return holidays_of(self.policy, self.facts)

    @property
    def paydays(self) -> tuple[PaydayRule, ...]:
        """The common paydays of the payer's country; none where neither is known."""
        return self.facts.paydays.get(self.country, ()) if self.country is not None else ()


def holidays_of(policy: Policy, facts: Facts) -> frozenset[date]:
    """The holidays that the policy names, or none."""
    return facts.calendars.get(policy.calendar, NO_HOLIDAYS) if policy.calendar else NO_HOLIDAYS


def whereabouts(payer: Payer, policy: Policy, facts: Facts) -> tuple[str, str]:
    """The payer's time zone, and where it is known from."""
    country = payer.country
    known = facts.zones.get(country) if country is not None else None
    return _whereabouts(payer.timezone, country, known, policy.timezone)


@lru_cache(maxsize=2048)
def _whereabouts(own: str | None, country: str | None, known: CountryZone | None, fallback: str) -> tuple[str, str]:
    if own is not None and is_zone(own):
        return own, "the payer's own time zone"
    if known is not None:
        people = "the time zone" if known.holds_for_all else "the time zone of most people"
        return known.name, f"{people} of {country}, since the payer's own is not known"
    if country is None:
        return fallback, "the policy's time zone, since neither the payer's own nor their country is known"
    return fallback, f"the policy's time zone, since the payer's own is not known and {country} has no single one"
