"""What must be true after a line of a scenario: one pattern and one function a statement."""

import re
from collections.abc import Callable
from datetime import datetime

from dunr.core.access import verdict
from dunr.core.effects import CancelAttempt, Publish, PublishCharge, RaiseAlert, RefreshMethod, StopSending, TakeOver
from dunr.core.model import Case
from dunr.testing.scenario_acts import instant
from dunr.testing.scenario_world import World, case_id

Check = Callable[[World, str, re.Match[str]], None]
CHECKS: list[tuple[re.Pattern[str], Check]] = []
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?"


def states(pattern: str) -> Callable[[Check], Check]:
    """Register a statement under the words that mean it."""

    def register(function: Check) -> Check:
        CHECKS.append((re.compile(pattern), function))
        return function

    return register


def check(world: World, invoice_id: str, text: str) -> None:
    """One part of a line that says what must be true."""
    for pattern, function in CHECKS:
        found = pattern.fullmatch(text)
        if found:
            function(world, invoice_id, found)
            return
    raise AssertionError(f"nobody knows how to check {text!r}")


def nothing_untold(world: World) -> None:
    """Notices, alerts and calls that no line has mentioned."""
    assert not world.mailed, f"a notice left that no line mentions: {[f'{one.kind} {one.key}' for one in world.mailed]}"
    alerts = [str(one.kind) for one in world.told if isinstance(one, RaiseAlert) and one.ends is None]
    assert not alerts, f"an alert that no line mentions: {alerts}"
    assert not world.sent, f"a call left that no line mentions: {world.sent}"
    world.told = [one for one in world.told if isinstance(one, CancelAttempt | RefreshMethod)]


def equal(what: str, got: object, wanted: object) -> None:
    """Say both where they differ."""
    assert got == wanted, f"{what} is {got}, not {wanted}"


def the_case(world: World, invoice_id: str) -> Case:
    """The case that a statement is about."""
    case = world.case(invoice_id)
    assert case is not None, f"{invoice_id} has no case"
    return case


def shown(at: datetime | None) -> str:
    """An instant as a scenario writes it."""
    if at is None:
        return "none"
    return f"{at:%Y-%m-%d %H:%M}" if not at.second else f"{at:%Y-%m-%d %H:%M:%S}"


