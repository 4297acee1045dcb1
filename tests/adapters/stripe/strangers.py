"""A server that says to the official SDK whatever a test wants Stripe to say, and keeps what it was asked."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from dunr.adapters.processors.stripe.events import StripeAccount
from dunr.adapters.processors.stripe.processor import StripeProcessor
from dunr.core.snapshot import Snapshot
from dunr.pacing import Unpaced
from dunr.ports import Pace
from tests.adapters.stripe.bodies import ACCOUNT, AT, SECRET, Json
from tests.adapters.stripe.objects import listed, method, refusal

API_KEY = "rk_test_not_a_real_one"
REQUEST_ID = "req_seenByTheTest"


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    parameters: dict[str, str]
    headers: dict[str, str]


@dataclass
class Reply:
    """One answer: JSON, or bytes that are none."""

    status: int = 200
    body: Json | bytes = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


Script = Callable[[Asked], Reply]


class Stranger:
    """Answers each path as it was told; anything else is a 404 in Stripe's words."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.replies: dict[str, list[Reply] | Script] = {}
        self._dripping: set[str] = set()
        self._closed = threading.Event()
        stranger = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stranger.answer(self)

            def do_POST(self) -> None:
                stranger.answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()

    def tell(self, path: str, *replies: Reply | Json) -> None:
        """What a path answers, one after the other; the last one repeats."""
        self.replies[path] = [one if isinstance(one, Reply) else Reply(body=one) for one in replies]

    def drip(self, path: str) -> None:
        """One byte now and then, for ever: each is in time, the answer is not."""
        self._dripping.add(path)

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        form = handler.rfile.read(int(handler.headers.get("content-length") or 0)).decode()
        headers = {name.lower(): value for name, value in handler.headers.items()}
        asked = Asked(handler.command, parts.path, dict(parse_qsl(parts.query or form)), headers)
        self.asked.append(asked)
        if asked.path in self._dripping:
            self._drip(handler)
            return
        reply = self._reply(asked)
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        handler.send_response_only(reply.status)
        for name, value in ({"date": http_date(), "request-id": REQUEST_ID} | reply.headers).items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        with suppress(BrokenPipeError):  # whoever asked may have lost patience
            handler.end_headers()
            handler.wfile.write(body)

    def _drip(self, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        with suppress(OSError):
            while not self._closed.wait(0.05):
                handler.wfile.write(b" ")

    def _reply(self, asked: Asked) -> Reply:
        found = self.replies.get(asked.path)
        if found is None:
            return Reply(404, refusal("resource_missing"))
        if callable(found):
            return found(asked)
        return found.pop(0) if len(found) > 1 else found[0]


def http_date(seconds: int = 0) -> str:
    return format_datetime(AT.replace(second=seconds), usegmt=True)


def adapter(
    url: str,
    *,
    timeout_seconds: float = 5.0,
    live: bool = False,
    connected: tuple[str, ...] = (),
    pace: Pace | None = None,
) -> StripeProcessor:
    account = StripeAccount(
        account=ACCOUNT, live=live, webhook_secrets=(SECRET,), tolerance_seconds=300, connected=connected
    )
    return StripeProcessor.opened(
        account, url=url, api_key=API_KEY, timeout_seconds=timeout_seconds, pace=pace or Unpaced()
    )


def look(
    stranger: Stranger,
    processor: StripeProcessor,
    shown: Json,
    *charges: Json,
    methods: tuple[Json, ...] = (method(),),
) -> Snapshot:
    """What the adapter makes of an invoice with these charges and methods."""
    stranger.tell("/v1/invoices/in_1", shown)
    stranger.tell("/v1/charges", listed(*charges))
    stranger.tell("/v1/customers/cus_1/payment_methods", listed(*methods))
    return processor.snapshot(ACCOUNT, "in_1")
