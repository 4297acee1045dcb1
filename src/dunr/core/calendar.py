"""Days and hours where the merchant and the payer live.

Business days are Monday to Friday without the holidays of a named calendar. Local times are resolved the same way everywhere: one that does not exist
(spring) moves to the first that does, one that exists twice (autumn) means the first.
"""

from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

SATURDAY = 5
SEARCH_DAYS_MAX = 400  # no calendar is closed for longer than a year


@lru_cache(maxsize=512)
def zone(name: str) -> tzinfo:
    """The time zone of a name; UTC where the name is unknown, since a payer's zone is only a wish. UTC itself has no table to be searched."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


@lru_cache(maxsize=2048)
def is_zone(name: str) -> bool:
    """Whether a time zone of this name is known."""
    return name == "UTC" or zone(name) is not UTC


@lru_cache(maxsize=8192)
def local_instant(day: date, hour: int, minute: int, zone_name: str) -> datetime:
    """The instant (UTC) of a local time of day, with the two rules for clock changes. Many cases ask for the same hours of the same days."""
    tz = zone(zone_name)
    wanted = datetime(day.year, day.month, day.day, hour, minute, tzinfo=tz, fold=0)
    instant = wanted.astimezone(UTC)
    if instant.astimezone(tz).replace(tzinfo=None) == wanted.replace(tzinfo=None):
        return instant
    # The wanted time fell into a gap. Read with the offset before the change it lies after it, read with the offset after the change it lies before it.
    return _clock_change(wanted.replace(fold=1).astimezone(UTC), instant, tz)


def _clock_change(before: datetime, behind: datetime, tz: tzinfo) -> datetime:
    """The instant of the clock change between two whole minutes on either side of it."""
    offset = behind.astimezone(tz).utcoffset()
    minutes_low, minutes_high = 0, int((behind - before).total_seconds()) // 60
    while minutes_high - minutes_low > 1:
        middle = (minutes_low + minutes_high) // 2
        if (before + timedelta(minutes=middle)).astimezone(tz).utcoffset() == offset:
            minutes_high = middle
        else:
            minutes_low = middle
    return before + timedelta(minutes=minutes_high)


def local_day(at: datetime, zone_name: str) -> date:
    """The date of an instant where `zone_name` holds."""
    return at.astimezone(zone(zone_name)).date()


def is_business_day(day: date, holidays: frozenset[date]) -> bool:
    """Monday to Friday, and not a holiday."""
    return day.weekday() < SATURDAY and day not in holidays


def next_business_day(day: date, holidays: frozenset[date]) -> date:
    """The day itself where it is a business day, else the first one after it."""
    for _ in range(SEARCH_DAYS_MAX):
        if is_business_day(day, holidays):
            return day
        day += timedelta(days=1)
    raise ValueError(f"no business day within {SEARCH_DAYS_MAX} days before {day}: the holiday calendar leaves none")


def add_business_days(day: date, count: int, holidays: frozenset[date]) -> date:
    """The `count`-th business day after a day; the day itself need not be one."""
    for _ in range(count):
        day = next_business_day(day + timedelta(days=1), holidays)
    return day
