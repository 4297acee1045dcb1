"""A limit on everything that comes in: size, time, and how much may wait."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from dunr.entry.web import bodies
from dunr.entry.web.face import BoundedThreads
from dunr.entry.web.gathering import GatheringWriter
from dunr.entry.web.problems import Busy
from dunr.errors import StoreUnavailable
from dunr.ports import Inbound, Receipt
from dunr.testing.store_rows import event as inbound
from dunr.testing.together import together
from tests.entry.web.desk import application_for, desk, event, signed, with_store

TEN_MEGABYTES = 10 * 1024 * 1024
PATH = "/webhooks/sandbox"


def connected(client: httpx.Client) -> socket.socket:
    return socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=10)


def head(*headers: str) -> bytes:
    return "\r\n".join([f"POST {PATH} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


def read_all(connection: socket.socket) -> bytes:
    """Until the server closes."""
    received = b""
    while chunk := connection.recv(65_536):
        received += chunk
    return received


def test_ten_megabytes_are_refused_by_their_length_alone(tmp_path: Path) -> None:
    with desk(application_for(tmp_path)) as client, connected(client) as connection:
        connection.sendall(head(f"Content-Length: {TEN_MEGABYTES}"))
        answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"connection: close" in answer.lower()


def in_chunks() -> Iterator[bytes]:
    for _ in range(TEN_MEGABYTES // 65_536):
        yield b"x" * 65_536


@pytest.mark.parametrize("chunked", [False, True])
def test_a_client_that_sends_ten_megabytes_is_told_why(tmp_path: Path, chunked: bool) -> None:
    application = application_for(tmp_path)
    with desk(application) as client:
        content = in_chunks() if chunked else b"x" * TEN_MEGABYTES
        answer = client.post(PATH, content=content, headers=signed(b""))
        assert answer.status_code == 413
        assert answer.json()["title"] == "Too large"
        assert client.get("/healthz").status_code == 200
    assert application.reports.inbounds(state=None, limit=1) == []


def test_a_slow_client_is_let_go_and_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_SECONDS_MAX", 1.0)
    body = event()
    with desk(application_for(tmp_path)) as client, connected(client) as slow, connected(client) as gone:
        for connection in (slow, gone):
            connection.sendall(head("Content-Length: 5000") + b'{"id": ')
        gone.close()
        began = time.monotonic()
        assert client.post(PATH, content=body, headers=signed(body)).status_code == 200
        assert time.monotonic() - began < 1.0
        assert read_all(slow).startswith(b"HTTP/1.1 408 ")


def test_a_full_queue_is_503_and_what_was_taken_is_kept(tmp_path: Path) -> None:
    application = application_for(tmp_path, clock="system", clock_start=None)
    let_go = threading.Event()
    written: list[str] = []

    def slow_receive(inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        let_go.wait(10)
        written.extend(one.key for one in inbounds)
        return application.store.receive(inbounds)

    writer_limit = 3

    async def story() -> list[object]:
        writer = GatheringWriter(slow_receive, queued_max=writer_limit)
        waiting = [asyncio.ensure_future(writer.submit([inbound(f"evt_{number}")])) for number in range(6)]
        await asyncio.sleep(0.05)
        let_go.set()
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        writer.close()
        return list(answers)

    answers = asyncio.run(story())
    assert [answer for answer in answers if not isinstance(answer, Busy)] == [[Receipt.NEW]] * 4
    assert sum(isinstance(answer, Busy) for answer in answers) == 2
    assert len(written) == 4


def test_one_event_that_the_store_cannot_take_does_not_take_its_group_along() -> None:
    def receive(inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        time.sleep(0.02)
        if any("bad" in one.key for one in inbounds):
            raise ValueError("no such character in this database")
        return [Receipt.NEW] * len(inbounds)

    async def story() -> list[object]:
        writer = GatheringWriter(receive)
        names = ("first", "good_1", "bad", "good_2")
        return list(await asyncio.gather(*(writer.submit([inbound(name)]) for name in names), return_exceptions=True))

    first, good_1, bad, good_2 = asyncio.run(story())
    assert first == good_1 == good_2 == [Receipt.NEW]
    assert isinstance(bad, ValueError)


def test_who_goes_away_does_not_stop_the_others() -> None:
    def slow_receive(inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        time.sleep(0.05)
        return [Receipt.NEW] * len(inbounds)

    async def story() -> object:
        writer = GatheringWriter(slow_receive)
        first = asyncio.ensure_future(writer.submit([inbound("evt_1")]))
        gone, stays = (asyncio.ensure_future(writer.submit([inbound(name)])) for name in ("evt_2", "evt_3"))
        await asyncio.sleep(0.01)
        gone.cancel()
        return await first, await stays

    assert asyncio.run(story()) == ([Receipt.NEW], [Receipt.NEW])


def test_threads_have_a_bound_on_what_waits_for_them() -> None:
    threads, let_go = BoundedThreads("test", 1, waiting_max=1), threading.Event()
    begun = [threads.submit(lambda: let_go.wait(10)) for _ in range(2)]
    with pytest.raises(Busy):
        threads.submit(lambda: None)
    let_go.set()
    assert all(future.result() for future in begun)
    threads.submit(lambda: None).result()
    threads.close()


def test_a_store_that_comes_and_goes_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    application = application_for(tmp_path, clock="manual")
    calls = 0

    def shaky(inbounds: Sequence[Inbound]) -> Sequence[Receipt]:
        nonlocal calls
        calls += 1
        if calls % 2:
            raise StoreUnavailable("gone for a moment")
        return application.store.receive(inbounds)

    with desk(with_store(application, receive=shaky)) as client:

        def deliver(name: str) -> tuple[str, int]:
            body = event(name)
            return name, client.post(PATH, content=body, headers=signed(body)).status_code

        answers = together([lambda name=f"evt_{number}": deliver(name) for number in range(20)])  # type: ignore[misc]
        assert {status for _, status in answers} <= {200, 503}
    for name, status in answers:
        kept = application.store.inbound(f"sandbox:acct_sandbox:{name}")
        assert (kept is not None) == (status == 200)
