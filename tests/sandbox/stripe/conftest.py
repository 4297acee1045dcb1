"""The sandbox as Stripe, driven by Stripe's own SDK over HTTP. Every request of every test is held against its types."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from stripe import StripeClient, StripeError

from dunr.sandbox.__main__ import given_by
from dunr.sandbox.server import server_of
from tests.sandbox.processes import READY_SECONDS, Receiver, SandboxProcess
from tests.sandbox.stripe import sdk_types

KEY = "sk_test_sandbox"


class StripeSandbox(SandboxProcess):
    """The sandbox with ``--stripe``, and SDK clients to talk to it.

    Its server is a real one, but in a thread of this process: that starts at once. Who wants to kill it uses
    ``KilledSandbox``.
    """

    _server: uvicorn.Server
    _thread: threading.Thread

    def start(self) -> None:
        self._server = server_of(*given_by(self._command))
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        give_up = time.monotonic() + READY_SECONDS
        while not self._server.started:
            assert self._thread.is_alive(), "the sandbox did not start"
            assert time.monotonic() < give_up, "the sandbox took too long to start"
            time.sleep(0.005)

    def close(self) -> None:
        self.http.close()
        self._server.should_exit = True
        self._thread.join(timeout=READY_SECONDS)
        app: Any = self._server.config.app
        app.state.sandbox.database.close()

    def __init__(self, folder: Path, webhook_url: str | None, *more: str, clock: str = "manual") -> None:
        super().__init__(folder, webhook_url, clock=clock, more=("--stripe", *more))
        self.url = f"http://127.0.0.1:{self.port}"
        self.stripe = self.client()

    def client(self, key: str = KEY, *, version: str | None = None, account: str | None = None) -> StripeClient:
        return StripeClient(
            key,
            stripe_version=version,
            stripe_account=account,
            base_addresses={"api": self.url},
            max_network_retries=0,
        )

    def pin(self, version: str, **more: object) -> None:
        answer = self.http.patch("/sandbox/stripe/webhook_endpoints/we_sandbox", json={"api_version": version, **more})
        assert answer.status_code == 200, answer.text

    def check_requests(self) -> None:
        """What the SDK sent is what its types allow; a request that was refused for its parameters is left out."""
        for note in self.http.get("/sandbox/stripe/requests").json():
            if note["operation"] in sdk_types.SDK_TYPES and note["status"] != 400:
                sdk_types.check(note["operation"], note["parameters"])


def said(error: StripeError) -> dict[str, Any]:
    """The error object of an answer."""
    body: Any = error.json_body
    content: dict[str, Any] = body["error"]
    return content


@pytest.fixture
def sandbox(tmp_path: Path, receiver: Receiver) -> Iterator[StripeSandbox]:
    """On the manual clock, from Tuesday 23 June 2026, 10:00."""
    process = StripeSandbox(tmp_path, receiver.url)
    yield process
    process.check_requests()
    process.close()


class KilledSandbox(StripeSandbox):
    """The same as a process of its own, whose death is a real one."""

    start = SandboxProcess.start
    close = SandboxProcess.close


@pytest.fixture
def mortal(tmp_path: Path, receiver: Receiver) -> Iterator[KilledSandbox]:
    process = KilledSandbox(tmp_path, receiver.url)
    yield process
    process.check_requests()
    process.close()


@pytest.fixture
def real_time(tmp_path: Path, receiver: Receiver) -> Iterator[StripeSandbox]:
    process = StripeSandbox(tmp_path, receiver.url, clock="system")
    yield process
    process.check_requests()
    process.close()
