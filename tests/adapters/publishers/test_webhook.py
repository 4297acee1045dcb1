"""Webhooks out, against a real receiver that checks the signature as any receiver would."""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from standardwebhooks import Webhook, WebhookVerificationError
from structlog.testing import capture_logs

from dunr.adapters.publishers.none import StoredOnlyPublisher
from dunr.adapters.publishers.webhook import WebhookPublisher
from dunr.core.alerting import AlertWord
from dunr.core.effects import Publish, RaiseAlert
from dunr.core.terms import Access, AlertKind
from dunr.errors import SettingsError
from dunr.ports import Delivery, Publisher

SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
AT = datetime(2026, 6, 23, 10, 0, 0, 500_000, tzinfo=UTC)
CHANGE = Publish(
    key="access:sandbox:acct:sub_1:7",
    case_id="sandbox:acct:in_1",
    subscription_id="sandbox:acct:sub_1",
    access=Access.PAUSED,
    access_version=7,
    why="all steps are spent",
    at=AT,
)
ONE_ALERT = RaiseAlert(key="alert:overpaid:1", kind=AlertKind.OVERPAID, case_id=None, text="Paid twice – look", at=AT)
ALERT = AlertWord(ONE_ALERT.key, AlertKind.OVERPAID, is_end=False, alerts=(ONE_ALERT,), at=AT)


class RunningClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass
class Receiver:
    status: int = 204
    wait_seconds: float = 0
    url: str = ""
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)


@contextlib.contextmanager
def receiving(receiver: Receiver) -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.requests.append((self.path, dict(self.headers.items()), body))
            time.sleep(receiver.wait_seconds)
            with contextlib.suppress(OSError):
                self.send_response(receiver.status)
                self.send_header("location", "/elsewhere")
                self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def send(receiver: Receiver, secret: str = SECRET) -> Delivery:
    with httpx.Client(verify=False) as client:
        return WebhookPublisher(receiver.url, secret, client, RunningClock()).publish(CHANGE)


def test_a_receiver_can_prove_who_wrote() -> None:
    with receiving(Receiver()) as receiver, httpx.Client(verify=False) as client:
        publisher: Publisher = WebhookPublisher(receiver.url, SECRET, client, RunningClock())
        assert publisher.publish(CHANGE) is Delivery.SENT
        assert publisher.alert(ALERT) is Delivery.SENT
    told = [Webhook(SECRET).verify(body, headers) for _, headers, body in receiver.requests]
    assert told[0] == {
        "type": "access.changed",
        "timestamp": "2026-06-23T10:00:00.500000Z",
        "data": {
            "processor": "sandbox",
            "account": "acct",
            "subscription": "sub_1",
            "access": "paused",
            "version": 7,
            "why": "all steps are spent",
            "at": "2026-06-23T10:00:00.500000Z",
        },
    }
    assert told[1]["type"] == "alert.raised"
    assert told[1]["data"]["kind"] == "overpaid"
    assert told[1]["data"]["case"] is None
    assert told[1]["data"]["text"] == "Paid twice – look"
    headers = {name.lower(): value for name, value in receiver.requests[0][1].items()}
    assert headers["webhook-id"] == CHANGE.key
    assert headers["content-type"] == "application/json"


def test_another_secret_or_another_body_does_not_verify() -> None:
    with receiving(Receiver()) as receiver:
        send(receiver, "whsec_AAAABBBBCCCCDDDDEEEEFFFF")
    _, headers, body = receiver.requests[0]
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook("whsec_AAAABBBBCCCCDDDDEEEEFFFF").verify(body.replace(b"paused", b"granted"), headers)


def test_a_repeat_has_the_same_id_and_body() -> None:
    with receiving(Receiver()) as receiver:
        assert send(receiver) is send(receiver) is Delivery.SENT
    (_, first, body), (_, second, same_body) = receiver.requests
    assert first["webhook-id"] == second["webhook-id"]
    assert body == same_body


@pytest.mark.parametrize(
    ("status", "delivery"),
    [
        (200, Delivery.SENT),
        (202, Delivery.SENT),
        (204, Delivery.SENT),
        (301, Delivery.FAILED_FOR_NOW),
        (307, Delivery.FAILED_FOR_NOW),
        (400, Delivery.FAILED_FOR_NOW),
        (404, Delivery.FAILED_FOR_NOW),
        (410, Delivery.UNDELIVERABLE),
        (429, Delivery.FAILED_FOR_NOW),
        (500, Delivery.FAILED_FOR_NOW),
        (503, Delivery.FAILED_FOR_NOW),
    ],
)
def test_only_a_2xx_is_a_receipt(status: int, delivery: Delivery) -> None:
    with receiving(Receiver(status)) as receiver:
        assert send(receiver) is delivery
    assert [path for path, _, _ in receiver.requests] == ["/hook"]  # a redirect is not followed


def test_nobody_there_and_no_answer_in_time_are_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dunr.adapters.publishers.webhook.signed.TIMEOUT_SECONDS", 0.2)
    with receiving(Receiver(wait_seconds=0.6)) as receiver:
        assert send(receiver) is Delivery.FAILED_FOR_NOW
    assert send(receiver) is Delivery.FAILED_FOR_NOW  # it is closed now


def test_no_log_line_tells_the_url_or_the_secret() -> None:
    with receiving(Receiver(500)) as receiver, capture_logs() as logs:
        send(receiver)
    assert len(logs) == 1
    assert "127.0.0.1" not in str(logs)
    assert "whsec" not in str(logs)


@pytest.mark.parametrize("key", ["access:ü", "a b", "x\r\nx-evil: 1", "k" * 5000])
def test_a_key_that_fits_no_header_travels_as_its_hash(key: str) -> None:
    with receiving(Receiver()) as receiver, httpx.Client(verify=False) as client:
        message = Publish(key, "p:a:c", "p:a:s", Access.GRACE, 1, "why", AT)
        assert WebhookPublisher(receiver.url, SECRET, client, RunningClock()).publish(message) is Delivery.SENT
    _, headers, body = receiver.requests[0]
    assert Webhook(SECRET).verify(body, headers)["data"]["access"] == "grace"
    assert "x-evil" not in {name.lower() for name in headers}


def test_settings_that_cannot_work_are_refused_at_start() -> None:
    with httpx.Client(verify=False) as client:
        for url, secret in (
            ("ftp://x", SECRET),
            ("http://x", ""),
            ("http://x", "whsec_"),
            ("http://x", "ä"),
            ("", "AAAA"),
        ):
            with pytest.raises(SettingsError):
                WebhookPublisher(url, secret, client, RunningClock())


def test_without_an_endpoint_the_store_is_enough() -> None:
    publisher: Publisher = StoredOnlyPublisher()
    assert publisher.publish(CHANGE) is Delivery.SENT
    assert publisher.alert(ALERT) is Delivery.SENT
