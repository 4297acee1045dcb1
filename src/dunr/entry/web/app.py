"""The web application: webhooks, API, card links and pages over one running dunr."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from dunr.application import Application
from dunr.entry.web import (
    cases,
    charges,
    clock,
    decisions,
    fees,
    lost_notices,
    registers,
    subscriptions,
    unknown_codes,
    wishes,
)
from dunr.entry.web.dashboard import Dashboard
from dunr.entry.web.door import Answering, Door
from dunr.entry.web.entitlements import ENTITLEMENTS, EntitlementCheck
from dunr.entry.web.face import WebFace
from dunr.entry.web.forms import FormSigner
from dunr.entry.web.headers import SecurityHeaders
from dunr.entry.web.health import health_routes
from dunr.entry.web.intake import WEBHOOKS, WebhookIntake
from dunr.entry.web.links import CardLinkPages
from dunr.entry.web.mail_feedback import feedback_routes
from dunr.entry.web.metrics import metrics_route
from dunr.entry.web.notice_preview import preview_routes
from dunr.entry.web.openapi import openapi_route
from dunr.entry.web.outbox import outbox_routes
from dunr.entry.web.pages import error_page, static_files
from dunr.entry.web.problems import error_handler
from dunr.entry.web.rehearsal import RehearsalForms
from dunr.entry.web.reminders import ReminderPages
from dunr.entry.web.request_ids import RequestIds
from dunr.errors import DunrError
from dunr.mail.links import CardLinks, ReminderLinks
from dunr.settings import link_secret

OPERATIONS = (
    *cases.OPERATIONS,
    *wishes.OPERATIONS,
    *charges.OPERATIONS,
    *decisions.OPERATIONS,
    *subscriptions.OPERATIONS,
    *registers.OPERATIONS,
    *fees.OPERATIONS,
    *unknown_codes.OPERATIONS,
    *lost_notices.OPERATIONS,
    *clock.OPERATIONS,
)


def build_app(application: Application, *, sandbox_app: Starlette | None = None) -> Starlette:
    """All faces over one application; with a sandbox app, its routes too. The application is closed by whoever built it."""
    face = WebFace(application)
    intake = WebhookIntake(face)
    secret, base = link_secret(application.settings), application.settings.links_base
    signer = FormSigner(secret)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(intake.close)
        await asyncio.to_thread(face.close)

    answer_error = error_handler(error_page)
    card_links = CardLinks(secret, base)
    check = EntitlementCheck(face, card_links.make).answer
    at_the_door: dict[str, dict[str, Answering]] = {
        WEBHOOKS: {"POST": intake.receive},
        ENTITLEMENTS: {"GET": check, "HEAD": check},
    }
    routes: list[BaseRoute] = [
        *feedback_routes(face),
        *(operation.route(face) for operation in OPERATIONS),
        openapi_route(OPERATIONS),
        *health_routes(face),
        metrics_route(face),
        *CardLinkPages(face, card_links, ReminderLinks(secret, base)).routes(),
        *ReminderPages(face, ReminderLinks(secret, base)).routes(),
        *Dashboard(face, signer).routes(),
        *RehearsalForms(face, signer).routes(),
        *outbox_routes(face),
        *preview_routes(face),
        static_files(),
    ]
    if sandbox_app is not None:
        routes.extend(sandbox_app.routes)
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(Door, at_the_door, answer_error),
            Middleware(RequestIds),
            Middleware(SecurityHeaders),
        ],
        exception_handlers={DunrError: answer_error, HTTPException: answer_error, Exception: answer_error},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # the way to the address beside it would name the host that a stranger wrote
    app.state.face = face
    app.state.at_the_door = at_the_door
    return app
