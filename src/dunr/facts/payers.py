"""What is known of payers by their country: when people are paid there, and the one time zone that most of them live in."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from dunr.core.facts import CountryZone
from dunr.core.paydays import PaydayKind, PaydayRule
from dunr.facts.tables import rows

SHARE_MIN = 0.1  # a way to be paid that is rarer than this would move the dates of everybody else
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@cache
def shipped_paydays() -> Mapping[str, tuple[PaydayRule, ...]]:
    """The common paydays by country code."""
    found: dict[str, tuple[PaydayRule, ...]] = {}
    for row in rows("paydays.csv"):
        if float(row["share"]) >= SHARE_MIN:
            kind = PaydayKind(row["kind"])
            words = row["days"].split()
            days = tuple(WEEKDAYS.index(word) if kind is PaydayKind.WEEKDAYS else int(word) for word in words)
            found[row["country"]] = (*found.get(row["country"], ()), PaydayRule(kind, days))
    return MappingProxyType(found)


@cache
def shipped_zones() -> Mapping[str, CountryZone]:
    """The time zone of each country that has one, or one in which most of its people live."""
    return MappingProxyType(
        {row["country"]: CountryZone(row["zone"], row["holds_for"] == "all") for row in rows("country_zones.csv")}
    )
