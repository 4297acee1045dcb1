"""Notices that no mail server took: which there are, and another chance for one."""

from typing import Annotated

import msgspec

from dunr.dead_notices import DeadNotice, dead_notices
from dunr.dead_notices import redrive as try_again
from dunr.entry.web.face import WebFace, refuse_nul
from dunr.entry.web.operations import Answer, Call, Operation
from dunr.errors import NoSuchThing
from dunr.tokens import Scope


class DeadNoticesAnswer(msgspec.Struct, frozen=True):
    """Notices that were given up, newest first."""

    notices: tuple[DeadNotice, ...]


class RedriveBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which notice, by its key; as the answer, the one that is tried again, and leaves if it is still true."""

    key: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


def list_dead(face: WebFace, call: Call) -> Answer:
    """What was given up."""
    return Answer(DeadNoticesAnswer(tuple(dead_notices(face.application.reports, call.limit))))


def redrive(face: WebFace, call: Call) -> Answer:
    """Give one another chance."""
    key = call.read(RedriveBody).key
    refuse_nul(key)
    if not try_again(face.application.store, key, face.application.clock.now()):
        raise NoSuchThing("There is no notice of that key that was given up; GET /v1/notices/dead lists them.")
    face.quiet.settle()
    return Answer(RedriveBody(key), 202)


OPERATIONS = (
    Operation(
        "GET",
        "/v1/notices/dead",
        "Notices that no mail server took",
        list_dead,
        DeadNoticesAnswer,
        query={"limit": "How many at most."},
    ),
    Operation(
        "POST",
        "/v1/notices/redrive",
        "Try a notice again that was given up",
        redrive,
        RedriveBody,
        Scope.ACT,
        202,
        RedriveBody,
        refusals=(404,),
    ),
)
