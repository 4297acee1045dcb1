"""Hearing no more about one invoice, without a login: by a page, and by the one click that mail programs offer (RFC 8058). And the way back.

The link is of its own kind: who has it can neither see what is owed nor pay it. GET shows, POST acts, so that no scanner stops anything.
"""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr.core.events import RemindersStopped
from dunr.core.model import Case
from dunr.entry.web.bodies import API_BODY_BYTES_MAX, read_body
from dunr.entry.web.customer_pages import CustomerPages
from dunr.entry.web.face import WebFace
from dunr.entry.web.wishes import CUSTOMER
from dunr.errors import CallerError
from dunr.mail.links import LinkExpired, LinkForged, ReminderLinks
from dunr.ports import Refs


class ReminderPages(CustomerPages):
    """GET and POST /reminders/{token}, and the way back."""

    def __init__(self, face: WebFace, links: ReminderLinks) -> None:
        super().__init__(face)
        self._links = links

    def routes(self) -> list[Route]:
        """The page, *no more*, *again*."""
        return [
            Route("/reminders/{token}", self.show, methods=["GET"]),
            Route("/reminders/{token}", self.stop, methods=["POST"]),
            Route("/reminders/{token}/again", self.again, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """How it stands."""
        return await self.face.reading.run(partial(self._answer, request, None))

    async def stop(self, request: Request) -> Response:
        """No more reminders. The body says that it is the one click of a mail program, or nothing; both mean the same."""
        await read_body(request, API_BODY_BYTES_MAX)
        return await self.face.acting.run(partial(self._answer, request, False))

    async def again(self, request: Request) -> Response:
        """Reminders again."""
        await read_body(request, API_BODY_BYTES_MAX)
        return await self.face.acting.run(partial(self._answer, request, True))

    def _answer(self, request: Request, again: bool | None) -> Response:
        """`again` None: only show."""
        say = self.speech(request)
        try:
            case = self._case(request)
            if again is not None:
                self.refuse_foreign_pages(request)
                self.face.application.engine.step(case.id, RemindersStopped(CUSTOMER, again=again))
        except (LinkForged, LinkExpired) as refused:
            return self.gone(say, refused, "-")
        except CallerError as refused:
            return self.sorry(say, refused)
        rows = self.face.application.store.load(case.id, Refs())
        say = self.speech(request, rows.customer.payer.locale if rows.customer is not None else None)
        stopped = rows.case is not None and rows.case.reminders_stopped
        values = {"invoice": case.processor_invoice_id, "token": request.path_params["token"]}
        return self.page("reminders.html", say, values | {"stopped": stopped, "has_begun_again": again is True})

    def _case(self, request: Request) -> Case:
        """The case that a link is about. Raises `LinkForged` or `LinkExpired`."""
        try:
            claims = self._links.read(request.path_params["token"], self.face.now())
        except LinkForged:
            self.count_forged(request)
            raise
        case = self.face.application.store.load(claims.case_id, Refs()).case
        if case is None:
            raise LinkForged("This link is not one of ours.")
        if case.round != claims.round:
            raise LinkExpired(claims)
        return case
