"""How calls leave and what the processor answers: one pattern and one function an act.

What dunr does of itself is not an act, it is what is due; so a line cannot send anything.
`step 1 sent; declined insufficient_funds` demands that the attempt of step 1 left at this very instant, and answers it.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from dunr.core.answers import Declined, NotNow, Paid, Pending, Refused, RefusedKind, Unanswered
from dunr.core.attempt import Attempt
from dunr.core.events import AttemptAnswered, AttemptNotFound, AttemptSettled, AttemptWithdrawn
from dunr.core.snapshot import ChargeSnapshot, RawDecline
from dunr.core.terms import ChargeStatus, InvoiceStatus
from dunr.testing.scenario_world import World, case_id

Act = Callable[[World, str, re.Match[str]], None]
Acts = list[tuple[re.Pattern[str], Act]]
ANSWERS: Acts = []
FIRST_CHARGE = "ch_first"


def on(pattern: str, acts: Acts = ANSWERS) -> Callable[[Act], Act]:
    """Register an act under the words that mean it."""

    def register(function: Act) -> Act:
        acts.append((re.compile(pattern), function))
        return function

    return register


def act(world: World, more: Sequence[tuple[re.Pattern[str], Act]], invoice_id: str, text: str) -> None:
    """Do what a line says, part by part."""
    for part in (one.strip() for one in text.split(";")):
        for pattern, function in (*ANSWERS, *more):
            found = pattern.fullmatch(part)
            if found:
                function(world, invoice_id, found)
                break
        else:
            raise AssertionError(f"nobody knows how to do {part!r}")


def instant(text: str) -> datetime:
    """A time of a scenario; UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def attempt_of(world: World, invoice_id: str, number: str | int | None = None) -> Attempt:
    """An attempt by its number, or the newest."""
    case = world.case(invoice_id)
    assert case is not None, f"{invoice_id} has no case"
    attempts = {attempt.number: attempt for attempt in case.attempts}
    wanted = int(number) if number else case.attempt_number_last
    assert wanted in attempts, f"{invoice_id} has no attempt {wanted}"
    return attempts[wanted]


# --- the processor --------------------------------------------------------------------------------------------------------


@on(r"first charge fails: (?P<code>\w+), (?P<amount>\d+) (?P<currency>\w+)(?P<unseen>, unseen)?")
def first_charge_fails(world: World, invoice_id: str, found: re.Match[str]) -> None:
    amount, method = int(found["amount"]), world.methods[0] if world.methods else None
    world.show(
        invoice_id,
        amount_total_minor=amount,
        amount_due_minor=amount,
        currency=found["currency"],
        first_failed_at=world.now,
    )
    raw = RawDecline(None, found["code"])
    charge = ChargeSnapshot(
        f"{FIRST_CHARGE}_{invoice_id}",
        None,
        amount,
        ChargeStatus.DECLINED,
        world.now,
        raw,
        method.card_key if method else None,
    )
    world.invoice(invoice_id).charges.append(charge)
    if not found["unseen"]:
        world.read(invoice_id)


@on(r"charge falls due: (?P<amount>\d+) (?P<currency>\w+)(?P<unseen>, unseen)?")
def charge_falls_due(world: World, invoice_id: str, found: re.Match[str]) -> None:
    """A first charge that we make ourselves."""
    amount = int(found["amount"])
    world.show(invoice_id, amount_total_minor=amount, amount_due_minor=amount, charge_due_at=world.now)
    world.show(invoice_id, currency=found["currency"])
    if not found["unseen"]:
        world.read(invoice_id)


@on(r"invoice fails without a charge, (?P<amount>\d+) (?P<currency>\w+)")
def fails_without_charge(world: World, invoice_id: str, found: re.Match[str]) -> None:
    amount = int(found["amount"])
    world.show(invoice_id, amount_total_minor=amount, amount_due_minor=amount, first_failed_at=world.now)
    world.show(invoice_id, currency=found["currency"])
    world.read(invoice_id)


