"""Two who collect: what is taken over, what is only advised, what is refused, and who belongs to which group."""

from collections import Counter

import pytest

from dunr.core.coexistence import Beside, beside_of, share_of
from dunr.core.decide import decide
from dunr.core.effects import RaiseAlert
from dunr.core.events import ChargeFailed, ProcessorTries
from dunr.core.model import Case
from dunr.core.policy import Policy
from dunr.core.terms import AlertKind, Coexistence
from dunr.core.value import replace
from dunr.testing.scenario_world import World
from tests.core.test_coexistence import OWN
from tests.core.world import facts, story, utc

TAKEN = """
    policy coexistence=take_over
    2026-06-23 09:00  processor may collect
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      next 2026-06-24 09:00; notice first; alert coexistence; take-over asked
"""


def case_of(world: World) -> Case:
    case = world.case("in_1")
    assert case is not None
    return case


# --- take over --------------------------------------------------------------------------------------------------------


def test_what_is_taken_over_is_charged_by_us_once_the_processor_has_left_it() -> None:
    story(
        TAKEN
        + """
    2026-06-23 10:01  processor leaves it to us
    2026-06-23 10:01  somebody looks
                      next 2026-06-24 09:00; no alert
    2026-06-24 09:00  step 1 sent; paid
                      state recovered; notice receipt
    """
    )


def test_nothing_is_sent_before_it_is_read_back_that_the_processor_leaves_it() -> None:
    story(
        TAKEN
        + """
    2026-06-24 09:00  nothing happens
                      attempts 0; alert coexistence; wakes 2026-06-24 09:05
    2026-06-24 09:04  processor leaves it to us
    2026-06-24 09:05  step 1 sent; paid
                      state recovered; notice receipt
    """
    )


def test_a_processor_that_begins_again_is_asked_again() -> None:
    world = story(
        TAKEN
        + """
    2026-06-23 10:01  processor leaves it to us
    2026-06-23 10:01  somebody looks
                      no alert
    2026-06-23 12:00  processor may collect
    2026-06-23 12:00  somebody looks
                      take-over asked; no alert
    2026-06-23 13:00  payer clicks pay now
                      answered 409; because left this invoice; no alert
    """
    )
    beside = case_of(world).beside
    assert beside is not None
    assert (beside.asked_count, beside.collects) == (2, True)


def test_a_share_of_the_customers_is_taken_over_and_the_others_are_observed() -> None:
    assert share_of("cus_1") == 2
    assert 30 < Counter(share_of(f"cus_{number}") < 10 for number in range(400))[True] < 55
    for percent, mode in ((3, Coexistence.TAKE_OVER), (2, Coexistence.OBSERVE)):
        world = story(f"""
    policy coexistence=take_over take_over_percent={percent}
    2026-06-23 09:00  processor may collect
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      alert coexistence{"; notice first" if percent > 2 else "; no notice; state awaiting_customer"}
    """)
        beside = case_of(world).beside
        assert beside is not None
        assert beside.mode is mode


def test_an_operator_moves_what_was_observed_to_a_policy_that_takes_over_and_back() -> None:
    world = story(
        OWN
        + """
    2026-06-26 10:30  processor does not try by itself
    2026-06-26 10:30  processor may collect
    2026-06-26 10:30  somebody looks
                      state awaiting_customer; no notice
    2026-06-26 11:00  operator moves the policy to coexistence=take_over
                      state scheduled; take-over asked; alert coexistence; no notice; attempts 0
    2026-06-26 11:01  processor leaves it to us
    2026-06-26 11:02  operator moves the policy to coexistence=observe
                      state scheduled; no notice; no alert
    """
    )
    beside = case_of(world).beside
    assert beside is not None
    assert beside.mode is Coexistence.TAKE_OVER  # nobody would collect it else


# --- advise and refuse ------------------------------------------------------------------------------------------------


def test_what_is_advised_is_published_and_never_charged() -> None:
    world = story("""
    policy coexistence=advise
    2026-06-23 10:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      next 2026-06-24 09:00; no notice; alert coexistence
    2026-06-24 09:00  nothing happens
                      attempts 0; next 2026-06-29 09:00; alert advice; no notice; steps used 1
    """)
    assert world.sent == []


def test_a_case_of_which_everything_was_advised_is_exhausted_and_pauses_after_a_warning() -> None:
    story("""
    policy coexistence=advise steps=1d floor=1d
    2026-06-23 10:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      alert coexistence; no notice
    2026-06-24 10:00  nothing happens
                      state exhausted; alert advice; notice method_needed
    2026-06-26 11:00  processor does not try by itself
    2026-06-26 12:00  nothing happens
                      access paused; notice paused
    """)


def test_advice_that_was_missed_is_laid_anew_and_a_paid_invoice_is_advised_no_more() -> None:
    story("""
    policy coexistence=advise
    2026-06-23 10:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      alert coexistence; no notice
    2026-06-23 11:00  charges are stopped
    2026-06-25 12:00  nothing is stopped
    2026-06-25 15:00  nothing happens
                      attempts 0; next 2026-06-26 09:00
    2026-06-26 08:00  charge ch_p is pending
    2026-06-26 09:00  nothing happens
                      attempts 0; no alert; wakes 2026-06-26 10:00
    """)


def test_a_policy_that_refuses_opens_no_case_and_a_person_hears_why() -> None:
    world = story("""
    policy coexistence=refuse
    2026-06-23 10:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      no case; no notice
    """)
    decision = decide(world.dossier("in_1", world.snapshot("in_1")), ChargeFailed(), facts(), world.now)
    (alert,) = decision.effects
    assert isinstance(alert, RaiseAlert)
    assert (decision.changes_nothing, alert.kind) == (True, AlertKind.COEXISTENCE)
    assert "refuses" in alert.text


def test_what_is_refused_once_its_case_is_open_is_observed() -> None:
    story("""
    policy coexistence=refuse
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    2026-06-23 12:00  processor tries again by itself at 2026-06-26 10:00
    2026-06-23 12:00  somebody looks
                      alert coexistence; next 2026-06-26 10:00; notice first; attempts 0
    """)


# --- how a case stands ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before_at", "next_at", "number"),
    [
        (None, "2026-06-30 10:00", 2),
        ("2026-06-23 09:00", "2026-06-30 10:00", 2),
        ("2026-06-29 09:00", "2026-06-30 10:00", 1),
        ("2026-06-30 10:00", "2026-06-30 10:00", 1),
        ("2026-06-30 10:00", None, 1),
    ],
)
def test_a_date_that_is_moved_before_it_has_come_is_the_same_try(
    before_at: str | None, next_at: str | None, number: int
) -> None:
    world = World(facts=facts(), policy=Policy())
    world.now = utc("2026-06-23 10:00")
    shown = replace(world.snapshot("in_1"), processor_next_attempt_at=utc(next_at) if next_at else None)
    before = Beside(Coexistence.OBSERVE, utc(before_at) if before_at else None, collects=True)
    known = beside_of(before, Policy(), shown)
    assert known is not None
    assert known.step_number == number


def test_news_that_is_none_changes_nothing() -> None:
    world = story("""
    2026-06-23 10:00  first charge fails: insufficient_funds, 4900 usd
                      notice first
    """)
    dossier = world.dossier("in_1", world.snapshot("in_1"))
    assert decide(dossier, ProcessorTries(), facts(), world.now).case is None
