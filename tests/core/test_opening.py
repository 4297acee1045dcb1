"""A case opens once, and only for what is ours to collect."""

from dunr.core.decide import decide
from dunr.core.events import ChargeFailed
from dunr.core.value import replace
from tests.core.world import facts, story, utc

FIRST = "2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd\n notice first\n"


def test_a_failure_that_is_not_ours_opens_nothing_whoever_says_so() -> None:
    world = story("2026-06-23 09:00  collected by mail; first charge fails: insufficient_funds, 4900 usd\n no case\n")
    decision = decide(world.dossier("in_1", world.snapshot("in_1")), ChargeFailed(), facts(), world.now)
    assert decision.changes_nothing
    assert decision.because == ("the customer pays this invoice by mail",)


def test_a_failure_that_is_told_twice_opens_one_case() -> None:
    world = story(FIRST)
    decision = decide(world.dossier("in_1", world.snapshot("in_1")), ChargeFailed(), facts(), world.now)
    assert decision.changes_nothing
    assert decision.because == ("the case is open already",)


def test_the_first_decision_holds_all_that_a_store_has_to_write() -> None:
    world = story("2026-06-23 09:00  nothing happens\n")
    world.show("in_1", first_failed_at=world.now)
    dossier = world.dossier("in_1", world.snapshot("in_1"))
    decision = decide(dossier, ChargeFailed(), facts(), world.now)
    assert decision.case is not None
    assert decision.customer is not None
    assert decision.subscription is not None
    assert len(decision.audit) == 1
    assert decision.case.audit_head == decision.audit[0].hash
    assert decide(replace(dossier), ChargeFailed(), facts(), world.now) == decision


def test_what_the_processor_says_of_the_subscription_is_kept_until_it_has_ended() -> None:
    world = story(FIRST + "2026-06-23 12:00  subscription is unpaid; credited 100\n")
    row = world.subscription("in_1")
    assert row is not None
    assert row.status == "unpaid"
    assert row.seen_at == utc("2026-06-23 12:00")
