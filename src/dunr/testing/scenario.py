"""Scenarios: a case as a text timeline, played through the real core.

    policy deadline_days=21
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      state scheduled; access grace; next 2026-06-24 09:00; notice first
    2026-06-24 09:00  step 1 sent; declined insufficient_funds
                      next 2026-06-29 09:00; notice reminder

A line that begins with a time lets time pass until then, doing all that is due on the way, and then does what it says. An
indented line says what must be true now, in parts between semicolons. Notices, alerts and calls to the processor are
counted: one that happened and is not mentioned is an error, as is one that is mentioned and did not happen.
`in_2:` before an act or a part means another invoice than `in_1`. Instants are UTC. An error names its line.

The words for acts are in `scenario_acts`, `scenario_news`, `scenario_methods` and `scenario_people`, those for what must be true in `scenario_checks`.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from dunr.core.facts import Facts
from dunr.core.policy import Policy
from dunr.testing.scenario_acts import act, instant
from dunr.testing.scenario_checks import check, nothing_untold
from dunr.testing.scenario_methods import METHODS
from dunr.testing.scenario_news import NEWS
from dunr.testing.scenario_people import PEOPLE
from dunr.testing.scenario_policy import read_policy
from dunr.testing.scenario_world import World

TIMED = re.compile(r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?)\s+(?P<rest>.+)")
INVOICE = re.compile(r"(?P<invoice>in_\w+):\s*(?P<rest>.+)")
ACTS = (*METHODS, *NEWS, *PEOPLE)


class ScenarioError(AssertionError):
    """A line of a scenario cannot be read, or what it says is not so."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `at` is None where it says what must be true."""

    number: int
    at: datetime | None
    text: str


def play(text: str, facts: Facts, policy: Policy | None = None) -> World:
    """Play a timeline; the world as it is after the last line."""
    world = World(facts=facts, policy=policy or Policy())
    for line in _lines(text):
        try:
            _play_line(world, line)
        except AssertionError as error:
            raise ScenarioError(f"line {line.number}: {line.text}\n  {error}") from error
    try:
        nothing_untold(world)
    except AssertionError as error:
        raise ScenarioError(f"after the last line\n  {error}") from error
    return world


def _lines(text: str) -> list[Line]:
    """The lines that say something."""
    found = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#", 1)[0].strip()
        timed = TIMED.fullmatch(line)
        if timed:
            found.append(Line(number, instant(timed["at"]), timed["rest"]))
        elif line:
            found.append(Line(number, None, line))
    return found


def _play_line(world: World, line: Line) -> None:
    """A header, an act or a statement."""
    if line.at is None and line.text.startswith("policy "):
        world.policy = read_policy(line.text.removeprefix("policy "), world.policy)
        return
    if line.at is not None:
        nothing_untold(world)
        world.run_until(line.at)
        world.decisions.clear()
        act(world, ACTS, *_addressed(line.text))
        world.settle()
        return
    for part in line.text.split(";"):
        check(world, *_addressed(part.strip()))


def _addressed(text: str) -> tuple[str, str]:
    """The invoice that a text is about, and the text without it."""
    named = INVOICE.fullmatch(text)
    return (named["invoice"], named["rest"]) if named else ("in_1", text)
