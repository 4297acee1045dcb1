"""dunr served without anybody on the other side: for what needs no processor."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from dunr.application import Application
from dunr.bootstrap import build
from dunr.entry.web.app import build_app
from dunr.sandbox.deliveries import sign
from dunr.settings import Settings
from tests.entry.web.served import serving
from tests.ports import free_port

START = datetime(2026, 6, 23, 10, tzinfo=UTC)
SECRET = "whsec_local"
NOBODY = "http://127.0.0.1:9"  # the discard port: no sandbox answers here


def application_for(folder: Path, **chosen: object) -> Application:
    """An application over a store in memory whose clock stands still."""
    defaults: dict[str, Any] = {"store": "memory:", "clock": "manual", "clock_start": START, "sandbox_url": NOBODY}
    return build(Settings(data=folder / "data", **(defaults | chosen)))


@contextmanager
def desk(application: Application) -> Iterator[httpx.Client]:
    """Somebody on this machine who asks the application's web face."""
    port = free_port()
    with (
        serving(build_app(application), port),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, verify=False) as client,
    ):
        yield client


def event(name: str = "evt_1", **odd: object) -> bytes:
    """An event as the sandbox writes it."""
    body: dict[str, object] = {
        "id": name,
        "type": "invoice.payment_failed",
        "created": int(START.timestamp()),
        "account": "acct_sandbox",
        "live": False,
        "data": {"invoice": "in_1", "subscription": "sub_1", "customer": "cus_1", "charge": None},
    }
    return json.dumps(body | odd).encode()


def signed(body: bytes, *secrets: str, seconds: int = 0) -> Mapping[str, str]:
    """The headers that prove a body; `seconds` is how far its time lies from our clock."""
    return {"sandbox-signature": sign(body, secrets or (SECRET,), int(START.timestamp()) + seconds)}


class StoreThat:
    """A store of which one verb is another; the rest is passed on."""

    def __init__(self, application: Application, **verbs: object) -> None:
        self._store = application.store
        self.__dict__.update(verbs)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def with_store(application: Application, **verbs: object) -> Application:
    """The same application, whose web face has another store."""
    store: Any = StoreThat(application, **verbs)
    return replace(application, store=store)
