"""What the payer, an operator and the mail system do in a scenario."""

import re
from collections.abc import Callable
from datetime import timedelta

from dunr.core.answers import Forbidden, NoWord, Permission, Permitted
from dunr.core.decision import Stops
from dunr.core.events import (
    AttemptSettledByHand,
    CaseClosed,
    DeadlineExtended,
    Event,
    HoldPlaced,
    HoldReleased,
    LinkAsked,
    NoticeComplained,
    PayNow,
    PolicyMoved,
    PromiseMade,
    RemindersStopped,
    RetryNow,
    StepPostponed,
)
from dunr.core.policy import policy_hash
from dunr.core.value import replace
from dunr.testing.scenario_acts import Act, Acts, instant, on
from dunr.testing.scenario_policy import read_policy
from dunr.testing.scenario_world import World

PEOPLE: Acts = []
TIME = r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d)"


def person(pattern: str) -> Callable[[Act], Act]:
    """An act of somebody else."""
    return on(pattern, PEOPLE)


# --- the payer ------------------------------------------------------------------------------------------------------------


@person(r"payer clicks pay now")
def pay_now(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    wish(world, invoice_id, PayNow("customer"))


@person(r"payer complains")
def complains(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.decide(invoice_id, NoticeComplained("notice/1"), None)


@person(r"mail (?P<what>bounces|works)")
def mail_is(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    world.mail_works = found["what"] == "works"


@person(r"payer lives in (?P<country>[A-Z]{2}|nowhere)(?: at (?P<zone>\S+))?")
def lives_in(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    """What the processor shows of where the payer is, from its next reading on."""
    assert world.customer is not None, "a payer who is gone lives nowhere"
    country = None if found["country"] == "nowhere" else found["country"]
    world.customer = replace(world.customer, country=country, timezone=found["zone"])


# --- the operator ---------------------------------------------------------------------------------------------------------


def wish(world: World, invoice_id: str, event: Event) -> None:
    """A person's wish: looked at first, then decided."""
    world.read(invoice_id)
    world.wished = world.decide(invoice_id, event, world.snapshot(invoice_id))


@person(r"operator retries")
def retries(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    wish(world, invoice_id, RetryNow("alex"))


@person(r"operator holds(?: until " + TIME + r")?")
def holds(world: World, invoice_id: str, found: re.Match[str]) -> None:
    until_at = instant(found["at"]) if found["at"] else None
    wish(world, invoice_id, HoldPlaced("alex", "asked by phone", until_at))


@person(r"operator releases(?: (?P<ref>\S+))?")
def releases(world: World, invoice_id: str, found: re.Match[str]) -> None:
    case = world.case(invoice_id)
    assert case is not None
    ref = found["ref"] or next((hold.ref for hold in case.holds), "none")
    wish(world, invoice_id, HoldReleased("alex", ref))


@person(r"operator postpones to " + TIME)
def postpones(world: World, invoice_id: str, found: re.Match[str]) -> None:
    wish(world, invoice_id, StepPostponed("alex", instant(found["at"])))


@person(r"operator extends to " + TIME)
def extends(world: World, invoice_id: str, found: re.Match[str]) -> None:
    wish(world, invoice_id, DeadlineExtended("alex", instant(found["at"])))


@person(r"payer promises for " + TIME)
def promises(world: World, invoice_id: str, found: re.Match[str]) -> None:
    wish(world, invoice_id, PromiseMade("payer", instant(found["at"]), by_customer=True))


@person(r"payer asks for a new link")
def asks_for_link(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    wish(world, invoice_id, LinkAsked("customer"))


@person(r"payer wants (?P<what>no more reminders|reminders again)")
def wants_reminders(world: World, invoice_id: str, found: re.Match[str]) -> None:
    wish(world, invoice_id, RemindersStopped("customer", again=found["what"] == "reminders again"))


@person(r"operator settles attempt (?P<number>\d+) as (?P<what>captured|not captured)(?: by (?P<charge>\w+))?")
def settles(world: World, invoice_id: str, found: re.Match[str]) -> None:
    captured = found["what"] == "captured"
    event = AttemptSettledByHand("alex", int(found["number"]), captured, "the processor's console", found["charge"])
    wish(world, invoice_id, event)


@person(r"operator moves the policy to (?P<settings>.+)")
def moves_policy(world: World, invoice_id: str, found: re.Match[str]) -> None:
    world.policy_next = read_policy(found["settings"], world.policy)
    world.policies[policy_hash(world.policy_next)] = world.policy_next
    wish(world, invoice_id, PolicyMoved("alex", policy_hash(world.policy_next)))


@person(r"operator closes")
def closes(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    wish(world, invoice_id, CaseClosed("alex", "agreed by phone"))


@person(r"(?P<what>charges|pauses|mail) (?:is|are) stopped")
def stopped(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    world.stops = replace(world.stops, **{found["what"]: ("the brake is on",)})


@person(r"nothing is stopped")
def unstopped(world: World, _invoice_id: str, _found: re.Match[str]) -> None:
    world.stops = Stops()


@person(r"the merchant (?P<what>permits charges|is silent|forbids charges)(?: until (?P<until>.+))?")
def permission(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    """What the merchant's own system says when it is asked before a charge."""
    until = found["until"]
    said: dict[str, Permission] = {
        "permits charges": Permitted(),
        "is silent": NoWord("timed out"),
        "forbids charges": Forbidden("hardship", instant(until) if until else None),
    }
    world.permission = said[found["what"]]


@person(r"nothing happens|time passes")
def nothing(_world: World, _invoice_id: str, _found: re.Match[str]) -> None:
    """Only what is due."""


@person(r"nobody is awake for (?P<minutes>\d+) minutes")
def asleep(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    """The workers were down: time passed, and what was due was not done."""
    world.now += timedelta(minutes=int(found["minutes"]))


@person(r"(?P<invoice>in_\w+) exists")
def exists(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    world.invoice(found["invoice"])
