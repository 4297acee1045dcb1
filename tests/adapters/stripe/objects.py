"""Objects as the newest version shows them, expanded as the adapter asks: an invoice whose charge failed, and all around it."""

from tests.adapters.stripe.bodies import SECOND, Json


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
