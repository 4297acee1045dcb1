"""The load of a benchmark: requests over keep-alive connections, for a few seconds.

One thread and no HTTP library, so that the sender takes as little as possible of the machine that it shares with the server. Each connection sends its next request
once the last one was answered. Only a 2xx counts; any other answer ends the benchmark.
"""

import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

CONNECTIONS = 16
ANSWER_SECONDS_MAX = 20.0  # for the last answers
ANSWER_BYTES_MAX = 65_536
END_OF_HEADERS = b"\r\n\r\n"


class WrongAnswerError(Exception):
    """A server refused a request, said nothing, or went away; what is measured then is not what was meant."""


@dataclass(frozen=True)
class Load:
    """What one round of one server came to."""

    answered_count: int
    seconds: float

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answered_count / self.seconds


class Sender:
    """Drives requests at one server."""

    def __init__(self, port: int, requests: Iterator[bytes]) -> None:
        self._address = ("127.0.0.1", port)
        self._requests = requests

    def drive(self, seconds: float) -> Load:
        """Send for so long, then wait for the answers that are due. Raises `WrongAnswerError`."""
        with selectors.DefaultSelector() as selector:
            connections = [Connection(self._address) for _ in range(CONNECTIONS)]
            try:
                for connection in connections:
                    selector.register(connection.socket, selectors.EVENT_READ, connection)
                return self._drive(selector, connections, seconds)
            finally:
                for connection in connections:
                    connection.socket.close()

    def _drive(self, selector: selectors.BaseSelector, connections: list["Connection"], seconds: float) -> Load:
        begun = last_answer = time.perf_counter()
        for connection in connections:
            connection.send(next(self._requests))
        answered_count, in_flight_count = 0, len(connections)
        while in_flight_count:
            if last_answer - begun > seconds + ANSWER_SECONDS_MAX:
                raise WrongAnswerError("The last answers did not come.")
            for connection in _ready(selector):
                if not connection.answered():
                    continue
                answered_count += 1
                last_answer = time.perf_counter()
                if last_answer - begun < seconds:
                    connection.send(next(self._requests))
                else:
                    in_flight_count -= 1
        return Load(answered_count, last_answer - begun)


def _ready(selector: selectors.BaseSelector) -> Iterator["Connection"]:
    """The connections on which something came."""
    ready = selector.select(ANSWER_SECONDS_MAX)
    if not ready:
        raise WrongAnswerError(f"No answer within {ANSWER_SECONDS_MAX:.0f} seconds.")
    return (key.data for key, _ in ready)


class Connection:
    """One keep-alive connection with at most one request on its way."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=ANSWER_SECONDS_MAX)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._came = b""

    def send(self, request: bytes) -> None:
        """Put a whole request on its way."""
        self.socket.sendall(request)

    def answered(self) -> bool:
        """Read what came, and whether that completes a 2xx."""
        came = self.socket.recv(ANSWER_BYTES_MAX)
        self._came += came
        if not came or len(self._came) > ANSWER_BYTES_MAX:
            raise WrongAnswerError(f"The server closed the connection or said too much: {self._came[:300]!r}")
        head, separator, body = self._came.partition(END_OF_HEADERS)
        if not separator or len(body) < _content_length(head):
            return False
        if not head.startswith(b"HTTP/1.1 2"):
            raise WrongAnswerError(f"Not answered with 2xx: {self._came[:600]!r}")
        self._came = b""
        return True


def _content_length(head: bytes) -> int:
    """How many bytes of a body follow; every server here says so."""
    _, found, rest = head.lower().partition(b"\r\ncontent-length:")
    if not found:
        raise WrongAnswerError(f"An answer without a length: {head[:300]!r}")
    return int(rest.partition(b"\r\n")[0])
