"""``/sandbox``: what a tester tells the processor. No key: it is a tool, and answers no page of somebody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec
from starlette.routing import Route

from . import control_billing as billing
from . import control_customers as customers
from . import control_disputes as disputes
from . import control_webhooks as webhooks
from . import invoices, pay_page, settings, updater
from .answers import Reply, as_json
from .database import Transaction
from .instants import on_wire, parsed
from .machine import Sandbox
from .records import ChargeRequest
from .refusals import invalid
from .wire import Call, Handler, endpoint


class ClockBody(msgspec.Struct, forbid_unknown_fields=True):
    """Where to move the clock."""

    to: Annotated[str, msgspec.Meta(min_length=1)]


def list_requests(tx: Transaction, call: Call) -> Reply:
    """One row a request for money, oldest first; ``captured`` on the one that moved it."""
    found = tx.find(ChargeRequest, "(?1 IS NULL OR invoice = ?1)", call.query.get("invoice"))
    return as_json([_row(request) for request in found])


def _row(request: ChargeRequest) -> dict[str, object]:
    return {
        "id": request.id,
        "by": request.by,
        "invoice": request.invoice,
        "key": request.key,
        "amount_minor": request.amount_minor,
        "currency": request.currency,
        "card": request.card,
        "outcome": request.outcome,
        "decline_code": request.decline_code,
        "captured": request.captured,
        "charge": request.charge,
        "status": request.answer_status,
        "at": on_wire(request.at),
    }


def get_settings(tx: Transaction, _call: Call) -> Reply:
    return as_json(tx.settings)


def patch_settings(tx: Transaction, call: Call) -> Reply:
    before = tx.settings
    try:
        tx.settings = settings.changed(before, call.body)
    except (msgspec.DecodeError, RecursionError) as error:
        names = ", ".join(settings.Settings.__struct_fields__)
        raise invalid(f"{error}. The settings are: {names}.") from None
    if tx.settings.retries_by_itself != before.retries_by_itself:
        invoices.replan_own_retries(tx)
    return as_json(tx.settings)


def get_clock(sandbox: Sandbox, _call: Call) -> Reply:
    return as_json(sandbox.clock_face())


def post_clock(sandbox: Sandbox, call: Call) -> Reply:
    try:
        to = parsed(call.read(ClockBody).to)
    except ValueError as error:
        raise invalid(f"to: {error}") from None
    return as_json(sandbox.advance(to))


def _reading(work: Callable[[Transaction, Call], Reply]) -> Handler:
    def handle(sandbox: Sandbox, call: Call) -> Reply:
        with sandbox.database.read() as tx:
            return work(tx, call)

    return handle


def _writing(work: Callable[[Transaction, Call], Reply]) -> Handler:
    def handle(sandbox: Sandbox, call: Call) -> Reply:
        with sandbox.database.transaction() as tx:
            return work(tx, call)

    return handle


def routes(sandbox: Sandbox) -> list[Route]:
    def at(method: str, path: str, handler: Handler, *, slow: bool = False) -> Route:
        return Route(f"/sandbox{path}", endpoint(sandbox, handler, slow=slow, keyless=True), methods=[method])

    return [
        at("POST", "/failures", _writing(billing.fail)),
        at("POST", "/failures/many", _writing(billing.fail_many)),
        at("POST", "/invoices", _writing(billing.create_invoice)),
        at("POST", "/invoices/{id}/pay", _writing(billing.pay)),
        at("POST", "/invoices/{id}/void", _writing(billing.void)),
        at("POST", "/invoices/{id}/write_off", _writing(billing.write_off)),
        at("POST", "/invoices/{id}/credit", _writing(billing.credit)),
        at("GET", "/charges", _reading(list_requests)),
        at("POST", "/charges/{id}/dispute", _writing(disputes.dispute)),
        at("POST", "/charges/{id}/return", _writing(disputes.return_charge)),
        at("POST", "/charges/{id}/refund", _writing(billing.refund)),
        at("POST", "/charges/{id}/confirm", _writing(billing.confirm_charge)),
        at("POST", "/intents/{id}/confirm", _writing(billing.confirm_intent)),
        at("POST", "/disputes/{id}/close", _writing(disputes.close_dispute)),
        at("GET", "/cards/{id}/script", _reading(customers.get_script)),
        at("PUT", "/cards/{id}/script", _writing(customers.put_script)),
        at("POST", "/cards/{id}/update", _writing(customers.update_card)),
        at("PUT", "/cards/{id}/updater", _writing(updater.put_script)),
        at("GET", "/refreshes", _reading(updater.list_requests)),
        at("DELETE", "/cards/{id}", _writing(customers.detach_card)),
        at("GET", "/customers/{id}", _reading(customers.look_at_customer)),
        at("PATCH", "/customers/{id}", _writing(customers.change_customer)),
        at("DELETE", "/customers/{id}", _writing(customers.delete_customer)),
        at("POST", "/customers/{id}/card", _writing(customers.add_card)),
        at("POST", "/subscriptions/{id}/cancel", _writing(customers.cancel_subscription)),
        at("PATCH", "/subscriptions/{id}", _writing(customers.change_subscription)),
        at("GET", "/webhooks", _reading(webhooks.list_deliveries)),
        at("POST", "/webhooks/send", webhooks.send, slow=True),
        at("POST", "/webhooks/{event}/resend", webhooks.resend, slow=True),
        at("GET", "/settings", _reading(get_settings)),
        at("PATCH", "/settings", _writing(patch_settings)),
        at("GET", "/clock", get_clock),
        at("POST", "/clock", post_clock, slow=True),
        at("GET", "/pay/{token}", _reading(pay_page.show)),
        at("POST", "/pay/{token}", _writing(pay_page.act)),
    ]
