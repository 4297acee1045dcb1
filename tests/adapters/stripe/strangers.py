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
from tests.adapters.stripe.bodies import ACCOUNT, AT, SECOND, SECRET, Json

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
    url: str, *, timeout_seconds: float = 5.0, live: bool = False, connected: tuple[str, ...] = (), rate: float = 1000
) -> StripeProcessor:
    account = StripeAccount(
        account=ACCOUNT, live=live, webhook_secrets=(SECRET,), tolerance_seconds=300, connected=connected
    )
    return StripeProcessor.opened(account, url=url, api_key=API_KEY, timeout_seconds=timeout_seconds, rate_max=rate)


# --- objects as the newest version shows them, expanded as the adapter asks -----------------------------------------------------


def refusal(code: str | None, kind: str = "invalid_request_error", **more: object) -> Json:
    said: Json = {"type": kind, "message": "words for people, with 4242424242424242 in them"}
    return {"error": said | ({"code": code} if code else {}) | more}


def listed(*rows: Json, has_more: bool = False) -> Json:
    return {"object": "list", "data": list(rows), "has_more": has_more, "url": "/v1/things"}


def intent(status: str = "requires_payment_method", **more: object) -> Json:
    shown: Json = {
        "id": "pi_1",
        "object": "payment_intent",
        "status": status,
        "amount": 4900,
        "amount_received": 4900 if status == "succeeded" else 0,
        "created": SECOND - 3600,
        "latest_charge": "ch_1",
        "last_payment_error": None,
    }
    return shown | more


def payment(of: Json, status: str = "open", **more: object) -> Json:
    paid_at = SECOND + 60 if status == "paid" else None
    shown: Json = {
        "id": f"inpay_{of['id']}",
        "object": "invoice_payment",
        "status": status,
        "is_default": True,
        "amount_paid": 4900 if status == "paid" else None,
        "created": SECOND - 3600,
        "payment": {"type": "payment_intent", "payment_intent": of},
        "status_transitions": {"paid_at": paid_at, "canceled_at": None},
    }
    return shown | more


def customer(**more: object) -> Json:
    shown: Json = {
        "id": "cus_1",
        "object": "customer",
        "email": "ada@example.com",
        "name": "Ada",
        "preferred_locales": ["de-AT", "en"],
        "address": {"country": "AT", "line1": "a street that is nobody's business"},
        "invoice_settings": {"default_payment_method": "pm_1"},
        "default_source": None,
        "metadata": {},
    }
    return shown | more


def subscription(**more: object) -> Json:
    shown: Json = {
        "id": "sub_1",
        "object": "subscription",
        "status": "past_due",
        "default_payment_method": None,
        "default_source": None,
        "items": listed({"current_period_end": SECOND + 86400}, {"current_period_end": SECOND + 3600}),
        "metadata": {"tier": "gold"},
    }
    return shown | more


def invoice(*payments: Json, of: Json | None = None, **more: object) -> Json:
    details = {"metadata": {}, "subscription": subscription() if of is None else of}
    line = {"id": "il_1", "pricing": {"price_details": {"price": "price_1", "product": "prod_1"}}}
    shown: Json = {
        "id": "in_1",
        "object": "invoice",
        "status": "open",
        "currency": "usd",
        "livemode": False,
        "created": SECOND - 7200,
        "amount_due": 4900,
        "amount_paid": 0,
        "amount_remaining": 4900,
        "pre_payment_credit_notes_amount": 0,
        "attempted": True,
        "billing_reason": "subscription_cycle",
        "collection_method": "charge_automatically",
        "customer": customer(),
        "customer_email": "ada@example.com",
        "default_payment_method": None,
        "default_source": None,
        "hosted_invoice_url": "https://invoice.stripe.example/i/in_1",
        "lines": listed(line),
        "metadata": {},
        "next_payment_attempt": None,
        "parent": {"type": "subscription_details", "subscription_details": details},
        "payments": listed(*(payments or (payment(intent()),))),
        "status_transitions": {"finalized_at": SECOND - 3600, "paid_at": None},
    }
    return shown | more


def charge(charge_id: str = "ch_1", status: str = "failed", **more: object) -> Json:
    failed = status == "failed"
    outcome: Json = {"type": "authorized", "reason": None, "network_status": "approved_by_network"}
    if failed:
        outcome = {
            "type": "issuer_declined",
            "reason": "insufficient_funds",
            "advice_code": "try_again_later",
            "network_decline_code": "51",
            "network_advice_code": "03",
        }
    card = {"brand": "visa", "network": "visa", "fingerprint": "fp_1", "country": "US", "last4": "4242"}
    shown: Json = {
        "id": charge_id,
        "object": "charge",
        "amount": 4900,
        "amount_captured": 0 if failed else 4900,
        "amount_refunded": 0,
        "captured": not failed,
        "created": SECOND - 3500,
        "customer": "cus_1",
        "disputed": False,
        "failure_code": "card_declined" if failed else None,
        "outcome": outcome,
        "payment_intent": "pi_1",
        "payment_method": "pm_1",
        "payment_method_details": {"type": "card", "card": card},
        "status": status,
    }
    return shown | more


def method(method_id: str = "pm_1", **more: object) -> Json:
    card = {"brand": "visa", "fingerprint": f"fp_{method_id[3:]}", "country": "US", "last4": "4242"}
    shown: Json = {
        "id": method_id,
        "object": "payment_method",
        "type": "card",
        "created": SECOND - 90 * 86400,
        "card": card | {"exp_month": 3, "exp_year": 2027},
        "customer": "cus_1",
    }
    return shown | more
