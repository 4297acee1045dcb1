"""POST /webhooks/ses: bounces and complaints as SNS posts them. Answered once they are taken in; what is not proved is refused, and SNS tries again."""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr.entry.feedback import FeedbackTaker
from dunr.entry.web.bodies import read_body
from dunr.entry.web.face import WebFace
from dunr.mailroom import return_paths, sns_door

BODY_BYTES_MAX = 300_000  # SNS sends 256 kB at most


def feedback_routes(face: WebFace) -> list[Route]:
    """The route, where the settings name a topic."""
    door = sns_door(face.settings, face.now)
    if door is None:
        return []
    taker = FeedbackTaker(face.application.engine, return_paths(face.settings))

    def take(body: bytes) -> None:
        feedback = door.read(body)
        if feedback is not None:
            taker.take(feedback)

    async def received(request: Request) -> Response:
        body = await read_body(request, BODY_BYTES_MAX)
        await face.acting.run(partial(take, body))
        return Response(status_code=204)

    return [Route("/webhooks/ses", received, methods=["POST"])]
