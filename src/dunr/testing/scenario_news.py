"""What the processor does of its own accord in a scenario.

`(unseen)` at the end of an act means that its webhook was lost: the world is changed, and nobody looks.
"""

import re
from collections.abc import Callable

from dunr.core.effects import CancelAttempt
from dunr.core.events import IntentCancelled, LookFailed
from dunr.core.snapshot import ChargeSnapshot, DisputeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus, CollectionMethod, DisputeStatus, InvoiceStatus, Rail, SubscriptionStatus
from dunr.core.value import replace
from dunr.testing.scenario_acts import Act, Acts, capture, instant, on, settle_up
from dunr.testing.scenario_processor import card
from dunr.testing.scenario_world import World

NEWS: Acts = []


def says(pattern: str, acts: Acts = NEWS, *, wide: bool = False) -> Callable[[Act], Act]:
    """An act of the processor: the world changes, then the invoice (or, `wide`, every one of the customer's) is read."""

    def register(change: Act) -> Act:
        def changed(world: World, invoice_id: str, found: re.Match[str]) -> None:
            change(world, invoice_id, found)
            if found["unseen"]:
                return
            if wide:
                world.read_all()
            else:
                world.read(invoice_id)

        on(pattern + r"(?P<unseen> \(unseen\))?", acts)(changed)
        return change

    return register


def says_nothing(pattern: str) -> Callable[[Act], Act]:
    """An act of the processor that no webhook tells."""
    return on(pattern, NEWS)


@says(r"paid elsewhere (?P<amount>\d+) as (?P<charge>\w+)")
def paid_elsewhere(world: World, invoice_id: str, found: re.Match[str]) -> None:
    capture(world, invoice_id, found["charge"], None, int(found["amount"]))


