"""The clock over the API: what time it is, and, where a person moves it, how to move it."""

from datetime import datetime

import msgspec

from dunr.entry.web.face import WebFace
from dunr.entry.web.operations import Answer, Call, Instant, Operation, in_utc
from dunr.manual_clock import SandboxClock, advance
from dunr.tokens import Scope


class ClockAnswer(msgspec.Struct, frozen=True):
    """`manual` or `system`, the time, and when something is due next, here or (after an advance) at the sandbox."""

    mode: str
    now: datetime
    next_due_at: datetime | None


class AdvanceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to go: an instant, or so many seconds from now."""

    to: Instant | None = None
    seconds: float | None = None


def move_clock(face: WebFace, *, to: datetime | None = None, seconds: float | None = None) -> ClockAnswer:
    """Go there, doing everything that is due on the way. Raises `WishRejected`."""
    sandbox = SandboxClock(face.settings.sandbox_url) if face.has_sandbox and face.quiet.manual else None
    try:
        with face.quiet.moving_clock():
            moved = advance(face.application, sandbox, to=to, seconds=seconds)
    finally:
        if sandbox is not None:
            sandbox.close()
    return ClockAnswer(face.settings.clock, moved.now, moved.next_due_at)


def clock_now(face: WebFace) -> ClockAnswer:
    """The clock as it stands."""
    return ClockAnswer(face.settings.clock, face.now(), face.application.store.next_due_at())


def show(face: WebFace, _call: Call) -> Answer:
    """What time it is."""
    return Answer(clock_now(face))


def move(face: WebFace, call: Call) -> Answer:
    """Move the time."""
    body = call.read(AdvanceBody)
    return Answer(move_clock(face, to=in_utc(body.to) if body.to is not None else None, seconds=body.seconds))


OPERATIONS = (
    Operation("GET", "/v1/test/clock", "What time it is", show, ClockAnswer),
    Operation(
        "POST",
        "/v1/test/clock/advance",
        "Move the manual clock, doing everything that is due on the way",
        move,
        ClockAnswer,
        Scope.ACT,
        200,
        AdvanceBody,
        refusals=(409, 422, 503),
    ),
)