@on(r"the webhook arrives|somebody looks")
def webhook(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.read(invoice_id)


@on(r"(?P<what>step|attempt) (?P<number>\d+) sent")
def is_sent(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt = attempt_of(world, invoice_id)
    got = attempt.step_number if found["what"] == "step" else attempt.number
    assert got == int(found["number"]), f"the newest attempt is {attempt.number}, for step {attempt.step_number}"
    take_call(world, invoice_id, attempt)


@on(r"new card sent")
def new_card_sent(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    attempt = attempt_of(world, invoice_id)
    assert attempt.trigger == "method_updated", f"the newest attempt began by {attempt.trigger}"
    take_call(world, invoice_id, attempt)


@on(r"sent again")
def sent_again(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    attempt = attempt_of(world, invoice_id)
    assert attempt.call_count > 1, f"attempt {attempt.number} was sent once"
    take_call(world, invoice_id, attempt)


def take_call(world: World, invoice_id: str, attempt: Attempt) -> None:
    """The call that left for an attempt; there is one, and it was not told yet."""
    waiting = [one for one in world.sent if one.case_id == case_id(invoice_id)]
    assert [one.attempt_number for one in waiting] == [attempt.number], f"calls that left: {waiting or 'none'}"
    world.sent.remove(waiting[0])


@on(r"(?:attempt (?P<number>\d+) )?paid(?: (?P<amount>\d+))?(?: as (?P<charge>\w+))?")
def paid(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt = attempt_of(world, invoice_id, found["number"])
    amount = int(found["amount"] or attempt.amount_minor)
    charge_id = found["charge"] or f"ch_a{attempt.number}_{invoice_id}"
    capture(world, invoice_id, charge_id, attempt.key, amount)
    world.decide(invoice_id, AttemptSettled(attempt.number, Paid(charge_id, amount, world.now)), None)


def capture(world: World, invoice_id: str, charge_id: str, key: str | None, amount: int) -> None:
    """Money moves at the processor."""
    at = world.invoice(invoice_id)
    at.charges = [one for one in at.charges if one.processor_charge_id != charge_id]
    method = world.methods[0].card_key if world.methods else None
    at.charges.append(ChargeSnapshot(charge_id, key, amount, ChargeStatus.SUCCEEDED, world.now, None, method))
    settle_up(world, invoice_id, at.invoice.amount_due_minor - amount)


def settle_up(world: World, invoice_id: str, due: int) -> None:
    """What is due at the processor, and the status that follows."""
    status = world.invoice(invoice_id).invoice.status
    if status in (InvoiceStatus.OPEN, InvoiceStatus.PAID):
        status = InvoiceStatus.PAID if due <= 0 else InvoiceStatus.OPEN
    world.show(invoice_id, amount_due_minor=max(0, due), status=status)


@on(r"(?:attempt (?P<number>\d+) )?captured silently(?: as (?P<charge>\w+))?(?P<keyless> without its key)?")
def captured_silently(world: World, invoice_id: str, found: re.Match[str]) -> None:
    """The money moved, and nobody was told."""
    attempt = attempt_of(world, invoice_id, found["number"])
    charge_id = found["charge"] or f"ch_a{attempt.number}_{invoice_id}"
    capture(world, invoice_id, charge_id, None if found["keyless"] else attempt.key, attempt.amount_minor)


@on(
    r"(?:attempt (?P<number>\d+) )?declined (?P<code>\w+)(?: with intent (?P<intent>\w+))?"
    r"(?:, network code (?P<network_code>\w+))?(?:, advice (?P<advice>\w+))?"
)
def declined(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt = attempt_of(world, invoice_id, found["number"])
    charge_id = f"ch_a{attempt.number}_{invoice_id}"
    raw = RawDecline(
        None, found["code"], network_decline_code=found["network_code"], network_advice_code=found["advice"]
    )
    shown = ChargeSnapshot(charge_id, attempt.key, attempt.amount_minor, ChargeStatus.DECLINED, world.now, raw)
    world.invoice(invoice_id).charges.append(shown)
    answer = Declined(charge_id, raw, world.now, found["intent"])
    world.decide(invoice_id, AttemptSettled(attempt.number, answer), None)


@on(r"no answer")
def no_answer(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    answer(world, invoice_id, Unanswered("timed out"))


@on(r"not now(?: for (?P<seconds>\d+) s)?")
def not_now(world: World, invoice_id: str, found: re.Match[str]) -> None:
    answer(world, invoice_id, NotNow("lock_timeout", int(found["seconds"]) if found["seconds"] else None))


@on(r"pending")
def pending(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    attempt = attempt_of(world, invoice_id)
    charge_id = f"ch_a{attempt.number}_{invoice_id}"
    shown = ChargeSnapshot(charge_id, attempt.key, attempt.amount_minor, ChargeStatus.PENDING, world.now)
    world.invoice(invoice_id).charges.append(shown)
    answer(world, invoice_id, Pending(charge_id))


def answer(world: World, invoice_id: str, what: Pending | Unanswered | NotNow) -> None:
    """An answer that settles nothing, to the newest call."""
    attempt = attempt_of(world, invoice_id)
    world.decide(invoice_id, AttemptAnswered(attempt.number, what, fence=attempt.fence), None)


@on(r"no word")
def no_word(_world: World, _invoice_id: str, _found: re.Match[str]) -> None:
    """Whoever sent it is gone."""


@on(r"refused (?P<kind>\w+)")
def refused(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt = attempt_of(world, invoice_id)
    kind = Refused(RefusedKind(found["kind"]), found["kind"])
    world.decide(invoice_id, AttemptSettled(attempt.number, kind), None)


@on(r"the gate closes(?: under fence (?P<fence>\d+))?: (?P<why>.+)")
def gate_closes(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt = attempt_of(world, invoice_id)
    fence = int(found["fence"] or attempt.fence)
    world.decide(invoice_id, AttemptWithdrawn(attempt.number, fence, (found["why"],)), None)


@on(r"look-ups (?P<what>fail|find nothing|find it paid|find it pending|find it declined \w+)")
def look_ups(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt, at = attempt_of(world, invoice_id), world.invoice(invoice_id)
    charge_id = f"ch_a{attempt.number}_{invoice_id}"
    match found["what"]:
        case "fail":
            at.look_ups = None
        case "find nothing":
            at.look_ups = AttemptNotFound(attempt.number)
        case "find it paid":
            at.look_ups = Paid(charge_id, attempt.amount_minor, world.now)
        case "find it pending":
            at.look_ups = Pending(charge_id)
        case other:
            at.look_ups = Declined(charge_id, RawDecline(None, other.rsplit(" ", 1)[1]), world.now)
