"""Each event in each state: it is decided, it gives its reasons, and what has ended stays as it ended."""

from functools import cache

import pytest

from dunr.core.decide import decide
from dunr.core.events import AttemptReturned, ChargeDue, ChargeFailed, Event
from dunr.core.model import Case
from dunr.core.policy import Policy
from dunr.core.terms import CaseState
from dunr.core.timers import due_event, wake_at
from dunr.core.value import replace
from dunr.testing.scenario_world import World
from tests.core.events import ALL_EVENTS, samples
from tests.core.world import FRESH, facts, story, utc

OPENED = "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n"
SENT = OPENED + "2026-06-24 09:00  step 1 sent\n"
SPENT = "policy steps=1bd floor=1bd\n" + SENT + "2026-06-24 09:01  declined insufficient_funds\n"

STORIES = {
    "scheduled": OPENED,
    "scheduled, due": OPENED,
    "scheduled, missed": OPENED,
    "scheduled, held": OPENED + "2026-06-23 11:00  operator holds until 2026-06-24 12:00\n",
    "scheduled, stopped": OPENED + "2026-06-23 11:00  charges are stopped; pauses are stopped\n",
    "in flight": SENT,
    "in flight, unknown": SENT + "2026-06-24 09:00:30  no answer\n",
    "in flight, overdue": SENT + "2026-06-24 09:00:30  no answer\n",
    "in flight, pending": SENT + "2026-06-24 09:00:30  pending\n",
    "in flight, not now": SENT + "2026-06-24 09:00:30  not now\n",
    "in flight, a card waits": SENT + "2026-06-24 09:00:30  new card card_2\n",
    "in flight, recovered": SENT + "2026-06-24 09:00:30  paid elsewhere 4900 as ch_x\n",
    "in flight, closed": SENT + "2026-06-24 09:00:30  voided\n",
    "awaiting a card": OPENED.replace("insufficient_funds", "stolen_card").replace("first\n", "method_needed\n"),
    "awaiting the bank": SENT
    + "2026-06-24 09:01  declined authentication_required with intent pi_9\n notice confirm_with_bank\n",
    "awaiting, no method": OPENED + "2026-06-23 11:00  no card\n notice method_needed\n",
    "awaiting, the payer has died": OPENED.replace("insufficient_funds", "r15").replace(
        "notice first", "alert payer_deceased"
    ),
    "awaiting, a refresh is asked for": OPENED.replace("insufficient_funds", "expired_card").replace(
        "notice first", "refresh asked"
    ),
    "awaiting, started anew": OPENED
    + "2026-06-23 11:00  new card card_2 came with sub_new\n notice method_needed; alert resubscribed\n",
    "backup in flight": "policy backup_methods=yes\n2026-06-23 10:00  backup card_2\n"
    + OPENED.replace("notice first", "call left"),
    "exhausted": SPENT,
    "exhausted, paused": SPENT + "2026-06-24 12:00  nothing happens\n notice paused\n",
    "recovered": SENT + "2026-06-24 09:01  paid\n notice receipt\n",
    "recovered, overpaid": SENT
    + "2026-06-24 09:01  paid elsewhere 900 as ch_x; paid\n notice receipt; alert overpaid\n",
    "closed, voided": OPENED + "2026-06-23 11:00  voided\n",
    "closed, written off": OPENED + "2026-06-23 11:00  written off\n",
    "closed, by a person": OPENED + "2026-06-23 11:00  operator closes\n",
    "closed, ended": OPENED + "2026-06-23 11:00  subscription is ended\n alert debt_left_open\n",
    "closed, deleted": OPENED + "2026-06-23 11:00  customer deleted\n alert debt_left_open\n",
    "first charge due": "2026-06-23 10:00  charge falls due: 4900 usd\n call left\n",
    "first charge held": "2026-06-23 10:00  dispute dp_1 on ch_z of in_z, card card_1\n"
    "2026-06-23 10:01  charge falls due: 4900 usd\n",
    "closed, carried over": "2026-06-23 10:00  the least that is charged is 5000; "
    "first charge fails: insufficient_funds, 4900 usd\n alert amount_too_small\n",
}
UNTIL = {
    "scheduled, due": "2026-06-24 09:01",
    "scheduled, missed": "2026-06-24 10:31",
    "in flight, overdue": "2026-06-24 09:20",
}


@cache
def world_of(state: str) -> World:
    world = story(STORIES[state], FRESH if "refresh" in state else None)
    world.now = utc(UNTIL[state]) if state in UNTIL else world.now  # and nobody is awake meanwhile
    world.policy_next = Policy(name="other", timezone="Europe/Berlin")
    return world


def test_there_is_a_sample_of_every_event() -> None:
    assert {type(event) for event in samples(world_of("scheduled"))} == set(ALL_EVENTS)


@pytest.mark.parametrize("state", STORIES)
@pytest.mark.parametrize("kind", ALL_EVENTS)
def test_every_event_is_decided_in_every_state(state: str, kind: type[Event]) -> None:
    world = world_of(state)
    dossier = world.dossier("in_1", world.snapshot("in_1"))
    for event in [one for one in samples(world) if type(one) is kind]:
        decision = decide(dossier, event, facts(), world.now)
        repeated = decide(dossier, event, facts(), world.now)
        same = decision == repeated
        assert same, f"{event} is decided in two ways"
        assert decision.because, f"{event} is decided without a reason"
        assert all(decision.because), f"{event} is decided with an empty reason"
        assert dossier.case is not None
        check_what_became_of(dossier.case, decision.case or dossier.case, event)
        bare = replace(dossier, subscription=None, customer=None, method=None)
        assert decide(bare, event, facts(), world.now).because


def check_what_became_of(before: Case, after: Case, event: Event) -> None:
    """What holds for every pair."""
    if before.state is CaseState.RECOVERED:
        assert after.state is CaseState.RECOVERED or isinstance(event, AttemptReturned)
    if before.state is CaseState.CLOSED:
        assert after.state is CaseState.CLOSED
        assert after.closed_because is before.closed_because
    assert sum(attempt.is_in_flight for attempt in after.attempts) <= 1
    assert after.in_flight is None or after.in_flight.next_action_at is not None
    assert (after.state is CaseState.SCHEDULED) == bool(after.plan.steps), "scheduled means: a next step has a time"
    assert after.amount_due_minor >= 0
    assert after.wake_at == wake_at(after)
    if after.wake_at is not None:
        assert due_event(after, after.wake_at) is not None


@pytest.mark.parametrize("event", ALL_EVENTS)
def test_an_event_about_no_case_changes_nothing(event: type[Event]) -> None:
    world = world_of("scheduled")
    dossier = replace(world.dossier("in_1", world.snapshot("in_1")), case=None)
    sample = next(one for one in samples(world) if type(one) is event)
    if event in (ChargeFailed, ChargeDue):
        return
    decision = decide(dossier, sample, facts(), world.now)
    assert decision.changes_nothing
    assert decision.because == ("there is no such case",)