@states(r"no case")
def no_case(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    equal("the case", world.case(invoice_id), None)


@states(r"state (?P<state>\w+)(?: because (?P<because>\w+))?")
def state_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    case = the_case(world, invoice_id)
    equal("the state", str(case.state), found["state"])
    equal("it was closed because it", case.closed_because, found["because"])


@states(r"access (?P<access>\w+)")
def access_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    told = verdict(world.subscription(invoice_id), world.now)
    equal(f"access ({told.reason})", str(told.access), found["access"])


@states(rf"next (?P<at>{TIME}|none)")
def next_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    step = the_case(world, invoice_id).plan.next_step
    equal("the next step", shown(step.at if step else None), found["at"])


@states(rf"steps (?P<steps>none|\d+ {TIME}(?:, \d+ {TIME})*)")
def steps_are(world: World, invoice_id: str, found: re.Match[str]) -> None:
    got = ", ".join(f"{step.number} {shown(step.at)}" for step in the_case(world, invoice_id).plan.steps)
    equal("the plan", got or "none", found["steps"])


@states(rf"pause (?P<at>{TIME}|none)")
def pause_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    equal("the pause date", shown(the_case(world, invoice_id).plan.pause_at), found["at"])


@states(rf"paused at (?P<at>{TIME}|none)")
def paused_at(world: World, invoice_id: str, found: re.Match[str]) -> None:
    equal("the pause", shown(the_case(world, invoice_id).paused_at), found["at"])


@states(r"no notice|notices? (?P<kinds>\w+(?: \d+)?(?:, \w+(?: \d+)?)*)")
def notices_left(world: World, invoice_id: str, found: re.Match[str]) -> None:
    """`notice reminder` or, with the amount that it names, `notice reminder 3900`."""
    mine = [one for one in world.mailed if one.case_id == case_id(invoice_id)]
    wanted = found["kinds"].split(", ") if found["kinds"] else []
    got = [
        f"{one.kind} {one.amount_minor}" if index < len(wanted) and " " in wanted[index] else str(one.kind)
        for index, one in enumerate(mine)
    ]
    equal("what was mailed", ", ".join(got) or "none", ", ".join(wanted) or "none")
    world.mailed = [one for one in world.mailed if one.case_id != case_id(invoice_id)]


@states(r"over (?P<kinds>\w+(?:, \w+)*)")
def alerts_ended(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    got = [str(one.kind) for one in world.told if isinstance(one, RaiseAlert) and one.ends is not None]
    equal("which alerts are over", ", ".join(got), found["kinds"])


@states(r"no alert|alerts? (?P<kinds>\w+(?:, \w+)*)")
def alerts_raised(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    got = [str(one.kind) for one in world.told if isinstance(one, RaiseAlert) and one.ends is None]
    equal("what was alerted", ", ".join(got) or "none", found["kinds"] or "none")
    world.told = [one for one in world.told if not isinstance(one, RaiseAlert)]


@states(r"call left")
def call_left(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    mine = [one for one in world.sent if one.case_id == case_id(invoice_id)]
    assert mine, "no call left"
    world.sent = [one for one in world.sent if one.case_id != case_id(invoice_id)]


@states(r"due (?P<amount>\d+)")
def due_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    equal("what is due", the_case(world, invoice_id).amount_due_minor, int(found["amount"]))


@states(r"overpaid (?P<amount>\d+)")
def overpaid_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    equal("what was paid too much", the_case(world, invoice_id).overpaid_minor, int(found["amount"]))


@states(r"booked (?P<entries>none|\w+ -?\d+(?:, \w+ -?\d+)*)")
def booked(world: World, invoice_id: str, found: re.Match[str]) -> None:
    got = [f"{one.kind} {one.lines[0][1]}" for one in world.ledger.values() if one.case_id == case_id(invoice_id)]
    equal("the ledger", ", ".join(got) or "none", found["entries"])


@states(r"in flight (?P<number>\d+|none)(?: (?P<outcome>\w+))?")
def in_flight(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt = the_case(world, invoice_id).in_flight
    equal("in flight", str(attempt.number) if attempt else "none", found["number"])
    if found["outcome"] and attempt:
        equal("its outcome", str(attempt.outcome), found["outcome"])


@states(r"attempt (?P<number>\d+) (?P<outcome>\w+)(?:, key (?P<key>\S+))?(?:, amount (?P<amount>\d+))?")
def attempt_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempts = {one.number: one for one in the_case(world, invoice_id).attempts}
    assert int(found["number"]) in attempts, f"there is no attempt {found['number']}"
    attempt = attempts[int(found["number"])]
    equal("its outcome", str(attempt.outcome), found["outcome"])
    if found["key"]:
        equal("its key", attempt.key, found["key"])
    if found["amount"]:
        equal("its amount", attempt.amount_minor, int(found["amount"]))


@states(r"sent by (?P<trigger>\w+) on (?P<card>\w+)")
def sent_by(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt = the_case(world, invoice_id).attempts[-1]
    equal("its trigger", str(attempt.trigger), found["trigger"])
    equal("its card", attempt.method.card_key if attempt.method else None, found["card"])


@states(r"attempts (?P<count>\d+|none)")
def attempts_are(world: World, invoice_id: str, found: re.Match[str]) -> None:
    equal(
        "the number of attempts",
        the_case(world, invoice_id).attempt_number_last,
        -1 if found["count"] == "none" else int(found["count"]),
    )


@states(r"steps used (?P<count>\d+)")
def steps_used(world: World, invoice_id: str, found: re.Match[str]) -> None:
    equal("the number of steps used", the_case(world, invoice_id).steps_spent_count, int(found["count"]))


@states(r"round (?P<number>\d+)")
def round_is(world: World, invoice_id: str, found: re.Match[str]) -> None:
    equal("the round", the_case(world, invoice_id).round, int(found["number"]))


@states(r"holds (?P<kinds>none|\w+(?:, \w+)*)")
def holds_are(world: World, invoice_id: str, found: re.Match[str]) -> None:
    got = ", ".join(str(hold.kind) for hold in the_case(world, invoice_id).holds)
    equal("what holds it", got or "none", found["kinds"])


@states(r"answered (?P<status>\d{3})")
def answered(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    rejection = world.wished.rejection if world.wished else None
    equal("the answer", rejection.http_status if rejection else 202, int(found["status"]))


@states(r"because (?P<words>.+)")
def because(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    said = "; ".join(reason for decision in world.decisions for reason in decision.because)
    assert found["words"] in said, f"it says: {said}"


@states(rf"looks again (?P<at>{TIME}|none)")
def looks_again(world: World, invoice_id: str, found: re.Match[str]) -> None:
    attempt = the_case(world, invoice_id).in_flight
    equal("the next look", shown(attempt.next_action_at if attempt else None), found["at"])


@states(rf"wakes (?P<at>{TIME}|none)")
def wakes(world: World, invoice_id: str, found: re.Match[str]) -> None:
    equal("the next waking", shown(the_case(world, invoice_id).wake_at), found["at"])


@states(r"told of access (?P<values>none|\w+(?:, \w+)*)")
def told_of_access(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    got = [str(one.access) for one in world.told if isinstance(one, Publish)]
    equal("what the application was told", ", ".join(got) or "none", found["values"])


@states(r"told of charge (?P<ends>none|\w+(?:, \w+)*)")
def told_of_charge(world: World, invoice_id: str, found: re.Match[str]) -> None:
    """What the merchant's billing system was told since the last time that a line asked."""
    mine = [one for one in world.told if isinstance(one, PublishCharge) and one.case_id == case_id(invoice_id)]
    equal("what was told of the charge", ", ".join(str(one.end) for one in mine) or "none", found["ends"])
    world.told = [one for one in world.told if one not in mine]


@states(r"cancellation asked|sending stopped|refresh asked|take-over asked")
def asked(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    kinds = {
        "cancellation asked": CancelAttempt,
        "sending stopped": StopSending,
        "refresh asked": RefreshMethod,
        "take-over asked": TakeOver,
    }
    kind = kinds[found[0]]
    assert any(isinstance(one, kind) for one in world.told), f"nobody asked; told: {world.told}"


@states(r"no refresh")
def no_refresh(world: World, _invoice_id: str, _found: re.Match[str]) -> None:
    assert not any(isinstance(one, RefreshMethod) for one in world.told), f"somebody asked: {world.told}"


@states(r"refreshes (?P<answers>(?:hit|miss|pending)(?:, (?:hit|miss|pending))*)")
def refreshes_are(world: World, invoice_id: str, found: re.Match[str]) -> None:
    asked = the_case(world, invoice_id).method_notes.refreshes
    equal(
        "its refreshes",
        ", ".join("pending" if one.is_pending else "hit" if one.is_hit else "miss" for one in asked),
        found["answers"],
    )


@states(rf"waiting card (?P<card>\w+)(?:, turn (?P<at>{TIME}))?")
def waiting_card(world: World, invoice_id: str, found: re.Match[str]) -> None:
    case = the_case(world, invoice_id)
    equal("the card that waits", case.waiting_method.card_key if case.waiting_method else "none", found["card"])
    if found["at"]:
        equal("its turn", case.turn_at, instant(found["at"]))
