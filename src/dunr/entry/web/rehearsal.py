"""What exists with the sandbox only: to fail a payment, and to move the time, from the first page."""

import secrets
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial

import httpx
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dunr.entry.web.admission import admit
from dunr.entry.web.clock import move_clock
from dunr.entry.web.face import WebFace
from dunr.entry.web.forms import FormSigner, read_form
from dunr.errors import BadRequest, WishRejected
from dunr.facts.currencies import exponent
from dunr.manual_clock import SandboxClock
from dunr.tokens import Scope

SEE_OTHER = 303
SANDBOX_SECONDS_MAX = 10.0
DELIVERED_SECONDS_MAX = 5.0
POLL_SECONDS = 0.02
AMOUNT_DIGITS_MAX = 12
DAY = timedelta(days=1)
DECLINES = (
    "insufficient_funds",
    "do_not_honor",
    "expired_card",
    "processing_error",
    "stolen_card",
    "authentication_required",
)
CURRENCIES = ("usd", "eur", "gbp", "jpy")


class RehearsalForms:
    """POST /rehearsal/failures and /rehearsal/clock."""

    def __init__(self, face: WebFace, signer: FormSigner) -> None:
        self._face = face
        self._signer = signer

    def routes(self) -> list[Route]:
        """None where real money moves."""
        if not self._face.has_sandbox:
            return []
        return [
            Route("/rehearsal/failures", self.fail, methods=["POST"]),
            Route("/rehearsal/clock", self.advance, methods=["POST"]),
        ]

    async def fail(self, request: Request) -> Response:
        """Fail a payment at the sandbox, and wait until we have heard of it."""
        fields = await read_form(request)
        return await self._face.acting.run(partial(self._fail, request, fields))

    async def advance(self, request: Request) -> Response:
        """Move the time."""
        fields = await read_form(request)
        return await self._face.acting.run(partial(self._advance, request, fields))

    def _admitted(self, request: Request, fields: Mapping[str, str]) -> None:
        admit(self._face, request, Scope.ACT)
        self._signer.check(request, fields)

    def _fail(self, request: Request, fields: Mapping[str, str]) -> Response:
        self._admitted(request, fields)
        try:
            answer = httpx.post(
                f"{self._face.settings.sandbox_url.rstrip('/')}/sandbox/failures",
                json=_failure(fields),
                timeout=SANDBOX_SECONDS_MAX,
                trust_env=False,
            )
        except httpx.HTTPError:
            raise WishRejected("The sandbox does not answer, so nothing was done. Is it running?", 503) from None
        if not answer.is_success:
            raise WishRejected(f"The sandbox did not take this (HTTP {answer.status_code}).", 422)
        self._wait_for_news()
        return RedirectResponse("/", SEE_OTHER)

    def _wait_for_news(self) -> None:
        """Until the sandbox has delivered, and, under the manual clock, until all of it is applied; not for ever."""
        sandbox = SandboxClock(self._face.settings.sandbox_url)
        give_up = time.monotonic() + DELIVERED_SECONDS_MAX
        try:
            while sandbox.face().undelivered and time.monotonic() < give_up:
                time.sleep(POLL_SECONDS)
        finally:
            sandbox.close()
        self._face.quiet.settle()

    def _advance(self, request: Request, fields: Mapping[str, str]) -> Response:
        self._admitted(request, fields)
        match fields.get("where"):
            case "next":
                next_at = move_clock(self._face, seconds=0).next_due_at
                if next_at is None:
                    raise WishRejected("Nothing is due any more, so there is no next date to go to.", 409)
                move_clock(self._face, to=next_at)
            case "day":
                move_clock(self._face, seconds=DAY.total_seconds())
            case "date":
                move_clock(self._face, to=_instant(fields.get("to", "")))
            case _:
                raise BadRequest("Choose where to go: to what is due next, by a day, or to a date.")
        return RedirectResponse("/", SEE_OTHER)


def _failure(fields: Mapping[str, str]) -> dict[str, object]:
    """The form in the sandbox's words; ids that nobody gave are made up."""
    currency, decline = fields.get("currency", ""), fields.get("decline", "")
    if currency not in CURRENCIES or decline not in DECLINES:
        raise BadRequest("Choose a currency and a decline from the lists.")
    customer = {
        "id": f"cus_{secrets.token_hex(4)}",
        "name": fields.get("name") or None,
        "email": fields.get("email") or None,
    }
    return {
        "customer": customer,
        "amount_minor": _amount_minor(fields.get("amount", ""), currency),
        "currency": currency,
        "decline": decline,
    }


def _amount_minor(text: str, currency: str) -> int:
    """An amount as people write it, in the processor's minor units."""
    digits = exponent("sandbox", currency)
    try:
        units = Decimal(text.strip()) if len(text) <= AMOUNT_DIGITS_MAX else Decimal(-1)
        minor = units.scaleb(digits)
        if units.is_finite() and minor > 0 and minor == int(minor):
            return int(minor)
    except InvalidOperation:
        pass
    example = Decimal(49).quantize(Decimal(1).scaleb(-digits))
    raise BadRequest(f"Write the amount in {currency.upper()}, more than nothing, as {example}.")


def _instant(text: str) -> datetime:
    """A date and time as a browser's field writes it, in UTC."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise BadRequest("Write the date as 2026-07-01T09:00.") from None
