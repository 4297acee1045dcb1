"""How long, and for how much, we wait before a request has even begun: a limit on connections, and on the time and the size of a head.

The web server bounds neither: a client that sends its headers a byte at a time, or without end, would keep its connection, and what it sent, for ever. Bodies have
limits of their own.
"""

import asyncio
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from dunr.entry.web.problems import RETRY_AFTER_SECONDS

CONNECTIONS_MAX = 512  # of one process, which the usual limit of 1,024 open files leaves room for
HEAD_SECONDS_MAX = 10.0
HEAD_BYTES_MAX = 65_536


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1 with those limits."""

    _head_begun_at: float | None = None  # by the clock of the loop; None while no head is awaited
    _head_bytes = 0
    _looking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the class that it extends
        """Let it in, if there is room."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS_MAX:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, f"retry-after: {RETRY_AFTER_SECONDS}\r\n")
            return
        self._head_begun_at = self.loop.time()
        self._looking = self.loop.call_later(HEAD_SECONDS_MAX, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has become too long."""
        super().data_received(data)
        if self._head_begun_at is not None:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_message_begin(self) -> None:
        """A head begins."""
        self._head_begun_at, self._head_bytes = self.loop.time(), 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._head_begun_at = None
        super().on_headers_complete()

    def _look(self) -> None:
        """Now and then, and not for each request: whether a head has been on its way for too long."""
        begun_at = self._head_begun_at
        left_seconds = HEAD_SECONDS_MAX if begun_at is None else begun_at + HEAD_SECONDS_MAX - self.loop.time()
        if left_seconds > 0:
            self._looking = self.loop.call_later(left_seconds, self._look)
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)

    def _refuse(self, status: HTTPStatus, header: str = "") -> None:
        """Say why, and close; no body, since no request is known that it would answer."""
        self._head_begun_at = None
        if not self.transport.is_closing():
            line = f"HTTP/1.1 {status.value} {status.phrase}\r\n{header}connection: close\r\ncontent-length: 0\r\n\r\n"
            self.transport.write(line.encode())
            self.transport.close()
