"""The least that a durable intake must do, as the second peer of the intake benchmark: the signature is compared, the body goes into one table, 200 after the commit.

One thread writes all that wait in one transaction, with dunr's SQLite settings. It decodes nothing, knows no duplicate, and has no limit.
"""

import asyncio
import hmac
import os
import sqlite3
from queue import SimpleQueue
from threading import Thread

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

SECRET = os.environ["BENCH_SECRET"].encode()
waiting: SimpleQueue[tuple[bytes, asyncio.Future[None]]] = SimpleQueue()


def write_groups() -> None:
    """Commit whatever came while the last commit was on its way."""
    store = sqlite3.connect(os.environ["BENCH_DATABASE"], isolation_level=None)
    for statement in (
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=FULL",
        "CREATE TABLE events (id INTEGER PRIMARY KEY, body BLOB)",
    ):
        store.execute(statement)
    while True:
        group = [waiting.get()]
        while not waiting.empty():
            group.append(waiting.get())
        store.execute("BEGIN IMMEDIATE")
        store.executemany("INSERT INTO events (body) VALUES (?)", [(body,) for body, _ in group])
        store.execute("COMMIT")
        group[0][1].get_loop().call_soon_threadsafe(answer, group)


def answer(group: list[tuple[bytes, "asyncio.Future[None]"]]) -> None:
    """Let those go who wait, on the event loop."""
    for _, stored in group:
        stored.set_result(None)


async def receive(request: Request) -> Response:
    """Verify, store, answer."""
    body = await request.body()
    at, _, mark = request.headers["stripe-signature"].removeprefix("t=").partition(",v1=")
    if not hmac.compare_digest(hmac.digest(SECRET, f"{at}.".encode() + body, "sha256").hex(), mark):
        return Response(status_code=400)
    stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    waiting.put((body, stored))
    await stored
    return Response(b"ok")


Thread(target=write_groups, daemon=True).start()
app = Starlette(routes=[Route("/webhook", receive, methods=["POST"])])
