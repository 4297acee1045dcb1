"""What an operator reads beside the cases: alerts, dead letters, the ledger, the stops."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from dunr.brake_desk import Act, Held, is_meant
from dunr.core.effects import RaiseAlert
from dunr.entry.web.face import WebFace
from dunr.entry.web.operations import Answer, Call, Operation
from dunr.entry.web.shapes import AlertAnswer, PostingAnswer
from dunr.entry.web.stories import alerts_answer, postings_answer
from dunr.errors import BadRequest, NoSuchThing
from dunr.ports import InboundState
from dunr.rulebook import EVERYWHERE, Stop
from dunr.tokens import Scope


class AlertsAnswer(msgspec.Struct, frozen=True):
    """Alerts, newest first; and how many webhooks came with a wrong signature since this process began."""

    alerts: tuple[AlertAnswer, ...]
    bad_signatures_count: int


class DeadLetterAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A received event that was not applied, and why."""

    key: str
    processor: str
    type: str
    state: str
    received_at: datetime
    tries_count: int
    note: str


class DeadLettersAnswer(msgspec.Struct, frozen=True):
    """Dead letters, newest first."""

    deadletters: tuple[DeadLetterAnswer, ...]


class LedgerAnswer(msgspec.Struct, frozen=True):
    """Ledger entries, first posted first."""

    postings: tuple[PostingAnswer, ...]


class StopsAnswer(msgspec.Struct, frozen=True):
    """Everything that is stopped now, what the automatic brake holds by itself, and what was done to either, newest first."""

    stops: tuple[Stop, ...]
    brakes: tuple[Held, ...]
    record: tuple[Act, ...]


class LiftBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Let go of what the automatic brake holds: of one account, network or country of issue; of all of it where none is named."""

    account: str | None = None
    network: str | None = None
    country: str | None = None
    why: Annotated[str, msgspec.Meta(max_length=1000)] = ""


class StopBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Stop something (`stopped`: true) or let it go on. `scope` is `processor:account`, or `*` for everywhere."""

    kind: Literal["charges", "pauses", "mail"]
    why: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    scope: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] = EVERYWHERE
    stopped: bool = True


def list_alerts(face: WebFace, call: Call) -> Answer:
    """What people must hear of."""
    records = face.application.reports.effects(kind=RaiseAlert.__name__, case_id=None, limit=call.limit)
    return Answer(AlertsAnswer(alerts_answer(records), face.bad_signatures_count))


class EndBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Say that nothing is left to be done about an alert."""

    key: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
    why: Annotated[str, msgspec.Meta(max_length=1000)] = ""


class EndedAnswer(msgspec.Struct, frozen=True):
    """Whether anybody had been told of it and hears now that it is over."""

    key: str
    is_told: bool


def end_alert(face: WebFace, call: Call) -> Answer:
    """A person has seen to it. If the trouble comes back, it is another alert."""
    body = call.read(EndBody)
    text = f"{call.actor} has seen to it{f': {body.why}' if body.why else ''}."
    is_told = face.application.intake.alerts.end(body.key, text)
    face.quiet.settle()
    return Answer(EndedAnswer(body.key, is_told))


def list_dead_letters(face: WebFace, call: Call) -> Answer:
    """What was received and given up, or skipped."""
    state = call.query.get("state", InboundState.DEAD.value)
    if state not in (InboundState.DEAD, InboundState.IGNORED):
        raise BadRequest("state must be dead or ignored.")
    rows = face.application.reports.inbounds(state=InboundState(state), limit=call.limit)
    letters = (
        DeadLetterAnswer(
            key=row.key,
            processor=row.processor,
            type=row.event_type,
            state=row.state,
            received_at=row.received_at,
            tries_count=row.tries_count,
            note=row.note,
        )
        for row in rows
    )
    return Answer(DeadLettersAnswer(tuple(letters)))


def redrive(face: WebFace, call: Call) -> Answer:
    """Give one another chance."""
    key = call.path["key"]
    if not face.application.intake.redrive(key):
        raise NoSuchThing("There is no dead or skipped event of that key; GET /v1/deadletters lists them.")
    face.quiet.settle()
    row = face.application.store.inbound(key)
    assert row is not None, "it was redriven a moment ago"
    return Answer(
        DeadLetterAnswer(
            key=row.key,
            processor=row.processor,
            type=row.event_type,
            state=row.state,
            received_at=row.received_at,
            tries_count=row.tries_count,
            note=row.note,
        ),
        202,
    )


def ledger(face: WebFace, call: Call) -> Answer:
    """Entries of one case, or of all."""
    given = call.query.get("case")
    case_id = face.case(given).id if given else None
    return Answer(LedgerAnswer(postings_answer(face.application.reports.postings(case_id, call.limit))))


def list_stops(face: WebFace, _call: Call) -> Answer:
    """The brake, as it stands."""
    return _stops_answer(face)


def _stops_answer(face: WebFace) -> Answer:
    brakes = face.application.brakes
    return Answer(StopsAnswer(face.application.rulebook.all_stops(), brakes.held(), brakes.record(RECORD_SHOWN)))


def lift(face: WebFace, call: Call) -> Answer:
    """Let go of what holds by itself."""
    body, brakes = call.read(LiftBody), face.application.brakes
    wanted = [one for one in brakes.held() if is_meant(one, body.account, body.network, body.country)]
    if not wanted:
        raise NoSuchThing("Nothing of that holds by itself; GET /v1/stops shows what does.")
    for one in wanted:
        brakes.lift(one, body.why, call.actor)
    face.quiet.settle()
    return _stops_answer(face)


def change_stops(face: WebFace, call: Call) -> Answer:
    """Pull the brake, or let it go."""
    body = call.read(StopBody)
    if body.stopped:
        face.application.brakes.stop(body.kind, body.scope, body.why or f"stopped by {call.actor}", call.actor)
    else:
        face.application.brakes.resume(body.kind, body.scope, body.why, call.actor)
    face.quiet.settle()
    return list_stops(face, call)


RECORD_SHOWN = 50
_LIMIT = {"limit": "How many at most."}

OPERATIONS = (
    Operation("GET", "/v1/alerts", "What people must hear of", list_alerts, AlertsAnswer, query=_LIMIT),
    Operation("POST", "/v1/alerts/end", "Say that an alert is over", end_alert, EndedAnswer, Scope.ACT, 200, EndBody),
    Operation(
        "GET",
        "/v1/deadletters",
        "Received events that were given up",
        list_dead_letters,
        DeadLettersAnswer,
        query={"state": "`dead` (given up) or `ignored` (recorded and skipped).", **_LIMIT},
    ),
    Operation(
        "POST",
        "/v1/deadletters/{key}/redrive",
        "Apply a dead letter again",
        redrive,
        DeadLetterAnswer,
        Scope.ACT,
        202,
        refusals=(404,),
    ),
    Operation(
        "GET",
        "/v1/ledger",
        "The ledger",
        ledger,
        LedgerAnswer,
        query={"case": "Only entries of this case.", **_LIMIT},
        refusals=(404,),
    ),
    Operation("GET", "/v1/stops", "What is stopped", list_stops, StopsAnswer),
    Operation("POST", "/v1/stops", "Stop, or go on", change_stops, StopsAnswer, Scope.ADMIN, 200, StopBody),
    Operation(
        "POST",
        "/v1/stops/lift",
        "Let go of what holds by itself",
        lift,
        StopsAnswer,
        Scope.ADMIN,
        200,
        LiftBody,
        refusals=(404,),
    ),
)
