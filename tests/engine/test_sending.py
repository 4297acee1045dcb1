"""The last look before a request leaves: a sender that slept for half of its key's life sends nothing."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import cast

import pytest

from dunr.core.answers import Forbidden, Permission
from dunr.core.decision import Stops
from dunr.core.effects import Charge
from dunr.core.events import AttemptWithdrawn
from dunr.core.model import Method
from dunr.ports import Rows, Standing
from dunr.preflight import Preflight, Question
from dunr.sending import Sender
from dunr.stepping import Look, Parts
from tests.core.world import facts, story


@pytest.mark.parametrize(("slept_hours", "is_sent"), [(0, True), (11.9, True), (12, False), (30, False)])
def test_a_sender_that_slept_for_too_long_sends_nothing(slept_hours: float, is_sent: bool) -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent
    """)
    case, snapshot = world.case("in_1"), world.snapshot("in_1")
    assert case is not None
    attempt = case.in_flight
    assert attempt is not None
    now = attempt.begun_at + timedelta(hours=slept_hours)
    clock = SimpleNamespace(now=lambda: now)
    rulebook = SimpleNamespace(standing=lambda *_: Standing(Stops(), 0), facts=lambda known: known)
    parts = SimpleNamespace(
        store=None,
        processors={"sandbox": SimpleNamespace(now=lambda _: now)},
        rulebook=rulebook,
        facts=facts(),
        clock=clock,
    )
    refusals = Sender(cast(Parts, parts))._gate(Rows(case, None, None, None), case, attempt, snapshot)
    assert (refusals == ()) is is_sent


def charged_slowly(monkeypatch: pytest.MonkeyPatch, preflight: Preflight | None = None) -> list[AttemptWithdrawn]:
    """What a sender writes that takes eleven seconds for each glance at the clock."""
    world = story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-24 09:00  step 1 sent
    """)
    case, snapshot = world.case("in_1"), world.snapshot("in_1")
    assert case is not None
    attempt = case.in_flight
    assert attempt is not None
    clock, method = SlowClock(attempt.begun_at), Method("sandbox:main:card_1", 1, fence=attempt.fence)
    written: list[AttemptWithdrawn] = []
    parts = SimpleNamespace(
        store=SimpleNamespace(load=lambda *_: Rows(case, None, method, None)),
        processors={"sandbox": SimpleNamespace(now=lambda _: clock.now(), snapshot=lambda *_: snapshot)},
        rulebook=SimpleNamespace(standing=lambda *_: Standing(Stops(), 0), facts=lambda known: known),
        facts=facts(),
        clock=clock,
        preflight=preflight,
    )
    sender = Sender(cast(Parts, parts))
    monkeypatch.setattr(sender, "step", lambda _, event: written.append(event))
    sender._charge(case.id, Charge(case.id, attempt.number, attempt.fence), Look(snapshot, clock.now()))
    return written


class SlowClock:
    """Each glance at it finds it 11 seconds further."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        self.at += timedelta(seconds=11)
        return self.at


class Hardship:
    """A merchant who forbids every charge."""

    def may_charge(self, question: Question) -> Permission:
        assert question.attempt_number == 1
        return Forbidden("cancelled")


def test_a_processor_that_is_read_more_slowly_than_a_look_may_be_old_is_left_alone_after_a_few_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (written,) = charged_slowly(monkeypatch)
    assert written.why == ("each look took longer than a look may be old",)


def test_a_merchant_who_forbids_it_while_the_sender_slept_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    (written,) = charged_slowly(monkeypatch, Hardship())
    assert written.why == ("the merchant's own system does not let it go: cancelled",)
