"""More than one process can take: a real `dunr serve` keeps answering, holds a bounded amount, and tells whoever is too much to come again."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from dunr.entry.web import intake, patience
from dunr.sandbox.deliveries import sign
from tests import nursery
from tests.entry.web.desk import event
from tests.entry.web.test_kill import SECRET, start
from tests.ports import free_port

PATH = "/webhooks/sandbox"
MEGABYTE = 1024 * 1024
HELD_MEGABYTES_MAX = intake.HELD_BYTES_MAX // MEGABYTE
LARGE = 900 * 1024  # of a body that may be 1 MB long
MANY = 120
SECONDS = 60.0


class Server:
    """The process, and what is sent to it."""

    def __init__(self, process: nursery.Process, port: int, opened: ExitStack) -> None:
        self.process = process
        self._port = port
        self._opened = opened

    def connect(self) -> socket.socket:
        return self._opened.enter_context(socket.create_connection(("127.0.0.1", self._port), timeout=SECONDS))

    def deliver(self, name: str) -> int:
        """One event as it should be; the status of the answer."""
        body = event(name)
        headers = {"sandbox-signature": sign(body, (SECRET,), int(time.time()))}
        return httpx.post(
            f"http://127.0.0.1:{self._port}{PATH}", content=body, headers=headers, timeout=SECONDS
        ).status_code

    def most_megabytes(self) -> float:
        """The most memory that it ever had."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    port = free_port()
    with ExitStack() as opened:
        process = start(tmp_path_factory.mktemp("overload"), port)
        opened.callback(process.wait)
        opened.callback(process.terminate)
        yield Server(process, port, opened)


def read_all(connection: socket.socket) -> bytes:
    """Until the server closes."""
    received = b""
    while chunk := connection.recv(65_536):
        received += chunk
    return received


def head(*headers: str) -> bytes:
    return "\r\n".join([f"POST {PATH} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


@contextmanager
def too_many(server: Server) -> Iterator[list[socket.socket]]:
    """As many connections as there may be."""
    connections = [server.connect() for _ in range(patience.CONNECTIONS_MAX)]
    yield connections
    for connection in connections:
        connection.close()


def test_a_head_that_never_ends_is_let_go_and_keeps_nobody_waiting(server: Server) -> None:
    """Some send a byte now and then, some nothing at all."""
    slow = [server.connect() for _ in range(20)]
    for connection in slow[:10]:
        connection.sendall(b"POST /webhooks/sandbox HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    assert server.deliver("evt_1") == 200
    for connection in slow[:10]:
        connection.sendall(b"a")
    for connection in slow:
        assert read_all(connection).startswith(b"HTTP/1.1 408 ")
    assert server.deliver("evt_2") == 200


def test_a_head_without_measure_is_refused(server: Server) -> None:
    connection = server.connect()
    connection.sendall(b"POST /webhooks/sandbox HTTP/1.1\r\nX-Long: " + b"a" * (patience.HEAD_BYTES_MAX + 1))
    assert read_all(connection).startswith(b"HTTP/1.1 431 ")
    assert server.deliver("evt_1") == 200


def test_whoever_comes_when_all_connections_are_taken_is_told_to_come_again(server: Server) -> None:
    with too_many(server):
        refused = read_all(server.connect())
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: " in refused
    give_up = time.monotonic() + SECONDS
    while True:
        try:
            if server.deliver("evt_1") == 200:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < give_up, "nobody is let in any more"


def test_many_large_bodies_at_once_are_held_up_to_a_bound(server: Server) -> None:
    """All are begun and none is ended: what is held is bounded, whoever is too much is told so, and the others are answered once they end."""
    before = server.most_megabytes()
    connections = [server.connect() for _ in range(MANY)]
    for connection in connections:
        connection.sendall(head(f"Content-Length: {LARGE + 1}"))
    refused = []
    for connection in connections:
        connection.sendall(b"x" * LARGE)
        connection.settimeout(0.05)
        try:
            refused.append(connection.recv(65_536))
        except TimeoutError:
            continue
    assert refused, f"{MANY * LARGE // MEGABYTE} megabytes were taken"
    assert all(answer.startswith(b"HTTP/1.1 503 ") and b"retry-after: " in answer for answer in refused)
    assert server.most_megabytes() - before < 3 * HELD_MEGABYTES_MAX
    for connection in connections:
        connection.close()
    give_up = time.monotonic() + SECONDS
    while server.deliver("evt_1") != 200:
        assert time.monotonic() < give_up, "the room was never given back"
