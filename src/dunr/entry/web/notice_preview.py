"""`/notices/preview`: a mail as a customer would see it, with made-up facts; its kind, language and brand stand in the address."""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr.core.terms import NoticeKind
from dunr.entry.web.admission import admit
from dunr.entry.web.face import WebFace
from dunr.entry.web.outbox import MAIL_POLICY
from dunr.errors import BadRequest
from dunr.mail.preview import preview
from dunr.mail.wiring import mail_brands, mail_renderer
from dunr.tokens import Scope

# A logo may lie with somebody else.
POLICY = MAIL_POLICY.replace("img-src 'self'", "img-src 'self' https:")
LOCALE_LENGTH_MAX = 35


def preview_routes(face: WebFace) -> list[Route]:
    """The one page."""

    async def shown(request: Request) -> Response:
        return await face.reading.run(partial(_shown, face, request))

    return [Route("/notices/preview", shown, methods=["GET"])]


def _shown(face: WebFace, request: Request) -> Response:
    admit(face, request, Scope.READ)
    asked = request.query_params
    kind, locale, brand = asked.get("kind", "first"), asked.get("locale", "en"), asked.get("brand", "")
    if kind not in list(NoticeKind):
        raise BadRequest(f"There is no such kind of notice: write kind={'|'.join(NoticeKind)}.")
    brands = mail_brands(face.settings).all()
    if brand and brand not in brands:
        raise BadRequest(f"There is no such brand: write brand={'|'.join(brands)}, or leave it out.")
    renderer, now = mail_renderer(face.settings), face.application.clock.now()
    mail = preview(renderer, NoticeKind(kind), locale[:LOCALE_LENGTH_MAX], now, face.settings.processor, brand)
    return Response(mail.html, headers={"Content-Security-Policy": POLICY}, media_type="text/html; charset=utf-8")
