"""Which cards expire soon: those that customers with a live subscription pay by. What they were told of it is not our business."""

from __future__ import annotations

import re

from .answers import Reply, as_json
from .database import Transaction
from .records import Card, Customer, Subscription
from .refusals import bad_request
from .snapshots import PAGE_MAX, card_on_wire, customer_on_wire
from .wire import Call

MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")
LIVE = ("active", "trialing", "past_due")


def list_cards(tx: Transaction, call: Call) -> Reply:
    """A page of default cards that expire from this month up to ``until``, in the order of their ids."""
    until = call.query.get("until", "")
    if MONTH.fullmatch(until) is None:
        raise bad_request("parameter_invalid", "until must be a month such as 2027-03.")
    found = tx.find(
        Card,
        "detached = 0 AND expires >= ? AND expires <= ? AND id > ? AND (?4 IS NULL OR customer = ?4)",
        f"{tx.now:%Y-%m}",
        until,
        call.query.get("cursor", ""),
        call.query.get("customer"),
        order="id",
        limit=PAGE_MAX + 1,
    )
    page = found[:PAGE_MAX]
    rows = [
        {"customer": customer_on_wire(holder), "card": card_on_wire(card)}
        for card in page
        if (holder := _payer(tx, card)) is not None
    ]
    return as_json({"cards": rows, "next_cursor": page[-1].id if len(found) > PAGE_MAX else None})


def _payer(tx: Transaction, card: Card) -> Customer | None:
    """The holder, if they pay by this card."""
    holder = tx.get(Customer, card.customer)
    if holder is None or holder.deleted or holder.default_card != card.id:
        return None
    subscriptions = tx.find(Subscription, "customer = ?", holder.id)
    return holder if any(one.status in LIVE for one in subscriptions) else None
