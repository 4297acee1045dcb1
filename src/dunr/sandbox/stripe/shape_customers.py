"""Customers, payment methods and subscriptions as Stripe shows them, in each API version."""

from __future__ import annotations

from datetime import datetime, timedelta

from dunr.sandbox.database import Transaction
from dunr.sandbox.events import LIVE
from dunr.sandbox.records import Card, Customer, Invoice, Subscription

from . import unused
from .versions import INVOICE_PAYMENTS, since

# When a customer came is in no book; nothing hangs on it.
LONG_AGO = 1_577_836_800
PERIOD = timedelta(days=30)
# Carrier billing is none of Stripe's; it is shown as a method that the merchant brought along.
METHOD_TYPES = {
    "card": "card",
    "ach": "us_bank_account",
    "sepa": "sepa_debit",
    "bacs": "bacs_debit",
    "upi": "upi",
    "carrier": "custom",
}
ENDED = "stripe_ended:"
STATUSES = {"ended": "canceled"}


def unix(instant: datetime | None) -> int | None:
    return None if instant is None else int(instant.timestamp())


def is_live(tx: Transaction) -> bool:
    return tx.single(LIVE) == "true"


def customer(tx: Transaction, found: Customer) -> dict[str, object]:
    """A deleted one is a stub of three fields."""
    if found.deleted:
        return {"id": found.id, "object": "customer", "deleted": True}
    address = None if found.country is None else {**_no_address(), "country": found.country}
    return {
        "id": found.id,
        "object": "customer",
        "address": address,
        "balance": 0,
        "created": LONG_AGO,
        "currency": None,
        "default_source": None,
        "delinquent": tx.count(Invoice, "customer = ? AND status = 'open' AND first_failed_at IS NOT NULL", found.id)
        > 0,
        "description": None,
        "discount": None,
        "email": found.email,
        "invoice_prefix": found.id[-8:].upper(),
        "invoice_settings": {"custom_fields": None, "default_payment_method": found.default_card, "footer": None},
        "livemode": is_live(tx),
        "metadata": {} if found.timezone is None else {"timezone": found.timezone},
        "name": found.name,
        "next_invoice_sequence": 1,
        "phone": None,
        "preferred_locales": [] if found.locale is None else [found.locale],
        "shipping": None,
        "tax_exempt": "none",
        "test_clock": None,
    }


def _no_address() -> dict[str, object]:
    return dict.fromkeys(("city", "country", "line1", "line2", "postal_code", "state"))


def payment_method(tx: Transaction, card: Card) -> dict[str, object]:
    owner = tx.get(Customer, card.customer)
    kind = METHOD_TYPES[card.rail]
    return {
        "id": card.id,
        "object": "payment_method",
        "allow_redisplay": "unspecified",
        "billing_details": billing_details(owner),
        "created": LONG_AGO if card.created_at is None else unix(card.created_at),
        "customer": None if card.detached else card.customer,
        "livemode": is_live(tx),
        "metadata": {},
        "type": kind,
        kind: _card(tx, card) if kind == "card" else _debit(card, kind),
    }


def billing_details(owner: Customer | None) -> dict[str, object]:
    return {
        "address": {**_no_address(), "country": None if owner is None else owner.country},
        "email": None if owner is None else owner.email,
        "name": None if owner is None else owner.name,
        "phone": None,
        "tax_id": None,
    }


def expiry(tx: Transaction, card: Card) -> tuple[int, int]:
    """Month and year; a card that was made without them is good for some years yet."""
    if card.expires is None:
        return 12, tx.now.year + 4
    year, _, month = card.expires.partition("-")
    return int(month), int(year)


def country_of(tx: Transaction, card: Card) -> str:
    """Where the card was issued: what it says of itself, else where its owner lives."""
    owner = tx.get(Customer, card.customer)
    return card.country or (owner.country if owner else None) or "US"


