"""dunr with the sandbox inside, served by a real uvicorn on a free port: what the tests of this folder talk to."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette

from dunr.application import Application
from dunr.bootstrap import build
from dunr.entry.web.app import build_app
from dunr.sandbox.app import SandboxConfig
from dunr.sandbox.app import build_app as build_sandbox
from dunr.settings import Settings
from tests.ports import free_port

START = datetime(2026, 6, 23, 10, tzinfo=UTC)
SECRET = "whsec_local"
PATIENCE_SECONDS = 20.0


@contextmanager
def serving(app: Starlette, port: int) -> Iterator[None]:
    """The app behind a real socket."""
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", ws="none", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.005)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


class Served:
    """One running dunr with its sandbox, and what a tester says to both."""

    app: Starlette  # the routes that are served, the sandbox's included

    def __init__(self, application: Application, http: httpx.Client) -> None:
        self.application = application
        self.http = http

    @property
    def manual(self) -> bool:
        return self.application.settings.clock == "manual"

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.http.get(path, headers=headers)

    def post(self, path: str, **body: object) -> httpx.Response:
        return self.http.post(path, json=body)

    def fail(self, invoice: str = "in_1", **more: object) -> None:
        body: dict[str, object] = {"invoice": invoice, "subscription": "sub_1", "decline": "insufficient_funds"}
        body |= {"customer": {"id": "cus_1", "email": "ada@example.com", "name": "Ada"}, "card": {"id": "pm_1"}}
        answer = self.post("/sandbox/failures", **(body | more))
        assert answer.status_code == 201, answer.text
        self.until_quiet()

    def script(self, *outcomes: str, card: str = "pm_1") -> None:
        answer = self.http.put(f"/sandbox/cards/{card}/script", json=list(outcomes))
        assert answer.status_code == 200, answer.text

    def until_quiet(self) -> None:
        """Wait until the sandbox has delivered everything, and it was applied."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        while self.get("/sandbox/clock").json()["undelivered"]:
            assert time.monotonic() < give_up, "the webhooks never came to rest"
            time.sleep(0.01)
        if not self.manual:
            self.application.runner.run_until_quiet()

    def advance(self, **where: object) -> dict[str, Any]:
        answer = self.post("/v1/test/clock/advance", **where)
        assert answer.status_code == 200, answer.text
        moved: dict[str, Any] = answer.json()
        return moved

    def case(self, given: str = "in_1") -> dict[str, Any]:
        answer = self.get(f"/v1/cases/{given}")
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def access(self, subscription: str = "sub_1") -> str:
        return str(self.get(f"/v1/entitlements/{subscription}").json()["access"])

    def captures(self, invoice: str = "in_1") -> int:
        return sum(row["captured"] is True for row in self.get(f"/sandbox/charges?invoice={invoice}").json())


@contextmanager
def served(folder: Path, **chosen: object) -> Iterator[Served]:
    """dunr on the manual clock over a store in memory, unless chosen otherwise."""
    port = free_port()
    base_url = f"http://127.0.0.1:{port}"
    defaults: dict[str, Any] = {"store": "memory:", "clock": "manual", "clock_start": START}
    if chosen.get("clock") == "system":
        defaults["clock_start"] = None
    settings = Settings(data=folder / "data", port=port, sandbox_url=base_url, **(defaults | chosen))
    application = build(settings)
    sandbox = build_sandbox(
        SandboxConfig(
            database=folder / "sandbox.db",
            webhook_url=f"{base_url}/webhooks/sandbox",
            webhook_secrets=(SECRET,),
            api_keys=(settings.sandbox_api_key,),
            account=settings.account,
            clock="manual" if settings.clock == "manual" else "system",
            clock_start=settings.clock_start,
        )
    )
    try:
        app = build_app(application, sandbox_app=sandbox)
        with serving(app, port):
            limits = httpx.Limits(max_connections=64)
            with httpx.Client(base_url=base_url, timeout=30.0, limits=limits, verify=False) as http:
                running = Served(application, http)
                running.app = app
                yield running
    finally:
        sandbox.state.sandbox.close()
        application.close()
