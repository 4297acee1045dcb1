"""Asking Stripe through its SDK: in our version, for one account, at a pace, and with an answer that is a value.

A reading is repeated where Stripe asks for it or is busy, for as long as one exchange may take; a charge goes out once. Errors of the SDK end here: what comes out is
an `Answer` with status, headers and body, or one of the port's own exceptions. Each text names Stripe's request id, for their support, and no other word of theirs.
"""

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TypeVar

import msgspec
import stripe
import structlog
from stripe import RequestOptions, StripeObject

from dunr.adapters.processors.exchange import NoAnswer, Unreadable
from dunr.adapters.processors.stripe.transport import BoundedTransport
from dunr.adapters.processors.stripe.wire import API_VERSION, ErrorBody, ErrorOnWire
from dunr.ports import KeyRefused, ObjectMissing, Pace, SnapshotUnavailable

Kind = TypeVar("Kind")

READ_TRIES_MAX = 4
PACE_WAIT_SECONDS_MAX = 5.0  # a look before a send must not grow old meanwhile
BACKOFF_SECONDS = 0.5
BACKOFF_SECONDS_MAX = 8.0
LOCK_TIMEOUT = "lock_timeout"
RESOURCE_MISSING = "resource_missing"  # a 404, or a 400 where only a parameter names what is missing
BUSY_STATUSES = frozenset({HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})
REQUEST_ID = re.compile(r"req_[A-Za-z0-9_]{1,60}")
KEY_STATUSES = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Answer:
    """One whole answer."""

    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def is_ok(self) -> bool:
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def request_id(self) -> str:
        """What Stripe's support asks for; empty where it is missing or strange."""
        told = self.headers.get("request-id", "")
        return told if REQUEST_ID.fullmatch(told) else ""

    @property
    def should_retry(self) -> bool | None:
        """Stripe's own word on whether the same request may be sent again; None where it says nothing."""
        return {"true": True, "false": False}.get(self.headers.get("stripe-should-retry", ""))

    @property
    def wait_seconds(self) -> int | None:
        """How long Stripe asks us to wait."""
        text = self.headers.get("retry-after", "")
        return max(int(text), 1) if text.isascii() and text.isdigit() and len(text) < 10 else None  # noqa: PLR2004

    @property
    def at(self) -> datetime:
        """Stripe's clock when it answered. Raises `Unreadable`."""
        try:
            told = parsedate_to_datetime(self.headers.get("date", ""))
        except ValueError:
            raise Unreadable("Stripe's answer carries no readable date") from None
        return told.replace(tzinfo=UTC) if told.tzinfo is None else told.astimezone(UTC)

    def read(self, kind: type[Kind]) -> Kind:
        """The body as the given kind. Raises `Unreadable`, which quotes nothing of it."""
        try:
            return msgspec.json.decode(self.body, type=kind)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise Unreadable(f"HTTP {self.status} with a body that cannot be read{self._named()}") from None

    def error(self) -> ErrorOnWire:
        """What went wrong; empty where the body does not say."""
        try:
            return self.read(ErrorBody).error
        except Unreadable:
            return ErrorOnWire()

    def told(self) -> str:
        """Status, code and request id, for people."""
        return f"HTTP {self.status} ({self.error().code or 'no code'}){self._named()}"

    def _named(self) -> str:
        return f", {self.request_id}" if self.request_id else ""