@says(r"marked as paid")
def marked_paid(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    settle_up(world, invoice_id, 0)


@says(r"declined elsewhere (?P<code>\w+) as (?P<charge>\w+)")
def declined_elsewhere(world: World, invoice_id: str, found: re.Match[str]) -> None:
    at, raw = world.invoice(invoice_id), RawDecline(None, found["code"])
    card_key, due = world.methods[0].card_key, at.invoice.amount_due_minor
    at.charges.append(ChargeSnapshot(found["charge"], None, due, ChargeStatus.DECLINED, world.now, raw, card_key))


@says(r"charge (?P<charge>\w+) is (?P<status>pending|declined|succeeded)")
def foreign_charge(world: World, invoice_id: str, found: re.Match[str]) -> None:
    at = world.invoice(invoice_id)
    due = at.invoice.amount_due_minor
    at.charges = [one for one in at.charges if one.processor_charge_id != found["charge"]]
    if found["status"] == "succeeded":
        capture(world, invoice_id, found["charge"], None, due)
    else:
        at.charges.append(ChargeSnapshot(found["charge"], None, due, ChargeStatus(found["status"]), world.now))


@says(r"credited (?P<amount>\d+)")
def credited(world: World, invoice_id: str, found: re.Match[str]) -> None:
    invoice, amount = world.invoice(invoice_id).invoice, int(found["amount"])
    world.show(invoice_id, credited_minor=invoice.credited_minor + amount)
    settle_up(world, invoice_id, invoice.amount_due_minor - amount)


@says(r"(?P<amount>\d+) more is due")
def more_due(world: World, invoice_id: str, found: re.Match[str]) -> None:
    settle_up(world, invoice_id, world.invoice(invoice_id).invoice.amount_due_minor + int(found["amount"]))


@says(r"voided")
def voided(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.show(invoice_id, status=InvoiceStatus.VOID)


@says(r"written off")
def written_off(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.show(invoice_id, status=InvoiceStatus.WRITTEN_OFF)


@says(r"subscription is (?P<status>\w+)")
def subscription_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    world.subscriptions[world.invoice(invoice_id).subscription_id or ""] = SubscriptionStatus(found["status"])


@says(r"customer deleted", wide=True)
def customer_deleted(world: World, _invoice_id: str, _found: re.Match[str]) -> None:
    assert world.customer is not None
    world.customer = replace(world.customer, deleted=True)


@says(r"dispute (?P<dispute>\w+) on (?P<charge>\w+) of (?P<of>\w+), card (?P<card>\w+)", wide=True)
def dispute_opens(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    ids = (found["dispute"], found["charge"], found["of"], found["card"])
    amount = sum(
        one.amount_minor for one in world.invoice(found["of"]).charges if one.processor_charge_id == found["charge"]
    )
    world.disputes.append(DisputeSnapshot(*ids, amount, DisputeStatus.OPEN))


@says(r"dispute (?P<dispute>\w+) (?P<status>open|won|lost|warning_closed)(?P<back>, funds are back)?", wide=True)
def dispute_is(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    world.disputes = [
        replace(one, status=DisputeStatus(found["status"]), reinstated=bool(found["back"]))
        if one.processor_dispute_id == found["dispute"]
        else one
        for one in world.disputes
    ]


@says(r"(?P<charge>\w+) refunded up to (?P<amount>\d+)")
def refunded(world: World, invoice_id: str, found: re.Match[str]) -> None:
    change_charge(world, invoice_id, found["charge"], refunded_minor=int(found["amount"]))


@says(r"(?P<charge>\w+) returned (?P<code>\w+)")
def returned(world: World, invoice_id: str, found: re.Match[str]) -> None:
    """A code in capitals is the debit scheme's, any other the processor's own."""
    code = found["code"]
    told = {"return_code": code} if code.isupper() else {"decline": RawDecline(None, code)}
    change_charge(world, invoice_id, found["charge"], status=ChargeStatus.RETURNED, **told)
    at = world.invoice(invoice_id)
    captured = sum(one.amount_minor for one in at.charges if one.status is ChargeStatus.SUCCEEDED)
    settle_up(world, invoice_id, at.invoice.amount_total_minor - at.invoice.credited_minor - captured)


def change_charge(world: World, invoice_id: str, charge_id: str, **changes: object) -> None:
    """Change one charge of an invoice."""
    at = world.invoice(invoice_id)
    assert any(one.processor_charge_id == charge_id for one in at.charges), f"{invoice_id} has no charge {charge_id}"
    at.charges = [
        replace(one, **changes) if one.processor_charge_id == charge_id else one  # type: ignore[arg-type]
        for one in at.charges
    ]


@says(r"collected by mail")
def collected_by_mail(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.show(invoice_id, collection_method=CollectionMethod.SEND_INVOICE)


@says(r"first payment of its subscription")
def first_payment(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.show(invoice_id, is_first=True)


@says_nothing(r"subscription (?P<subscription>\w+)")
def of_subscription(world: World, invoice_id: str, found: re.Match[str]) -> None:
    world.invoice(invoice_id).subscription_id = found["subscription"]


@says_nothing(r"processor tries again by itself at (?P<at>[\d-]+ [\d:]+)")
def processor_tries(world: World, invoice_id: str, found: re.Match[str]) -> None:
    world.invoice(invoice_id).next_try_at = instant(found["at"])


@says_nothing(r"processor does not try by itself")
def processor_stops_trying(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.invoice(invoice_id).next_try_at = None


@says_nothing(r"processor (?P<what>may collect|leaves it to us)")
def may_collect(world: World, invoice_id: str, found: re.Match[str]) -> None:
    at = world.invoice(invoice_id)
    at.collects = found["what"] == "may collect"
    at.next_try_at = at.next_try_at if at.collects else None


@says_nothing(r"the least that is charged is (?P<amount>\d+)")
def least_charged(world: World, invoice_id: str, found: re.Match[str]) -> None:
    world.show(invoice_id, minimum_minor=int(found["amount"]))


@says_nothing(r"processor cannot be read(?P<missing>, it knows no such invoice)?")
def cannot_be_read(world: World, invoice_id: str, found: re.Match[str]) -> None:
    world.decide(invoice_id, LookFailed("503", missing=bool(found["missing"])), None)


@says_nothing(r"processor refuses our key")
def key_refused(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.decide(invoice_id, LookFailed("401", key_refused=True), None)


@says_nothing(r"intent (?P<intent>\w+) is (?P<what>cancelled|paid already)")
def intent_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    asked = [one for one in world.told if isinstance(one, CancelAttempt)]
    assert asked, "nobody asked for a cancellation"
    world.told = [one for one in world.told if not isinstance(one, CancelAttempt)]
    world.decide(invoice_id, IntentCancelled(found["intent"], found["what"] != "cancelled"), world.snapshot(invoice_id))


@says(r"new card (?P<card>\w+)(?: expiring (?P<expires>\d{4}-\d\d))?(?: on (?P<rail>\w+))?", wide=True)
def new_card(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    new = card(found["card"], expires_on=found["expires"] or "2030-12", rail=Rail(found["rail"] or "card"))
    world.methods = [new, *(one for one in world.methods if one.card_key != new.card_key)]


@says(r"the card is (?P<network>\w+)(?: of (?P<country>[A-Z]{2}))?(?: on (?P<rail>\w+))?")
def card_is(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    """Which network the first card on file is of, and where it was issued."""
    rail = Rail(found["rail"] or "card")
    is_of = replace(world.methods[0], network=found["network"], country=found["country"], rail=rail)
    world.methods = [is_of, *world.methods[1:]]


@says(r"no card", wide=True)
def no_card(world: World, _invoice_id: str, _found: re.Match[str]) -> None:
    world.methods = []
