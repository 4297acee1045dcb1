"""The story of a world as a timeline of `dunr.testing.scenario`, so that what broke in chaos can be kept as a test of the core.

What people, the processor and the network did becomes lines; what dunr did of itself is not written down, since the core does it again. After each line stands what
the core says then. What the timeline has no words for, such as a crash, stays as a remark; where the core alone does otherwise than the whole did, the timeline ends
with that, and the fault lies in the shell.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from dunr.core.access import verdict
from dunr.core.effects import RaiseAlert
from dunr.core.facts import Facts
from dunr.core.policy import Policy
from dunr.simulate.story import Told
from dunr.testing.scenario import ACTS
from dunr.testing.scenario_acts import act
from dunr.testing.scenario_policy import ENUMS, UNITS
from dunr.testing.scenario_world import World, case_id

INVOICE = r"(?P<invoice>in_\d+)"
OWN_KEY = re.compile(r"dunr-(?P<invoice>in_\d+)-a(?P<number>\d+)(?:e\d+)?")
BEGINS = re.compile(INVOICE + r" over (?P<total>\d+) of (?P<subscription>sub_\w+) is charged for the first time")
DECLINED = re.compile(r"(?P<charge>ch_\w+) \((?P<key>[^)]+)\) declined: (?P<code>\w+)")
CAPTURED = re.compile(
    r"(?P<charge>ch_\w+) captures (?P<amount>\d+) of " + INVOICE + r" for (?P<key>\S+|somebody else); \d+ due"
)
PENDING = re.compile(r"(?P<charge>ch_\w+) \((?P<key>\S+)\) is pending")
ASKS = re.compile(r"asks for \d+ under (?P<key>\S+) by \S+")
UNHEARD = re.compile(r"no answer to (?P<key>\S+) in time|the request (?P<lost>\S+) is lost on its way")

# Who did what, and how a timeline says it; `{…}` are parts of the text.
SAID: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("customer", re.compile(r"puts (?P<card>\w+)\S* on file"), "new card {card}"),
    ("customer", re.compile(r"removes every payment method"), "no card"),
    ("merchant", re.compile(r"credits (?P<amount>\d+) of " + INVOICE), "credited {amount}"),
    ("merchant", re.compile(r"voids " + INVOICE), "voided"),
    ("merchant", re.compile(r"writes off " + INVOICE), "written off"),
    ("merchant", re.compile(r"deletes cus_\w+"), "customer deleted"),
    ("merchant", re.compile(r"has refunded (?P<amount>\d+) of (?P<charge>ch_\w+)"), "{charge} refunded up to {amount}"),
    ("bank", re.compile(r"(?P<charge>ch_\w+) comes back: (?P<code>\w+)"), "{charge} returned {code}"),
    ("request", re.compile(r"PayNow for " + INVOICE), "payer clicks pay now"),
    ("request", re.compile(r"RetryNow for " + INVOICE), "operator retries"),
    ("request", re.compile(r"HoldPlaced for " + INVOICE), "operator holds"),
    ("request", re.compile(r"HoldReleased for " + INVOICE), "operator releases"),
    ("request", re.compile(r"CaseClosed for " + INVOICE), "operator closes"),
    ("operator", re.compile(r"stops (?P<kind>\w+)"), "{kind} are stopped"),
    ("operator", re.compile(r"resumes \w+"), "nothing is stopped"),
)
QUIET = frozenset({"webhook", "application", "mail", "alert", "sweep"})


@dataclass(slots=True)
class Line:
    """One line to be: an act of somebody, or a remark."""

    at: datetime
    text: str
    is_remark: bool = False


def timeline(told: list[Told], policy: Policy, facts: Facts, broken: str = "") -> str:
    """The text of a scenario; `broken` is the promise that was not kept, as its last remark."""
    lines = [f"policy {_policy(policy)}"]
    world = World(facts=facts, policy=policy)
    done: list[Line] = []
    coming = deque(_acts(told))
    while coming:
        line = coming.popleft()
        stamp = f"{line.at:%Y-%m-%d %H:%M:%S}"
        if line.is_remark:
            lines.append(f"# {stamp}  {line.text}")
            continue
        try:
            _do(world, line)
            while answered := _answer_to(world, line, coming):
                coming.remove(answered)
                _do(world, Line(line.at, answered.text))
                line = Line(line.at, f"{line.text}; {answered.text.partition(': ')[2]}")
        except (AssertionError, KeyError) as otherwise:
            lines += _ending(_again(done, facts, policy), line, str(otherwise).splitlines()[0])
            break
        said = _said(world)
        done.append(line)
        lines += [f"{stamp}  {line.text}", *(f"{'':>21}{one}" for one in said)]
    return "\n".join([*lines, *([f"# broken: {broken}"] if broken else [])])


def _again(done: list[Line], facts: Facts, policy: Policy) -> World:
    """The world as it is after these lines: an act that could not be done may have been done in part."""
    world = World(facts=facts, policy=policy)
    for line in done:
        _do(world, line)
        _said(world)
    return world


def _ending(world: World, line: Line, why: str) -> list[str]:
    """What the core alone comes to at the moment at which the whole did something else."""
    _until(world, line)
    stamp = f"{line.at:%Y-%m-%d %H:%M:%S}"
    said = [f"{'':>21}{one}" for one in _said(world)]
    remark = f"# the core alone does otherwise here ({why}): look at the shell"
    return [f"# {stamp}  {line.text}", remark, f"{stamp}  time passes", *said]


def _until(world: World, line: Line) -> None:
    world.run_until(max(world.now, line.at.replace(microsecond=0)))


def _acts(told: list[Told]) -> Iterator[Line]:
    """What happened from outside, in order."""
    begun: dict[str, re.Match[str]] = {}
    sent: list[Line] = []
    for one in told:
        newest = next((line for line in reversed(sent) if line.text.startswith("in_")), None)
        if found := BEGINS.fullmatch(one.what):
            begun[found["invoice"]] = found
        elif found := ASKS.fullmatch(one.what):
            if newest is not None and newest.text == _addressed(found["key"], "sent"):
                newest.text += "; not now"  # it is asked again, so that the processor had not begun
            sent.append(Line(one.at, _addressed(found["key"], "sent")))
        elif (found := UNHEARD.fullmatch(one.what)) and newest is not None:
            before, _, answer = newest.text.partition("; ")
            newest.text = f"{before}; {'captured silently; ' if answer.startswith('paid') else ''}no answer"
        elif (found := DECLINED.fullmatch(one.what)) and OWN_KEY.fullmatch(found["key"]) is None:
            if begun:
                _, first = begun.popitem()
                named = "" if first["invoice"] == "in_1" else f"{first['invoice']}: "
                sent.append(Line(one.at, f"{named}subscription {first['subscription']}"))
                sent.append(Line(one.at, f"{named}first charge fails: {found['code']}, {first['total']} usd"))
        elif found is not None:
            _answered(sent, newest, f"declined {found['code']}")
        elif found := CAPTURED.fullmatch(one.what):
            if OWN_KEY.fullmatch(found["key"]) is None:
                sent.append(Line(one.at, f"{found['invoice']}: paid elsewhere {found['amount']} as {found['charge']}"))
            else:
                _answered(sent, newest, f"paid {found['amount']} as {found['charge']}")
        elif PENDING.fullmatch(one.what):
            _answered(sent, newest, "pending")
        else:
            sent.append(_other(one))
    yield from (line for line in sent if line.text)


def _addressed(key: str, what: str) -> str:
    own = OWN_KEY.fullmatch(key)
    return f"{own['invoice']}: attempt {own['number']} {what}" if own is not None else f"in_1: {key} {what}"


def _answered(sent: list[Line], newest: Line | None, answer: str) -> None:
    """The answer belongs to the newest call."""
    if newest is not None and newest.text.endswith("sent"):
        newest.text = f"{newest.text}; {answer}"
    elif sent:
        sent.append(Line(sent[-1].at, f"later: {answer}", is_remark=True))


def _other(one: Told) -> Line:
    for who, pattern, words in SAID:
        found = pattern.fullmatch(one.what) if who == one.who else None
        if found is not None:
            parts = found.groupdict()
            named = f"{parts['invoice']}: " if "invoice" in parts else ""
            return Line(one.at, named + words.format(**parts))
    is_own = one.who.startswith("worker") and not one.what.startswith("is ")
    return Line(one.at, "" if is_own or one.who in QUIET else f"{one.who} {one.what}", is_remark=True)


def _do(world: World, line: Line) -> None:
    """Let time pass until then, and do it."""
    _until(world, line)
    world.decisions.clear()
    named, _, text = line.text.partition(": ") if re.match(r"in_\d+: ", line.text) else ("in_1", "", line.text)
    act(world, ACTS, named, text)
    world.settle()


def _answer_to(world: World, line: Line, coming: Iterable[Line]) -> Line | None:
    """What the processor said to a call that the core makes at once, and the workers made later: it belongs to the line that caused the call."""
    named = line.text.partition(": ")[0] if re.match(r"in_\d+: ", line.text) else "in_1"
    for sent in world.sent:
        begins = f"{named}: attempt {sent.attempt_number} sent"
        if sent.case_id == case_id(named):
            return next((one for one in coming if one.text.startswith(begins)), None)
    return None


def _said(world: World) -> list[str]:
    """What the core says of every case now; calls that nobody answers are told, too."""
    said = [_stated(world, invoice) for invoice in world.invoices if world.case(invoice) is not None]
    said += [f"{one}: call left" for one in dict.fromkeys(sent.case_id.split(":", 2)[2] for sent in world.sent)]
    world.sent.clear()
    return said


def _stated(world: World, invoice: str) -> str:
    """What is true of one invoice, in the words of a scenario; what was mailed and alerted is told once."""
    case = world.case(invoice)
    assert case is not None
    kinds = [str(one.kind) for one in world.mailed if one.case_id == case_id(invoice)]
    world.mailed = [one for one in world.mailed if one.case_id != case_id(invoice)]
    alerts = [str(one.kind) for one in world.told if isinstance(one, RaiseAlert) and one.ends is None]
    world.told = [one for one in world.told if not isinstance(one, RaiseAlert)]
    parts = [
        f"{invoice}: state {case.state}" + (f" because {case.closed_because}" if case.closed_because else ""),
        f"{invoice}: due {case.amount_due_minor}",
        f"{invoice}: access {verdict(world.subscription(invoice), world.now).access}",
        *([f"{invoice}: notices {', '.join(kinds)}"] if kinds else []),
        *([f"alerts {', '.join(alerts)}"] if alerts else []),
    ]
    return "; ".join(parts)


def _policy(policy: Policy) -> str:
    """A policy as a scenario writes it: what differs from the unconfigured one."""
    words = [policy.name]
    short = {unit: letter for letter, unit in UNITS.items()}
    for name in Policy.__struct_fields__:
        value, plain = getattr(policy, name), getattr(Policy(), name)
        if name == "name" or value == plain:
            continue
        if name in ("steps", "floor"):
            words.append(f"{name}={','.join(f'{one.after}{short[one.unit]}' for one in value) or 'none'}")
        elif isinstance(value, bool):
            words.append(f"{name}={'yes' if value else 'no'}")
        elif name in ENUMS or isinstance(value, int | str):
            words.append(f"{name}={value}")
        else:
            words.append(f"# and {name}, which has to be written in Python")
            break
    return " ".join(words)
