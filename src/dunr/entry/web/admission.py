"""Who may ask what: bearer tokens with a scope, or, where no tokens are asked for, this machine alone.

An open API must not be open to every page that a browser of this machine shows: such a page may name us, but then the host, or the
origin that the browser tells, is not ours. The same goes for the password that a browser remembers: it goes along with whatever any page asks of us.
"""

import base64
import binascii
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import urlsplit

from starlette.datastructures import Address

from dunr.entry.web.face import WebFace
from dunr.errors import NotPermitted
from dunr.tokens import Scope, verify

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
FOREIGN_SITES = frozenset({"cross-site", "same-site"})
LOCAL_ACTOR = "operator:local"
KEPT_MAX = 256  # answers about hosts, which are the same few again and again


class Request(Protocol):
    """What matters of a request here."""

    @property
    def method(self) -> str: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def client(self) -> Address | None: ...


def presented_token(request: Request) -> str | None:
    """The token of the request: a bearer token, or the password that a browser asked a person for."""
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    match scheme.lower():
        case "bearer":
            return credentials.strip()
        case "basic":
            try:
                return base64.b64decode(credentials, validate=True).decode("utf-8").partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return ""
        case "":
            return None
        case _:
            return ""


def admit(face: WebFace, request: Request, scope: Scope) -> str:
    """The actor on whose behalf this is done. Raises `NotPermitted`."""
    token = presented_token(request)
    if token is not None:
        if not request.headers["authorization"].lower().startswith("bearer "):
            refuse_foreign_pages(face, request)
        return f"operator:{verify(face.application.store, token, scope).name}"
    if face.settings.api_tokens_required:
        raise NotPermitted("Send an API token as `Authorization: Bearer …`; `dunr token create` makes one.")
    refuse_strangers(face, request)
    return LOCAL_ACTOR


def refuse_strangers(face: WebFace, request: Request) -> None:
    """Without tokens we answer this machine only, and no page of somebody else that runs on it."""
    if request.client is not None and not _is_loopback(request.client.host):
        raise NotPermitted("Without tokens only this machine is answered: set api_tokens_required = true.", 403)
    host = request.headers.get("host", "")
    if not _is_name_of(host, face.settings.links_base):
        raise NotPermitted("Without tokens only localhost is answered, under that name or by its number.", 403)
    refuse_foreign_pages(face, request)


def refuse_foreign_pages(face: WebFace, request: Request) -> None:
    """What a browser sends by itself must not let a page of somebody else act in a person's name."""
    if request.method in SAFE_METHODS:
        return
    origin = request.headers.get("origin")
    ours = (request.headers.get("host", ""), urlsplit(face.settings.links_base).netloc)  # a proxy may rename the host
    if request.headers.get("sec-fetch-site") in FOREIGN_SITES or (
        origin is not None and origin.partition("://")[2] not in ours
    ):
        raise NotPermitted("This was asked by a page of somebody else.", 403)


@lru_cache(KEPT_MAX)
def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@lru_cache(KEPT_MAX)
def _is_name_of(host: str, our_address: str) -> bool:
    """Whether a Host header is a name that no stranger can point at us: a number, localhost, or what the settings call us."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if name == "localhost" or name == urlsplit(our_address).hostname:
            return True
        ip_address(name)
    except ValueError:
        return False
    return True
