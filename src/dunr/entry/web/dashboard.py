"""The pages for people: all open cases, one case's story, alerts. Rendered here, readable without JavaScript."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr.core.effects import RaiseAlert
from dunr.core.funnel import refresh_line
from dunr.core.terms import CaseState
from dunr.entry.web.admission import admit
from dunr.entry.web.clock import clock_now
from dunr.entry.web.face import WebFace
from dunr.entry.web.figures import fees_avoided, figures_of
from dunr.entry.web.forms import FormSigner, browser_of, remember_browser
from dunr.entry.web.pages import page
from dunr.entry.web.rehearsal import DECLINES
from dunr.entry.web.stories import alerts_answer, avoided_answer, case_answer, story
from dunr.tokens import Scope

CASES_MAX = 1000
OPEN_CASES_SHOWN_MAX = 200
ALERTS_MAX = 200

Values = Mapping[str, object]


class Dashboard:
    """GET /, /cases/{id}, /alerts."""

    def __init__(self, face: WebFace, signer: FormSigner) -> None:
        self._face = face
        self._signer = signer

    def routes(self) -> list[Route]:
        """Three pages."""
        return [
            Route("/", self._shown("home.html", self._home), methods=["GET"]),
            Route("/cases/{id}", self._shown("case.html", self._case), methods=["GET"]),
            Route("/alerts", self._shown("alerts.html", self._alerts), methods=["GET"]),
        ]

    def _shown(self, template: str, values: Callable[[Request], Values]) -> Callable[[Request], Any]:
        """A page for whoever may read, with a form token for this browser."""

        def show(request: Request) -> Response:
            admit(self._face, request, Scope.READ)
            self._face.quiet.settle()  # a person who has just acted sees what came of it
            browser = browser_of(request)
            shared = {
                "clock": clock_now(self._face),
                "has_outbox": self._face.settings.mailer == "log",
                "has_sandbox": self._face.has_sandbox,
                "form_token": self._signer.token(browser),
                "stops": self._face.application.rulebook.all_stops(),
                "brakes": self._face.application.brakes.held(),
            }
            return remember_browser(page(template, {**shared, **values(request)}), request, browser)

        async def answer(request: Request) -> Response:
            return await self._face.reading.run(partial(show, request))

        return answer

    def _home(self, _request: Request) -> Values:
        cases = self._face.application.reports.cases(state=None, text=None, limit=CASES_MAX, after=None)
        shown = [case_answer(case) for case in cases if case.is_open]
        ended = [case_answer(case) for case in cases if not case.is_open]
        return {
            "figures": figures_of(cases),
            "refreshes": refresh_line(cases),
            "avoided": avoided_answer(fees_avoided(cases)),
            "is_cut": len(cases) == CASES_MAX,
            "open_cases": shown[:OPEN_CASES_SHOWN_MAX],
            "open_cases_count": len(shown),
            "ended_cases": ended[:OPEN_CASES_SHOWN_MAX],
            "recovered_count": sum(case.state is CaseState.RECOVERED for case in cases),
            "declines": DECLINES,
        }

    def _case(self, request: Request) -> Values:
        application = self._face.application
        case = self._face.case(request.path_params["id"])
        return {"case": story(application.store, application.reports, case)}

    def _alerts(self, _request: Request) -> Values:
        records = self._face.application.reports.effects(kind=RaiseAlert.__name__, case_id=None, limit=ALERTS_MAX)
        return {"alerts": alerts_answer(records)}
