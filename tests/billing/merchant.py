"""A merchant's billing system that can be told to misbehave: a real HTTP server with the books of a merchant, on a free port.

It keeps keys as the contract wants it. What it is told to do next, it does once for each line of its script, and then as its balance says.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq="
AT = "2026-06-23T10:00:00Z"
Json = dict[str, Any]


@dataclass
class Seen:
    """One call as it came."""

    at: float
    path: str
    body: Json
    signed_at: datetime


@dataclass
class Merchant:
    """The books, the script and what was seen. `script` lines: paid, paid MINOR, no CODE, pending, 500, hang, hang paid, garbage, 429, 400 CODE."""

    script: deque[str] = field(default_factory=deque)
    otherwise: str = "paid"
    answers: dict[str, Json] = field(default_factory=dict)  # by key
    seen: list[Seen] = field(default_factory=list)
    look_ups_fail: bool = False
    other_name: str | None = None  # by which a look-up calls what it finds
    hang_seconds: float = 1.5
    permission: Json | str | int = field(
        default_factory=lambda: {"may_charge": True}
    )  # a status without a body, or what is said
    guard: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    @property
    def charges(self) -> list[Seen]:
        return [one for one in self.seen if one.path == "/charge"]

    @property
    def look_ups(self) -> list[Seen]:
        return [one for one in self.seen if one.path == "/look-up"]

    @property
    def captures(self) -> list[str]:
        """The keys under which money moved."""
        return [key for key, answer in self.answers.items() if answer["status"] == "paid"]

    @property
    def questions(self) -> list[Seen]:
        """How often we were asked before a charge."""
        return [one for one in self.seen if one.path == "/may-charge"]

    def may_charge(self, _call: Json) -> tuple[int, Json | str | None]:
        if self.permission == "hang":
            time.sleep(self.hang_seconds)
            return 0, None
        return (self.permission, None) if isinstance(self.permission, int) else (200, self.permission)

    def charge(self, call: Json) -> tuple[int, Json | str | None]:
        with self.guard:
            known = self.answers.get(call["key"])
            order = self.script.popleft() if self.script else self.otherwise
        match order.split(" "):
            case ["500"]:
                return 500, {"error": {"code": "down"}}
            case ["429"]:
                return 429, {"error": {"code": "rate_limit"}}
            case ["400", code]:
                return 400, {"error": {"code": code}}
            case ["garbage"]:
                return 200, "<html>"
            case ["hang", *then]:
                if then and known is None:
                    self._book(call, then)
                time.sleep(self.hang_seconds)
                return 0, None
            case then:
                return 200, known or self._book(call, then)

    def _book(self, call: Json, then: list[str]) -> Json:
        number = f"m_{call['key']}"
        match then:
            case ["no", code]:
                answer: Json = {"status": "not_paid", "reason_code": code, "id": number, "at": AT}
            case ["paid", minor]:
                answer = {"status": "paid", "id": number, "amount_minor": int(minor), "at": AT}
            case ["pending"]:
                answer = {"status": "pending", "id": number}
            case _:
                answer = {"status": "paid", "id": number, "amount_minor": call["amount_minor"], "at": AT}
        with self.guard:
            self.answers[call["key"]] = answer
        return answer

    def look_up(self, call: Json) -> tuple[int, Json | str | None]:
        if self.look_ups_fail:
            return 500, {"error": {"code": "down"}}
        found = self.answers.get(call["key"], {"status": "not_found"})
        return 200, found if self.other_name is None else found | {"id": self.other_name}

    def settle(self, key: str, answer: Json) -> None:
        """What a pending charge came to."""
        self.answers[key] = answer


@contextmanager
def merchant() -> Iterator[Merchant]:
    """A merchant behind a real socket."""
    books = Merchant()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            signed_at = datetime.fromtimestamp(int(self.headers["webhook-timestamp"]), UTC)
            wanted = Webhook(SECRET).sign(self.headers["webhook-id"], signed_at, body.decode())
            assert self.headers["webhook-signature"] == wanted
            call = json.loads(body)
            books.seen.append(Seen(time.monotonic(), self.path, call, signed_at))
            if self.path == "/charge":
                assert self.headers["idempotency-key"] == call["key"]
            answers = {"/charge": books.charge, "/may-charge": books.may_charge, "/look-up": books.look_up}
            status, answer = answers[self.path](call)
            if status == 0:
                self.close_connection = True
                return
            told = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the base class gives it
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    books.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield books
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
