"""The table of calls: Stripe's addresses, the SDK's names for them, and what each one does."""

from __future__ import annotations

from starlette.routing import Route

from dunr.sandbox import events
from dunr.sandbox.config import StripeFace
from dunr.sandbox.machine import Sandbox

from . import accounts, control, paying, reading, writing
from .accounts import configured_endpoint
from .calls import Operation
from .face import Face
from .shape_invoices import PUBLIC_URL
from .telling import listener

OPERATIONS = (
    Operation("invoices.list", "GET", "/v1/invoices", "invoices", "invoice", reading.invoices),
    Operation("invoices.retrieve", "GET", "/v1/invoices/{id}", "invoices", "invoice", reading.invoice, "invoice"),
    Operation("invoices.update", "POST", "/v1/invoices/{id}", "invoices", "invoice", writing.update_invoice, "invoice"),
    Operation("invoices.pay", "POST", "/v1/invoices/{id}/pay", "invoices", "invoice", paying.pay, "invoice"),
    Operation(
        "invoices.void_invoice",
        "POST",
        "/v1/invoices/{id}/void",
        "invoices",
        "invoice",
        writing.void_invoice,
        "invoice",
    ),
    Operation(
        "invoices.mark_uncollectible",
        "POST",
        "/v1/invoices/{id}/mark_uncollectible",
        "invoices",
        "invoice",
        writing.mark_uncollectible,
        "invoice",
    ),
    Operation(
        "invoice_payments.list", "GET", "/v1/invoice_payments", "invoice_payments", "invoice", reading.invoice_payments
    ),
    Operation(
        "invoice_payments.retrieve",
        "GET",
        "/v1/invoice_payments/{id}",
        "invoice_payments",
        "invoice",
        reading.invoice_payment,
        "invoice_payment",
    ),
    Operation(
        "payment_intents.list", "GET", "/v1/payment_intents", "payment_intents", "payment_intent", reading.intents
    ),
    Operation(
        "payment_intents.retrieve",
        "GET",
        "/v1/payment_intents/{id}",
        "payment_intents",
        "payment_intent",
        reading.intent,
        "payment_intent",
    ),
    Operation(
        "payment_intents.cancel",
        "POST",
        "/v1/payment_intents/{id}/cancel",
        "payment_intents",
        "payment_intent",
        writing.cancel_intent,
        "payment_intent",
    ),
    Operation("charges.list", "GET", "/v1/charges", "charges", "charge", reading.charges),
    Operation("charges.retrieve", "GET", "/v1/charges/{id}", "charges", "charge", reading.charge, "charge"),
    Operation("customers.retrieve", "GET", "/v1/customers/{id}", "customers", "customer", reading.customer, "customer"),
    Operation(
        "customers.update", "POST", "/v1/customers/{id}", "customers", "customer", writing.update_customer, "customer"
    ),
    Operation(
        "customers.payment_methods.list",
        "GET",
        "/v1/customers/{id}/payment_methods",
        "payment_methods",
        "payment_method",
        reading.payment_methods_of_customer,
        "customer",
    ),
    Operation(
        "payment_methods.list",
        "GET",
        "/v1/payment_methods",
        "payment_methods",
        "payment_method",
        reading.payment_methods,
    ),
    Operation(
        "payment_methods.retrieve",
        "GET",
        "/v1/payment_methods/{id}",
        "payment_methods",
        "payment_method",
        reading.payment_method,
        "PaymentMethod",
    ),
    Operation(
        "payment_methods.attach",
        "POST",
        "/v1/payment_methods/{id}/attach",
        "payment_methods",
        "payment_method",
        writing.attach,
        "PaymentMethod",
    ),
    Operation(
        "payment_methods.detach",
        "POST",
        "/v1/payment_methods/{id}/detach",
        "payment_methods",
        "payment_method",
        writing.detach,
        "PaymentMethod",
    ),
    Operation("subscriptions.list", "GET", "/v1/subscriptions", "subscriptions", "subscription", reading.subscriptions),
    Operation(
        "subscriptions.retrieve",
        "GET",
        "/v1/subscriptions/{id}",
        "subscriptions",
        "subscription",
        reading.subscription,
        "subscription",
    ),
    Operation(
        "subscriptions.cancel",
        "DELETE",
        "/v1/subscriptions/{id}",
        "subscriptions",
        "subscription",
        writing.cancel_subscription,
        "subscription",
    ),
    Operation("disputes.list", "GET", "/v1/disputes", "disputes", "dispute", reading.disputes),
    Operation("disputes.retrieve", "GET", "/v1/disputes/{id}", "disputes", "dispute", reading.dispute, "dispute"),
    Operation("refunds.create", "POST", "/v1/refunds", "refunds", "charge", writing.create_refund),
    Operation("refunds.list", "GET", "/v1/refunds", "refunds", "charge", writing.refunds),
    Operation("refunds.retrieve", "GET", "/v1/refunds/{id}", "refunds", "charge", writing.refund, "refund"),
    Operation("events.list", "GET", "/v1/events", "events", "event", accounts.events),
    Operation("events.retrieve", "GET", "/v1/events/{id}", "events", "event", accounts.event, "event"),
    Operation(
        "v2.core.events.retrieve", "GET", "/v2/core/events/{id}", "events", "event", accounts.notified_event, "event"
    ),
    Operation(
        "billing_portal.sessions.create",
        "POST",
        "/v1/billing_portal/sessions",
        "billing_portal",
        "customer_portal",
        writing.portal_session,
    ),
    Operation(
        "webhook_endpoints.create",
        "POST",
        "/v1/webhook_endpoints",
        "webhook_endpoints",
        "webhook",
        accounts.create_endpoint,
        of_books=False,
    ),
    Operation(
        "webhook_endpoints.list",
        "GET",
        "/v1/webhook_endpoints",
        "webhook_endpoints",
        "webhook",
        accounts.endpoints,
        of_books=False,
    ),
    Operation(
        "webhook_endpoints.retrieve",
        "GET",
        "/v1/webhook_endpoints/{id}",
        "webhook_endpoints",
        "webhook",
        accounts.endpoint,
        of_books=False,
    ),
    Operation(
        "webhook_endpoints.update",
        "POST",
        "/v1/webhook_endpoints/{id}",
        "webhook_endpoints",
        "webhook",
        accounts.update_endpoint,
        of_books=False,
    ),
    Operation(
        "webhook_endpoints.delete",
        "DELETE",
        "/v1/webhook_endpoints/{id}",
        "webhook_endpoints",
        "webhook",
        accounts.delete_endpoint,
        of_books=False,
    ),
    Operation(
        "accounts.retrieve_current", "GET", "/v1/account", "account", "account", accounts.account, of_books=False
    ),
    Operation("balance.retrieve", "GET", "/v1/balance", "balance", "balance", accounts.balance, of_books=False),
)


def routes(sandbox: Sandbox, face: StripeFace) -> list[Route]:
    """Stripe's addresses and the face's own control. From here on what happens is told in Stripe's events."""
    shared = Face(sandbox)
    config = sandbox.config
    connected = face.platform is not None
    with sandbox.database.transaction() as tx:
        tx.put_single(PUBLIC_URL, face.public_url)
        tx.put_single(events.WEBHOOK_URL, "")
        if config.webhook_url:
            configured_endpoint(tx, config.webhook_url, config.webhook_secrets, connect=connected)
    sandbox.database.listeners.append(listener(face.api_version, config.account, connected=connected))
    return [
        *(Route(one.path, shared.endpoint(one), methods=[one.method]) for one in OPERATIONS),
        *control.routes(shared),
    ]
