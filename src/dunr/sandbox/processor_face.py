"""``/processor/v1``: what an engine sees. Every route needs an API key."""

from __future__ import annotations

import hmac
import time
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock

import msgspec
from starlette.routing import Route

from . import charging, expiring, snapshots, updater
from .answers import Delayed, Reply, Silence, as_json
from .charging import ChargeBody
from .database import Transaction
from .events import ACCOUNT, LIVE, WEBHOOK_URL, emit_invoice
from .identifiers import new_id
from .instants import on_wire, parsed
from .invoices import forget_own_retry
from .machine import Sandbox
from .records import Customer, Intent, Invoice, PayToken, Subscription
from .refusals import Refusal, bad_request, not_found, unavailable
from .wire import Call, Handler, endpoint

PAY_TOKEN_LIFE = timedelta(minutes=30)


class UpdateSessionBody(msgspec.Struct, forbid_unknown_fields=True):
    """Which invoice the page may be paid on, if any."""

    invoice: str | None = None


class RateLimit:
    """Requests in the last second of real time: a socket's clock, not the sandbox's."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: deque[float] = deque()

    def admit(self, per_second: int | None) -> None:
        if per_second is None:
            return
        now = time.monotonic()
        with self._lock:
            while self._seen and self._seen[0] <= now - 1.0:
                self._seen.popleft()
            if len(self._seen) >= per_second:
                raise Refusal(429, "rate_limit_error", "rate_limit", f"More than {per_second} requests a second.")
            self._seen.append(now)


def admit(sandbox: Sandbox, tx: Transaction, call: Call, limit: RateLimit) -> None:
    scheme, _, key = call.headers.get("authorization", "").partition(" ")
    known = [hmac.compare_digest(key.encode(), ours.encode()) for ours in sandbox.config.api_keys]
    if tx.settings.api_key_revoked or scheme.lower() != "bearer" or not any(known):
        raise Refusal(401, "authentication_error", "api_key_revoked", "This API key is unknown or has been revoked.")
    limit.admit(tx.settings.rate_limit_per_second)


def charge(limit: RateLimit) -> Handler:
    def handle(sandbox: Sandbox, call: Call) -> Reply:
        invoice, key = call.path["invoice"], call.headers.get("idempotency-key")
        body: ChargeBody | None = None
        try:
            with sandbox.database.transaction() as tx:
                admit(sandbox, tx, call, limit)
                body = _charge_body(call)
                return charging.receive(tx, invoice, key, body)
        except Refusal as refusal:
            with sandbox.database.transaction() as tx:
                charging.note_refused(tx, invoice, key, body, refusal)
            raise

    return handle


def _charge_body(call: Call) -> ChargeBody:
    try:
        return msgspec.json.decode(call.body, type=ChargeBody)
    except (msgspec.DecodeError, RecursionError) as error:
        raise bad_request("parameter_invalid", str(error)) from None


def look_up(tx: Transaction, call: Call) -> Reply:
    return _looked_up(tx, snapshots.charges(tx, call.query.get("invoice"), call.query.get("key")))


def recent_charges(tx: Transaction, call: Call) -> Reply:
    page = snapshots.recent_charges_page(tx, _since(call, "since"), call.query.get("cursor"), _limit(call))
    return _looked_up(tx, page)


def _looked_up(tx: Transaction, body: dict[str, object]) -> Reply:
    if tx.settings.lookups_failing:
        raise unavailable("Look-ups are failing; try again later.")
    return _late(tx, tx.settings.lookups_hang_seconds, body)


def _late(tx: Transaction, seconds: int, body: dict[str, object]) -> Reply:
    if not seconds:
        return as_json(body)
    return Silence() if tx.manual else Delayed(seconds, as_json(body))


def look_at(tx: Transaction, call: Call) -> Reply:
    if tx.settings.snapshots_failing:
        raise unavailable("Snapshots are failing; try again later.")
    return _late(tx, tx.settings.snapshots_hang_seconds, snapshots.snapshot(tx, call.path["invoice"]))


def list_invoices(tx: Transaction, call: Call) -> Reply:
    query = call.query
    since = _since(call, "updated_since")
    return as_json(snapshots.invoices_page(tx, query.get("status"), since, query.get("cursor"), _limit(call)))


def invoices_of_customer(tx: Transaction, call: Call) -> Reply:
    customer = _customer(tx, call.path["customer"])
    rows = tx.find(Invoice, "customer = ?", customer.id)
    return as_json({"invoices": [{"id": row.id, "status": row.status} for row in rows]})


def subscription(tx: Transaction, call: Call) -> Reply:
    found = tx.get(Subscription, call.path["id"])
    if found is None:
        raise not_found("subscription", call.path["id"])
    invoices = [row.id for row in tx.find(Invoice, "subscription = ?", found.id)]
    return as_json(
        {"subscription": snapshots.subscription_on_wire(found), "customer": found.customer, "invoices": invoices}
    )


def cancel_intent(tx: Transaction, call: Call) -> Reply:
    """Cancelled, unless the customer was faster: then it says succeeded, and that is true."""
    intent = tx.get(Intent, call.path["id"])
    if intent is None:
        raise not_found("intent", call.path["id"])
    if intent.status == "requires_action":
        intent.status = "cancelled"
        tx.put(intent)
    return as_json({"intent": {"id": intent.id, "status": intent.status}})


def leave(tx: Transaction, call: Call) -> Reply:
    """The engine takes an invoice over: the sandbox does not try it by itself any more."""
    invoice = tx.get(Invoice, call.path["invoice"])
    if invoice is None:
        raise not_found("invoice", call.path["invoice"])
    if not invoice.left_alone:
        invoice.left_alone, invoice.updated_at = True, tx.now
        forget_own_retry(tx, invoice)
        tx.put(invoice)
        emit_invoice(tx, "invoice.updated", invoice)
    return as_json({"invoice": invoice.id})


def update_session(tx: Transaction, call: Call) -> Reply:
    customer = _customer(tx, call.path["id"])
    try:
        body = msgspec.json.decode(call.body or b"{}", type=UpdateSessionBody)
    except (msgspec.DecodeError, RecursionError) as error:
        raise bad_request("parameter_invalid", str(error)) from None
    invoice = tx.get(Invoice, body.invoice)
    if body.invoice is not None and (invoice is None or invoice.customer != customer.id):
        raise bad_request("invoice_not_found", f"{body.invoice} is no invoice of this customer.")
    token = PayToken(id=new_id("pay"), customer=customer.id, invoice=body.invoice, expires_at=tx.now + PAY_TOKEN_LIFE)
    tx.put(token)
    return as_json({"url": f"{call.base_url}/sandbox/pay/{token.id}"})


def account(tx: Transaction, _call: Call) -> Reply:
    return as_json(
        {
            "account": tx.single(ACCOUNT),
            "live": tx.single(LIVE) == "true",
            "now": on_wire(tx.shown_now),
            "key": "ok",
            "webhook_url": tx.single(WEBHOOK_URL) or None,
        }
    )


def _customer(tx: Transaction, customer_id: str) -> Customer:
    customer = tx.get(Customer, customer_id)
    if customer is None:
        raise not_found("customer", customer_id)
    return customer


def _since(call: Call, name: str) -> datetime | None:
    text = call.query.get(name)
    try:
        return None if text is None else parsed(text)
    except ValueError as error:
        raise bad_request("parameter_invalid", f"{name}: {error}") from None


def _limit(call: Call) -> int:
    text = call.query.get("limit", str(snapshots.PAGE_MAX))
    if not (text.isascii() and text.isdecimal()) or len(text) > 9 or not 1 <= int(text) <= snapshots.PAGE_MAX:  # noqa: PLR2004 - digits
        raise bad_request("parameter_invalid", f"limit must be between 1 and {snapshots.PAGE_MAX}.")
    return int(text)


def routes(sandbox: Sandbox) -> list[Route]:
    limit = RateLimit()

    def admitted(work: Callable[[Transaction, Call], Reply], *, writes: bool = False) -> Handler:
        def handle(sandbox: Sandbox, call: Call) -> Reply:
            with sandbox.database.transaction() if writes else sandbox.database.read() as tx:
                admit(sandbox, tx, call, limit)
                return work(tx, call)

        return handle

    def at(method: str, path: str, handler: Handler) -> Route:
        return Route(f"/processor/v1{path}", endpoint(sandbox, handler), methods=[method])

    return [
        at("POST", "/invoices/{invoice}/charge", charge(limit)),
        at("POST", "/invoices/{invoice}/leave", admitted(leave, writes=True)),
        at("GET", "/charges", admitted(look_up)),
        at("GET", "/charges/recent", admitted(recent_charges)),
        at("GET", "/invoices", admitted(list_invoices)),
        at("GET", "/invoices/{invoice}/snapshot", admitted(look_at)),
        at("GET", "/customers/{customer}/invoices", admitted(invoices_of_customer)),
        at("GET", "/subscriptions/{id}", admitted(subscription)),
        at("POST", "/intents/{id}/cancel", admitted(cancel_intent, writes=True)),
        at("GET", "/cards/expiring", admitted(expiring.list_cards)),
        at("POST", "/cards/{id}/refresh", admitted(updater.refresh, writes=True)),
        at("POST", "/customers/{id}/update_session", admitted(update_session, writes=True)),
        at("GET", "/account", admitted(account)),
    ]
