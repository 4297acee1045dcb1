"""The headers that every answer carries: no script, no frame, no guessing of types, and nothing private in a cache."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
CACHE_CONTROL = b"cache-control"
CONTENT_SECURITY_POLICY = b"content-security-policy"
FIXED = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),  # a card link must not travel to the processor's page
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


SAFE = {
    name.decode(): value.decode() for name, value in FIXED
} | {  # for the answer to an error that nobody expected, which is made outside
    "cache-control": "no-store",
    "content-security-policy": CONTENT_POLICY,
}


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
                headers = message["headers"] = list(message.get("headers", ()))
                names = {name for name, _ in headers}
                headers.extend(FIXED)
                if CACHE_CONTROL not in names:
                    headers.append((CACHE_CONTROL, b"no-store"))
                if CONTENT_SECURITY_POLICY not in names:
                    headers.append((CONTENT_SECURITY_POLICY, CONTENT_POLICY.encode()))
            await send(message)

        await self.app(scope, receive, send_with_headers)
