"""Holidays by the name of a calendar: a country or a part of it (`GB`, `DE-BY`), or a list of one's own.

An own list reads `dates:2026-12-25,2026-12-28`. The others come from the package `holidays`, which knows 250
countries; it is imported when a country is named and not before, since it is large. A country without a part has the
days that all of its parts share: `GB` lacks Easter Monday, `GB-ENG` has it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from functools import cache

from dunr.errors import SettingsError

OWN_LIST = "dates:"
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
DATES_MAX = 2000
NAMES_SHOWN_MAX = 12
YEARS = range(2015, 2056)  # the years that a plan may reach, where nobody names them


def holiday_dates(name: str, years: Iterable[int]) -> frozenset[date]:
    """The holidays of a calendar in these years; those of an own list all, whatever the years."""
    if name.startswith(OWN_LIST):
        return _listed(name)
    wanted_years = tuple(sorted(set(years)))
    if not wanted_years:
        raise ValueError(f"the holidays of {name} are asked for no year: name the years that a plan may reach")
    return _known(name, wanted_years)


class Calendars(Mapping[str, frozenset[date]]):
    """Holidays by the name of a calendar, each read once, when somebody asks for it: any payer's country may, and cases keep policies that are not in force any more."""

    def __init__(self, years: Iterable[int] = ()) -> None:
        """Know the years that a plan may reach; none means all that are likely."""
        self._years = tuple(years) or tuple(YEARS)
        self._read: dict[str, frozenset[date]] = {}

    def __getitem__(self, name: str) -> frozenset[date]:
        """The holidays of a calendar. A name that means none is an error of the settings."""
        found = self._read.get(name)
        if found is None:
            found = self._read[name] = holiday_dates(name, self._years)
        return found

    def __iter__(self) -> Iterator[str]:
        """Those that were read so far."""
        return iter(self._read)

    def __len__(self) -> int:
        """How many were read so far."""
        return len(self._read)


def check_calendar(name: str) -> None:
    """Refuse a name that means no calendar."""
    if name.startswith(OWN_LIST):
        _listed(name)
    else:
        _country_and_part(name)


def _listed(name: str) -> frozenset[date]:
    texts = [text.strip() for text in name.removeprefix(OWN_LIST).split(",")]
    if len(texts) > DATES_MAX:
        raise SettingsError(f"The calendar {OWN_LIST}… lists {len(texts)} dates: write at most {DATES_MAX}")
    return frozenset(_date(text) for text in texts)


def _date(text: str) -> date:
    problem = f"The calendar {OWN_LIST}… has {text!r} where a date must be: write {OWN_LIST}2026-12-25,2026-12-28"
    if not ISO_DATE.fullmatch(text):
        raise SettingsError(problem)
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise SettingsError(f"{problem} ({error})") from error


@cache
def _known(name: str, years: tuple[int, ...]) -> frozenset[date]:
    from holidays import country_holidays  # noqa: PLC0415 - large, and most policies name no country

    country, part = _country_and_part(name)
    return frozenset(country_holidays(country, subdiv=part, years=years))


@cache
def _parts_of_countries() -> Mapping[str, list[str]]:
    from holidays import list_supported_countries  # noqa: PLC0415 - as above

    return list_supported_countries(include_aliases=False)


def _country_and_part(name: str) -> tuple[str, str | None]:
    """The country code and the code of its part, or None for the whole country."""
    parts_of = _parts_of_countries()
    country, dash, part = name.partition("-")
    if country not in parts_of:
        likely = _likely_names(name, parts_of) or [
            "a two-letter country code such as GB",
            "a part of one such as DE-BY",
        ]
        raise SettingsError(
            f"There is no holiday calendar {name!r}: write {' or '.join(likely)} "
            f"or a list of your own such as {OWN_LIST}2026-12-25,2026-12-28"
        )
    if dash and part not in parts_of[country]:
        raise SettingsError(
            f"There is no holiday calendar {name!r}: write {country} for the whole country"
            f"{_some_parts(country, part, parts_of[country])}"
        )
    return country, part if dash else None


def _likely_names(name: str, parts_of: Mapping[str, list[str]]) -> list[str]:
    """What may have been meant: the same name in capitals, or the usual slip."""
    country = name.upper().partition("-")[0]
    if country in parts_of:
        return [name.upper()]
    if country == "UK":
        return ["GB-ENG", "another part of GB"]
    return get_close_matches(country, parts_of, n=3)


def _some_parts(country: str, part: str, known: list[str]) -> str:
    if not known:
        return ", which has no parts here"
    likely = get_close_matches(part.upper(), known, n=3) or known
    shown = ", ".join(f"{country}-{code}" for code in likely[:NAMES_SHOWN_MAX])
    return f", or a part of it: {shown}{' …' if len(likely) > NAMES_SHOWN_MAX else ''}"
