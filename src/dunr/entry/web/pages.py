"""Templates and how values read in them. A template shows what it is given and decides nothing; everything is escaped."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from babel.core import Locale
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from dunr.entry.web.problems import Problem
from dunr.facts.currencies import exponent
from dunr.mail.money import amount_text

PACKAGE = "dunr.entry.web"
LOCALE = Locale("en", "US")
INNER_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")
STYLE_CACHE = "public, max-age=300"


def instant(at: datetime | None) -> str:
    """An instant as it reads in a page: Tue 7 Jul 2026, 09:00 UTC."""
    if at is None:
        return "–"
    at = at.astimezone(UTC)
    return f"{at:%a} {at.day} {at:%b %Y, %H:%M} UTC"


def day(at: datetime) -> str:
    """A day as it reads in a page: Tue 7 Jul 2026."""
    return f"{at:%a} {at.day} {at:%b %Y}"


def words(name: object) -> str:
    """One of our closed sets' words, or the name of an event, as people write it."""
    return INNER_CAPITAL.sub(lambda found: f" {found[0].lower()}", str(name).replace("_", " "))


def money(amount_minor: int, currency: str, processor: str) -> str:
    """An amount with its currency."""
    return amount_text(amount_minor, currency, exponent(processor, currency), LOCALE)


_TEMPLATES = Environment(
    loader=PackageLoader(PACKAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_TEMPLATES.filters.update(instant=instant, day=day, words=words, money=money)


def page(
    template: str,
    values: Mapping[str, object],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A page from a template."""
    html = _TEMPLATES.get_template(template).render(values)
    return Response(html, status, dict(headers or {}), media_type="text/html; charset=utf-8")


def error_page(problem: Problem, headers: Mapping[str, str]) -> Response:
    """What went wrong, for people."""
    return page("problem.html", {"problem": problem}, problem.status, headers)


class _Styles(StaticFiles):
    """Our own files may be kept by a browser for a while; nothing in them is private."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = STYLE_CACHE
        return response


def static_files() -> Mount:
    """/static: the style sheet and the icon."""
    return Mount("/static", _Styles(directory=Path(str(files(PACKAGE) / "static"))), name="static")
