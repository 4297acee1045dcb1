"""The page behind the link in a mail, where a customer can put a new card on file, pay, or say when they will. GET shows and changes nothing; POST acts.

The link is signed and entitles to one case in one round; it is the secret that a stranger's page does not have, so that no form of ours needs another, nor any
cookie. While an attempt is under way, the page waits for it: nobody pays twice.
"""

from collections.abc import Callable
from datetime import date
from functools import partial

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dunr.core.events import LinkAsked, PayNow, PromiseMade
from dunr.core.model import Case
from dunr.core.terms import Outcome
from dunr.entry.web.bodies import API_BODY_BYTES_MAX, read_body
from dunr.entry.web.card_page import Wallet
from dunr.entry.web.customer_pages import CustomerPages, Told
from dunr.entry.web.face import WebFace
from dunr.entry.web.forms import read_form
from dunr.entry.web.pace import Pace
from dunr.entry.web.wishes import CUSTOMER, begin_attempt
from dunr.errors import BadRequest, CallerError, DunrError, WishRejected
from dunr.mail.links import CardLinks, LinkClaims, LinkExpired, LinkForged, ReminderLinks
from dunr.ports import ObjectMissing, Refs, SnapshotUnavailable

SEE_OTHER = 303
CONFLICT = 409
TOO_MANY = 429
UNREACHABLE = 503
ACTS_AT_ONCE, ACT_SECONDS = 20, 6.0  # of one link
ASKED_AT_ONCE, ASK_SECONDS = 5, 60.0  # new links, by one address
INVOICE_LENGTH_MAX = 200

_log = structlog.get_logger()


