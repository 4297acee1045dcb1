"""The body of a request, under a limit of size and of time, and its strict reading as JSON."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.types import Receive

from dunr.entry.web.problems import Busy, NotReadable, TooLarge, TooSlow
from dunr.errors import BadRequest

Kind = TypeVar("Kind")

BODY_SECONDS_MAX = 30.0
API_BODY_BYTES_MAX = 65_536


Hold = Callable[[int], None]  # counts bytes that have arrived; raises where they are too many


class Room:
    """How many bytes may be held at once of bodies that are being read, or wait to be written. Used from one event loop."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._held_bytes = 0

    @contextmanager
    def holding(self) -> Iterator[Hold]:
        """What counts the bytes of one body as they arrive, and raises `Busy` where there is no room for more; they are held until the block ends.

        One body alone always has room.
        """
        own_bytes = 0

        def hold(size: int) -> None:
            nonlocal own_bytes
            if self._held_bytes > own_bytes and self._held_bytes + size > self._bytes_max:
                raise Busy("Too much is being received at this moment. Nothing was kept; send it again.")
            self._held_bytes += size
            own_bytes += size

        try:
            yield hold
        finally:
            self._held_bytes -= own_bytes


async def read_body(request: Request, bytes_max: int) -> bytes:
    """The raw bytes as they came. Stops reading as soon as there are too many."""
    with Room(bytes_max).holding() as hold:
        return await receive_body(request.headers, request.receive, bytes_max, hold)


async def receive_body(headers: Mapping[str, str], receive: Receive, bytes_max: int, hold: Hold) -> bytes:
    """The same, for whoever has no request, and room that others share. `headers` are in lower case."""
    refuse_encoded(headers)
    told = headers.get("content-length", "")
    if told.isdecimal() and int(told) > bytes_max:
        raise _too_large(bytes_max)
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            return await _gather(receive, bytes_max, hold)
    except TimeoutError:
        raise TooSlow(f"The body did not arrive within {BODY_SECONDS_MAX:.0f} seconds; send it again.") from None


async def _gather(receive: Receive, bytes_max: int, hold: Hold) -> bytes:
    """All parts; most bodies come in one, which is not copied."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("The connection was closed before the body was complete.")
        part = message.get("body", b"")
        size += len(part)
        if size > bytes_max:
            raise _too_large(bytes_max)
        hold(len(part))
        parts.append(part)
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large(bytes_max: int) -> TooLarge:
    return TooLarge(f"The body is longer than {bytes_max} bytes, which is the most that is read here.")


def refuse_encoded(headers: Mapping[str, str]) -> None:
    """Signatures are over the bytes that were sent, and a small packed body may unpack to a huge one."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise NotReadable("Bodies with a Content-Encoding are not read here; send the body as it is.")


def decode(body: bytes, kind: type[Kind]) -> Kind:
    """A JSON body as the given type; unknown fields and wrong types are refused. An empty body is an empty object."""
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise BadRequest(f"The body does not fit: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRequest("The body is not JSON.") from None