def _card(tx: Transaction, card: Card) -> dict[str, object]:
    month, year = expiry(tx, card)
    brand = card.network or "unknown"
    return {
        "brand": brand,
        "checks": {"address_line1_check": None, "address_postal_code_check": None, "cvc_check": "pass"},
        "country": country_of(tx, card),
        "display_brand": brand,
        "exp_month": month,
        "exp_year": year,
        "fingerprint": card.fingerprint,
        "funding": "credit",
        "generated_from": None,
        "last4": card.last4,
        "networks": {"available": [brand], "preferred": None},
        "regulated_status": "unregulated",
        "three_d_secure_usage": {"supported": True},
        "wallet": None,
    }


def _debit(card: Card, kind: str) -> dict[str, object]:
    if kind == "custom":
        return {"display_name": "Carrier billing", "logo": None, "type": "custom"}
    if kind == "upi":
        return {"vpa": f"{card.last4}@sandbox"}
    named = {
        "us_bank_account": {"account_type": "checking", "bank_name": "STRIPE TEST BANK", "routing_number": "110000000"},
        "sepa_debit": {"bank_code": "37040044", "branch_code": "", "country": "DE"},
        "bacs_debit": {"sort_code": "108800"},
    }[kind]
    return {"fingerprint": card.fingerprint, "last4": card.last4, **named}


def subscription(tx: Transaction, found: Subscription, version: str) -> dict[str, object]:
    """The period is on the subscription before 2025-03-31 and on its items from then on."""
    latest = tx.find(Invoice, "subscription = ?", found.id, order="created_at DESC, seq DESC", limit=1)
    ends_at = found.period_end_at or tx.now
    period = {"current_period_end": unix(ends_at), "current_period_start": unix(ends_at - PERIOD)}
    item = {
        "id": f"si_{found.id}",
        "object": "subscription_item",
        "created": unix(ends_at - PERIOD),
        "metadata": {},
        "price": {
            "id": f"price_{found.id}",
            "object": "price",
            "active": True,
            "currency": latest[0].currency if latest else "usd",
            "recurring": {"interval": "month", "interval_count": 1, "usage_type": "licensed"},
            "type": "recurring",
            "unit_amount": latest[0].amount_total_minor if latest else 0,
        },
        "quantity": 1,
        "subscription": found.id,
    }
    modern = since(version, INVOICE_PAYMENTS)
    ended_at = int(tx.single(ENDED + found.id) or unix(ends_at) or 0) if found.status == "ended" else None
    items = {
        "object": "list",
        "data": [{**item, **period} if modern else item],
        "has_more": False,
        "total_count": 1,
        "url": f"/v1/subscription_items?subscription={found.id}",
    }
    shown: dict[str, object] = {
        **unused.SUBSCRIPTION,
        "id": found.id,
        "object": "subscription",
        "billing_cycle_anchor": unix(ends_at),
        "cancel_at": None,
        "cancel_at_period_end": False,
        "canceled_at": ended_at,
        "collection_method": latest[0].collection_method if latest else "charge_automatically",
        "created": unix(ends_at - PERIOD),
        "currency": latest[0].currency if latest else "usd",
        "customer": found.customer,
        "default_payment_method": found.default_card or _started_with(tx, found),
        "default_source": None,
        "ended_at": ended_at,
        "items": items,
        "latest_invoice": latest[0].id if latest else None,
        "livemode": is_live(tx),
        "metadata": {},
        "pause_collection": None,
        "start_date": unix(ends_at - PERIOD),
        "status": STATUSES.get(found.status, found.status),
        "trial_end": unix(ends_at) if found.status == "trialing" else None,
        "trial_start": None,
    }
    return shown if modern else {**shown, **period}


def _started_with(tx: Transaction, found: Subscription) -> str | None:
    """The card that was put on file to start it, which is its own default from then on."""
    cards = tx.find(Card, "customer = ? AND came_with_subscription = ? AND detached = 0", found.customer, found.id)
    return cards[0].id if cards else None
