"""Is the process alive, and can it serve? Asked by whatever watches it, so without a token and without a word about customers."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr.adoption import identified, is_stopped_as_copy, refuse_if_swapped
from dunr.entry.web.face import WebFace


class HealthAnswer(msgspec.Struct, frozen=True):
    """The process is alive."""

    status: str


class ReadyAnswer(msgspec.Struct, frozen=True):
    """The store answers. `identity_stop`: the database is a copy, so events are received and shown, and nothing is sent until it is adopted."""

    status: str
    identity_stop: bool
    stopped: tuple[str, ...]


def health_routes(face: WebFace) -> list[Route]:
    """/healthz and /readyz."""

    async def alive(_request: Request) -> Response:
        return Response(msgspec.json.encode(HealthAnswer("ok")), media_type="application/json")

    async def ready(_request: Request) -> Response:
        answer = await face.reading.run(lambda: _ready(face))
        return Response(msgspec.json.encode(answer), media_type="application/json")

    return [Route("/healthz", alive, methods=["GET"]), Route("/readyz", ready, methods=["GET"])]


def _ready(face: WebFace) -> ReadyAnswer:
    """Raises `StoreUnavailable`, which is answered with 503."""
    rulebook, store = face.application.rulebook, identified(face.application.store)
    if store is not None:
        refuse_if_swapped(store, rulebook)
    stops = rulebook.standing(face.settings.processor, face.settings.account).stops
    stopped = tuple(
        kind for kind, why in (("charges", stops.charges), ("pauses", stops.pauses), ("mail", stops.mail)) if why
    )
    return ReadyAnswer("ready", is_stopped_as_copy(rulebook), stopped)
