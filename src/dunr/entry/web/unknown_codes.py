"""The inbox of codes that no table knows, and the meanings that the merchant gives to them."""

from typing import Annotated

import msgspec

from dunr.core.terms import DeclineReason
from dunr.entry.web.face import WebFace
from dunr.entry.web.operations import Answer, Call, Operation
from dunr.tokens import Scope
from dunr.unknown_declines import UnknownDecline, unknown_declines

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class UnknownDeclinesAnswer(msgspec.Struct, frozen=True):
    """Codes that no table knows, the most frequent first, each with what it probably means."""

    unknown: tuple[UnknownDecline, ...]


class MappingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a code means from now on. `processor` is the card network for a network's code."""

    processor: Name
    field: Name
    code: Name
    reason: DeclineReason


class MappingAnswer(msgspec.Struct, frozen=True):
    """A meaning that was given to a code; it counts from the next decline on."""

    processor: str
    field: str
    code: str
    reason: DeclineReason


def list_unknown(face: WebFace, call: Call) -> Answer:
    """What came and is in no table."""
    application = face.application
    application.rulebook.mappings.stored()
    return Answer(UnknownDeclinesAnswer(unknown_declines(application.reports, application.engine.facts, call.limit)))


def give_meaning(face: WebFace, call: Call) -> Answer:
    """Write a meaning down."""
    body = call.read(MappingBody)
    face.application.rulebook.mappings.put((body.processor, body.field, body.code), body.reason)
    return Answer(MappingAnswer(body.processor, body.field, body.code, body.reason))


OPERATIONS = (
    Operation(
        "GET",
        "/v1/declines/unknown",
        "Codes that no table knows",
        list_unknown,
        UnknownDeclinesAnswer,
        query={"limit": "How many at most."},
    ),
    Operation(
        "POST",
        "/v1/declines/mappings",
        "Give a code a meaning",
        give_meaning,
        MappingAnswer,
        Scope.ADMIN,
        200,
        MappingBody,
    ),
)
