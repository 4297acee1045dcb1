"""The event of the intake benchmark: an `invoice.payment_failed` as a recent API version tells it, about 5 kB, written as Stripe writes it, with two spaces a level.

Everybody in it is invented. The number's place is filled in by the sender, so that each event is another one about another invoice.
"""

import hmac
import itertools
import json
import time
from collections.abc import Iterator

SECRET = "whsec_benchmark"
NUMBER_PLACE = b"000000000000"
API_VERSION = "2026-05-27.dahlia"
CREATED = 1_782_208_800

Json = dict[str, object]


def event_body() -> bytes:
    """The bytes, with zeros where the number goes."""
    return json.dumps(_event(NUMBER_PLACE.decode()), indent=2).encode()


def signed_events(port: int, path: str) -> Iterator[bytes]:
    """Requests without end, each with another event, signed when it is asked for."""
    template, secret = event_body(), SECRET.encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: Stripe/1.0 (+https://stripe.com/docs/webhooks)\r\n"
        f"Accept: */*\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: {len(template)}\r\n"
        "Stripe-Signature: "
    ).encode()
    for number in itertools.count(1):
        body = template.replace(NUMBER_PLACE, b"%012d" % number)
        at = b"%d" % time.time()
        mark = hmac.digest(secret, at + b"." + body, "sha256").hex().encode()
        yield b"".join((head, b"t=", at, b",v1=", mark, b"\r\n\r\n", body))


def _event(number: str) -> Json:
    return {
        "id": f"evt_1Bench{number}",
        "object": "event",
        "api_version": API_VERSION,
        "created": CREATED,
        "data": {"object": _invoice(number)},
        "livemode": False,
        "pending_webhooks": 1,
        "request": {"id": None, "idempotency_key": f"bench-{number}"},
        "type": "invoice.payment_failed",
    }


def _invoice(number: str) -> Json:
    return {
        "id": f"in_1Bench{number}",
        "object": "invoice",
        "account_country": "GB",
        "account_name": "Northwind Reading Rooms",
        "account_tax_ids": None,
        "amount_due": 4900,
        "amount_overpaid": 0,
        "amount_paid": 0,
        "amount_remaining": 4900,
        "amount_shipping": 0,
        "application": None,
        "attempt_count": 1,
        "attempted": True,
        "auto_advance": True,
        "automatic_tax": {
            "disabled_reason": None,
            "enabled": False,
            "liability": None,
            "provider": None,
            "status": None,
        },
        "automatically_finalizes_at": None,
        "billing_reason": "subscription_cycle",
        "collection_method": "charge_automatically",
        "created": CREATED - 3600,
        "currency": "usd",
        "custom_fields": None,
        "customer": "cus_1Bench",
        "customer_account": None,
        "customer_address": {"city": "Leeds", "country": "GB", "line1": None, "line2": None, "postal_code": "LS1 4AP"},
        "customer_email": "ada@example.com",
        "customer_name": "Ada Example",
        "customer_phone": None,
        "customer_shipping": None,
        "customer_tax_exempt": "none",
        "customer_tax_ids": [],
        "default_payment_method": None,
        "default_source": None,
        "default_tax_rates": [],
        "description": None,
        "discounts": [],
        "due_date": None,
        "effective_at": CREATED,
        "ending_balance": 0,
        "footer": None,
        "from_invoice": None,
        "hosted_invoice_url": f"https://invoice.stripe.com/i/acct_1Bench/test_{number}?s=ap",
        "invoice_pdf": f"https://pay.stripe.com/invoice/acct_1Bench/test_{number}/pdf?s=ap",
        "issuer": {"type": "self"},
        "last_finalization_error": None,
        "latest_revision": None,
        "lines": {
            "object": "list",
            "data": [_line(number)],
            "has_more": False,
            "total_count": 1,
            "url": f"/v1/invoices/in_1Bench{number}/lines",
        },
        "livemode": False,
        "metadata": {},
        "next_payment_attempt": CREATED + 259_200,
        "number": f"NRR-{number}",
        "on_behalf_of": None,
        "parent": {
            "quote_details": None,
            "subscription_details": {"metadata": {"plan": "reader"}, "subscription": f"sub_1Bench{number}"},
            "type": "subscription_details",
        },
        "payment_settings": {
            "default_mandate": None,
            "payment_method_options": {"card": {"request_three_d_secure": "automatic"}},
            "payment_method_types": ["card"],
        },
        "period_end": CREATED,
        "period_start": CREATED - 2_678_400,
        "post_payment_credit_notes_amount": 0,
        "pre_payment_credit_notes_amount": 0,
        "receipt_number": None,
        "rendering": None,
        "shipping_cost": None,
        "shipping_details": None,
        "starting_balance": 0,
        "statement_descriptor": None,
        "status": "open",
        "status_transitions": {
            "finalized_at": CREATED,
            "marked_uncollectible_at": None,
            "paid_at": None,
            "voided_at": None,
        },
        "subtotal": 4900,
        "subtotal_excluding_tax": 4900,
        "test_clock": None,
        "total": 4900,
        "total_discount_amounts": [],
        "total_excluding_tax": 4900,
        "total_pretax_credit_amounts": [],
        "total_taxes": [],
        "webhooks_delivered_at": CREATED,
    }


def _line(number: str) -> Json:
    return {
        "id": f"il_1Bench{number}",
        "object": "line_item",
        "amount": 4900,
        "currency": "usd",
        "description": "1 × Reader (at $49.00 / month)",
        "discount_amounts": [],
        "discountable": True,
        "discounts": [],
        "invoice": f"in_1Bench{number}",
        "livemode": False,
        "metadata": {"plan": "reader"},
        "parent": {
            "invoice_item_details": None,
            "subscription_item_details": {
                "invoice_item": None,
                "proration": False,
                "proration_details": {"credited_items": None},
                "subscription": f"sub_1Bench{number}",
                "subscription_item": f"si_1Bench{number}",
            },
            "type": "subscription_item_details",
        },
        "period": {"end": CREATED + 2_678_400, "start": CREATED},
        "pretax_credit_amounts": [],
        "pricing": {
            "price_details": {"price": "price_1BenchReader", "product": "prod_BenchReader"},
            "type": "price_details",
            "unit_amount_decimal": "4900",
        },
        "quantity": 1,
        "subtotal": 4900,
        "taxes": [],
    }
