"""The page behind the link in a mail, where a customer can put a new card on file or pay. GET shows and changes nothing; POST acts.

The link is signed and entitles to one case in one round. While an attempt is under way, the page waits for it: nobody pays twice.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dunr.core.events import PayNow
from dunr.core.model import Case
from dunr.core.terms import DeclineKind, DeclineReason, Outcome
from dunr.entry.web.bodies import API_BODY_BYTES_MAX, read_body
from dunr.entry.web.face import WebFace
from dunr.entry.web.pages import LOCALE, page
from dunr.entry.web.wishes import CUSTOMER, begin_attempt
from dunr.errors import CallerError, WishRejected
from dunr.mail.dates import date_text, zone_of
from dunr.mail.links import CardLinks, LinkExpired, LinkForged
from dunr.ports import ObjectMissing, Refs, SnapshotUnavailable

SEE_OTHER = 303
CONFLICT = 409
TOO_MANY = 429
UNREACHABLE = WishRejected(
    "Our payment provider cannot be reached now. Nothing was done; try again in a few minutes.", 503
)
# Why we refuse is for the operators' eyes: it may name the issuer's stop or the words of whoever pulled the brake.
REFUSED = (
    "The card on file cannot be charged now, and nothing was charged. Please use another card, or try again later."
)
TRIED_OFTEN = "The card on file was tried several times already, and nothing was charged now. Please use another card, or try again tomorrow."


@dataclass(frozen=True, slots=True)
class CardPage:
    """What the page shows of a case."""

    merchant: str
    invoice: str
    amount_minor: int
    currency: str
    processor: str
    is_open: bool
    is_paid: bool
    is_processing: bool
    is_paused: bool
    is_card_usable: bool
    asks_to_confirm: bool
    next_date: str | None
    pause_date: str | None


class CardLinkPages:
    """GET /pay/{token}, and what its two buttons do."""

    def __init__(self, face: WebFace, links: CardLinks) -> None:
        self._face = face
        self._links = links
        self._headers = {"Content-Security-Policy": _content_policy(face)}

    def routes(self) -> list[Route]:
        """The page, *update* and *pay now*."""
        return [
            Route("/pay/{token}", self.show, methods=["GET"]),
            Route("/pay/{token}/update", self.update, methods=["POST"]),
            Route("/pay/{token}/pay-now", self.pay_now, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """What is owed and what happens next."""
        return await self._face.reading.run(partial(self._show, request.path_params["token"]))

    async def update(self, request: Request) -> Response:
        """On to a fresh page of the processor, where a card can be entered."""
        await read_body(request, API_BODY_BYTES_MAX)
        return await self._face.acting.run(partial(self._update, request.path_params["token"]))

    async def pay_now(self, request: Request) -> Response:
        """One attempt now, by the card on file."""
        await read_body(request, API_BODY_BYTES_MAX)
        return await self._face.acting.run(partial(self._pay_now, request.path_params["token"]))

    # --- in a thread ------------------------------------------------------------------------------------------------------------

    def _case(self, token: str) -> Case:
        """The case that a link is for. Raises `LinkForged` or `LinkExpired`."""
        claims = self._links.read(token, self._face.now())
        if claims.is_about_a_card:
            raise LinkForged("There is nothing to pay by this link.")
        case = self._face.application.store.load(claims.case_id, Refs()).case
        if case is None:
            raise LinkForged("This link is not one of ours.")
        if case.round != claims.round:
            raise LinkExpired(claims)
        return case

    def _show(self, token: str) -> Response:
        try:
            if self._links.read(token, self._face.now()).is_about_a_card:
                merchant = self._face.settings.merchant_name
                return page("card_expiring.html", {"merchant": merchant, "token": token}, 200, self._headers)
            return self._page("pay.html", self._case(token), token)
        except (LinkForged, LinkExpired) as refused:
            return self._sorry(refused)

    def _update(self, token: str) -> Response:
        try:
            claims = self._links.read(token, self._face.now())
            if claims.is_about_a_card:
                return RedirectResponse(self._fresh_page(claims.case_id, None), SEE_OTHER, self._headers)
            case = self._case(token)
            if not case.is_open or case.in_flight is not None:
                return self._page("pay.html", case, token, CONFLICT)
            if case.customer_id is None:
                raise WishRejected("This invoice cannot be paid online; please write to us.", CONFLICT)
            url = self._fresh_page(case.customer_id, case.processor_invoice_id)
        except CallerError as refused:
            return self._sorry(refused)
        except (SnapshotUnavailable, ObjectMissing):
            return self._sorry(UNREACHABLE)
        return RedirectResponse(url, SEE_OTHER, self._headers)

    def _fresh_page(self, customer_id: str, processor_invoice_id: str | None) -> str:
        """A page of the processor's for a customer, by the id of their row. Raises `SnapshotUnavailable` or `ObjectMissing`."""
        name, account, processor_customer_id = customer_id.split(":", 2)
        processor = self._face.application.processors[name]
        return processor.update_link(account, processor_customer_id, processor_invoice_id)

    def _pay_now(self, token: str) -> Response:
        try:
            case = self._case(token)
            if not case.is_open or case.in_flight is not None:
                return self._page("pay.html", case, token, CONFLICT)
            attempt = begin_attempt(self._face, case.id, PayNow(CUSTOMER))
        except WishRejected as refused:
            return self._sorry(_kindly(refused))
        except CallerError as refused:
            return self._sorry(refused)
        template = {Outcome.SUCCEEDED: "paid.html", Outcome.DECLINED: "declined.html"}.get(
            attempt.outcome or Outcome.UNKNOWN, "processing.html"
        )
        return self._page(template, self._face.case(case.id), token)

    def _page(self, template: str, case: Case, token: str, status: int = 200) -> Response:
        return page(template, {"pay": self._card_page(case), "token": token}, status, self._headers)

    def _card_page(self, case: Case) -> CardPage:
        """The dates are those of the plan, in the customer's own timezone."""
        application = self._face.application
        customer = application.store.load(case.id, Refs()).customer
        zone = zone_of(
            customer.payer.timezone if customer is not None else None,
            application.rulebook.policy(case.policy_hash).timezone,
        )

        def told(at: datetime | None) -> str | None:
            return date_text(at, zone, LOCALE) if at is not None else None

        step, reason = case.plan.next_step, case.deciding_reason
        kind = application.engine.facts.reasons[reason].kind if reason is not None else None
        return CardPage(
            merchant=self._face.settings.merchant_name,
            invoice=case.processor_invoice_id,
            amount_minor=case.amount_due_minor,
            currency=case.currency,
            processor=case.processor,
            is_open=case.is_open,
            is_paid=case.amount_due_minor == 0,
            is_processing=case.in_flight is not None,
            is_paused=case.paused_at is not None,
            is_card_usable=kind not in (DeclineKind.ACTION, DeclineKind.HARD),
            asks_to_confirm=reason is DeclineReason.AUTHENTICATION_REQUIRED,
            next_date=told(step.at if step is not None else None),
            pause_date=told(case.plan.pause_at if case.paused_at is None else None),
        )

    def _sorry(self, error: CallerError) -> Response:
        """A friendly page instead of what was asked for."""
        return page(
            "sorry.html",
            {
                "title": error.title,
                "detail": str(error),
                "is_gone": error.http_status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE),
                "merchant": self._face.settings.merchant_name,
            },
            error.http_status,
            self._headers,
        )


def _kindly(refused: WishRejected) -> WishRejected:
    """The same refusal in words for a customer."""
    match refused.http_status:
        case UNREACHABLE.http_status:
            return UNREACHABLE
        case status:
            return WishRejected(TRIED_OFTEN if status == TOO_MANY else REFUSED, status)


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
