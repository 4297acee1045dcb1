"""What holds for every date, whatever the policy, the place and the hour."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dunr.core.budget import allowance
from dunr.core.circumstances import Circumstances
from dunr.core.counting import Wish
from dunr.core.model import Method
from dunr.core.policy import Policy, ReasonRule, Strategy, Window
from dunr.core.schedule import lay
from dunr.core.sends import Send
from dunr.core.snapping import IN_DAYS, snap
from dunr.core.strategies import LADDERS, Rung, rungs
from dunr.core.terms import DeclineReason, Outcome, Rail, Trigger
from dunr.core.value import replace
from dunr.core.windows import Place, closed_because
from tests.core.world import facts

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "America/Santiago"]
COUNTRIES = [None, "GB", "US", "BR", "JP", "DE", "IS"]
DATED = (Strategy.STANDARD, Strategy.FUNDS_AWARE, Strategy.BUSINESS_DAYS, Strategy.SHORT_BACKOFF, Strategy.FIBONACCI)
START = datetime(2026, 1, 1, tzinfo=UTC)

INSTANTS = st.integers(0, 2 * 365 * 24 * 60).map(lambda minutes: START + timedelta(minutes=minutes))
HOURS = st.integers(0, 23).flatmap(lambda start: st.tuples(st.just(start), st.integers(start + 1, 24)))


@st.composite
def windows(draw: st.DrawFn) -> Window:
    from_hour, until_hour = draw(HOURS)
    return Window(from_hour, until_hour, draw(st.booleans()), draw(st.integers(0, 5)), draw(st.booleans()))


Where = tuple[Policy, str, str | None, datetime | None]


@st.composite
def surroundings(draw: st.DrawFn) -> Where:
    policy = Policy(
        timezone=draw(st.sampled_from(ZONES)),
        at_hour=draw(st.integers(0, 23)),
        calendar=draw(st.sampled_from([None, "GB", "DE"])),
        window=draw(st.none() | windows()),
    )
    zone, country = draw(st.sampled_from(ZONES)), draw(st.sampled_from(COUNTRIES))
    return policy, zone, country, draw(st.none() | INSTANTS)


def circumstances(where: Where) -> Circumstances:
    policy, zone, country, floor_at = where
    return Circumstances(
        policy, facts(), START, zone, country=country, floor_at=floor_at, floor_why="the bank asked to wait"
    )


@st.composite
def steps(draw: st.DrawFn) -> Rung:
    strategy = draw(st.sampled_from(DATED))
    return Rung(1, draw(st.sampled_from(LADDERS[strategy])), strategy)


MANY = settings(max_examples=100, deadline=None)


@given(INSTANTS, steps(), surroundings())
@MANY
def test_a_date_keeps_every_rule_and_moves_no_more(wanted_at: datetime, rung: Rung, where: Where) -> None:
    around = circumstances(where)
    found = snap(wanted_at, rung, around, wanted_at)
    at, window = found.at, around.policy.window
    if at is None:
        assert found.why
        return
    assert at >= wanted_at, "nothing moves a date before what it may not be before"
    assert around.floor_at is None or at >= around.floor_at, "never before the bank's wait"
    if window is not None and rung.step.unit in IN_DAYS:
        aims = rung.strategy is Strategy.FUNDS_AWARE
        holidays = around.facts.calendars.get(around.country or "GB") if around.paydays else frozenset()
        place = Place(around.zone_name, around.holidays, around.paydays if aims else (), holidays or frozenset())
        assert closed_because(at, window, place) is None, "never outside the window"
    assert snap(at, rung, around, at).at == at, "a fixed point of its own rules"
    assert snap(wanted_at, rung, around, wanted_at) == found, "the same again"
    assert bool(found.why) is (at != wanted_at), "what moves a date says why"


@given(INSTANTS, st.integers(0, 20 * 24 * 60), steps(), surroundings())
@MANY
def test_a_later_wish_gets_no_earlier_date(wanted_at: datetime, later_minutes: int, rung: Rung, where: Where) -> None:
    around, earliest = circumstances(where), wanted_at - timedelta(days=30)
    first = snap(wanted_at, rung, around, earliest).at
    second = snap(wanted_at + timedelta(minutes=later_minutes), rung, around, earliest).at
    assert first is None or second is None or first <= second


@given(INSTANTS, steps(), surroundings())
@MANY
def test_a_window_that_may_move_back_does_so_only_to_the_floors(wanted_at: datetime, rung: Rung, where: Where) -> None:
    around = circumstances(where)
    policy = around.policy
    nearest = replace(policy.window, nearest=True) if policy.window is not None else Window(9, 18, True, 0, True)
    around = replace(around, policy=replace(policy, window=nearest))
    earliest = wanted_at - timedelta(hours=6)
    at = snap(wanted_at, rung, around, earliest).at
    assert at is None or at >= earliest
    assert at is None or around.floor_at is None or at >= around.floor_at


@given(
    st.sampled_from(DATED),
    st.integers(1, 14),
    INSTANTS,
    surroundings(),
    st.dictionaries(st.integers(1, 4), st.integers(0, 60 * 24 * 60), max_size=3),
)
@MANY
def test_a_plan_goes_forward_and_brings_nothing_forward_that_was_told(
    strategy: Strategy, steps_max: int, failed_at: datetime, where: Where, told_minutes: dict[int, int]
) -> None:
    rule = ReasonRule(steps_max, strategy)
    around = circumstances(where)
    around = replace(
        around, policy=replace(around.policy, reasons=((DeclineReason.INSUFFICIENT_FUNDS, rule),), attempts_max=50)
    )
    told = {number: failed_at + timedelta(minutes=minutes) for number, minutes in told_minutes.items()}
    coming = rungs(around.policy, facts(), DeclineReason.INSUFFICIENT_FUNDS, 0, 0, 0)
    laid = lay(coming, failed_at, around, told=told)
    ats = [step.at for step in laid.steps]
    assert len(laid.steps) == len(coming) or laid.undated
    assert all(earlier <= later for earlier, later in pairwise(ats))
    assert all(at >= failed_at for at in ats)
    for step in laid.steps:
        assert step.told_at == told.get(step.number)
        assert step.told_at is None or step.at >= step.told_at, "never earlier than told"


WISH = Wish("sandbox:main:in_1", START, Rail.CARD, "mastercard", "DE", "card_1/2030-12", 4900, "usd")


@given(
    st.lists(st.integers(0, 40 * 24 * 60), max_size=12),
    st.sampled_from([Strategy.FIBONACCI, Strategy.STANDARD, Strategy.SHORT_BACKOFF]),
    st.sampled_from(["mastercard", "visa", None]),
    st.integers(2, 12),
)
@settings(max_examples=40, deadline=None)
def test_no_plan_goes_over_a_cap(
    sent_minutes: list[int], strategy: Strategy, network: str | None, day_max: int
) -> None:
    policy = Policy(
        reasons=((DeclineReason.INSUFFICIENT_FUNDS, ReasonRule(14, strategy)),),
        attempts_max=50,
        card_attempts_24h_max=day_max,
    )
    wish = replace(WISH, network=network)
    sends = tuple(
        Send(START + timedelta(minutes=at), Trigger.TIMER, "sandbox:main:in_2", 1, Outcome.DECLINED, network=network)
        for at in sorted(sent_minutes)
    )
    failed_at = START + timedelta(days=40)
    row = Method("sandbox:main:card_1", 1, sends=sends)
    around = Circumstances(policy, facts(), failed_at, wish=wish, method=row)
    laid = lay(rungs(policy, facts(), DeclineReason.INSUFFICIENT_FUNDS, 0, 0, 0), failed_at, around)
    made = list(sends)
    for step in laid.steps:
        so_far = replace(row, sends=tuple(made[-40:]))
        assert allowance(wish, so_far, policy, facts(), step.at).until_at is None, "never over a cap"
        made.append(
            Send(step.at, Trigger.TIMER, wish.case_id, step.number, Outcome.DECLINED, 4900, "usd", network=network)
        )


PROGRAM = """
import random
from datetime import UTC, datetime, timedelta
from tests.core.test_snapping_properties import COUNTRIES, DATED, ZONES
from dunr.core.circumstances import Circumstances
from dunr.core.policy import Policy, ReasonRule, Window
from dunr.core.schedule import lay
from dunr.core.strategies import rungs
from dunr.core.terms import DeclineReason
from tests.core.world import facts
rng = random.Random(7)
for _ in range(200):
    window = Window(rng.randrange(0, 10), rng.randrange(11, 25), rng.random() < 0.5, rng.randrange(3), rng.random() < 0.3)
    rule = ReasonRule(4, rng.choice(DATED))
    policy = Policy(timezone=rng.choice(ZONES), window=window, reasons=((DeclineReason.INSUFFICIENT_FUNDS, rule),))
    failed_at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=rng.randrange(500_000))
    around = Circumstances(policy, facts(), failed_at, rng.choice(ZONES), "own", rng.choice(COUNTRIES))
    laid = lay(rungs(policy, facts(), DeclineReason.INSUFFICIENT_FUNDS, 0, 0, 0), failed_at, around)
    print([(step.at.isoformat(), step.why) for step in laid.steps], laid.undated)
"""


def dates_on_a_machine_in(zone: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True
    )
    return run.stdout


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Kiritimati"])
def test_the_machine_s_own_time_zone_changes_no_date(zone: str) -> None:
    here = dates_on_a_machine_in("UTC")
    assert here.count("\n") == 200
    assert dates_on_a_machine_in(zone) == here
