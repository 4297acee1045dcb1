"""How a date and an amount read in a reason: as a merchant says them, never as the machine keeps them.

Reasons are read on the page of a case, in `dunr plan` and in alerts. Dates are said where they hold, with the name of the time zone, since one evening is
another day elsewhere. The words are English and do not depend on the machine's language.
"""

from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache

from dunr.core.calendar import zone

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day_said(day: date) -> str:
    """A day as people say it: Tue 7 Jul 2026."""
    return f"{WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


@lru_cache(maxsize=8192)
def said(at: datetime, zone_name: str = "UTC") -> str:
    """An instant as people there say it: Tue 7 Jul 2026, 09:00 Europe/London. One plan says the same instant several times."""
    local = at.astimezone(zone(zone_name))
    return f"{day_said(local)}, {local.hour:02}:{local.minute:02} {zone_name}"


@lru_cache(maxsize=8192)
def amount_said(amount_minor: int, currency: str, exponent: int) -> str:
    """An amount as people write it: 1,250.00 USD. `exponent` is the processor's: 500 UGX at Stripe are 5.00 shillings."""
    return f"{Decimal(amount_minor).scaleb(-exponent):,} {currency.upper()}"
