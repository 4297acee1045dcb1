"""Each request has an id, the caller's own where they sent one: the log names it, and the answer carries it back.

Webhooks and entitlement checks have none: they are asked by the thousand, and the log names their events.
"""

import re
import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dunr.happenings import about

HEADER = b"x-request-id"
PLAIN = re.compile(rb"[\w.:-]{1,64}")
WITHOUT = ("/webhooks/", "/v1/entitlements/", "/static/", "/healthz")


class RequestIds:
    """Binds the id for as long as the request is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and the id with the first message of the answer."""
        if scope["type"] != "http" or scope["path"].startswith(WITHOUT):
            await self.app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == HEADER), b"")
        request_id = given if PLAIN.fullmatch(given) else secrets.token_hex(8).encode()

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (HEADER, request_id)]
            await send(message)

        with about(request_id=request_id.decode()):
            await self.app(scope, receive, send_with_id)
