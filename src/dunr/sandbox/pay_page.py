"""The processor's hosted page: a new card, or a payment, by a plain form without scripts.

Card numbers never come here. The form offers test cards by name; each brings
its own fingerprint and the answers that it will give.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from urllib.parse import parse_qs

from . import billing, outcomes, scripts
from .agenda import at_once
from .answers import Answer, Reply
from .booking import collect
from .database import Transaction
from .identifiers import new_id
from .outcomes import Outcome, Pend, RequireAction, Succeed
from .records import Card, Customer, Invoice, PayToken
from .snapshots import methods
from .wire import Call


@dataclass(frozen=True)
class TestCard:
    """A card that a tester may pick, and what its charges will answer."""

    label: str
    network: str
    last4: str
    script: str


TEST_CARDS = {
    "visa_good": TestCard("Visa that works", "visa", "4242", "succeed"),
    "mastercard_good": TestCard("Mastercard that works", "mastercard", "4444", "succeed"),
    "visa_no_funds": TestCard("Visa without money", "visa", "9995", "decline:insufficient_funds"),
    "visa_declined": TestCard("Visa that the bank declines", "visa", "0002", "decline:do_not_honor"),
    "visa_stolen": TestCard("Visa reported stolen", "visa", "9979", "decline:stolen_card"),
    "visa_confirm": TestCard("Visa that asks to confirm with the bank", "visa", "3155", "requires_action"),
}
ON_FILE = "on_file:"


def show(tx: Transaction, call: Call) -> Reply:
    token, refused = _token(tx, call)
    return refused if token is None else _form(tx, token, "")


def act(tx: Transaction, call: Call) -> Reply:
    """Keep the chosen card and, if asked, pay with it. The link works until something has been done."""
    token, refused = _token(tx, call)
    if token is None:
        return refused
    fields = parse_qs(call.body.decode("utf-8", "replace"))
    choice, wanted = (fields.get(name, [""])[0] for name in ("card", "action"))
    customer, invoice = _customer(tx, token), tx.get(Invoice, token.invoice)
    card = _chosen(tx, customer, choice) if wanted in ("save", "pay") else None
    if card is None:
        return _form(tx, token, "Please choose a card and what to do with it.", 422)
    payable = invoice is not None and invoice.status in ("draft", "open")
    paid = wanted == "pay" and payable
    outcome = _outcome(tx, card) if paid else Succeed()
    unasked = card.came_with_subscription is not None
    if isinstance(outcome, Succeed | Pend) and (card.detached or unasked or card.id != customer.default_card):
        card.came_with_subscription = None  # chosen here, it is the customer's word for all that they owe
        billing.keep(tx, customer, card)
    if paid and invoice is not None:
        request = collect(tx, invoice, card, invoice.amount_due_minor, "customer", outcome)
        if request.answer_status != HTTPStatus.OK:
            return _form(tx, token, "The payment was not accepted. Please try another card.", 402)
    token.used_at = tx.now
    tx.put(token)
    return _page("Thank you", f"<p>{'The payment has been received.' if paid else 'The card has been saved.'}</p>")


def _outcome(tx: Transaction, card: Card) -> Outcome:
    """What the card's script says; a customer who is present confirms with their bank on the spot."""
    outcome = at_once(outcomes.parse(scripts.next_outcome(tx, card.id)))
    return Succeed() if isinstance(outcome, RequireAction) else outcome


def _token(tx: Transaction, call: Call) -> tuple[PayToken | None, Answer]:
    token = tx.get(PayToken, call.path["token"])
    if token is None:
        return None, _page("Unknown link", "<p>This link is not known here.</p>", 404)
    if token.used_at is not None:
        return None, _page("Already done", "<p>This link has been used. Ask for a new one.</p>", 410)
    if tx.now >= token.expires_at:
        return None, _page("Link expired", "<p>This link has expired. Ask for a new one.</p>", 410)
    return token, _page("", "")


def _customer(tx: Transaction, token: PayToken) -> Customer:
    customer = tx.get(Customer, token.customer)
    assert customer is not None, "a token is made for a customer"
    return customer


def _chosen(tx: Transaction, customer: Customer, choice: str) -> Card | None:
    """A card on file, or a new one that is not on file yet: a declined card never is."""
    if choice.startswith(ON_FILE):
        kept = choice.removeprefix(ON_FILE)
        return next((card for card in methods(tx, customer) if card.id == kept), None)
    picked = TEST_CARDS.get(choice)
    if picked is None or customer.deleted:
        return None
    card = Card(
        id=new_id("pm"),
        customer=customer.id,
        network=picked.network,
        last4=picked.last4,
        fingerprint=f"fp_{choice}_{customer.id}",
        expires=f"{tx.now.year + 3}-12",
        detached=True,
        created_at=tx.now,
    )
    tx.put(card)
    scripts.give(tx, card.id, [picked.script])
    return card


def _form(tx: Transaction, token: PayToken, message: str, status: int = 200) -> Answer:
    customer, invoice = _customer(tx, token), tx.get(Invoice, token.invoice)
    options = [(key, card.label) for key, card in TEST_CARDS.items()]
    options += [
        (f"{ON_FILE}{card.id}", f"{card.network or card.rail} ending in {card.last4}, on file")
        for card in methods(tx, customer)
    ]
    lines = [f'<p role="alert">{escape(message)}</p>'] if message else []
    payable = invoice is not None and invoice.status in ("draft", "open")
    if invoice is not None:
        due = f"{invoice.amount_due_minor} minor units of {invoice.currency.upper()}"
        lines.append(f"<p>Invoice {escape(invoice.id)}: {due} due.</p>" if payable else "<p>Nothing is due.</p>")
    lines.append('<form method="post"><fieldset><legend>Test cards</legend>')
    for index, (key, label) in enumerate(options):
        checked = " checked" if index == 0 else ""
        lines.append(
            f'<p><label><input type="radio" name="card" value="{escape(key)}"{checked}> {escape(label)}</label></p>'
        )
    lines.append("</fieldset>")
    if payable:
        lines.append('<button name="action" value="pay">Save card and pay</button>')
    lines.append('<button name="action" value="save">Save card only</button></form>')
    return _page("Update your payment details", "\n".join(lines), status)


def _page(title: str, content: str, status: int = 200) -> Answer:
    html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · sandbox</title></head><body><main><h1>{escape(title)}</h1>\n{content}\n"
        "<p>This is the sandbox processor. No real card and no real money.</p></main></body></html>"
    )
    return Answer(status, html.encode(), media_type="text/html; charset=utf-8")
