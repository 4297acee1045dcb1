"""The body of a request, under a limit of size and of time, and its strict reading as JSON."""

import asyncio
from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from dunr.entry.web.problems import NotReadable, TooLarge, TooSlow
from dunr.errors import BadRequest

Kind = TypeVar("Kind")

BODY_SECONDS_MAX = 30.0
API_BODY_BYTES_MAX = 65_536


async def read_body(request: Request, bytes_max: int) -> bytes:
    """The raw bytes as they came. Stops reading as soon as there are too many."""
    refuse_encoded(request)
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > bytes_max:
        raise _too_large(bytes_max)
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            return await _gather(request, bytes_max)
    except TimeoutError:
        raise TooSlow(f"The body did not arrive within {BODY_SECONDS_MAX:.0f} seconds; send it again.") from None
    except ClientDisconnect:
        raise BadRequest("The connection was closed before the body was complete.") from None


async def _gather(request: Request, bytes_max: int) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > bytes_max:
            raise _too_large(bytes_max)
    return bytes(body)


def _too_large(bytes_max: int) -> TooLarge:
    return TooLarge(f"The body is longer than {bytes_max} bytes, which is the most that is read here.")


def refuse_encoded(request: Request) -> None:
    """Signatures are over the bytes that were sent, and a small packed body may unpack to a huge one."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise NotReadable("Bodies with a Content-Encoding are not read here; send the body as it is.")


def decode(body: bytes, kind: type[Kind]) -> Kind:
    """A JSON body as the given type; unknown fields and wrong types are refused. An empty body is an empty object."""
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise BadRequest(f"The body does not fit: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadRequest("The body is not JSON.") from None
