"""``/sandbox``: cards and what they will answer, customers and subscriptions that come and go."""

from __future__ import annotations

import msgspec

from . import billing, invoices, scripts
from .answers import Reply, as_json
from .database import Transaction
from .descriptions import CustomerPatch, NewCardBody, SubscriptionPatch
from .events import emit
from .outcomes import BadScript
from .records import Card, Customer, Invoice, Subscription
from .refusals import conflict, invalid, unknown
from .snapshots import card_on_wire, customer_on_wire, methods, subscription_on_wire
from .wire import Call


class UpdateBody(msgspec.Struct, forbid_unknown_fields=True):
    """What the updater finds: another card, or the same one with a later expiry."""

    new_number: bool = True


class ScriptBody(msgspec.Struct, forbid_unknown_fields=True):
    """The next outcomes of a card, in order."""

    outcomes: list[str]


def put_script(tx: Transaction, call: Call) -> Reply:
    """A list of outcomes, bare or under ``outcomes``. The card may come later."""
    body = call.read(list[str]) if call.body.lstrip().startswith(b"[") else call.read(ScriptBody).outcomes
    if not 1 <= len(body) <= scripts.OUTCOMES_MAX:
        raise invalid(f"Give between 1 and {scripts.OUTCOMES_MAX} outcomes; the last one repeats.")
    try:
        scripts.give(tx, call.path["id"], body)
    except BadScript as error:
        raise invalid(f"{error}") from None
    return as_json(scripts.remaining(tx, call.path["id"]))


def get_script(tx: Transaction, call: Call) -> Reply:
    return as_json(scripts.remaining(tx, call.path["id"]))


def add_card(tx: Transaction, call: Call) -> Reply:
    customer, body = _customer(tx, call), call.read(NewCardBody)
    card = billing.attach(tx, customer, body)
    return as_json({"card": card_on_wire(card), "customer": customer.id, "default": customer.default_card}, 201)


def detach_card(tx: Transaction, call: Call) -> Reply:
    """Off file. Another card does not become the default by itself."""
    card = tx.get(Card, call.path["id"])
    if card is None:
        raise unknown("card", call.path["id"])
    if not card.detached:
        detach(tx, card)
    return as_json({"card": card_on_wire(card)})


def update_card(tx: Transaction, call: Call) -> Reply:
    """The account updater finds a new card by itself, as it does at processors that nobody has to ask."""
    card = tx.get(Card, call.path["id"])
    if card is None or card.detached:
        raise unknown("attached card", call.path["id"])
    billing.renew(tx, card, new_number=call.read(UpdateBody).new_number)
    return as_json({"card": card_on_wire(card)})


def detach(tx: Transaction, card: Card) -> None:
    """Off file. Who paid with it by default has no default any more."""
    card.detached = True
    tx.put(card)
    customer = tx.get(Customer, card.customer)
    if customer is not None and customer.default_card == card.id:
        customer.default_card = None
        tx.put(customer)
    emit(tx, "payment_method.detached", customer=card.customer, card=card.id)


def look_at_customer(tx: Transaction, call: Call) -> Reply:
    customer = _customer(tx, call)
    return as_json(
        {
            "customer": customer_on_wire(customer),
            "methods": [card_on_wire(card) for card in methods(tx, customer)],
            "subscriptions": [
                subscription_on_wire(found) for found in tx.find(Subscription, "customer = ?", customer.id)
            ],
        }
    )


def change_customer(tx: Transaction, call: Call) -> Reply:
    customer, patch = _customer(tx, call), call.read(CustomerPatch)
    if patch.default_card not in (msgspec.UNSET, *(card.id for card in methods(tx, customer))):
        raise invalid(f"{patch.default_card} is no card of this customer. Add it first.")
    for name, value in msgspec.structs.asdict(patch).items():
        if value is not msgspec.UNSET:
            setattr(customer, name, value)
    tx.put(customer)
    emit(tx, "customer.updated", customer=customer.id)
    return as_json({"customer": customer_on_wire(customer), "default": customer.default_card})


def change_subscription(tx: Transaction, call: Call) -> Reply:
    subscription, patch = _subscription(tx, call), call.read(SubscriptionPatch)
    if subscription.status == "ended":
        raise conflict("The subscription has ended, and what has ended stays ended.")
    subscription.status = patch.status or subscription.status
    subscription.period_end_at = patch.period_end_at or subscription.period_end_at
    subscription.default_card = patch.default_card or subscription.default_card
    tx.put(subscription)
    emit(tx, "subscription.updated", subscription=subscription.id, customer=subscription.customer)
    return as_json({"subscription": subscription_on_wire(subscription)})


def delete_customer(tx: Transaction, call: Call) -> Reply:
    """The subscriptions end with their customer; what is owed stays owed."""
    customer = _customer(tx, call)
    if not customer.deleted:
        customer.deleted = True
        tx.put(customer)
        emit(tx, "customer.deleted", customer=customer.id)
        for subscription in tx.find(Subscription, "customer = ? AND status <> 'ended'", customer.id):
            end_subscription(tx, subscription)
    return as_json({"customer": customer_on_wire(customer)})


def cancel_subscription(tx: Transaction, call: Call) -> Reply:
    subscription = _subscription(tx, call)
    if subscription.status != "ended":
        end_subscription(tx, subscription)
    return as_json({"subscription": subscription_on_wire(subscription)})


def end_subscription(tx: Transaction, subscription: Subscription) -> None:
    subscription.status = "ended"
    tx.put(subscription)
    for invoice in tx.find(Invoice, "subscription = ? AND next_attempt_at IS NOT NULL", subscription.id):
        invoices.forget_own_retry(tx, invoice)
        tx.put(invoice)
    emit(tx, "subscription.deleted", subscription=subscription.id, customer=subscription.customer)


def _subscription(tx: Transaction, call: Call) -> Subscription:
    subscription = tx.get(Subscription, call.path["id"])
    if subscription is None:
        raise unknown("subscription", call.path["id"])
    return subscription


def _customer(tx: Transaction, call: Call) -> Customer:
    customer = tx.get(Customer, call.path["id"])
    if customer is None:
        raise unknown("customer", call.path["id"])
    return customer
