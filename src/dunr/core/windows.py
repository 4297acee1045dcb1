"""Which hours and days are open where the payer lives, and the next and the last open instant.

A window is open in its hours of each day that it does not exclude: a weekend, a holiday, a day around the month's end. A payday is never excluded for the month's
end: that is when the money is there.
"""

from datetime import date, datetime, timedelta

from dunr.core.calendar import SEARCH_DAYS_MAX, is_business_day, local_instant, zone
from dunr.core.paydays import PaydayRule, is_payday
from dunr.core.policy import Window
from dunr.core.value import Value

DAY = timedelta(days=1)


class Place(Value):
    """Where a window holds: the time zone, the holidays of the policy, and the paydays that a step aims at."""

    zone_name: str
    holidays: frozenset[date]
    paydays: tuple[PaydayRule, ...] = ()
    payday_holidays: frozenset[date] = frozenset()


def closed_because(at: datetime, window: Window, place: Place) -> str | None:
    """Why the window is closed at an instant, or None where it is open."""
    local = at.astimezone(zone(place.zone_name))
    why = _day_closed_because(local.date(), window, place)
    if why is None and not window.from_hour <= local.hour < window.until_hour:
        why = f"outside {window.from_hour:02}:00 to {window.until_hour:02}:00"
    return why


def _day_closed_because(day: date, window: Window, place: Place) -> str | None:
    if window.weekdays_only and not is_business_day(day, place.holidays):
        return "a holiday" if day in place.holidays else "on a weekend"
    if not window.avoid_month_edge_days or not is_month_edge(day, window.avoid_month_edge_days):
        return None
    if place.paydays and is_payday(day, place.paydays, place.payday_holidays):
        return None
    return "too near to the turn of the month"


def is_month_edge(day: date, days: int) -> bool:
    """Whether a day is one of the first or of the last `days` of its month."""
    return day.day <= days or (day + timedelta(days=days)).month != day.month


def next_open(at: datetime, window: Window, place: Place) -> datetime | None:
    """The instant itself where the window is open, else the first one after it that is; None where it never opens."""
    tz = zone(place.zone_name)
    local = at.astimezone(tz)
    day = local.date()
    if window.from_hour <= local.hour < window.until_hour and _day_closed_because(day, window, place) is None:
        return at
    for _ in range(SEARCH_DAYS_MAX):
        if _day_closed_because(day, window, place) is None:
            opens_at = local_instant(day, window.from_hour, 0, place.zone_name)
            # On a day whose clock skips the whole window there is none.
            if opens_at >= at and opens_at.astimezone(tz).hour < window.until_hour:
                return opens_at
        day += DAY
    return None


def last_open(at: datetime, window: Window, place: Place) -> datetime | None:
    """The last whole minute up to an instant at which the window was open; None where it never was."""
    tz = zone(place.zone_name)
    day = at.astimezone(tz).date()
    for _ in range(SEARCH_DAYS_MAX):
        if _day_closed_because(day, window, place) is None:
            closes_at = local_instant(day, window.until_hour - 1, 59, place.zone_name)
            if closes_at <= at and closed_because(closes_at, window, place) is None:
                return closes_at
        day -= DAY
    return None


def nearest_open(at: datetime, window: Window, place: Place, earliest: datetime) -> datetime:
    """The open instant nearest to `at`, not before `earliest`; the later of two that are equally near, and `at` itself where the window never opens."""
    after = next_open(at, window, place)
    if after is None or after == at:
        return at
    before = last_open(at, window, place)
    if before is not None and before >= earliest and at - before < after - at:
        return before
    return after
