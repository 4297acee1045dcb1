"""How a date reads, and in whose timezone. Knows that a date promised to a customer is the date where they live."""

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.core import Locale
from babel.dates import format_date, format_skeleton

# French writes the first of a month as an ordinal, which CLDR's patterns cannot say: mercredi 1er juillet 2026.
_FRENCH_FIRST = re.compile(r"\b1 (?=\D)")


def zone_of(payer_timezone: str | None, policy_timezone: str) -> ZoneInfo:
    """The payer's timezone where it is known, else the policy's, which was checked when it was loaded."""
    if payer_timezone:
        try:
            return ZoneInfo(payer_timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass  # a processor passes on what its customers typed; the policy's zone is right for most of them
    return ZoneInfo(policy_timezone)


def date_text(at: datetime, zone: ZoneInfo, locale: Locale) -> str:
    """The day in words, with the weekday and the year: Tuesday, July 7, 2026."""
    text = format_date(at.astimezone(zone).date(), "full", locale=locale)
    return _FRENCH_FIRST.sub("1er ", text) if locale.language == "fr" else text


def month_text(expires_on: str, locale: Locale) -> str:
    """A month in words, of `2027-03`: March 2027."""
    year, month = (int(part) for part in expires_on.split("-"))
    return str(format_skeleton("yMMMM", date(year, month, 1), locale=locale))
