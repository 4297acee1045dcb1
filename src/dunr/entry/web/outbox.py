"""The mails that the log mailer kept, for people who rehearse: as JSON, and as pages."""

import re
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dunr.entry.web.admission import admit
from dunr.entry.web.clock import clock_now
from dunr.entry.web.face import WebFace
from dunr.entry.web.pages import page
from dunr.entry.web.problems import is_for_people
from dunr.errors import NoSuchThing
from dunr.mail.message import OutboxEntry
from dunr.mailroom import OUTBOX_FOLDER
from dunr.tokens import Scope

MAILS_MAX = 500
FILE_STEM = re.compile(r"[0-9a-f]{8,64}")
# A mail has styles of its own, and may do nothing else.
MAIL_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)


class MailAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One mail as it would have left."""

    id: str
    kind: str
    to: str
    subject: str
    message_id: str
    at: datetime
    text: str
    html: str


def outbox_routes(face: WebFace) -> list[Route]:
    """/outbox, and one mail's HTML."""
    if face.settings.mailer != "log":
        return []
    folder = face.settings.data / OUTBOX_FOLDER

    async def listed(request: Request) -> Response:
        return await face.reading.run(partial(_listed, face, folder, request))

    async def one(request: Request) -> Response:
        return await face.reading.run(partial(_one, face, folder, request))

    return [Route("/outbox", listed, methods=["GET"]), Route("/outbox/{id}", one, methods=["GET"])]


def _listed(face: WebFace, folder: Path, request: Request) -> Response:
    admit(face, request, Scope.READ)
    mails = read_outbox(folder)
    if is_for_people(request):
        return page(
            "outbox.html",
            {
                "mails": mails[::-1],
                "clock": clock_now(face),
                "has_outbox": True,
                "stops": face.application.rulebook.all_stops(),
                "brakes": face.application.brakes.held(),
            },
        )
    return Response(msgspec.json.encode(mails), media_type="application/json")


def _one(face: WebFace, folder: Path, request: Request) -> Response:
    admit(face, request, Scope.READ)
    stem = request.path_params["id"]
    entry = _read(folder / f"{stem}.json") if FILE_STEM.fullmatch(stem) else None
    if entry is None:
        raise NoSuchThing("There is no such mail; /outbox lists those that there are.")
    return Response(entry.html, headers={"Content-Security-Policy": MAIL_POLICY}, media_type="text/html; charset=utf-8")


def read_outbox(folder: Path) -> list[MailAnswer]:
    """The newest mails, newest last, by the time in the mail."""
    arrived = sorted((path.stat().st_mtime_ns, path.name, path) for path in folder.glob("*.json"))
    found = ((path.stem, _read(path)) for _, _, path in arrived[-MAILS_MAX:])
    mails = (
        MailAnswer(
            id=stem,
            kind=entry.kind,
            to=entry.to,
            subject=entry.subject,
            message_id=entry.message_id,
            at=entry.at,
            text=entry.text,
            html=entry.html,
        )
        for stem, entry in found
        if entry is not None
    )
    return sorted(mails, key=lambda mail: mail.at)


def _read(path: Path) -> OutboxEntry | None:
    """A kept mail; None where it is gone, or of another form."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=OutboxEntry)
    except (OSError, msgspec.DecodeError):
        return None
