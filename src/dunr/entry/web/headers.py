"""The headers that every answer carries: no script, no frame, no guessing of types, and nothing private in a cache. And those of a request, read at once."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
FIXED = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
DEFAULTS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"referrer-policy", b"same-origin"),
)

# For the answer to an error that nobody expected, which is made outside.
SAFE = {name.decode(): value.decode() for name, value in (*FIXED, *DEFAULTS)}


def guarded(own: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer with all that it does not set by itself."""
    headers = [*own, *FIXED]
    names = {name for name, _ in headers}
    headers.extend(default for default in DEFAULTS if default[0] not in names)
    return headers


def first_of_each(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers of a request by their names in lower case; of those that came twice, the first."""
    told: dict[str, str] = {}
    for name, value in headers:
        told.setdefault(name.decode("latin-1"), value.decode("latin-1"))
    return told


class SecurityHeaders:
    """Adds them where the handler did not set its own."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, with the headers in the first message of the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = guarded(message.get("headers", ()))
            await send(message)

        await self.app(scope, receive, send_with_headers)
