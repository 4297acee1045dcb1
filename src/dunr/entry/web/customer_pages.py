"""What all pages for customers have in common: their language, their headers, the friendly no, and what a stranger may try.

They show no script, ask nobody else for anything, tell nobody where the reader came from, and want to be in no search engine: the address is the key.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from dunr.entry.web.admission import FOREIGN_SITES
from dunr.entry.web.face import WebFace
from dunr.entry.web.pace import Pace, TooFast
from dunr.entry.web.pages import page
from dunr.entry.web.speech import Speech, speech
from dunr.errors import CallerError, NotPermitted, WishRejected
from dunr.mail.links import LinkExpired, LinkForged

GUESSES_AT_ONCE, GUESS_SECONDS = 60, 2.0  # links that are none of ours, by one address
FORBIDDEN = 403


class Told(WishRejected):
    """A refusal that is a sentence of ours, by its key."""

    def __init__(self, key: str, http_status: int) -> None:
        super().__init__(key, http_status)
        self.key = key


class CustomerPages:
    """The pages of one purpose; see `links` and `reminders`."""

    def __init__(self, face: WebFace) -> None:
        self.face = face
        self._guesses = Pace(GUESSES_AT_ONCE, GUESS_SECONDS)
        self.headers: Mapping[str, str] = {
            "Content-Security-Policy": _content_policy(face),
            "Referrer-Policy": "no-referrer",
            "X-Robots-Tag": "noindex, nofollow, noarchive",
        }

    def speech(self, request: Request, payer_locale: str | None = None) -> Speech:
        """The language of the page."""
        return speech(request.query_params.get("lang"), payer_locale, request.headers.get("accept-language"))

    def page(self, template: str, say: Speech, values: Mapping[str, object], status: int = 200) -> Response:
        """A page in a language."""
        merchant = self.face.settings.merchant_name
        return page(f"customer/{template}", {"say": say, "merchant": merchant, **values}, status, self.headers)

    def sorry(self, say: Speech, refused: CallerError) -> Response:
        """A friendly page instead of what was asked for."""
        match refused:
            case Told():
                text = say(refused.key)
            case TooFast():
                text = say("too_fast")
            case _:
                text = say("refused_text")
        return self.page("note.html", say, {"title": say("refused_title"), "text": text}, refused.http_status)

    def gone(self, say: Speech, refused: LinkForged | LinkExpired, token: str) -> Response:
        """A friendly page for a link that does not work, with the way to a new one. What a stranger wrote in the address is not repeated."""
        is_genuine = isinstance(refused, LinkExpired)
        values = {"is_genuine": is_genuine, "token": token if is_genuine else "-"}
        return self.page("gone.html", say, values, refused.http_status)

    def stranger(self, request: Request) -> str:
        """By what somebody is told from others who have no link."""
        return request.client.host if request.client is not None else ""

    def count_forged(self, request: Request) -> None:
        """One more link that is none of ours. Raises `TooFast`."""
        self._guesses.take(self.stranger(request))

    def refuse_foreign_pages(self, request: Request) -> None:
        """No page of somebody else presses our buttons. Browsers leave the origin out where nothing is told to whom a link leads: it is "null" then."""
        ours = (request.headers.get("host", ""), urlsplit(self.face.settings.links_base).netloc)
        origin = request.headers.get("origin", "null")
        is_foreign = origin != "null" and origin.partition("://")[2] not in ours
        if request.headers.get("sec-fetch-site") in FOREIGN_SITES or is_foreign:
            raise NotPermitted("This was asked by a page of somebody else.", FORBIDDEN)


def _content_policy(face: WebFace) -> str:
    """A form may lead on to the processor's page, since browsers hold a redirect after a form to this rule too."""
    targets = ["'self'", "https:"]
    if face.has_sandbox:
        sandbox = urlsplit(face.settings.sandbox_url)
        targets.append(f"{sandbox.scheme}://{sandbox.netloc}")
    return (
        "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
        f"form-action {' '.join(targets)}"
    )
