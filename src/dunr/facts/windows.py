"""Whether a window opens often enough to be one."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from dunr.core.policy import Policy, Window
from dunr.core.windows import Place, closed_because
from dunr.errors import SettingsError
from dunr.facts.calendars import check_calendar, holiday_dates
from dunr.facts.complaints import Complaint

HOURS_OF_DAY = 24
EDGE_DAYS_MAX = 31
CLOSED_DAYS_MAX = 14  # the deferral of one step; a window that is shut for longer loses steps
SAMPLE_YEARS = range(2024, 2034)  # their months and holidays stand for those of all years
AN_EXAMPLE = "window = {from_hour = 9, until_hour = 18}"


def window_breaches(policy: Policy) -> Iterator[Complaint]:
    """What keeps a window shut."""
    window = policy.window
    if window is None:
        return
    if not (0 <= window.from_hour < HOURS_OF_DAY and 1 <= window.until_hour <= HOURS_OF_DAY):
        yield Complaint(
            ("window",),
            f"window.from_hour = {window.from_hour} and window.until_hour = {window.until_hour} are not both hours of a day: "
            f"write from_hour from 0 to 23 and until_hour from 1 to 24, such as {AN_EXAMPLE}",
        )
    elif window.from_hour >= window.until_hour:
        yield Complaint(
            ("window",),
            f"the window from {window.from_hour} to {window.until_hour} never opens: write the earlier hour as from_hour, such as {AN_EXAMPLE}",
        )
    elif not 0 <= window.avoid_month_edge_days <= EDGE_DAYS_MAX:
        yield Complaint(
            ("window", "avoid_month_edge_days"),
            f"window.avoid_month_edge_days = {window.avoid_month_edge_days} is out of range: write a number from 0 to 7, such as avoid_month_edge_days = 2",
        )
    elif _is_calendar(policy.calendar):
        yield from _shut_for_days(window, policy.calendar)


def _is_calendar(name: str | None) -> bool:
    """Whether the holidays can be counted; a name that means nothing has a complaint of its own."""
    try:
        if name is not None:
            check_calendar(name)
    except SettingsError:
        return False
    return True


def _shut_for_days(window: Window, calendar: str | None) -> Iterator[Complaint]:
    closed, since = longest_closure(window, calendar)
    if closed is None:
        yield Complaint(
            ("window",),
            "the window never opens, on no day of the year: write a smaller avoid_month_edge_days, such as avoid_month_edge_days = 2",
        )
    elif closed > CLOSED_DAYS_MAX:
        yield Complaint(
            ("window",),
            f"the window stays shut for {closed} days in a row from {since}: write a smaller avoid_month_edge_days or another calendar, "
            f"so that it opens at least every {CLOSED_DAYS_MAX} days",
        )


@lru_cache(maxsize=256)
def longest_closure(window: Window, calendar: str | None) -> tuple[int | None, date]:
    """The most days in a row on which the window stays shut, in the sample years, and the first of them; None where it never opens."""
    first, last = date(SAMPLE_YEARS[0], 1, 1), date(SAMPLE_YEARS[-1], 12, 31)
    place = Place("UTC", holiday_dates(calendar, SAMPLE_YEARS) if calendar else frozenset())
    longest, since, run = 0, first, 0
    for number in range((last - first).days):
        day = first + timedelta(days=number)
        opens = datetime(day.year, day.month, day.day, window.from_hour, tzinfo=UTC)
        run = run + 1 if closed_because(opens, window, place) is not None else 0
        if run > longest:
            longest, since = run, day - timedelta(days=run - 1)
    return (None if run > EDGE_DAYS_MAX * 3 else longest), since
