"""Time that a person moves: it is a document in the store, so that every process sees the same.

Moving it never jumps over work. It goes to the earliest instant at which anything is due, here or at the sandbox, does all of it there until both are quiet,
and only then goes on, until the target. Socket time-outs alone stay in real time.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from threading import Lock

import httpx
import msgspec

from dunr.application import Application
from dunr.certificates import trusted
from dunr.core.saying import said
from dunr.errors import StoreUnavailable, WishRejected
from dunr.ports import Store

CLOCK = "clock"
WRITE_TRIES_MAX = 20
ADVANCE_MAX = timedelta(days=800)
INSTANTS_MAX = 100_000
QUIET_REAL_SECONDS_MAX = 60.0
POLL_SECONDS = 0.01
SANDBOX_REAL_SECONDS_MAX = 300.0  # one move of the sandbox delivers webhooks, and waits for each answer

_MOVING = Lock()  # concurrent advances wait for each other


class StoreClock:
    """The port `Clock` over a document. It stands still until somebody moves it, and never goes back."""

    def __init__(self, store: Store, start: datetime) -> None:
        """`start` counts only where the store does not know its time yet."""
        self._store = store
        store.put_document(CLOCK, start.astimezone(UTC).isoformat().encode(), 0)

    def now(self) -> datetime:
        """The time as every process sees it."""
        return self._read()[0]

    def move(self, to: datetime) -> None:
        """Move the time forward; where it is there already, or further, it stays."""
        for _ in range(WRITE_TRIES_MAX):
            now, version = self._read()
            if to <= now or self._store.put_document(CLOCK, to.astimezone(UTC).isoformat().encode(), version):
                return
        raise StoreUnavailable("The clock was moved again and again by others; try again.")

    def _read(self) -> tuple[datetime, int]:
        document = self._store.document(CLOCK)
        if document is None:
            raise StoreUnavailable("The manual clock is not in the store any more; restore the documents table.")
        return datetime.fromisoformat(document.body.decode()), document.version


class ClockFace(msgspec.Struct, frozen=True):
    """The sandbox's clock: its time, when something is due there next, and how many webhooks are due and not answered."""

    mode: str
    now: datetime
    next_due_at: datetime | None
    undelivered: int


class SandboxClock:
    """The sandbox's clock over HTTP. Raises `WishRejected` with what to do."""

    def __init__(self, sandbox_url: str) -> None:
        """Keep the address; nothing is asked yet."""
        self._http = httpx.Client(
            base_url=sandbox_url, timeout=SANDBOX_REAL_SECONDS_MAX, verify=trusted(), trust_env=False
        )

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()

    def face(self) -> ClockFace:
        """What the clock shows."""
        return self._ask("GET", None)

    def move(self, to: datetime) -> ClockFace:
        """Move it, doing all that is due on the way at its own instant."""
        return self._ask("POST", {"to": to.astimezone(UTC).isoformat()})

    def _ask(self, method: str, body: object) -> ClockFace:
        try:
            answer = self._http.request(method, "/sandbox/clock", json=body)
            if answer.status_code == HTTPStatus.CONFLICT:
                raise WishRejected(
                    "The sandbox's clock cannot be moved there. Start it with --clock manual, and move time here only.",
                    409,
                )
            answer.raise_for_status()
            return msgspec.json.decode(answer.content, type=ClockFace)
        except (httpx.HTTPError, msgspec.MsgspecError) as error:
            raise WishRejected(
                f"The sandbox's clock does not answer ({type(error).__name__}). Is it running?", 503
            ) from None


@dataclass(frozen=True, slots=True)
class Advanced:
    """Where the time stands now, and when something is due next, here or at the sandbox."""

    now: datetime
    next_due_at: datetime | None


def advance(
    application: Application,
    sandbox: SandboxClock | None,
    *,
    to: datetime | None = None,
    seconds: float | None = None,
) -> Advanced:
    """Move the time to a target, doing everything that is due on the way at its own instant, the daily sweep included."""
    clock = application.clock
    if not isinstance(clock, StoreClock):
        raise WishRejected("The clock runs by itself. Start dunr with --clock manual to move it.", 409)
    with _MOVING:
        walk = _Walk(application, clock, sandbox)
        target = _target(clock.now(), to, seconds)
        walk.run(target)
        return Advanced(clock.now(), walk.next_due_at())


def _target(now: datetime, to: datetime | None, seconds: float | None) -> datetime:
    """Where to go; a wish that cannot be meant is refused."""
    if (to is None) == (seconds is None):
        raise WishRejected('Name a target: {"to": "2026-07-01T09:00:00Z"} or {"seconds": 3600}, and not both.', 422)
    if to is not None and to.tzinfo is None:
        raise WishRejected("`to` has no time zone; write it as 2026-07-01T09:00:00Z.", 422)
    if seconds is not None and not 0 <= seconds <= ADVANCE_MAX.total_seconds():
        raise WishRejected(f"`seconds` must be between 0 and {int(ADVANCE_MAX.total_seconds())}.", 422)
    target = to.astimezone(UTC) if to is not None else now + timedelta(seconds=seconds or 0)
    if target < now:
        raise WishRejected(f"It is {said(now, 'UTC')}, and the clock cannot go back to {said(target, 'UTC')}.", 409)
    if target - now > ADVANCE_MAX:
        raise WishRejected(f"At most {ADVANCE_MAX.days} days can be passed at once.", 422)
    return target


class _Walk:
    """One advance: from instant to instant, quiet at each."""

    def __init__(self, application: Application, clock: StoreClock, sandbox: SandboxClock | None) -> None:
        self._application = application
        self._clock = clock
        self._sandbox = sandbox
        self._sweep = application.sweep

    def run(self, target: datetime) -> None:
        """Go there. The instant at which we stand is finished first."""
        self._stand_at(self._clock.now())
        for _ in range(INSTANTS_MAX):
            at = self._next_at()
            if at > target:
                break
            self._stand_at(max(at, self._clock.now()))
        else:
            raise RuntimeError(f"still not there after {INSTANTS_MAX} instants: something is due again and again")
        self._stand_at(target)

    def next_due_at(self) -> datetime | None:
        """The earliest instant of both."""
        ours = self._application.store.next_due_at()
        theirs = self._sandbox.face().next_due_at if self._sandbox is not None else None
        return min((at for at in (ours, theirs) if at is not None), default=None)

    def _next_at(self) -> datetime:
        """Where to stop next. The sweep is on the way, though nobody who asks what is due means it."""
        return min(at for at in (self.next_due_at(), self._sweep.next_at()) if at is not None)

    def _stand_at(self, at: datetime) -> None:
        """Our clock first: a webhook that the sandbox signs on its way must not come from our future. A sandbox that is ahead of us waits."""
        self._clock.move(at)
        if self._sandbox is not None and self._sandbox.face().now <= at:
            self._sandbox.move(at)
        self._until_quiet()
        if self._sweep.run_if_due():
            self._until_quiet()

    def _until_quiet(self) -> None:
        """In turns, until neither side has anything to do at this instant."""
        give_up = time.monotonic() + QUIET_REAL_SECONDS_MAX
        while True:
            done_count = self._application.runner.run_until_quiet()
            undelivered = self._sandbox.face().undelivered if self._sandbox is not None else 0
            if not done_count and not undelivered:
                return
            if undelivered:
                if time.monotonic() > give_up:
                    raise WishRejected(f"{undelivered} webhooks of the sandbox are still on their way. Try again.", 503)
                time.sleep(POLL_SECONDS)
