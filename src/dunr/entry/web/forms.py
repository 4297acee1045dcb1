"""Forms of our pages: reading them, and knowing that it was our page that sent them.

Each browser has a random cookie that no other site's page can send along (same-site), and each form carries the signature of it.
"""

import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl

from itsdangerous import BadData, URLSafeSerializer
from starlette.requests import Request
from starlette.responses import Response

from dunr.entry.web.bodies import read_body
from dunr.errors import BadRequest, NotPermitted

COOKIE = "dunr_form"
FORM_BYTES_MAX = 16_384
FIELDS_MAX = 50
RANDOM_BYTES = 24
_PURPOSE = "dunr.form.1"


class FormSigner:
    """Issues and checks the tokens of forms."""

    def __init__(self, secret: str) -> None:
        self._serializer = URLSafeSerializer(secret, salt=_PURPOSE)

    def token(self, browser: str) -> str:
        """What the forms of a page for this browser carry."""
        return str(self._serializer.dumps(browser))

    def check(self, request: Request, fields: Mapping[str, str]) -> None:
        """Raises `NotPermitted` where the form is not from a page that we made for this browser."""
        browser = request.cookies.get(COOKIE, "")
        try:
            signed = self._serializer.loads(fields.get("form_token", ""))
        except BadData:
            signed = None
        if not browser or not isinstance(signed, str) or not hmac.compare_digest(signed.encode(), browser.encode()):
            raise NotPermitted("This form is too old, or was not made here. Open the page again and repeat.", 403)


def browser_of(request: Request) -> str:
    """The random name of this browser, or a new one."""
    return request.cookies.get(COOKIE) or secrets.token_urlsafe(RANDOM_BYTES)


def remember_browser(response: Response, request: Request, browser: str) -> Response:
    """Set the cookie where the browser has none."""
    if COOKIE not in request.cookies:
        response.set_cookie(
            COOKIE, browser, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/"
        )
    return response


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form; the last of a name counts. Raises `BadRequest`."""
    body = await read_body(request, FORM_BYTES_MAX)
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=FIELDS_MAX))
    except ValueError:
        raise BadRequest("The form cannot be read.") from None