class StripeConnection:
    """One key's connection; threads may share it."""

    def __init__(self, *, url: str, api_key: str, account: str, timeout_seconds: float, pace: Pace) -> None:
        """`account` is the key's own; calls for another one go out as a platform's for its connected account."""
        self._transport = BoundedTransport(timeout_seconds)
        self._timeout_seconds = timeout_seconds
        self._account = account
        self._pace = pace
        self.v1 = stripe.StripeClient(
            api_key,
            stripe_version=API_VERSION,
            base_addresses={"api": url.rstrip("/")},
            max_network_retries=0,
            http_client=self._transport,
        ).v1

    def close(self) -> None:
        """Let go of the connections."""
        self._transport.close()

    def options(self, account: str, key: str | None = None) -> RequestOptions:
        """For whom a call is made, and under which idempotency key."""
        options: RequestOptions = {"max_network_retries": 0}
        if account != self._account:
            options["stripe_account"] = account
        if key is not None:
            options["idempotency_key"] = key
        return options

    def once(self, ask: Callable[[], StripeObject]) -> Answer:
        """Ask once, whatever comes of it. Raises `NoAnswer`."""
        if not self._pace.take(min(self._timeout_seconds, PACE_WAIT_SECONDS_MAX)):
            raise NoAnswer("our own rate limit is used up", sent=False)
        return self._answer(ask)

    def _answer(self, ask: Callable[[], StripeObject]) -> Answer:
        """What came back, judged by itself: where a body is strange, the SDK's opinion of it is of no use."""
        self._transport.forget()
        try:
            ask()
        except (stripe.StripeError, AttributeError, KeyError, TypeError):
            if self._transport.heard() is None:
                raise
        raw = self._transport.heard()
        if raw is None:
            raise NoAnswer("the SDK asked nothing", sent=False)
        answer = Answer(raw.status, raw.headers, raw.body)
        if not answer.is_ok:
            _log.info("stripe_refused", told=answer.told())
            if answer.status == HTTPStatus.TOO_MANY_REQUESTS and answer.error().code != LOCK_TIMEOUT:
                self._pace.refused()
        return answer

    def read(self, ask: Callable[[], StripeObject], kind: type[Kind]) -> Kind:
        """A reading as the given kind. Raises `SnapshotUnavailable`, `KeyRefused` or `ObjectMissing`."""
        return self.read_dated(ask, kind)[0]

    def read_dated(self, ask: Callable[[], StripeObject], kind: type[Kind]) -> tuple[Kind, datetime]:
        """A reading, and Stripe's clock when it was made. Raises like `read`."""
        try:
            answer = self._patiently(ask)
            _refuse_failure(answer)
            return answer.read(kind), answer.at
        except (NoAnswer, Unreadable) as failure:
            raise SnapshotUnavailable(str(failure)) from None

    def _patiently(self, ask: Callable[[], StripeObject]) -> Answer:
        """Ask again where Stripe is busy, later each time and never at the same moment as others."""
        give_up = time.monotonic() + self._timeout_seconds
        for tries_count in range(READ_TRIES_MAX):
            answer = self.once(ask)
            if not _worth_another(answer):
                break
            longest = min(BACKOFF_SECONDS * 2**tries_count, BACKOFF_SECONDS_MAX)
            wait_seconds = (answer.wait_seconds or 0) + longest * random.uniform(0.5, 1.0)  # noqa: S311 - jitter is no secret
            if tries_count + 1 == READ_TRIES_MAX or time.monotonic() + wait_seconds > give_up:
                break
            _log.info("stripe_busy", told=answer.told(), wait_seconds=round(wait_seconds, 2))
            time.sleep(wait_seconds)
        return answer


def _worth_another(answer: Answer) -> bool:
    """Whether a reading may come out otherwise a moment later. Stripe's own word counts first; after its own failures the engine waits longer than we would."""
    if answer.is_ok:
        return False
    if answer.should_retry is not None:
        return answer.should_retry
    return answer.status in BUSY_STATUSES or answer.error().code == LOCK_TIMEOUT


def _refuse_failure(answer: Answer) -> None:
    """A 404 is an object that is missing, a key that may not read is refused, anything else is a reading that failed."""
    if answer.is_ok:
        return
    if answer.status == HTTPStatus.NOT_FOUND or answer.error().code == RESOURCE_MISSING:
        raise ObjectMissing(f"Stripe does not know it: {answer.told()}")
    if answer.status in KEY_STATUSES:
        raise KeyRefused(f"the API key may not do this: {answer.told()}")
    raise SnapshotUnavailable(answer.told())
