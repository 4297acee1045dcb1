"""The sandbox as a real process on a free port, and somebody who listens to its webhooks."""

import json
import signal
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from tests import nursery
from tests.ports import free_port

KEY = "sk_sandbox_test"
SECRETS = ("whsec_old", "whsec_new")
START = "2026-06-23T10:00:00Z"
READY_SECONDS = 20.0


class Received:
    """One webhook as it arrived."""

    def __init__(self, body: bytes, signature: str | None) -> None:
        self.body, self.signature = body, signature

    @property
    def json(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.body)
        return content

    @property
    def type(self) -> str:
        return str(json.loads(self.body)["type"])


class Receiver:
    """A web server that keeps what it gets and answers what it is told to."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answer: Callable[[Received], int] = lambda _: 200
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                signature = self.headers.get("sandbox-signature") or self.headers.get("stripe-signature")
                received = Received(body, signature)
                receiver.received.append(received)
                self.send_response(receiver.answer(received))
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhooks/sandbox"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def types(self) -> list[str]:
        return [one.type for one in self.received]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class SandboxProcess:
    """Start, kill and start again on the same file; speaks both faces."""

    def __init__(self, folder: Path, webhook_url: str | None, clock: str = "manual", more: Sequence[str] = ()) -> None:
        self.port = free_port()
        self._clock = clock
        self._command = ["--database", str(folder / "sandbox.db")]
        self._command += ["--port", str(self.port), "--api-key", KEY, "--clock", clock]
        if clock == "manual":
            self._command += ["--clock-start", START]
        for secret in SECRETS:
            self._command += ["--webhook-secret", secret]
        self._command += more
        if webhook_url is not None:
            self._command += ["--webhook-url", webhook_url]
        limits = httpx.Limits(max_connections=64)
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=20.0, limits=limits, verify=False)
        self.http.headers["authorization"] = f"Bearer {KEY}"
        self.start()

    def start(self) -> None:
        self._process = nursery.start("dunr.sandbox", *self._command)
        give_up = time.monotonic() + READY_SECONDS
        while True:
            try:
                self.http.get("/sandbox/clock")
            except httpx.TransportError:
                assert self._process.poll() is None, "the sandbox did not start"
                assert time.monotonic() < give_up, "the sandbox took too long to start"
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        self.http.close()
        self._process.terminate()
        self._process.wait(timeout=20)

    # What a tester says.

    def fail(self, invoice: str = "in_1", **more: object) -> dict[str, object]:
        body = {"invoice": invoice, "subscription": "sub_1", "customer": {"id": "cus_1"}, "card": {"id": "pm_1"}}
        answer = self.http.post("/sandbox/failures", json=body | more)
        assert answer.status_code in (200, 201), answer.text
        made: dict[str, object] = answer.json()
        return made

    def script(self, *outcomes: str, card: str = "pm_1") -> None:
        answer = self.http.put(f"/sandbox/cards/{card}/script", json=list(outcomes))
        assert answer.status_code == 200, answer.text

    def set(self, **settings: object) -> None:
        answer = self.http.patch("/sandbox/settings", json=settings)
        assert answer.status_code == 200, answer.text

    def control(self, method: str, path: str, **body: object) -> httpx.Response:
        return self.http.request(method, f"/sandbox{path}", json=body or None)

    def to(self, instant: str) -> dict[str, object]:
        answer = self.http.post("/sandbox/clock", json={"to": instant})
        assert answer.status_code == 200, answer.text
        moved: dict[str, object] = answer.json()
        return moved

    def quiet(self) -> None:
        """Wait until nothing is due and unanswered."""
        give_up = time.monotonic() + READY_SECONDS
        while self.http.get("/sandbox/clock").json()["undelivered"]:
            assert time.monotonic() < give_up, "the webhooks never came to rest"
            time.sleep(0.01)

    def requests(self, invoice: str = "in_1") -> list[dict[str, object]]:
        rows: list[dict[str, object]] = self.http.get("/sandbox/charges", params={"invoice": invoice}).json()
        return rows

    def outcomes(self, invoice: str = "in_1") -> list[object]:
        return [row["outcome"] for row in self.requests(invoice)]

    def captures(self, invoice: str = "in_1") -> int:
        return sum(row["captured"] is True for row in self.requests(invoice))

    def deliveries(self, **narrow: str) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = self.http.get("/sandbox/webhooks", params=narrow).json()
        return rows

    # What an engine says.

    def charge(
        self,
        key: str | None,
        invoice: str = "in_1",
        amount_minor: int = 4900,
        card: str = "pm_1",
        currency: str = "usd",
    ) -> httpx.Response:
        headers = {} if key is None else {"idempotency-key": key}
        body = {"amount_minor": amount_minor, "currency": currency, "card": card}
        return self.http.post(f"/processor/v1/invoices/{invoice}/charge", json=body, headers=headers)

    def snapshot(self, invoice: str = "in_1") -> dict[str, object]:
        answer = self.http.get(f"/processor/v1/invoices/{invoice}/snapshot")
        assert answer.status_code == 200, answer.text
        seen: dict[str, object] = answer.json()
        return seen

    def invoice(self, invoice: str = "in_1") -> dict[str, object]:
        seen = self.snapshot(invoice)["invoice"]
        assert isinstance(seen, dict)
        return seen

    def found(self, key: str) -> list[dict[str, object]]:
        charges: list[dict[str, object]] = self.http.get("/processor/v1/charges", params={"key": key}).json()["charges"]
        return charges