class CardLinkPages(CustomerPages):
    """GET /pay/{token}, and what its buttons do."""

    def __init__(self, face: WebFace, links: CardLinks, reminder_links: ReminderLinks) -> None:
        super().__init__(face)
        self._links = links
        self._reminder_links = reminder_links
        self._acts = Pace(ACTS_AT_ONCE, ACT_SECONDS)
        self._asked = Pace(ASKED_AT_ONCE, ASK_SECONDS)

    def routes(self) -> list[Route]:
        """The page, *update*, *pay now*, *I will pay on*, and a new link."""
        return [
            Route("/pay/{token}", self.show, methods=["GET"]),
            Route("/pay/{token}/update", self.update, methods=["POST"]),
            Route("/pay/{token}/pay-now", self.pay_now, methods=["POST"]),
            Route("/pay/{token}/promise", self.promise, methods=["POST"]),
            Route("/pay/{token}/renew", self.renew, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """What is owed and what happens next."""
        return await self.face.reading.run(partial(self._kindly, request, self._show))

    async def update(self, request: Request) -> Response:
        """On to a fresh page of the processor, where a card can be entered."""
        await read_body(request, API_BODY_BYTES_MAX)
        return await self.face.acting.run(partial(self._kindly, request, self._update))

    async def pay_now(self, request: Request) -> Response:
        """One attempt now, by the card on file."""
        await read_body(request, API_BODY_BYTES_MAX)
        return await self.face.acting.run(partial(self._kindly, request, self._pay_now))

    async def promise(self, request: Request) -> Response:
        """Move the next attempt to the day on which the customer will pay."""
        fields = await read_form(request)
        return await self.face.acting.run(partial(self._kindly, request, partial(self._promise, fields.get("on", ""))))

    async def renew(self, request: Request) -> Response:
        """A new link goes to the address on file. The answer is the same, and as quick, whether there is such an invoice or not."""
        fields = await read_form(request)
        say = self.speech(request)
        try:
            self.refuse_foreign_pages(request)
            self._asked.take(self.stranger(request))
        except CallerError as refused:
            return self.sorry(say, refused)
        given = fields.get("invoice", "").strip()[:INVOICE_LENGTH_MAX]
        self.face.acting.submit(partial(self._send_link, request.path_params["token"], given))
        return self.page("note.html", say, {"title": say("renewed_title"), "text": say("renewed_text")}, 202)

    # --- in a thread ------------------------------------------------------------------------------------------------------------

    def _claims(self, request: Request) -> LinkClaims:
        """What the link entitles to. Raises `LinkForged`, `LinkExpired`, or `TooFast` for one who guesses."""
        try:
            return self._links.read(request.path_params["token"], self.face.now())
        except LinkForged:
            self.count_forged(request)
            raise

    def _case(self, request: Request) -> Case:
        """The case that a link is for. Raises like `_claims`."""
        claims = self._claims(request)
        if claims.is_about_a_card:
            raise LinkForged("There is nothing to pay by this link.")
        case = self.face.application.store.load(claims.case_id, Refs()).case
        if case is None:
            raise LinkForged("This link is not one of ours.")
        if case.round != claims.round:
            raise LinkExpired(claims)
        return case

    def _act(self, request: Request) -> None:
        """Before anything is done. Raises `NotPermitted` or `TooFast`."""
        self.refuse_foreign_pages(request)
        self._acts.take(request.path_params["token"])

    def _show(self, request: Request) -> Response:
        if self._claims(request).is_about_a_card:
            return self.page("card_expiring.html", self.speech(request), {"token": request.path_params["token"]})
        return self._card_page(request, "pay.html", self._case(request))

    def _update(self, request: Request) -> Response:
        claims = self._claims(request)
        self._act(request)
        if claims.is_about_a_card:
            return RedirectResponse(self._fresh_page(claims.case_id, None), SEE_OTHER, self.headers)
        case = self._case(request)
        if not case.is_open or case.in_flight is not None:
            return self._card_page(request, "pay.html", case, CONFLICT)
        if case.customer_id is None:
            raise Told("not_online", CONFLICT)
        return RedirectResponse(self._fresh_page(case.customer_id, case.processor_invoice_id), SEE_OTHER, self.headers)

    def _fresh_page(self, customer_id: str, processor_invoice_id: str | None) -> str:
        """A page of the processor's for a customer, by the id of their row. Raises `SnapshotUnavailable` or `ObjectMissing`."""
        name, account, processor_customer_id = customer_id.split(":", 2)
        processor = self.face.application.processors[name]
        return processor.update_link(account, processor_customer_id, processor_invoice_id)

    def _pay_now(self, request: Request) -> Response:
        case = self._case(request)
        self._act(request)
        if not case.is_open or case.in_flight is not None:
            return self._card_page(request, "pay.html", case, CONFLICT)
        try:
            attempt = begin_attempt(self.face, case.id, PayNow(CUSTOMER))
        except WishRejected:
            seen = self.face.case(case.id)  # the look before it may have found that somebody paid meanwhile
            if not seen.is_open or seen.in_flight is not None:
                return self._card_page(request, "pay.html", seen, CONFLICT)
            raise
        template = {Outcome.SUCCEEDED: "paid.html", Outcome.DECLINED: "declined.html"}.get(
            attempt.outcome or Outcome.UNKNOWN, "processing.html"
        )
        return self._card_page(request, template, self.face.case(case.id))

    def _promise(self, given: str, request: Request) -> Response:
        case = self._case(request)
        self._act(request)
        wallet = Wallet(self.face, case)
        say = self.speech(request, wallet.payer_locale)
        try:
            event = PromiseMade(CUSTOMER, wallet.promised_at(date.fromisoformat(given)), by_customer=True)
            self.face.application.engine.wish(case.id, event)
        except (ValueError, OverflowError):
            raise Told("promise_refused", BadRequest.http_status) from None
        except WishRejected as refused:
            raise Told("promise_refused", refused.http_status) from None
        self.face.quiet.settle()
        step = self.face.case(case.id).plan.next_step
        if step is None:
            return self._card_page(request, "pay.html", self.face.case(case.id))
        values = {"title": say("promised_title"), "text": say("promised_text", date=wallet.day(step.at, say))}
        return self.page("note.html", say, values | {"token": request.path_params["token"]})

    def _send_link(self, token: str, given: str) -> None:
        """To the address on file of the case that a genuine link, however old, or else an invoice number names. Who asked hears nothing of how it went."""
        try:
            case_id = self._links.read(token, self.face.now()).case_id
        except LinkExpired as expired:
            case_id = expired.claims.case_id
        except LinkForged:
            case_id = ""
        try:
            wanted = case_id or self.face.row_id(given)
            if self.face.application.store.load(wanted, Refs()).case is not None:
                self.face.application.engine.step(wanted, LinkAsked(CUSTOMER))
                self.face.quiet.settle()
        except DunrError as error:
            _log.warning("link_not_sent", error=type(error).__name__)

    # --- pages ------------------------------------------------------------------------------------------------------------------

    def _card_page(self, request: Request, template: str, case: Case, status: int = 200) -> Response:
        wallet = Wallet(self.face, case)
        say = self.speech(request, wallet.payer_locale)
        made_at = self._claims(request).made_at or self.face.now()
        reminders = self._reminder_links.make(case.id, case.round, made_at)

        def link_of(other: Case) -> str:
            return _path(self._links.make(other.id, other.round, made_at))

        shown = wallet.page(say, link_of, _path(reminders))
        return self.page(template, say, {"pay": shown, "token": request.path_params["token"]}, status)

    def _kindly(self, request: Request, answer: Callable[[Request], Response]) -> Response:
        """The page that was asked for, or a friendly one that says why not."""
        try:
            return answer(request)
        except (SnapshotUnavailable, ObjectMissing):
            refused: CallerError = Told("unreachable", UNREACHABLE)
        except WishRejected as rejected:
            refused = rejected if isinstance(rejected, Told) else _in_words(rejected)
        except CallerError as error:
            refused = error
        say = self.speech(request, self._payer_locale(request))
        if isinstance(refused, LinkForged | LinkExpired):
            return self.gone(say, refused, request.path_params["token"])
        return self.sorry(say, refused)

    def _payer_locale(self, request: Request) -> str | None:
        """The language of whom the link was sent to, where it names anybody, however old it is."""
        try:
            case_id = self._links.read(request.path_params["token"], self.face.now()).case_id
        except LinkExpired as expired:
            case_id = expired.claims.case_id
        except LinkForged:
            return None
        customer = self.face.application.store.load(case_id, Refs()).customer
        return customer.payer.locale if customer is not None else None


def _path(link: str) -> str:
    """A link to a page of ours without the host, so that it stays where the customer is."""
    return "/" + "/".join(link.rsplit("/", 2)[1:])


def _in_words(refused: WishRejected) -> Told:
    """The same refusal in words for a customer: why we refuse is for the operators' eyes, since it may name the issuer's stop or who pulled the brake."""
    words = {UNREACHABLE: "unreachable", TOO_MANY: "tried_often"}.get(refused.http_status, "refused_text")
    return Told(words, refused.http_status)
